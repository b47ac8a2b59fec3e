//! What to do about a log that cannot be protected or checked, where an option of the command
//! helps.

use waywarden_can_auth_log::{
    AnnouncementError, CheckLogError, ProtectLogError, ProtectStreamError, UnknownBusError,
};

/// Says why a record cannot be protected.
pub(super) fn of_protect(error: &ProtectLogError) -> String {
    match error {
        ProtectLogError::UnknownBus(error) => of_channel(error),
        ProtectLogError::Announcement(AnnouncementError::Epoch { epoch, error }) => {
            format!("--epoch {epoch}: {error}; take another key")
        }
        ProtectLogError::Stream {
            stream,
            cause: ProtectStreamError::NoRoom { length, trailer },
        } => format!(
            "{stream}: {length} bytes, and freshness and code take {trailer} of the 8 that its \
             frame has; make CAN FD frames with --fd or `fd = true`, or leave it out with `except`"
        ),
        other => other.to_string(),
    }
}

/// Says why a record cannot be checked.
pub(super) fn of_check(error: &CheckLogError) -> String {
    match error {
        CheckLogError::UnknownBus(error) => of_channel(error),
        other => other.to_string(),
    }
}

fn of_channel(error: &UnknownBusError) -> String {
    let UnknownBusError {
        channel,
        file,
        buses,
    } = error;
    format!(
        "channel {channel} is no bus of {file}; say which with --channel {channel}=BUS, one of {}",
        buses.join(", ")
    )
}
