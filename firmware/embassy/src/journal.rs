//! Values that survive a loss of power, in two sectors of flash.
//!
//! Each value is appended to the sector in use, with a sum; one that was cut short has a wrong sum
//! and does not count. A full sector's values go to the other one, whose head is written last:
//! until then the first is the one in use.

use embedded_storage::nor_flash::NorFlash;
use waywarden_can::node::{Retained, Slot};

/// The slots of an ECU.
pub(crate) const SLOTS: usize = 16;

/// The last two sectors of an STM32F405, 128 KB each, in which nothing is linked.
const SECTORS: [u32; 2] = [0xC_0000, 0xE_0000];
const SECTOR: u32 = 0x2_0000;
/// Bytes of an entry: the slot in four, the value, the sum in four. The head is one as well.
const ENTRY: usize = 40;
/// The slot of a head, whose value starts with the number of the sector's use.
const HEAD: u32 = 0x4844_4541;

/// The values, and the place of the next one.
pub(crate) struct Journal<F> {
    flash: F,
    sector: usize,
    uses: u32,
    end: u32,
    values: [Option<Retained>; SLOTS],
}

/// Error of flash that cannot be written.
pub(crate) struct FlashError;

impl<F: NorFlash> Journal<F> {
    /// Reads what is there. Flash that was never written has nothing.
    pub(crate) fn open(flash: F) -> Self {
        let mut journal = Journal {
            flash,
            sector: 0,
            // No sector is in use: the first value makes one so.
            uses: 0,
            end: SECTOR,
            values: [None; SLOTS],
        };
        for sector in 0..SECTORS.len() {
            let uses = journal.uses_of(sector);
            if uses > journal.uses {
                (journal.sector, journal.uses) = (sector, uses);
            }
        }
        if journal.uses > 0 {
            journal.read_values();
        }
        journal
    }

    /// Copies the values with their slots; returns their number.
    pub(crate) fn slots(&self, into: &mut [(Slot, Retained); SLOTS]) -> usize {
        let stored = self.values.iter().enumerate();
        let stored = stored.filter_map(|(at, value)| Some((Slot(at as u8), (*value)?)));
        let places = into.iter_mut().zip(stored);
        places.map(|(place, stored)| *place = stored).count()
    }

    /// Stores a value; returns when it survives.
    pub(crate) fn store(&mut self, slot: Slot, value: &Retained) -> Result<(), FlashError> {
        let place = self.values.get_mut(usize::from(slot.0));
        *place.ok_or(FlashError)? = Some(*value);
        match self.end + ENTRY as u32 <= SECTOR {
            true => self.append(u32::from(slot.0), value),
            false => self.move_on(),
        }
    }

    fn uses_of(&mut self, sector: usize) -> u32 {
        match self.read(sector, 0) {
            Some((HEAD, value)) => u32::from_le_bytes([value[0], value[1], value[2], value[3]]),
            _ => 0,
        }
    }

    /// Reads the entries up to the first that was never written.
    fn read_values(&mut self) {
        self.end = ENTRY as u32;
        while self.end + ENTRY as u32 <= SECTOR && !self.is_blank(self.end) {
            if let Some((slot, value)) = self.read(self.sector, self.end)
                && let Some(place) = self.values.get_mut(slot as usize)
            {
                *place = Some(value);
            }
            self.end += ENTRY as u32;
        }
    }

    /// Writes all values to the other sector, and uses it from there on.
    fn move_on(&mut self) -> Result<(), FlashError> {
        self.sector = 1 - self.sector;
        let start = SECTORS[self.sector];
        let erased = self.flash.erase(start, start + SECTOR);
        erased.map_err(|_| FlashError)?;
        self.end = ENTRY as u32;
        for slot in 0..SLOTS {
            if let Some(value) = self.values[slot] {
                self.append(slot as u32, &value)?;
            }
        }
        self.uses += 1;
        let mut head = Retained::default();
        head[..4].copy_from_slice(&self.uses.to_le_bytes());
        self.write(0, HEAD, &head)
    }

    fn append(&mut self, slot: u32, value: &Retained) -> Result<(), FlashError> {
        let at = self.end;
        self.end += ENTRY as u32;
        self.write(at, slot, value)
    }

    /// Writes an entry, and reads it back.
    fn write(&mut self, at: u32, slot: u32, value: &Retained) -> Result<(), FlashError> {
        let mut entry = [0; ENTRY];
        entry[..4].copy_from_slice(&slot.to_le_bytes());
        entry[4..36].copy_from_slice(value);
        let sum = sum(&entry[..36]);
        entry[36..].copy_from_slice(&sum.to_le_bytes());
        let written = self.flash.write(SECTORS[self.sector] + at, &entry);
        written.map_err(|_| FlashError)?;
        let read = self.read(self.sector, at);
        read.is_some_and(|found| found == (slot, *value))
            .then_some(())
            .ok_or(FlashError)
    }

    fn read(&mut self, sector: usize, at: u32) -> Option<(u32, Retained)> {
        let mut entry = [0; ENTRY];
        self.flash.read(SECTORS[sector] + at, &mut entry).ok()?;
        let word = |at: usize| {
            entry[at..]
                .first_chunk()
                .map(|word| u32::from_le_bytes(*word))
        };
        let value = entry[4..].first_chunk::<32>()?;
        (word(36)? == sum(&entry[..36])).then_some((word(0)?, *value))
    }

    fn is_blank(&mut self, at: u32) -> bool {
        let mut entry = [0; ENTRY];
        let read = self.flash.read(SECTORS[self.sector] + at, &mut entry);
        read.is_ok() && entry == [0xFF; ENTRY]
    }
}

/// FNV-1a: against entries that were cut short, not against people. Blank flash has another.
fn sum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811C_9DC5, |sum, byte| {
        (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}
