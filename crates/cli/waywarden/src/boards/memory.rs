//! `waywarden boards --memory`: memory that roles, suites and images take, beside that of boards.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_boards::{Board, MemoryNeed, MemoryShortage};

use waywarden_command_line::document::{DocumentFormat, Listed};
use waywarden_command_line::table::Rows;

/// Memory that a role, a suite or a whole image takes.
#[derive(Serialize, JsonSchema)]
pub(super) struct MemoryRow {
    /// `role`, `suite` or `image`.
    kind: &'static str,
    /// Its name.
    name: String,
    /// Code and constants; null where it is not measured.
    flash_bytes: Option<u64>,
    /// Values in RAM besides the stack; null where they are not measured.
    ram_bytes: Option<u64>,
    /// The deepest stack.
    stack_bytes: u64,
    /// Boards of those asked for that have less flash.
    less_flash: Vec<String>,
    /// Boards of those asked for that have less RAM than values and stack take.
    less_ram: Vec<String>,
    /// Source of these figures.
    origin: String,
}

pub(super) const DOCUMENT: DocumentFormat<Listed<MemoryRow>> =
    DocumentFormat::new("board-memory", 1, "waywarden boards --memory --format json");

/// Returns a row for each role, suite and image, with those of the boards that are too small.
pub(super) fn rows(boards: &[Board]) -> Vec<MemoryRow> {
    let row = |need: &MemoryNeed| MemoryRow {
        kind: need.kind.name(),
        name: need.name.clone(),
        flash_bytes: need.flash,
        ram_bytes: need.ram,
        stack_bytes: need.stack,
        less_flash: with_less(need, boards, true),
        less_ram: with_less(need, boards, false),
        origin: need.origin.clone(),
    };
    MemoryNeed::all().iter().map(row).collect()
}

/// Returns the names of the boards that have less of a memory.
fn with_less(need: &MemoryNeed, boards: &[Board], of_flash: bool) -> Vec<String> {
    let is_short = |short: &MemoryShortage| short.is_flash == of_flash;
    let small = boards
        .iter()
        .filter(|board| board.lacks([need]).iter().any(is_short));
    small.map(|board| board.name().to_owned()).collect()
}

pub(super) fn table(rows: &[MemoryRow]) -> Rows {
    let names = |names: &[String]| match names {
        [] => "-".to_owned(),
        _ => names.join(", "),
    };
    let bytes = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    let cells = |row: &MemoryRow| {
        vec![
            row.kind.to_owned(),
            row.name.clone(),
            bytes(row.flash_bytes),
            bytes(row.ram_bytes),
            row.stack_bytes.to_string(),
            names(&row.less_flash),
            names(&row.less_ram),
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
            "less flash",
            "less RAM",
            "origin",
        ],
        rows: rows.iter().map(cells).collect(),
        numbers: 2..5,
    }
}
