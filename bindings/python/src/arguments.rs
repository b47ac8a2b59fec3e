//! Arguments from Python as values of the libraries, each refused with its range.

use std::num::NonZeroUsize;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple,
};
use waywarden_vehicle_file::RUN_MAX;
use waywarden_work::Duration;

use crate::error::Failure;

/// The most jobs at a time.
const JOBS_MAX: usize = 256;

/// Bytes of any object that has a buffer, or of a list of numbers.
pub(crate) struct Octets(pub(crate) Vec<u8>);

impl<'a, 'py> FromPyObject<'a, 'py> for Octets {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Octets(bytes.as_bytes().to_vec()));
        }
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Ok(Octets(bytes.to_vec()));
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            return value.extract().map(Octets);
        }
        // As `bytes(view)` reads it: in order, whatever its strides and dimensions are.
        let view = PyMemoryView::from(&value).map_err(|_| {
            let kind = value.get_type().name();
            let kind = kind.map_or_else(|_| "an object".to_owned(), |name| name.to_string());
            PyTypeError::new_err(format!("a bytes-like object is needed, and not {kind}"))
        })?;
        let copied = view.call_method0("tobytes")?;
        Ok(Octets(copied.cast::<PyBytes>()?.as_bytes().to_vec()))
    }
}

/// Reads a duration: seconds as a number, a `datetime.timedelta`, or text such as `250ms`.
pub(crate) fn duration(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str()?;
        let read = text.parse::<Duration>();
        return read.map_err(|error| {
            let remedy = "such as \"250ms\" or \"10s\"";
            refused(format_args!("{name} {text:?}: {error}"), remedy)
        });
    }
    let is_number = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>();
    let seconds = match is_number && !value.is_instance_of::<PyBool>() {
        // An integer beyond any float is out of range, too.
        true => value.extract::<f64>().unwrap_or(f64::INFINITY),
        false => value
            .call_method0("total_seconds")
            .and_then(|seconds| seconds.extract::<f64>())
            .map_err(|_| {
                PyTypeError::new_err(format!(
                    "{name}: give seconds as a number, a datetime.timedelta, or text such as \
                     \"250ms\""
                ))
            })?,
    };
    let nanos = seconds * 1e9;
    if !(0.0..1.8e19).contains(&nanos) {
        let found = format_args!("{name} {seconds}: out of range");
        return Err(refused(found, "give seconds from 0 on"));
    }
    Ok(Duration::from_nanos(nanos.round() as u64))
}

/// Reads the length of a run: above zero, and at most a day.
pub(crate) fn run_length(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let length = duration("duration", value)?;
    match length > Duration::ZERO && length <= RUN_MAX {
        true => Ok(length),
        false => Err(refused(
            format_args!("duration {length}: out of range"),
            "above zero and up to a day, \"24h\"",
        )),
    }
}

/// Returns how many jobs run at a time: by default as many as there are processors.
pub(crate) fn jobs(jobs: Option<usize>, count: usize) -> PyResult<usize> {
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    match jobs {
        Some(jobs) if !(1..=JOBS_MAX).contains(&jobs) => Err(refused(
            format_args!("jobs {jobs}: out of range"),
            "give 1 to 256, or leave it out",
        )),
        jobs => Ok(jobs
            .unwrap_or_else(processors)
            .min(JOBS_MAX)
            .min(count.max(1))),
    }
}

/// Returns the error of an argument out of its range.
pub(crate) fn refused(found: impl std::fmt::Display, remedy: &str) -> PyErr {
    Failure::new("ParameterError", format_args!("{found}; {remedy}"))
        .remedy(remedy)
        .into()
}

/// Returns the value that a word names.
pub(crate) fn word<T: Copy>(argument: &str, given: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(name, _)| *name == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let remedy = format!("give one of {}", names.join(", "));
        refused(format_args!("{argument} {given:?}"), &remedy)
    })
}
