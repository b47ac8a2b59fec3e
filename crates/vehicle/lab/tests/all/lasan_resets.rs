//! Times of a vehicle file under a security module are those of the scenario, whichever ECU resets.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{AuthenticatedRow, ModuleBootRow, NetworkRow, Report};
use waywarden_vehicle_resources::Resources;

/// A security module and two ECUs with a stream between them, on boards that compute in no time.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "4s"
[[bus]]
name = "one"
bitrate = "500k"
data_bitrate = "2M"
[[ecu]]
name = "safe"
ports = ["one"]
[[ecu]]
name = "a"
ports = ["one"]
sends = [{ name = "A", id = 0x100, length = 8, period = "10ms", receivers = ["b"] }]
[[ecu]]
name = "b"
ports = ["one"]
start = "40ms"
[[keys]]
name = "core"
scheme = "lasan"
security_module = "safe"
protect = ["A"]
"#;

fn reset(ecu: &str, from: &str, until: &str) -> String {
    format!(
        "[[fault]]\nkind = \"reset\"\necu = \"{ecu}\"\nfrom = \"{from}\"\nuntil = \"{until}\"\n"
    )
}

fn report(lines: &str) -> Report {
    let text = format!("{CAR}{lines}");
    let file = VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

fn ecu<'a>(network: &'a NetworkRow, name: &str) -> &'a AuthenticatedRow {
    let mut ecus = network.ecus.iter();
    ecus.find(|row| row.ecu == name).unwrap()
}

/// Counts the frames of the stream that `b` accepted as authentic.
fn believed(report: &Report) -> u64 {
    report.security_modules[0].streams[0].receivers[0].authentic
}

#[test]
fn the_workshop_does_nothing_twice() {
    let work =
        "retire = [{ ecu = \"b\", at = \"1s\" }]\nenrol = [{ ecu = \"b\", at = \"1500ms\" }]\n";
    let boot = reset("b", "1600ms", "1610ms");
    let without = report(&format!("{work}{boot}"));
    let with = report(&format!("{work}{boot}{}", reset("safe", "2s", "2100ms")));
    // One second and a half after its boot the module retires no ECU again.
    let (without, with) = (believed(&without), believed(&with));
    assert!(
        with > 300 && with.abs_diff(without) <= 20,
        "{with} {without}"
    );
    // Who is retired stays so.
    let retired = report(&format!(
        "retire = [{{ ecu = \"b\", at = \"1s\" }}]\n{}",
        reset("safe", "2s", "2100ms")
    ));
    let row = ecu(&retired.security_modules[0], "b");
    assert_eq!((row.sessions, row.retired), (1, true), "{row:?}");
    assert!(
        (90..=101).contains(&believed(&retired)),
        "{}",
        believed(&retired)
    );
}

#[test]
fn what_the_workshop_does_while_the_module_is_down_it_does_at_its_boot() {
    let work = "retire = [{ ecu = \"b\", at = \"1050ms\" }]\n";
    let report = report(&format!("{work}{}", reset("safe", "1s", "1200ms")));
    let row = ecu(&report.security_modules[0], "b");
    assert_eq!((row.sessions, row.retired), (1, true), "{row:?}");
}

#[test]
fn a_window_ends_when_the_file_says() {
    let windows = "windows = [{ stream = \"A\", until = \"2s\" }]\n";
    let report = report(&format!("{windows}{}", reset("safe", "1400ms", "1500ms")));
    let stream = &report.security_modules[0].streams[0];
    assert!((180..=202).contains(&believed(&report)), "{stream:?}");
    assert_eq!(stream.revoked, 1);
}

#[test]
fn certificates_end_when_the_file_says() {
    let ends = |at| format!("valid_until = \"{at}\"\n{}", reset("safe", "2s", "2010ms"));
    let over = report(&ends("1500ms"));
    let holds = report(&ends("3s"));
    let sessions =
        |report: &Report| ["a", "b"].map(|name| ecu(&report.security_modules[0], name).sessions);
    assert_eq!(
        sessions(&over),
        [1, 1],
        "{:#?}",
        over.security_modules[0].ecus
    );
    assert_eq!(
        sessions(&holds),
        [2, 2],
        "{:#?}",
        holds.security_modules[0].ecus
    );
}

