//! States of a controller, bit by bit.

use waywarden_can::bits::Level;

use crate::bitwise::{DELIMITER_BITS, FLAG_BITS, INTERMISSION_BITS};

/// The part of the protocol that the bit at hand belongs to; after the sample, that of the next
/// bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Off,
    Idle,
    Receiving,
    Transmitting {
        /// Index of the bit in the wire.
        at: usize,
    },
    Flag {
        kind: Flag,
        /// Bits sent of an active or overload flag, 0 to 5; equal bits seen of a passive one.
        bits: u8,
        /// The level of those equal bits.
        level: Level,
        /// A passive flag after an acknowledgement error; no dominant bit seen yet.
        unanswered: bool,
    },
    /// Sends recessive and waits for the bus to follow.
    AfterFlag {
        error: bool,
        /// Dominant bits since the flag, modulo 8 but never 0 again.
        dominant: u8,
    },
    /// Has seen this many recessive bits of the delimiter, 1 to 7.
    Delimiter {
        error: bool,
        recessive: u8,
    },
    Intermission {
        bits: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    Active,
    Passive,
    Overload,
}

impl State {
    pub(super) const fn is_in_frame(&self) -> bool {
        matches!(self, State::Receiving | State::Transmitting { .. })
    }

    pub(super) const fn flag(kind: Flag) -> Self {
        State::Flag {
            kind,
            bits: 0,
            level: Level::Recessive,
            unanswered: false,
        }
    }

    /// The state of a controller that needs `bits` more recessive bits, see
    /// [`crate::bitwise::Lag`].
    pub(super) fn lagging(bits: u8) -> Self {
        let after_flag = DELIMITER_BITS + INTERMISSION_BITS;
        if bits > after_flag {
            let seen = FLAG_BITS.saturating_sub(bits - after_flag);
            let (kind, level) = (Flag::Passive, Level::Recessive);
            State::Flag {
                kind,
                bits: seen,
                level,
                unanswered: false,
            }
        } else if bits == after_flag {
            State::AfterFlag {
                error: true,
                dominant: 0,
            }
        } else if bits > INTERMISSION_BITS {
            State::Delimiter {
                error: true,
                recessive: after_flag - bits,
            }
        } else {
            State::Intermission {
                bits: INTERMISSION_BITS - bits,
            }
        }
    }
}
