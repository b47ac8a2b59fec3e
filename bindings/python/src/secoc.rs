//! Module `waywarden.secoc`: SecOC of AUTOSAR, and the code that it uses.

mod cmac;
mod ends;
mod freshness;
mod outcome;
mod profile;
mod stream;

pub(crate) use self::cmac::mac_key;
pub(crate) use self::ends::refused;
pub(crate) use self::outcome::PyOutcome;
pub(crate) use self::stream::refused_key;

/// SecOC of AUTOSAR.
#[pyo3::pymodule]
pub(crate) mod secoc {
    #[pymodule_export]
    use super::cmac::PyCmac;
    #[pymodule_export]
    use super::ends::{PyReceiver, PySender};
    #[pymodule_export]
    use super::freshness::{PyAnnouncements, PyFreshnessFollower, PyFreshnessMaster};
    #[pymodule_export]
    use super::outcome::PyOutcome;
    #[pymodule_export]
    use super::profile::PyProfile;
    #[pymodule_export]
    use super::stream::PyStream;
    #[pymodule_export]
    use crate::frame::PyFrame;
}
