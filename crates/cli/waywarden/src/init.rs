//! `waywarden init`: a commented file to begin with.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use waywarden_command_line::exit::{Answer, Failure};

/// The kind of file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum InitKind {
    /// A vehicle: two buses, five ECUs, SecOC under keys that the ECUs agree on, one attacker,
    /// requirements.
    #[default]
    Vehicle,
    /// A profile of a V2X PKI: a root, an enrolment and an authorization authority, and what
    /// stations get.
    Pki,
    /// The configuration of a station's V2X security service.
    Station,
}

/// Write a commented file to begin with: a vehicle, a V2X PKI, or a V2X station.
///
/// Makes the folder of the file if there is none, and replaces a file only with --force. Exit code
/// 0 if the file was written, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// The file to write; - for standard output
    /// [default: my-vehicle.toml, my-pki.toml or my-station.toml].
    file: Option<PathBuf>,
    /// The kind of file.
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
        if file.is_dir() {
            return Err(Failure::new(format_args!(
                "{path} is a folder; name a file in it: waywarden init {}",
                file.join(named).display()
            )));
        }
        let own_name = match self.kind {
            // Its paths are beside it, so its commands are for its folder.
            InitKind::Station => file.file_name().map(|name| name.display().to_string()),
            _ => None,
        };
        let text = text.replace(named, &own_name.unwrap_or_else(|| path.clone()));
        self.write(&file, &text)
            .map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => Failure::new(format_args!(
                    "{path}: there is such a file already; name another, or replace it with --force"
                )),
                _ => Failure::file(&path, &error),
            })?;
        println!("{path} is written. Next: {}", self.kind.next(&path));
        Ok(Answer::Yes)
    }

    fn write(&self, file: &Path, text: &str) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true);
        match self.force {
            true => options.create(true).truncate(true),
            false => options.create_new(true),
        };
        options.open(file)?.write_all(text.as_bytes())
    }
}
