//! Runs that give a cell: a vehicle file or a command, and where its output has the number.

use std::fmt::Write as _;

/// A run whose output has the number of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRun {
    /// Vehicle file, in TOML, that the command reads as [`CellRun::FILE`]; none if it reads no
    /// file.
    pub vehicle: Option<String>,
    /// Arguments of `waywarden`; the output is JSON.
    pub arguments: Vec<String>,
    /// Place of the number in the output.
    pub reading: Reading,
}

/// Place of a number in a JSON document.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// List that has the object: `rows`, `groups` or `networks`.
    pub list: &'static str,
    /// Fields of the object that tell it from the others in its list, with their values; empty for
    /// the first object.
    pub select: Vec<(&'static str, String)>,
    /// Field of the object, with dots between its parts.
    pub field: &'static str,
    /// Factor from that number to the cell's.
    pub factor: f64,
}

impl CellRun {
    /// Name of the vehicle file in the arguments.
    pub const FILE: &'static str = "run.toml";

    /// A command without a file.
    pub fn command(arguments: &[&str], reading: Reading) -> Self {
        CellRun {
            vehicle: None,
            arguments: arguments.iter().map(|one| (*one).to_owned()).collect(),
            reading,
        }
    }

    /// Returns the figure of a board, in `per` of a microsecond: the first of an operation that is
    /// for every length.
    pub fn figure(board: &str, operation: &str, algorithm: &str, factor: f64) -> Self {
        let reading = Reading {
            list: "rows",
            select: vec![
                ("on", "core".to_owned()),
                ("operation", operation.to_owned()),
                ("algorithm", algorithm.to_owned()),
            ],
            field: "time_us",
            factor,
        };
        Self::command(&["boards", board, "--format", "json"], reading)
    }

    /// Returns the command for a shell, with `jq` at its end.
    #[must_use]
    pub fn shell(&self) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|one| quoted(one)).collect();
        format!(
            "waywarden {} | jq {}",
            arguments.join(" "),
            quoted(&self.reading.jq())
        )
    }
}

impl Reading {
    /// Returns the program of `jq` that prints the cell's number.
    #[must_use]
    pub fn jq(&self) -> String {
        let mut program = format!(".{}", self.list);
        match self.select.is_empty() {
            true => program += "[0]",
            false => {
                let each = self
                    .select
                    .iter()
                    .map(|(field, value)| format!(".{field} == {value:?}"));
                program += "[] | select(";
                program += &each.collect::<Vec<_>>().join(" and ");
                program += ") | ";
            }
        }
        program += ".";
        program += self.field;
        if self.factor != 1.0 {
            // Writing into memory has no way to fail.
            let _ = write!(program, " * {}", self.factor);
        }
        program
    }
}

/// Quotes an argument for a shell where that is needed.
fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_quoted_for_a_shell() {
        let run = CellRun::figure("tc297", "share", "fourq", 0.001);
        assert_eq!(
            run.shell(),
            "waywarden boards tc297 --format json | jq '.rows[] | select(.on == \"core\" and \
             .operation == \"share\" and .algorithm == \"fourq\") | .time_us * 0.001'"
        );
        let reading = Reading {
            list: "groups",
            select: Vec::new(),
            field: "frames",
            factor: 1.0,
        };
        let run = CellRun::command(&["papers", "gke", "--cell", "it's"], reading);
        let expected = "waywarden papers gke --cell 'it'\\''s' | jq '.groups[0].frames'";
        assert_eq!(run.shell(), expected);
    }
}
