//! `waywarden pki check-list` and `inspect` of lists of IEEE 1609.2.1: those in examples/v2x/scms,
//! which an encoder and a signer that are not ours made
//! (crates/pki/roles/tests/all/multi_signed_ctl/make_lists.py).

use serde_json::Value;
use waywarden_testkit::workspace;

use crate::support::World;

/// A time at which all lists of the examples are in force.
const AT: &str = "--at 2026-03-08T12:00:00Z";

fn world() -> World {
    let world = World::new();
    let folder = workspace().join("examples/v2x/scms");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        world.write(&name, std::fs::read(&path).unwrap());
    }
    world
}

/// Checks files with the three electors of the examples, two of which have to sign.
fn check(world: &World, files: &str, more: &str) -> (Option<i32>, Value) {
    let electors: String = (1..=3)
        .map(|at| format!(" --elector @elector{at}.oer"))
        .collect();
    let command = format!("pki check-list {files}{electors} --quorum 2 {AT} --format json {more}");
    let ended = world.run(&command);
    let answer = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.complaint));
    (ended.code, answer)
}

#[test]
fn lists_of_another_encoder_are_accepted_one_after_the_other() {
    let world = world();
    let (code, answer) = check(&world, "@ctl.oer @next-ctl.oer @composite-crl.oer", "");
    assert_eq!(code, Some(0), "{answer:#}");
    let rows = answer["rows"].as_array().unwrap();
    assert_eq!(rows[0]["ctl"]["signatures_counted"], 3);
    assert_eq!(rows[0]["ctl"]["sequence_number"], 1);
    assert_eq!(rows[1]["ctl"]["signatures_counted"], 2);
    let states = rows[1]["ctl"]["entries"].as_array().unwrap().iter();
    let states: Vec<_> = states
        .map(|one| (&one["list"], &one["name"], &one["state"]))
        .collect();
    assert_eq!(states.len(), 4);
    assert!(
        states.iter().all(|(.., state)| **state == "verified"),
        "{states:?}"
    );
    // The list in the composite one came before.
    assert_eq!(rows[2]["ctl"]["is_known"], true);
    assert_eq!(rows[2]["crls"][0]["number"], 4);
    let (code, answer) = check(&world, "@ccf.oer", "");
    assert_eq!(code, Some(0), "{answer:#}");
    assert_eq!(answer["rows"][0]["certificates"][0]["name"], "ica");
}

#[test]
fn older_list_other_group_and_late_revocation_list_are_named() {
    let world = world();
    for (files, more, expected) in [
        (
            "@next-ctl.oer @ctl.oer",
            "",
            "sequenceNumber: 1, older than",
        ),
        (
            "@ctl.oer",
            "--group 0000000000000001",
            "electorGroupId: 6578616d706c6501",
        ),
    ] {
        let (code, answer) = check(&world, files, more);
        assert_eq!(code, Some(1), "{answer:#}");
        assert!(answer.to_string().contains(expected), "{answer:#}");
    }
    let electors = "--elector @elector1.oer --elector @elector2.oer --quorum 2";
    let late = world.run(&format!(
        "pki check-list @composite-crl.oer {electors} --at 2026-03-12T00:00:00Z"
    ));
    assert_eq!(late.code, Some(1), "{}", late.out);
    assert!(
        late.out.contains("nextCrl: the next list is due"),
        "{}",
        late.out
    );
    // Two electors are trusted here, and one of them signed.
    let electors = "--elector @elector1.oer --elector @elector3.oer --quorum 2";
    let few = world.run(&format!("pki check-list @next-ctl.oer {electors} {AT}"));
    assert_eq!(few.code, Some(1), "{}", few.out);
    let expected = "wrong: signatures: 1 count, and 2 are required";
    assert!(few.out.contains(expected), "{}", few.out);
}

