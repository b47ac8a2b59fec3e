//! Messages of ETSI ITS and SAE J2735, read into dicts and written from them.

use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList};
use waywarden_v2x_messages::{
    Decoded, Message, MessageError, OtherReading, decode, encode, parse_json,
};

use super::arguments::message;
use super::inspection::objects;
use super::refusal::wrong;
use crate::error::Failure;

/// A message that `decode_message` read.
#[pyclass(module = "waywarden.v2x", frozen)]
pub(crate) struct DecodedMessage(Decoded);

#[pymethods]
impl DecodedMessage {
    /// Kind of the message, such as "CAM".
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.message.kind()
    }

    /// Release of ETSI ITS under which it was read, 1 or 2; None for SAE J2735.
    #[getter]
    fn release(&self) -> Option<u8> {
        self.0.message.release()
    }

    /// The standard by whose layout it was read, and its version; None if the layout keeps the
    /// content as bytes, for then its edition is not known.
    #[getter]
    fn standard(&self) -> Option<&'static str> {
        self.0.standard()
    }

    /// The message: a dict by the names of its ASN.1, as `encode_message` takes it.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(objects(py, &self.0.value.to_string())?.cast_into()?)
    }

    /// Readings of the bytes by the other releases of the kind: "same" if a release divides the
    /// bits into the same fields, which differ in names at most; "different"; "partial" if it can
    /// be read with values that the release does not name; else the first fault.
    #[getter]
    fn other_releases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let others = PyDict::new(py);
        for (message, reading) in &self.0.others {
            let reading = match reading {
                OtherReading::Same => "same".to_owned(),
                OtherReading::Different => "different".to_owned(),
                OtherReading::Partial => "partial".to_owned(),
                OtherReading::Refused(fault) => fault.to_string(),
            };
            others.set_item(message.release(), reading)?;
        }
        Ok(others)
    }

    /// Remark on the reading, in words: of other releases, of a header that names another kind, of
    /// a text that is longer than its type permits, of a content without a layout; or None.
    #[getter]
    fn remark(&self) -> Option<String> {
        self.0.remark()
    }

    /// Returns all of it as a dict: `kind`, `release` where there are releases, `standard` where it
    /// is known, `remark` where there is one, `value`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let json = py.detach(|| self.0.to_json().to_string());
        Ok(objects(py, &json)?.cast_into()?)
    }

    fn __repr__(&self) -> String {
        format!("<DecodedMessage {}>", self.0.message)
    }
}

/// Reads a message of ETSI ITS or SAE J2735 that stands alone, without IEEE 1609.2 and packet
/// headers around it.
///
/// Of several releases that can read the bytes, one is returned if its fields are those of the
/// others; if the fields differ, an exception says so and `release` has to be given.
///
/// Parameters
/// ----------
/// data : bytes-like, str or Record
///     The message: its bytes, text with hexadecimal digits or base64, or a record of a file.
/// kind : str, optional
///     A kind of `message_kinds`; without it, the kind that the header names.
/// release : int, optional
///     The release of ETSI ITS, 1 or 2; without it, the one that can read the bytes.
///
/// Returns
/// -------
/// DecodedMessage
///     The kind, the release, the standard, the value as a dict, and what other releases make of
///     the bytes.
///
/// Raises
/// ------
/// InputError
///     Bytes that are no such message, or that several releases read differently; a kind or release
///     without layout. `place` is the place in the bytes, such as "byte 7".
#[pyfunction]
#[pyo3(signature = (data, /, kind = None, release = None))]
pub(crate) fn decode_message(
    py: Python<'_>,
    data: Bound<'_, PyAny>,
    kind: Option<String>,
    release: Option<Bound<'_, PyAny>>,
) -> PyResult<DecodedMessage> {
    let record = message(&data, "data")?;
    let release = release.map(|release| number_of(&release)).transpose()?;
    let decoded = py.detach(|| decode(&record.bytes, kind.as_deref(), release));
    Ok(DecodedMessage(
        decoded.map_err(|error| refused("data", &error))?,
    ))
}

/// Writes a message of ETSI ITS or SAE J2735.
///
/// Parameters
/// ----------
/// kind : str
///     A kind of `message_kinds`.
/// value : dict
///     The message, as `decode_message` returns it.
/// release : int, optional
///     The release of ETSI ITS, 1 or 2; without it, the one that has such a value.
///
/// Returns
/// -------
/// bytes
///     The message in UPER.
///
/// Raises
/// ------
/// InputError
///     A value that the message cannot have: `place` is its place, such as "header.stationID"; also
///     one with the number of another kind in its header. A value that several releases write in
///     different bytes; a kind or release without layout.
#[pyfunction]
#[pyo3(signature = (kind, value, /, release = None))]
pub(crate) fn encode_message<'py>(
    py: Python<'py>,
    kind: String,
    value: Bound<'py, PyDict>,
    release: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let release = release.map(|release| number_of(&release)).transpose()?;
    let json = json_of(&value)?;
    let written = py.detach(|| {
        let value = parse_json(json.as_bytes()).map_err(|error| wrong("value", error.reason()))?;
        encode(&kind, release, &value).map_err(|error| refused("value", &error))
    })?;
    Ok(PyBytes::new(py, &written.1))
}

/// Returns the messages that have a layout: a dict for each kind and release, with `kind`,
/// `release` and `protocol`, the version in its header (None for SAE J2735), `standard`, and
/// `port`, the port of BTP (None without one).
#[pyfunction]
pub(crate) fn message_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let kinds = PyList::empty(py);
    for message in Message::all() {
        let one = PyDict::new(py);
        one.set_item("kind", message.kind())?;
        one.set_item("release", message.release())?;
        one.set_item("protocol", message.protocol())?;
        one.set_item("standard", message.standard())?;
        one.set_item("port", message.port())?;
        kinds.append(one)?;
    }
    Ok(kinds)
}

/// Takes the number of a release.
fn number_of(release: &Bound<'_, PyAny>) -> PyResult<u8> {
    let is_number = release.is_instance_of::<PyInt>() && !release.is_instance_of::<PyBool>();
    let number = is_number.then(|| release.extract::<u8>().ok()).flatten();
    let number = number.filter(|number| (1..=2).contains(number));
    Ok(number.ok_or_else(|| wrong("release", "give 1 or 2, or None for SAE J2735"))?)
}

/// Writes a dict in JSON.
fn json_of(value: &Bound<'_, PyDict>) -> PyResult<String> {
    let py = value.py();
    let named = PyDict::new(py);
    named.set_item("allow_nan", false)?;
    let written = py
        .import("json")?
        .call_method("dumps", (value,), Some(&named));
    match written {
        Err(error) if error.is_instance_of::<PyRecursionError>(py) => {
            Err(wrong("value", "dicts and lists lie too deep in each other").into())
        }
        written => written?.extract(),
    }
}

fn refused(argument: &str, error: &MessageError) -> Failure {
    let failure = Failure::new("InputError", format_args!("{argument}: {error}"));
    let failure = failure.code(error.code());
    let failure = failure.place(error.place().unwrap_or_else(|| argument.to_owned()));
    match error.remedy() {
        Some(remedy) => failure.remedy(remedy),
        None => failure,
    }
}
