//! The error of libraries that read what a user gives them.

use std::error::Error;
use std::fmt;
use std::io;

use crate::path_error;

/// Something that a user gave and that cannot be used: one or several things that are wrong with
/// it, each in a line with place and remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    code: &'static str,
    place: Option<String>,
    lines: Vec<String>,
}

impl Problem {
    /// Names a problem for programs by `code`, a word such as `file-not-found`; `line` names the
    /// place, what is wrong and the remedy.
    pub fn new(code: &'static str, line: impl fmt::Display) -> Self {
        Self::all(code, [line.to_string()])
    }

    /// The same of several things that are wrong.
    pub fn all(code: &'static str, lines: impl IntoIterator<Item = String>) -> Self {
        Self {
            code,
            place: None,
            lines: lines.into_iter().collect(),
        }
    }

    /// A file that cannot be opened or read.
    pub fn file(path: impl fmt::Display, error: &io::Error) -> Self {
        let path = path.to_string();
        let explained = path_error::explained(&path, error, None);
        let code = match error.kind() {
            io::ErrorKind::NotFound => "file-not-found",
            io::ErrorKind::PermissionDenied => "file-not-permitted",
            io::ErrorKind::IsADirectory => "file-is-a-folder",
            io::ErrorKind::NotADirectory => "folder-is-a-file",
            _ => "file-not-read",
        };
        Self::new(code, format_args!("{path}: {explained}")).at(path)
    }

    /// Says where the problem is: a file, or a place in it.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self {
            place: Some(place.to_string()),
            ..self
        }
    }

    /// Returns the name of the problem for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// Returns the file, or the place in it; `None` if the problem is with several.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns what is wrong, one thing a line.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Takes what is wrong, one thing a line.
    #[must_use]
    pub fn into_lines(self) -> Vec<String> {
        self.lines
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, line) in self.lines.iter().enumerate() {
            let end = if number == 0 { "" } else { "\n" };
            write!(formatter, "{end}{line}")?;
        }
        Ok(())
    }
}

impl Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problem_of_a_file_has_code_place_and_remedy() {
        let error = io::Error::from_raw_os_error(2);
        let problem = Problem::file("Cargo.tml", &error);
        assert_eq!(problem.code(), "file-not-found");
        assert_eq!(problem.place(), Some("Cargo.tml"));
        assert!(problem.to_string().ends_with("did you mean Cargo.toml?"));
    }

    #[test]
    fn several_things_have_a_line_each() {
        let problem = Problem::all("two", ["a: b".to_owned(), "c: d".to_owned()]);
        assert_eq!(problem.to_string(), "a: b\nc: d");
        assert_eq!(problem.place(), None);
    }
}
