//! The engine's dealings with interferers.

use super::agenda::Due;
use super::bus::Wire;
use super::passage::Flight;
use super::{Engine, Outcome};
use crate::clock::Time;
use crate::interferer::{self, Onset};

impl Engine {
    /// Returns true if an interferer wants to see the bits of this frame.
    pub(super) fn is_disturbed(&mut self, at: usize, flight: &Flight) -> bool {
        let bus = &mut self.buses[at];
        if bus.interferers.is_empty() {
            return false;
        }
        let onset = bus.onset(self.now, flight);
        interferer::any_wants(&mut bus.interferers, &onset)
    }

    /// Tells the interferers that a frame is not followed bit by bit.
    pub(super) fn is_left_alone(&mut self, at: usize, flight: &Flight) {
        let bus = &mut self.buses[at];
        if !bus.interferers.is_empty() {
            let onset = bus.onset(self.now, flight);
            interferer::all_passed(&mut bus.interferers, &onset);
        }
    }

    /// Puts down when an interferer will drive the idle bus by itself.
    pub(super) fn await_wake(&mut self, at: usize) {
        let bus = &self.buses[at];
        let after = bus.free_at.max(self.now);
        let wake = bus
            .interferers
            .iter()
            .filter_map(|one| one.wakes(after))
            .min();
        let Some(wake) = wake else { return };
        self.agenda.set(Due::Wake { bus: at }, wake.max(after));
    }

    /// Has error flags begin on an idle bus, as soon as it is one for a port that is to send one.
    pub(super) fn call_for_flags(&mut self, at: usize) {
        let bus = &self.buses[at];
        let Some(flag) = bus.flag_at().filter(|_| matches!(bus.wire, Wire::Free)) else {
            return;
        };
        let start = match bus.competing {
            0 => flag,
            _ => flag.min(bus.free_at.max(bus.held())),
        };
        let arbitration = Due::Arbitrate { bus: at };
        if start.max(self.now) < self.agenda.at(arbitration) {
            self.agenda.set(arbitration, start.max(self.now));
        }
    }

    /// Error flags begin on an idle bus.
    pub(super) fn begin_flags(&mut self, at: usize) -> Outcome {
        let bus = &mut self.buses[at];
        let onset = Onset::without_frame(self.now);
        interferer::any_wants(&mut bus.interferers, &onset);
        self.let_idle_time_pass(at);
        self.begin_episode(at, 0)
    }

    /// An interferer drives an idle bus: all controllers receive a start of frame.
    pub(super) fn wake(&mut self, at: usize) -> Outcome {
        if !matches!(self.buses[at].wire, Wire::Free) {
            return Ok(());
        }
        if self.buses[at].contenders(self.now).next().is_some() {
            // The bus is not idle: at this instant a node starts, and interferers are asked then.
            self.call_for_arbitration(at);
            return Ok(());
        }
        let bus = &mut self.buses[at];
        let onset = Onset::without_frame(self.now);
        if !interferer::any_wants(&mut bus.interferers, &onset) {
            return Ok(());
        }
        self.let_idle_time_pass(at);
        // Who was to start later finds the bus taken.
        self.agenda.set(Due::Arbitrate { bus: at }, Time::NEVER);
        self.begin_episode(at, 0)
    }
}
