//! A station: its radio, its turn, its messages that wait.

use waywarden_v2x_congestion::BusyMeter;

use super::place::VehiclePosition;
use super::receiver::Reading;
use super::settings::Access;
use super::sink::RadioFrame;

/// A station.
#[derive(Clone, Debug, Default)]
pub(super) struct Station {
    /// Position of the station; `None`: it is not on the road.
    pub(super) position: Option<VehiclePosition>,
    /// Time from one message to the next, in ns.
    pub(super) period: u64,
    /// The power of all frames that arrive, in mW, and how many they are.
    pub(super) total_mw: f64,
    pub(super) arriving: u32,
    /// The strongest frame that has begun and is not noticed yet, with its power.
    pub(super) candidate: Option<(usize, f64)>,
    pub(super) reading: Option<Reading>,
    pub(super) is_sending: bool,
    is_busy: bool,
    /// Time in which the channel was busy, in ns, for measurements.
    pub(super) busy: BusyMeter,
    /// Time from which slots count, and the number of slots left.
    from: u64,
    slots: u32,
    /// Number of its turn; `is_waiting` is true while it waits for that turn.
    turn: u64,
    is_waiting: bool,
    /// Earliest time of its next turn, after a frame that could not be read.
    not_before: u64,
    /// Each frame that waits, with the generation time of its message.
    pub(super) messages: std::collections::VecDeque<(u64, RadioFrame)>,
}

impl Station {
    pub(super) fn new(period: u64) -> Self {
        Self {
            period,
            ..Self::default()
        }
    }

    /// Returns true if the channel is idle for it.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_busy
    }

    /// Finds out whether the channel is busy now. On a change slots stop or begin to count.
    /// A channel with more power than the first one is busy; measurements count the second one.
    pub(super) fn sense(&mut self, now: u64, (busy_mw, measured_mw): (f64, f64), access: &Access) {
        self.measure(now, measured_mw);
        let is_busy = self.is_sending || self.reading.is_some() || self.total_mw > busy_mw;
        match (self.is_busy, is_busy) {
            (false, true) => {
                let passed = now.saturating_sub(self.from) / access.slot_ns;
                let passed = u32::try_from(passed).unwrap_or(u32::MAX);
                self.slots = self.slots.saturating_sub(passed);
                self.is_waiting = false;
            }
            (true, false) => {
                self.from = (now + access.space_ns()).max(self.not_before);
            }
            _ => {}
        }
        self.is_busy = is_busy;
    }

    /// Takes note for measurements whether the channel is busy now. Unlike channel access, they see
    /// a frame before it is noticed.
    pub(super) fn measure(&mut self, now: u64, measured_mw: f64) {
        let is_busy = self.is_sending || self.total_mw > measured_mw;
        self.busy.set(is_busy, now);
    }

    /// A frame that was read to its end has ended now: right, or with errors.
    pub(super) fn has_read(&mut self, is_right: bool, now: u64, access: &Access) {
        self.not_before = match is_right {
            true => 0,
            false => now + access.after_error_ns + access.space_ns(),
        };
    }

    /// Draws slots to wait, as a message that comes to a busy channel and as one that was sent make
    /// it do. `drawn` has the number.
    pub(super) fn back_off(&mut self, drawn: u32) {
        self.slots = drawn;
    }

    /// Returns true if no slots are left of a backoff at a time.
    pub(super) fn is_ready(&self, now: u64, access: &Access) -> bool {
        let passed = now.saturating_sub(self.from) / access.slot_ns;
        self.slots == 0 || u64::from(self.slots) <= passed && !self.is_busy
    }

    /// Returns when its turn comes and the number of the turn, if a message waits, the channel is
    /// idle, and the turn is not on the agenda yet.
    pub(super) fn next_turn(&mut self, now: u64, access: &Access) -> Option<(u64, u64)> {
        if self.is_busy || self.is_waiting || self.messages.is_empty() {
            return None;
        }
        let due = self.from + u64::from(self.slots) * access.slot_ns;
        // A turn comes at the begin of a slot.
        let late = now.saturating_sub(due).div_ceil(access.slot_ns);
        self.turn += 1;
        self.is_waiting = true;
        Some((due + late * access.slot_ns, self.turn))
    }

    /// Takes a turn; returns true if the turn still stood.
    pub(super) fn takes(&mut self, turn: u64) -> bool {
        let takes = self.is_waiting && self.turn == turn;
        self.is_waiting &= !takes;
        takes
    }
}
