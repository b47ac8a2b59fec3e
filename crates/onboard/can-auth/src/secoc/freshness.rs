//! The position of a stream, and the positions from which a frame may be.

use super::bits::mask;
use super::profile::{FreshnessWidths, SecocProfile};

/// An announcement of a freshness master: the trip, and the number of times that the counters of
/// messages restarted in it. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch {
    /// The car's trip counter: one more at each start of the master.
    pub trip: u32,
    /// The reset counter in the trip: one more with each synchronisation message.
    pub reset: u32,
}

/// The epochs in which an ECU may send and take messages. A master or a follower hands them to the
/// streams of its ECU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreshnessState {
    /// Epochs up to this one are over: they were in use before the ECU started.
    pub(super) after: Option<Epoch>,
    /// The last one announced.
    pub(super) latest: Option<Epoch>,
    /// Epochs up to this one are marked as used, should the ECU start again.
    pub(super) until: Option<Epoch>,
}

/// A full freshness value, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FreshnessValue {
    /// Trip and reset counter; none where freshness is not synchronised.
    pub epoch: Option<Epoch>,
    /// The counter of messages; none of an announcement.
    pub message: Option<u64>,
}

/// A full freshness value as counters. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) epoch: Epoch,
    pub(super) message: u64,
}

/// Possible distances of a sender's epoch from the receiver's, in the order of the tries: the five
/// rows of the annex of \[AUTOSAR-SECOC §11\].
const OFFSETS: [i64; 5] = [0, -1, 1, -2, 2];
/// Number of them to try without a flag in the frame: a message that was protected just before an
/// announcement may arrive after it.
const OFFSETS_WITHOUT_FLAG: usize = 2;

impl Epoch {
    /// The only one where nothing is synchronised.
    pub(super) const NONE: Self = Epoch { trip: 0, reset: 0 };

    /// The one `offset` resets on in the same trip.
    fn step(self, offset: i64) -> Option<Self> {
        let reset = u32::try_from(i64::from(self.reset) + offset).ok()?;
        Some(Epoch { reset, ..self })
    }
}

impl FreshnessState {
    /// For streams whose freshness is not synchronised.
    pub const UNSYNCHRONISED: Self = FreshnessState {
        after: None,
        latest: Some(Epoch::NONE),
        until: Some(Epoch::NONE),
    };

    /// The state without any announcement: streams whose freshness is synchronised neither send
    /// nor take anything.
    pub const NONE: Self = FreshnessState {
        after: None,
        latest: None,
        until: None,
    };

    /// Returns true if synchronised messages can be sent and taken.
    #[must_use]
    pub fn is_synchronised(&self) -> bool {
        self.current().is_some()
    }

    /// The epoch that own messages belong to; none before the first announcement, or before what
    /// it takes was retained.
    pub(super) fn current(&self) -> Option<Epoch> {
        self.latest.filter(|latest| self.holds(*latest))
    }

    /// Returns true if messages of an epoch may be taken.
    fn holds(&self, epoch: Epoch) -> bool {
        self.after < Some(epoch) && Some(epoch) <= self.until
    }
}

impl FreshnessWidths {
    /// The full value, its last bit last.
    pub(super) fn value(self, at: Position) -> u64 {
        let flag = u64::from(at.epoch.reset) & mask(usize::from(self.flag)) as u64;
        // All counters together have 64 bits at most, and each fits its own.
        let mut value = u128::from(at.epoch.trip);
        value = value << self.reset | u128::from(at.epoch.reset);
        value = value << self.message | u128::from(at.message);
        value = value << self.flag | u128::from(flag);
        value as u64
    }

    /// The full value as it goes into the code: from the first bit of the first byte on, filled up
    /// with zero bits. With the number of bytes.
    pub(super) fn bytes(self, at: Position) -> ([u8; 8], usize) {
        match self.bits() {
            0 => ([0; 8], 0),
            bits => {
                let bytes = (self.value(at) << (64 - bits)).to_be_bytes();
                (bytes, bits.div_ceil(8) as usize)
            }
        }
    }

