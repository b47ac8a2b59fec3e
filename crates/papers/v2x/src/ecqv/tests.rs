//! Tables II and III against sums and quotients done by hand, the rules on data that were tampered
//! with and on random times, the machine at hand, and every printed number as a snapshot.

mod certificates;
mod messages;
mod road;
mod roles;
mod text;

use waywarden_work::{Duration, OperationKind};

use super::certificates::VERIFICATION;
use super::encoded::ENCODED;
use super::limits::is_limit;
use super::ours::{FLOW, SCENARIOS, TABLES};
use super::quantity::{EcqvQuantity, OPERATIONS, Signer, unmeasured};
use super::study::EcqvStudy;
use super::traffic::{self, is_traffic};
use crate::cell_checks::find;
use waywarden_paper_tables::{Amount, Cell, CellVerdict, Class, Measurement, totals};

fn study() -> EcqvStudy {
    EcqvStudy::load().unwrap_or_else(|error| panic!("{error}"))
}

fn cells(study: &EcqvStudy) -> Vec<Cell> {
    study.cells(&unmeasured).unwrap()
}

/// Operations of 50 us, verification of 40 us where many wait, 60 us with the key; messages of 400,
/// 520 and 350 bytes.
fn host(of: &EcqvQuantity) -> Option<Measurement> {
    let number = |bytes: f64| {
        Some(Measurement {
            amount: Amount::Number(bytes),
            beside: Vec::new(),
        })
    };
    let micros = match of {
        EcqvQuantity::Operation(_) => 50,
        EcqvQuantity::WaitingSignature => 40,
        EcqvQuantity::WaitingMessage => 60,
        EcqvQuantity::SignerBytes(Signer::Implicit) => return number(95.0),
        EcqvQuantity::SignerBytes(_) => return number(160.0),
        EcqvQuantity::MessageBytes(Signer::Implicit) => return number(400.0),
        EcqvQuantity::MessageBytes(Signer::Explicit) => return number(520.0),
        EcqvQuantity::MessageBytes(Signer::Digest) => return number(350.0),
    };
    Some(Measurement {
        amount: Amount::Time(Duration::from_nanos(micros * 1_000)),
        beside: Vec::new(),
    })
}

#[test]
fn the_totals_by_class() {
    let mut cells = cells(&study());
    cells.retain(|cell| !is_traffic(&cell.place) && !is_limit(&cell.place));
    // Their statements have tests of their own.
    cells.retain(|cell| !cell.place.starts_with("§V") && !cell.cell.starts_with("cores"));
    let of = |class, verdict| {
        let totals = totals(&cells);
        let total = totals.iter().find(|total| total.class == class).unwrap();
        total.count(verdict)
    };
    // Table I, direct senders, latencies of scenarios.
    assert_eq!(of(Some(Class::Input), CellVerdict::NotTested), 42 + 6 + 8);
    // Figure 1's single steps.
    assert_eq!(of(Some(Class::Input), CellVerdict::NotStated), 36);
    // Table II's sums; Table III's marks and counts.
    assert_eq!(of(Some(Class::Derived), CellVerdict::Agrees), 10 + 36 + 16);
    assert_eq!(of(Some(Class::Derived), CellVerdict::Rounding), 2);
    // Of Table III one; Algorithms 4 and 6.
    assert_eq!(of(Some(Class::Derived), CellVerdict::Differs), 1 + 2);
    // Of Table III one, section II's boards, Figure 1's sums, the scenarios.
    assert_eq!(
        of(Some(Class::Derived), CellVerdict::NotStated),
        1 + 6 + 12 + 48
    );
    // Ranges and hardware.
    assert_eq!(of(None, CellVerdict::PaperOnly), 8 + 3);
    assert_eq!(cells.len(), 56 + 36 + 62 + 3 + 67 + 11 + 2);
    for cell in &cells {
        assert_eq!(cell.measured, None, "{}", cell.cell);
        let differs = cell.verdict == CellVerdict::Differs;
        assert!(!differs || cell.why.len() > 20, "{}", cell.cell);
        let unlike = cell.verdict == CellVerdict::Rounding;
        assert!(!unlike || cell.why.len() > 20, "{}", cell.cell);
    }
}

