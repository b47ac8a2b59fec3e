//! Times in `[[keys]]`: renewals that come due before an agreement is through, who leaves and comes
//! back, what would come after the end; and buses that no key could go over.

use std::time::Instant;

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

/// Three ECUs on one bus, and one on another.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "3s"
[[bus]]
name = "one"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "two"
bitrate = "500k"
data_bitrate = "2M"
[[ecu]]
name = "head"
board = "tc297"
ports = ["one"]
[[ecu]]
name = "a"
board = "tc297"
ports = ["one"]
[[ecu]]
name = "b"
board = "tc297"
ports = ["one"]
sends = [{ name = "B", id = 0x101, length = 20, period = "20ms", receivers = ["a"] }]
[[ecu]]
name = "far"
board = "tc297"
ports = ["two"]
"#;

const GROUP: &str = "[[keys]]\nname = \"all\"\norchestrator = \"head\"\n";
const MODULE: &str = "[[keys]]\nname = \"core\"\nscheme = \"lasan\"\nsecurity_module = \"head\"\n\
     protect = [\"B\"]\n";

/// Returns the line of the text that follows the car and these keys.
fn line_after(keys: &str) -> usize {
    CAR.lines().count() + keys.lines().count() + 1
}

fn parse(keys: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", &format!("{CAR}{keys}")).unwrap_or_else(|e| panic!("{e}"))
}

fn errors(keys: &str) -> Vec<String> {
    match VehicleFile::parse("car.toml", &format!("{CAR}{keys}")) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.to_string().lines().map(str::to_owned).collect(),
    }
}

