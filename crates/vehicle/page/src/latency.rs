//! Latency by identifier: how the deliveries of each stream are distributed, and its deadline.

use std::collections::BTreeMap;

use waywarden_work::Duration;

use super::PageInput;
use super::axis::Logarithmic;
use waywarden_report_page::{Escaped, LINE, Page, Percent, Plot, STRETCHED, fits, shortened};
use waywarden_vehicle_file::formatting::span;
use waywarden_vehicle_report::measure::histogram::Histogram;
use waywarden_vehicle_report::measure::{StreamFigures, Watched};

/// Limit on drawn streams for each bus: those with the least slack. The table has all.
const ROWS_MAX: usize = 48;

/// Height of a stream's row, in pixels: its name, and its distribution.
const ROW: f64 = 40.0;

const TOP: f64 = 20.0;

/// Position of the ground line of a distribution in its row, and the distribution's height.
const GROUND: f64 = 36.0;
const RISE: f64 = 16.0;

/// Number of classes of a distribution in a power of ten.
const CLASSES: f64 = 24.0;

/// A stream that arrived, and its latency limit.
struct Row<'a> {
    watched: &'a Watched,
    figures: &'a StreamFigures,
    /// The required latency where there is one, or else the deadline; in milliseconds.
    limit: f64,
}

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let rows = rows(source);
    let all = rows.iter().flat_map(|row| {
        let latency = &row.figures.latency;
        [
            latency.least().map(ms),
            latency.greatest().map(ms),
            Some(row.limit),
        ]
    });
    let all: Vec<f64> = all.flatten().collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = all.iter().copied().fold(0.0, f64::max);
    if all.is_empty() {
        return;
    }
    let axis = Logarithmic::covering(least, greatest);
    let explanation = "From the release at the sender to each receiver's hands, gateways included, \
                       by sender's bus in order of priority. The height of a hill is the square root \
                       of the share, so that rare cases show.";
    page.section("latencies", "Latency by identifier", explanation);
    source.note_ideal(page);
    page.put(
        "<p class=\"legend\"><span><i class=\"key hill\"></i>distribution</span> \
         <span><i class=\"stroke median\"></i>median</span> \
         <span><i class=\"dot\"></i>slowest</span> \
         <span><i class=\"dot bad\"></i>slowest, late</span> \
         <span><i class=\"stroke deadline\"></i>required or deadline</span></p>\n\
         <div class=\"grid\">\n",
    );
    for (bus, name) in source.outcome.names.buses.iter().enumerate() {
        let here = rows.iter().filter(|row| row.watched.bus.0 == bus).collect();
        figure(page, source, name, here, axis);
    }
    page.put("</div>\n");
    page.end_section();
}

/// Returns the streams that arrived at least once.
fn rows<'a>(source: &PageInput<'a>) -> Vec<Row<'a>> {
    let measure = &source.outcome.measure;
    let required: BTreeMap<usize, Duration> = source
        .file
        .require
        .latency
        .iter()
        .map(|(stream, bound)| (stream.0, bound.value))
        .collect();
    let all = measure.watched.iter().zip(&measure.streams).enumerate();
    all.filter(|(_, (_, figures))| figures.latency.count() > 0)
        .map(|(at, (watched, figures))| {
            let limit = ms(required.get(&at).copied().unwrap_or(watched.deadline));
            Row {
                watched,
                figures,
                limit,
            }
        })
        .collect()
}

fn figure(
    page: &mut Page,
    source: &PageInput<'_>,
    bus: &str,
    mut rows: Vec<&Row<'_>>,
    axis: Logarithmic,
) {
    let all = rows.len();
    if all == 0 {
        return;
    }
    rows.sort_by(|a, b| slack(a).total_cmp(&slack(b)));
    let tightest = rows
        .first()
        .map_or(String::new(), |row| row.watched.name.clone());
    rows.truncate(ROWS_MAX);
    rows.sort_by_key(|row| priority(row.watched));
    let which = match rows.len() {
        shown if shown < all => format!("the {shown} of {all} streams with the least slack"),
        1 => "1 stream".to_owned(),
        shown => format!("{shown} streams"),
    };
    page.put(format_args!(
        "<figure>\n<figcaption><b>{}</b> {which}</figcaption>\n<div class=\"axes flush\">",
        Escaped(bus)
    ));
    let is_tight = rows.iter().any(|row| !fits(&name(row), &figure_of(row)));
    let line = if is_tight { LINE } else { 0.0 };
    let height = ROW + line;
    let bottom = TOP + height * rows.len() as f64;
    page.begin_plot(&Plot {
        title: &format!("Latency of the streams sent on bus {bus}"),
        description: &format!("Logarithmic axis. The least slack has {tightest}."),
        height: bottom as usize + 20,
    });
    for (x, label) in axis.decades() {
        page.line("grid", (x, TOP - 4.0), (x, bottom + 4.0));
        let class = match x {
            0.0 => "tick",
            1.0 => "tick end",
            _ => "tick middle",
        };
        page.label(class, (x, 0), TOP - 8.0, &label);
        page.label(class, (x, 0), bottom + 17.0, &label);
    }
    for (at, row) in rows.iter().enumerate() {
        let top = TOP + height * at as f64;
        page.label("name halo", (0.0, 0), top + 15.0, &shortened(&name(row)));
        strip(page, source, row, axis, top + line);
    }
    page.end_plot();
    page.put("</div>\n</figure>\n");
}

