//! The code itself: AES-CMAC.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use waywarden_can_auth::mac::{AesCmac, Mac, MacKey};

use crate::arguments::Octets;
use crate::error::Failure;

/// Returns the key that 16 bytes are.
pub(crate) fn mac_key(name: &str, bytes: &[u8]) -> PyResult<MacKey> {
    let key: [u8; 16] = bytes.try_into().map_err(|_| {
        let problem = format!("{} bytes", bytes.len());
        Failure::parameter(name, problem, "a key has 16 bytes")
    })?;
    Ok(MacKey::from_bytes(key))
}

/// AES-CMAC with a key of 128 bits.
///
/// Parameters
/// ----------
/// key : bytes-like
///     16 bytes. A copy is kept, and wiped at the end; the caller's own is not.
///
/// A ``Cmac`` is what cantools asks for as ``authenticator_fn``::
///
///     from cantools.autosar import secoc
///     frame = secoc.apply_authenticator(payload, message, waywarden.secoc.Cmac(key), freshness)
///
/// Notes
/// -----
/// NIST SP 800-38B. Time depends on lengths alone.
#[pyclass(name = "Cmac", module = "waywarden.secoc", frozen)]
pub(crate) struct PyCmac(AesCmac);

#[pymethods]
impl PyCmac {
    #[new]
    fn new(key: Octets) -> PyResult<Self> {
        Ok(PyCmac(AesCmac::new(&mac_key("key", &key.0)?)))
    }

    /// Returns the code of ``data``, 16 bytes.
    fn tag<'py>(&self, py: Python<'py>, data: Octets) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.compute(&[&data.0]).whole())
    }

    /// Returns True if the first ``bits`` bits of ``code`` are those of the code of ``data``.
    ///
    /// Parameters
    /// ----------
    /// data : bytes-like
    /// code : bytes-like
    ///     The code as it came, from its first bit on.
    /// bits : int, optional
    ///     Number of bits to compare, 8 to 128; all of ``code`` by default.
    ///
    /// Raises
    /// ------
    /// waywarden.errors.ParameterError
    ///     Fewer than 8 bits, more than 128, or more than ``code`` has.
    #[pyo3(signature = (data, code, bits=None))]
    fn verify(&self, data: Octets, code: Octets, bits: Option<u64>) -> PyResult<bool> {
        let all = 8 * code.0.len();
        let bits = bits.map_or(Some(all), |bits| usize::try_from(bits).ok());
        match bits.filter(|bits| (8..=all.min(128)).contains(bits)) {
            Some(bits) => Ok(self.0.compute(&[&data.0]).matches(&code.0, bits)),
            None => Err(Failure::parameter(
                "bits",
                format_args!("a code of {all} bits"),
                "compare 8 to 128 bits, and no more than there are",
            )),
        }
    }

    /// Returns the code of ``auth_data``, as cantools calls its ``authenticator_fn``.
    #[pyo3(signature = (dbmsg, auth_data, freshness_value))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        dbmsg: &Bound<'py, PyAny>,
        auth_data: Octets,
        freshness_value: &Bound<'py, PyAny>,
    ) -> Bound<'py, PyBytes> {
        let _ = (dbmsg, freshness_value);
        self.tag(py, auth_data)
    }

    fn __repr__(&self) -> &'static str {
        "<Cmac>"
    }
}
