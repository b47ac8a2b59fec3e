//! Frames of CAN and CAN FD.

use waywarden_can::frame::DATA_MAX;
use waywarden_can::{ExtendedId, FdFlags, Format, Frame, Id, StandardId};

use crate::status::Status;

/// The identifier has 29 bits.
pub const WAYWARDEN_EXTENDED: u8 = 1;
/// A CAN FD frame.
pub const WAYWARDEN_FD: u8 = 2;
/// The bit rate is switched in the data phase (CAN FD).
pub const WAYWARDEN_BIT_RATE_SWITCH: u8 = 4;
/// A remote frame: `length` is its length code, and there are no data (classic CAN).
pub const WAYWARDEN_REMOTE: u8 = 8;
/// The sender is error-passive (CAN FD).
pub const WAYWARDEN_ERROR_STATE_INDICATOR: u8 = 16;

/// A frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanFrame {
    /// 0 to 0x7FF; with WAYWARDEN_EXTENDED 0 to 0x1FFFFFFF.
    pub identifier: u32,
    /// Any of WAYWARDEN_EXTENDED, _FD, _BIT_RATE_SWITCH, _REMOTE, _ERROR_STATE_INDICATOR.
    pub flags: u8,
    /// Bytes of data: 0 to 8; with WAYWARDEN_FD 0 to 8, 12, 16, 20, 24, 32, 48, 64.
    pub length: u8,
    /// The data. Bytes behind `length` are not read, and are zero in frames of the library.
    pub data: [u8; 64],
}

const ALL: u8 = WAYWARDEN_EXTENDED
    | WAYWARDEN_FD
    | WAYWARDEN_BIT_RATE_SWITCH
    | WAYWARDEN_REMOTE
    | WAYWARDEN_ERROR_STATE_INDICATOR;

/// Returns the identifier that a number is.
pub(crate) fn identifier(raw: u32, is_extended: bool) -> Result<Id, Status> {
    let id = match is_extended {
        true => ExtendedId::new(raw).map(Id::Extended).ok(),
        false => {
            let raw = u16::try_from(raw).ok();
            raw.and_then(|raw| StandardId::new(raw).ok())
                .map(Id::Standard)
        }
    };
    id.ok_or(Status::Identifier)
}

impl CanFrame {
    /// Returns the frame of the library.
    pub(crate) fn frame(&self) -> Result<Frame, Status> {
        let has = |flag| self.flags & flag != 0;
        let is_fd = has(WAYWARDEN_FD);
        let of_fd = WAYWARDEN_BIT_RATE_SWITCH | WAYWARDEN_ERROR_STATE_INDICATOR;
        if self.flags & !ALL != 0 || is_fd && has(WAYWARDEN_REMOTE) || !is_fd && has(of_fd) {
            return Err(Status::Frame);
        }
        let id = identifier(self.identifier, has(WAYWARDEN_EXTENDED))?;
        let data = self.data.get(..usize::from(self.length));
        let data = data.ok_or(Status::Frame)?;
        let made = match (is_fd, has(WAYWARDEN_REMOTE)) {
            (true, _) => Frame::fd_with(
                id,
                data,
                FdFlags {
                    bit_rate_switch: has(WAYWARDEN_BIT_RATE_SWITCH),
                    error_state_indicator: has(WAYWARDEN_ERROR_STATE_INDICATOR),
                },
            ),
            (false, true) => Frame::remote(id, self.length),
            (false, false) => Frame::classic(id, data),
        };
        made.map_err(|_| Status::Frame)
    }
}

impl From<&Frame> for CanFrame {
    fn from(frame: &Frame) -> Self {
        let extended = match frame.id().is_extended() {
            true => WAYWARDEN_EXTENDED,
            false => 0,
        };
        let (format, length) = match frame.format() {
            Format::Classic => (0, frame.data_len() as u8),
            Format::Remote => (WAYWARDEN_REMOTE, frame.dlc()),
            Format::Fd {
                bit_rate_switch,
                error_state_indicator,
            } => {
                let rate = WAYWARDEN_BIT_RATE_SWITCH * u8::from(bit_rate_switch);
                let state = WAYWARDEN_ERROR_STATE_INDICATOR * u8::from(error_state_indicator);
                (WAYWARDEN_FD | rate | state, frame.data_len() as u8)
            }
        };
        let mut data = [0; DATA_MAX];
        data[..frame.data_len()].copy_from_slice(frame.data());
        CanFrame {
            identifier: frame.id().raw(),
            flags: extended | format,
            length,
            data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_testkit::{Random, cases};

    /// Any bytes: a frame that is taken comes back as it was, but for bytes behind its length.
    #[test]
    fn frames_come_back_and_others_are_refused() {
        let mut random = Random::of_test("frames_come_back");
        let mut taken = 0;
        for _ in 0..cases(20_000) {
            let given = CanFrame {
                identifier: random.u64() as u32 >> random.below(32),
                flags: random.below(40) as u8,
                length: random.below(70) as u8,
                data: random.array(),
            };
            let Ok(frame) = given.frame() else { continue };
            taken += 1;
            let back = CanFrame::from(&frame);
            let count = frame.data_len();
            assert_eq!(back.data[..count], given.data[..count]);
            assert!(back.data[count..].iter().all(|byte| *byte == 0));
            let same = CanFrame {
                data: back.data,
                ..given
            };
            assert_eq!(back, same);
        }
        assert!(taken > 100, "{taken} frames were taken");
    }
}
