//! The formulas against numbers that were checked by hand, the rules on data that were tampered
//! with, runs against formulas, and every printed number as a snapshot.

mod counts;
mod reasons;
mod runs;

use std::sync::LazyLock;

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile, SUITES};

use super::quantity::{ComputingParty, LasanQuantity, Metric, Part, unmeasured};
use super::simulate::LasanSimulator;
use super::study::{BOARDS, LasanStudy};
use super::suites::{BYTES, COMPUTING, FORMS, FRAMES};
use super::tables::run_of;
use waywarden_paper_tables::{Amount, Cell, Unit};

use crate::cell_checks::{assert_says, find, printed};

const PRE: &str = "p256";

const POST: &str = "kyber-768-round-1+dilithium-round-1";

/// The post-quantum suite of the fewest bytes.
const CHOSEN: &str = "ml-kem-512+fn-dsa-512";

fn study() -> LasanStudy {
    LasanStudy::load().unwrap_or_else(|error| panic!("{error}"))
}

/// The cells of the paper's own figures, computed once for all tests.
fn cells() -> &'static [Cell] {
    static CELLS: LazyLock<Vec<Cell>> = LazyLock::new(|| cells_of(&study()));
    &CELLS
}

fn cells_of(study: &LasanStudy) -> Vec<Cell> {
    study.cells(&unmeasured).unwrap()
}

fn number(study: &LasanStudy, of: &LasanQuantity) -> f64 {
    match study.formula(of).unwrap() {
        Amount::Number(number) => number,
        Amount::Time(time) => panic!("{time} is no number"),
    }
}

fn seconds(study: &LasanStudy, of: &LasanQuantity) -> f64 {
    study.formula(of).unwrap().in_unit(Unit::Seconds)
}

#[test]
fn compact_keeps_its_budget() {
    let study = study();
    let bytes = |credentials| {
        let run = run_of(CHOSEN, (LasanProfile::Compact, credentials), Transport::Fd);
        number(&study, &run.count(Metric::Bytes, Part::All))
    };
    // The security module's acknowledgement comes to it when it runs.
    assert_eq!(bytes(Credentials::Keys), 3068.0);
    assert_eq!(bytes(Credentials::Certificates), 6155.0);
}

/// docs/protocols/lasan.md says by suite what `compact` saves, and help and docs do not say more.
#[test]
fn what_compact_saves_is_as_documented() {
    let page = include_str!("../../../../../docs/protocols/lasan.md");
    let (study, simulator) = (study(), LasanSimulator::new(&|_| {}).unwrap());
    for (suite, ..) in SUITES {
        let mut columns = vec![format!("`{suite}`")];
        for unit in [Unit::Bytes, Unit::Milliseconds] {
            for profile in [LasanProfile::Compact, LasanProfile::Hardened] {
                let run = run_of(suite, (profile, Credentials::Keys), Transport::Fd);
                let (who, board) = (ComputingParty::Both, run.board.clone());
                let of = match unit {
                    Unit::Bytes => run.count(Metric::Bytes, Part::All),
                    _ => run.count(Metric::Computation { who, board }, Part::Each),
                };
                let value = simulator.measure(&of).unwrap().amount.in_unit(unit);
                columns.push(match unit {
                    Unit::Bytes if value >= 1e3 => {
                        format!("{:.0},{:03.0}", (value / 1e3).floor(), value % 1e3)
                    }
                    Unit::Bytes => format!("{value:.0}"),
                    _ => format!("{value:.1} ms"),
                });
            }
        }
        let row = format!("| {} |", columns.join(" | "));
        assert!(page.contains(&row), "no row {row}");
    }
    assert_eq!(study.running().count(), SUITES.len());
    let claims = [
        include_str!("../../../../../docs/vehicle-file.md"),
        include_str!("../../../../cli/waywarden/src/keys/built_in.rs"),
    ];
    for claim in claims {
        assert!(claim.contains("fewer bytes except with") && !claim.contains(", for fewer bytes"));
    }
}

#[test]
fn every_suite_has_every_number() {
    let cells = cells();
    let columns = [(BYTES, 4), (FRAMES, 8), (COMPUTING, 3 * BOARDS.len())];
    for (place, columns) in columns {
        let of = cells.iter().filter(|cell| cell.place == place);
        let numbers = of.filter(|cell| cell.formula.is_some_and(f64::is_finite));
        let rows = SUITES.len() * FORMS.len();
        // The schemes of 2017 have a row as published, and no NIST category.
        let old = columns - usize::from(place == BYTES);
        assert_eq!(numbers.count(), rows * columns + old, "{place}");
    }
}

#[test]
fn every_printed_number_is_as_it_was() {
    let cells: Vec<&Cell> = cells().iter().filter(|cell| cell.paper.is_some()).collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&cells).unwrap());
}

#[test]
fn the_page_is_whole() {
    let paper = waywarden_papers::Paper::find("LASAN").unwrap();
    let cells = cells();
    let plots = paper.plots(&waywarden_papers::unmeasured).unwrap();
    for plot in &plots {
        assert!(plot.svg.contains("<rect") && !plot.svg.contains("NaN"));
    }
    let page = waywarden_papers::page(paper, cells, &plots, &Default::default());
    assert_eq!(page.matches("<svg").count(), plots.len());
    let (alone, tables) = paper.tables(cells);
    let places = tables.iter().map(|table| table.place);
    assert_eq!(
        places.skip(1).collect::<Vec<_>>(),
        [BYTES, FRAMES, COMPUTING]
    );
    let inside: usize = tables
        .iter()
        .flat_map(|table| &table.cells)
        .flatten()
        .flatten()
        .count();
    assert_eq!(alone.len() + inside, cells.len());
    assert!(page.contains("20528") && page.contains("compact, keys"));
}
