//! Contents of messages, field by field.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use waywarden_v2x_inspect::{Inspection, Issuer};

use super::arguments::{bytes, message};
use super::refusal::wrong;
use crate::error::Failure;

/// Turns JSON into the objects of Python.
pub(super) fn objects<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.getattr("loads")?.call1((json,))
}

/// Shows what is in a message, a certificate or a list, field by field.
///
/// Nothing is verified.
///
/// Parameters
/// ----------
/// message : bytes-like, str or Record
///     The message: its bytes, text with hexadecimal digits or base64, or a record of a file.
/// issuer : bytes-like, optional
///     The certificate of an implicit certificate's issuer: the public key is rebuilt.
///
/// Returns
/// -------
/// dict or None
///     What a row of `waywarden inspect --format json` has: `kind`, `length`, `parts` (a tree of
///     `field`, `type`, `offset`, `length`, `value`, `meaning`, `parts`), `payload` and others.
///     None for a frame of other traffic in a capture.
///
/// Raises
/// ------
/// InputError
///     Text that is no message, or an issuer that is not that of the certificate. A message that
///     cannot be read to its end is no exception: `error` says why.
#[pyfunction]
#[pyo3(signature = (message, /, *, issuer = None))]
pub(crate) fn inspect<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = record)] message: waywarden_v2x_input::record::InputRecord,
    issuer: Option<Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let issuer = issuer.map(|issuer| issuer_of(&issuer)).transpose()?;
    let json = py.detach(|| -> Result<Option<String>, Failure> {
        let inspected = Inspection::new(&message, issuer.as_ref(), &[]);
        let inspected = inspected.map_err(|why| {
            Failure::new("InputError", why)
                .code("issuer")
                .place(&message.place)
        })?;
        let json = inspected.map(|one| serde_json::to_string(&one));
        json.transpose()
            .map_err(|error| Failure::new("InputError", error))
    })?;
    let read = json.map(|json| objects(py, &json)).transpose()?;
    Ok(read.map(Bound::cast_into).transpose()?)
}

fn record(value: &Bound<'_, PyAny>) -> PyResult<waywarden_v2x_input::record::InputRecord> {
    message(value, "message")
}

fn issuer_of(value: &Bound<'_, PyAny>) -> PyResult<Issuer> {
    let Some(bytes) = bytes(value)? else {
        return Err(wrong("issuer", "give the bytes of a certificate").into());
    };
    Ok(Issuer::of_certificate(&bytes).map_err(|why| wrong("issuer", why))?)
}
