//! Hardware security modules in a vehicle: codes do not wait behind signatures, and results always
//! come.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::cpu::ProcessingUnit;
use waywarden_testkit::each_seed;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{TraceSink as _, VehicleEvent};
use waywarden_work::OperationKind;

fn example() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../examples/hardware-security-module.toml"
    );
    std::fs::read_to_string(path).unwrap()
}

fn parse(text: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// A stretch of work: which ECU and unit, what it was, and when in nanoseconds.
struct Job {
    ecu: usize,
    unit: ProcessingUnit,
    kind: OperationKind,
    bytes: u32,
    from: u64,
    to: u64,
    finished: bool,
}

impl Job {
    fn is_on_module(&self) -> bool {
        matches!(self.unit, ProcessingUnit::SecurityModule(_))
    }
}

fn trace(text: &str, seed: Option<u64>) -> (Report, Vec<Job>) {
    let file = parse(text);
    let lowered = lower(&file, &Resources::default(), seed).unwrap();
    let mut jobs = Vec::new();
    let nanos = |time: Time| time.as_picos() / 1_000;
    let mut sink = |_: Time, event: &VehicleEvent<'_>| {
        if let VehicleEvent::Worked { ecu, slice } = event {
            jobs.push(Job {
                ecu: ecu.0,
                unit: slice.unit,
                kind: slice.operation.kind,
                bytes: slice.operation.bytes,
                from: nanos(slice.from),
                to: nanos(slice.to),
                finished: slice.finished,
            });
        }
    };
    let outcome = run(lowered, &mut sink, &mut |_| {}).unwrap();
    (
        Report::new(&file, seed.unwrap_or(file.seed), &outcome),
        jobs,
    )
}

/// Returns for each code that a module computed how long it waited, and how many signatures and
/// verifications the module began meanwhile.
fn waits(jobs: &[Job]) -> Vec<(u64, usize)> {
    let mut calls: BTreeMap<(usize, u32), VecDeque<u64>> = BTreeMap::new();
    for call in jobs
        .iter()
        .filter(|job| job.kind == OperationKind::ModuleCall)
    {
        let of_one_length = calls.entry((call.ecu, call.bytes)).or_default();
        of_one_length.extend(call.finished.then_some(call.to));
    }
    let on_module = jobs.iter().filter(|job| job.is_on_module());
    let (tags, others): (Vec<_>, Vec<_>) =
        on_module.partition(|job| job.kind == OperationKind::Tag);
    let waited = tags.into_iter().map(|tag| {
        // Codes over as many bytes are computed in the order of their calls.
        let own = calls.get_mut(&(tag.ecu, tag.bytes));
        let handed_in = own.and_then(VecDeque::pop_front).expect("its call");
        let meanwhile =
            |job: &&&Job| job.ecu == tag.ecu && (handed_in..tag.from).contains(&job.from);
        (
            tag.from - handed_in,
            others.iter().filter(meanwhile).count(),
        )
    });
    waited.collect()
}

#[test]
fn a_code_never_waits_behind_a_queue_of_signatures() {
    let (report, jobs) = trace(&example(), None);
    assert!(report.is_met(), "{:?}", report.requirements);
    let on_module = |kind| {
        let own = jobs.iter().filter(|job| job.is_on_module());
        own.filter(|job| job.kind == kind).count()
    };
    let (tags, verifications) = (
        on_module(OperationKind::Tag),
        on_module(OperationKind::Verify),
    );
    assert!(
        tags > 1_000 && verifications > 20,
        "{tags} codes, {verifications} verifications"
    );
    assert!(jobs.iter().all(|job| match job.kind {
        OperationKind::Verify | OperationKind::Sign => job.is_on_module(),
        OperationKind::Hash => !job.is_on_module(),
        _ => true,
    }));
    // Codes have an engine of their own: they wait for each other alone.
    let longest = waits(&jobs).iter().map(|(wait, _)| *wait).max().unwrap();
    assert!(longest < 100_000, "{longest} ns");
}

#[test]
fn a_code_on_a_module_with_one_engine_waits_for_the_running_command_at_most() {
    let one_engine = example()
        .replace("\"stm32h5\"", "\"s32k3\"")
        .replace("\"stm32u5\"", "\"s32k3\"");
    let (_, jobs) = trace(&one_engine, None);
    let jobs: Vec<Job> = jobs.into_iter().filter(|job| job.ecu > 0).collect();
    let waits = waits(&jobs);
    assert!(waits.len() > 500, "{}", waits.len());
    assert!(
        waits.iter().all(|(_, begun)| *begun == 0),
        "a signature went before a code"
    );
    let longest = waits.iter().map(|(wait, _)| *wait).max().unwrap();
    let commands = jobs.iter().filter(|job| job.is_on_module());
    let command = commands.map(|job| job.to - job.from).max().unwrap();
    // It does wait for a command that runs, which the module completes.
    assert!(
        longest > 5_000_000 && longest <= command,
        "{longest} ns of {command} ns"
    );
}

