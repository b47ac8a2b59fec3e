//! Warnings of times that are over before every ECU is sure to be authenticated. The file is valid,
//! so they are reported and not refused.

use waywarden_work::Duration;

use waywarden_vehicle_file::{self as file, Lasan, VehicleFile, Window};

/// Returns what there is to warn of, where an authentication takes up to `takes`.
pub(super) fn warnings(
    vehicle: &VehicleFile,
    lasan: &Lasan,
    takes: Duration,
) -> Vec<(file::SourceLocation, String)> {
    let validity = missed(lasan, &lasan.validity, takes);
    let validity = validity.map(|missed| match missed {
        // That is refused.
        Missed::Expired { .. } => "certificates are over before there is an epoch".to_owned(),
        Missed::AtFirst { open } | Missed::AfterReset { open } => format!(
            "certificates hold for {open:#} of the time in which there is an epoch, and an \
             authentication takes up to {takes} on these boards and buses: ECUs may miss it"
        ),
    });
    let windows = lasan.protected.iter().filter_map(|line| {
        let missed = missed(lasan, &line.window, takes)?;
        let stream = format!(
            "the window of stream {:?}",
            vehicle.stream(line.stream).name.value
        );
        let boards = "on these boards and buses";
        Some(match missed {
            Missed::Expired { end } => format!(
                "{stream} ends at {end:#}, and the first epoch begins at {:#}: no ECU ever has its \
                 key",
                lasan.start
            ),
            Missed::AtFirst { open } => format!(
                "{stream} is open for {open:#} after the first epoch has begun, and an \
                 authentication takes up to {takes} {boards}: its ECUs may never have its key"
            ),
            Missed::AfterReset { open } => format!(
                "{stream} is open for {open:#}, and an authentication takes up to {takes} \
                 {boards}: an ECU that is reset misses it"
            ),
        })
    });
    let name = &lasan.name;
    let place = vehicle.source.place(&name.span);
    let texts = validity.into_iter().chain(windows);
    let texts = texts.map(|text| (place, format!("{}: {text}", name.value)));
    texts.collect()
}

/// Reason why a window is missed.
enum Missed {
    /// It is over before the first epoch begins.
    Expired { end: Duration },
    /// It ends before every ECU that begins with the first epoch is sure to be authenticated.
    AtFirst { open: Duration },
    /// An ECU that is authenticated in it may come too late.
    AfterReset { open: Duration },
}

/// Returns how a window is missed, if it is, where an authentication takes up to `takes`.
fn missed(lasan: &Lasan, window: &Window, takes: Duration) -> Option<Missed> {
    let end = window.until?;
    let open = end - window.from.max(lasan.start);
    if end <= lasan.start {
        Some(Missed::Expired { end })
    } else if end < lasan.start + takes {
        Some(Missed::AtFirst { open })
    } else {
        (open < takes).then_some(Missed::AfterReset { open })
    }
}
