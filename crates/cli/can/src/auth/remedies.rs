//! Remedies for a log that cannot be protected or checked, where an option of the command helps.

use std::path::Path;

use waywarden_can_auth_log::{
    AnnouncementError, CheckLogError, CheckSummary, ProtectLogError, ProtectStreamError,
    UnknownBusError,
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

/// Says what to look at if no frame of any stream is authentic.
pub(super) fn of_nothing_right(log: &Path, summary: &CheckSummary) -> String {
    let silent = summary.streams.iter().find(|row| {
        let is_announcement = row.stream.ends_with(", announcements");
        is_announcement && row.frames == 0
    });
    let silent = silent.map_or_else(String::new, |row| {
        format!("; {} never came, see `announce_id`", row.stream)
    });
    format!(
        "{}: no tag of any stream is right: wrong key, wrong data ids, or not protected; compare \
         `key`, `data_ids` and `profile` with the sender's{silent}",
        log.display()
    )
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