#[test]
fn who_boots_later_knows_the_time_all_the_same() {
    // As published a request carries the time, and an old one is refused.
    let profile = "profile = \"as-published\"\nrenewal = \"1s\"\n";
    let report = report(&format!("{profile}{}", reset("a", "2500ms", "2600ms")));
    let network = &report.security_modules[0];
    assert_eq!(network.refused, 0, "{network:#?}");
    // It misses the epoch until the next one begins.
    assert!(believed(&report) > 270, "{}", believed(&report));
}

#[test]
fn each_life_of_the_security_module_is_counted_by_itself() {
    // The stream may be sent until after the reset; no ECU asks for it after its end.
    let windows = "windows = [{ stream = \"A\", until = \"2500ms\" }]\n";
    let report = report(&format!(
        "{windows}{}{}",
        reset("safe", "1s", "1100ms"),
        reset("b", "3s", "3010ms")
    ));
    let network = &report.security_modules[0];
    let [first, second] = &network.boots[..] else {
        panic!("{:#?}", network.boots);
    };
    assert_eq!((first.boot, first.from_ms), (1, 0.0));
    assert_eq!((second.boot, second.from_ms), (2, 1_100.0));
    // Both ECUs once, and one key to both; after the reset the same, and `b` once more.
    assert_eq!((first.epochs, second.epochs), (1, 1));
    assert_eq!((first.sessions, second.sessions), (2, 3), "{network:#?}");
    assert_eq!((first.keys, first.grants), (1, 2));
    // Of a key that was replaced before it was delivered not every grant counts.
    let delivered = second.keys..=2 * second.keys;
    assert!(delivered.contains(&second.grants), "{second:?}");
    assert!(second.keys >= 1, "{second:?}");
    // No ECU makes a request that the module refuses once the window is over.
    assert_eq!((first.refused, second.refused), (0, 0), "{network:#?}");
    let sum = |part: fn(&ModuleBootRow) -> u64| network.boots.iter().map(part).sum::<u64>();
    assert_eq!(sum(|life| life.epochs), network.epochs);
    assert_eq!(sum(|life| life.refused), network.refused);
    assert_eq!(sum(|life| life.failed), network.failed);
    assert_eq!(sum(|life| life.keys), network.streams[0].keys);
    let sessions: u64 = network.ecus.iter().map(|ecu| ecu.sessions).sum();
    assert_eq!(sum(|life| life.sessions), sessions);
    // What the receiver believed was sent by the end of the window.
    assert!(
        (225..=252).contains(&believed(&report)),
        "{}",
        believed(&report)
    );
}

#[test]
fn a_group_removes_no_one_twice() {
    let group = "[[keys]]\nname = \"group\"\norchestrator = \"safe\"\nmembers = [\"a\", \"b\"]\n\
                 remove = [{ ecu = \"b\", at = \"1s\" }]\n\
                 readmit = [{ ecu = \"b\", at = \"1500ms\" }]\n";
    let kept = report(&format!("{group}{}", reset("safe", "2s", "2100ms")));
    let row = &kept.groups[0];
    assert!(row.agreed_at_end, "{row:#?}");
    let b = row.ecus.iter().find(|party| party.ecu == "b").unwrap();
    assert!(!b.removed, "{row:#?}");
    // The start, the removal, the return, and the start after the reset.
    assert_eq!(row.agreements, 4, "{row:#?}");
    // Who was removed stays so over a reset.
    let gone = group.lines().filter(|line| !line.starts_with("readmit"));
    let gone = gone.collect::<Vec<_>>().join("\n");
    let gone = report(&format!("{gone}\n{}", reset("safe", "2s", "2100ms")));
    let row = &gone.groups[0];
    let b = row.ecus.iter().find(|party| party.ecu == "b").unwrap();
    assert!(b.removed && row.agreements == 3, "{row:#?}");
}
