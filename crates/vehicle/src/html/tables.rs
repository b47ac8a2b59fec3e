//! Tables: all figures of the run, for those who want the numbers or cannot see the plots.

use std::ops::Range;

use super::Source;
use super::markup::{Page, escaped};
use crate::measure::histogram::Histogram;
use crate::require::{milliseconds, percent};

/// How many rows a table has at the most; the rest is counted.
const ROWS_MAX: usize = 2_000;

/// What stands around the rows of a table.
pub(super) struct Table<'a> {
    pub(super) caption: &'a str,
    pub(super) headers: &'a [&'a str],
    /// Which columns are numbers.
    pub(super) numbers: Range<usize>,
    /// Whether it is closed until one asks for it.
    pub(super) folded: bool,
}

pub(super) fn table(page: &mut Page, table: Table<'_>, rows: &[Vec<String>]) {
    let Table {
        caption,
        headers,
        numbers,
        folded,
    } = table;
    if folded {
        page.put(format_args!(
            "<details><summary>{}</summary>\n",
            escaped(caption)
        ));
    }
    page.put("<div class=\"scroll\" tabindex=\"0\"><table>\n");
    if !folded {
        page.put(format_args!("<caption>{}</caption>\n", escaped(caption)));
    }
    let class = |column| {
        if numbers.contains(&column) {
            " class=\"number\""
        } else {
            ""
        }
    };
    page.put("<thead><tr>");
    for (column, header) in headers.iter().enumerate() {
        page.put(format_args!(
            "<th scope=\"col\"{}>{header}</th>",
            class(column)
        ));
    }
    page.put("</tr></thead>\n<tbody>\n");
    for row in rows.iter().take(ROWS_MAX) {
        page.put("<tr>");
        for (column, cell) in row.iter().enumerate() {
            page.put(format_args!("<td{}>{}</td>", class(column), escaped(cell)));
        }
        page.put("</tr>\n");
    }
    page.put("</tbody></table></div>\n");
    if rows.len() > ROWS_MAX {
        let more = rows.len() - ROWS_MAX;
        page.put(format_args!(
            "<p class=\"note\">{more} more rows are left out.</p>\n"
        ));
    }
    if folded {
        page.put("</details>\n");
    }
}

pub(super) fn section(page: &mut Page, source: &Source<'_>) {
    page.section("figures", "All figures", "");
    buses(page, source);
    ecus(page, source);
    streams(page, source);
    identifiers(page, source);
    page.end_section();
}

fn buses(page: &mut Page, source: &Source<'_>) {
    let rows: Vec<Vec<String>> = source
        .report
        .buses
        .iter()
        .map(|row| {
            vec![
                row.bus.clone(),
                row.frames.to_string(),
                row.ids.to_string(),
                percent(row.load),
                percent(row.peak_load),
                row.errors.to_string(),
                row.strikes.to_string(),
            ]
        })
        .collect();
    let headers = [
        "bus",
        "frames",
        "ids",
        "load",
        "busiest 100 ms",
        "errors",
        "strikes",
    ];
    table(
        page,
        Table {
            caption: "Buses",
            headers: &headers,
            numbers: 1..7,
            folded: false,
        },
        &rows,
    );
}

fn ecus(page: &mut Page, source: &Source<'_>) {
    let rows: Vec<Vec<String>> = source
        .report
        .ecus
        .iter()
        .map(|row| {
            vec![
                row.ecu.clone(),
                percent(row.receive_load),
                percent(row.send_load),
                percent(row.crypto_load),
                row.overruns.to_string(),
                row.withdrawn.to_string(),
                row.boots.to_string(),
                row.worst_state.to_owned(),
            ]
        })
        .collect();
    let headers = [
        "ECU",
        "receive",
        "send",
        "crypto",
        "overruns",
        "withdrawn",
        "boots",
        "worst state",
    ];
    let caption = format!("ECUs, replays and attackers: {}", rows.len());
    table(
        page,
        Table {
            caption: &caption,
            headers: &headers,
            numbers: 1..7,
            folded: true,
        },
        &rows,
    );
}

fn streams(page: &mut Page, source: &Source<'_>) {
    let ms = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
    let rows: Vec<Vec<String>> = source
        .report
        .streams
        .iter()
        .map(|row| {
            vec![
                row.stream.clone(),
                row.id.clone(),
                row.sender.clone(),
                row.bus.clone(),
                row.requested.to_string(),
                row.delivered.to_string(),
                row.late.to_string(),
                ms(row.mean_ms),
                ms(row.p99_ms),
                ms(row.worst_ms),
                ms(Some(row.deadline_ms)),
                row.worst_cause.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let headers = [
        "stream",
        "id",
        "sender",
        "bus",
        "sent",
        "received",
        "late",
        "mean ms",
        "p99 ms",
        "worst ms",
        "deadline ms",
        "what took longest in the worst case",
    ];
    let caption = format!("Streams, from request to delivery: {}", rows.len());
    table(
        page,
        Table {
            caption: &caption,
            headers: &headers,
            numbers: 4..11,
            folded: true,
        },
        &rows,
    );
}

fn identifiers(page: &mut Page, source: &Source<'_>) {
    let measure = &source.outcome.measure;
    let rows: Vec<Vec<String>> = measure
        .ids
        .iter()
        .map(|((bus, _), (id, figures))| {
            let index = waywarden_can_sim::trace::BusIndex(*bus);
            let stream = source.recording.stream(index, *id).unwrap_or_default();
            let names = [
                source.outcome.names.buses[*bus].clone(),
                id.to_string(),
                stream.to_owned(),
            ];
            let mut row = names.to_vec();
            row.push(figures.frames.to_string());
            row.extend(distribution(&figures.latency));
            row.extend(distribution(&figures.gaps));
            row
        })
        .collect();
    let headers = [
        "bus",
        "id",
        "stream",
        "frames",
        "shortest ms",
        "median ms",
        "longest ms",
        "shortest gap ms",
        "median gap ms",
        "longest gap ms",
    ];
    let caption = format!("Identifiers, from request to end of frame: {}", rows.len());
    table(
        page,
        Table {
            caption: &caption,
            headers: &headers,
            numbers: 3..10,
            folded: true,
        },
        &rows,
    );
}

/// The least, the median and the greatest, in milliseconds.
fn distribution(histogram: &Histogram) -> [String; 3] {
    [
        histogram.least(),
        histogram.percentile(500),
        histogram.greatest(),
    ]
    .map(milliseconds)
}