#[test]
fn list_without_electors_is_shown_and_never_accepted() {
    let world = world();
    for file in ["ctl", "ccf", "composite-crl"] {
        let shown = world.run(&format!("pki check-list @{file}.oer {AT}"));
        assert_eq!(shown.code, Some(1), "{}", shown.out);
        for expected in ["not accepted", "no --elector", "electorApprove[0] at byte "] {
            assert!(shown.out.contains(expected), "{expected}: {}", shown.out);
        }
    }
    for (command, expected) in [
        (
            "pki check-list @elector1.oer",
            "no trust list, chain file or",
        ),
        (
            "pki check-list @ctl.oer --elector @ctl.oer --quorum 1",
            "no certificate",
        ),
        (
            "pki check-list @ctl.oer --elector @elector1.oer --quorum 2",
            "--quorum: a quorum of 2",
        ),
        (
            "pki check-list @ctl.oer --elector @elector1.oer",
            "--quorum",
        ),
        (
            "pki check-list @ctl.oer --group 12",
            "16 hexadecimal digits",
        ),
    ] {
        let refused = world.run(command);
        assert_eq!(refused.code, Some(2), "{command}: {}", refused.out);
        assert!(
            refused.complaint.contains(expected),
            "{}",
            refused.complaint
        );
    }
}

/// Certificates of a public test list, which have no permission of any kind.
#[test]
fn certificates_without_permissions_are_named_with_their_places_and_the_rest_is_shown() {
    let world = world();
    let list = std::fs::read(workspace().join("examples/v2x/scms/ctl.oer")).unwrap();
    // The elector's certificate in `unsigned`, without appPermissions: the bit in the preamble of
    // toBeSigned, and the field.
    let elector = std::fs::read(workspace().join("examples/v2x/scms/elector1.oer")).unwrap();
    let permissions = [0x01, 0x01, 0x80, 0x01, 0x23, 0x80, 0x03, 0x80, 0x00, 0x02];
    let at = elector
        .windows(10)
        .position(|bytes| bytes == permissions)
        .unwrap();
    let mut broken = elector.clone();
    broken.drain(at..at + 10);
    let preamble = 5;
    assert_eq!(broken[preamble], 0x10);
    broken[preamble] = 0;
    let from = list
        .windows(elector.len())
        .position(|bytes| bytes == elector)
        .unwrap();
    // As long as before: the name is longer by what is missing.
    let name = broken
        .windows(8)
        .position(|bytes| bytes == *b"elector1")
        .unwrap();
    broken[name - 1] += 10;
    broken.splice(name..name, *b"test list ");
    let mut changed = list;
    changed[from..from + elector.len()].copy_from_slice(&broken);
    world.write("changed.oer", &changed);
    let (code, answer) = check(&world, "@changed.oer", "");
    assert_eq!(code, Some(1), "{answer:#}");
    let expected =
        format!("unsigned[0] at byte {from}: a certificate has permissions of at least one kind");
    assert!(answer.to_string().contains(&expected), "{answer:#}");
    assert_eq!(answer["rows"][0]["accepted"], false);
    assert_eq!(answer["rows"][0]["ctl"]["signatures_counted"], 3);
    let shown = world.run("inspect @changed.oer");
    assert!(
        shown.out.contains("of no certificate in unsigned"),
        "{}",
        shown.out
    );
}

