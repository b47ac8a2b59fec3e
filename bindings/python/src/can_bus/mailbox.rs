//! A program's place on a bus: messages in and out, and figures.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use waywarden_can::node::BusState;
use waywarden_can::{Format, Frame};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::live::{LiveEvent, LiveNetwork, MailboxId};
use waywarden_can_sim::trace::BusIndex;
use waywarden_vehicle_trace::Fact;

use super::shared::{Clock, Outcome, Shared};
use super::{SLICE, catch_up, failure, picoseconds};
use crate::error::Failure;
use crate::frame;

/// Longest time that a caller may ask to wait, in seconds: a year.
const SECONDS_MAX: f64 = 366.0 * 86_400.0;

/// A program's place on a bus of a network. Made by ``Network.join``.
#[pyclass(name = "Mailbox", module = "waywarden.can_bus", frozen)]
pub(crate) struct PyMailbox {
    pub(super) shared: Arc<Shared>,
    pub(super) id: MailboxId,
    pub(super) bus: BusIndex,
}

#[pymethods]
impl PyMailbox {
    /// Hands in a message: a ``can.Message`` or an object with its attributes.
    ///
    /// Of an error frame the controller sends the error flag at once, ahead of the messages that
    /// wait: active, or passive if the controller is error-passive.
    ///
    /// Raises
    /// ------
    /// waywarden.errors.ParameterError
    ///     A message that no frame of this bus can carry.
    /// waywarden.errors.RefusedError
    ///     Too many frames wait (code ``full``), the bus was shut down (``left``), or an error
    ///     frame is to be sent in bus-off (``no-part``).
    fn send(&self, py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<()> {
        if frame::is_error(message)? {
            catch_up(py, &self.shared)?;
            return py
                .detach(|| self.shared.raise_error_flag(self.id))
                .map_err(failure);
        }
        let frame = frame::extract(message)?;
        if frame.is_fd() && !self.is_fd() {
            return Err(Failure::parameter(
                "is_fd",
                "the bus is classic CAN, which has no CAN FD frames",
                "open the bus with fd=True, or send the message with is_fd=False",
            ));
        }
        catch_up(py, &self.shared)?;
        py.detach(|| self.shared.send(self.id, frame))
            .map_err(failure)
    }

    /// Waits for the oldest event; returns None if none comes in time.
    ///
    /// Parameters
    /// ----------
    /// timeout : float or None
    ///     Seconds, real ones of a real clock and simulated ones of a virtual clock; None for ever.
    ///
    /// Returns
    /// -------
    /// tuple or None
    ///     Kind (``"received"``, ``"sent"``, ``"error"``, ``"flag"`` for an error frame that the
    ///     program sent, ``"state"``), seconds since the Epoch (virtual clock: since the start),
    ///     and what it is about: the fields of a message, or a dict.
    #[pyo3(signature = (timeout=None))]
    fn receive<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<f64>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let timeout = timeout.map(seconds).transpose()?;
        let end = match self.shared.clock {
            Clock::Real { .. } => Limit::Real(timeout.map(|wait| Instant::now() + wait)),
            Clock::Virtual => {
                let now = self.shared.locked().network.now();
                // A wait beyond the longest time ends in an error there.
                let end_max = LiveNetwork::<Fact>::TIME_MAX.as_picos() + 1;
                let after = |wait: Duration| {
                    now.as_picos()
                        .saturating_add(picoseconds(wait))
                        .min(end_max)
                };
                Limit::Simulated(timeout.map(|wait| Time::from_picos(after(wait))))
            }
        };
        loop {
            let waited = py.detach(|| match end {
                Limit::Real(end) => self.shared.wait(self.id, end, SLICE),
                Limit::Simulated(end) => self.shared.drive(self.id, end, SLICE),
            });
            match waited.map_err(failure)? {
                Outcome::Event(at, event) => return self.shown(py, at, &event).map(Some),
                Outcome::TimedOut => return Ok(None),
                Outcome::Slice => py.check_signals()?,
            }
        }
    }

