//! Both ends of a stream.

use pyo3::prelude::*;
use waywarden_can::Id;
use waywarden_can_auth::error::ProtectError;
use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::secoc::{SecocReceiver, SecocSender, SeparateReceiver, SeparateSender};
use waywarden_can_auth::stream::{AnyReceiver, AnySender, Check, EcuMoment, Persistent, Protect};
use waywarden_work::{Instant, NoMeter};

use super::freshness::Source;
use super::outcome::PyOutcome;
use super::stream::{Form, Keys, PyStream, refused_key};
use crate::arguments::Octets;
use crate::error::Failure;
use crate::frame::{PyFrame, extract, shown};
use crate::moment::{instant, seconds};
use crate::retain::{Keeper, kept};

/// Returns the counter that was kept before; zero if there was none.
fn counter(retain: &Bound<'_, PyAny>, retained: Option<Bound<'_, PyAny>>) -> PyResult<u64> {
    let value = kept(retain, retained, |value| {
        value.extract::<u64>().map_err(|_| {
            let problem = format!("{} is no counter", shown(value));
            Failure::parameter("retained", problem, "the value that was retained last")
        })
    })?;
    Ok(value.unwrap_or(0))
}

/// Has everything kept that an end asks for.
fn settle(py: Python<'_>, end: &mut impl Persistent, keeper: &Keeper) -> PyResult<()> {
    while let Some(value) = end.to_retain() {
        keeper.keep(py, value)?;
        end.retained(value);
    }
    Ok(())
}

/// Returns the exception of a message that was not protected.
pub(crate) fn refused(error: &ProtectError) -> PyErr {
    let (code, remedy) = match error {
        ProtectError::Length(_) => ("length", "pass a payload of the stream's length"),
        ProtectError::Unsynchronised => (
            "unsynchronised",
            "hand the frames of the freshness master to the follower first",
        ),
        ProtectError::Unretained => ("unretained", "have `retain` store the counter"),
        ProtectError::Exhausted => ("exhausted", "use another key, or wait for an announcement"),
        _ => ("key", "see the key of the stream"),
    };
    Failure::new("RefusedError", format_args!("{error}: {remedy}"))
        .code(code)
        .remedy(remedy)
        .into()
}

/// Protects the messages of one stream.
///
/// Parameters
/// ----------
/// stream : Stream
/// retain : callable or None
///     Called with the counter that must survive a reset, before it is in use: it returns once the
///     value is stored. If it raises, nothing is sent. None only where the process never starts
///     again under this key, or where freshness is synchronised.
/// retained : int, optional
///     The last value that ``retain`` had under this key; read from ``retain`` if that has a method
///     ``read``, as a ``FileStore``. 0 under a key that was never used.
/// freshness : FreshnessFollower or FreshnessMaster, optional
///     Needed by profiles with trip and reset counter.
#[pyclass(name = "Sender", module = "waywarden.secoc")]
pub(crate) struct PySender {
    sender: AnySender,
    identifier: Id,
    keys: Keys,
    keeper: Keeper,
    source: Source,
}

#[pymethods]
impl PySender {
    #[new]
    #[pyo3(signature = (stream, *, retain, retained=None, freshness=None))]
    fn new(
        stream: &PyStream,
        retain: &Bound<'_, PyAny>,
        retained: Option<Bound<'_, PyAny>>,
        freshness: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let keeper = Keeper::new(retain)?;
        let retained = counter(retain, retained)?;
        let needed = stream.profile().freshness().is_synchronised();
        let (sender, identifier) = match stream.form {
            Form::Together(stream) => {
                let sender = SecocSender::resumed(stream, retained);
                (AnySender::Secoc(sender), Id::Standard(stream.id()))
            }
            Form::Separate(stream) => {
                let sender = SeparateSender::resumed(stream, retained);
                (AnySender::SeparateSecoc(sender), Id::Standard(stream.id()))
            }
        };
        Ok(PySender {
            sender,
            identifier,
            keys: stream.keys(Usage::Protect)?,
            keeper,
            source: Source::new(freshness, needed)?,
        })
    }

