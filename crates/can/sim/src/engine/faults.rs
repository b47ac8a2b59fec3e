//! ECUs that start, and what goes wrong with them.

use waywarden_can::node::Boot;

use super::agenda::Due;
use super::{Engine, EngineSink, Outcome};
use crate::clock::{LocalClock, Time};
use crate::config::EcuFaultKind;
use crate::trace::{EcuIndex, TraceEvent};

/// An event of an ECU that is planned from the start: a boot or a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Planned {
    /// It starts.
    Boot { ecu: usize },
    /// A fault begins, by its place among the ECU's faults.
    FaultBegins { ecu: usize, fault: usize },
    /// A fault ends.
    FaultEnds { ecu: usize, fault: usize },
}

impl Planned {
    /// Returns the index of the ECU.
    pub(super) const fn ecu(self) -> usize {
        match self {
            Planned::Boot { ecu }
            | Planned::FaultBegins { ecu, .. }
            | Planned::FaultEnds { ecu, .. } => ecu,
        }
    }
}

impl Engine {
    pub(super) fn await_plan(&mut self) {
        let next = self.plan.last().map_or(Time::NEVER, |&(at, _)| at);
        self.agenda.set(Due::Plan, next);
    }

    pub(super) fn follow_plan(&mut self, sink: &mut dyn EngineSink) -> Outcome {
        let planned = self.plan.pop();
        self.await_plan();
        match planned {
            Some((_, Planned::Boot { ecu })) => self.boot(ecu, sink),
            Some((_, Planned::FaultBegins { ecu, fault })) => self.begin_fault(ecu, fault, sink),
            Some((_, Planned::FaultEnds { ecu, fault })) => self.end_fault(ecu, fault, sink),
            None => Ok(()),
        }
    }

    pub(super) fn boot(&mut self, ecu: usize, sink: &mut dyn EngineSink) -> Outcome {
        let state = &mut self.ecus[ecu];
        state.boots += 1;
        state.clock = LocalClock::starting(self.now, state.drift_ppb);
        let seed = self.random.seed("boot", ecu as u64, u64::from(state.boots));
        let boot = Boot {
            now: state.clock.at(self.now),
            seed,
            retained: &state.retained,
        };
        let node = (state.build)(&boot);
        sink.record(
            self.now,
            &TraceEvent::Boot {
                ecu: EcuIndex(ecu),
                boots: state.boots,
            },
        );
        for port in 0..self.ecus[ecu].ports.len() {
            self.attach(ecu, port, true);
        }
        self.drain(ecu, node, None, sink)
    }

    pub(super) fn begin_fault(
        &mut self,
        ecu: usize,
        fault: usize,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        self.report_fault(ecu, fault, true, sink);
        match self.ecus[ecu].faults[fault].kind {
            EcuFaultKind::Reset => self.reset(ecu, sink),
            EcuFaultKind::Replace => {
                self.reset(ecu, sink);
                self.ecus[ecu].retained.clear();
            }
            EcuFaultKind::Drift { .. } => {
                self.ecus[ecu].drifting.push(fault);
                self.drift(ecu);
            }
            EcuFaultKind::Open { port } => self.cut(ecu, port, true),
        }
        Ok(())
    }

    pub(super) fn end_fault(
        &mut self,
        ecu: usize,
        fault: usize,
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        self.report_fault(ecu, fault, false, sink);
        match self.ecus[ecu].faults[fault].kind {
            EcuFaultKind::Reset | EcuFaultKind::Replace => return self.boot(ecu, sink),
            EcuFaultKind::Drift { .. } => {
                self.ecus[ecu].drifting.retain(|&other| other != fault);
                self.drift(ecu);
            }
            EcuFaultKind::Open { port } => self.cut(ecu, port, false),
        }
        Ok(())
    }

    fn report_fault(&self, ecu: usize, fault: usize, begins: bool, sink: &mut dyn EngineSink) {
        let kind = match self.ecus[ecu].faults[fault].kind {
            EcuFaultKind::Reset => "reset",
            EcuFaultKind::Replace => "replaced",
            EcuFaultKind::Drift { .. } => "clock-drift",
            EcuFaultKind::Open { .. } => "bus-open",
        };
        sink.record(
            self.now,
            &TraceEvent::Fault {
                ecu: EcuIndex(ecu),
                kind,
                begins,
            },
        );
    }

    pub(super) fn reset(&mut self, ecu: usize, sink: &mut dyn EngineSink) {
        let state = &mut self.ecus[ecu];
        state.node = None;
        state.cpu.clear(self.now, &mut self.slices);
        for engine in &mut state.module {
            engine.clear(self.now, &mut self.slices);
        }
        self.agenda.set(Due::Timer { ecu }, Time::NEVER);
        self.agenda.set(Due::Cpu { ecu }, Time::NEVER);
        self.report_slices(ecu, sink);
        sink.record(self.now, &TraceEvent::Reset { ecu: EcuIndex(ecu) });
        for port in 0..self.ecus[ecu].ports.len() {
            self.flush(ecu, port, sink);
            self.attach(ecu, port, false);
        }
    }

    /// Of several clock faults at a time the one that began last holds; without, the usual rate.
    fn drift(&mut self, ecu: usize) {
        let state = &mut self.ecus[ecu];
        let latest = state.drifting.last().map(|&fault| state.faults[fault].kind);
        let ppb = match latest {
            Some(EcuFaultKind::Drift { ppb }) => ppb,
            _ => state.usual_drift_ppb,
        };
        state.drift_ppb = ppb;
        // The deadline was computed at the old rate: it is put down again at the new one.
        let (timer, old) = (Due::Timer { ecu }, state.clock);
        state.clock = old.drifting(self.now, ppb);
        let due = self.agenda.at(timer);
        if due != Time::NEVER {
            self.agenda
                .set(timer, state.clock.when(old.at(due)).max(self.now));
        }
    }
}
