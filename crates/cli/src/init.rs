//! `waywarden init`: a commented file to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use waywarden_command_line::exit::{Answer, Failure};

/// What a file is to begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum InitKind {
    /// A vehicle: two buses, five ECUs, SecOC under keys that the ECUs agree on, one attacker,
    /// requirements.
    #[default]
    Vehicle,
    /// A profile of a V2X PKI: a root, an enrolment and an authorisation authority, and what
    /// stations get.
    Pki,
    /// The configuration of a station's V2X security service.
    Station,
}

/// Write a commented file to begin with: a vehicle, a V2X PKI, or a V2X station.
///
/// Replaces a file only with --force. Exit code 0 if the file was written, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// Where to write it; - for standard output [default: my-vehicle.toml, my-pki.toml or
    /// my-station.toml].
    file: Option<PathBuf>,
    /// What the file is to begin.
    #[arg(long, value_enum, default_value_t)]
    kind: InitKind,
    /// Replace a file that is there.
    #[arg(long)]
    force: bool,
}

impl InitKind {
    /// Returns the text, and the name that it calls the file by.
    const fn template(self) -> (&'static str, &'static str) {
        match self {
            InitKind::Vehicle => (include_str!("init/vehicle.toml"), "my-vehicle.toml"),
            InitKind::Pki => (include_str!("init/pki.toml"), "my-pki.toml"),
            InitKind::Station => (include_str!("init/station.toml"), "my-station.toml"),
        }
    }

    /// Returns what to do with the file.
    fn next(self, path: &str) -> String {
        match self {
            InitKind::Vehicle => format!("waywarden run {path}"),
            InitKind::Pki => format!("waywarden pki init my-pki --profile {path}"),
            InitKind::Station => format!("waywarden serve {path} --check-config"),
        }
    }
}

impl Init {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let (text, named) = self.kind.template();
        let file = self.file.clone().unwrap_or_else(|| PathBuf::from(named));
        let path = file.display().to_string();
        if path == "-" {
            io::stdout().lock().write_all(text.as_bytes())?;
            return Ok(Answer::Yes);
        }
        let mut options = OpenOptions::new();
        options.write(true);
        match self.force {
            true => options.create(true).truncate(true),
            false => options.create_new(true),
        };
        let text = text.replace(named, &path);
        let written = options
            .open(&file)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::new(format_args!(
                "{path}: there is such a file already; name another, or replace it with --force"
            )),
            _ => Failure::file(&path, &error),
        })?;
        println!("{path} is written. Next: {}", self.kind.next(&path));
        Ok(Answer::Yes)
    }
}
