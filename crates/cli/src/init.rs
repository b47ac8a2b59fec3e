//! `waywarden init`: a commented file to begin with.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use waywarden_command_line::exit::{Answer, Failure};

/// A vehicle that runs and meets its requirements.
const VEHICLE: &str = include_str!("init/vehicle.toml");

/// The name that the text calls the file by.
const NAMED: &str = "my-vehicle.toml";

/// Write a commented vehicle file to begin with: two buses, five ECUs, SecOC under keys that the
/// ECUs agree on, one attacker, requirements.
///
/// A file that is there already is kept, unless --force is given. Exit code 0 if the file was
/// written, 2 if not.
#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// Where to write it; - for standard output.
    #[arg(default_value = NAMED)]
    file: PathBuf,
    /// Replace a file that is there.
    #[arg(long)]
    force: bool,
}

impl Init {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let path = self.file.display().to_string();
        if path == "-" {
            io::stdout().lock().write_all(VEHICLE.as_bytes())?;
            return Ok(Answer::Yes);
        }
        let mut options = OpenOptions::new();
        options.write(true);
        match self.force {
            true => options.create(true).truncate(true),
            false => options.create_new(true),
        };
        let text = VEHICLE.replace(NAMED, &path);
        let written = options
            .open(&self.file)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::new(format_args!(
                "{path}: there is such a file already; name another, or replace it with --force"
            )),
            _ => Failure::file(&path, &error),
        })?;
        println!("{path} is written. Next: waywarden run {path}");
        Ok(Answer::Yes)
    }
}
