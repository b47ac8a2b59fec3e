//! Vehicles whose ECUs authenticate to a security module and send protected streams.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{Discard, Serial};
use waywarden_lasan::{EcuEvent, ModuleEvent, SUITES};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_lab::lower::{LowerError, lower};
use waywarden_vehicle_lab::run::{Outcome, run};
use waywarden_vehicle_report::html;
use waywarden_vehicle_report::report::{NetworkRow, ProtectedRow, ReceiverRow, Report};
use waywarden_vehicle_trace::{AuthorisationEvent, Event, Fact, TraceSink};

/// A security module that forwards between two FD buses, with three ECUs.
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
name = "safe"
board = "m4"
ports = ["one", "two"]
[[ecu]]
name = "a"
board = "m4"
ports = ["one"]
sends = [{ name = "A", id = 0x100, length = 8, period = "10ms", receivers = ["b", "c"] }]
[[ecu]]
name = "b"
board = "m4"
ports = ["one"]
start = "40ms"
sends = [{ name = "B", id = 0x101, length = 20, period = "20ms", receivers = ["a"] }]
[[ecu]]
name = "c"
board = "m4"
ports = ["two"]
clock_ppm = 100
[[route]]
gateway = "safe"
from = "one"
to = "two"
streams = ["A"]
"#;

/// Streams that cannot be protected.
const OTHERS: &str = r#"
[[stream]]
name = "Long"
id = 0x110
sender = "a"
length = 64
period = "50ms"
receivers = ["b"]
[[stream]]
name = "Old"
id = 0x111
sender = "a"
length = 8
period = "50ms"
format = "classic"
receivers = ["b"]
"#;

const KEYS: &str = "[[keys]]\nname = \"core\"\nscheme = \"lasan\"\nsecurity_module = \"safe\"\n\
                    protect = [\"A\", \"B\"]\n";

fn parse(text: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn outcome(text: &str, sink: &mut dyn TraceSink) -> (VehicleFile, Outcome) {
    let file = parse(text);
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, sink, &mut |_| {}).unwrap();
    (file, outcome)
}

fn report_of(text: &str) -> Report {
    let (file, outcome) = outcome(text, &mut Discard);
    Report::new(&file, 0, &outcome)
}

/// The car on boards that compute in no time, with these keys.
fn report(keys: &str) -> Report {
    let car = CAR.replace("\"m4\"", "\"ideal\"");
    report_of(&format!("{car}{keys}"))
}

fn stream<'a>(network: &'a NetworkRow, name: &str) -> &'a ProtectedRow {
    let mut streams = network.streams.iter();
    streams.find(|row| row.stream == name).unwrap()
}

fn at<'a>(stream: &'a ProtectedRow, ecu: &str) -> &'a ReceiverRow {
    let mut receivers = stream.receivers.iter();
    receivers.find(|row| row.ecu == ecu).unwrap()
}

fn requested(report: &Report, name: &str) -> u64 {
    let mut streams = report.streams.iter();
    streams.find(|row| row.stream == name).unwrap().requested
}

/// Every instance that left arrived and was believed, but for one under way at the end, and those
/// that left before the last receiver had the key.
#[track_caller]
fn assert_believed(report: &Report) {
    for stream in &report.lasan[0].streams {
        let left = requested(report, &stream.stream);
        assert!(left > 0, "{stream:?}");
        let early = stream.keyed_ms.unwrap() - stream.sender_ms.unwrap();
        let early = (early / 10.0).ceil() as u64;
        for receiver in &stream.receivers {
            let lost = left - receiver.authentic;
            assert!(lost <= 1 + early, "{left} left: {stream:#?}");
            let ReceiverRow {
                forged,
                replayed,
                unknown_key,
                ..
            } = receiver;
            assert_eq!([*forged, *replayed, *unknown_key], [0; 3], "{stream:#?}");
        }
    }
}

