//! The engine's dealings with interferers.

use waywarden_can::timing::Picoseconds;

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
        let onset = Onset {
            at: self.now,
            frame: None,
            bits: 0,
            duration: Picoseconds::ZERO,
        };
        if !interferer::any_wants(&mut bus.interferers, &onset) {
            return Ok(());
        }
        self.let_idle_time_pass(at);
        // Who was to start later finds the bus taken.
        self.agenda.set(Due::Arbitrate { bus: at }, Time::NEVER);
        self.begin_episode(at, 0)
    }
}