#[test]
fn the_report_has_the_module_apart_from_the_cores() {
    let (with, _) = trace(&example(), None);
    let software = example().replace("crypto = \"module\"", "crypto = \"software\"");
    let (without, jobs) = trace(&software, None);
    assert!(jobs.iter().all(|job| !job.is_on_module()));
    assert!(without.hardware_security_modules.is_empty());
    let names: Vec<_> = with
        .hardware_security_modules
        .iter()
        .map(|row| (row.ecu.as_str(), row.module.as_str()))
        .collect();
    let expected = [
        ("zone", "HSM"),
        ("brakes", "SAES and PKA"),
        ("steering", "SAES and PKA"),
    ];
    assert_eq!(names, expected);
    for (at, row) in with.hardware_security_modules.iter().enumerate() {
        assert!(row.load > 0.0 && row.commands > 100, "{row:?}");
        let (own, before) = (&with.ecus[at], &without.ecus[at]);
        assert!(
            own.crypto_load < before.crypto_load / 2.0,
            "{own:?} after {before:?}"
        );
    }
    let figures = with.costs.iter();
    let mut tags =
        figures.filter(|row| row.board == "stm32h5: SAES and PKA" && row.operation == "tag");
    let origin = &tags.next().expect("a figure of the module").origin;
    assert!(origin.starts_with("scaled: 480 cycles"), "{origin}");
    let mut calls = with
        .costs
        .iter()
        .filter(|row| row.operation == "module-call");
    assert!(calls.all(|row| row.origin.starts_with("assumed: a command is written")));
}

#[test]
fn no_message_is_lost_or_refused_by_seed() {
    each_seed(8, |seed| {
        let (report, jobs) = trace(&example(), Some(seed));
        let commands: u64 = report
            .hardware_security_modules
            .iter()
            .map(|row| row.commands)
            .sum();
        let on_module = jobs.iter().filter(|job| job.is_on_module());
        // At most one command of each engine is cut off by the end.
        let begun = on_module.count() as u64;
        assert!(
            begun - commands <= 6,
            "seed {seed}: {begun} begun, {commands} done"
        );
        for table in &report.authentication {
            for check in &table.checks {
                let lost = (check.forged, check.refused(), check.no_room);
                assert_eq!(lost, (0, 0, 0), "seed {seed}: {check:?}");
                assert!(check.authentic > 250, "seed {seed}: {check:?}");
            }
        }
        assert!(report.is_met(), "seed {seed}: {:?}", report.requirements);
    });
}

#[test]
fn a_board_without_a_module_is_refused_with_those_that_have_one() {
    let text = example().replace("\"stm32h5\"", "\"m4\"");
    let errors = VehicleFile::parse("car.toml", &text)
        .unwrap_err()
        .to_string();
    let start = "board `m4` has no security module";
    assert!(
        errors.contains(start) && errors.contains("s32k3, rh850-icum"),
        "{errors}"
    );
    assert!(errors.contains("car.toml:"), "{errors}");
}

#[test]
fn trace_and_time_line_show_the_engines_apart_from_the_cores() {
    let file = parse(&example());
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let lines = lowered.trace_lines();
    let mut perfetto = lowered.perfetto(Vec::new(), None);
    let mut seen = [false; 3];
    let mut sink = |at: Time, event: &VehicleEvent<'_>| {
        perfetto.record(at, event);
        if let VehicleEvent::Worked { slice, .. } = event {
            let line = lines.line(at, event).unwrap();
            let line: serde_json::Value = serde_json::from_str(&line).unwrap();
            match slice.unit {
                ProcessingUnit::Core(core) => {
                    assert_eq!(line["core"], core, "{line}");
                    assert!(line.get("unit").or(line.get("engine")).is_none(), "{line}");
                    seen[2] = true;
                }
                ProcessingUnit::SecurityModule(engine) => {
                    assert_eq!(line["unit"], "hardware-security-module", "{line}");
                    assert_eq!(line["engine"], engine, "{line}");
                    assert!(line.get("core").is_none(), "{line}");
                    seen[usize::from(engine)] = true;
                }
            }
        }
    };
    run(lowered, &mut sink, &mut |_| {}).unwrap();
    assert_eq!(seen, [true; 3]);
    let text = String::from_utf8(perfetto.finish().unwrap()).unwrap();
    for engine in ["engine 0", "engine 1"] {
        let name = format!("hardware security module, {engine}");
        assert!(text.contains(&name), "{name}");
    }
}
