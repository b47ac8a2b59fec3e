//! The format of a protected frame beside that of the frame that it replaces.

use waywarden_can::{FdFlags, Format, Frame};
use waywarden_can_auth::error::ProtectError;
use waywarden_can_auth::paired::WireForm;

use crate::error::ProtectStreamError;
use crate::plan::AuthenticationTable;

/// Refuses a frame that would not come back as it was.
pub(super) fn check(table: &AuthenticationTable, frame: &Frame) -> Result<(), ProtectStreamError> {
    let is_fd = frame.is_fd();
    if table.wire().is_some() && is_fd {
        return Err(ProtectStreamError::FdUnsupported);
    }
    if table.widens && is_fd && frame.data_len() <= 8 {
        return Err(ProtectStreamError::FdAlready);
    }
    // vatiCAN leaves the message's frame alone.
    let is_remade = table.wire() != Some(WireForm::Vatican);
    if is_remade && !is_fd && frame.dlc() > 8 {
        return Err(ProtectStreamError::LengthCode(frame.dlc()));
    }
    Ok(())
}

/// Says why a message is not protected.
pub(super) fn refusal(
    table: &AuthenticationTable,
    error: ProtectError,
    frame: &Frame,
) -> ProtectStreamError {
    let (ProtectError::Length(length), Some(profile)) = (error, table.profile()) else {
        return error.into();
    };
    if table.is_separate(frame.id()) {
        return error.into();
    }
    let trailer = profile.trailer_length();
    match table.widens || frame.is_fd() {
        false => ProtectStreamError::NoRoom { length, trailer },
        true => ProtectStreamError::OtherLength { length },
    }
}

/// Returns a secured CAN FD frame with the flags of the message's.
pub(super) fn with_flags_of(sealed: Frame, frame: &Frame) -> Frame {
    match frame.format() {
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } if sealed.is_fd() => {
            let (id, data) = (sealed.id(), sealed.data());
            Frame::fd_with(
                id,
                data,
                FdFlags {
                    bit_rate_switch,
                    error_state_indicator,
                },
            )
            .unwrap_or(sealed)
        }
        _ => sealed,
    }
}
