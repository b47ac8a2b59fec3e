//! Tables: all figures of the run, for readers who want the numbers or cannot see the plots.

use super::PageInput;
use waywarden_report_page::{Page, Sheet};
use waywarden_vehicle_file::formatting::milliseconds;
use waywarden_vehicle_report::measure::histogram::Histogram;
use waywarden_vehicle_report::report::{Cells, StreamRow};

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    page.section("figures", "All figures", "");
    source.note_ideal(page);
    let report = source.report;
    report_rows(page, "Buses", false, &report.buses);
    let caption = format!("ECUs, replays and attackers: {}", report.ecus.len());
    report_rows(page, &caption, true, &report.ecus);
    let modules = &report.hardware_security_modules;
    if !modules.is_empty() {
        report_rows(page, "Hardware security modules", false, modules);
    }
    if let Some(note) = &report.images_text {
        report_rows(page, "ECU images", false, &report.images);
        page.note(note);
    }
    streams(page, &report.streams);
    identifiers(page, source);
    page.end_section();
}

/// Shows rows of the report as they are shown everywhere.
pub(super) fn report_rows<R: Cells>(page: &mut Page, caption: &str, folded: bool, rows: &[R]) {
    let cells: Vec<Vec<String>> = rows.iter().map(Cells::cells).collect();
    page.sheet(
        &Sheet {
            caption,
            headers: R::HEADERS,
            numbers: R::NUMBERS,
            folded,
        },
        &cells,
    );
}

const WORST_CAUSE: &str = "what took longest in the worst case";

/// The streams, with more than a terminal has room for.
fn streams(page: &mut Page, rows: &[StreamRow]) {
    let has_bounds = rows.iter().any(|row| row.bound_ms.is_some());
    let bound = |cell: String| has_bounds.then_some(cell);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let cause = row.worst_cause.clone().unwrap_or_default();
            let rest = bound(row.bound_cell()).into_iter().chain([cause]);
            row.cells().into_iter().chain(rest).collect()
        })
        .collect();
    let headers: &[&str] = match has_bounds {
        true => &[StreamRow::BOUND_HEADER, WORST_CAUSE],
        false => &[WORST_CAUSE],
    };
    let headers = [StreamRow::HEADERS, headers].concat();
    let numbers = StreamRow::NUMBERS.start..StreamRow::NUMBERS.end + usize::from(has_bounds);
    let caption = format!("Streams, from release to delivery: {}", rows.len());
    page.sheet(
        &Sheet {
            caption: &caption,
            headers: &headers,
            numbers,
            folded: true,
        },
        &cells,
    );
}

fn identifiers(page: &mut Page, source: &PageInput<'_>) {
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
    page.sheet(
        &Sheet {
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
