//! The engine with the remarks of its nodes put in their places in the trace.

use crate::clock::Time;
use crate::config::{Config, ConfigError};
use crate::engine::{Engine, EngineSink, SimulationError};
use crate::remarks::{NoRemark, Remark, Remarks};
use crate::trace::{EcuIndex, EventSink, TraceEvent};

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
}

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
