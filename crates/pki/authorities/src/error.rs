//! The error of all calls.

use std::error::Error;
use std::fmt;

use waywarden_command_line::exit::Failure;

/// Reason for which a call did nothing, or for which what it decided is not finished: one or
/// several lines, each with the file or argument, what is wrong, and the remedy.
///
/// Arguments have the names of the command's options, such as `--start`.
#[derive(Debug)]
pub struct PkiError(Failure);

impl PkiError {
    /// One thing is wrong.
    pub fn new(line: impl fmt::Display) -> Self {
        Self(Failure::new(line))
    }

    /// Returns what is wrong, one thing a line.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        self.0.lines()
    }

    /// Returns the file or argument that the first line is about.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        let (place, _) = self.lines().first()?.split_once(": ")?;
        Some(place)
    }

    /// Returns the remedy of the first line, if it has one.
    #[must_use]
    pub fn remedy(&self) -> Option<&str> {
        let (_, remedy) = self.lines().first()?.rsplit_once("; ")?;
        Some(remedy)
    }
}

impl fmt::Display for PkiError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.lines().join("\n"))
    }
}

impl Error for PkiError {}

impl From<Failure> for PkiError {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl From<PkiError> for Failure {
    fn from(error: PkiError) -> Self {
        error.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_line_has_place_and_remedy() {
        let error = PkiError::new("pki: has no root CA; make a new PKI");
        assert_eq!(error.place(), Some("pki"));
        assert_eq!(error.remedy(), Some("make a new PKI"));
        assert_eq!(PkiError::new("interrupted").place(), None);
        assert_eq!(PkiError::new("interrupted").remedy(), None);
        assert_eq!(Failure::from(error).lines().len(), 1);
    }
}
