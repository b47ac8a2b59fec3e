//! Documents as objects of Python.

use pyo3::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use waywarden_documents::document::DocumentFormat;

use crate::error::Failure;

/// Returns a document as the command prints it.
pub(crate) fn text<T: Serialize + JsonSchema>(
    format: &DocumentFormat<T>,
    content: &T,
) -> PyResult<String> {
    let mut bytes = Vec::new();
    let printed = format.print(&mut bytes, content);
    printed.map_err(|error| Failure::new("Error", error))?;
    String::from_utf8(bytes).map_err(|error| Failure::new("Error", error).into())
}

/// Returns a document as nested dicts and lists.
pub(crate) fn object<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}
