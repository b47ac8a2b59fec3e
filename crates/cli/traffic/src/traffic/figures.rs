//! Figures of a run, as they are printed and kept.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waywarden_traffic_lab::{
    AREAS, BIN_M, BoardProfile, Heading, PolicyComparison, Score, Windows,
};
use waywarden_v2x_schedule::SAFETY_APPLICATIONS;

use super::headline::Received;
use super::stack_report::StackReport;
use super::trace::Counted;
use waywarden_command_line::table::Rows;

/// Figures of a run, as they are printed and kept.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
pub(super) struct Figures {
    vehicles: usize,
    vehicles_at_most: usize,
    vehicles_mean: f64,
    messages_sent: u64,
    messages_received: u64,
    false_messages_sent: u64,
    false_messages_received: u64,
    received_in_100ms: InWindows,
    received_from_areas: Vec<FromArea>,
    delivered_by_distance: Vec<Delivered>,
    verified_in_time: Vec<InTime>,
    /// Figures of the stack, if vehicles had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stack: Option<StackReport>,
}

/// Of all windows of all vehicles.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
struct InWindows {
    windows: u64,
    mean: f64,
    mean_where_any: f64,
    half: u32,
    ninety_nine_percent: u32,
    most: u32,
    least_where_any: u32,
}

/// Messages from an area.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
struct FromArea {
    area: String,
    heading: String,
    window_ms: u64,
    mean: f64,
    mean_where_any: f64,
    most: u32,
    least_where_any: u32,
}

/// The share of messages that arrive.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
struct Delivered {
    from_metres: f64,
    share: f64,
}

/// Messages that a board verified in time with a policy.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
struct InTime {
    board: String,
    policy: String,
    /// `None` if nothing was relevant.
    share: Option<f64>,
    relevant: u64,
    applications: Vec<Application>,
    messages_in_time: u64,
    messages_late: u64,
    messages_dropped: u64,
    messages_skipped: u64,
    /// Signed by vehicles whose certificate the receiver lacked.
    #[serde(default)]
    messages_unknown_signer: u64,
    false_messages_received: u64,
    false_messages_verified: u64,
}

/// The share of what an application needs.
#[derive(Debug, Serialize, JsonSchema, Deserialize)]
struct Application {
    name: String,
    share: Option<f64>,
    relevant: u64,
}

impl InWindows {
    fn of(windows: &Windows) -> Self {
        Self {
            windows: windows.count(),
            mean: windows.mean(),
            mean_where_any: windows.mean_heard(),
            half: windows.quantile(0.5),
            ninety_nine_percent: windows.quantile(0.99),
            most: windows.most(),
            least_where_any: windows.least_heard(),
        }
    }
}

fn in_time(board: &BoardProfile, policy: String, score: &Score) -> InTime {
    let applications = SAFETY_APPLICATIONS.iter().enumerate();
    InTime {
        board: board.name.clone(),
        policy,
        share: score.share(),
        relevant: score.relevant.iter().sum(),
        applications: applications
            .map(|(at, one)| Application {
                name: one.name.to_owned(),
                share: score.share_of(at),
                relevant: score.relevant[at],
            })
            .collect(),
        messages_in_time: score.messages_in_time,
        messages_late: score.messages_late,
        messages_dropped: score.messages_dropped,
        messages_skipped: score.messages_skipped,
        messages_unknown_signer: score.messages_unknown,
        false_messages_received: score.false_received,
        false_messages_verified: score.false_verified,
    }
}

