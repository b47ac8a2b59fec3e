//! Groups that agree on keys, renew them, and lose and regain members.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

use super::{frames, parse, report};

#[test]
fn every_scheme_suite_and_profile_agrees() {
    for (scheme, exchanges) in [
        ("tree-with-orchestrator", 3),
        ("tree-without-orchestrator", 2),
        ("symmetric-distribution", 2),
    ] {
        for suite in ["fourq", "p256"] {
            for profile in ["hardened", "as-published"] {
                let keys = format!(
                    "[[keys]]\nname = \"drive\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n\
                     scheme = \"{scheme}\"\nsuite = \"{suite}\"\nprofile = \"{profile}\"\n\
                     start = \"20ms\"\n"
                );
                let report = report(&keys);
                let group = &report.groups[0];
                assert!(
                    group.agreed_at_end,
                    "{scheme} {suite} {profile}: {group:#?}"
                );
                assert_eq!((group.members, group.retries), (2, 0));
                assert_eq!(frames(group, "orchestration"), exchanges);
                let (start_up, agreement) =
                    (group.start_up_ms.unwrap(), group.agreement_ms.unwrap());
                // The clock of an ECU counts whole nanoseconds.
                assert!((start_up - agreement - 20.0).abs() < 0.001);
                let all_frames: u64 = report.buses.iter().map(|bus| bus.frames).sum();
                assert!(all_frames.abs_diff(group.frames + report.streams[0].requested) <= 1);
            }
        }
    }
}

#[test]
fn groups_go_side_by_side_on_one_gateway() {
    let group = |bus: &str| {
        format!("[[keys]]\nname = \"{bus}\"\norchestrator = \"gateway\"\nbuses = [\"{bus}\"]\n")
    };
    let alone = report(&group("two")).groups[0].start_up_ms.unwrap();
    let both = report(&[group("one"), group("two"), group("slow")].concat());
    assert_eq!(both.groups[2].transport, "classic");
    for group in &both.groups {
        assert!(group.agreed_at_end && group.retries == 0, "{group:#?}");
    }
    let starts = both.groups.iter().map(|group| group.start_up_ms.unwrap());
    let sum: f64 = starts.clone().sum();
    let last = starts.fold(0.0, f64::max);
    assert!(last < 0.7 * sum && both.groups[1].start_up_ms.unwrap() < 3.0 * alone);
}

#[test]
fn one_group_spans_its_gateway() {
    let report = report(
        "[[keys]]\nname = \"all\"\norchestrator = \"a\"\nbuses = [\"one\", \"two\", \"slow\"]\n\
         gateway = \"gateway\"\n",
    );
    let group = &report.groups[0];
    assert!(group.agreed_at_end && group.retries == 0, "{group:#?}");
    assert_eq!((group.members, group.transport), (4, "classic"));
    // Each frame is on all three buses: seven orchestrations of eight frames.
    assert_eq!(frames(group, "orchestration"), 3 * 7 * 8);
}

#[test]
fn keys_are_renewed_and_members_leave_and_come_back() {
    let report = report(
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n\
         renewal = \"1100ms\"\nremove = [{ ecu = \"b\", at = \"0.5s\" }]\n\
         readmit = [{ ecu = \"b\", at = \"1.6s\" }]\n",
    );
    let group = &report.groups[0];
    // The first key, without b, the renewal at 1.1 s, with b again, the renewal at 2.2 s.
    assert_eq!(
        (group.agreements, group.agreed_at_end),
        (5, true),
        "{group:#?}"
    );
    assert!(group.longest_renewal_ms.is_some());
    let b = group.ecus.iter().find(|party| party.ecu == "b").unwrap();
    assert!(!b.removed && b.epoch == group.ecus[0].epoch);
    let gone = self::report(
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n\
         remove = [{ ecu = \"b\", at = \"0.5s\" }]\n",
    );
    let b = gone.groups[0]
        .ecus
        .iter()
        .find(|party| party.ecu == "b")
        .unwrap();
    assert!(b.removed && b.epoch < gone.groups[0].ecus[0].epoch && gone.groups[0].agreed_at_end);
}

#[test]
fn a_reset_of_the_orchestrator_does_not_end_the_group() {
    let report = report(
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\", \"two\"]\n\
         [[fault]]\nkind = \"reset\"\necu = \"gateway\"\nfrom = \"100ms\"\nuntil = \"150ms\"\n\
         [[fault]]\nkind = \"reset\"\necu = \"c\"\nfrom = \"1500ms\"\nuntil = \"1510ms\"\n",
    );
    assert!(report.groups[0].agreed_at_end, "{:#?}", report.groups);
}

#[test]
fn streams_wait_for_the_key_if_they_shall() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n";
    let waiting = report(&format!("{keys}hold_streams = true\n"));
    let going = report(keys);
    let (waited, went) = (&waiting.streams[0], &going.streams[0]);
    let first_key = waiting.groups[0].ecus.iter().find(|party| party.ecu == "a");
    let before = first_key.unwrap().first_key_ms.unwrap() / 10.0;
    let missing = (went.requested - waited.requested) as f64;
    assert!(
        (missing - before).abs() <= 1.0,
        "{missing} missing, {before} expected"
    );
    assert!(waiting.start_up_ms > going.start_up_ms && waited.skipped == 0);
}

/// Until it confirms a key again, a member that was reset has none: whatever it was before.
#[test]
fn group_is_not_agreed_at_the_end_while_a_member_that_was_reset_has_no_key() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"a\"\nbuses = [\"one\"]\n\
                members = [\"b\"]\n";
    for (from, until, agreed) in [
        // It is in reset at the end, has just booted, or has a key again.
        (2_990, 4_000, false),
        (2_990, 2_999, false),
        (1_000, 1_010, true),
    ] {
        let reset = format!(
            "[[fault]]\nkind = \"reset\"\necu = \"b\"\nfrom = \"{from}ms\"\nuntil = \"{until}ms\"\n"
        );
        let file = parse(&format!("{keys}{reset}"));
        let lowered = lower(&file, &Resources::default(), None).unwrap();
        let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
        let report = Report::new(&file, file.seed, &outcome);
        let group = &report.groups[0];
        assert!(group.start_up_ms.is_some(), "{group:#?}");
        assert_eq!(
            group.agreed_at_end, agreed,
            "reset at {from} ms: {group:#?}"
        );
        assert_eq!(group.ecus[1].epoch > 0, agreed, "reset at {from} ms");
        assert_eq!(report.keys_ms, group.start_up_ms);
    }
}