#[test]
fn all_are_authenticated_and_protected_streams_flow_end_to_end() {
    let report = report_of(&format!(
        "{CAR}{KEYS}[require]\nauthorised_within = \"2.5s\"\n"
    ));
    let network = &report.lasan[0];
    assert!(report.is_met(), "{:?}\n{network:#?}", report.requirements);
    assert_eq!((network.epochs, network.failed, network.members), (1, 0, 3));
    for ecu in network.ecus.iter().skip(1) {
        assert!(ecu.authenticated_ms > network.started_ms, "{ecu:?}");
        assert_eq!((ecu.sessions, ecu.retired), (1, false));
        let parts = [ecu.communication_ms, ecu.computation_ms, ecu.rest_ms];
        assert!(parts.iter().all(|part| part.unwrap() > 0.0), "{ecu:?}");
    }
    assert_believed(&report);
    let (sender, receivers) = (stream(network, "A"), ["b", "c"]);
    // Counter, ciphertext and tag of 8 bytes take the 20 bytes that CAN FD has.
    assert_eq!(sender.carried.bytes, 20 * sender.carried.frames);
    assert!(receivers.iter().all(|ecu| at(sender, ecu).authentic > 50));
    // Nothing left before the key was there, and that is told apart from a full queue.
    let row = &report.streams[0];
    assert_eq!(row.skipped, 0);
    assert!(
        (row.unauthorised + row.requested).abs_diff(300) <= 1,
        "{row:?}"
    );
    assert_eq!(sender.unauthorised, row.unauthorised);
    let due = (sender.sender_ms.unwrap() / 10.0) as u64;
    assert!(due.abs_diff(row.unauthorised) <= 1, "{row:?}");
    // Protecting takes time, which counts: more than the frame does on the wire.
    assert!(row.worst_ms.unwrap() > 0.3, "{row:?}");
    assert!(network.amortised.bytes > 0 && network.amortised.bytes < network.messages.bytes);
    assert_eq!(network.kinds[0].kind, "hello");
}

#[test]
fn every_suite_and_profile_works() {
    for (at, (suite, ..)) in SUITES.iter().enumerate() {
        let profiles = ["hardened", "compact", "as-published"];
        let credentials = [
            &["certificates", "digests", "keys"][..],
            &["keys", "digests", "certificates"],
        ];
        let profile = profiles[at % 3];
        let credentials = match profile {
            "as-published" => "certificates",
            _ => credentials[at % 2][at / 2 % 3],
        };
        let report = report(&format!(
            "{KEYS}suite = \"{suite}\"\nprofile = \"{profile}\"\ncredentials = \"{credentials}\"\n"
        ));
        let network = &report.lasan[0];
        assert!(
            network.authorised_ms.is_some(),
            "{suite} {profile}: {network:#?}"
        );
        assert_eq!((network.suite, network.profile), (*suite, profile));
        assert_believed(&report);
    }
}

#[test]
fn a_stream_leaves_in_its_window_alone() {
    let window = "windows = [{ stream = \"A\", from = \"500ms\", until = \"2s\" }]\n";
    let report = report(&format!("{KEYS}{window}"));
    let network = &report.lasan[0];
    let left = requested(&report, "A");
    // Requests are repeated, at pauses that grow to a second, until the window begins.
    assert!((50..=151).contains(&left), "{left}: {network:#?}");
    let a = stream(network, "A");
    assert!(a.sender_ms.unwrap() >= 500.0 && a.revoked == 1, "{a:?}");
    assert!(network.refused > 0 && a.unauthorised > 140);
    assert!(at(a, "b").authentic.abs_diff(left) <= 1 && at(a, "c").authentic.abs_diff(left) <= 1);
    // The other one may be sent from the start, and all are authorised without the first.
    assert!(requested(&report, "B") > 140 && network.authorised_ms.unwrap() < 100.0);
}

/// The workshop turns an ECU off and on.
const BOOT: &str = "[[fault]]\nkind = \"reset\"\necu = \"b\"\nfrom = \"1.6s\"\n";

#[test]
fn who_is_retired_is_out_and_comes_back_when_enrolled() {
    let all = report(KEYS);
    let retired = report(&format!(
        "{KEYS}retire = [{{ ecu = \"b\", at = \"1s\" }}]\n"
    ));
    let back = report(&format!(
        "{KEYS}retire = [{{ ecu = \"b\", at = \"1s\" }}]\n\
         enrol = [{{ ecu = \"b\", at = \"1.5s\" }}]\n{BOOT}"
    ));
    let counts = |report: &Report| {
        let a = stream(&report.lasan[0], "A");
        ["b", "c"].map(|ecu| at(a, ecu).authentic)
    };
    let [all, retired_counts, back_counts] = [&all, &retired, &back].map(counts);
    assert!(
        retired_counts[0] <= 102 && retired_counts[0] > 80,
        "{retired_counts:?}"
    );
    assert!(back_counts[0] > retired_counts[0] + 50, "{back_counts:?}");
    // Who stays gets a new key, that the one who left does not have.
    for counts in [retired_counts, back_counts] {
        assert!(all[1].abs_diff(counts[1]) <= 2, "{all:?} {counts:?}");
    }
    let network = &retired.lasan[0];
    assert!(
        network.ecus[2].retired && stream(network, "A").keys == 2,
        "{network:#?}"
    );
    // What it sends is not believed any more.
    assert!(at(stream(network, "B"), "a").authentic <= 52);
    assert!(!back.lasan[0].ecus[2].retired && back.lasan[0].ecus[2].sessions == 2);
    // Who is out stays so over a boot.
    let booted = report(&format!(
        "{KEYS}retire = [{{ ecu = \"b\", at = \"1s\" }}]\n{BOOT}"
    ));
    assert!(counts(&booted)[0] <= 102 && booted.lasan[0].ecus[2].sessions == 1);
}

