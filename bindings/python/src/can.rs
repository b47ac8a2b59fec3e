//! Module `waywarden.can`: logs, databases of messages, bits and loads of a bus.

mod bits;
mod check;
mod columns;
mod convert;
mod database;
mod file_object;
mod load;
mod log;
pub(crate) mod log_file;
pub(crate) mod matrix;
mod messages;
mod plan;
pub(crate) mod rates;
pub(crate) mod recorded;

/// Logs and databases of CAN buses.
#[pyo3::pymodule]
pub(crate) mod can {
    #[pymodule_export]
    use super::bits::{Bits, bits};
    #[pymodule_export]
    use super::check::{LogCheck, check_log};
    #[pymodule_export]
    use super::convert::convert;
    #[pymodule_export]
    use super::database::import_parts;
    #[pymodule_export]
    use super::load::{Load, load};
    #[pymodule_export]
    use super::log::{LogReader, open_log, read_log};
    #[pymodule_export]
    use super::matrix::import_matrix;
    #[pymodule_export]
    use super::messages::{MessageReader, MessageWriter};
    #[pymodule_export]
    use crate::arrow::Table;
}
