//! Delta CRLs, vehicles without certificates for the week, and names that are revoked twice.

use std::fs;

use super::{WEEK, holders, issue, signed, this_week, time_in, verified, world};

#[test]
fn delta_list_has_the_vehicles_that_the_list_before_did_not_have() {
    let world = world();
    let week = this_week();
    for (car, per_week) in [("one", 2), ("two", 3)] {
        issue(&world, car, week, 1, per_week);
    }
    world.works("pki revoke p one");
    world.works("pki crl p -o full.oer");
    world.works("pki revoke p two");
    world.works("pki crl p -o delta.oer --delta");
    let (i_rev, index, delta) = holders(&world, "delta.linked.oer");
    assert_eq!((i_rev, index, delta.len()), (week, 1, 1));
    assert_eq!(delta[0].j_max, 2);
    let messages = [
        signed(&world, "one", week, 2),
        signed(&world, "two", week, 3),
    ]
    .concat();
    assert_eq!(verified(&world, &messages, "full.linked.oer"), (2, 3));
    assert_eq!(verified(&world, &messages, "delta.linked.oer"), (3, 2));
    let both = "full.linked.oer delta.linked.oer";
    assert_eq!(verified(&world, &messages, both), (5, 0));
    world.works("pki crl p -o next.oer");
    let (_, index, all) = holders(&world, "next.linked.oer");
    assert_eq!((index, all.len()), (2, 2));
    assert_eq!(verified(&world, &messages, "next.linked.oer"), (5, 0));
}

#[test]
fn vehicle_without_certificates_for_the_week_is_not_on_the_list() {
    let world = world();
    let week = this_week();
    issue(&world, "past", week - 2, 2, 1);
    issue(&world, "future", week + 1, 2, 1);
    world.works("pki revoke p past future");
    let ended = world.run("pki crl p -o list.oer");
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    let (_, _, list) = holders(&world, "list.linked.oer");
    assert_eq!(list.len(), 0);
    let note = format!(
        "future: not on the list yet: its certificates begin in the week {:X}",
        week + 1
    );
    assert!(ended.complaint.contains(&note), "{}", ended.complaint);
    assert!(!ended.complaint.contains("past"), "{}", ended.complaint);
}

#[test]
fn delta_list_has_what_a_command_that_was_ended_did_not_publish() {
    let world = world();
    let week = this_week();
    issue(&world, "one", week, 1, 1);
    world.works("pki revoke p one");
    // As a command leaves it that was ended once it had taken the numbers of its lists.
    world.works("pki crl p -o full.oer");
    let index = fs::read_to_string(world.path("p/pki.toml")).unwrap();
    let unlisted = index.replace("listed = true\n", "");
    assert_ne!(unlisted, index);
    world.write("p/pki.toml", unlisted);
    world.works("pki crl p -o delta.oer --delta");
    let (_, index, delta) = holders(&world, "delta.linked.oer");
    assert_eq!((index, delta.len()), (1, 1));
    world.works("pki crl p -o none.oer --delta");
    assert_eq!(holders(&world, "none.linked.oer").2.len(), 0);
}

#[test]
fn name_with_a_certificate_and_pseudonyms_is_revoked_by_both() {
    let world = world();
    let week = this_week();
    issue(&world, "car", week, 1, 2);
    let pseudonyms = signed(&world, "car", week, 2);
    world.works(&format!(
        "pki issue p --name car --start {}",
        time_in(week) - WEEK / 2
    ));
    let own = world.works(&format!(
        "sign @bsm.hex --lines --pki @p --as car --psid BSM --time {} --signer chain",
        time_in(week)
    ));
    let messages = [pseudonyms, own].concat();
    let reported = world.works("pki revoke p car");
    assert_eq!(reported.lines().count(), 2, "{reported}");
    world.works("pki crl p -o list.oer");
    assert_eq!(verified(&world, &messages, "list.oer"), (1, 2));
    assert_eq!(verified(&world, &messages, "list.linked.oer"), (2, 1));
    assert_eq!(
        verified(&world, &messages, "list.oer list.linked.oer"),
        (3, 0)
    );
}
