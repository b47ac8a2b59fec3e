//! One stretch of a bus followed bit by bit: every controller is a state machine with its own bit
//! clock, the bus is the wired AND of what they drive, and everything else follows.
//!
//! Error flags and their superposition, delimiters, overload frames, intermission, arbitration,
//! acknowledgement, colliding identifiers, double reception: none of it is scripted here, each
//! controller only does what [ISO 11898-1 §10 and §12] asks of one controller. What is idealised
//! (propagation, resynchronisation, noise between frames) is listed in `docs/bus-errors.md`.
//!
//! The engine calls [`run`] for what its fast path cannot know, from a start of frame until the
//! first controller has passed intermission and no other one will drive a dominant bit any more.

mod bit_phases;
mod bus;
mod controller;
mod strike;

#[cfg(test)]
mod tests;

pub use strike::{BitMoment, Force, STRIKES_MAX, Strike, Strikes};

use waywarden_can::Frame;
use waywarden_can::bits::{FdVariant, Field};
use waywarden_can::node::BusState;
use waywarden_can::timing::{BitTiming, Picoseconds};

use crate::confinement::{ACTIVE_MAX, ErrorCounters, FrameRole};

/// An interferer is cut off after so many bits of one episode: 131 ms at 500 kbit/s. The bus then
/// comes to rest, the episode ends and says so ([`Episode::cut_off`]); the next one may be
/// disturbed again.
pub const EPISODE_BITS_MAX: u32 = 65_536;

/// Number of recessive bits that an error-passive transmitter lets pass after intermission before
/// it starts again [ISO 11898-1 §10.4.6.4].
pub const SUSPEND_BITS: u8 = 8;

/// The longest a controller can lag behind: passive error flag, delimiter and intermission.
pub const LAG_BITS_MAX: u8 = FLAG_BITS + DELIMITER_BITS + INTERMISSION_BITS;

/// Bits of an error or overload flag.
const FLAG_BITS: u8 = 6;

/// Bits of an error or overload delimiter.
const DELIMITER_BITS: u8 = 8;

const INTERMISSION_BITS: u8 = 3;

/// One controller on the bus: its intention before the episode, its state after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusParty {
    /// Its error counters.
    pub counters: ErrorCounters,
    /// The frame it has up next. Taken out when it was sent; otherwise it is still waiting.
    ///
    /// It starts with the episode unless the party is suspended or lags behind.
    pub transmit: Option<Frame>,
    /// Number of overload frames it asks for at the next intermissions, 0 to 2; counted down.
    pub overload: u8,
    /// True if it is powered and connected. One in bus-off does not take part either.
    pub listening: bool,
    /// Before: it must not start yet, for it suspends transmission. After: it must let
    /// [`SUSPEND_BITS`] pass after its intermission.
    pub suspended: bool,
    /// Before and after: how far it is from the end of its intermission. `None` is the usual case.
    pub lag: Option<Lag>,
    /// A bit timing of its own: other sample points than the bus has, or a wrong bit rate.
    pub timing: Option<BitTiming>,
    /// Time at which it loses power or its connection in the course of the episode, from the start
    /// of frame: from then on it drives recessive, receives nothing and counts nothing.
    pub leaves: Option<Picoseconds>,
    /// Time from the start of frame after which it sends an error flag although it detected no
    /// error: with the bit after its next one in a frame; at zero at once if it is idle. After: set
    /// if it had no occasion.
    pub signals: Option<Picoseconds>,
}

/// A controller that is still in a passive error flag, a delimiter or intermission while others
/// may already start, as happens to an error-passive receiver with an error of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lag {
    /// Number of recessive bits that it still needs, 1 to [`LAG_BITS_MAX`].
    pub bits: u8,
    /// Its role in the frame before.
    pub role: FrameRole,
}

/// The result of [`run`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Episode {
    /// Time at which the first controller had passed intermission, from the start of frame. A party
    /// may start [`BusParty::hold_bits`] nominal bits later.
    pub end: Picoseconds,
    /// Events, in order of time.
    pub marks: Vec<BitMark>,
    /// End of the last dominant bit; the end of the episode if the bus is dominant there.
    pub quiet_from: Picoseconds,
    /// Number of sequences of 11 recessive bits before the last dominant bit.
    pub recessive_sequences: u64,
    /// Nominal bits from the last dominant bit to the end, a part of a bit counted as one.
    pub recessive_tail_bits: u64,
    /// True if an interferer was cut off after [`EPISODE_BITS_MAX`].
    pub cut_off: bool,
}

/// One event of one party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitMark {
    /// Time from the start of frame: errors at the sample point, flags at their first bit,
    /// [`MarkKind::Received`] and [`MarkKind::Sent`] at the end of the bit.
    pub at: Picoseconds,
    /// Index of the party.
    pub party: usize,
    /// The kind of event.
    pub kind: MarkKind,
}

/// The kind of an event in an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// It began to send this frame (ESI as it goes out).
    Started(Frame),
    /// It lost arbitration and receives from here on.
    LostArbitration(BitPlace),
    /// It accepted this frame: the last bit but one of end of frame was good.
    Received(Frame),
    /// Its frame was sent: the last bit of end of frame was good.
    Sent,
    /// It detected an error.
    Error {
        /// The error.
        kind: ErrorKind,
        /// The bit in which it was detected.
        place: BitPlace,
    },
    /// It began an error flag.
    ErrorFlag {
        /// Six dominant bits, or six recessive ones.
        active: bool,
    },
    /// It began an overload flag.
    OverloadFlag,
    /// Its error counters changed.
    Counters {
        /// The transmit error counter.
        tec: u16,
        /// The receive error counter.
        rec: u16,
    },
    /// Its state changed.
    State(BusState),
    /// A strike changed what at least one party sampled. The mark's party is the one whose bits
    /// the strikes were timed by.
    Disturbed {
        /// The interferer, see [`Strikes::attribute_to`].
        by: usize,
        /// The place of that party.
        place: BitPlace,
        /// The one party that saw it, if not all did.
        only: Option<usize>,
    },
}

