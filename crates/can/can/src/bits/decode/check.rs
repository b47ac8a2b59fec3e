//! A receiver's checks of a frame: the CRC that its format selects, and the stuff count.

use super::BitError;
use super::content::Content;
use crate::bits::crc::Crc;
use crate::bits::{FD_SHORT_MAX, FdVariant, Field, stuff_count_field};

/// The receiver's own CRCs and what the frame says they should be.
#[derive(Clone, Debug)]
pub(super) struct Check {
    /// All three run until the format and the length are known.
    classic: Crc,
    fd_short: Crc,
    fd_long: Crc,
    dynamic_stuff_bits: u16,
    received_crc: u32,
    received_count: u8,
}

impl Check {
    /// Before the first bit.
    pub(super) const fn new(variant: FdVariant) -> Self {
        Check {
            classic: Crc::classic(),
            fd_short: Crc::fd_short(variant),
            fd_long: Crc::fd_long(variant),
            dynamic_stuff_bits: 0,
            received_crc: 0,
            received_count: 0,
        }
    }

    /// Takes a dynamic stuff bit, which the CRCs of FD frames cover.
    pub(super) fn take_stuff(&mut self, bit: bool) {
        self.dynamic_stuff_bits += 1;
        self.fd_short.push(bit);
        self.fd_long.push(bit);
    }

    /// Takes a bit of a field that is not stuffed.
    pub(super) fn take(&mut self, field: Field, bit: bool) {
        match field {
            Field::Crc => self.received_crc = self.received_crc << 1 | bit as u32,
            Field::CrcDelimiter | Field::AckSlot | Field::AckDelimiter | Field::EndOfFrame => {}
            _ => {
                self.classic.push(bit);
                self.fd_short.push(bit);
                self.fd_long.push(bit);
            }
        }
        if field == Field::StuffCount {
            self.received_count = self.received_count << 1 | bit as u8;
        }
    }

    /// Returns the CRC that a frame of this format and length carries.
    pub(super) fn crc(&self, content: &Content) -> Crc {
        match (content.fd, content.data_len()) {
            (false, _) => self.classic,
            (true, 0..=FD_SHORT_MAX) => self.fd_short,
            (true, _) => self.fd_long,
        }
    }

    /// Compares what the frame says with what was received, once its CRC sequence is complete.
    pub(super) fn verdict(&self, content: &Content, variant: FdVariant) -> Result<(), BitError> {
        let counted = content.fd && variant == FdVariant::Iso;
        if counted && self.received_count != stuff_count_field(self.dynamic_stuff_bits) {
            return Err(BitError::StuffCount);
        }
        if self.received_crc != self.crc(content).value() {
            return Err(BitError::Crc);
        }
        Ok(())
    }
}
