//! Logs that cannot be protected or read are refused, and random bytes never cause a panic.

use std::fs;

use waywarden_testkit::Random;

use super::{Bench, short};
use crate::support::waywarden;

const VATICAN: &str = "scheme = \"vatican\"\nprotect = \"all\"";
const SECOC: &str = "scheme = \"secoc\"\nprotect = \"all\"";
const LEIA: &str = "scheme = \"leia\"\nprotect = \"all\"";
/// With CAN FD frames in place of classic ones.
const WIDENED: &str = "scheme = \"secoc\"\nfd = true\nprotect = \"all\"";

/// A table, a log that it does not fit, the place of the refusal and its remedy.
type Refusal = (&'static str, &'static str, &'static str, &'static str);

const REFUSALS: [Refusal; 9] = [
    (
        SECOC,
        "(1) c 100#01\n\n(2) c 101#0011223344556677\n",
        "a.log:3: 0x101: 8 bytes",
        "--fd",
    ),
    (
        VATICAN,
        "(1) c 101#01\n(2) c 100#01\n",
        "a.log:2: 0x100",
        "tags",
    ),
    (
        VATICAN,
        "(1) c 100#01\n(2) c 101#01\n",
        "a.log:2: 0x101",
        "other messages",
    ),
    (
        LEIA,
        "(1) c 100#01\n(2) c 00000101#01\n",
        "a.log:2: 0x00000101",
        "LeiA's frames",
    ),
    (
        SECOC,
        "(1) c 100#01\n(2) c 00F#01\n",
        "a.log:2: 0x00F",
        "announce_id",
    ),
    (
        WIDENED,
        "(1) c 100##101\n",
        "a.log:1: 0x100: CAN FD",
        "without `fd`",
    ),
    (
        WIDENED,
        "(1) c 100#0011223344556677_E\n",
        "a.log:1: 0x100: has the length code 14",
        "except",
    ),
    (
        WIDENED,
        "(1) c 100#001122334455\n(2) c 100#00\n",
        "a.log:2: 0x100: 1 bytes",
        "except",
    ),
    (
        "scheme = \"vatican\"\nprotect = [0x100]",
        "(1) c 100##101\n",
        "a.log:1: 0x100: CAN FD",
        "secoc",
    ),
];

/// Checks that a log is not protected: the refusal says all of `remedies`, and nothing is written.
fn assert_unprotected(table: &str, log: &str, remedies: &[&str]) {
    let bench = Bench::new(table);
    bench.write("a.log", log);
    let out = bench.path("out.log");
    let arguments = ["--out", out.to_str().unwrap()];
    bench.refused("protect", &bench.path("a.log"), &arguments, remedies);
    assert!(!out.exists(), "half a log was left");
}

#[test]
fn what_cannot_be_protected_is_refused_with_its_line() {
    for (table, log, place, remedy) in REFUSALS {
        assert_unprotected(table, log, &[place, remedy]);
    }
}

#[test]
fn random_bytes_never_bring_it_down() {
    let mut random = Random::of_test("random_bytes_never_bring_it_down");
    let bench = Bench::new(LEIA);
    bench.write("a.log", &short().replace(" 281#", " 302#"));
    let (config, log) = (
        bench.read("auth.toml"),
        bench.protect(&bench.path("a.log")).join("\n"),
    );
    for round in 0..48 {
        let mut bytes = match round % 2 {
            0 => config.clone().into_bytes(),
            _ => log.clone().into_bytes(),
        };
        for _ in 0..1 + random.index(8) {
            let at = random.index(bytes.len());
            match random.index(3) {
                0 => bytes[at] = random.u64() as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"0123456789#\"=[]. \n"[random.index(18)]),
            }
        }
        let (config, log) = match round % 2 {
            0 => (bytes, log.clone().into_bytes()),
            _ => (config.clone().into_bytes(), bytes),
        };
        fs::write(bench.path("auth.toml"), config).unwrap();
        fs::write(bench.path("p.log"), log).unwrap();
        for word in ["protect", "check"] {
            let mut command = waywarden();
            command.args(["auth", word]).arg(bench.path("p.log"));
            command.arg("--config").arg(bench.path("auth.toml"));
            let output = command.output().unwrap();
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(
                matches!(output.status.code(), Some(0..=3)),
                "{round}: {complaint}"
            );
        }
    }
}

#[test]
fn frames_of_several_forms_under_one_identifier_are_refused() {
    let cases = [
        (
            "scheme = \"secoc\"\nprotect = [0x286]",
            "286#01",
            "286##102",
        ),
        (
            "scheme = \"secoc\"\nprotect = [0x286]",
            "286##102",
            "286#01",
        ),
        (VATICAN, "286#01", "286##102"),
        (VATICAN, "286##102", "286#01"),
    ];
    for (table, first, second) in cases {
        let log = format!("(1) c {first}\n(2) c {second}\n");
        assert_unprotected(table, &log, &["a.log:2: 0x286: ", "`except`"]);
    }
    // Flags stay, and remote frames pass, under vatiCAN's identifiers too.
    for (table, log) in [
        (
            "scheme = \"secoc\"\nprotect = [0x286]",
            "(1.000000) c 286##30102\n",
        ),
        (
            VATICAN,
            "(1.000000) c 280#01\n(1.100000) c 280#R\n(1.200000) c 281#R\n",
        ),
    ] {
        let bench = Bench::new(table);
        bench.write("a.log", log);
        bench.comes_back(&bench.path("a.log"), log);
    }
}

#[test]
fn a_log_that_has_nothing_of_the_tables_is_bad_input() {
    let cases = [
        (
            "protect = [0x280]\nchannel = \"can9\"",
            ["0x280 on can9", "the log has can0"],
        ),
        ("protect = []", ["no message", "can0"]),
        (
            "protect = [0x280]\nexcept = [0x280]",
            ["no message", "can0"],
        ),
        ("protect = [0x123]", ["0x123", "can0"]),
    ];
    for (table, remedies) in cases {
        let bench = Bench::new(&format!("scheme = \"secoc\"\nfd = true\n{table}"));
        bench.write("a.log", &short());
        let (path, out) = (bench.path("a.log"), bench.path("out.log"));
        let arguments = ["--out", out.to_str().unwrap()];
        bench.refused("protect", &path, &arguments, &remedies);
        bench.refused("check", &path, &arguments, &remedies);
        assert!(!out.exists(), "a log of nothing was left");
        let beside = ["--channel", "can0=public"];
        bench.refused("check", &path, &beside, &["--channel", "`channel`"]);
    }
    let twice = ["--channel", "can0=public", "--channel", "can0=private"];
    let mut command = waywarden();
    command.args(["auth", "check", "examples/drive.log", "--vehicle"]);
    let output = command
        .arg("examples/vulcan-bench.toml")
        .args(twice)
        .output()
        .unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint.contains("given twice"), "{complaint}");
}
