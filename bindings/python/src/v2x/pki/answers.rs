//! Answers of the authorities of a PKI as objects of Python, and their errors as exceptions.

use std::ffi::CString;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use waywarden_command_line::interruption;
use waywarden_pki_authorities::pseudonyms::IssuedPseudonyms;
use waywarden_pki_authorities::{CrlKind, Issued, MadeCrls, MadeCtl, Note, PkiError, Revocations};
use waywarden_pki_folder::directory::PkiDirectory;
use waywarden_pki_folder::index::IndexEntry;
use waywarden_v2x_input::time;

use crate::error::Failure;

/// Names of options that are others here; of the rest `--a-b` is `a_b`.
const NAMES: [(&str, &str); 7] = [
    ("--explicit", "implicit=False"),
    ("--for", "name"),
    ("--implicit", "implicit=True"),
    ("--no-passphrase", "unencrypted=True"),
    ("--psid", "permissions"),
    // No binding takes one.
    ("--token", "`--token` of the command"),
    ("--us", "shape=\"american\""),
];

/// Does `work` of the authorities without the interpreter's lock. A signal such as Ctrl-C ends it
/// where it waits for others, and between the steps of long work.
pub(super) fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, PkiError> + Send,
) -> PyResult<T> {
    let signal = Arc::new(OnceLock::new());
    let seen = Arc::clone(&signal);
    let is_ended = move || {
        Python::attach(|py| {
            let checked = py.check_signals();
            // The first one is raised.
            checked.is_err_and(|raised| seen.set(raised).is_ok())
        })
    };
    let result = py.detach(|| interruption::with(is_ended, work));
    match Arc::into_inner(signal).and_then(OnceLock::into_inner) {
        Some(raised) => Err(raised),
        None => result.map_err(|error| refused(&error).into()),
    }
}

/// Returns the exception for what the authorities refuse.
pub(super) fn refused(error: &PkiError) -> Failure {
    let lines: Vec<String> = error.lines().iter().map(|line| named(line)).collect();
    // An argument stands first in the line about it.
    let is_argument = error
        .lines()
        .first()
        .is_some_and(|line| line.starts_with("--"));
    let (class, code) = match is_argument {
        true => ("InputError", "argument"),
        false => ("TrustError", "pki"),
    };
    let failure = Failure::new(class, lines.join("\n")).code(code);
    let failure = match error.place() {
        Some(place) => failure.place(named(place)),
        None => failure,
    };
    let failure = match error.remedy() {
        Some(remedy) => failure.remedy(named(remedy)),
        None => failure,
    };
    match lines.len() {
        0 | 1 => failure,
        _ => failure.problems(lines),
    }
}

/// Writes options of the command as arguments are called here. Commands in backticks stay.
fn named(line: &str) -> String {
    let line = line.replace("give passphrase_file", "give passphrase");
    let mut text = String::with_capacity(line.len());
    for (at, part) in line.split('`').enumerate() {
        if at > 0 {
            text.push('`');
        }
        match at % 2 {
            0 => outside(part, &mut text),
            _ => text.push_str(part),
        }
    }
    text
}

fn outside(mut rest: &str, text: &mut String) {
    while let Some(at) = rest.find("--") {
        let (before, from) = rest.split_at(at);
        let length = from[2..].find(|letter: char| !letter.is_ascii_lowercase() && letter != '-');
        let (option, after) = from.split_at(length.map_or(from.len(), |length| length + 2));
        text.push_str(before);
        // Within a word it is a part of a name.
        let is_option = option.len() > 2 && !before.ends_with(|one: char| !" (\"".contains(one));
        match NAMES.iter().find(|(name, _)| *name == option) {
            _ if !is_option => text.push_str(option),
            Some((_, name)) => text.push_str(name),
            None => text.push_str(&option[2..].replace('-', "_")),
        }
        rest = after;
    }
    text.push_str(rest);
}

