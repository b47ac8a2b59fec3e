//! The summary at the end: what became of whose messages, and how long it took.

use std::io::{self, Write};
use std::time::Duration;

use waywarden_v2x_neighbourhood::virtual_time::Place;
use waywarden_v2x_neighbourhood::{Attack, Counts, Origin, Share, Summary, Timings};

use waywarden_command_line::table::Rows;

/// What the stations measured of signing and verifying, in this process.
#[derive(Debug, Default)]
pub(super) struct Measured {
    sign: Vec<Duration>,
    certificate: Vec<Duration>,
    /// The time a message, batch by batch.
    verify: Vec<Duration>,
}

/// What is missing in the output and the recording.
pub(super) struct Losses {
    pub(super) events: u64,
    pub(super) recorded: Option<u64>,
    pub(super) unrecorded: u64,
}

impl Measured {
    pub(super) fn of(places: &[Place]) -> Self {
        let mut all = Self::default();
        let timings = places.iter().filter_map(|place| place.actor.timings());
        for Timings {
            sign,
            certificate,
            verify,
        } in timings
        {
            all.sign.extend(sign);
            all.certificate.extend(certificate);
            let each = verify.iter().filter(|(_, count)| *count > 0);
            all.verify
                .extend(each.map(|(time, count)| *time / u32::try_from(*count).unwrap_or(1)));
        }
        for list in [&mut all.sign, &mut all.certificate, &mut all.verify] {
            list.sort_unstable();
        }
        all
    }

    fn rows(&self) -> [(&'static str, &'static str, &[Duration]); 3] {
        [
            ("sign a message", "sign", &self.sign),
            ("verify a message", "verify", &self.verify),
            (
                "take a certificate (CrtGen)",
                "certificate",
                &self.certificate,
            ),
        ]
    }
}

/// Whether a station took a message that it had to refuse.
pub(super) fn is_deceived(summary: &Summary) -> bool {
    summary.by_origin.iter().any(|(origin, counts)| {
        let is_valid = *origin == Origin::Attack(Attack::FloodValid);
        matches!(origin, Origin::Attack(_)) && !is_valid && counts.accepted > 0
    })
}

/// Prints the summary as text.
pub(super) fn print(
    out: &mut impl Write,
    summary: &Summary,
    measured: &Measured,
    lost: &Losses,
) -> io::Result<()> {
    let rows = summary.by_origin.iter().map(|(origin, counts)| {
        let reasons = counts.refused.iter().chain(&counts.dropped);
        let reasons: Vec<String> = reasons.map(|(name, n)| format!("{name} {n}")).collect();
        vec![
            origin.name().to_owned(),
            counts.sent.to_string(),
            counts.heard.to_string(),
            counts.accepted.to_string(),
            percent(counts),
            milliseconds(counts.latency(Share(0.99))),
            reasons.join(", "),
        ]
    });
    let rows = Rows {
        headers: vec![
            "messages",
            "sent",
            "receptions",
            "accepted",
            "within 100 ms",
            "99 % within",
            "not accepted, by reason",
        ],
        rows: rows.collect(),
        numbers: 1..6,
    };
    writeln!(out)?;
    rows.print(out)?;
    for (name, _, sorted) in measured.rows() {
        if let (Some(median), Some(most)) = (share(sorted, 0.5), share(sorted, 0.99)) {
            writeln!(
                out,
                "To {name}: median {:.3} ms, 99 % within {:.3} ms, {} times.",
                median.as_secs_f64() * 1e3,
                most.as_secs_f64() * 1e3,
                sorted.len()
            )?;
        }
    }
    for (count, what) in [
        (summary.changes, "pseudonyms were changed"),
        (summary.not_signed, "messages could not be signed"),
        (summary.lost, "frames were lost on the link, or were none"),
        (
            lost.events,
            "events were not printed: standard output is too slow",
        ),
        (lost.unrecorded, "frames are not in the recording"),
    ] {
        if count > 0 {
            writeln!(out, "{count} {what}.")?;
        }
    }
    if let Some(recorded) = lost.recorded {
        writeln!(out, "{recorded} frames were recorded.")?;
    }
    Ok(())
}

/// The summary as JSON.
pub(super) fn json(summary: &Summary, measured: &Measured, lost: &Losses) -> serde_json::Value {
    let micros = |time: Option<Duration>| time.map(|one| one.as_nanos() as f64 / 1e3);
    let messages = summary.by_origin.iter().map(|(origin, counts)| {
        let body = serde_json::json!({
            "sent": counts.sent,
            "receptions": counts.heard,
            "accepted": counts.accepted,
            "refused": counts.refused,
            "dropped": counts.dropped,
            "unreadable": counts.unreadable,
            "ownAddress": counts.own_address,
            "shareWithin100Ms": counts.share_in_time(),
            "latencyMedianMicros": micros(counts.latency(Share(0.5))),
            "latency99PercentMicros": micros(counts.latency(Share(0.99))),
        });
        (origin.name().to_owned(), body)
    });
    let messages: serde_json::Map<_, _> = messages.collect();
    let timings = measured.rows().map(|(_, name, sorted)| {
        let body = serde_json::json!({
            "count": sorted.len(),
            "medianMicros": micros(share(sorted, 0.5)),
            "99PercentMicros": micros(share(sorted, 0.99)),
        });
        (name.to_owned(), body)
    });
    let timings: serde_json::Map<_, _> = timings.into_iter().collect();
    serde_json::json!({
        "event": "summary",
        "messages": messages,
        "timings": timings,
        "pseudonymChanges": summary.changes,
        "notSigned": summary.not_signed,
        "lostFrames": summary.lost,
        "lostEvents": lost.events,
        "recordedFrames": lost.recorded,
        "unrecordedFrames": lost.unrecorded,
    })
}

fn percent(counts: &Counts) -> String {
    let share = counts.share_in_time();
    share.map_or(String::new(), |share| format!("{:.2} %", share * 100.0))
}

fn milliseconds(time: Option<Duration>) -> String {
    time.map_or(String::new(), |time| {
        format!("{:.2} ms", time.as_secs_f64() * 1e3)
    })
}

fn share(sorted: &[Duration], share: f64) -> Option<Duration> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * share).round() as usize).copied()
}
