//! ECUs that authenticate, leave, come back and renew their keys.

use waywarden_lasan::SUITES;
use waywarden_vehicle_report::report::{ReceiverRow, Report};

use super::{CAR, KEYS, at, report, report_of, requested, stream};

/// Every instance that left arrived and was believed, but for one under way at the end, and those
/// that left before the last receiver had the key.
#[track_caller]
fn assert_believed(report: &Report) {
    for stream in &report.security_modules[0].streams {
        let left = requested(report, &stream.stream);
        assert!(left > 0, "{stream:?}");
        let early = stream.keyed_ms.unwrap() - stream.sender_ms.unwrap();
        let early = (early / 10.0).ceil() as u64;
        for receiver in &stream.receivers {
            let lost = left - receiver.authentic;
            assert!(lost <= 1 + early, "{left} left: {stream:#?}");
            let ReceiverRow {
                wrong_tag,
                replay,
                unknown_key,
                ..
            } = receiver;
            assert_eq!([*wrong_tag, *replay, *unknown_key], [0; 3], "{stream:#?}");
        }
    }
}

#[test]
fn all_are_authenticated_and_protected_streams_flow_end_to_end() {
    let report = report_of(&format!(
        "{CAR}{KEYS}[require]\nauthorized_within = \"2.5s\"\n"
    ));
    let network = &report.security_modules[0];
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
    // Nothing left before the key was there, and that is distinguished from a full queue.
    let row = &report.streams[0];
    assert_eq!(row.skipped, 0);
    assert!((row.withheld + row.requested).abs_diff(300) <= 1, "{row:?}");
    assert_eq!(sender.withheld, row.withheld);
    let due = (sender.sender_ms.unwrap() / 10.0) as u64;
    assert!(due.abs_diff(row.withheld) <= 1, "{row:?}");
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
        let network = &report.security_modules[0];
        assert!(
            network.authorized_ms.is_some(),
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
    let network = &report.security_modules[0];
    let left = requested(&report, "A");
    // Requests are repeated, at pauses that grow to a second, until the window begins.
    assert!((50..=151).contains(&left), "{left}: {network:#?}");
    let a = stream(network, "A");
    assert!(a.sender_ms.unwrap() >= 500.0 && a.revoked == 1, "{a:?}");
    assert!(network.refused > 0 && a.withheld > 140);
    assert!(at(a, "b").authentic.abs_diff(left) <= 1 && at(a, "c").authentic.abs_diff(left) <= 1);
    // The other one may be sent from the start, and all are authorized without the first.
    assert!(requested(&report, "B") > 140 && network.authorized_ms.unwrap() < 100.0);
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
        let a = stream(&report.security_modules[0], "A");
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
    let network = &retired.security_modules[0];
    assert!(
        network.ecus[2].retired && stream(network, "A").keys == 2,
        "{network:#?}"
    );
    // What it sends is not believed any more.
    assert!(at(stream(network, "B"), "a").authentic <= 52);
    assert!(
        !back.security_modules[0].ecus[2].retired && back.security_modules[0].ecus[2].sessions == 2
    );
    // Who is out stays so over a boot.
    let booted = report(&format!(
        "{KEYS}retire = [{{ ecu = \"b\", at = \"1s\" }}]\n{BOOT}"
    ));
    assert!(counts(&booted)[0] <= 102 && booted.security_modules[0].ecus[2].sessions == 1);
}

#[test]
fn a_new_part_is_enrolled_with_its_own_key() {
    for (profile, credentials) in [("hardened", "certificates"), ("compact", "digests")] {
        let keys = format!(
            "{KEYS}profile = \"{profile}\"\ncredentials = \"{credentials}\"\n\
             replace = [{{ ecu = \"a\", at = \"1s\" }}, {{ ecu = \"a\", at = \"2s\" }}]\n"
        );
        let report = report(&keys);
        let network = &report.security_modules[0];
        assert_eq!(network.ecus[1].sessions, 3, "{profile}: {network:#?}");
        let a = stream(network, "A");
        assert!(a.keys >= 3 && at(a, "c").authentic > 250, "{a:#?}");
        let row = report.ecus.iter().find(|row| row.ecu == "a").unwrap();
        assert_eq!(row.boots, 3);
    }
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
        let network = &report.security_modules[0];
        assert!(network.authorized_ms.is_some(), "{profile}: {network:#?}");
        assert_eq!(network.members, 50);
        println!(
            "50 ECUs, {profile}: all authorized at {:?} ms",
            network.authorized_ms
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
    let network = &report.security_modules[0];
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
    assert!(report.groups[0].agreed_at_end, "{:#?}", report.groups);
    assert!(
        report.security_modules[0].authorized_ms.is_some(),
        "{:#?}",
        report.security_modules
    );
    assert_believed(&report);
}
