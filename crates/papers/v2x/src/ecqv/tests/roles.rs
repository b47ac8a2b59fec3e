//! Tables I and II: times of operations, and their sums by role.

use waywarden_paper_tables::{CellVerdict, Class};

use super::{cells, study};
use crate::cell_checks::{assert_says, find, printed};
use crate::ecqv::machine::whole_in;
use crate::ecqv::quantity::Role;
use crate::ecqv::why::times_with;

#[test]
fn table_1_is_what_the_boards_files_have() {
    let cells = cells(&study());
    let own = cells.iter().filter(|cell| cell.place == "Table I");
    let mut count = 0;
    for cell in own {
        assert_eq!(cell.paper, cell.formula, "{}", cell.cell);
        assert_eq!(cell.class, Some(Class::Input));
        assert_eq!(cell.verdict, CellVerdict::NotTested);
        count += 1;
    }
    assert_eq!(count, 42);
}

#[test]
fn another_figure_than_the_board_s_differs() {
    let mut study = study();
    let column = &mut study.data.board[2];
    column.operations.insert("Sign".to_owned(), printed("3.07"));
    let cells = cells(&study);
    let cell = find(&cells, "Table I", "Sign, A53");
    assert_eq!(cell.verdict, CellVerdict::Differs);
    assert_says(
        cell,
        &["3.05 ms where the paper has 3.07", "board's figure"],
    );
}

#[test]
fn roles_are_sums_of_table_1() {
    let cells = cells(&study());
    // By hand: CsrGen + CRTReception + Sign, Sign, Extract + Verify.
    let rows = [
        ("x86_64", [1.25, 0.32, 0.69]),
        ("A72", [5.60, 1.44, 3.02]),
        ("A53", [11.46, 3.05, 6.39]),
        ("ARM11", [58.88, 15.38, 31.95]),
        ("M4", [459.20, 118.0, 253.60]),
        ("M3", [622.0, 161.0, 344.0]),
    ];
    for (board, expected) in rows {
        for (role, expected) in Role::ALL.iter().zip(expected) {
            let name = format!("{board}, {}", role.name());
            let cell = find(&cells, "Table II", &name);
            assert_eq!(cell.formula, Some(expected), "{name}");
            let rounds = ["A72, Full Sender", "ARM11, Receiver"].contains(&name.as_str());
            let verdict = match role {
                Role::DirectSender => CellVerdict::NotTested,
                _ if rounds => CellVerdict::Rounding,
                _ => CellVerdict::Agrees,
            };
            assert_eq!(cell.verdict, verdict, "{name}");
        }
    }
    assert_says(
        find(&cells, "Table II", "A72, Full Sender"),
        &[
            "1.37 CsrGen + 2.79 CRTReception + 1.44 Sign are 5.6 ms where the paper has 5.61",
            "5.585 to 5.615 ms, some of which round to it",
        ],
    );
    assert_says(
        find(&cells, "Table II", "ARM11, Receiver"),
        &[
            "15.38 Extract + 16.57 Verify are 31.95 ms",
            "31.94 to 31.96",
        ],
    );
    assert_says(
        find(&cells, "Table II", "M3, Full Sender"),
        &["printed to 0.01 ms, 148 CsrGen + 313 CRTReception + 161 Sign to 1 ms"],
    );
}

#[test]
fn a_sum_that_no_exact_times_have_differs() {
    let mut study = study();
    let mut column = study.data.board[0].clone();
    column.roles =
        toml::from_str("full-sender = \"1.27\"\ndirect-sender = \"0.32\"\nreceiver = \"0.71\"")
            .unwrap();
    study.data.board[0] = column;
    let cells = cells(&study);
    // 1.25 with an error of at most 0.015: 1.265 is printed as 1.27, too.
    let sender = find(&cells, "Table II", "x86_64, Full Sender");
    assert_eq!(sender.verdict, CellVerdict::Rounding);
    let receiver = find(&cells, "Table II", "x86_64, Receiver");
    assert_eq!(receiver.verdict, CellVerdict::Differs);
    assert_says(receiver, &["0.68 to 0.7 ms, none of which round to it"]);
}

/// Exact times, printed to random digits: their printed sum agrees or is rounding, whatever was
/// rounded off; and counts of whole messages lie around the quotient.
#[test]
fn sums_of_random_exact_times_never_differ() {
    const SEED: u64 = 0x6563_7176;
    let mut state = SEED;
    let mut next = |below: u64| waywarden_random::split_mix(&mut state) % below;
    for round in 0..500 {
        let mut study = study();
        let column = &mut study.data.board[0];
        let decimals = next(3) as usize;
        let mut sum = 0.0;
        for kind in Role::Receiver.operations() {
            let exact = (1 + next(2_000_000)) as f64 / 10_000.0;
            sum += exact;
            let name = super::super::quantity::name(*kind).to_owned();
            column
                .operations
                .insert(name, printed(&format!("{exact:.decimals$}")));
        }
        let text =
            format!("full-sender = \"1\"\ndirect-sender = \"1\"\nreceiver = \"{sum:.decimals$}\"");
        column.roles = toml::from_str(&text).unwrap();
        let may = study.may_round(&study.data.board[0], Role::Receiver);
        assert!(may.unwrap(), "seed {SEED:#x}, round {round}: {text}");

        let (latency, each) = (1 + next(2_000), 1 + next(3_000_000_000));
        let count = whole_in(latency, each);
        let whole = u128::from(count) * u128::from(each);
        let nanos = u128::from(latency) * 1_000_000;
        assert!(
            whole <= nanos && nanos < whole + u128::from(each),
            "seed {SEED:#x}, round {round}: {count} of {each} ns in {latency} ms"
        );
        let times = times_with(&[(latency, count), (latency * 2, whole_in(latency * 2, each))]);
        let times = times.expect("the time itself");
        let millis = each as f64 / 1e6;
        assert!(
            times.least < millis + 1e-9 && millis < times.most + 1e-9,
            "seed {SEED:#x}, round {round}: {millis} ms not in {times:?}"
        );
    }
    assert_eq!(whole_in(100, 0), 0);
}
