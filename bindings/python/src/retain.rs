//! Values that must survive a reset, handed to Python before they are in use.

use pyo3::prelude::*;

use crate::error::Failure;
use crate::frame::shown;

/// The place where an end keeps its counter: a function of Python, or none.
pub(crate) struct Keeper(Option<Py<PyAny>>);

impl Keeper {
    /// Takes the argument `retain`: None, or anything that can be called.
    pub(crate) fn new(retain: &Bound<'_, PyAny>) -> PyResult<Self> {
        if retain.is_none() {
            return Ok(Keeper(None));
        }
        if retain.is_callable() {
            return Ok(Keeper(Some(retain.clone().unbind())));
        }
        Err(Failure::parameter(
            "retain",
            format_args!("{} cannot be called", shown(retain)),
            "pass a function that stores its argument, a waywarden.secoc.FileStore, or None",
        ))
    }

    /// Returns once the value is kept.
    ///
    /// # Errors
    /// Whatever the function raises: then the value is not kept.
    pub(crate) fn keep<'py>(&self, py: Python<'py>, value: impl IntoPyObject<'py>) -> PyResult<()> {
        if let Some(function) = &self.0 {
            function.bind(py).call1((value,))?;
        }
        Ok(())
    }
}

/// Returns the value that was kept before: `retained`, or what `retain` reads.
pub(crate) fn kept<'py, T>(
    retain: &Bound<'py, PyAny>,
    retained: Option<Bound<'py, PyAny>>,
    extract: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    let value = match (retained, retain.getattr_opt("read")?) {
        (Some(value), _) => Some(value),
        (None, Some(read)) if read.is_callable() => Some(read.call0()?),
        _ => None,
    };
    value
        .filter(|value| !value.is_none())
        .map(|value| extract(&value))
        .transpose()
}
