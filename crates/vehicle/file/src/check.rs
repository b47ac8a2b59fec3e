//! Checks a file by its rules, whether it was read from text or composed by a program.

use toml::de::DeTable;

use crate::TEXT_MAX;
use crate::document::{self, Entries};
use crate::problem::Problem;
use crate::reader::Section;
use crate::source::{FileErrors, Findings, SourceText};
use waywarden_vehicle_grammar::{Table, TableForm};

/// Reads a TOML text with `read`, which notes every error in it. `title` is the name of the whole
/// in errors, and `form` its grammar.
pub(crate) fn parse<T>(
    file_name: &str,
    text: &str,
    title: &str,
    form: &'static Table,
    read: impl FnOnce(Section<'_>, &SourceText, &Findings<'_>) -> Option<T>,
) -> Result<T, FileErrors> {
    let source = SourceText::new(file_name, text);
    if text.len() > TEXT_MAX {
        let problem = Problem::TextTooLong(text.len());
        return Err(source.error(&(0..0), problem).into());
    }
    let findings = Findings::new(&source);
    let (table, broken) = DeTable::parse_recoverable(text);
    for error in broken {
        let span = error.span().unwrap_or(0..0);
        findings.add(&span, Problem::Syntax(error.message().to_owned()));
    }
    let table = document::read(table.get_ref());
    check(&table, (title, form), findings, read)
}

/// Takes a table that a program has composed, as [`parse`] takes a text.
pub(crate) fn compose<T>(
    name: &str,
    table: &toml::Table,
    title: &str,
    form: &'static Table,
    read: impl FnOnce(Section<'_>, &SourceText, &Findings<'_>) -> Option<T>,
) -> Result<T, FileErrors> {
    let source = SourceText::new(name, "");
    check(
        &document::composed(table),
        (title, form),
        Findings::new(&source),
        read,
    )
}

/// Reads nothing of a table in which something is wrong already.
fn check<T>(
    entries: &Entries,
    (title, form): (&str, &'static Table),
    findings: Findings<'_>,
    read: impl FnOnce(Section<'_>, &SourceText, &Findings<'_>) -> Option<T>,
) -> Result<T, FileErrors> {
    let source = findings.source();
    let file = if findings.is_empty() {
        let top = Section::new(title, 0..0, entries, &findings, TableForm::One(form));
        read(top, source, &findings)
    } else {
        None
    };
    match (findings.into_errors(), file) {
        (None, Some(file)) => Ok(file),
        (Some(errors), _) => Err(errors),
        // Every part that is left out has been noted, so this cannot be; it is an error all the
        // same, rather than a panic.
        (None, None) => {
            let problem = Problem::Syntax(format!("nothing of {title} can be read"));
            Err(source.error(&(0..0), problem).into())
        }
    }
}
