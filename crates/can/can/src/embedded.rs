//! The traits of [`embedded_can`], so that a driver of a microcontroller's CAN controller takes and
//! gives [`Frame`]s. They know classic frames alone: a CAN FD frame has a data length code above 8
//! or more than 8 bytes of data there, and [`embedded_can::Frame::new`] makes none.

use crate::frame::{Format, Frame};
use crate::id::{ExtendedId, Id, StandardId};

impl From<StandardId> for embedded_can::StandardId {
    fn from(id: StandardId) -> Self {
        Self::new(id.raw()).unwrap_or(Self::MAX)
    }
}

impl From<ExtendedId> for embedded_can::ExtendedId {
    fn from(id: ExtendedId) -> Self {
        Self::new(id.raw()).unwrap_or(Self::MAX)
    }
}

impl From<Id> for embedded_can::Id {
    fn from(id: Id) -> Self {
        match id {
            Id::Standard(id) => Self::Standard(id.into()),
            Id::Extended(id) => Self::Extended(id.into()),
        }
    }
}

impl From<embedded_can::Id> for Id {
    fn from(id: embedded_can::Id) -> Self {
        match id {
            embedded_can::Id::Standard(id) => StandardId::from_low_bits(id.as_raw()).into(),
            embedded_can::Id::Extended(id) => ExtendedId::from_low_bits(id.as_raw()).into(),
        }
    }
}

impl embedded_can::Frame for Frame {
    /// Makes a classic data frame; none for more than 8 bytes.
    fn new(id: impl Into<embedded_can::Id>, data: &[u8]) -> Option<Self> {
        Frame::classic(id.into(), data).ok()
    }

    /// Makes a remote frame; none for a data length code above 8.
    fn new_remote(id: impl Into<embedded_can::Id>, dlc: usize) -> Option<Self> {
        let dlc = u8::try_from(dlc).ok().filter(|dlc| *dlc <= 8)?;
        Frame::remote(id.into(), dlc).ok()
    }

    fn is_extended(&self) -> bool {
        self.id().is_extended()
    }

    fn is_remote_frame(&self) -> bool {
        self.format() == Format::Remote
    }

    fn id(&self) -> embedded_can::Id {
        Frame::id(self).into()
    }

    /// Returns the data length code; above 8 for CAN FD frames with more than 8 bytes, and for
    /// classic frames that were received so.
    fn dlc(&self) -> usize {
        Frame::dlc(self).into()
    }

    fn data(&self) -> &[u8] {
        Frame::data(self)
    }
}

#[cfg(test)]
mod tests {
    use embedded_can::Frame as _;

    use super::*;

    /// Frames of every identifier and length, made by the trait and read by it.
    #[test]
    fn frames_pass_unchanged_in_both_directions() {
        let ids = [0_u32, 1, 0x7FF, 0x800, 0x1FFF_FFFF];
        for raw in ids {
            let own = [
                Id::standard(raw as u16).ok().filter(|_| raw <= 0x7FF),
                Id::extended(raw).ok(),
            ];
            for id in own.into_iter().flatten() {
                let there = embedded_can::Id::from(id);
                assert_eq!(Id::from(there), id);
                for length in 0..=8 {
                    let data = [0xA5; 8];
                    let frame =
                        <Frame as embedded_can::Frame>::new(there, &data[..length]).unwrap();
                    assert_eq!(frame, Frame::classic(id, &data[..length]).unwrap());
                    let read = (
                        embedded_can::Frame::id(&frame),
                        frame.is_extended(),
                        frame.is_standard(),
                    );
                    assert_eq!(read, (there, id.is_extended(), !id.is_extended()));
                    assert_eq!(embedded_can::Frame::dlc(&frame), length);
                    assert!(frame.is_data_frame() && !frame.is_remote_frame());
                    let remote = <Frame as embedded_can::Frame>::new_remote(there, length).unwrap();
                    assert!(
                        remote.is_remote_frame() && embedded_can::Frame::data(&remote).is_empty()
                    );
                    assert_eq!(embedded_can::Frame::dlc(&remote), length);
                }
            }
        }
        let id = embedded_can::StandardId::ZERO;
        assert!(<Frame as embedded_can::Frame>::new(id, &[0; 9]).is_none());
        assert!(<Frame as embedded_can::Frame>::new_remote(id, 9).is_none());
        let fd = Frame::fd(Id::from(embedded_can::Id::from(id)), &[0; 64]).unwrap();
        assert_eq!((embedded_can::Frame::dlc(&fd), fd.data().len()), (15, 64));
    }
}
