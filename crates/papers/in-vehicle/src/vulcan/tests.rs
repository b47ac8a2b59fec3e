//! The cost model against numbers that were checked by hand, the rules on data that were tampered
//! with, runs against formulas, and every printed number as a snapshot.

mod model;
mod reasons;
mod slow;

use std::sync::OnceLock;

use waywarden_work::OperationKind;

use super::data::{Published, RowOf};
use super::ours::{EVERY, PROTECTED, RUNS};
use super::quantity::{Code, VulcanMetric, VulcanQuantity, VulcanRun, unmeasured};
use super::simulate::VulcanSimulator;
use super::study::VulcanStudy;
use waywarden_paper_tables::{Amount, Cell};

use crate::cell_checks::{assert_says, find, printed};

fn study() -> VulcanStudy {
    VulcanStudy::load().unwrap_or_else(|error| panic!("{error}"))
}

fn cells(study: &VulcanStudy) -> Vec<Cell> {
    study.cells(&unmeasured).unwrap()
}

/// The cells that are no tables of ours, with everything measured; once for all tests.
fn measured_cells() -> &'static [Cell] {
    static CELLS: OnceLock<Vec<Cell>> = OnceLock::new();
    CELLS.get_or_init(|| {
        let simulator = VulcanSimulator::new(&|_| {}).unwrap();
        let mut cells = study().cells(&|of| simulator.measure(of)).unwrap();
        assert_eq!(simulator.failure(), None);
        cells.retain(|cell| cell.paper.is_some());
        cells
    })
}

fn nanos(amount: Amount) -> f64 {
    match amount {
        Amount::Time(time) => time.as_nanos() as f64,
        Amount::Number(number) => number,
    }
}

fn ms(study: &VulcanStudy, run: VulcanRun, what: VulcanMetric) -> f64 {
    nanos(study.formula(&run.count(what)).unwrap()) / 1e6
}

/// Runs what is asked for, and returns what was measured, the formula, and what is accounted for.
fn both(
    study: &VulcanStudy,
    simulator: &VulcanSimulator<'_>,
    of: &VulcanQuantity,
) -> (f64, f64, f64) {
    let measured = simulator
        .measure(of)
        .unwrap_or_else(|| panic!("{:?}", simulator.failure()));
    let beside = measured.beside.iter().map(|one| one.amount).sum();
    (
        nanos(measured.amount),
        nanos(study.formula(of).unwrap()),
        beside,
    )
}

#[test]
fn runs_take_what_the_model_says_but_for_stuff_bits() {
    let study = study();
    let simulator = VulcanSimulator::new(&|_| {}).unwrap();
    let counts = [
        VulcanMetric::Send,
        VulcanMetric::RoundTrip,
        VulcanMetric::Bus,
        VulcanMetric::Processors,
        VulcanMetric::Frames,
    ];
    for run in RUNS {
        for what in counts {
            let of = run.count(what);
            let (measured, formula, beside) = both(&study, &simulator, &of);
            let rest = measured - formula - beside;
            assert!(rest.abs() < 1.0, "{of:?}: {measured}, {formula} + {beside}");
            // Means of 128 are within four bits of those of all frames, each.
            let frames = f64::from(2 * run.protocol.frames());
            assert!(beside.abs() <= frames * 8_000.0, "{of:?}: {beside}");
        }
        if run.code != Code::None {
            let (measured, formula, _) = both(&study, &simulator, &run.count(VulcanMetric::Code));
            assert_eq!(measured, formula, "{run:?}");
        }
    }
    assert_eq!(simulator.failure(), None);
}

#[test]
fn figures_of_the_board_say_where_they_come_from() {
    let study = study();
    let of = VulcanStudy::driver_call(OperationKind::FrameSend, false);
    assert_eq!(study.board.cost(&of).unwrap().provenance.mark(), "scaled");
    let unit = study.operation(Published::Vatican.run()).unwrap().unwrap();
    assert_eq!(study.board.cost(&unit).unwrap().provenance.mark(), "paper");
    let row = |of| {
        study
            .row(VulcanMetric::Send, of, &unmeasured)
            .unwrap()
            .formula
    };
    let (bare, own) = (row(RowOf::Vatican), row(RowOf::VaticanProtected));
    // A call of the module, in nanoseconds.
    assert!((own - bare - 22_600.0).abs() < 1e-6, "{}", own - bare);
}

#[test]
fn every_printed_number_is_as_it_was() {
    insta::assert_snapshot!(serde_json::to_string_pretty(measured_cells()).unwrap());
}

#[test]
fn the_page_is_whole() {
    let paper = waywarden_papers::Paper::find("VULCAN").unwrap();
    let cells = cells(&study());
    let plots = paper.plots(&waywarden_papers::unmeasured).unwrap();
    assert_eq!(plots.len(), 3);
    for plot in &plots {
        assert!(plot.svg.contains("<rect") && !plot.svg.contains("NaN"));
    }
    let page = waywarden_papers::page(paper, &cells, &plots, &Default::default());
    assert_eq!(page.matches("<svg").count(), plots.len());
    assert!(page.contains("from memory, not seen"));
    let (alone, tables) = paper.tables(&cells);
    let places: Vec<&str> = tables.iter().map(|table| table.place).collect();
    assert_eq!(places, [PROTECTED, EVERY]);
    let inside: usize = tables
        .iter()
        .flat_map(|table| &table.cells)
        .flatten()
        .flatten()
        .count();
    assert_eq!(alone.len() + inside, cells.len());
}
