//! `waywarden boards --compare`: operations on several boards, in cycles.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_boards::{Board, BoardFigure, Provenance};
use waywarden_work::{Algorithm, OperationKind};

use waywarden_command_line::document::{DocumentFormat, Listed};
use waywarden_command_line::table::Rows;

use super::SHOWN_BYTES;

/// An operation on a board, beside the first board that has it.
#[derive(Serialize, JsonSchema)]
pub(super) struct ComparedRow {
    /// The operation.
    operation: &'static str,
    /// Its algorithm.
    algorithm: &'static str,
    /// Length of the message, in bytes; 0 where no length matters.
    bytes: u32,
    /// The board.
    board: String,
    /// Cycles of the board's clock; instructions, where these were counted.
    cycles: u64,
    /// Their time.
    time_us: f64,
    /// Cycles as a part of those of the first board that has the operation.
    ratio: f64,
    /// Source of the figure.
    origin: String,
}

pub(super) const DOCUMENT: DocumentFormat<Listed<ComparedRow>> = DocumentFormat::new(
    "board-comparison",
    1,
    "waywarden boards --compare --format json",
);

/// Compares the emulated boards with all that a source states for a board itself: no figure that is
/// scaled from another board, and no guess.
pub(super) fn emulated_and_stated() -> Vec<ComparedRow> {
    let mut boards: Vec<Board> = Board::builtin_names().filter_map(Board::builtin).collect();
    boards.retain(|board| board.figures().any(|(_, _, figure)| is_stated(figure)));
    boards.sort_by_key(|board| !board.figures().any(|(_, _, figure)| figure.is_counted()));
    compared(&boards, is_stated)
}

/// Compares boards by all figures.
pub(super) fn all_figures(boards: &[Board]) -> Vec<ComparedRow> {
    compared(boards, |_| true)
}

fn is_stated(figure: &BoardFigure) -> bool {
    let of_source = matches!(
        figure.provenance(),
        Provenance::Paper { .. } | Provenance::Measured { .. }
    );
    of_source || figure.is_counted()
}

/// Returns a row for each operation and each board with a figure that is `taken`.
fn compared(boards: &[Board], taken: fn(&BoardFigure) -> bool) -> Vec<ComparedRow> {
    let mut rows = Vec::new();
    for ((kind, algorithm), bytes) in operations(boards, taken) {
        let fits = |figure: &&BoardFigure| figure.bytes().is_none_or(|own| own == bytes);
        let found = boards.iter().filter_map(|board| {
            let mut figures = board.figures_of(kind, algorithm).iter();
            let figure = figures.find(|figure| taken(figure) && fits(figure))?;
            Some((board, figure))
        });
        let mut first = None;
        for (board, figure) in found {
            let count = cycles(board, figure, bytes);
            let base = *first.get_or_insert(count.max(1));
            rows.push(ComparedRow {
                operation: kind.name(),
                algorithm: algorithm.name(),
                bytes,
                board: board.name().to_owned(),
                cycles: count,
                time_us: figure.amount().duration(bytes).as_nanos() as f64 / 1e3,
                ratio: rounded(count as f64 / base as f64),
                origin: figure.provenance().to_string(),
            });
        }
    }
    rows
}

/// Returns the operations of all boards, each with the length to compare: that of the first board
/// which has it. Work of drivers is left out, as no board's was counted.
fn operations(
    boards: &[Board],
    taken: fn(&BoardFigure) -> bool,
) -> BTreeMap<(OperationKind, Algorithm), u32> {
    let mut all = BTreeMap::new();
    let figures = boards.iter().flat_map(Board::figures);
    for (kind, algorithm, figure) in figures.filter(|(_, _, figure)| taken(figure)) {
        let is_of_driver = matches!(
            kind,
            OperationKind::FrameSend | OperationKind::FrameReceive | OperationKind::ModuleCall
        );
        let any = match figure.amount().per_unit {
            0 => 0,
            _ => SHOWN_BYTES,
        };
        if !is_of_driver {
            let bytes = figure.bytes().unwrap_or(any);
            all.entry((kind, algorithm)).or_insert(bytes);
        }
    }
    all
}

/// Returns the cycles of a figure; of one that is a time, at the board's clock.
fn cycles(board: &Board, figure: &BoardFigure, bytes: u32) -> u64 {
    let amount = figure.amount();
    match amount.cycles_at_hz {
        Some(_) => amount.count(bytes),
        None => {
            let nanos = u128::from(amount.duration(bytes).as_nanos());
            let cycles = nanos * u128::from(board.characteristics().clock_hz) / 1_000_000_000;
            u64::try_from(cycles).unwrap_or(u64::MAX)
        }
    }
}

/// Rounds to thousandths: a ratio of two figures has no more to say.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1e3).round() / 1e3
}

pub(super) fn table(rows: &[ComparedRow]) -> Rows {
    let cells = |row: &ComparedRow| {
        vec![
            row.operation.to_owned(),
            row.algorithm.to_owned(),
            row.bytes.to_string(),
            row.board.clone(),
            row.cycles.to_string(),
            format!("{:.3}", row.time_us),
            format!("{:.2}", row.ratio),
            row.origin.clone(),
        ]
    };
    Rows {
        headers: vec![
            "operation",
            "algorithm",
            "bytes",
            "board",
            "cycles",
            "us",
            "ratio",
            "origin",
        ],
        rows: rows.iter().map(cells).collect(),
        numbers: 4..7,
    }
}