#[test]
fn the_host_stands_beside_the_boards_only_if_it_was_measured() {
    let study = study();
    let without = cells(&study);
    let with = study.cells(&host).unwrap();
    let of_host = |cells: &[Cell]| {
        let own = cells.iter().filter(|cell| cell.cell.contains("this host"));
        own.cloned().collect::<Vec<_>>()
    };
    assert_eq!(of_host(&without), []);
    assert!(
        without
            .iter()
            .all(|cell| !TABLES.contains(&cell.place.as_str()))
    );
    let own = of_host(&with);
    // Section II twice; 8 rows of the flow; 8 scenarios twice; 7 + 3 rows; 9 rows, 3 of them twice;
    // three ways to verify; 17 rows of Tables VII to XIV, 8 columns each, twice.
    let beside = 2 + 8 + 16 + 7 + 3 + 9 + 3;
    assert_eq!(own.len(), beside + 3 + 17 * 8 * 2);
    for cell in &own {
        assert_eq!((cell.class, cell.paper), (Some(Class::Measured), None));
        assert_eq!(cell.verdict, CellVerdict::NotStated);
        assert!(cell.measured.is_some() && cell.formula.is_none());
    }
    let number = |place: &str, name: &str| find(&with, place, name).measured;
    let signatures = "signatures verified in 100 ms, this host";
    assert_eq!(
        number("§II", &format!("{signatures}, one by one")),
        Some(2000.0)
    );
    assert_eq!(
        number("§II", &format!("{signatures}, of many that wait")),
        Some(2500.0)
    );
    assert_eq!(number(TABLES[1], "Full Sender: this host"), Some(0.15));
    assert_eq!(number(TABLES[3], "100 ms: this host"), Some(1000.0));
    assert_eq!(
        number(TABLES[3], "100 ms: this host, many waiting"),
        Some(1666.0)
    );
    assert_eq!(
        number(FLOW, "4 to 6, from the message on: this host"),
        Some(0.15)
    );
    // Printed numbers are judged as before.
    let judged = |cells: &[Cell]| {
        let own = cells.iter().filter(|cell| cell.paper.is_some());
        let own = own.filter(|cell| !cell.cell.contains("encoded"));
        own.cloned().collect::<Vec<_>>()
    };
    assert_eq!(judged(&with), judged(&without));
}

#[test]
fn a_host_with_an_operation_missing_is_no_host() {
    let partial = |of: &EcqvQuantity| match of {
        EcqvQuantity::Operation(OperationKind::Sign)
        | EcqvQuantity::SignerBytes(_)
        | EcqvQuantity::MessageBytes(_) => None,
        of => host(of),
    };
    let cells = study().cells(&partial).unwrap();
    assert!(cells.iter().all(|cell| !cell.cell.contains("this host")));
    assert!(cells.iter().all(|cell| cell.measured.is_none()));
    assert_eq!(OPERATIONS.len(), 7);
}

#[test]
fn every_printed_number_is_as_it_was() {
    let mut cells = cells(&study());
    cells.retain(|cell| cell.paper.is_some());
    insta::assert_snapshot!(serde_json::to_string_pretty(&cells).unwrap());
}

#[test]
fn the_page_is_whole() {
    let paper = waywarden_papers::Paper::find("ECQV-CITS").unwrap();
    for measured in [&unmeasured as &super::EcqvMeasured<'_>, &host] {
        let cells = study().cells(measured).unwrap();
        let plots = study().plots(measured).unwrap();
        assert_eq!(plots.len(), 2);
        for plot in &plots {
            assert!(plot.svg.contains("<rect") && !plot.svg.contains("NaN"));
        }
        let page = waywarden_papers::page(paper, &cells, &plots, &Default::default());
        assert_eq!(page.matches("<svg").count(), plots.len());
        let (alone, tables) = paper.tables(&cells);
        let places: Vec<&str> = tables.iter().map(|table| table.place).collect();
        let is_measured = cells.iter().any(|cell| cell.measured.is_some());
        assert_eq!(places[..11], traffic::TABLES);
        assert!(places[11..14].iter().all(|place| is_limit(place)));
        let own = [VERIFICATION, FLOW, SCENARIOS];
        let expected = match is_measured {
            true => [&[ENCODED][..], &own, &TABLES].concat(),
            false => own.to_vec(),
        };
        assert_eq!(places[14..], expected);
        let inside: usize = tables
            .iter()
            .flat_map(|table| &table.cells)
            .flatten()
            .flatten()
            .count();
        assert_eq!(alone.len() + inside, cells.len());
    }
}
