//! Both ends of a stream.

use pyo3::prelude::*;
use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::paired::{PairedReceiver, PairedSender};
use waywarden_work::NoMeter;

use super::keys::Keys;
use super::stream::{PyPairedStream, standard};
use crate::arguments::Octets;
use crate::error::Failure;
use crate::frame::{PyFrame, extract, shown};
use crate::moment::{instant, seconds};
use crate::retain::{Keeper, kept};
use crate::secoc::{PyOutcome, refused, refused_key};

/// Protects the messages of a stream, and answers receivers that ask where it stands.
///
/// Parameters
/// ----------
/// stream : Stream
/// retain : callable or None
///     Called once with the epoch, which must survive a reset, before the first message. None only
///     where the process never starts again under this key.
/// retained : int, optional
///     The last value that ``retain`` had under this key; read from ``retain`` if that has a method
///     ``read``, as a ``waywarden.secoc.FileStore``. 0 under a key that was never used.
///
/// Raises
/// ------
/// waywarden.errors.RefusedError
///     The last epoch, 0xFFFFFFFF, was used.
#[pyclass(name = "Sender", module = "waywarden.paired")]
pub(crate) struct PyPairedSender {
    sender: PairedSender,
    keys: Keys,
    keeper: Keeper,
    /// The epoch, until it is kept.
    epoch: Option<u32>,
}

impl PyPairedSender {
    fn settle(&mut self, py: Python<'_>) -> PyResult<()> {
        if let Some(epoch) = self.epoch {
            self.keeper.keep(py, epoch)?;
            self.epoch = None;
        }
        Ok(())
    }
}

#[pymethods]
impl PyPairedSender {
    #[new]
    #[pyo3(signature = (stream, *, retain, retained=None))]
    fn new(
        stream: &PyPairedStream,
        retain: &Bound<'_, PyAny>,
        retained: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let keeper = Keeper::new(retain)?;
        let last = kept(retain, retained, |value| {
            value.extract::<u32>().map_err(|_| {
                let problem = format!("{} is no epoch", shown(value));
                Failure::parameter("retained", problem, "the value that was retained last")
            })
        })?;
        let epoch = last.unwrap_or(0).checked_add(1).ok_or_else(|| {
            let message = "the last epoch was used: use another key";
            Failure::new("RefusedError", message)
                .code("exhausted")
                .remedy("use another key")
        })?;
        Ok(PyPairedSender {
            sender: PairedSender::in_epoch(stream.connection, epoch),
            keys: stream.code.keys(&stream.key, Usage::Protect)?,
            keeper,
            epoch: Some(epoch),
        })
    }

    /// Protects a message and returns its frames in the order in which they leave: the message as
    /// it was, and its code.
    ///
    /// Parameters
    /// ----------
    /// payload : bytes-like
    ///     0 to 8 bytes.
    ///
    /// Raises
    /// ------
    /// waywarden.errors.RefusedError
    ///     A payload that is too long, or a counter at its end; ``code`` tells.
    fn protect(&mut self, py: Python<'_>, payload: Octets) -> PyResult<Vec<PyFrame>> {
        self.settle(py)?;
        let made = self
            .sender
            .protect(&payload.0, &mut self.keys, &mut NoMeter);
        let message = made.map_err(|error| refused(&error))?;
        Ok(vec![PyFrame(message.data), PyFrame(message.tag)])
    }

    /// Takes any frame of the bus; returns True if it was a receiver's question, whose answer
    /// ``outgoing`` returns.
    fn receive(&mut self, frame: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.sender.receive(&extract(frame)?))
    }

    /// Returns the next frame of an answer that is due at ``now``, or None: to be sent before the
    /// next message is protected, and to be called until there is none.
    ///
    /// Parameters
    /// ----------
    /// now : float, optional
    ///     Seconds; ``time.monotonic()`` by default. Answers are 5 ms apart at least.
    #[pyo3(signature = (now=None))]
    fn outgoing(&mut self, py: Python<'_>, now: Option<f64>) -> PyResult<Option<PyFrame>> {
        let now = instant(py, now)?;
        self.settle(py)?;
        let due = self.sender.outgoing(now, &mut self.keys, &mut NoMeter);
        Ok(due.map_err(|error| refused(&error))?.map(PyFrame))
    }

    /// Time at which ``outgoing`` has something next, in seconds; None if nothing waits.
    #[getter]
    fn next_deadline(&self) -> Option<f64> {
        self.sender.next_deadline().map(seconds)
    }
}

