//! Records with another frame in them.

use waywarden_can::Frame;
use waywarden_can_log::{Direction, LogEntry, Record};

/// Returns the record with another frame, in the same direction.
pub(crate) fn with_frame(record: &Record, frame: Frame) -> Record {
    let direction = match record.entry {
        LogEntry::Frame { direction, .. } => direction,
        LogEntry::ErrorFrame(_) => None,
    };
    with_direction(record, frame, direction)
}

/// Returns a record at the same time on the same channel for a frame that the logging node did not
/// see.
pub(crate) fn inserted(record: &Record, frame: Frame) -> Record {
    with_direction(record, frame, None)
}

fn with_direction(record: &Record, frame: Frame, direction: Option<Direction>) -> Record {
    let entry = LogEntry::Frame { frame, direction };
    Record { entry, ..*record }
}
