//! The memory of an authenticator over a reset: the number of its starts, the car's epoch, and the
//! counters of streams that count for themselves.
//!
//! The first slot is number of boots and epoch, the next four each have four counters. Each record
//! ends with a checksum over itself and the names of all counters, so that what was retained for
//! other streams, or damaged, is not taken for this ECU's. That is against faults, not attackers:
//! an attacker who can write the memory of an ECU can set its counters back.
//!
//! Nothing retained at all means a new ECU: **its keys must be new, too.** The first boot writes
//! every slot, the first one last, and nothing is sent before; so a part that is missing later was
//! lost. What is lost or damaged stops the authenticator for good: who empties the slots in the
//! workshop puts new keys in as well.

#[cfg(test)]
mod tests;

use waywarden_can::StandardId;
use waywarden_can::node::{Boot, Retained, Slot};
use waywarden_can_auth::secoc::Epoch;

/// Number of slots of an ECU that an authenticator has to itself, from its own on.
pub const SLOTS: u8 = 5;
/// Maximum number of ends of one authenticator that count for themselves.
pub const COUNTERS: usize = 16;

/// Counters in one slot, 48 bits each.
const IN_A_SLOT: usize = 4;
/// The limit of a counter, which no car reaches in its life.
const COUNTER_MAX: u64 = (1 << 48) - 1;
/// Bytes of a record before the checksum.
const CONTENT: usize = 28;

/// Reason that an authenticator neither sends nor takes anything, as long as it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthenticatorFault {
    /// The retained data are damaged, or a part of them is missing.
    Damaged,
    /// There were 2^32 boots under these keys: others are needed.
    BootsExhausted,
    /// The master's trip counter is at its end: another key is needed.
    TripsExhausted,
}

/// More than [`COUNTERS`] ends would count for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountersError(pub usize);

/// The values that survive a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept {
    /// Number of starts of the ECU.
    pub(super) boot: u32,
    pub(super) epoch: Option<Epoch>,
    pub(super) counters: [u64; COUNTERS],
}

/// The retained records, and the one that is being written.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    slot: Slot,
    /// Number of slots in use.
    slots: usize,
    /// A checksum of the names of the counters.
    names: u32,
    kept: Kept,
    present: [bool; SLOTS as usize],
    under_way: Option<(usize, Kept)>,
    /// The number of this boot.
    boot: u32,
}

impl Memory {
    /// Reads what earlier boots retained from `slot` on. `names` are those of the counters, in
    /// order.
    pub(super) fn read(
        slot: Slot,
        boot: &Boot<'_>,
        names: impl Iterator<Item = StandardId>,
    ) -> Result<Self, AuthenticatorFault> {
        let (mut digest, mut count) = (0, 0);
        for name in names {
            digest = checksum(digest, &name.raw().to_le_bytes());
            count += 1;
        }
        let mut memory = Memory {
            slot,
            slots: 1 + usize::div_ceil(count, IN_A_SLOT),
            names: digest,
            kept: Kept {
                boot: 0,
                epoch: None,
                counters: [0; COUNTERS],
            },
            present: [false; SLOTS as usize],
            under_way: None,
            boot: 0,
        };
        for index in 0..memory.slots {
            if let Some(record) = boot.retained(memory.slot(index)) {
                memory
                    .decode(index, record)
                    .ok_or(AuthenticatorFault::Damaged)?;
                memory.present[index] = true;
            }
        }
        let (first, others) = (memory.present[0], &memory.present[1..memory.slots]);
        let is_whole = match first {
            true => others.iter().all(|present| *present),
            false => memory.kept.counters == [0; COUNTERS],
        };
        let number = memory.kept.boot.checked_add(1);
        memory.boot = number.ok_or(AuthenticatorFault::BootsExhausted)?;
        is_whole
            .then_some(memory)
            .ok_or(AuthenticatorFault::Damaged)
    }

    /// The number of this boot.
    pub(super) const fn boot(&self) -> u32 {
        self.boot
    }

    /// Returns the retained values.
    pub(super) const fn kept(&self) -> &Kept {
        &self.kept
    }

    /// Returns true if the number of this boot is retained, so that messages may leave.
    pub(super) const fn has_begun(&self) -> bool {
        self.kept.boot == self.boot
    }

    /// Returns true if nothing is being written.
    pub(super) const fn is_at_rest(&self) -> bool {
        self.under_way.is_none()
    }