/// Gives out the warnings of a call.
pub(super) fn warn(py: Python<'_>, notes: &[Note]) -> PyResult<()> {
    for note in notes {
        let (Note::Warning(text) | Note::Status(text)) = note else {
            continue;
        };
        // Text of files may have any character.
        let text = CString::new(named(text).replace('\0', "")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    Ok(())
}

/// Keeps a note that is a warning here.
pub(super) fn keep(notes: &mut Vec<Note>, note: Note) {
    if !matches!(note, Note::Progress { .. }) {
        notes.push(note);
    }
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

/// Returns a certificate of the index.
pub(super) fn entry<'py>(
    py: Python<'py>,
    directory: &PkiDirectory,
    entry: &IndexEntry,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("name", &entry.name)?;
    row.set_item("id", &entry.id)?;
    row.set_item("role", entry.role.show(directory.index.shape))?;
    row.set_item("issuer", &entry.issuer)?;
    row.set_item("is_authority", entry.role.is_authority())?;
    row.set_item("is_revoked", entry.revoked.is_some())?;
    row.set_item("certificate", path(&directory.file(&entry.certificate)))?;
    let key = entry.key.as_ref().map(|key| path(&directory.file(key)));
    row.set_item("key", key)?;
    Ok(row)
}

/// Returns certificates of the index.
pub(super) fn entries<'py>(
    py: Python<'py>,
    directory: &PkiDirectory,
    entries: &[IndexEntry],
) -> PyResult<Bound<'py, PyList>> {
    let rows = entries.iter().map(|one| entry(py, directory, one));
    PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
}

/// Returns the only certificate that was issued.
pub(super) fn one<'py>(py: Python<'py>, issued: &Issued) -> PyResult<Bound<'py, PyDict>> {
    match issued.entries() {
        [one] => entry(py, &issued.directory, one),
        _ => Err(Failure::new("TrustError", "no certificate was issued").into()),
    }
}

pub(super) fn revocations<'py>(py: Python<'py>, done: Revocations) -> PyResult<Bound<'py, PyList>> {
    let rows = PyList::empty(py);
    for one in &done.revoked {
        let row = PyDict::new(py);
        row.set_item("name", &one.name)?;
        row.set_item("id", &one.id)?;
        row.set_item("is_new", one.is_new)?;
        rows.append(row)?;
    }
    let why = done.unlistable.map_err(|error| refused(&error))?;
    let why = why.iter().flat_map(PkiError::lines);
    let notes = why.map(|why| Note::Warning(format!("no list will have these pseudonyms: {why}")));
    warn(py, &notes.collect::<Vec<_>>())?;
    Ok(rows)
}

pub(super) fn crls<'py>(py: Python<'py>, made: &MadeCrls) -> PyResult<Bound<'py, PyList>> {
    let rows = PyList::empty(py);
    for one in &made.lists {
        let row = PyDict::new(py);
        let kind = match one.kind {
            CrlKind::Certificates => "certificates",
            CrlKind::Linkage => "linkage",
            CrlKind::Root => "root",
        };
        row.set_item("kind", kind)?;
        row.set_item("list", PyBytes::new(py, &one.bytes))?;
        row.set_item("path", one.path.as_deref().map(path))?;
        row.set_item("revokes", &one.revokes)?;
        row.set_item("next", time::show(made.next))?;
        rows.append(row)?;
    }
    let why = made.unlisted.iter().flat_map(PkiError::lines);
    let notes = why.map(|why| Note::Warning(format!("no list by linkage values was made: {why}")));
    warn(py, &notes.collect::<Vec<_>>())?;
    Ok(rows)
}

pub(super) fn ctl<'py>(py: Python<'py>, made: &MadeCtl) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("list", PyBytes::new(py, &made.bytes))?;
    let delta = made.delta.as_ref();
    row.set_item("delta", delta.map(|delta| PyBytes::new(py, delta)))?;
    row.set_item("path", path(&made.path))?;
    row.set_item("sequence", made.sequence)?;
    row.set_item("authorities", made.enrolment + made.authorization)?;
    row.set_item("next", time::show(made.next))?;
    Ok(row)
}

pub(super) fn pseudonyms<'py>(
    py: Python<'py>,
    done: &IssuedPseudonyms,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("vehicles", &done.vehicles)?;
    row.set_item("certificates", done.certificates)?;
    row.set_item("issued", done.issued)?;
    row.set_item("first", done.first.to_string())?;
    row.set_item("last", done.last.to_string())?;
    Ok(row)
}
