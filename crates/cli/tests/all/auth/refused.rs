//! Logs that cannot be protected or read are refused, and random bytes never cause a panic.

use std::fs;

use super::{Bench, short};
use crate::support::waywarden;

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]
fn what_cannot_be_protected_is_refused_with_its_line() {
    let secoc = "scheme = \"secoc\"\nprotect = \"all\"";
    let vatican = "scheme = \"vatican\"\nprotect = \"all\"";
    let leia = "scheme = \"leia\"\nprotect = \"all\"";
    let widened = "scheme = \"secoc\"\nfd = true\nprotect = \"all\"";
    let cases = [
        (
            secoc,
            "(1) c 100#01\n\n(2) c 101#0011223344556677\n",
            "a.log:3: 0x101: 8 bytes",
            "--fd",
        ),
        (
            vatican,
            "(1) c 101#01\n(2) c 100#01\n",
            "a.log:2: 0x100",
            "tags",
        ),
        (
            vatican,
            "(1) c 100#01\n(2) c 101#01\n",
            "a.log:2: 0x101",
            "other messages",
        ),
        (
            leia,
            "(1) c 100#01\n(2) c 00000101#01\n",
            "a.log:2: 0x00000101",
            "LeiA's frames",
        ),
        (
            secoc,
            "(1) c 100#01\n(2) c 00F#01\n",
            "a.log:2: 0x00F",
            "announce_id",
        ),
        (
            widened,
            "(1) c 100##101\n",
            "a.log:1: 0x100: CAN FD",
            "without `fd`",
        ),
        (
            widened,
            "(1) c 100#0011223344556677_E\n",
            "a.log:1: 0x100: has the length code 14",
            "except",
        ),
        (
            widened,
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
    for (table, log, place, remedy) in cases {
        let bench = Bench::new(table);
        bench.write("a.log", log);
        let out = bench.path("out.log");
        let arguments = ["--out", out.to_str().unwrap()];
        bench.refused(
            "protect",
            &bench.path("a.log"),
            &arguments,
            &[place, remedy],
        );
        assert!(!out.exists(), "half a log was left");
    }
}

/// A generator of numbers that need not be good [xorshift64].
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize % sides
    }
}

#[test]
fn random_bytes_never_bring_it_down() {
    let seed = 0x5EED_0007;
    println!("seed {seed:#x}");
    let mut dice = Dice(seed);
    let bench = Bench::new("scheme = \"leia\"\nprotect = \"all\"");
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
        for _ in 0..1 + dice.roll(8) {
            let at = dice.roll(bytes.len());
            match dice.roll(3) {
                0 => bytes[at] = dice.roll(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, b"0123456789#\"=[]. \n"[dice.roll(18)]),
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
                matches!(output.status.code(), Some(0..=2)),
                "{round}: {complaint}"
            );
        }
    }
}

#[test]
fn frames_of_several_forms_under_one_identifier_are_refused() {
    let vatican = "scheme = \"vatican\"\nprotect = \"all\"";
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
        (vatican, "286#01", "286##102"),
        (vatican, "286##102", "286#01"),
    ];
    for (table, first, second) in cases {
        let bench = Bench::new(table);
        bench.write("a.log", &format!("(1) c {first}\n(2) c {second}\n"));
        let out = bench.path("out.log");
        let arguments = ["--out", out.to_str().unwrap()];
        let remedies = ["a.log:2: 0x286: ", "`except`"];
        bench.refused("protect", &bench.path("a.log"), &arguments, &remedies);
        assert!(!out.exists(), "half a log was left");
    }
    // Flags stay, and remote frames pass, under vatiCAN's identifiers too.
    for (table, log) in [
        (
            "scheme = \"secoc\"\nprotect = [0x286]",
            "(1.000000) c 286##30102\n",
        ),
        (
            vatican,
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
