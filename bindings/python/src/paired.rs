//! Module `waywarden.paired`: vatiCAN and LeiA as they are once their defects are closed.

mod ends;
mod keys;
mod stream;

/// Messages whose code travels in a second frame.
#[pyo3::pymodule]
pub(crate) mod paired {
    #[pymodule_export]
    use super::ends::{PyPairedReceiver, PyPairedSender};
    #[pymodule_export]
    use super::stream::PyPairedStream;
}