#[test]
fn a_new_part_is_enrolled_with_its_own_key() {
    for (profile, credentials) in [("hardened", "certificates"), ("compact", "digests")] {
        let keys = format!(
            "{KEYS}profile = \"{profile}\"\ncredentials = \"{credentials}\"\n\
             replace = [{{ ecu = \"a\", at = \"1s\" }}, {{ ecu = \"a\", at = \"2s\" }}]\n"
        );
        let report = report(&keys);
        let network = &report.lasan[0];
        assert_eq!(network.ecus[1].sessions, 3, "{profile}: {network:#?}");
        let a = stream(network, "A");
        assert!(a.keys >= 3 && at(a, "c").authentic > 250, "{a:#?}");
        let row = report.ecus.iter().find(|row| row.ecu == "a").unwrap();
        assert_eq!(row.boots, 3);
    }
}

/// Counts what reaches an ECU of a sender's frames.
#[derive(Default)]
struct Reached {
    sender: usize,
    receiver: usize,
    under_way: BTreeSet<Serial>,
    frames: u64,
}

impl TraceSink for Reached {
    fn record(&mut self, _at: Time, event: &Event<'_>) {
        match event {
            Event::Requested { ecu, serial, .. } if ecu.0 == self.sender => {
                self.under_way.insert(*serial);
            }
            Event::Delivered { ecu, serial, .. } if ecu.0 == self.receiver => {
                self.frames += u64::from(self.under_way.contains(serial));
            }
            _ => {}
        }
    }
}

#[test]
fn forged_and_replayed_frames_are_refused_and_would_pass_without() {
    let attackers = "[[attacker]]\nname = \"liar\"\nkind = \"spoof\"\nstream = \"A\"\n\
                     period = \"7ms\"\nfrom = \"1s\"\nuntil = \"2s\"\n";
    let replay = "[[attacker]]\nname = \"parrot\"\nkind = \"replay\"\nstream = \"B\"\n\
                  delay = \"45ms\"\nfrom = \"1s\"\nuntil = \"2s\"\n";
    let car = CAR.replace("\"m4\"", "\"ideal\"");
    // The ECUs of the car, then the attackers.
    let reached = |keys: &str, attack: &str, receiver: usize| {
        let mut reached = Reached {
            sender: 4,
            receiver,
            ..Reached::default()
        };
        let (file, outcome) = outcome(&format!("{car}{keys}{attack}"), &mut reached);
        (Report::new(&file, 0, &outcome), reached.frames)
    };
    let (_, accepted) = reached("", attackers, 2);
    let (report, arrived) = reached(KEYS, attackers, 2);
    assert!(accepted > 130 && arrived > 130, "{accepted} {arrived}");
    let b = at(stream(&report.lasan[0], "A"), "b");
    // By chance one of 256 may name the key and be tried; none has the tag.
    assert_eq!(b.forged + b.unknown_key + b.replayed, arrived, "{b:?}");
    assert!(report.lasan[0].stopped >= arrived);
    // What is the sender's own is believed all the same.
    let all = stream(&report.lasan[0], "A");
    let early = ((all.keyed_ms.unwrap() - all.sender_ms.unwrap()) / 10.0).ceil() as u64;
    assert!(
        requested(&report, "A") - b.authentic <= 1 + early,
        "{all:?}"
    );
    let (_, accepted) = reached("", replay, 1);
    let (report, arrived) = reached(KEYS, replay, 1);
    assert!(accepted > 40 && arrived > 40, "{accepted} {arrived}");
    let a = at(stream(&report.lasan[0], "B"), "a");
    assert_eq!((a.replayed, a.forged), (arrived, 0), "{a:?}");
}

