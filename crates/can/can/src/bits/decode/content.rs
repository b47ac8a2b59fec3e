//! The meaning of a frame's bits: identifier, format, length and data, and the frame at the end.

use crate::bits::Field;
use crate::frame::{DATA_MAX, FD_LENGTHS, Format, Frame};
use crate::id::{ExtendedId, Id, StandardId};

/// The meaning of the bits taken so far.
#[derive(Clone, Debug)]
pub(super) struct Content {
    base: u32,
    pub(super) extension: Option<u32>,
    remote: bool,
    pub(super) fd: bool,
    switch: bool,
    passive: bool,
    dlc: u8,
    data: [u8; DATA_MAX],
    data_bits: usize,
}

impl Content {
    /// The content before the first bit.
    pub(super) const EMPTY: Self = Content {
        base: 0,
        extension: None,
        remote: false,
        fd: false,
        switch: false,
        passive: false,
        dlc: 0,
        data: [0; DATA_MAX],
        data_bits: 0,
    };

    /// Takes a bit of a field that is not stuffed.
    pub(super) fn take(&mut self, field: Field, bit: bool) {
        match field {
            Field::Identifier => self.base = self.base << 1 | bit as u32,
            // The bit before IDE comes first and is overwritten where it turns out to be SRR.
            Field::RemoteTransmissionRequest => self.remote = bit,
            Field::IdentifierExtension if bit => self.extension = Some(0),
            Field::ExtendedIdentifier => {
                self.extension = self.extension.map(|low| low << 1 | bit as u32);
            }
            Field::FdFormat => self.fd = bit,
            Field::BitRateSwitch => self.switch = bit,
            Field::ErrorStateIndicator => self.passive = bit,
            Field::DataLengthCode => self.dlc = self.dlc << 1 | bit as u8,
            Field::Data => {
                // The field is never longer than the data length code says: 512 bits.
                let byte = &mut self.data[self.data_bits / 8];
                *byte = *byte << 1 | bit as u8;
                self.data_bits += 1;
            }
            _ => {}
        }
    }

    /// Returns the number of data bytes, once the length code is complete.
    pub(super) fn data_len(&self) -> usize {
        match (self.fd, self.remote) {
            (true, _) => FD_LENGTHS[self.dlc as usize & 15] as usize,
            (false, true) => 0,
            (false, false) => self.dlc.min(8) as usize,
        }
    }

    /// Returns the frame, once all its fields are complete.
    pub(super) fn frame(&self) -> Frame {
        let id = match self.extension {
            None => Id::Standard(StandardId::from_low_bits(self.base as u16)),
            Some(low) => Id::Extended(ExtendedId::from_low_bits(self.base << 18 | low)),
        };
        let format = match (self.fd, self.remote) {
            (true, _) => Format::Fd {
                bit_rate_switch: self.switch,
                error_state_indicator: self.passive,
            },
            (false, true) => Format::Remote,
            (false, false) => Format::Classic,
        };
        Frame::filled(id, format, self.dlc, &self.data[..self.data_len()])
    }
}