    /// Returns the position as reported in events: none without counters.
    pub(super) fn freshness_value(self, at: Position) -> Option<FreshnessValue> {
        (self.message > 0).then_some(FreshnessValue {
            epoch: self.is_synchronised().then_some(at.epoch),
            message: Some(at.message),
        })
    }

    /// The last value the counter of messages has.
    pub(super) const fn message_max(self) -> u64 {
        mask(self.message as usize) as u64
    }
}

impl SecocProfile {
    /// Returns the truncated freshness value of a position, as it is sent.
    pub(super) fn truncate(&self, at: Position) -> u64 {
        self.freshness.value(at) & mask(usize::from(self.truncated)) as u64
    }

    /// The lowest freshness that the next message may have in the epoch `latest`; none while the
    /// counter of messages is at its end, and in profiles without freshness.
    pub(super) fn expected(self, last: Option<Position>, latest: Epoch) -> Option<FreshnessValue> {
        let next = match last {
            Some(last) if last.epoch >= latest => Position {
                message: last.message.checked_add(1)?,
                ..last
            },
            _ => Position {
                epoch: latest,
                message: 0,
            },
        };
        let next = Some(next).filter(|next| next.message <= self.freshness.message_max());
        self.freshness.freshness_value(next?)
    }

    /// The positions that a frame with these bits may be from, likeliest first, at most as many as
    /// there are attempts: all above `last`, all within the freshness state.
    ///
    /// The epoch is the nearest with the flag that travels; without one the last announced, then
    /// the one before, whose messages may be under way still. The counter of messages is the lowest
    /// above the last one with those low bits, then the next ones.
    pub(super) fn candidates(
        self,
        last: Option<Position>,
        freshness_state: FreshnessState,
        truncated: u64,
    ) -> impl Iterator<Item = Position> {
        let FreshnessWidths { message, flag, .. } = self.freshness;
        let flag_mask = mask(if self.truncated > 0 { flag.into() } else { 0 }) as u64;
        let low = truncated >> if self.truncated > 0 { flag } else { 0 };
        // A flag leaves one epoch, or two that lie far apart. Without one each further epoch would
        // take its share of the attempts.
        let offsets = if flag_mask == 0 {
            OFFSETS_WITHOUT_FLAG
        } else {
            OFFSETS.len()
        };
        let carries = if message == 0 {
            1
        } else {
            u64::from(self.attempts)
        };
        (0..carries)
            .flat_map(move |carry| {
                OFFSETS.into_iter().take(offsets).filter_map(move |offset| {
                    let epoch = freshness_state.latest?.step(offset)?;
                    if !freshness_state.holds(epoch)
                        || (u64::from(epoch.reset) ^ truncated) & flag_mask != 0
                    {
                        return None;
                    }
                    let from = lowest(last, epoch)?;
                    let message = self.ahead(from, low, carry)?;
                    Some(Position { epoch, message })
                })
            })
            .take(usize::from(self.attempts))
    }

    /// The `carry`th counter from `from` on with these low bits, if there is one.
    pub(super) fn ahead(&self, from: u64, low: u64, carry: u64) -> Option<u64> {
        let range = 1u128 << self.message_bits();
        let from = u128::from(from);
        let distance = u128::from(low).wrapping_sub(from) & (range - 1);
        let counter = from + distance + u128::from(carry) * range;
        (counter <= u128::from(self.freshness.message_max())).then_some(counter as u64)
    }
}

/// The lowest counter that is new in an epoch; none in an epoch that is over.
pub(super) fn lowest(last: Option<Position>, epoch: Epoch) -> Option<u64> {
    match last {
        Some(last) if last.epoch > epoch => None,
        Some(last) if last.epoch == epoch => last.message.checked_add(1),
        _ => Some(0),
    }
}