#[test]
fn inspect_shows_every_part_of_a_list() {
    let world = world();
    let shown = world.run("inspect @ctl.oer");
    assert_eq!(shown.code, Some(0), "{}", shown.out);
    for expected in [
        "carries: ScmsPdu, from byte 5",
        "carries: tbsCtl, from byte ",
        "electorGroupId: ElectorGroupId = 6578616d706c6501",
        "(unsigned[1] \"elector2\")",
        "(unsigned[3] \"root\")",
        "quorum",
        "carries: signatures[2], from byte ",
        "tbsCtlHash: HashedId48 = ",
    ] {
        assert!(shown.out.contains(expected), "{expected}: {}", shown.out);
    }
    let shown = world.run("inspect @composite-crl.oer");
    for expected in ["carries: crl[0]", "fullHashCrl", "carries: homeCtl.tbsCtl"] {
        assert!(shown.out.contains(expected), "{expected}: {}", shown.out);
    }
    let shown = world.run("inspect @ccf.oer --format json");
    let answer: Value = serde_json::from_str(&shown.out).unwrap();
    let layers = answer["rows"][0]["payload"].as_array().unwrap();
    let kinds: Vec<_> = layers
        .iter()
        .map(|layer| layer["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds[..3], ["ScmsPdu", "homeCtl", "homeCtl.tbsCtl"]);
    // An ScmsPdu alone is the same.
    let whole = std::fs::read(workspace().join("examples/v2x/scms/ctl.oer")).unwrap();
    world.write("alone.oer", &whole[5..]);
    let shown = world.run("inspect @alone.oer");
    assert_eq!(shown.code, Some(0), "{}", shown.out);
    assert!(shown.out.starts_with("alone.oer: ScmsPdu") || shown.out.contains(": ScmsPdu, "));
    let (code, _) = check(&world, "@alone.oer", "");
    assert_eq!(code, Some(0));
}

/// A receiver's `--crl` takes the lists in a composite one, as single ones.
#[test]
fn verify_takes_a_composite_list() {
    let world = world();
    world.works("pki init p --no-passphrase --us");
    world.works("pki issue p --name one");
    world.write("payload", "hello");
    world.works("sign @payload --pki @p --as one --psid BSM --signer chain -o @one.hex");
    world.works("pki revoke p one");
    world.works("pki crl p -o list.oer");
    let (ctl, list) = (world.path("ctl.oer"), world.path("list.oer"));
    let (ctl, list) = (std::fs::read(ctl).unwrap(), std::fs::read(list).unwrap());
    let composite = waywarden_v2x_pki::multi_signed_ctl::composite_crl(&ctl, &[list]).unwrap();
    world.write("composite.oer", composite);
    let refused = world.run("verify @one.hex --trust @p/trust --crl @composite.oer");
    assert_eq!(refused.code, Some(1), "{}", refused.complaint);
    assert!(
        refused.complaint.contains("crl[0]: revokes 1"),
        "{}",
        refused.complaint
    );
    // The examples' list is of another root.
    let other = world.run("verify @one.hex --trust @p/trust --crl @composite-crl.oer");
    assert_eq!(other.code, Some(2), "{}", other.out);
    assert!(other.complaint.contains("crl[0]: "), "{}", other.complaint);
    let alone = world.run("pki check-list @list.oer --trust @p/trust");
    assert_eq!(alone.code, Some(0), "{}", alone.out);
}

#[test]
fn file_with_a_line_that_cannot_be_read_is_not_checked() {
    let world = world();
    world.write("words.txt", "byte[] list = {(short) 0x03};\n");
    let electors = "--elector @elector1.oer --elector @elector2.oer --quorum 2";
    for files in ["@words.txt", "@ctl.oer @words.txt"] {
        let ended = world.run(&format!("pki check-list {files} {electors} {AT}"));
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{files}");
        assert!(
            ended.complaint.contains("words.txt:1: "),
            "{}",
            ended.complaint
        );
    }
    let ended = world.run(&format!(
        "pki check-list @ctl.oer --elector @words.txt --quorum 1 {AT}"
    ));
    assert_eq!(ended.code, Some(2), "{}", ended.out);
}

#[test]
fn changed_lists_end_with_a_verdict() {
    use waywarden_testkit::{Random, each_seed, seeds};
    let world = world();
    let names = ["ctl", "ccf", "composite-crl"];
    each_seed(seeds(6), |seed| {
        let mut random = Random::new(seed);
        let name = names[random.index(3)];
        let path = workspace().join(format!("examples/v2x/scms/{name}.oer"));
        let mut changed = std::fs::read(path).unwrap();
        for _ in 0..1 + random.index(3) {
            let at = random.index(changed.len());
            match random.below(3) {
                0 => changed.truncate(at.max(1)),
                1 => changed[at] ^= 1 << random.below(8),
                _ => {
                    changed.insert(at, random.below(256) as u8);
                }
            }
        }
        world.write("changed.oer", &changed);
        let electors = "--elector @elector1.oer --elector @elector2.oer --quorum 2";
        for command in [
            format!("pki check-list @changed.oer {electors} {AT}"),
            "inspect @changed.oer".to_owned(),
        ] {
            let ended = world.run(&command);
            assert!(
                matches!(ended.code, Some(0..=2)),
                "seed {seed}: {}",
                ended.complaint
            );
        }
    });
}
