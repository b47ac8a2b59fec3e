//! Keys in the verdicts and on the report page.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_page as html;
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_report::report::{FigureRow, Report};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Operation;

use super::{parse, report};

#[test]
fn a_requirement_on_the_key_has_a_verdict_with_its_cause() {
    let keys =
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n[require]\n";
    let missed = report(&format!("{keys}group_key_within = \"50ms\"\n"));
    let verdict = &missed.requirements[0];
    assert_eq!(
        (verdict.title.as_str(), verdict.met),
        ("group key all", false)
    );
    let cause = verdict.cause.as_deref().unwrap();
    assert!(
        cause.starts_with("b was the last to have a key, after"),
        "{cause}"
    );
    assert!(report(&format!("{keys}group_key_within = \"1s\"\n")).is_met());
}

#[test]
fn the_page_has_a_section_and_a_scene_for_the_key() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n";
    let file = parse(keys);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let mut recorder = RunRecorder::new(&file, &lowered.config, lowered.prose.clone());
    let outcome = run(lowered, &mut recorder, &mut |_| {}).unwrap();
    let report = Report::new(&file, 0, &outcome);
    let recording = &recorder.finish();
    let page = html::page(&html::PageInput {
        file: &file,
        report: &report,
        outcome: &outcome,
        recording,
    });
    for part in [
        "id=\"keys\"",
        "The first key of group all comes into use",
        "all: the group key of epoch",
        "class=\"secret\"",
        "<td>tree-with-orchestrator</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// The board states AES over 64 bytes; other lengths are scaled from that.
#[test]
fn origin_of_a_figure_is_that_of_the_length_used() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"a\"\nbuses = [\"one\"]\n\
                scheme = \"symmetric-distribution\"\nmembers = [\"gateway\"]\n";
    let file = parse(keys);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let boards = lowered.boards.clone();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    let report = Report::new(&file, file.seed, &outcome);
    let by_ecu = boards.iter().zip(&outcome.measure.work);
    let all = by_ecu.flat_map(|(board, work)| work.iter().map(move |work| (board, work)));
    for (board, (&(_, kind, algorithm, bytes), &(jobs, _))) in all {
        let operation = Operation::new(kind, algorithm, bytes);
        let origin = board.cost(&operation).unwrap().provenance.to_string();
        let mut rows = report.costs.iter();
        let row = rows.find(|row| {
            (
                row.board.as_str(),
                row.operation,
                row.algorithm,
                row.origin.as_str(),
            ) == (board.name(), kind.name(), algorithm.name(), origin.as_str())
        });
        let row = row.unwrap_or_else(|| panic!("{operation:?}: no row with {origin}"));
        assert!(row.jobs >= jobs, "{row:?}");
    }
    let is_stated = |row: &&FigureRow| {
        row.operation == "encrypt" && row.origin.contains("Table VII") && row.board == "tc297"
    };
    let stated = report.costs.iter().find(is_stated);
    let stated = stated.unwrap_or_else(|| panic!("{:#?}", report.costs));
    assert!(stated.origin.starts_with("paper"), "{stated:?}");
}
