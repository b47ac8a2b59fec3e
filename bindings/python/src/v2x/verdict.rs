//! The verdict on a message or certificate.

use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use waywarden_v2x_inspect::decoded;
use waywarden_v2x_receiver::Verdict as OwnedVerdict;
use waywarden_v2x_wire::ieee1609dot2::Psid;

use super::inspection::objects;
use crate::error::Failure;

/// A verdict on a message or certificate. It is true if the record is accepted.
///
/// `to_json()` is what `waywarden verify` prints of the record.
#[pyclass(module = "waywarden.v2x", frozen, eq, hash)]
pub(crate) struct Verdict(pub(super) OwnedVerdict);

impl Verdict {
    fn json(&self) -> Result<String, Failure> {
        self.0.to_json().map_err(unwritten)
    }
}

fn unwritten(error: serde_json::Error) -> Failure {
    Failure::new(
        "Error",
        format_args!("the verdict cannot be written: {error}"),
    )
}

/// Two verdicts are equal if they say the same.
impl PartialEq for Verdict {
    fn eq(&self, other: &Self) -> bool {
        matches!((self.json(), other.json()), (Ok(one), Ok(other)) if one == other)
    }
}

impl Hash for Verdict {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.json().ok().hash(state);
    }
}

#[pymethods]
impl Verdict {
    /// True if the record is accepted.
    #[getter]
    fn accepted(&self) -> bool {
        self.0.accepted
    }

    /// The standard's name for the result, such as "success" (IEEE 1609.2).
    ///
    /// A message whose payload contradicts its certificate has "success" and is not accepted.
    #[getter]
    fn code(&self) -> &'static str {
        self.0.verdict
    }

    /// The reason in words, or None.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The field that is at fault, or None.
    #[getter]
    fn field(&self) -> Option<&'static str> {
        self.0.field
    }

    /// HashedId8 of the certificate that is at fault, in hexadecimal digits, or None.
    #[getter]
    fn certificate(&self) -> Option<&str> {
        self.0.certificate.as_deref()
    }

    /// HashedId8 of the signer's certificate, in hexadecimal digits, or None. Of a certificate it
    /// is that of its issuer.
    #[getter]
    fn signer(&self) -> Option<&str> {
        self.0.signer.as_deref()
    }

    /// PSID (ITS-AID) of the application, or None.
    #[getter]
    fn psid(&self) -> Option<u64> {
        self.0.psid
    }

    /// Generation time in the header (UTC), or None.
    #[getter]
    fn generation_time(&self) -> Option<&str> {
        self.0.generation_time.as_deref()
    }

    /// Generation time in the header, in microseconds since 2004 (TAI), or None.
    #[getter]
    fn generation_time_us(&self) -> Option<u64> {
        self.0.generated.map(|time| time.0)
    }

    /// True if all signatures are valid, False if one is not, None if they cannot be verified.
    #[getter]
    fn signature_valid(&self) -> Option<bool> {
        self.0.signature_valid
    }

    /// True if the record could be read.
    #[getter]
    fn parsed(&self) -> bool {
        self.0.parsed
    }

    /// Kind of the record: "SPDU", "WSM", "GeoNetworking", "explicit-certificate" and others.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind
    }

    /// The file and the place in it, or a name for an argument.
    #[getter]
    fn input(&self) -> &str {
        &self.0.input
    }

    /// The label before the record in its line, or None.
    #[getter]
    fn label(&self) -> Option<&str> {
        self.0.label.as_deref()
    }

    /// True if the record lacks the time at which it was to be judged, so that it was judged now.
    #[getter]
    fn is_undated(&self) -> bool {
        self.0.is_undated
    }

    /// The comparison of the payload with the certificate: a dict of `result`, `checked`,
    /// `not_checked`, `failures`; None if there was none.
    #[getter]
    fn payload_check<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let check = self.0.payload_check.as_ref();
        let json = check.map(serde_json::to_string).transpose();
        json.map_err(unwritten)?
            .map(|json| objects(py, &json))
            .transpose()
    }

    /// The payload of an accepted message. None of a refused one, whose payload may be anybody's:
    /// `inspect` shows it.
    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let payload = self.0.payload.as_ref();
        payload.map(|payload| PyBytes::new(py, payload))
    }

    /// The payload of an accepted message, decoded: a list of layers from the outside in, each a
    /// dict of `kind` and `parts` as `inspect` has them; that of a message has `standard`,
    /// `release`, `remark` and `value`, too, as `decode_message` has them. Empty if the form of the
    /// application's messages is not known.
    #[getter]
    fn decoded<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (Some(psid), Some(payload)) = (self.0.psid, &self.0.payload) else {
            return Ok(PyList::empty(py));
        };
        let json = py.detach(|| serde_json::to_string(&decoded(Psid(psid), payload)));
        Ok(objects(py, &json.map_err(unwritten)?)?.cast_into()?)
    }

    /// Writes the verdict in JSON, byte for byte as `waywarden verify` prints it.
    ///
    /// Parameters
    /// ----------
    /// pretty : bool
    ///     False: one line, as `--format jsonl` has it. True: several lines, as `--format json` has
    ///     them, without the four spaces that stand before each line there.
    #[pyo3(signature = (*, pretty = false))]
    fn to_json(&self, pretty: bool) -> PyResult<String> {
        let written = match pretty {
            true => self.0.to_json_pretty(),
            false => self.0.to_json(),
        };
        Ok(written.map_err(unwritten)?)
    }

    /// Returns the verdict as a dict, with the names of its JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        objects(py, &self.json()?)
    }

    fn __bool__(&self) -> bool {
        self.0.accepted
    }

    fn __repr__(&self) -> String {
        let verdict = &self.0;
        let (input, code) = (&verdict.input, verdict.verdict);
        let accepted = if verdict.accepted {
            "accepted"
        } else {
            "refused"
        };
        match &verdict.reason {
            Some(reason) => format!("<Verdict {input:?}: {accepted}, {code}: {reason}>"),
            None => format!("<Verdict {input:?}: {accepted}, {code}>"),
        }
    }
}
