//! JUnit XML, as continuous integration servers read it: a test case for each thing checked.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::files::OutputFile;
use crate::places::is_standard;

/// Results of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JunitSuite {
    /// The command.
    pub name: &'static str,
    /// One case for each thing that was checked.
    pub cases: Vec<JunitCase>,
}

/// Result of one thing that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JunitCase {
    /// Group of the case, such as the vehicle.
    pub class: String,
    /// Name of the case within its group.
    pub name: String,
    /// Its result.
    pub result: JunitResult,
}

/// Result of a test case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JunitResult {
    /// As required, with a remark that may be empty.
    Passed(String),
    /// Not as required.
    Failed {
        /// The difference in a line.
        message: String,
        /// Place and cause.
        detail: String,
    },
    /// Not judged.
    Skipped(String),
}

/// Option to write JUnit XML.
#[derive(Clone, Debug, clap::Args)]
pub struct JunitOption {
    /// Write the results as JUnit XML here, for CI servers: a test case for each requirement,
    /// stream or finding. docs/ci.md shows GitHub Actions and GitLab.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

impl JunitOption {
    /// Returns true if the option was given.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.junit.is_some()
    }

    /// Writes the results where the option asks for it; `suite` makes them.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, suite: impl FnOnce() -> JunitSuite) -> Result<(), Failure> {
        match &self.junit {
            Some(path) => write(path, &suite()),
            None => Ok(()),
        }
    }
}

fn write(path: &Path, suite: &JunitSuite) -> Result<(), Failure> {
    if is_standard(path) {
        return Err(Failure::new(
            "--junit -: standard output has the table; give a file, such as --junit results.xml",
        ));
    }
    let mut output = OutputFile::create(path)?;
    let written = output.write_all(suite.to_xml().as_bytes());
    written.map_err(Failure::writing)?;
    output.finish()
}

impl JunitSuite {
    /// Returns the whole document.
    #[must_use]
    pub fn to_xml(&self) -> String {
        let count = |is: fn(&JunitResult) -> bool| {
            let results = self.cases.iter().map(|case| &case.result);
            results.filter(|result| is(result)).count()
        };
        let failures = count(|result| matches!(result, JunitResult::Failed { .. }));
        let skipped = count(|result| matches!(result, JunitResult::Skipped(_)));
        let counts = format!(
            "name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"",
            Escaped(self.name),
            self.cases.len()
        );
        let mut xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite \
             {counts}>\n"
        );
        for case in &self.cases {
            case.append(&mut xml);
        }
        xml.push_str("  </testsuite>\n</testsuites>\n");
        xml
    }
}

impl JunitCase {
    fn append(&self, xml: &mut String) {
        let (class, name) = (Escaped(&self.class), Escaped(&self.name));
        // Writing to a string does not fail.
        let _ = write!(xml, "    <testcase classname=\"{class}\" name=\"{name}\"");
        let _ = match &self.result {
            JunitResult::Passed(remark) if remark.is_empty() => writeln!(xml, "/>"),
            JunitResult::Passed(remark) => writeln!(
                xml,
                ">\n      <system-out>{}</system-out>\n    </testcase>",
                Escaped(remark)
            ),
            JunitResult::Failed { message, detail } => writeln!(
                xml,
                ">\n      <failure message=\"{}\">{}</failure>\n    </testcase>",
                Escaped(message),
                Escaped(detail)
            ),
            JunitResult::Skipped(message) => writeln!(
                xml,
                ">\n      <skipped message=\"{}\"/>\n    </testcase>",
                Escaped(message)
            ),
        };
    }
}

/// Text as an attribute or an element may hold it.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&apos;")?,
                // As a reference, or a parser makes a space of it in an attribute.
                '\t' | '\n' | '\r' => write!(out, "&#{};", u32::from(letter))?,
                // XML 1.0 has no way to write these, not even as references (2.2, Char).
                letter if !is_xml(letter) => {
                    write!(out, "\\u{{{:x}}}", u32::from(letter))?;
                }
                letter => out.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// Returns true for what XML 1.0 can hold; of control characters also C1, which it discourages,
/// are left out.
const fn is_xml(letter: char) -> bool {
    !matches!(letter, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\x7F'..='\u{9F}')
        && !matches!(letter, '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests;
