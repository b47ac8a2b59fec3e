//! A protected frame in the shape of the one that it replaces.

use waywarden_can::{Format, Frame};
use waywarden_can_log::{Direction, Entry, Record};

/// Says why a message is not protected whose form is not the stream's: it would come back in
/// another.
pub(super) fn other_form(frame: &Frame) -> String {
    let (own, others) = match frame.is_fd() {
        true => ("CAN FD", "classic"),
        false => ("a classic frame", "CAN FD"),
    };
    format!(
        "{own}, where messages of this stream are {others}; leave its identifier out with `except`"
    )
}

/// A secured CAN FD frame with the flags of the message's.
pub(super) fn with_flags_of(sealed: Frame, frame: &Frame) -> Frame {
    match frame.format() {
        Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } if sealed.is_fd() => {
            let (id, data) = (sealed.id(), sealed.data());
            Frame::fd_with(id, data, bit_rate_switch, error_state_indicator).unwrap_or(sealed)
        }
        _ => sealed,
    }
}

/// The record with another frame.
pub(super) fn with(record: &Record, frame: Frame, direction: Option<Direction>) -> Record {
    let entry = Entry::Frame { frame, direction };
    Record { entry, ..*record }
}

pub(super) fn direction(record: &Record) -> Option<Direction> {
    match record.entry {
        Entry::Frame { direction, .. } => direction,
        Entry::ErrorFrame(_) => None,
    }
}
