//! The emulated boards against the tables of counted instructions: equal, and nothing else on them
//! says that it was counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde::Deserialize;
use waywarden_boards::{Board, CostFormula, Provenance};
use waywarden_testkit::workspace;
use waywarden_work::{Algorithm, OperationKind};

/// The boards, their tables, and their rows of the budgets for implicit certificates.
const BOARDS: [(&str, &str, &str); 3] = [
    ("m4f-emulated", "firmware/operations.toml", "certificates"),
    (
        "m33-emulated",
        "firmware/operations-m33.toml",
        "certificates-m33",
    ),
    (
        "r5f-emulated",
        "firmware/operations-r5f.toml",
        "certificates-r5f",
    ),
];
const BUDGETS: &str = "firmware/budgets.toml";
/// The operations that the tables do not have.
const CERTIFICATES: [(OperationKind, &str); 3] = [
    (OperationKind::CertificateRequest, "certificate_request"),
    (OperationKind::CertificateIssue, "certificate_issue"),
    (OperationKind::CertificateAccept, "certificate_accept"),
];
/// The text that a counted figure begins with.
const COUNTED: &str = "instructions counted in QEMU, one cycle each assumed: ";

/// The part of the table that matters here.
#[derive(Deserialize)]
struct Table {
    operations: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    operation: String,
    algorithm: String,
    bytes: u32,
    by: String,
    instructions: Option<u64>,
}

/// Counts of one operation: bytes and instructions of each row.
struct Counts {
    by: String,
    rows: Vec<(u32, u64)>,
}

fn table(name: &str) -> BTreeMap<(OperationKind, Algorithm), Counts> {
    let text = fs::read_to_string(workspace().join(name)).expect(name);
    let table: Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut all = BTreeMap::new();
    for row in table.operations {
        let Some(instructions) = row.instructions else {
            continue;
        };
        let kind = OperationKind::from_name(&row.operation).expect("a known operation");
        let algorithm = Algorithm::from_name(&row.algorithm).expect("a known algorithm");
        let counts = all.entry((kind, algorithm)).or_insert_with(|| Counts {
            by: row.by,
            rows: Vec::new(),
        });
        // The first row of an operation is that of the board.
        if counts.rows.iter().all(|&(bytes, _)| bytes != row.bytes) {
            counts.rows.push((row.bytes, instructions));
        }
    }
    all
}

/// Adds the operations of implicit certificates to those of a table.
fn add_certificates(table: &mut BTreeMap<(OperationKind, Algorithm), Counts>, row: &str) {
    let text = fs::read_to_string(workspace().join(BUDGETS)).expect(BUDGETS);
    let budgets: toml::Table = text.parse().expect(BUDGETS);
    for (kind, key) in CERTIFICATES {
        let count = budgets[row][key].as_integer().expect("a number");
        let counts = Counts {
            by: "v2x-keys".to_owned(),
            rows: vec![(0, count.unsigned_abs())],
        };
        let known = table.insert((kind, Algorithm::P256), counts);
        assert!(known.is_none(), "{kind}: in the table and in the budgets");
    }
}

/// The line through the first and the last row, in the units of the board's figure.
fn line(rows: &[(u32, u64)], figure: &CostFormula) -> CostFormula {
    let units = CostFormula {
        fixed: 0,
        per_unit: 1,
        ..*figure
    };
    let (&(first, least), &(last, most)) = (&rows[0], &rows[rows.len() - 1]);
    let steps = units.count(last) - units.count(first);
    let per_unit = (most - least + steps / 2).checked_div(steps).unwrap_or(0);
    CostFormula {
        fixed: least - per_unit * units.count(first),
        per_unit,
        ..*figure
    }
}

#[test]
fn the_emulated_boards_have_the_counts_of_their_tables() {
    for (board, table, row) in BOARDS {
        has_the_counts(board, table, row);
    }
}

/// A board has the counts of a table, and of a row of the budgets.
fn has_the_counts(name: &str, of: &str, row: &str) {
    let board = Board::builtin(name).expect("a built-in board");
    let (mut table, clock) = (table(of), board.characteristics().clock_hz);
    add_certificates(&mut table, row);
    let mut counted = BTreeSet::new();
    for (kind, algorithm, figure) in board.figures() {
        let Provenance::Assumed { why } = figure.provenance() else {
            continue;
        };
        let Some(why) = why.strip_prefix(COUNTED) else {
            continue;
        };
        let counts = table.get(&(kind, algorithm));
        let Counts { by, rows } = counts.unwrap_or_else(|| panic!("{kind} {algorithm}: no count"));
        assert!(why.starts_with(by.as_str()), "{kind} {algorithm}: {why}");
        let amount = figure.amount();
        let expected = line(rows, amount);
        assert_eq!(*amount, expected, "{name}: {kind} {algorithm}");
        assert_eq!(amount.cycles_at_hz, Some(clock));
        for &(bytes, instructions) in rows {
            let off = amount.count(bytes).abs_diff(instructions);
            assert!(
                off * 100 <= 3 * instructions,
                "{kind} {algorithm} {bytes}: {off} off"
            );
        }
        counted.insert((kind, algorithm));
    }
    let all: BTreeSet<_> = table.into_keys().collect();
    assert_eq!(
        counted, all,
        "{name}: not the operations of {of} and [{row}]"
    );
}
