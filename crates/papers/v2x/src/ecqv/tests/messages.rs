//! Table III: messages a second, their rounding, and latencies.

use waywarden_paper_tables::{CellVerdict, Unit};

use super::{cells, study};
use crate::cell_checks::{assert_says, find};
use crate::ecqv::quantity::Role;
use crate::ecqv::why::times_with;

#[test]
fn table_3_counts_whole_messages() {
    let cells = cells(&study());
    let rows = [
        (20, [28.0, 6.0, 3.0, 0.0, 0.0, 0.0]),
        (100, [144.0, 33.0, 15.0, 3.0, 0.0, 0.0]),
        (1000, [1449.0, 331.0, 156.0, 31.0, 3.0, 2.0]),
    ];
    for (ms, counts) in rows {
        let boards = ["x86_64", "A72", "A53", "ARM11", "M4", "M3"];
        for (board, count) in boards.iter().zip(counts) {
            let name = format!("{ms} ms, {board}, Receiver");
            let cell = find(&cells, "Table III", &name);
            assert_eq!((cell.formula, cell.unit), (Some(count), Unit::Messages));
        }
    }
    let illegible = find(&cells, "Table III", "1000 ms, A72, Receiver");
    assert_eq!(
        (illegible.paper, illegible.verdict),
        (None, CellVerdict::NotStated)
    );
    assert_says(illegible, &["not legible"]);
}

#[test]
fn twenty_nine_messages_are_rounded_and_the_other_counts_are_cut_off() {
    let cells = cells(&study());
    let cell = find(&cells, "Table III", "20 ms, x86_64, Receiver");
    assert_eq!(cell.verdict, CellVerdict::Differs);
    assert_says(
        cell,
        &[
            "20 ms over 0.69 ms are 28.99, of which 28 are whole",
            "rounded to the nearest that is 29, as printed",
            "no time of a message gives all of 29 in 20 ms, 144 in 100 ms, 1449 in 1000 ms",
        ],
    );
    // 20/29 = 100/145 = 1000/1450: the bounds meet exactly, which no float shows.
    assert_eq!(times_with(&[(20, 29), (100, 144)]), None);
    assert_eq!(times_with(&[(20, 29), (1000, 1449)]), None);
    let both = times_with(&[(100, 144), (1000, 1449)]).unwrap();
    assert!(both.least < 0.69 && both.most > 0.69);
}

#[test]
fn a_count_that_an_exact_time_gives_is_rounding() {
    let mut study = study();
    for row in &mut study.data.latency {
        let count = match row.ms {
            20 => "29",
            100 => "145",
            _ => "1450",
        };
        let roles = format!(
            "ms = 1\nfull-sender = {{}}\ndirect-sender = {{}}\n\
             receiver = {{ x86_64 = \"{count}\" }}"
        );
        row.roles = toml::from_str::<super::super::data::Latency>(&roles)
            .unwrap()
            .roles;
    }
    let cells = cells(&study);
    let cell = find(&cells, "Table III", "20 ms, x86_64, Receiver");
    assert_eq!(cell.verdict, CellVerdict::Rounding);
    assert_says(cell, &["0.68918 to 0.68966 ms gives all of 29 in 20 ms"]);
}

#[test]
fn a_wrong_mark_says_what_the_sender_takes() {
    let mut study = study();
    let roles = "ms = 1\nfull-sender = { M4 = \"1\", x86_64 = \"0\" }\ndirect-sender = {}\n\
                 receiver = {}";
    let roles = toml::from_str::<super::super::data::Latency>(roles)
        .unwrap()
        .roles;
    study.data.latency[0].roles = roles;
    let cells = cells(&study);
    for (name, words) in [
        ("20 ms, M4, Full Sender", "459.2 ms, more than the 20 ms"),
        ("20 ms, x86_64, Full Sender", "1.25 ms, within the 20 ms"),
    ] {
        let cell = find(&cells, "Table III", name);
        assert_eq!(cell.verdict, CellVerdict::Differs);
        assert_says(cell, &[words]);
    }
}

#[test]
fn latencies_of_table_3_are_those_of_the_scenarios() {
    let study = study();
    let rows: Vec<u64> = study.data.latency.iter().map(|row| row.ms).collect();
    let mut scenarios: Vec<u64> = study
        .data
        .scenario
        .iter()
        .map(|one| one.latency_ms)
        .collect();
    scenarios.sort_unstable();
    scenarios.dedup();
    assert_eq!(rows, scenarios);
    assert_eq!(study.data.scenario.len(), 8);
    for row in &study.data.latency {
        for role in Role::ALL {
            for board in row.roles.of(role).keys() {
                assert!(study.boards.iter().any(|one| one.name == *board), "{board}");
            }
        }
    }
}
