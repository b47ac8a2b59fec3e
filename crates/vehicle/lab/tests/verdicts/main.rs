//! Verdicts come from facts: they are those on record with any words and any number of sinks.
//!
//! `make no-prose` builds the reports so that each phrase is an `x`, and runs these tests again.
//! WAYWARDEN_RECORD=1 writes a new record.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::attack_matrix::{AttackMatrix, AttackedProtocol, MatrixAttack};
use waywarden_vehicle_lab::lower::{Lowered, lower};
use waywarden_vehicle_lab::run::{RunOutcome, run};
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_report::prose::Prose;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_report::require::verdicts;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{Fact, GroupKeyEvent, JudgedFact, TraceSink, VehicleEvent};

/// True if this build prints phrases.
const HAS_PROSE: bool = option_env!("WAYWARDEN_NO_PROSE").is_none();

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples")
}

/// The examples that run in a moment, by their paths.
fn examples() -> Vec<String> {
    let mut names = vec![];
    for entry in std::fs::read_dir(folder().join("attacks/keys")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".toml") {
            names.push(format!("attacks/keys/{name}"));
        }
    }
    names.extend(["minimal.toml", "trailer.toml", "vulcan-bench.toml"].map(str::to_owned));
    names.sort();
    names
}

fn lowered(name: &str) -> (VehicleFile, Lowered) {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let file = VehicleFile::parse(name, &text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None);
    let lowered = lowered.unwrap_or_else(|error| panic!("{name}: {error}"));
    (file, lowered)
}

/// Returns the results of a run, without a word that a writer makes.
fn summary(file: &VehicleFile, outcome: &RunOutcome) -> String {
    let met: String = verdicts(file, outcome)
        .iter()
        .map(|one| if one.met { '+' } else { '-' })
        .collect();
    let measure = &outcome.measure;
    let mut text = format!("requirements {met}; forged {}", measure.forgeries.total());
    for ((ecu, what), times) in &measure.key_deceptions().taken {
        let _ = write!(text, "; {what:?} at ECU {ecu}: {times}");
    }
    for group in measure.groups() {
        let _ = write!(text, "; agreed {} failed {}", group.agreed, group.failed);
    }
    for ((ecu, module), display) in &measure.displays {
        let _ = write!(
            text,
            "; {module} of ECU {ecu}: {} {} {} {}",
            display.from_input, display.from_start, display.not_sent, display.signs
        );
    }
    text
}

#[test]
fn verdicts_are_those_on_record_with_and_without_prose() {
    let (fact, truth) = (
        &Fact::GroupKey {
            group: 0,
            event: GroupKeyEvent::Begun,
        },
        None,
    );
    let phrase = Prose::default().text(&JudgedFact { fact, truth });
    assert_eq!(phrase.as_deref() != Some("x"), HAS_PROSE);
    let mut found = String::new();
    for name in examples() {
        let (file, lowered) = lowered(&name);
        let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
        let _ = writeln!(found, "{name}: {}", summary(&file, &outcome));
    }
    let mut runner = AttackMatrix::new(7);
    for protocol in AttackedProtocol::ALL {
        let _ = write!(found, "{}:", protocol.word());
        for attack in MatrixAttack::ALL {
            let cell = runner.cell(protocol, attack).unwrap();
            let _ = write!(found, " {},", cell.verdict.brief());
        }
        found.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts/verdicts.txt");
    if std::env::var_os("WAYWARDEN_RECORD").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap_or_default();
    for (one, other) in found.lines().zip(recorded.lines()) {
        assert_eq!(one, other);
    }
    assert_eq!(found.lines().count(), recorded.lines().count());
}

/// Runs an example before these sinks; returns the report, and the trace if one was written.
fn watched(name: &str, has_lines: bool, has_all: bool) -> (String, String) {
    let (file, lowered) = lowered(name);
    let lines = lowered.trace_lines();
    let mut recorder = RunRecorder::new(&file, &lowered.config, lowered.prose.clone());
    let mut perfetto = lowered.perfetto(std::io::sink(), None);
    let mut text = String::new();
    let mut sink = |at: Time, event: &VehicleEvent<'_>| {
        if has_lines {
            text += &lines.line(at, event).unwrap_or_default();
        }
        if has_all {
            recorder.record(at, event);
            perfetto.record(at, event);
        }
    };
    let outcome = run(lowered, &mut sink, &mut |_| {}).unwrap();
    let report = Report::new(&file, file.seed, &outcome);
    (serde_json::to_string(&report).unwrap(), text)
}

#[test]
fn a_run_is_the_same_with_no_sink_with_one_and_with_all() {
    for name in [
        "vulcan-bench.toml",
        "attacks/keys/lasan-replayed-request.toml",
    ] {
        let (alone, nothing) = watched(name, false, false);
        let (with_one, trace) = watched(name, true, false);
        let (with_all, same_trace) = watched(name, true, true);
        assert!(nothing.is_empty() && trace.lines().count() > 1_000);
        assert!(alone == with_one && with_one == with_all, "{name}");
        assert!(trace == same_trace, "{name}");
    }
}