#[test]
fn fifty_ecus_begin_at_once_on_the_stack_of_a_thread() {
    let mut car = CAR
        .replace("\"m4\"", "\"ideal\"")
        .replace("\"3s\"", "\"1500ms\"");
    for ecu in 0..47 {
        car += &format!("[[ecu]]\nname = \"x{ecu}\"\nports = [\"one\"]\n");
    }
    for profile in ["hardened", "as-published"] {
        let report = report_of(&format!("{car}{KEYS}profile = \"{profile}\"\n"));
        let network = &report.lasan[0];
        assert!(network.authorised_ms.is_some(), "{profile}: {network:#?}");
        assert_eq!(network.members, 50);
        println!(
            "50 ECUs, {profile}: all authorised at {:?} ms",
            network.authorised_ms
        );
    }
}

#[test]
fn epochs_follow_each_other_and_a_reset_of_the_module_ends_nothing() {
    let keys = format!(
        "{KEYS}renewal = \"900ms\"\n[[fault]]\nkind = \"reset\"\necu = \"safe\"\n\
         from = \"1300ms\"\nuntil = \"1320ms\"\n\
         [[fault]]\nkind = \"reset\"\necu = \"b\"\nfrom = \"2200ms\"\n"
    );
    let report = report(&keys);
    let network = &report.lasan[0];
    assert!(network.epochs >= 4, "{network:#?}");
    for ecu in network.ecus.iter().skip(1) {
        assert!(ecu.sessions >= 4, "{network:#?}");
    }
    let a = stream(network, "A");
    assert!(
        at(a, "c").authentic + 20 > requested(&report, "A"),
        "{a:#?}"
    );
    assert!(
        at(a, "b").authentic + 60 > requested(&report, "A"),
        "{a:#?}"
    );
}

#[test]
fn a_security_module_and_a_group_share_a_bus_and_a_gateway() {
    let group = "[[keys]]\nname = \"group\"\norchestrator = \"safe\"\nbuses = [\"one\", \"two\"]\n";
    let report = report(&format!("{KEYS}{group}"));
    assert!(report.keys[0].agreed_at_end, "{:#?}", report.keys);
    assert!(
        report.lasan[0].authorised_ms.is_some(),
        "{:#?}",
        report.lasan
    );
    assert_believed(&report);
}