    /// Takes the program off its bus, when the frames that it handed in are sent. A second call
    /// does nothing.
    fn leave(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.shared.leave(self.id));
        Ok(())
    }

    /// Withdraws the frames that the controller does not have yet.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        let flush = || self.shared.locked().network.flush(self.id);
        py.detach(flush).map_err(failure)
    }

    /// Fault confinement state (``"active"``, ``"passive"``, ``"off"``), transmit and receive
    /// error counter.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<(&'static str, u16, u16)> {
        catch_up(py, &self.shared)?;
        let state = self.shared.locked().network.state(self.id);
        state
            .map(|(state, tec, rec)| (state_name(state), tec, rec))
            .map_err(failure)
    }

    /// Figures of the bus and of this program: a dict with ``now``, ``load``, ``busy`` (seconds),
    /// ``frames``, ``arbitrations_lost``, ``error_flags`` of the bus; ``own_arbitrations_lost``,
    /// ``waiting``, ``dropped``, ``takes_part`` of the program.
    #[getter]
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        catch_up(py, &self.shared)?;
        let state = self.shared.locked();
        let network = &state.network;
        let now = network.now();
        let bus = network.statistics(self.bus);
        let lost = network.arbitrations_lost(self.id).map_err(failure)?;
        let waiting = network.waiting(self.id).map_err(failure)?;
        let dropped = network.dropped(self.id).map_err(failure)?;
        let takes_part = network.takes_part(self.id);
        drop(state);
        let figures = PyDict::new(py);
        figures.set_item("now", now.as_seconds())?;
        figures.set_item("load", bus.load(now))?;
        figures.set_item("busy", bus.busy.get() as f64 / 1e12)?;
        figures.set_item("frames", bus.frames)?;
        figures.set_item("arbitrations_lost", bus.arbitrations_lost)?;
        figures.set_item("error_flags", bus.error_flags)?;
        figures.set_item("own_arbitrations_lost", lost)?;
        figures.set_item("waiting", waiting)?;
        figures.set_item("dropped", dropped)?;
        figures.set_item("takes_part", takes_part)?;
        Ok(figures)
    }
}

/// End of a wait, on the clock of the network.
#[derive(Clone, Copy)]
enum Limit {
    Real(Option<Instant>),
    Simulated(Option<Time>),
}

impl PyMailbox {
    fn is_fd(&self) -> bool {
        let state = self.shared.locked();
        let bus = state.network.buses().get(self.bus.0);
        bus.is_some_and(|bus| bus.timing.data.is_some())
    }

    fn shown<'py>(
        &self,
        py: Python<'py>,
        at: Time,
        event: &LiveEvent,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let at = self.shared.clock.timestamp(at);
        match *event {
            LiveEvent::Received(frame) => ("received", at, fields(py, &frame)?).into_pyobject(py),
            LiveEvent::Sent(frame) => ("sent", at, fields(py, &frame)?).into_pyobject(py),
            LiveEvent::Error {
                kind,
                place,
                sending,
                tec,
                rec,
            } => {
                let error = PyDict::new(py);
                error.set_item("kind", kind.name())?;
                error.set_item("field", place.field_name())?;
                error.set_item("bit", place.bit)?;
                error.set_item("sending", sending)?;
                error.set_item("tec", tec)?;
                error.set_item("rec", rec)?;
                ("error", at, error).into_pyobject(py)
            }
            LiveEvent::ErrorFlag { tec, rec } => {
                let flag = PyDict::new(py);
                flag.set_item("tec", tec)?;
                flag.set_item("rec", rec)?;
                ("flag", at, flag).into_pyobject(py)
            }
            LiveEvent::State { state, tec, rec } => {
                let change = PyDict::new(py);
                change.set_item("state", state_name(state))?;
                change.set_item("tec", tec)?;
                change.set_item("rec", rec)?;
                ("state", at, change).into_pyobject(py)
            }
            _ => ("unknown", at, PyDict::new(py)).into_pyobject(py),
        }
    }
}

/// Identifier, 29 bits, remote, FD, BRS, ESI, DLC and data of a frame.
fn fields<'py>(py: Python<'py>, frame: &Frame) -> PyResult<Bound<'py, PyTuple>> {
    let (fd, brs, esi) = match frame.format() {
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } => (true, bit_rate_switch, error_state_indicator),
        _ => (false, false, false),
    };
    let is_remote = frame.format() == Format::Remote;
    let id = frame.id();
    let data = PyBytes::new(py, frame.data());
    let length = match is_remote {
        true => usize::from(frame.dlc().min(8)),
        false => frame.data_len(),
    };
    (
        id.raw(),
        id.is_extended(),
        is_remote,
        fd,
        brs,
        esi,
        length,
        data,
    )
        .into_pyobject(py)
}

const fn state_name(state: BusState) -> &'static str {
    match state {
        BusState::Active => "active",
        BusState::Passive => "passive",
        BusState::Off => "off",
    }
}

fn seconds(value: f64) -> PyResult<Duration> {
    if value.is_nan() {
        return Err(Failure::parameter(
            "timeout",
            "NaN is no time",
            "a number of seconds, or None to wait for ever",
        ));
    }
    Ok(Duration::from_secs_f64(value.clamp(0.0, SECONDS_MAX)))
}
