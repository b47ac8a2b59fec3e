//! Fault confinement: the two error counters of a controller, its state, and the way back from
//! bus-off [ISO 11898-1 §12.1.4].
//!
//! Pure rules, one method each; which rule applies when is decided where bits are seen
//! ([`crate::bitwise`]). The letters are those of the standard's list; `docs/bus-errors.md` gives
//! them with the scenario that tests each.

use waywarden_can::node::BusState;

#[cfg(test)]
mod tests;

/// A controller with a counter from here on has a heavily disturbed bus and should warn.
pub const WARNING: u16 = 96;

/// A controller with a counter above this is error-passive.
pub const ACTIVE_MAX: u16 = 127;

/// A controller with a transmit error counter above this is in bus-off.
pub const PASSIVE_MAX: u16 = 255;

/// The receive error counter stops here.
///
/// Choice: the standard sets no bound; controllers keep eight bits.
pub const REC_MAX: u16 = 255;

/// The value to which a good frame sets a receive error counter above [`ACTIVE_MAX`].
///
/// Choice: the standard allows 119 to 127; the lowest makes the quickest way back.
pub const REC_RETURN: u16 = 119;

/// Number of recessive bits in a row that count once towards recovery.
pub const RECOVERY_SEQUENCE_BITS: u64 = 11;

/// Number of such sequences that end bus-off.
pub const RECOVERY_SEQUENCES: u16 = 128;

/// The role of a controller in the frame at hand: it selects the counter that an error changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameRole {
    /// It sent the frame, up to the end or up to an error.
    Transmitter,
    /// It receives, from the start or since it lost arbitration.
    Receiver,
}

/// The error counters of one controller and the state that follows from them.
///
/// TEC is 0 to 263, REC 0 to 255. In bus-off nothing changes but by [`ErrorCounters::recovered`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCounters {
    tec: u16,
    rec: u16,
    state: BusState,
}

impl Default for ErrorCounters {
    fn default() -> Self {
        Self::new()
    }
}

impl ErrorCounters {
    /// Both counters at zero: error-active.
    #[must_use]
    pub const fn new() -> Self {
        ErrorCounters {
            tec: 0,
            rec: 0,
            state: BusState::Active,
        }
    }

    /// A controller with a history: TEC is cut to 263, REC to 255, and the state follows.
    #[must_use]
    pub fn with(tec: u16, rec: u16) -> Self {
        let mut counters = Self::new();
        counters.tec = tec.min(PASSIVE_MAX + 8);
        counters.rec = rec.min(REC_MAX);
        counters.settle();
        counters
    }

    /// An error was detected in a frame: a transmitter counts 8 (rule c), a receiver 1 (rule a).
    pub fn error(&mut self, role: FrameRole) {
        match role {
            FrameRole::Transmitter => self.add(role, 8),
            FrameRole::Receiver => self.add(role, 1),
        }
    }

    /// A transmitter found its frame not acknowledged: 8 (rule c); nothing if it is error-passive
    /// (exception 1), see [`ErrorCounters::dominant_in_passive_flag`].
    ///
    /// So a node that is alone on its bus stays error-passive for ever and never goes bus-off.
    pub fn acknowledgement_error(&mut self) {
        if self.state == BusState::Active {
            self.add(FrameRole::Transmitter, 8);
        }
    }

    /// After an acknowledgement error, an error-passive transmitter saw a dominant bit in its own
    /// passive flag: another node is there after all, and exception 1 does not hold (rule c).
    pub fn dominant_in_passive_flag(&mut self) {
        self.add(FrameRole::Transmitter, 8);
    }

    /// A transmitter in arbitration sent a recessive stuff bit and saw it dominant: an error flag
    /// but no count (rule c, exception 2).
    ///
    /// A rule of its own so that the code that detects this error can name it.
    pub fn stuff_error_in_arbitration(&mut self) {}

    /// A receiver saw a dominant bit right after its error flag: it signalled first (rule b).
    pub fn dominant_after_flag(&mut self) {
        self.add(FrameRole::Receiver, 8);
    }

    /// A bit of the node's own active error flag or overload flag came out recessive (rules d, e).
    pub fn flag_bit_error(&mut self, role: FrameRole) {
        self.add(role, 8);
    }

    /// Eight dominant bits in a row followed the node's own flag, or another eight (rule f).
    pub fn overlong_dominance(&mut self, role: FrameRole) {
        self.add(role, 8);
    }

