//! The condition of ECUs and their controllers, as far as it explains why a frame did not come.

use waywarden_can_sim::clock::Time;

use crate::outcome::{Loss, LossPlace};

/// The condition of one ECU.
#[derive(Clone, Debug, Default)]
struct Condition {
    /// The time of its boot; none from a reset to the next one.
    up_since: Option<Time>,
    /// Declared cuts from its buses that last, and the end of the last one.
    cuts: u32,
    cut_until: Time,
    /// By bus: true while its controller is bus-off.
    is_off: Vec<bool>,
    /// By bus: the last error that its controller saw.
    error: Vec<Option<Time>>,
}

/// The condition of all ECUs.
#[derive(Debug, Default)]
pub(super) struct Conditions(Vec<Condition>);

impl Conditions {
    pub(super) fn new(ecus: usize, buses: usize) -> Self {
        let condition = Condition {
            is_off: vec![false; buses],
            error: vec![None; buses],
            ..Condition::default()
        };
        Conditions(vec![condition; ecus])
    }

    pub(super) fn boot(&mut self, ecu: usize, at: Time) {
        if let Some(own) = self.0.get_mut(ecu) {
            own.up_since = Some(at);
            own.is_off.fill(false);
        }
    }

    pub(super) fn reset(&mut self, ecu: usize) {
        if let Some(own) = self.0.get_mut(ecu) {
            own.up_since = None;
        }
    }

    pub(super) fn cut(&mut self, ecu: usize, begins: bool, at: Time) {
        if let Some(own) = self.0.get_mut(ecu) {
            match begins {
                true => own.cuts += 1,
                false => (own.cuts, own.cut_until) = (own.cuts.saturating_sub(1), at),
            }
        }
    }

    pub(super) fn set_off(&mut self, ecu: usize, bus: usize, is_off: bool) {
        let own = self.0.get_mut(ecu).and_then(|own| own.is_off.get_mut(bus));
        if let Some(own) = own {
            *own = is_off;
        }
    }

    pub(super) fn saw_error(&mut self, ecu: usize, bus: usize, at: Time) {
        let own = self.0.get_mut(ecu).and_then(|own| own.error.get_mut(bus));
        if let Some(own) = own {
            *own = Some(at);
        }
    }

    /// Returns the loss of a frame that an ECU did not get, though its sender counts it as sent.
    pub(super) fn not_received(&self, ecu: usize, bus: usize, started: Time) -> Loss {
        let Some(own) = self.0.get(ecu) else {
            return LossPlace::Absent.loss(false);
        };
        let error = own.error.get(bus).copied().flatten();
        // One that came back while the frame was on the wire has not heard its start.
        let was_up = own.up_since.is_some_and(|since| since <= started);
        let was_cut = own.cuts > 0 || own.cut_until > started;
        let is_off = own.is_off.get(bus) == Some(&true);
        if !was_up || was_cut {
            LossPlace::Absent.loss(true)
        } else if !is_off && error.is_some_and(|error| error >= started) {
            LossPlace::Error.loss(false)
        } else {
            LossPlace::Absent.loss(false)
        }
    }

    /// Returns the loss of a frame that was taken back from a controller.
    pub(super) fn withdrawn(&self, ecu: usize, bus: usize) -> Loss {
        match self.0.get(ecu) {
            Some(own) if own.up_since.is_none() => LossPlace::Reset.loss(true),
            Some(own) if own.is_off.get(bus) == Some(&true) => LossPlace::BusOff.loss(false),
            _ => LossPlace::Withdrawn.loss(false),
        }
    }
}
