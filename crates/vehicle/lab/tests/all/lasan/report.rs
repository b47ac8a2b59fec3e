//! The security module on the report page and in the verdict.

use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_page as html;
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

use super::{CAR, KEYS, parse};

#[test]
fn the_page_and_the_verdict_tell_of_it() {
    let car = CAR.replace("\"m4\"", "\"ideal\"");
    let text = format!("{car}{KEYS}[require]\nauthorized_within = \"1ms\"\n");
    let file = parse(&text);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let mut recorder = RunRecorder::new(&file, &lowered.config, lowered.prose.clone());
    let outcome = run(lowered, &mut recorder, &mut |_| {}).unwrap();
    let report = Report::new(&file, 0, &outcome);
    let cause = report.requirements[0].cause.as_deref().unwrap();
    assert!(
        cause.contains("the last to be authenticated, after"),
        "{cause}"
    );
    let recording = &recorder.finish();
    let page = html::page(&html::PageInput {
        file: &file,
        report: &report,
        outcome: &outcome,
        recording,
    });
    for part in [
        "id=\"authorization\"",
        "Authentication and authorization",
        "The first stream key of core is held",
        "Protected streams of core: 2",
        "<td>ecu-confirmation</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
