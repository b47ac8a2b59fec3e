//! The summary at the end: what became of whose messages, and how long it took.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_v2x_neighbourhood::virtual_time::PlacedStation;
use waywarden_v2x_neighbourhood::{
    ChannelSummary, Proportion, ResultCounts, SenderOrigin, StationAttack, Summary, Timings,
};

use super::silence::SilentStation;
use super::tracks::RecordingRead;
use waywarden_command_line::table::Rows;

/// Times of signing and verifying that the stations measured in this process.
#[derive(Debug, Default)]
pub(super) struct Measured {
    sign: Vec<Duration>,
    certificate: Vec<Duration>,
    /// The time a message, batch by batch.
    verify: Vec<Duration>,
    /// Load of the channel, if stations control by it how often they send.
    channel: Option<ChannelSummary>,
}

/// Counts of what is missing in the output and the recording.
pub(super) struct Losses {
    pub(super) events: u64,
    pub(super) recorded: Option<u64>,
    pub(super) unrecorded: u64,
}

impl Measured {
    pub(super) fn of(places: &[PlacedStation]) -> Self {
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
        let channels = places.iter().filter_map(|place| place.actor.channel());
        all.channel = channels.reduce(ChannelSummary::with);
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

/// Returns true if a station accepted a message that it had to refuse.
pub(super) fn is_deceived(summary: &Summary) -> bool {
    summary.by_origin.iter().any(|(origin, counts)| {
        let is_valid = *origin == SenderOrigin::Attack(StationAttack::FloodValid);
        matches!(origin, SenderOrigin::Attack(_)) && !is_valid && counts.accepted > 0
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
            milliseconds(counts.latency(Proportion(0.99))),
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
    if let Some(channel) = &measured.channel
        && let Some(mean) = channel.mean()
    {
        writeln!(
            out,
            "Channel busy ratio: mean {:.1} %, greatest {:.1} %; least time between frames up to \
             {:.0} ms.",
            mean * 100.0,
            channel.greatest * 100.0,
            channel.interval_us as f64 / 1e3
        )?;
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

/// The last line of JSON Lines.
#[derive(Serialize, JsonSchema)]
pub(super) struct SummaryLine {
    /// `summary`.
    event: &'static str,
    /// Counts of messages, by their origin.
    messages: BTreeMap<&'static str, MessageCounts>,
    /// Times of signing and verifying in this process.
    timings: BTreeMap<&'static str, MeasuredTimes>,
    /// Load of the channel, where stations control by it how often they send; else null.
    channel: Option<ChannelLoad>,
    /// Pseudonyms that were changed.
    pseudonym_changes: u64,
    /// Messages that could not be signed.
    not_signed: u64,
    /// Frames that were lost on the link, or were none.
    lost_frames: u64,
    /// Events that were not printed, because standard output was too slow.
    lost_events: u64,
    /// Frames in the recording; null without one.
    recorded_frames: Option<u64>,
    /// Frames that are not in the recording.
    unrecorded_frames: u64,
    /// Stations that sent no message, with the last cause.
    silent_stations: Vec<SilentStation>,
    /// Counts of the recording of `--position track:FILE`; null for other positions.
    recording: Option<RecordingRead>,
}

/// Counts of the messages of one origin.
#[derive(Serialize, JsonSchema)]
struct MessageCounts {
    /// Messages that were sent.
    sent: u64,
    /// Number of receptions by stations.
    receptions: u64,
    /// Number of accepted receptions.
    accepted: u64,
    /// Number of refused receptions, by reason.
    refused: BTreeMap<&'static str, u64>,
    /// Number of receptions dropped unverified, by reason.
    dropped: BTreeMap<&'static str, u64>,
    /// Number of receptions that could not be read.
    unreadable: u64,
    /// Number of receptions from the station's own address.
    own_address: u64,
    /// The share that was judged within 100 ms.
    share_within_100_ms: Option<f64>,
    /// Median latency of the judged messages.
    latency_median_us: Option<f64>,
    /// 99th percentile of the same latency.
    latency_99_percent_us: Option<f64>,
}

/// Load of the channel as the stations found it, from 0 to 1.
#[derive(Serialize, JsonSchema)]
struct ChannelLoad {
    /// Number of measurements of 100 ms each.
    measurements: u64,
    /// Mean busy ratio; null without a measurement.
    busy_ratio_mean: Option<f64>,
    /// Greatest busy ratio.
    busy_ratio_greatest: f64,
    /// Longest of the least times between frames that congestion control asked for.
    interval_most_us: u64,
}

/// Times of an operation in this process.
#[derive(Serialize, JsonSchema)]
struct MeasuredTimes {
    /// Number of executions.
    count: usize,
    /// Median of the times.
    median_us: Option<f64>,
    /// 99th percentile of the times.
    percent_99_us: Option<f64>,
}

/// Returns the summary for programs.
pub(super) fn summary_line(
    summary: &Summary,
    measured: &Measured,
    lost: &Losses,
    silent: &[SilentStation],
    recording: Option<RecordingRead>,
) -> SummaryLine {
    let micros = |time: Option<Duration>| time.map(|one| one.as_nanos() as f64 / 1e3);
    let messages = summary.by_origin.iter().map(|(origin, counts)| {
        let body = MessageCounts {
            sent: counts.sent,
            receptions: counts.heard,
            accepted: counts.accepted,
            refused: counts.refused.clone(),
            dropped: counts.dropped.clone(),
            unreadable: counts.unreadable,
            own_address: counts.own_address,
            share_within_100_ms: counts.share_in_time(),
            latency_median_us: micros(counts.latency(Proportion(0.5))),
            latency_99_percent_us: micros(counts.latency(Proportion(0.99))),
        };
        (origin.name(), body)
    });
    let timings = measured.rows().map(|(_, name, sorted)| {
        let body = MeasuredTimes {
            count: sorted.len(),
            median_us: micros(share(sorted, 0.5)),
            percent_99_us: micros(share(sorted, 0.99)),
        };
        (name, body)
    });
    SummaryLine {
        event: "summary",
        messages: messages.collect(),
        timings: timings.into_iter().collect(),
        channel: measured.channel.map(|channel| ChannelLoad {
            measurements: channel.measurements,
            busy_ratio_mean: channel.mean(),
            busy_ratio_greatest: channel.greatest,
            interval_most_us: channel.interval_us,
        }),
        pseudonym_changes: summary.changes,
        not_signed: summary.not_signed,
        lost_frames: summary.lost,
        lost_events: lost.events,
        recorded_frames: lost.recorded,
        unrecorded_frames: lost.unrecorded,
        silent_stations: silent.to_vec(),
        recording,
    }
}

fn percent(counts: &ResultCounts) -> String {
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