fn report(keys: &str) -> Report {
    let file = parse(keys);
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

#[test]
fn a_renewal_waits_for_the_end_of_an_agreement() {
    // An agreement takes these boards over 60 ms.
    let begun = Instant::now();
    for profile in ["hardened", "as-published"] {
        for scheme in ["tree-with-orchestrator", "symmetric-distribution"] {
            let words = format!("profile = \"{profile}\"\nscheme = \"{scheme}\"\n");
            let report = report(&format!("{GROUP}{words}renewal = \"10ms\"\n"));
            let group = &report.groups[0];
            let most = (3_000.0 / group.longest_renewal_ms.unwrap()).ceil() as u64;
            assert!(
                group.start_up_ms.is_some() && (10..=2 * most).contains(&group.agreements),
                "{words}{group:#?}"
            );
        }
    }
    assert!(begun.elapsed().as_secs() < 60);
}

#[test]
fn an_epoch_waits_until_all_were_authenticated_in_the_one_before() {
    for profile in ["hardened", "compact", "as-published"] {
        let words = format!("profile = \"{profile}\"\nrenewal = \"10ms\"\n");
        let report = report(&format!("{MODULE}{words}"));
        let network = &report.security_modules[0];
        assert!(network.authorized_ms.is_some(), "{words}{network:#?}");
        assert!((2..100).contains(&network.epochs), "{words}{network:#?}");
        let sessions = network.ecus.iter().skip(1).map(|ecu| ecu.sessions);
        // The last epoch may be under way at the end. As published not all begin again.
        assert!(
            profile == "as-published" || sessions.clone().all(|count| count + 1 >= network.epochs),
            "{words}{network:#?}"
        );
    }
}

#[test]
fn an_ecu_that_is_not_there_does_not_keep_the_others_from_a_new_epoch() {
    let gone = "[[fault]]\nkind = \"bus-open\"\necu = \"a\"\n";
    for profile in ["hardened", "as-published"] {
        let words = format!("profile = \"{profile}\"\nrenewal = \"300ms\"\n");
        let network = &report(&format!("{MODULE}{words}{gone}")).security_modules[0];
        assert!(network.epochs > 3, "{words}{network:#?}");
    }
}

#[test]
fn no_renewal_is_shorter_than_ten_milliseconds() {
    for keys in [GROUP, MODULE] {
        for (renewal, good) in [("1ms", false), ("9999us", false), ("10ms", true)] {
            let found = errors(&format!("{keys}renewal = \"{renewal}\"\n"));
            assert_eq!(found.is_empty(), good, "{found:?}");
            let says = |found: &String| found.contains("is out of range: 10 ms or more");
            assert!(found.iter().all(says), "{found:?}");
        }
    }
}

#[test]
fn who_leaves_twice_or_comes_back_without_having_left_is_placed() {
    let a = |key: &str, times: &[&str]| {
        let entry = |at: &&str| format!("{{ ecu = \"a\", at = \"{at}\" }}");
        let entries: Vec<String> = times.iter().map(entry).collect();
        format!("{key} = [{}]\n", entries.join(", "))
    };
    for (keys, out, back) in [(GROUP, "remove", "readmit"), (MODULE, "retire", "enrol")] {
        let head = line_after(keys);
        let fine = [a(out, &["1s", "2s"]), a(back, &["1.5s", "2.5s"])].concat();
        assert_eq!(errors(&format!("{keys}{fine}")), [""; 0], "{keys}");
        for (lines, line, says) in [
            (
                a(back, &["1s"]),
                0,
                "ECU \"a\" takes part from the beginning",
            ),
            (
                a(out, &["1s", "2s"]),
                0,
                "ECU \"a\" does not take part since 1 s",
            ),
            (
                [a(out, &["1s"]), a(back, &["1.5s", "2s"])].concat(),
                1,
                "ECU \"a\" takes part since 1.500 s",
            ),
            (
                [a(out, &["1s"]), a(back, &["1s"])].concat(),
                1,
                "something else happens to ECU \"a\" at 1 s too",
            ),
            (
                a(out, &["1s", "1s"]),
                0,
                "something else happens to ECU \"a\" at 1 s too",
            ),
        ] {
            let found = errors(&format!("{keys}{lines}"));
            assert_eq!(found.len(), 1, "{lines}{found:?}");
            let place = format!("car.toml:{}:", head + line);
            assert!(found[0].starts_with(&place), "{place} {found:?}");
            assert!(found[0].contains(says), "{lines}{found:?}");
        }
    }
    // A new part takes part, whatever part was there before.
    let replaced = "credentials = \"digests\"\nretire = [{ ecu = \"a\", at = \"1s\" }]\n\
                    replace = [{ ecu = \"a\", at = \"2s\" }]\n";
    assert_eq!(errors(&format!("{MODULE}{replaced}")), [""; 0]);
    let enrolled = format!("{MODULE}{replaced}enrol = [{{ ecu = \"a\", at = \"2.5s\" }}]\n");
    assert!(errors(&enrolled)[0].contains("takes part since 2 s"));
}

#[test]
fn what_comes_after_the_end_is_reported_and_no_error() {
    let late = |keys: &str, seconds: u64| {
        let end = waywarden_work::Duration::from_millis(seconds * 1_000);
        parse(keys).too_late(end).map_or(Vec::new(), |late| {
            late.to_string().lines().map(str::to_owned).collect()
        })
    };
    let fault = "[[fault]]\nkind = \"bus-open\"\necu = \"a\"\nfrom = \"20s\"\n";
    let keys =
        format!("{GROUP}start = \"10s\"\nremove = [{{ ecu = \"a\", at = \"50s\" }}]\n{fault}");
    let found: Vec<String> = late(&keys, 3);
    let places = [0, 1, 5].map(|line| format!("car.toml:{}:", line_after(GROUP) + line));
    assert_eq!(found.len(), places.len(), "{found:?}");
    for (found, place) in found.iter().zip(&places) {
        assert!(found.starts_with(place), "{found}");
        assert!(found.contains("the run ends at 3 s"), "{found}");
    }
    assert_eq!(late(&keys, 20).len(), 2);
    assert_eq!(late(&keys, 60), [""; 0]);
    let retired = format!("{MODULE}retire = [{{ ecu = \"a\", at = \"50s\" }}]\n");
    assert_eq!((late(&retired, 3).len(), late(&retired, 51).len()), (1, 0));
}

#[test]
fn buses_that_no_key_can_go_over_are_one_error() {
    for (keys, what) in [(GROUP, "orchestrator"), (MODULE, "security module")] {
        let line = line_after(keys);
        let none = format!("the {what} \"head\" is on none of these buses; it is on one");
        for (buses, says) in [
            ("[\"two\"]", none.as_str()),
            ("[\"zz\"]", "there is no bus \"zz\""),
            ("[]", "no bus carries its frames"),
        ] {
            let found = errors(&format!("{keys}buses = {buses}\n"));
            assert_eq!(found.len(), 1, "{buses} {found:?}");
            assert!(
                found[0].starts_with(&format!("car.toml:{line}:")),
                "{found:?}"
            );
            assert!(found[0].contains(says), "{found:?}");
        }
    }
}

#[test]
fn a_bus_that_is_not_understood_is_not_called_classic() {
    let text = format!("{CAR}{GROUP}transport = \"fd\"\n");
    let fast = text.replacen("\"500k\"", "\"2M\"", 1);
    let found = VehicleFile::parse("car.toml", &fast)
        .unwrap_err()
        .to_string();
    assert!(
        found.contains("bit rate 2000000 bit/s is out of range"),
        "{found}"
    );
    assert_eq!(found.lines().count(), 1, "{found}");
}
