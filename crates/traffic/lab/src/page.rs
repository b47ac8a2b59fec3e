//! A run as a page: numbers over time, distributions, a map of one moment.

mod map;

use waywarden_report_page::{
    BarGroup, Bars, Figure, LinePlot, Page, Series, TableCell, grouped, short,
};
use waywarden_v2x_schedule::SAFETY_APPLICATIONS;

use crate::picture::{RunPicture, Span};
use crate::report::{BIN_M, TrafficReport};
use crate::verification::PolicyComparison;
use crate::windows::Windows;

/// Limit on the bars of a distribution.
const BARS_MAX: usize = 25;

/// Writes the page of a run. `title` names it.
#[must_use]
pub fn page(
    title: &str,
    report: &TrafficReport,
    comparison: &PolicyComparison,
    picture: &RunPicture,
) -> String {
    let mut page = Page::new(title, title);
    let windows = &report.windows;
    page.note(&format!(
        "{} vehicles, at most {} at a time; {} messages sent, {} received. A vehicle received {} \
         in 100 ms on average, {} at most.",
        report.vehicles,
        report.vehicles_most,
        grouped(report.sent),
        grouped(report.received),
        short(windows.mean()),
        windows.most(),
    ));
    if report.false_sent > 0 {
        page.note(&format!(
            "Attackers sent {} false messages; {} were received.",
            grouped(report.false_sent),
            grouped(report.false_received)
        ));
    }
    if !comparison.boards.is_empty() {
        shares(&mut page, report, comparison);
    }
    let drawings = [
        (
            "Vehicles",
            "on the road over time",
            vehicles(&picture.spans),
        ),
        (
            "Messages",
            "received in 100 ms over time",
            received(&picture.spans),
        ),
        (
            "Windows",
            "of 100 ms by messages received",
            distribution(windows),
        ),
        ("Delivery", "by distance", delivery(report)),
        (
            "Map",
            "of the moment with the most vehicles",
            map::svg(picture),
        ),
    ];
    page.heading("Road traffic on the channel");
    page.figures(
        drawings
            .iter()
            .map(|(name, caption, svg)| Figure { name, caption, svg }),
    );
    page.finish()
}

/// The shares of relevant messages that were verified in time.
fn shares(page: &mut Page, report: &TrafficReport, comparison: &PolicyComparison) {
    page.heading("Relevant messages verified in time");
    let names = SAFETY_APPLICATIONS.iter().map(|one| one.name);
    let headers = ["board", "policy", "all"].into_iter().chain(names);
    let pairs = comparison.boards.iter().flat_map(|board| {
        comparison
            .policies
            .iter()
            .map(move |policy| (board, policy))
    });
    let percent = |share: Option<f64>| {
        let words = share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0));
        TableCell::number(words)
    };
    let rows = pairs.zip(&report.scores).map(|((board, policy), score)| {
        let words = [board.name.clone(), policy.to_string()].map(TableCell::words);
        let each = (0..SAFETY_APPLICATIONS.len()).map(|at| percent(score.share_of(at)));
        words
            .into_iter()
            .chain([percent(score.share())])
            .chain(each)
            .collect()
    });
    page.table(headers, rows);
    page.note(
        "A message is relevant to an application if its sender truly is within the application's \
         range; it is in time if it is verified within the application's latency.",
    );
}

fn line(name: &str, spans: &[Span], value: impl Fn(&Span) -> f64) -> Series {
    Series {
        name: name.to_owned(),
        points: spans.iter().map(|span| (span.end_s, value(span))).collect(),
        marks: Vec::new(),
    }
}

fn vehicles(spans: &[Span]) -> String {
    let mean = |span: &Span| span.vehicles as f64 / f64::from(span.windows.max(1));
    LinePlot {
        title: "Vehicles on the road over time",
        across: "s",
        unit: "vehicles",
        series: vec![line("on the road", spans, mean)],
    }
    .svg()
}

fn received(spans: &[Span]) -> String {
    let mean = |span: &Span| span.received as f64 / span.vehicles.max(1) as f64;
    LinePlot {
        title: "Messages received in 100 ms over time",
        across: "s",
        unit: "messages",
        series: vec![
            line("mean of vehicles", spans, mean),
            line("most of one vehicle", spans, |span| f64::from(span.most)),
        ],
    }
    .svg()
}

fn distribution(windows: &Windows) -> String {
    let most = windows.most() as usize;
    let wide = (most + 1).div_ceil(BARS_MAX).max(1);
    let all = windows.count().max(1) as f64;
    let groups = windows
        .counts()
        .chunks(wide)
        .enumerate()
        .map(|(at, counts)| BarGroup {
            names: vec![(at * wide).to_string()],
            bars: vec![100.0 * counts.iter().sum::<u64>() as f64 / all],
        });
    let legend = match wide {
        1 => "messages received".to_owned(),
        _ => format!("messages received, {wide} numbers a bar"),
    };
    Bars {
        title: "Windows of 100 ms by messages received",
        unit: "%",
        legend: vec![legend],
        groups: groups.collect(),
    }
    .svg()
}

fn delivery(report: &TrafficReport) -> String {
    let groups = report.delivered().enumerate().filter_map(|(bin, share)| {
        // Every other name, so that they do not touch.
        let from = bin as f64 * BIN_M;
        let name = if bin % 4 == 0 {
            short(from)
        } else {
            String::new()
        };
        Some(BarGroup {
            names: vec![name],
            bars: vec![100.0 * share?],
        })
    });
    Bars {
        title: "Messages delivered by distance",
        unit: "%",
        legend: vec!["delivered, from so many metres on".to_owned()],
        groups: groups.collect(),
    }
    .svg()
}