    /// The node's frame was sent and acknowledged (rule g).
    pub fn transmitted(&mut self) {
        if self.state != BusState::Off {
            self.tec = self.tec.saturating_sub(1);
            self.settle();
        }
    }

    /// A frame was received up to and including its acknowledgement (rule h).
    pub fn received(&mut self) {
        if self.state != BusState::Off {
            self.rec = match self.rec {
                0 => 0,
                1..=ACTIVE_MAX => self.rec - 1,
                _ => REC_RETURN,
            };
            self.settle();
        }
    }

    /// Bus-off is over, see [`Recovery`]: error-active with both counters at zero.
    pub fn recovered(&mut self) {
        *self = Self::new();
    }

    /// Returns the transmit error counter, 0 to 263.
    #[must_use]
    pub const fn tec(&self) -> u16 {
        self.tec
    }

    /// Returns the receive error counter, 0 to 255.
    #[must_use]
    pub const fn rec(&self) -> u16 {
        self.rec
    }

    /// Returns the state that the counters imply.
    #[must_use]
    pub const fn state(&self) -> BusState {
        self.state
    }

    /// Returns true if a counter has reached [`WARNING`].
    #[must_use]
    pub const fn is_warning(&self) -> bool {
        self.tec >= WARNING || self.rec >= WARNING
    }

    /// Returns true if both counters are zero, so that good frames change nothing.
    #[must_use]
    pub const fn is_clear(&self) -> bool {
        self.tec == 0 && self.rec == 0
    }

    fn add(&mut self, role: FrameRole, count: u16) {
        if self.state == BusState::Off {
            return;
        }
        match role {
            // At most 255 before, for more is bus-off: at most 263 after.
            FrameRole::Transmitter => self.tec += count,
            FrameRole::Receiver => self.rec = (self.rec + count).min(REC_MAX),
        }
        self.settle();
    }

    fn settle(&mut self) {
        self.state = if self.tec > PASSIVE_MAX {
            BusState::Off
        } else if self.tec > ACTIVE_MAX || self.rec > ACTIVE_MAX {
            BusState::Passive
        } else {
            BusState::Active
        };
    }
}

/// Counts a controller's way out of bus-off: 128 times 11 recessive bits in a row.
///
/// A run of 22 recessive bits counts twice. Frames may pass in between: each ends with at least
/// eleven recessive bits (ACK delimiter, end of frame, intermission), so that recovery takes at
/// most 128 frames on a full bus and 1,408 bit times on an idle one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    sequences: u16,
    /// Recessive bits since the last dominant one or the last whole sequence, 0 to 10.
    run: u8,
}

impl Recovery {
    /// Nothing counted yet: the controller has just gone off.
    #[must_use]
    pub const fn new() -> Self {
        Recovery {
            sequences: 0,
            run: 0,
        }
    }

    /// Counts recessive bits that follow those before; returns whether bus-off is over.
    pub fn add_idle_bits(&mut self, bits: u64) -> bool {
        let run = bits.saturating_add(u64::from(self.run));
        self.add_sequences(run / RECOVERY_SEQUENCE_BITS);
        self.run = (run % RECOVERY_SEQUENCE_BITS) as u8;
        self.is_complete()
    }

    /// Counts a frame that passed without error, intermission included; returns whether bus-off is
    /// over.
    pub fn add_episode_end(&mut self) -> bool {
        self.add_episode(0, RECOVERY_SEQUENCE_BITS)
    }

    /// Counts what [`crate::bitwise::Episode`] reports: whole sequences in its course, and the
    /// recessive bits it ended with. Returns whether bus-off is over.
    pub fn add_episode(&mut self, sequences: u64, tail_bits: u64) -> bool {
        self.add_sequences(sequences);
        self.run = 0;
        self.add_idle_bits(tail_bits)
    }

    /// Returns true if bus-off is over.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.sequences >= RECOVERY_SEQUENCES
    }

    /// Returns after how many more idle bits bus-off is over, if nothing comes between.
    #[must_use]
    pub const fn idle_bits_left(&self) -> u64 {
        let sequences = RECOVERY_SEQUENCES.saturating_sub(self.sequences) as u64;
        (sequences * RECOVERY_SEQUENCE_BITS).saturating_sub(self.run as u64)
    }

    fn add_sequences(&mut self, sequences: u64) {
        let total = u64::from(self.sequences).saturating_add(sequences);
        self.sequences = total.min(u64::from(RECOVERY_SEQUENCES)) as u16;
    }
}
