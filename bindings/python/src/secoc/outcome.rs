//! The outcome of a received frame.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use waywarden_can_auth::event::FrameOutcome;

/// The outcome of a received frame, or of waiting for one. True if it is an authentic message.
#[pyclass(name = "Outcome", module = "waywarden.secoc", frozen, eq)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PyOutcome {
    code: &'static str,
    reason: &'static str,
    identifier: u32,
    payload: Option<Vec<u8>>,
}

impl PyOutcome {
    /// Returns the outcome of a frame of the stream with this identifier.
    pub(crate) fn new(outcome: &FrameOutcome, identifier: u32) -> Self {
        let (code, reason) = describe(outcome);
        let payload = match outcome {
            FrameOutcome::Authentic { payload, .. } => Some(payload.as_bytes().to_vec()),
            _ => None,
        };
        PyOutcome {
            code,
            reason,
            identifier,
            payload,
        }
    }
}

fn describe(outcome: &FrameOutcome) -> (&'static str, &'static str) {
    match outcome {
        FrameOutcome::Authentic { .. } => {
            ("authentic", "genuine, unchanged, and newer than any before")
        }
        FrameOutcome::WrongTag(_) => ("wrong-tag", "the code does not belong to the message"),
        FrameOutcome::Replay(_) => ("replay", "the freshness was taken before"),
        FrameOutcome::Missing(_) => ("missing", "the code of the message did not come in time"),
        FrameOutcome::TagWithoutData(_) => ("tag-without-data", "a code without its message"),
        FrameOutcome::OutOfStep(_) => (
            "out-of-step",
            "the freshness of the receiver is not known or not retained yet",
        ),
        FrameOutcome::Resynced(_) => ("resynced", "the freshness of the receiver is known again"),
        _ => ("unknown-id", "a frame of no stream"),
    }
}

#[pymethods]
impl PyOutcome {
    /// Stable name of the outcome: authentic, wrong-tag, replay, missing, tag-without-data,
    /// out-of-step, resynced, unknown-id.
    #[getter]
    fn code(&self) -> &'static str {
        self.code
    }

    /// The outcome in words.
    #[getter]
    fn reason(&self) -> &'static str {
        self.reason
    }

    /// Identifier of the stream's frames.
    #[getter]
    fn arbitration_id(&self) -> u32 {
        self.identifier
    }

    /// Payload of an authentic message; None otherwise.
    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.payload.as_deref().map(|bytes| PyBytes::new(py, bytes))
    }

    fn __bool__(&self) -> bool {
        self.code == "authentic"
    }

    fn __repr__(&self) -> String {
        let PyOutcome {
            code, identifier, ..
        } = self;
        format!("<Outcome {code} of 0x{identifier:X}>")
    }
}
