//! Module `waywarden.secoc`: SecOC of AUTOSAR, and the codes that it carries.

/// SecOC of AUTOSAR.
#[pyo3::pymodule]
pub(crate) mod secoc {}
