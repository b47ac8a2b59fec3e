//! Every figure of the papers' tables stands in the board files and equals the paper.
//!
//! The rows below were typed from the papers, not from the board files.

mod gke;
mod in_vehicle;
mod v2x;

use waywarden_boards::{Board, Provenance};
use waywarden_work::{Algorithm, Operation, OperationKind};

fn builtin(name: &str) -> Board {
    let text = Board::builtin_text(name).expect("a built-in board");
    Board::parse(name, text).unwrap_or_else(|error| panic!("{error}"))
}

/// Milliseconds as printed, in nanoseconds.
fn printed_ms(text: &str) -> u64 {
    let nanos: f64 = text.parse::<f64>().expect("a number") * 1e6;
    nanos.round() as u64
}

/// Asserts that `board` costs what `key` prints in `place`, and says so.
fn assert_paper(board: &Board, operation: Operation, nanos: u64, key: &str, place: &str) {
    let cost = board
        .cost(&operation)
        .unwrap_or_else(|error| panic!("{error}"));
    let what = format!("{} {operation:?}", board.name());
    assert_eq!(cost.duration.as_nanos(), nanos, "{what}");
    match cost.provenance {
        Provenance::Paper { key: k, place: p } => {
            assert_eq!((k.as_str(), p.as_str()), (key, place), "{what}");
        }
        other => panic!("{what} is {other}"),
    }
}

/// A table with an operation a row and a board a column, in milliseconds.
fn assert_table(
    columns: &[&str],
    rows: &[(&str, OperationKind)],
    algorithm: Algorithm,
    key: &str,
    place: &str,
) {
    let boards: Vec<Board> = columns.iter().map(|name| builtin(name)).collect();
    for (row, kind) in rows {
        let cells: Vec<&str> = row.split_whitespace().skip(1).collect();
        assert_eq!(cells.len(), boards.len(), "{row}");
        for (board, cell) in boards.iter().zip(cells) {
            let operation = Operation::new(*kind, algorithm, 0);
            assert_paper(board, operation, printed_ms(cell), key, place);
        }
    }
}

#[test]
fn wolfssl_stm32u585() {
    use OperationKind::{Extract, KeyGenerate, Share, Sign, Verify};
    // ECC key gen, ECDHE agree, ECDSA sign and verify; a share is a key generated.
    let rows = [
        ("keygen 9.407", KeyGenerate),
        ("keygen 9.407", Share),
        ("agree 17.793", Extract),
        ("sign 16.047", Sign),
        ("verify 28.306", Verify),
    ];
    let place = "STM32U585, SP Math ASM Cortex M";
    assert_table(&["stm32u5"], &rows, Algorithm::P256, "WOLFSSL-STM32", place);
}

#[test]
fn no_other_figure_claims_a_paper() {
    // 2 tables of 5 rows and 4 columns and 6 AES cells; 7 rows and 6 columns; 4 rows of 2; the two
    // points of the MAC unit and the software MAC; 5 rows of a benchmark.
    let tested = 2 * 5 * 4 + 6 + 7 * 6 + 4 * 2 + 3 + 5;
    let boards: Vec<Board> = Board::builtin_names().map(builtin).collect();
    let figures = boards.iter().flat_map(Board::figures);
    let claims = figures
        .filter(|(_, _, figure)| matches!(figure.provenance(), Provenance::Paper { .. }))
        .count();
    assert_eq!(claims, tested);
}