impl Figures {
    pub(super) fn of(counted: Counted, comparison: &PolicyComparison) -> Self {
        let Counted { report, stack } = counted;
        let delivered = report.delivered().enumerate().filter_map(|(bin, share)| {
            Some(Delivered {
                from_metres: bin as f64 * BIN_M,
                share: share?,
            })
        });
        let areas = AREAS.iter().zip(report.areas());
        let areas = areas.map(|(area, windows)| FromArea {
            area: area.name.to_owned(),
            heading: match area.heading {
                Heading::True => "true",
                Heading::Misread => "misread",
            }
            .to_owned(),
            window_ms: area.window_ms,
            mean: windows.mean(),
            mean_where_any: windows.mean_heard(),
            most: windows.most(),
            least_where_any: windows.least_heard(),
        });
        let pairs = comparison.boards.iter().flat_map(|board| {
            let policies = comparison.policies.iter();
            policies.map(move |policy| (board, policy.to_string()))
        });
        let verified = pairs.zip(&report.scores);
        Self {
            vehicles: report.vehicles,
            vehicles_at_most: report.vehicles_most,
            vehicles_mean: report.vehicles_mean,
            messages_sent: report.sent,
            messages_received: report.received,
            false_messages_sent: report.false_sent,
            false_messages_received: report.false_received,
            received_in_100ms: InWindows::of(&report.windows),
            received_from_areas: areas.collect(),
            delivered_by_distance: delivered.collect(),
            verified_in_time: verified
                .map(|((board, policy), score)| in_time(board, policy, score))
                .collect(),
            stack,
        }
    }

    /// Tells whether attackers sent anything.
    pub(super) fn was_attacked(&self) -> bool {
        self.false_messages_sent > 0
    }

    /// Returns, for each board, for each policy, the share of relevant messages in time.
    pub(super) fn shares(&self) -> Vec<Option<f64>> {
        self.verified_in_time.iter().map(|one| one.share).collect()
    }

    /// Returns how much was on the channel.
    pub(super) fn received(&self) -> Received {
        Received {
            vehicles_mean: self.vehicles_mean,
            messages: self.messages_received as f64,
            in_100ms_mean: self.received_in_100ms.mean,
            in_100ms_most: f64::from(self.received_in_100ms.most),
        }
    }

    pub(super) fn rows(&self) -> Rows {
        let windows = &self.received_in_100ms;
        let two = |number: f64| format!("{number:.2}");
        let mut rows = vec![
            ("vehicles", self.vehicles.to_string()),
            ("vehicles at most", self.vehicles_at_most.to_string()),
            ("vehicles, mean", format!("{:.1}", self.vehicles_mean)),
            ("messages sent", self.messages_sent.to_string()),
            ("messages received", self.messages_received.to_string()),
            ("received in 100 ms, mean", two(windows.mean)),
            (
                "received in 100 ms, mean where any",
                two(windows.mean_where_any),
            ),
            ("received in 100 ms, median", windows.half.to_string()),
            (
                "received in 100 ms, 99th percentile",
                windows.ninety_nine_percent.to_string(),
            ),
            ("received in 100 ms, maximum", windows.most.to_string()),
        ];
        if self.false_messages_sent > 0 {
            rows.push(("false messages sent", self.false_messages_sent.to_string()));
            let received = self.false_messages_received.to_string();
            rows.push(("false messages received", received));
        }
        rows.extend(self.stack.iter().flat_map(StackReport::rows));
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let named = |(name, value): (&str, String)| vec![name.to_owned(), value];
        let mut rows: Vec<Vec<String>> = rows.into_iter().map(named).collect();
        let warnings = self.stack.iter().filter_map(StackReport::warning_rows);
        let hostile = self.stack.iter().flat_map(StackReport::hostile_rows);
        rows.extend(
            warnings
                .chain(hostile)
                .map(|(name, value)| vec![name, value]),
        );
        rows.extend(self.delivered_by_distance.iter().map(|one| {
            let name = format!("delivered from {} m on", one.from_metres);
            vec![name, percent(one.share)]
        }));
        rows.extend(self.verified_in_time.iter().map(|one| {
            let name = format!(
                "relevant and verified in time: {}, {}",
                one.board, one.policy
            );
            vec![
                name,
                one.share
                    .map_or_else(|| "nothing was relevant".to_owned(), percent),
            ]
        }));
        Rows {
            headers: vec!["figure", "value"],
            rows,
            numbers: 1..2,
        }
    }
}
