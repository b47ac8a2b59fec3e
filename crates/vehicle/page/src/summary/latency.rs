//! The tile of the worst latency, beside the bound where offsets are unknown.

use waywarden_report_page::{Standing, Tile};
use waywarden_vehicle_file::formatting::{percent, short, span};
use waywarden_vehicle_report::report::StreamRow;

use super::{PageInput, ideal, standing};

/// Makes the tile; none without a message that was due.
pub(super) fn tile(source: &PageInput<'_>) -> Option<Tile> {
    let report = source.report;
    let streams = report.streams.iter().zip(&source.file.streams);
    // What was never due in so short a run says nothing.
    let due = streams.filter(|(row, own)| !own.receivers.is_empty() && row.requested > 0);
    let share = |row: &StreamRow| {
        let worst = row.worst_ms;
        worst.map_or(f64::INFINITY, |worst| worst / row.deadline_ms)
    };
    // Where offsets are unknown, one run shows one case of many: the bound is for all.
    let rank = |row: &StreamRow| {
        let bound = row.bound_ms.map_or(0.0, |bound| bound / row.deadline_ms);
        bound.max(share(row))
    };
    let (row, _) = due
        .map(|(row, _)| (row, rank(row)))
        .reduce(|most, one| if one.1 > most.1 { one } else { most })?;
    let (deadline, share) = (span(row.deadline_ms), share(row));
    let (value, detail) = match row.worst_ms {
        Some(worst) => (
            of_deadline(share),
            format!("{}: {} of {deadline}", row.stream, span(worst)),
        ),
        None => (
            "never arrived".to_owned(),
            format!("{}, deadline {deadline}", row.stream),
        ),
    };
    let (label, value) = match row.bound_ms {
        Some(bound) => (
            "Worst latency: seen, bound",
            format!("{value}, bound {}", of_deadline(bound / row.deadline_ms)),
        ),
        None => ("Worst latency seen", value),
    };
    // A deadline that no requirement states is an assumption of the file: met, it is no success.
    let mut required = source.file.require.latency.iter();
    let names = &source.file.streams;
    let is_required = required.any(|(stream, _)| names[stream.0].name.value == row.stream);
    let is_assumed = !is_required || report.ideal_text.is_some() || report.unknown_offsets > 0;
    Some(Tile {
        label: label.to_owned(),
        value,
        detail: format!(
            "{detail}{}; in this one run, {}{}",
            bound_text(row),
            offsets(source),
            ideal(source)
        ),
        standing: match standing(share, Some(1.0)) {
            Standing::Good if is_assumed => Standing::Neutral,
            standing => standing,
        },
    })
}

/// Writes a share of a deadline, or by how much it is above.
fn of_deadline(share: f64) -> String {
    match share < 2.0 {
        true => format!("{} of deadline", percent(share)),
        false => format!("{} \u{d7} deadline", short(share)),
    }
}

/// Says what is the most for any offsets, where the file does not state all.
fn bound_text(row: &StreamRow) -> String {
    row.bound_ms.map_or(String::new(), |bound| {
        format!(", at most {} for any offsets", span(bound))
    })
}

/// Says which offsets a run had.
fn offsets(source: &PageInput<'_>) -> String {
    let report = source.report;
    match (report.unknown_offsets, report.phase) {
        (0, _) => "with the offsets of the file".to_owned(),
        (_, 0) => "with the unknown offsets all 0".to_owned(),
        (_, phase) => format!("with the unknown offsets drawn as phase {phase}"),
    }
}
