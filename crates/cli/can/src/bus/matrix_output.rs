//! A message matrix written as a DBC file.

use std::io::Write;
use std::path::Path;

use waywarden_can_dbc::{Rewritten, encode, rewrite};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::{self, OutputFile};
use waywarden_command_line::messages;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::matrix::{
    self as formats, Cluster, MatrixFormat, MessageMatrix, ReadOptions,
};

use super::import::no_message;
use crate::file_kind::{self, Expected};
use crate::matrix::{self, MatrixChoices};

/// The most losses that are shown; the rest are counted.
const SHOWN_MAX: usize = 20;

/// A matrix and the DBC file that it becomes.
pub(super) struct MatrixOutput<'a> {
    pub(super) matrix: &'a Path,
    pub(super) out: &'a Path,
    pub(super) bus: Option<&'a str>,
    pub(super) choices: MatrixChoices,
}

impl MatrixOutput<'_> {
    /// Returns true if the name of a file asks for a DBC file.
    pub(super) fn is_named(out: &Path) -> bool {
        out.extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("dbc"))
    }

    /// Writes the DBC file, and reports what it does not have.
    pub(super) fn write(&self) -> Result<Answer, Failure> {
        let bytes = files::bytes_of_kind(self.matrix, formats::TEXT_MAX, |bytes| {
            file_kind::refusal(self.matrix, bytes, Expected::Matrix)
        })?;
        let is_dbc = match MatrixFormat::of_bytes(&bytes) {
            Some(format) => format == MatrixFormat::Dbc,
            // The reader of all formats says what other XML is.
            None => !formats::decode(&bytes).trim_start().starts_with('<'),
        };
        let written = match is_dbc {
            true => self.of_dbc(&bytes)?,
            false => self.of_other()?,
        };
        // A loss that no DBC file could avoid is no fault of a matrix of another format.
        self.report(&written, self.choices.is_strict && is_dbc)?;
        let mut output = OutputFile::create(self.out)?;
        let bytes = encode(&written.text);
        output.write_all(&bytes).map_err(Failure::writing)?;
        output.finish()?;
        if !is_standard(self.out) {
            let out = self.out.display();
            let count = written.messages;
            writeln!(std::io::stdout().lock(), "{out}: {count} messages")?;
        }
        Ok(Answer::Yes)
    }

    fn of_dbc(&self, bytes: &[u8]) -> Result<Rewritten, Failure> {
        let shown = self.matrix.display();
        if let Some(bus) = self.bus {
            return Err(Failure::new(format_args!(
                "{shown}: a DBC file has one bus; leave out --bus {bus}"
            )));
        }
        let options = ReadOptions {
            unflagged_are_extended: self.choices.unflagged_are_extended,
        };
        rewrite(&formats::decode(bytes), options).map_err(|error| match error.line() {
            Some(line) => Failure::new(format_args!("{shown}:{line}: {error}")),
            None => Failure::new(format_args!("{shown}: {error}")),
        })
    }

    fn of_other(&self) -> Result<Rewritten, Failure> {
        let matrix = matrix::read_with(self.matrix, self.choices)?;
        let cluster = self.chosen(&matrix)?;
        Ok(cluster.to_dbc(matrix.format))
    }

    /// Returns the bus that is written: the one that is asked for, or the only one with messages.
    fn chosen<'m>(&self, matrix: &'m MessageMatrix) -> Result<&'m Cluster, Failure> {
        let clusters = &matrix.clusters;
        let shown = self.matrix.display();
        let has_messages = |cluster: &&Cluster| !cluster.messages.is_empty();
        let names: Vec<&str> = clusters
            .iter()
            .filter(has_messages)
            .map(|cluster| cluster.name.as_deref().unwrap_or_default())
            .collect();
        let found = match self.bus {
            Some(bus) => {
                let is_it = |cluster: &&Cluster| cluster.name.as_deref() == Some(bus);
                clusters.iter().filter(has_messages).find(is_it)
            }
            None if names.len() == 1 => clusters.iter().find(has_messages),
            None => None,
        };
        found.ok_or_else(|| {
            let listed = names.join(", ");
            match (self.bus, names.len()) {
                (_, 0) => Failure::new(format_args!(
                    "{shown}: has no message to write; {}",
                    no_message(matrix)
                )),
                (Some(bus), _) => Failure::new(format_args!(
                    "{shown}: no bus {bus} with messages; its buses: {listed}"
                )),
                (None, count) => Failure::new(format_args!(
                    "{shown}: has {count} buses, and a DBC file has one; choose with --bus: \
                     {listed}"
                )),
            }
        })
    }

    /// Shows what is lost, as an error if that is refused.
    fn report(&self, written: &Rewritten, is_refused: bool) -> Result<(), Failure> {
        let shown = self.matrix.display();
        let lines = written.losses.iter().take(SHOWN_MAX);
        let mut lines: Vec<String> = lines.map(|loss| format!("{shown}: {loss}")).collect();
        let count = written.losses.len();
        if count > SHOWN_MAX {
            lines.push(format!("{shown}: {count} losses in all"));
        }
        let plain = |line: &String| plain_lines(line).to_string();
        if is_refused && count > 0 {
            let end =
                format!("{shown}: the DBC file would not have all of it; --strict refuses that");
            return Err(Failure::all(lines.iter().map(plain).chain([end])));
        }
        for line in &lines {
            messages::warning(plain_lines(line));
        }
        Ok(())
    }
}
