//! Errors of the libraries as exceptions of `waywarden.errors`.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use waywarden_input_files::Problem;

/// An exception of `waywarden.errors` that is not raised yet.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Name of the class in `waywarden.errors`.
    class: &'static str,
    /// Complete message: file, place, what is wrong, remedy.
    message: Box<str>,
    /// Stable name of the cause, for programs.
    code: Option<Box<str>>,
    /// Place in the input: a path of keys, a line, an index.
    place: Option<String>,
    /// The way to mend it.
    remedy: Option<String>,
    /// All problems, if there are several.
    problems: Vec<String>,
}

impl Failure {
    /// Returns the exception of `class` with this message.
    pub(crate) fn new(class: &'static str, message: impl std::fmt::Display) -> Self {
        Failure {
            class,
            message: message.to_string().into_boxed_str(),
            code: None,
            place: None,
            remedy: None,
            problems: Vec::new(),
        }
    }

    /// Returns the exception of `class` for what a library found wrong with the input.
    pub(crate) fn of(class: &'static str, problem: &Problem) -> Self {
        let failure = Failure::new(class, problem).code(problem.code());
        let failure = match problem.place() {
            Some(place) => failure.place(place),
            None => failure,
        };
        match problem.lines() {
            [_] | [] => failure,
            lines => failure.problems(lines.to_vec()),
        }
    }

    /// Adds the stable name of the cause.
    pub(crate) fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into().into_boxed_str());
        self
    }

    /// Adds the place in the input.
    pub(crate) fn place(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Adds the way to mend it.
    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Adds every problem that was found.
    pub(crate) fn problems(mut self, problems: Vec<String>) -> Self {
        self.problems = problems;
        self
    }

    /// Returns the exception of a parameter that cannot be used.
    pub(crate) fn parameter(
        name: &str,
        problem: impl std::fmt::Display,
        remedy: impl std::fmt::Display,
    ) -> PyErr {
        let failure = Failure::new(
            "ParameterError",
            format_args!("{name}: {problem}: {remedy}"),
        );
        failure
            .code("parameter")
            .place(name)
            .remedy(remedy.to_string())
            .into()
    }

    /// Returns the complete message.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        let class = py.import("waywarden.errors")?.getattr(self.class)?;
        let named = PyDict::new(py);
        named.set_item("code", self.code.as_deref())?;
        named.set_item("place", self.place)?;
        named.set_item("remedy", self.remedy)?;
        named.set_item("problems", self.problems)?;
        Ok(PyErr::from_value(
            class.call((&*self.message,), Some(&named))?,
        ))
    }
}

/// Returns the exception for a name that `whole` does not have, with those that it has.
pub(crate) fn missing(found: impl std::fmt::Display, whole: &str, names: &str) -> PyErr {
    let failure = Failure::new("MissingError", format_args!("{found}; {whole} has {names}"));
    failure
        .code("missing")
        .remedy(format!("one of {names}"))
        .into()
}

/// Returns the beginning of a text in quotation marks, for messages.
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let message = failure.message.clone();
        Python::attach(|py| failure.exception(py))
            .unwrap_or_else(|error| PyRuntimeError::new_err(format!("{message} ({error})")))
    }
}
