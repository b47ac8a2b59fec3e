//! Error counters after good frames, suspended senders, and the way back from bus-off.

use waywarden_can::node::BusState;

use super::agenda::Due;
use super::bus::{BusPort, Wire};
use super::ecu::Stimulus;
use super::{Engine, EngineSink, Outcome};
use crate::confinement::ErrorCounters;
use crate::trace::{BusIndex, EcuIndex, TraceEvent};

impl Engine {
    /// Changes the counters of a party after a good frame, and reports what that changes.
    pub(super) fn count(
        &mut self,
        at: usize,
        bus_port: usize,
        rule: impl FnOnce(&mut ErrorCounters),
        sink: &mut dyn EngineSink,
    ) -> Outcome {
        let BusPort { ecu, port, .. } = self.buses[at].bus_ports[bus_port];
        let counters = &mut self.buses[at].parties[bus_port].counters;
        let before = *counters;
        rule(counters);
        let after = *counters;
        if before == after {
            return Ok(());
        }
        let (bus, index) = (BusIndex(at), EcuIndex(ecu));
        let (tec, rec) = (after.tec(), after.rec());
        sink.record(
            self.now,
            &TraceEvent::Counters {
                bus,
                ecu: index,
                tec,
                rec,
            },
        );
        if before.state() == after.state() {
            return Ok(());
        }
        let state = after.state();
        self.report_state(at, bus_port, state, sink);
        self.feed(ecu, &Stimulus::Bus { port, state }, sink)
    }

    /// Reports the new fault confinement state of a controller.
    pub(super) fn report_state(
        &self,
        at: usize,
        bus_port: usize,
        state: BusState,
        sink: &mut dyn EngineSink,
    ) {
        let (bus, ecu) = (
            BusIndex(at),
            EcuIndex(self.buses[at].bus_ports[bus_port].ecu),
        );
        sink.record(self.now, &TraceEvent::State { bus, ecu, state });
    }

    /// Something starts now on a bus that was idle up to now: counts it for those that wait for
    /// idle bits.
    pub(super) fn let_idle_time_pass(&mut self, at: usize) {
        let bus = &mut self.buses[at];
        if bus.disturbed {
            // In one piece, however often bits were counted towards recovery meanwhile: eight bits
            // of suspension that are counted as three and five would never be over.
            let bits = self.now.since(bus.free_at).get() / bus.nominal_bit.get();
            bus.parties.iter_mut().for_each(|party| party.idle(bits));
        }
        self.count_idle_bits(at);
    }

    /// The bus was idle up to now: counts it towards recovery from bus-off.
    fn count_idle_bits(&mut self, at: usize) {
        let bus = &mut self.buses[at];
        if bus.off == 0 {
            return;
        }
        let from = bus.idle_from.max(bus.free_at);
        let bits = self.now.since(from).get() / bus.nominal_bit.get();
        // The part of a bit that has passed counts the next time.
        bus.idle_from = from + bus.bits(bits);
        for bus_port in bus.bus_ports.clone() {
            let controller = &mut self.ecus[bus_port.ecu].ports[bus_port.port];
            if controller.off {
                controller.recovery.add_idle_bits(bits);
            }
        }
    }

    /// A frame or an episode is over: counts its recessive bits towards recovery from bus-off.
    pub(super) fn pass_recovery(&mut self, at: usize, sequences: u64, tail_bits: u64) {
        if self.buses[at].off == 0 {
            return;
        }
        self.buses[at].idle_from = self.buses[at].free_at;
        for bus_port in self.buses[at].bus_ports.clone() {
            let controller = &mut self.ecus[bus_port.ecu].ports[bus_port.port];
            if controller.off {
                controller.recovery.add_episode(sequences, tail_bits);
            }
        }
        self.await_recovery(at);
    }

    /// Puts down when the next controller will be back if the bus stays idle.
    fn await_recovery(&mut self, at: usize) {
        let left = self.buses[at]
            .bus_ports
            .iter()
            .map(|bus_port| &self.ecus[bus_port.ecu].ports[bus_port.port])
            .filter(|controller| controller.off)
            .map(|controller| controller.recovery.idle_bits_left())
            .min();
        let Some(bits) = left else { return };
        let bus = &self.buses[at];
        let back = bus.idle_from.max(bus.free_at) + bus.bits(bits);
        self.agenda.set(Due::Recovery { bus: at }, back);
    }

    /// Controllers in bus-off that have seen enough recessive bits are error-active again.
    pub(super) fn recover(&mut self, at: usize, sink: &mut dyn EngineSink) -> Outcome {
        if !matches!(self.buses[at].wire, Wire::Free) {
            return Ok(());
        }
        self.count_idle_bits(at);
        for bus_port in 0..self.buses[at].bus_ports.len() {
            let BusPort { ecu, port, .. } = self.buses[at].bus_ports[bus_port];
            let controller = &mut self.ecus[ecu].ports[port];
            if !controller.off || !controller.recovery.is_complete() {
                continue;
            }
            controller.off = false;
            self.buses[at].off -= 1;
            self.count(at, bus_port, ErrorCounters::recovered, sink)?;
            self.refresh(ecu, port);
        }
        self.await_recovery(at);
        Ok(())
    }
}
