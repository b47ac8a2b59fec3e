//! `waywarden pki misbehaviour`: reports of vehicles with pseudonyms, decisions on them, and
//! receivers that refuse the next pseudonyms of a revoked vehicle.

use std::fs;

use waywarden_testkit::{blocks, bytes_of};

use crate::support::World;

const REVOKED: &str = "spduCertificateChainCertificateRevoked";

/// A PKI with vehicles, a misbehaviour authority, and its certificate in `ma.oer`.
fn world() -> World {
    let world = World::new();
    world.works("pki init p --us --no-passphrase");
    for name in ["bad", "a", "b", "c", "good"] {
        world.works(&format!(
            "pki pseudonyms p --for {name} --weeks 2 --per-week 3"
        ));
    }
    world.works("pki issue p --name ma --psid MBR --encryption-key");
    let certificate = world.newest("p", "ma", "certificate");
    let bytes = fs::read(world.path(&certificate)).unwrap();
    world.write("ma.oer", bytes);
    world.write("bsm.hex", payload());
    fs::create_dir(world.path("reports")).unwrap();
    world
}

/// A basic safety message, in hexadecimal digits: the payload of a recorded one.
fn payload() -> &'static str {
    let file = include_str!("../../../../../vectors/misbehaviour-reports.txt");
    let mut all = blocks(file);
    let recorded = all.find(|block| block["name"] == "HeaderTimeOutsideCertificateValidity");
    // Behind the beginning of signed data, with the length of the payload.
    recorded.unwrap()["message"]
        .strip_prefix("03810040038081a7")
        .unwrap()
        .get(..2 * 0xA7)
        .unwrap()
}

/// Signs a message of a vehicle; `extra` are further options.
fn sign(world: &World, name: &str, index: u8, file: &str, extra: &str) {
    let signed = world.works(&format!(
        "sign @bsm.hex --lines --pki @p --as {name} --psid BSM --index {index} {extra}"
    ));
    world.write(file, signed);
}

/// Has a vehicle report a message.
fn report(world: &World, name: &str, index: u8, message: &str, output: &str, extra: &str) {
    world.works(&format!(
        "pki misbehaviour report {message} --pki p --as {name} --index {index} --authority ma.oer \
         -o {output} {extra}"
    ));
}

/// Verifies a message of another pseudonym of the revoked vehicle, and one of another vehicle.
fn receivers_refuse_the_next_message(world: &World) {
    sign(world, "bad", 2, "next.hex", "");
    sign(world, "good", 2, "good.hex", "");
    for (file, revoked) in [("next.hex", true), ("good.hex", false)] {
        let ended = world.run(&format!(
            "verify @{file} --trust @p/trust --crl @list.oer --crl @list.linked.oer"
        ));
        assert_eq!(ended.out.contains(REVOKED), revoked, "{}", ended.out);
        assert_eq!(ended.code, Some(i32::from(revoked)), "{}", ended.complaint);
    }
}

#[test]
fn three_vehicles_have_a_vehicle_revoked_and_receivers_refuse_it() {
    let world = world();
    // A header that no security profile of basic safety messages allows.
    sign(&world, "bad", 0, "bad1.hex", "--lifetime 10s");
    sign(&world, "bad", 1, "bad2.hex", "--lifetime 10s");
    world.works("pki misbehaviour report bad1.hex --pki p --as a --authority ma -o reports/a");
    // All pseudonyms of one vehicle are one reporter.
    report(&world, "b", 0, "bad1.hex", "reports/b0", "");
    report(&world, "b", 1, "bad2.hex", "reports/b1", "");
    report(&world, "b", 2, "bad2.hex", "reports/b2", "");
    let decide = "pki misbehaviour decide p reports --as ma";
    let ended = world.run(decide);
    assert_eq!(ended.code, Some(1), "{} {}", ended.out, ended.complaint);
    assert!(
        ended
            .out
            .contains("a about bad: counts; 1 message by 1 vehicle\n")
    );
    assert!(
        ended
            .out
            .contains("b about bad: counts; 2 messages by 2 vehicles\n")
    );
    assert!(
        ended
            .out
            .contains("counts nothing: the same vehicle reported the same message before\n")
    );
    assert!(
        ended.out.ends_with("no vehicle is to be revoked\n"),
        "{}",
        ended.out
    );
    fs::remove_file(world.path("reports/b2")).unwrap();
    report(
        &world,
        "c",
        2,
        "bad2.hex",
        "reports/c",
        "--location 42.3,-83.0",
    );
    // Nothing is changed without --revoke.
    for _ in 0..2 {
        let out = world.works(decide);
        let decided = "revoke bad: reported by 3 vehicles (a, b, c), 2 messages from ";
        assert!(out.contains(decided), "{out}");
    }
    let out = world.works(&format!("{decide} --revoke --crl list.oer"));
    assert!(out.ends_with("bad, pseudonyms: revoked\n"), "{out}");
    receivers_refuse_the_next_message(&world);
    // Its reports count nothing any more, and the case is closed.
    sign(&world, "good", 0, "good.hex", "");
    report(&world, "bad", 2, "good.hex", "late", "--observation 9:1");
    world.refused(
        "pki misbehaviour decide p late --as ma --window 31d",
        &["--window: "],
    );
    let ended = world.run("pki misbehaviour decide p late reports/a --as ma");
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .out
            .contains("counts nothing: the reporter is revoked")
    );
    assert!(
        ended
            .out
            .contains("counts nothing: the accused is revoked already")
    );
}

