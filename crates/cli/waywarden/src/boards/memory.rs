//! `waywarden boards --memory`: memory that roles and suites take, beside that of boards.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_boards::{Board, MemoryNeed, MemoryShortage};

use waywarden_command_line::document::{DocumentFormat, Listed};
use waywarden_command_line::table::Rows;

/// Memory that a role or a suite takes.
#[derive(Serialize, JsonSchema)]
pub(super) struct MemoryRow {
    /// `role` or `suite`.
    kind: &'static str,
    /// Its name.
    name: String,
    /// Code and constants; null where it is not measured.
    flash_bytes: Option<u64>,
    /// Values in RAM besides the stack; null where they are not measured.
    ram_bytes: Option<u64>,
    /// The deepest stack.
    stack_bytes: u64,
    /// The boards of those asked for that have less, each with the memory that it lacks.
    too_small: String,
    /// Source of these figures.
    origin: String,
}

pub(super) const DOCUMENT: DocumentFormat<Listed<MemoryRow>> =
    DocumentFormat::new("board-memory", 1, "waywarden boards --memory --format json");

/// Returns a row for each role and suite, with those of the boards that are too small for it.
pub(super) fn rows(boards: &[Board]) -> Vec<MemoryRow> {
    let row = |need: &MemoryNeed| MemoryRow {
        kind: need.kind.name(),
        name: need.name.clone(),
        flash_bytes: need.flash,
        ram_bytes: need.ram,
        stack_bytes: need.stack,
        too_small: too_small(need, boards),
        origin: need.origin.clone(),
    };
    MemoryNeed::all().iter().map(row).collect()
}

fn too_small(need: &MemoryNeed, boards: &[Board]) -> String {
    let small = boards.iter().filter_map(|board| {
        let shortages = board.lacks([need]);
        let memories: Vec<&str> = shortages.iter().map(MemoryShortage::memory).collect();
        let name = board.name();
        (!memories.is_empty()).then(|| format!("{name} ({})", memories.join(", ")))
    });
    small.collect::<Vec<_>>().join(", ")
}

pub(super) fn table(rows: &[MemoryRow]) -> Rows {
    let bytes = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    let cells = |row: &MemoryRow| {
        vec![
            row.kind.to_owned(),
            row.name.clone(),
            bytes(row.flash_bytes),
            bytes(row.ram_bytes),
            row.stack_bytes.to_string(),
            match row.too_small.as_str() {
                "" => "-".to_owned(),
                small => small.to_owned(),
            },
            row.origin.clone(),
        ]
    };
    Rows {
        headers: vec![
            "kind",
            "name",
            "flash",
            "RAM",
            "stack",
            "too small",
            "origin",
        ],
        rows: rows.iter().map(cells).collect(),
        numbers: 2..5,
    }
}
