//! The engine with the remarks of its nodes put in their places in the trace.

use std::fmt;

use waywarden_can::node::Port;

use crate::clock::Time;
use crate::config::{Config, ConfigError, EcuConfig};
use crate::engine::{Engine, EngineSink, SimulationError};
use crate::remarks::{NoRemark, Remark, Remarks};
use crate::trace::{BusIndex, EcuIndex, EventSink, TraceEvent};

/// A simulation under way, whose nodes make remarks of type `R`.
pub struct Simulation<R = NoRemark> {
    pub(crate) engine: Engine,
    /// By ECU.
    remarks: Vec<Remarks<R>>,
}

impl<R: Remark> Simulation<R> {
    /// Sets up a simulation at time zero.
    ///
    /// # Errors
    /// [`ConfigError`] by cause.
    pub fn new(config: Config<R>) -> Result<Self, ConfigError> {
        let (config, remarks) = config.split();
        let engine = Engine::new(config)?;
        Ok(Simulation { engine, remarks })
    }

    /// Returns the time up to which the simulation has run.
    #[must_use]
    pub fn now(&self) -> Time {
        self.engine.now()
    }

    /// Runs everything due up to and including `end`.
    ///
    /// # Errors
    /// [`SimulationError`] by cause; the simulation cannot be continued after one.
    pub fn run_until(
        &mut self,
        end: Time,
        sink: &mut dyn EventSink<R>,
    ) -> Result<(), SimulationError> {
        let remarks = &self.remarks;
        self.engine
            .run_until(end, &mut WithRemarks { sink, remarks })
    }

    /// Returns the time of the next event, [`Time::NEVER`] if nothing is due: until then, nothing
    /// happens unless a node is woken or an ECU attached.
    #[must_use]
    pub fn next_due(&self) -> Time {
        self.engine.next_due()
    }

    /// Polls an ECU's node at the present time, for a node that has something new to do that no
    /// input told it of. The node gets no input.
    ///
    /// Returns true if the node was there: an ECU before its boot or during a reset has none.
    ///
    /// # Errors
    /// [`MembershipError::NoSuchEcu`]; [`MembershipError::Simulation`] for what the node asked,
    /// after which the simulation cannot be continued.
    pub fn wake(
        &mut self,
        ecu: EcuIndex,
        sink: &mut dyn EventSink<R>,
    ) -> Result<bool, MembershipError> {
        self.known(ecu)?;
        let remarks = &self.remarks;
        let mut sink = WithRemarks { sink, remarks };
        let woken = self.engine.wake_node(ecu.0, &mut sink);
        woken.map_err(|error| MembershipError::Simulation(*error))
    }

    /// Adds an ECU, which boots at its start time, or at the present one if that has passed. Its
    /// controllers take part after eleven recessive bits, as after any boot; before anything ran,
    /// at once. It may get the index of an ECU that was detached.
    ///
    /// The interferers of a bus do not know its name: they were told who is there at the start.
    ///
    /// # Errors
    /// [`ConfigError`] by cause, and nothing is added.
    pub fn attach(&mut self, ecu: EcuConfig<R>) -> Result<EcuIndex, ConfigError> {
        let (ecu, remarks) = ecu.split();
        let index = self.engine.add(ecu)?;
        match self.remarks.get_mut(index) {
            Some(place) => *place = remarks,
            None => self.remarks.push(remarks),
        }
        Ok(EcuIndex(index))
    }

    /// Takes an ECU away at the present time, as if it lost its power: its frames are withdrawn,
    /// and its controllers leave their buses, one that is sending in the middle of its frame.
    ///
    /// # Errors
    /// [`MembershipError::NoSuchEcu`].
    pub fn detach(
        &mut self,
        ecu: EcuIndex,
        sink: &mut dyn EventSink<R>,
    ) -> Result<(), MembershipError> {
        self.known(ecu)?;
        let remarks = &self.remarks;
        self.engine
            .remove(ecu.0, &mut WithRemarks { sink, remarks });
        Ok(())
    }

    /// Returns true if a port of an ECU takes part on its bus: the ECU is on, the port is neither
    /// cut off nor in bus-off, and it has seen eleven recessive bits since it joined.
    #[must_use]
    pub fn takes_part(&self, ecu: EcuIndex, port: Port) -> bool {
        self.engine.takes_part(ecu.0, usize::from(port.0))
    }

    /// Has a controller send an error flag although it detected no error, as test equipment does:
    /// active, or passive if it is error-passive. On an idle bus the flag begins now, in a frame
    /// with the bit after the next sample point, otherwise when the bus is free. It counts as an
    /// error that the controller detected in its role; [`TraceEvent::Error`] is not reported.
    ///
    /// Returns false if the port does not take part, and nothing happens.
    ///
    /// # Errors
    /// [`MembershipError::NoSuchEcu`].
    pub fn raise_error_flag(&mut self, ecu: EcuIndex, port: Port) -> Result<bool, MembershipError> {
        self.known(ecu)?;
        Ok(self.engine.raise_flag(ecu.0, usize::from(port.0)))
    }

    /// Returns true if a frame, an error or an overload flag is on the wire of a bus.
    #[must_use]
    pub fn is_busy(&self, bus: BusIndex) -> bool {
        self.engine.is_busy(bus.0)
    }

    fn known(&self, ecu: EcuIndex) -> Result<(), MembershipError> {
        match self.engine.has(ecu.0) {
            true => Ok(()),
            false => Err(MembershipError::NoSuchEcu { ecu: ecu.0 }),
        }
    }
}

/// Reason that a change of a running simulation is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MembershipError {
    /// There is no ECU of this index, or it was detached.
    NoSuchEcu {
        /// The index.
        ecu: usize,
    },
    /// The simulation cannot go on.
    Simulation(SimulationError),
}

impl fmt::Display for MembershipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MembershipError::NoSuchEcu { ecu } => write!(
                f,
                "ECU {ecu} is not attached; use the index that attach returned, before detach"
            ),
            MembershipError::Simulation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MembershipError {}

/// The sink of a user, and where the remarks for it are.
struct WithRemarks<'a, R> {
    sink: &'a mut dyn EventSink<R>,
    remarks: &'a [Remarks<R>],
}

impl<R> WithRemarks<'_, R> {
    fn note(sink: &mut dyn EventSink<R>, at: Time, ecu: EcuIndex, remark: &R) {
        sink.record(at, &TraceEvent::Noted { ecu, remark });
    }
}

impl<R: Remark> EventSink for WithRemarks<'_, R> {
    fn record(&mut self, at: Time, event: &TraceEvent<'_>) {
        R::record(self.sink, at, event);
    }
}

impl<R: Remark> EngineSink for WithRemarks<'_, R> {
    fn remarks_ahead(&mut self, at: Time, ecu: EcuIndex) {
        if let Some(remarks) = self.remarks.get(ecu.0) {
            remarks.drain_ahead(|remark| Self::note(self.sink, at, ecu, remark));
        }
    }

    fn remarks(&mut self, at: Time, ecu: EcuIndex) {
        if let Some(remarks) = self.remarks.get(ecu.0) {
            remarks.drain_all(|remark| Self::note(self.sink, at, ecu, remark));
        }
    }
}

/// A simulation may move to another thread.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Simulation>();
};