#[test]
fn report_is_read_by_the_authority_alone() {
    let world = world();
    sign(&world, "bad", 0, "bad.hex", "--lifetime 10s");
    report(
        &world,
        "a",
        1,
        "bad.hex",
        "bad.mbr",
        "--location 42.3,-83.0",
    );
    let out = world.works("pki misbehaviour read bad.mbr --pki p --as ma");
    for part in [
        "form         signed, then encrypted\n",
        "application  MBR\n",
        "place        42.3000000, -83.0000000\n",
        "observation  Security-HeaderIncWithSecurityProfile: the message shows it\n",
        "message 1    BSM, ",
        ", the subject\n",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    world.refused(
        "pki misbehaviour read bad.mbr",
        &["bad.mbr: is encrypted", "--pki DIR --as NAME"],
    );
    world.works("pki issue p --name other --psid MBR --encryption-key");
    world.refused(
        "pki misbehaviour read bad.mbr --pki p --as other",
        &["bad.mbr: recipients: none of them"],
    );
    let ended = world.run("pki misbehaviour decide p bad.mbr --as other");
    assert!(
        ended.out.contains("bad.mbr: counts nothing: recipients"),
        "{}",
        ended.out
    );
    world.refused(
        "pki misbehaviour decide p bad.mbr --as root",
        &["encryptionKey"],
    );
}

#[test]
fn honest_message_is_not_reported_without_an_observation() {
    let world = world();
    sign(&world, "good", 0, "good.hex", "");
    let ended =
        world.run("pki misbehaviour report good.hex --pki p --as a --authority ma.oer -o none.mbr");
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .complaint
            .contains("good.hex: the last message shows no misbehaviour by itself")
    );
    assert!(!world.path("none.mbr").exists());
    // A lie that the message contradicts.
    let lie = "--observation Security-HeaderIncWithSecurityProfile";
    report(&world, "a", 0, "good.hex", "lie.mbr", lie);
    let ended = world.run("pki misbehaviour decide p lie.mbr --as ma --reporters 1 --messages 1");
    let refused = "counts nothing: the embedded message does not show \
                   Security-HeaderIncWithSecurityProfile\nno vehicle is to be revoked\n";
    assert!(ended.out.ends_with(refused), "{}", ended.out);
    for (words, reasons) in [
        (
            "--observation 5",
            &["Security-MessageIdIncWithHeaderInfo", "5:4"][..],
        ),
        (
            "--authority p/trust/missing.oer --observation 9:1",
            &["missing.oer"],
        ),
    ] {
        let authority = match words.starts_with("--authority") {
            true => "",
            false => "--authority ma.oer ",
        };
        world.refused(
            &format!("pki misbehaviour report good.hex --pki p --as a {authority}-o x.mbr {words}"),
            reasons,
        );
    }
    // An authority's certificate without an encryption key, and a reporter's without PSID 38.
    world.works("pki issue p --name plain");
    let plain = world.newest("p", "plain", "certificate");
    let bytes = fs::read(world.path(&plain)).unwrap();
    world.write("plain.oer", bytes);
    world.refused(
        "pki misbehaviour report good.hex --observation 9:1 --pki p --as a --authority plain.oer \
         -o x.mbr",
        &["plain.oer: ", "`waywarden pki issue --encryption-key`"],
    );
    world.refused(
        "pki misbehaviour report good.hex --observation 9:1 --pki p --as plain --authority ma.oer \
         -o x.mbr",
        &["appPermissions", "PSID 38 (MBR)"],
    );
}

/// The faulty messages of the US Department of Transportation are named, and its reports read.
#[test]
fn recorded_messages_are_named_and_recorded_reports_read() {
    let world = world();
    let file = include_str!("../../../../../vectors/misbehaviour-reports.txt");
    let mut named = 0;
    for block in blocks(file) {
        world.write("message.coer", bytes_of(block["message"]));
        let name = block["name"];
        if let Some(report) = block.get("report") {
            world.write("recorded.mbr", bytes_of(report));
            let out = world.works("pki misbehaviour read recorded.mbr");
            assert!(out.starts_with("form         neither signed nor encrypted\n"));
            assert!(out.contains(&format!("-{name}: ")), "{name}: {out}");
        }
        let ended = world.run(
            "pki misbehaviour report message.coer --pki p --as a --authority ma.oer -o own.mbr",
        );
        match name {
            // Valid after all, and part II is not parsed.
            "HeaderTimeOutsideCertificateValidity" | "MessageIncWithSsp" => {
                assert_eq!(ended.code, Some(1), "{name}");
            }
            "ValueTooLarge" => {
                assert_eq!(ended.code, Some(2), "{name}");
                assert!(ended.complaint.contains("--accused"), "{}", ended.complaint);
            }
            _ => {
                assert_eq!(ended.code, Some(0), "{name}: {}", ended.complaint);
                assert!(
                    ended.complaint.contains(&format!("-{name}")),
                    "{}",
                    ended.complaint
                );
                named += 1;
            }
        }
    }
    assert_eq!(named, 5);
}

#[test]
fn input_that_is_no_report_is_refused() {
    let world = world();
    world.write("text", "no report");
    world.refused(
        "pki misbehaviour read text",
        &["text: no misbehaviour report: at byte 0"],
    );
    world.refused("pki misbehaviour read missing", &["missing"]);
    world.refused(
        "pki misbehaviour decide p reports --as ma",
        &["reports: has no file", "misbehaviour report"],
    );
    world.works("pki init european --no-passphrase");
    world.refused(
        "pki misbehaviour decide european text --as aa",
        &[
            "european: pseudonyms of a European PKI have no linkage values",
            "--us",
        ],
    );
    let ended = world.run("pki misbehaviour decide p text --as ma");
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .out
            .contains("text: counts nothing: no misbehaviour report: ")
    );
}
