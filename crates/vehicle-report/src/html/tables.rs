//! Tables: all figures of the run, for those who want the numbers or cannot see the plots.

use std::ops::Range;

use super::Source;
use super::markup::{Page, escaped};
use crate::measure::histogram::Histogram;
use crate::report::{Cells, StreamRow};
use waywarden_vehicle_file::formatting::milliseconds;

/// How many rows a table has at most; the rest is counted.
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
    let report = source.report;
    report_rows(page, "Buses", false, &report.buses);
    let caption = format!("ECUs, replays and attackers: {}", report.ecus.len());
    report_rows(page, &caption, true, &report.ecus);
    let modules = &report.hardware_security_modules;
    if !modules.is_empty() {
        report_rows(page, "Hardware security modules", false, modules);
    }
    streams(page, &report.streams);
    identifiers(page, source);
    page.end_section();
}

/// Shows rows of the report as they are shown everywhere.
pub(super) fn report_rows<R: Cells>(page: &mut Page, caption: &str, folded: bool, rows: &[R]) {
    let cells: Vec<Vec<String>> = rows.iter().map(Cells::cells).collect();
    table(
        page,
        Table {
            caption,
            headers: R::HEADERS,
            numbers: R::NUMBERS,
            folded,
        },
        &cells,
    );
}

/// The streams, with more than a terminal has room for.
fn streams(page: &mut Page, rows: &[StreamRow]) {
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            [
                row.cells(),
                vec![row.worst_cause.clone().unwrap_or_default()],
            ]
            .concat()
        })
        .collect();
    let headers = [StreamRow::HEADERS, &["what took longest in the worst case"]].concat();
    let caption = format!("Streams, from release to delivery: {}", rows.len());
    table(
        page,
        Table {
            caption: &caption,
            headers: &headers,
            numbers: StreamRow::NUMBERS,
            folded: true,
        },
        &cells,
    );
}

fn identifiers(page: &mut Page, source: &Source<'_>) {
    let measure = &source.outcome.measure;
    let rows: Vec<Vec<String>> = measure
        .ids
        .iter()
        .enumerate()
        .flat_map(|(bus, ids)| ids.iter().map(move |(_, one)| (bus, one)))
        .map(|(bus, (id, figures))| {
            let index = waywarden_can_sim::trace::BusIndex(bus);
            let stream = source.recording.stream(index, *id).unwrap_or_default();
            let names = [
                source.outcome.names.buses[bus].clone(),
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