#[test]
fn the_page_and_the_verdict_tell_of_it() {
    let car = CAR.replace("\"m4\"", "\"ideal\"");
    let text = format!("{car}{KEYS}[require]\nauthorised_within = \"1ms\"\n");
    let file = parse(&text);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let mut recorder = lowered.recorder(&file);
    let outcome = run(lowered, &mut recorder, &mut |_| {}).unwrap();
    let report = Report::new(&file, 0, &outcome);
    let cause = report.requirements[0].cause.as_deref().unwrap();
    assert!(
        cause.contains("the last to be authenticated, after"),
        "{cause}"
    );
    let recording = &recorder.finish();
    let page = html::page(&html::Source {
        file: &file,
        report: &report,
        outcome: &outcome,
        recording,
    });
    for part in [
        "id=\"authorisation\"",
        "Authentication and authorisation",
        "The first stream key of core is held",
        "Protected streams of core: 2",
        "<td>ecu-confirmation</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn what_cannot_be_is_told_with_place_and_remedy() {
    let head = "[[keys]]\nname = \"core\"\nscheme = \"lasan\"\n";
    let module = "security_module = \"safe\"\n";
    for (lines, expected) in [
        (
            "",
            "car.toml:54:1: [[keys]] needs the key `security_module`",
        ),
        (
            "security_module = \"saef\"",
            "there is no ECU \"saef\"; did you mean \"safe\"?",
        ),
        (
            "security_module = \"safe\"\nsuite = \"p265\"",
            "there is no suite \"p265\"; did you mean \"p256\"?",
        ),
        (
            "security_module = \"safe\"\nprofile = \"hard\"",
            "\"hard\" is not possible here; possible: \"hardened\", \"compact\", \"as-published\"",
        ),
        (
            "security_module = \"safe\"\nprofile = \"as-published\"\ncredentials = \"keys\"",
            "the published messages carry certificates; leave `credentials` out",
        ),
        (
            "security_module = \"safe\"\nmembers = [\"a\", \"safe\"]",
            "\"safe\" is the security module; it takes part anyway: take it out of `members`",
        ),
        (
            "security_module = \"safe\"\nmembers = []",
            "there is no ECU besides the security module; name at least one in `members`",
        ),
        (
            "security_module = \"safe\"\nprotect = [\"C\"]",
            "there is no stream \"C\"",
        ),
        (
            "security_module = \"safe\"\nmembers = [\"a\", \"b\"]\nprotect = [\"A\"]",
            "ECU \"c\" receives stream \"A\" and is no member; add it to `members`",
        ),
        (
            "security_module = \"b\"\nbuses = [\"one\"]\nprotect = [\"B\"]",
            "the security module \"b\" sends stream \"B\"; it grants keys and holds none",
        ),
        (
            "security_module = \"safe\"\nprotect = [\"Long\"]",
            "stream \"Long\" has 64 bytes, and protection takes 11 of the 64 that a frame has; \
             make its `length` 48 or less",
        ),
        (
            "security_module = \"safe\"\nprotect = [\"Old\"]",
            "stream \"Old\" is classic CAN, whose 8 bytes have no room; write `format = \"fd\"`",
        ),
        (
            "security_module = \"safe\"\nwindows = [{ stream = \"A\", until = \"1s\" }]",
            "this stream is sent in clear, whenever its sender likes; add it to `protect`",
        ),
        (
            "security_module = \"safe\"\nprotect = [\"B\"]\nwindows = [{ stream = \"B\", \
             from = \"2s\", until = \"1s\" }]",
            "`until` must be later than `from`",
        ),
        (
            "security_module = \"safe\"\nprotect = [\"B\"]\nwindows = [{ stream = \"B\" }, \
             { stream = \"B\" }]",
            "this stream has a window already; keep one of them",
        ),
        (
            "security_module = \"safe\"\nprofile = \"compact\"\n\
             replace = [{ ecu = \"a\", at = \"1s\" }]",
            "the security module has the keys of the old parts; a new part shows its key",
        ),
        (
            "security_module = \"safe\"\nretire = [{ ecu = \"safe\", at = \"1s\" }]",
            "this ECU is no member; name one of the `members`",
        ),
        (
            "security_module = \"safe\"\nreplace = [{ ecu = \"b\", at = \"20ms\" }]",
            "ECU \"b\" is not up at 20 ms: it boots at 40 ms",
        ),
        (
            "security_module = \"safe\"\ncredentials = \"digests\"\nvalid_until = \"1s\"",
            "only `credentials = \"certificates\"` do",
        ),
        (
            "security_module = \"safe\"\npacing = \"1s\"",
            "pacing 1 s is out of range: up to 100 ms",
        ),
        (
            "security_module = \"safe\"\nprotect = [\"A\"]\nstream_key = \"11min\"",
            "is out of range: up to 655.36 s, in which a protected stream has 65536 frames",
        ),
        (
            "security_module = \"safe\"\nprotect = [\"A\"]\nstream_key = \"1ns\"",
            "car.toml:59:14: stream_key 1 ns is out of range: 100 ms or more",
        ),
        (
            "security_module = \"safe\"\nrenewal = \"1ms\"",
            "renewal 1 ms is out of range",
        ),
        (
            "security_module = \"safe\"\n[[keys]]\nscheme = \"lasan\"\nsecurity_module = \"a\"",
            "\"core\" is on one of its buses too; messages do not say whose they are",
        ),
        (
            "security_module = \"safe\"\norchestrator = \"a\"",
            "has no key `orchestrator`",
        ),
    ] {
        let text = format!("{CAR}{OTHERS}{head}{lines}\n");
        let found = VehicleFile::parse("car.toml", &text)
            .unwrap_err()
            .to_string();
        assert!(found.contains(expected), "{lines}\n{found}");
    }
    let clash = "[[stream]]\nname = \"X\"\nid = 0x1B020006\nextended = true\nsender = \"c\"\n\
                 period = \"1s\"\nlength = 1\n";
    let text = format!("{CAR}{head}{module}{clash}");
    let found = VehicleFile::parse("car.toml", &text)
        .unwrap_err()
        .to_string();
    assert!(
        found.contains("identifier 0x1B020006 is one of the messages of \"core\""),
        "{found}"
    );
    let far = CAR.replace("clock_ppm = 100", "address = 200");
    let text = format!("{far}{head}{module}");
    let found = VehicleFile::parse("car.toml", &text)
        .unwrap_err()
        .to_string();
    assert!(
        found.contains("ECU \"c\" has address 200; a security module knows"),
        "{found}"
    );
}

#[test]
fn a_board_without_the_suites_figures_says_what_to_add() {
    let keys = "suite = \"ml-kem-768+ml-dsa-44\"\n";
    let car = CAR.replacen(
        "board = \"m4\"\nports = [\"two\"]",
        "board = \"own.toml\"\nports = [\"two\"]",
        1,
    );
    let file = parse(&format!("{car}{KEYS}{keys}"));
    let text = "title = \"own\"\n[characteristics]\narchitecture = \"any\"\ncores = 1\n\
                clock = \"80 MHz\"\nassumed = \"for a test\"\n[[figure]]\n\
                operation = \"share\"\nalgorithm = \"fourq\"\nduration = \"1 ms\"\n\
                assumed = \"for a test\"\n";
    let board = Board::parse("own.toml", text).unwrap();
    let mut resources = Resources::default();
    let boards = &mut resources.boards;
    boards.insert("own.toml".to_owned(), Arc::new(board));
    let error = lower(&file, &resources, None).err().unwrap();
    let place = error.place().map(|place| place.line);
    let text = error.to_string();
    assert!(matches!(error, LowerError::Keys { .. }), "{text}");
    assert_eq!(place, Some(30), "{text}");
    assert!(text.contains("ECU c under core: board "), "{text}");
    assert!(text.contains("add one to the board"), "{text}");
}

/// Three ECUs on real boards whose certificates end while keys are being renewed.
const ENDING: &str = r#"
[vehicle]
name = "ending"
duration = "3500ms"
[[bus]]
name = "a"
bitrate = "500k"
data_bitrate = "2M"
[[ecu]]
name = "safe"
ports = ["a"]
board = "tc297"
address = 1
[[ecu]]
name = "e1"
ports = ["a"]
board = "tc297"
address = 2
sends = [{ name = "S1", id = 0x100, length = 8, period = "50ms", receivers = ["e2"] }]
[[ecu]]
name = "e2"
ports = ["a"]
board = "tc297"
address = 3
sends = [{ name = "S2", id = 0x101, length = 8, period = "50ms", receivers = ["e1"] }]
[[ecu]]
name = "e3"
ports = ["a"]
board = "tc297"
address = 4
sends = [{ name = "S3", id = 0x102, length = 8, period = "50ms", receivers = ["e1", "e2"] }]
[[keys]]
name = "k"
scheme = "lasan"
security_module = "safe"
protect = ["S1", "S2", "S3"]
stream_key = "5s"
"#;

/// A grant that was being opened when its ECU's session ended brought a key for a whole lifetime.
#[test]
fn nobody_takes_a_grant_after_the_end_of_its_session() {
    for end in (2_000..3_000).step_by(100) {
        let text = format!("{ENDING}valid_until = \"{end}ms\"\n");
        let file = VehicleFile::parse("ending.toml", &text).unwrap_or_else(|e| panic!("{e}"));
        let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
        let mut watch = Ending::default();
        run(lowered, &mut watch, &mut |_| {}).unwrap();
        assert!(watch.over.len() >= 3, "until {end} ms: {:?}", watch.over);
        assert_eq!(watch.late, [""; 0], "until {end} ms");
    }
}

/// Whose session is over, and who is granted a key after that.
#[derive(Default)]
struct Ending {
    over: BTreeSet<usize>,
    late: Vec<String>,
}

impl TraceSink for Ending {
    fn record(&mut self, at: Time, event: &Event<'_>) {
        let Event::Noted { ecu, remark } = event else {
            return;
        };
        let Fact::Authorisation { event, .. } = remark.fact else {
            return;
        };
        match event {
            AuthorisationEvent::Ecu(EcuEvent::SessionLost) => {
                self.over.insert(ecu.0);
            }
            AuthorisationEvent::Ecu(EcuEvent::Authenticated { .. })
            | AuthorisationEvent::Module(ModuleEvent::Authenticated(_)) => {
                self.over.remove(&ecu.0);
            }
            AuthorisationEvent::Ecu(EcuEvent::Granted { .. }) if self.over.contains(&ecu.0) => {
                self.late.push(format!("{at:?} {}: {event:?}", ecu.0));
            }
            _ => {}
        }
    }
}