    /// Protects a message and returns its frames in the order in which they leave: one, or with a
    /// cryptographic PDU two. The freshness is used up, even if they are never sent.
    ///
    /// Parameters
    /// ----------
    /// payload : bytes-like
    ///
    /// Raises
    /// ------
    /// waywarden.errors.RefusedError
    ///     A payload of another length, a counter at its end, or no freshness yet; ``code`` tells.
    fn protect(&mut self, py: Python<'_>, payload: Octets) -> PyResult<Vec<PyFrame>> {
        settle(py, &mut self.sender, &self.keeper)?;
        let moment = EcuMoment {
            now: Instant::ZERO,
            freshness_state: self.source.state(py)?,
        };
        let made = self.sender.protect(
            self.identifier,
            &payload.0,
            &moment,
            &mut self.keys,
            &mut NoMeter,
        );
        let message = made.map_err(|error| refused(&error))?;
        Ok(message
            .ahead
            .into_iter()
            .chain([message.sealed])
            .map(PyFrame)
            .collect())
    }
}

/// Checks the messages of one stream.
///
/// Parameters
/// ----------
/// stream, retain, retained, freshness
///     As of a ``Sender``. If ``retain`` raises, the message is not taken. After a reset up to 33
///     messages are lost, for counters are retained 32 ahead.
#[pyclass(name = "Receiver", module = "waywarden.secoc")]
pub(crate) struct PyReceiver {
    receiver: AnyReceiver,
    identifier: u32,
    keys: Keys,
    keeper: Keeper,
    source: Source,
}

#[pymethods]
impl PyReceiver {
    #[new]
    #[pyo3(signature = (stream, *, retain, retained=None, freshness=None))]
    fn new(
        stream: &PyStream,
        retain: &Bound<'_, PyAny>,
        retained: Option<Bound<'_, PyAny>>,
        freshness: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let keeper = Keeper::new(retain)?;
        let retained = counter(retain, retained)?;
        let needed = stream.profile().freshness().is_synchronised();
        let receiver = match stream.form {
            Form::Together(stream) => AnyReceiver::Secoc(SecocReceiver::resumed(stream, retained)),
            Form::Separate(stream) => {
                AnyReceiver::SeparateSecoc(SeparateReceiver::resumed(stream, retained))
            }
        };
        Ok(PyReceiver {
            receiver,
            identifier: stream.identifier,
            keys: stream.keys(Usage::Check)?,
            keeper,
            source: Source::new(freshness, needed)?,
        })
    }

    /// Takes any frame and returns the outcome of a message; None for frames of others, and for a
    /// message whose cryptographic PDU is to come.
    ///
    /// Parameters
    /// ----------
    /// frame : Frame or can.Message
    /// now : float, optional
    ///     Seconds; ``time.monotonic()`` by default. A message waits 20 ms for its cryptographic
    ///     PDU.
    ///
    /// Raises
    /// ------
    /// waywarden.errors.ParameterError
    ///     An object that is no frame.
    #[pyo3(signature = (frame, now=None))]
    fn accept(
        &mut self,
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        now: Option<f64>,
    ) -> PyResult<Option<PyOutcome>> {
        let frame = extract(frame)?;
        let moment = EcuMoment {
            now: instant(py, now)?,
            freshness_state: self.source.state(py)?,
        };
        settle(py, &mut self.receiver, &self.keeper)?;
        let heard = self
            .receiver
            .accept(&frame, &moment, &mut self.keys, &mut NoMeter);
        let heard = heard.map_err(|error| refused_key(&error))?;
        Ok(heard.map(|outcome| PyOutcome::new(&outcome, self.identifier)))
    }

    /// Returns the outcome of a message whose cryptographic PDU did not come in time; None if there
    /// is none. To be called until there is none.
    #[pyo3(signature = (now=None))]
    fn expire(&mut self, py: Python<'_>, now: Option<f64>) -> PyResult<Option<PyOutcome>> {
        let expired = self.receiver.expire(instant(py, now)?);
        Ok(expired.map(|outcome| PyOutcome::new(&outcome, self.identifier)))
    }

    /// Time at which ``expire`` has something next, in seconds; None if nothing waits.
    #[getter]
    fn next_deadline(&self) -> Option<f64> {
        self.receiver.next_deadline().map(seconds)
    }
}