/// The five errors [ISO 11898-1 §10.11].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A bit came out other than it was sent.
    Bit,
    /// A sixth equal bit.
    Stuff,
    /// CRC sequence or stuff count do not match.
    Crc,
    /// A bit of fixed level had the other one.
    Form,
    /// No node acknowledged.
    Acknowledgement,
}

/// The stage that a controller is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waiting for a start of frame.
    Idle,
    /// In this field of a frame. A receiver calls RTR also what turns out to be SRR or RRS.
    Frame(Field),
    /// Sending an error flag.
    ErrorFlag {
        /// Dominant, or recessive.
        active: bool,
    },
    /// After its error flag, up to the eighth recessive bit.
    ErrorDelimiter,
    /// Sending an overload flag.
    OverloadFlag,
    /// After its overload flag, up to the eighth recessive bit.
    OverloadDelimiter,
    /// In the three bits after a frame or delimiter.
    Intermission,
    /// Off the bus.
    Off,
}

/// A bit as one controller counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitPlace {
    /// The stage that the bit belongs to.
    pub stage: Stage,
    /// Bits since the last start of frame, which is bit 0; stuff bits count.
    pub bit: u32,
}

/// Follows the bus until it can be left to itself again; updates the parties.
///
/// All parties hear a start of frame at time zero if one of them starts or a strike makes one.
/// `strike` is asked at the beginning of each bit of the sending party (or of another one that is
/// not idle) and says what to force on the bus; `|_, _| {}` leaves it alone. Takes time in
/// proportion to bits times parties: some 0.1 ms for a classic frame and a few parties.
///
/// The episode is bounded: strikes end after [`EPISODE_BITS_MAX`], and without them every machine
/// comes to rest within a frame's length.
pub fn run(
    timing: &BitTiming,
    variant: FdVariant,
    parties: &mut [BusParty],
    strike: &mut dyn FnMut(&BitMoment<'_>, &mut Strikes),
) -> Episode {
    bus::Bus::new(timing, variant, parties).run(strike, parties)
}

impl BusParty {
    /// A listening controller with nothing to send.
    #[must_use]
    pub const fn receiver() -> Self {
        BusParty {
            counters: ErrorCounters::new(),
            transmit: None,
            overload: 0,
            listening: true,
            suspended: false,
            lag: None,
            timing: None,
            leaves: None,
            signals: None,
        }
    }

    /// Follows the bus and never drives it: gives time to a bus on which no node listens.
    #[must_use]
    pub(crate) fn observer() -> Self {
        // Its error flags are passive, and no node sends what it could acknowledge.
        BusParty::receiver().with_counters(ErrorCounters::with(0, ACTIVE_MAX + 1))
    }

    /// A controller with a frame to send.
    #[must_use]
    pub const fn sender(frame: Frame) -> Self {
        let mut party = Self::receiver();
        party.transmit = Some(frame);
        party
    }

    /// Returns the same controller with these counters.
    #[must_use]
    pub const fn with_counters(mut self, counters: ErrorCounters) -> Self {
        self.counters = counters;
        self
    }

    /// Returns how many nominal bits after the end of the episode this party may start.
    #[must_use]
    pub fn hold_bits(&self) -> u8 {
        let lag = self.lag.map_or(0, |lag| lag.bits);
        lag + if self.suspended { SUSPEND_BITS } else { 0 }
    }

    /// Lets the party see recessive bits between two episodes.
    pub fn idle(&mut self, bits: u64) {
        self.suspended &= bits < u64::from(self.hold_bits());
        self.lag = self.lag.and_then(|lag| {
            let left = u64::from(lag.bits).saturating_sub(bits) as u8;
            (left > 0).then_some(Lag { bits: left, ..lag })
        });
    }
}

impl Episode {
    /// Leaves out what the observer beyond these parties made of it: the episode is over with the
    /// last dominant bit.
    pub(crate) fn end_without_observer(&mut self, parties: usize) {
        let struck = |mark: &BitMark| matches!(mark.kind, MarkKind::Disturbed { .. });
        self.marks
            .retain(|mark| mark.party < parties || struck(mark));
        self.end = self.quiet_from;
        self.recessive_tail_bits = 0;
    }
}

impl BitPlace {
    /// Returns the customary name of the field or of the stage.
    #[must_use]
    pub const fn field_name(&self) -> &'static str {
        match self.stage {
            Stage::Frame(field) => field.abbreviation(),
            Stage::Idle => "idle",
            Stage::ErrorFlag { .. } => "error flag",
            Stage::ErrorDelimiter => "error delimiter",
            Stage::OverloadFlag => "overload flag",
            Stage::OverloadDelimiter => "overload delimiter",
            Stage::Intermission => "intermission",
            Stage::Off => "bus-off",
        }
    }
}

impl ErrorKind {
    /// Returns the name: `bit`, `stuff`, `crc`, `form`, `ack`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ErrorKind::Bit => "bit",
            ErrorKind::Stuff => "stuff",
            ErrorKind::Crc => "crc",
            ErrorKind::Form => "form",
            ErrorKind::Acknowledgement => "ack",
        }
    }
}
