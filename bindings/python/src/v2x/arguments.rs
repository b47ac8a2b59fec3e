//! Arguments that several functions take: messages, times, positions, applications.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyMemoryView, PyString};
use waywarden_input_files::Problem;
use waywarden_pki_folder::passphrase::{Passphrase, Passphrases};
use waywarden_pki_folder::region;
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::records;
use waywarden_v2x_input::time::{At, parse_at};
use waywarden_v2x_input::unread::UnreadFile;
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64, TwoDLocation};
use zeroize::Zeroizing;

use super::record::Record;
use super::refusal::wrong;
use crate::error::{Failure, excerpt};
use crate::frame::shown;

/// The longest message that is taken: 16 MiB, as of a file.
const MESSAGE_MAX: usize = 16 << 20;

/// Takes bytes of any kind; `None` for another object.
pub(super) fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Some(bytes.to_vec()));
    }
    if value.cast::<PyMemoryView>().is_ok() {
        let copied = value.call_method0("tobytes")?;
        return Ok(Some(copied.cast::<PyBytes>()?.as_bytes().to_vec()));
    }
    Ok(None)
}

/// Takes a message: bytes, text as the command reads it, or a record of a file.
pub(super) fn message(value: &Bound<'_, PyAny>, place: &str) -> PyResult<InputRecord> {
    if let Ok(record) = value.cast::<Record>() {
        return Ok(record.get().record.clone());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(message_of_text(text.to_str()?, place)?);
    }
    let Some(bytes) = bytes(value)? else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "{place}: {kind}; give bytes, text with hexadecimal digits or base64, or a Record of \
             records()"
        )));
    };
    if bytes.len() > MESSAGE_MAX {
        let count = bytes.len();
        let why = format!("{count} bytes; a message has at most {MESSAGE_MAX}");
        return Err(wrong(place, why).into());
    }
    Ok(InputRecord::of(place.to_owned(), bytes))
}

/// Reads the one message of a text.
fn message_of_text(text: &str, place: &str) -> Result<InputRecord, Failure> {
    if text.len() > 2 * MESSAGE_MAX {
        let count = text.len();
        let why = format!(
            "{count} letters; a message in text has at most {}",
            2 * MESSAGE_MAX
        );
        return Err(wrong(place, why));
    }
    let mut found = Vec::new();
    let input = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let read = records::read::<UnreadFile>(place, input, |record| {
        // More than one are refused, whatever their number.
        if found.len() < 2 {
            found.push(record);
        }
        Ok(())
    });
    let unreadable = |unread: UnreadFile| Failure::of("InputError", &Problem::from(unread));
    let file = read.map_err(unreadable)?;
    if let Some(unread) = file.wrong.into_iter().next() {
        return Err(unreadable(unread));
    }
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(record), None) => Ok(InputRecord {
            place: place.to_owned(),
            ..record
        }),
        _ => Err(wrong(
            place,
            "text with more than one message; give each by itself, or a file to records()",
        )),
    }
}

/// Takes a time: a word or text as `--at` of the command has it, microseconds since 2004 (TAI), or
/// a `datetime` with a time zone.
pub(super) fn at(value: &Bound<'_, PyAny>, name: &str) -> PyResult<At> {
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str()?;
        return Ok(parse_at(text).map_err(|expected| {
            wrong(name, format_args!("{}; give {expected}", excerpt(text)))
        })?);
    }
    if !value.is_instance_of::<PyBool>()
        && value.is_instance_of::<PyInt>()
        && let Ok(number) = value.extract::<u64>()
    {
        return Ok(At::Time(Time64(number)));
    }
    match datetime(value)? {
        Some(time) => Ok(At::Time(time)),
        None => Err(wrong(
            name,
            format_args!(
                "{}; give a datetime with a time zone, microseconds since 2004 (TAI, 0 to 2^64 - \
                 1), text such as 2026-03-01T12:00:00Z, or now, capture or generation",
                shown(value)
            ),
        )
        .into()),
    }
}

/// Takes a `datetime` with a time zone; `None` for another object.
fn datetime(value: &Bound<'_, PyAny>) -> PyResult<Option<Time64>> {
    let module = value.py().import("datetime")?;
    let class = module.getattr("datetime")?;
    if !value.is_instance(&class)? || value.call_method0("utcoffset")?.is_none() {
        return Ok(None);
    }
    let zone = module.getattr("timezone")?.getattr("utc")?;
    let epoch = class.call_method1("fromtimestamp", (0, zone))?;
    let unit = module.getattr("timedelta")?.call1((0, 0, 1))?;
    let unix: i64 = value.sub(epoch)?.floor_div(unit)?.extract()?;
    Ok(from_unix(unix))
}

/// Takes a position in degrees: latitude north and longitude east.
pub(super) fn position((latitude, longitude): (f64, f64)) -> Result<TwoDLocation, Failure> {
    region::position(latitude, longitude).map_err(|fault| wrong("position", fault))
}

/// Takes an application: a name or a number.
pub(super) fn psid(value: &Bound<'_, PyAny>) -> PyResult<Psid> {
    if let Ok(name) = value.cast::<PyString>() {
        let name = name.to_str()?;
        return Ok(waywarden_pki_folder::permission::psid(name).map_err(|why| wrong("psid", why))?);
    }
    let is_number = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    let number = is_number.then(|| value.extract::<u64>().ok()).flatten();
    number.map(Psid).ok_or_else(|| {
        wrong(
            "psid",
            "give a name such as CAM, DENM or BSM, or a number from 0 to 2^64 - 1",
        )
        .into()
    })
}

/// Returns the passphrase for keys; without one, no terminal is asked.
pub(super) fn passphrases(passphrase: Option<Vec<u8>>) -> Passphrases<'static> {
    let known = passphrase.map(|bytes| Passphrase::of_secret(Zeroizing::new(bytes)));
    Passphrases::known(known)
}

/// Takes paths: one, or several.
pub(super) fn paths(value: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(vec![path]);
    }
    value.try_iter()?.map(|one| one?.extract()).collect()
}
