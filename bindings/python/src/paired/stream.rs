//! Streams of messages whose code travels in a second frame.

use pyo3::prelude::*;
use waywarden_can::StandardId;
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth::paired::{PairedConnection, WireForm};

use super::keys::{Code, KEY};
use crate::arguments::Octets;
use crate::error::Failure;
use crate::secoc::mac_key;

/// A stream between one sender and its receivers, whose code travels in a second frame.
///
/// Parameters
/// ----------
/// arbitration_id : int
///     Even identifier of its messages, 0 to 0x7FE. In the form of vatiCAN codes have the one
///     above; in that of LeiA all frames have 29-bit identifiers that begin with it.
/// form : str
///     "vatican" or "leia".
/// key : bytes-like
///     16 bytes. A copy is kept and wiped at the end.
/// mac : str, optional
///     "aes-cmac", "hmac-sha256", "siphash" or "spongent".
///
/// Raises
/// ------
/// waywarden.errors.ParameterError
///     An odd identifier, or an unknown name.
#[pyclass(name = "Stream", module = "waywarden.paired", frozen)]
pub(crate) struct PyPairedStream {
    pub(super) connection: PairedConnection,
    pub(super) code: Code,
    pub(super) key: MacKey,
}

/// Returns the identifier of 11 bits that a number is.
pub(super) fn standard(name: &'static str, raw: u16) -> PyResult<StandardId> {
    StandardId::new(raw).map_err(|error| Failure::parameter(name, error, "0 to 0x7FF"))
}

#[pymethods]
impl PyPairedStream {
    #[new]
    #[pyo3(signature = (arbitration_id, *, form, key, mac="aes-cmac"))]
    fn new(arbitration_id: u16, form: &str, key: Octets, mac: &str) -> PyResult<Self> {
        let wire = match form {
            "vatican" => WireForm::Vatican,
            "leia" => WireForm::Leia,
            _ => {
                let problem = format!("no form {form:?}");
                return Err(Failure::parameter("form", problem, "vatican, leia"));
            }
        };
        let id = standard("arbitration_id", arbitration_id)?;
        let connection = PairedConnection::new(wire, id, KEY)
            .map_err(|error| Failure::parameter("arbitration_id", error, "take an even one"))?;
        let (code, key) = (Code::named(mac)?, mac_key("key", &key.0)?);
        Ok(PyPairedStream {
            connection,
            code,
            key,
        })
    }

    /// Identifier of its messages.
    #[getter]
    fn arbitration_id(&self) -> u16 {
        self.connection.id().raw()
    }

    /// Name of its code.
    #[getter]
    fn mac(&self) -> &'static str {
        self.code.name()
    }

    fn __repr__(&self) -> String {
        format!("<Stream 0x{:03X}>", self.arbitration_id())
    }
}
