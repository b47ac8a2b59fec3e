//! The bit rates of a bus that is followed, for its load.

use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_command_line::exit::Failure;

use crate::logs::source::LogSource;
use crate::quantity::checked;

/// The bit rates; none for a table without load.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct LiveRates {
    /// Nominal bit rate of what is followed, such as 500k: the table that a terminal shows while
    /// frames come then has the bus load.
    #[arg(long, value_name = "RATE")]
    bitrate: Option<BitRate>,
    /// Data bit rate of its CAN FD frames with BRS, such as 2M.
    #[arg(long, value_name = "RATE", requires = "bitrate")]
    data_bitrate: Option<BitRate>,
}

impl LiveRates {
    /// Returns the bit timing with the recommended sample points.
    ///
    /// # Errors
    /// For rates that contradict each other, and for those of a file, which shows no load.
    pub(super) fn timing(&self, source: &LogSource) -> Result<Option<BitTiming>, Failure> {
        let Some(nominal) = self.bitrate else {
            return Ok(None);
        };
        if !source.is_live() {
            let log = source.path().display();
            return Err(Failure::new(format_args!(
                "--bitrate is for the load of a bus that is followed, and {log} is a file; the \
                 load of a file: waywarden bus load {log} --bitrate RATE"
            )));
        }
        let timing = match self.data_bitrate {
            Some(data) => BitTiming::fd(nominal, data),
            None => BitTiming::classic(nominal),
        };
        checked(timing).map(Some)
    }
}
