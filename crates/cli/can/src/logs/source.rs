//! The place that frames come from: a log, or an interface of this machine.

use std::path::{Path, PathBuf};

use super::live;

/// A log or an interface.
#[derive(Clone, Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct LogSource {
    /// The log, of any format that `bus convert` reads. - is standard input.
    log: Option<PathBuf>,
    /// Read this CAN interface of Linux (SocketCAN) instead, until ^C or SIGTERM; it has to be up:
    /// `ip link set up can0`.
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
}

impl LogSource {
    /// Returns the path of the log, or the name of the interface, for messages.
    pub(crate) fn path(&self) -> &Path {
        let interface = self.interface.as_deref().map(Path::new);
        self.log.as_deref().or(interface).unwrap_or(Path::new("-"))
    }

    /// Returns the interface, if it is one.
    pub(crate) fn interface(&self) -> Option<&str> {
        self.interface.as_deref()
    }

    /// Returns true if what follows may not be there yet.
    pub(crate) fn is_live(&self) -> bool {
        self.interface.is_some() || live::is_live(self.path())
    }
}