    /// Returns the next record that is to be written so that `wanted` is retained. None while one
    /// is under way.
    pub(super) fn write(&mut self, mut wanted: Kept) -> Option<(Slot, Retained)> {
        if !self.is_at_rest() {
            return None;
        }
        for counter in &mut wanted.counters {
            *counter = (*counter).min(COUNTER_MAX);
        }
        // At the first boot the first slot comes last, and nothing is counted before: once it is
        // there, all are.
        if !self.present[0] {
            wanted.counters = self.kept.counters;
        }
        let first = usize::from(!self.present[0]);
        let order = (0..self.slots).map(|turn| (turn + first) % self.slots);
        let differs = |index: &usize| !self.present[*index] || self.differs(*index, &wanted);
        let index = order.into_iter().find(differs)?;
        self.under_way = Some((index, wanted));
        Some((self.slot(index), self.encode(index, &wanted)))
    }

    /// Takes note that a slot is written; returns whether it was the one under way.
    pub(super) fn written(&mut self, slot: Slot) -> bool {
        let Some((index, wanted)) = self.under_way else {
            return false;
        };
        if self.slot(index) != slot {
            return false;
        }
        self.under_way = None;
        self.present[index] = true;
        match places(index) {
            Some(places) => {
                let wanted = &wanted.counters[places.clone()];
                self.kept.counters[places].copy_from_slice(wanted);
            }
            None => (self.kept.boot, self.kept.epoch) = (wanted.boot, wanted.epoch),
        }
        true
    }

    const fn slot(&self, index: usize) -> Slot {
        Slot(self.slot.0.wrapping_add(index as u8))
    }

    /// Returns true if a slot would have other content than it has.
    fn differs(&self, index: usize, wanted: &Kept) -> bool {
        let Kept { boot, epoch, .. } = self.kept;
        match places(index) {
            Some(places) => self.kept.counters[places.clone()] != wanted.counters[places],
            None => (boot, epoch) != (wanted.boot, wanted.epoch),
        }
    }

    fn encode(&self, index: usize, kept: &Kept) -> Retained {
        let mut record = Retained::default();
        match places(index) {
            Some(places) => {
                let fields = record[..CONTENT].chunks_exact_mut(6);
                for (field, counter) in fields.zip(&kept.counters[places]) {
                    field.copy_from_slice(&counter.to_le_bytes()[..6]);
                }
            }
            None => {
                record[..4].copy_from_slice(&kept.boot.to_le_bytes());
                if let Some(Epoch { trip, reset }) = kept.epoch {
                    record[4] = 1;
                    record[5..9].copy_from_slice(&trip.to_le_bytes());
                    record[9..13].copy_from_slice(&reset.to_le_bytes());
                }
            }
        }
        let sum = self.sum(index, &record);
        record[CONTENT..].copy_from_slice(&sum.to_le_bytes());
        record
    }

    /// Takes over what a record says; none if it is damaged.
    fn decode(&mut self, index: usize, record: &Retained) -> Option<()> {
        if record[CONTENT..] != self.sum(index, record).to_le_bytes() {
            return None;
        }
        let word = |at: usize| u32::from_le_bytes(core::array::from_fn(|byte| record[at + byte]));
        match places(index) {
            Some(places) => {
                let fields = record[..CONTENT].chunks_exact(6);
                for (counter, field) in self.kept.counters[places].iter_mut().zip(fields) {
                    let mut bytes = [0; 8];
                    bytes[..6].copy_from_slice(field);
                    *counter = u64::from_le_bytes(bytes);
                }
            }
            None => {
                self.kept.boot = word(0);
                self.kept.epoch = (record[4] == 1).then(|| Epoch {
                    trip: word(5),
                    reset: word(9),
                });
            }
        }
        Some(())
    }

    fn sum(&self, index: usize, record: &Retained) -> u32 {
        let sum = checksum(self.names, &[1, index as u8]);
        checksum(sum, &record[..CONTENT])
    }
}

/// Returns the counters that a slot has; none for the first slot.
fn places(index: usize) -> Option<core::ops::Range<usize>> {
    let first = index.checked_sub(1)? * IN_A_SLOT;
    Some(first..first + IN_A_SLOT)
}

/// CRC-32 as Ethernet has it, over what came before and these bytes.
fn checksum(before: u32, bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    let mut sum = !before;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = sum & 1;
            sum = (sum >> 1) ^ (carry * POLYNOMIAL);
        }
    }
    !sum
}

impl core::fmt::Display for AuthenticatorFault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            AuthenticatorFault::Damaged => "what was retained is damaged or in part missing",
            AuthenticatorFault::BootsExhausted => {
                "the counter of boots is used up: other keys are needed"
            }
            AuthenticatorFault::TripsExhausted => {
                "the counter of trips is used up: another key is needed"
            }
        })
    }
}

impl core::error::Error for AuthenticatorFault {}

impl core::fmt::Display for CountersError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let count = self.0;
        write!(
            f,
            "{count} ends count for themselves: {COUNTERS} of one authenticator at most"
        )
    }
}

impl core::error::Error for CountersError {}