/// Checks the messages of a stream. It asks its sender where the stream stands, and takes nothing
/// before the answer.
///
/// Parameters
/// ----------
/// stream : Stream
/// ask_id : int
///     Identifier of its questions, 0 to 0x7FF, which must be this ECU's alone.
/// seed : bytes-like, optional
///     16 unpredictable bytes, fresh at each start; ``os.urandom(16)`` by default.
#[pyclass(name = "Receiver", module = "waywarden.paired")]
pub(crate) struct PyPairedReceiver {
    receiver: PairedReceiver,
    keys: Keys,
    identifier: u32,
}

#[pymethods]
impl PyPairedReceiver {
    #[new]
    #[pyo3(signature = (stream, *, ask_id, seed=None))]
    fn new(
        py: Python<'_>,
        stream: &PyPairedStream,
        ask_id: u16,
        seed: Option<Octets>,
    ) -> PyResult<Self> {
        let seed = match seed {
            Some(Octets(seed)) => seed,
            None => py.import("os")?.call_method1("urandom", (16,))?.extract()?,
        };
        let seed: [u8; 16] = seed.try_into().map_err(|seed: Vec<u8>| {
            Failure::parameter("seed", format_args!("{} bytes", seed.len()), "16 bytes")
        })?;
        let under = standard("ask_id", ask_id)?;
        Ok(PyPairedReceiver {
            receiver: PairedReceiver::new(stream.connection, under, &seed),
            keys: stream.code.keys(&stream.key, Usage::Check)?,
            identifier: stream.connection.id().raw().into(),
        })
    }

    /// Takes any frame and returns the outcome of a message; None for frames of others, and for a
    /// message whose code is to come.
    ///
    /// Parameters
    /// ----------
    /// frame : waywarden.secoc.Frame or can.Message
    /// now : float, optional
    ///     Seconds; ``time.monotonic()`` by default. A message waits 20 ms for its code.
    #[pyo3(signature = (frame, now=None))]
    fn accept(
        &mut self,
        py: Python<'_>,
        frame: &Bound<'_, PyAny>,
        now: Option<f64>,
    ) -> PyResult<Option<PyOutcome>> {
        let (frame, now) = (extract(frame)?, instant(py, now)?);
        let heard = self
            .receiver
            .accept(now, &frame, &mut self.keys, &mut NoMeter);
        let heard = heard.map_err(|error| refused_key(&error))?;
        Ok(heard.map(|outcome| PyOutcome::new(&outcome, self.identifier)))
    }

    /// Returns the question that is due at ``now``, or None.
    #[pyo3(signature = (now=None))]
    fn outgoing(&mut self, py: Python<'_>, now: Option<f64>) -> PyResult<Option<PyFrame>> {
        Ok(self.receiver.outgoing(instant(py, now)?).map(PyFrame))
    }

    /// Returns the outcome of a message whose code did not come in time; None if there is none. To
    /// be called until there is none.
    #[pyo3(signature = (now=None))]
    fn expire(&mut self, py: Python<'_>, now: Option<f64>) -> PyResult<Option<PyOutcome>> {
        let expired = self.receiver.expire(instant(py, now)?);
        Ok(expired.map(|outcome| PyOutcome::new(&outcome, self.identifier)))
    }

    /// True if it knows where the stream stands.
    #[getter]
    fn is_synchronised(&self) -> bool {
        self.receiver.is_synchronised()
    }

    /// Time at which ``outgoing`` or ``expire`` has something next, in seconds; None if nothing
    /// waits.
    #[getter]
    fn next_deadline(&self) -> Option<f64> {
        self.receiver.next_deadline().map(seconds)
    }
}
