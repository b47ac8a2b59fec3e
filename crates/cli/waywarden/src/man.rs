//! `waywarden man`: manual pages, made of the same texts as `--help`.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Command;
use clap_mangen::{Man, generate_to};

use waywarden_command_line::exit::{Answer, Failure};

/// Write the manual pages: one for the command and one for each of its subcommands.
///
/// Without --output the page of the command alone is printed, which `man -l -` shows. With it all
/// pages are written into a folder, such as ~/.local/share/man/man1, as waywarden-run.1 and so on;
/// pages that are there are replaced.
#[derive(Debug, clap::Args)]
pub(crate) struct Manual {
    /// The folder for the pages; it is made if it is not there.
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

impl Manual {
    /// Writes the pages of a command.
    pub(crate) fn execute(&self, command: Command) -> Result<Answer, Failure> {
        let mut command = command.disable_help_subcommand(true);
        command.build();
        let Some(folder) = &self.output else {
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            io::stdout().lock().write_all(&page)?;
            return Ok(Answer::Yes);
        };
        let written = fs::create_dir_all(folder).and_then(|()| generate_to(command, folder));
        written.map_err(|error| Failure::file(folder.display(), &error))?;
        println!("{}: the manual pages are written", folder.display());
        Ok(Answer::Yes)
    }
}
