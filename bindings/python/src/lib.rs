//! The compiled part of the Python package `waywarden`, module `waywarden._native`.
//!
//! Each file has the classes and functions of one module of the package, which the Python files of
//! the same name re-export. Long work releases the interpreter's lock.
#![deny(unsafe_code)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments come from Python by value: a borrowed one could not outlive its object"
)]

mod arguments;
mod arrow;
mod can;
mod can_bus;
mod command;
mod document;
mod error;
mod frame;
mod moment;
mod paired;
mod retain;
mod secoc;
mod v2x;
mod vehicle;
mod vehicle_text;
mod watch;

/// The module as Python imports it.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use super::can::can;
    #[pymodule_export]
    use super::can_bus::can_bus;
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::paired::paired;
    #[pymodule_export]
    use super::secoc::secoc;
    #[pymodule_export]
    use super::v2x::v2x;
    #[pymodule_export]
    use super::vehicle::vehicle;

    /// No function of the package waits for the writer of a pipe, which nothing could interrupt.
    #[pymodule_init]
    #[expect(clippy::unnecessary_wraps, reason = "as the interpreter calls it")]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        waywarden_input_files::files::refuse_pipes();
        Ok(())
    }
}