/// Returns the identifier and the name of a stream.
fn name(row: &Row<'_>) -> String {
    format!("{} {}", row.watched.id, row.watched.name)
}

/// Returns the slowest delivery and its limit.
fn figure_of(row: &Row<'_>) -> String {
    let worst = row.figures.latency.greatest().map_or(0.0, ms);
    format!("{} of {}", span(worst), span(row.limit))
}

fn strip(page: &mut Page, source: &PageInput<'_>, row: &Row<'_>, axis: Logarithmic, y: f64) {
    let Row {
        watched,
        figures,
        limit,
    } = *row;
    let sender = &source.outcome.names.ecus[watched.sender.0];
    let latency = &figures.latency;
    let Some(worst) = latency.greatest().map(ms) else {
        return;
    };
    let late = worst > limit;
    let class = if late { "value halo bad" } else { "value halo" };
    page.label(class, (1.0, 0), y + 15.0, &figure_of(row));
    let ground = y + GROUND;
    page.line("ground", (0.0, ground), (1.0, ground));
    page.stretched((ground - RISE, RISE), &[("hill", &hill(latency, axis))]);
    let x = axis.at(limit);
    page.line("deadline", (x, ground - RISE), (x, ground + 2.0));
    if let Some(median) = latency.percentile(500).map(ms) {
        page.line(
            "median",
            (axis.at(median), ground - 7.0),
            (axis.at(median), ground),
        );
    }
    let tip = tip(watched, figures, sender);
    let class = if late { "dot bad" } else { "dot" };
    page.put(format_args!(
        "<circle class=\"{class}\" cx=\"{}\" cy=\"{ground:.1}\" r=\"3\" />\n",
        Percent(axis.at(worst))
    ));
    page.bar("sensor", (0.0, 1.0), (y + 2.0, ROW - 2.0), &tip);
}

fn tip(watched: &Watched, figures: &StreamFigures, sender: &str) -> String {
    let latency = &figures.latency;
    let text = |value: Option<Duration>| value.map_or("-".to_owned(), |value| span(ms(value)));
    format!(
        "{} ({}) of {sender}: {} deliveries, {} late; shortest {}, median {}, 99 % {}, slowest {}",
        watched.name,
        watched.id,
        figures.delivered,
        figures.late,
        text(latency.least()),
        text(latency.percentile(500)),
        text(latency.percentile(990)),
        text(latency.greatest()),
    )
}

/// Draws a distribution as steps over its classes.
fn hill(latency: &Histogram, axis: Logarithmic) -> String {
    let classes = classes(latency);
    let highest = classes
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(1)
        .max(1);
    let mut path = String::new();
    for (class, count) in classes {
        let edge = |class: i32| axis.at(10_f64.powf(f64::from(class) / CLASSES)) * STRETCHED;
        let height = ((count as f64 / highest as f64).sqrt() * RISE).max(1.0);
        let (from, to) = (edge(class), edge(class + 1));
        path.push_str(&format!(
            "M{from:.0} {RISE}V{:.1}H{to:.0}V{RISE}Z",
            RISE - height
        ));
    }
    path
}

/// Sums a histogram by logarithmic classes: number of the class and count, in order.
fn classes(latency: &Histogram) -> Vec<(i32, u64)> {
    let mut classes: Vec<(i32, u64)> = Vec::new();
    for (upper, count) in latency.buckets() {
        let class = (ms(upper).max(1e-6).log10() * CLASSES).floor() as i32;
        match classes.last_mut().filter(|(last, _)| *last == class) {
            Some((_, sum)) => *sum += count,
            None => classes.push((class, count)),
        }
    }
    classes
}

/// Returns the limit divided by the slowest delivery.
fn slack(row: &Row<'_>) -> f64 {
    let worst = row.figures.latency.greatest().map_or(0.0, ms);
    row.limit / worst.max(1e-9)
}

/// 11-bit identifiers compete with the first 11 bits of the longer ones, and win a tie.
fn priority(watched: &Watched) -> (u32, bool, u32) {
    let (raw, extended) = (watched.id.raw(), watched.id.is_extended());
    (if extended { raw >> 18 } else { raw }, extended, raw)
}

fn ms(duration: Duration) -> f64 {
    duration.as_nanos() as f64 * 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_delivery_is_left_out_of_a_distribution() {
        let mut latency = Histogram::default();
        (1..=5_000).for_each(|micros| latency.add(Duration::from_micros(micros)));
        latency.add(Duration::ZERO);
        let classes = classes(&latency);
        assert_eq!(classes.iter().map(|(_, count)| count).sum::<u64>(), 5_001);
        assert!(classes.is_sorted_by(|a, b| a.0 < b.0));
    }
}
