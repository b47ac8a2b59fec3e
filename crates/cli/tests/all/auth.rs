//! `waywarden auth`: logs come back as they were, what an attacker did to them is found, and what
//! cannot be protected or read is refused.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{corpus, waywarden, workspace};
use serde_json::Value;

const KEY: &str = "key = \"00112233445566778899aabbccddeeff\"\n";

/// A folder with a configuration and logs.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(table: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench { folder };
        bench.write("auth.toml", &format!("[[authentication]]\n{table}\n{KEY}"));
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a command on a log; returns the exit code, what it printed and what it complained
    /// about.
    fn auth(&self, word: &str, log: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
        let mut command = waywarden();
        command.args(["auth", word]).arg(log);
        command.arg("--config").arg(self.path("auth.toml"));
        let output = command.args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// Protects a log; returns it line by line.
    fn protect(&self, log: &Path) -> Vec<String> {
        let (code, printed, complaint) = self.auth("protect", log, &[]);
        assert_eq!(code, Some(0), "{complaint}");
        printed.lines().map(str::to_owned).collect()
    }

    /// Checks a log; returns the exit code, the table and the messages.
    fn check(&self, lines: &[String]) -> (Option<i32>, Value, String) {
        self.write("p.log", &(lines.join("\n") + "\n"));
        let out = self.path("back.log");
        let arguments = ["--format", "json", "--out", out.to_str().unwrap()];
        let (code, printed, complaint) = self.auth("check", &self.path("p.log"), &arguments);
        let table = serde_json::from_str(&printed).unwrap_or_else(|_| panic!("{complaint}"));
        (code, table, self.read("back.log"))
    }

    fn comes_back(&self, log: &Path, original: &str) {
        let lines = self.protect(log);
        let (code, table, messages) = self.check(&lines);
        assert_eq!(code, Some(0), "{table}");
        assert_eq!(table["refused"], 0);
        assert!(messages == original, "another log came back");
        assert!(lines.join("\n") + "\n" != original, "nothing was protected");
    }

    fn refused(&self, word: &str, log: &Path, arguments: &[&str], remedies: &[&str]) {
        let (code, printed, complaint) = self.auth(word, log, arguments);
        assert_eq!(code, Some(2), "{complaint}");
        assert_eq!(printed, "");
        for remedy in remedies {
            assert!(complaint.contains(remedy), "{remedy}: {complaint}");
        }
    }
}

fn drive() -> PathBuf {
    workspace().join("examples/drive.log")
}

const SECOC: [&str; 5] = [
    "production",
    "jaspar",
    "autosar-1",
    "autosar-2",
    "autosar-2-as-published",
];

#[test]
fn a_log_comes_back_under_every_profile() {
    let original = fs::read_to_string(drive()).unwrap();
    for profile in SECOC {
        let table =
            format!("scheme = \"secoc\"\nprofile = \"{profile}\"\nfd = true\nprotect = \"all\"");
        Bench::new(&table).comes_back(&drive(), &original);
    }
    for (scheme, profile) in [
        ("vatican", "hardened"),
        ("vatican", "as-published"),
        ("leia", "hardened"),
        ("leia", "as-published"),
    ] {
        for mac in ["aes-128-cmac", "siphash", "hmac-sha-256", "spongent-mac"] {
            let table = format!(
                "scheme = \"{scheme}\"\nprofile = \"{profile}\"\nmac = \"{mac}\"\n\
                 protect = \"all\"\nexcept = [0x400, 0x402, 0x404]"
            );
            Bench::new(&table).comes_back(&drive(), &original);
        }
    }
}

#[test]
fn the_recorded_logs_come_back() {
    for (log, frames) in [
        ("can/logs/css-94c49784.log.gz", 84_730),
        ("can/logs/savvycan-candump.log.gz", 12_974),
    ] {
        let Some(path) = corpus(log) else { return };
        let bench = Bench::new("scheme = \"secoc\"\nprotect = \"all\"");
        let (protected, back) = (bench.path("p.log"), bench.path("b.log"));
        let out = ["--fd", "--out", protected.to_str().unwrap()];
        let (code, _, complaint) = bench.auth("protect", &path, &out);
        assert_eq!(code, Some(0), "{complaint}");
        assert!(
            complaint.starts_with(&format!("{frames} frames in ")),
            "{complaint}"
        );
        let out = ["--fd", "--strict", "--out", back.to_str().unwrap()];
        let (code, printed, complaint) = bench.auth("check", &protected, &out);
        assert_eq!(code, Some(0), "{printed}{complaint}");
        let mut convert = waywarden();
        let plain = bench.path("plain.log");
        convert.args(["bus", "convert"]).arg(&path).arg(&plain);
        convert.assert().success();
        assert!(bench.read("b.log") == bench.read("plain.log"), "{log}");
    }
}

/// A short log: 0x280 ten times, 10 ms apart, and a frame of no stream behind each.
fn short() -> String {
    let line = |at: usize| {
        format!(
            "(1.{:06}) can0 280#00112233445566{at:02X}\n(1.{:06}) can0 281#{at:02X}\n",
            10_000 * at,
            10_000 * at + 500
        )
    };
    (0..10).map(line).collect()
}

fn row<'a>(table: &'a Value, stream: &str) -> &'a Value {
    let rows = table["streams"].as_array().unwrap();
    let found = rows.iter().find(|row| row["stream"] == stream);
    found.unwrap_or_else(|| panic!("{stream}: {table}"))
}

#[test]
fn what_is_done_to_secured_frames_is_found() {
    let bench = Bench::new("scheme = \"secoc\"\nfd = true\nprotect = [0x280]");
    bench.write("a.log", &short());
    let lines = bench.protect(&bench.path("a.log"));
    // An announcement, ten messages, ten frames of no stream.
    assert_eq!(lines.len(), 21);
    assert!(lines[0].contains(" 00F#"), "{}", lines[0]);
    let at = |number: usize| 1 + 2 * number;
    let is_refused = |lines: &[String], key: &str, lost: usize| {
        let (code, table, messages) = bench.check(lines);
        assert_eq!(code, Some(1), "{table}");
        let row = row(&table, "0x280");
        assert_eq!(row[key], 1, "{key}: {row}");
        assert_eq!(table["refused"], 1, "{table}");
        assert_eq!(messages.lines().count(), 20 - lost, "{key}");
    };
    let mut changed = lines.clone();
    changed[at(3)] = changed[at(3)].replace("##100", "##180");
    is_refused(&changed, "wrong_tag", 1);
    let mut again = lines.clone();
    again.insert(at(5), lines[at(4)].clone());
    is_refused(&again, "wrong_tag", 0);
    let mut before = lines.clone();
    before.swap(0, 1);
    is_refused(&before, "out_of_step", 1);
    // Three messages are lost: the rest goes on.
    let mut lost = lines.clone();
    for _ in 0..3 {
        lost.remove(at(2));
    }
    let (code, table, _) = bench.check(&lost);
    assert_eq!((code, &table["refused"]), (Some(0), &Value::from(0)));
    // Another key refuses all, announcements too.
    let other = bench.read("auth.toml").replace("ccddeeff", "ccddeef0");
    bench.write("auth.toml", &other);
    let (code, table, messages) = bench.check(&lines);
    assert_eq!((code, &table["refused"]), (Some(1), &Value::from(11)));
    assert_eq!(messages.lines().count(), 10, "the frames of no stream");
}

#[test]
fn what_is_done_to_messages_with_tags_is_found() {
    for scheme in ["vatican", "leia"] {
        let bench = Bench::new(&format!("scheme = \"{scheme}\"\nprotect = [0x280]"));
        let text = short().replace(" 281#", " 301#");
        bench.write("a.log", &text);
        let lines = bench.protect(&bench.path("a.log"));
        assert_eq!(lines.len(), 30);
        let at = |number: usize| 3 * number;
        let counts = |lines: &[String], expected: [(&str, u64); 3], messages: usize| {
            let (code, table, out) = bench.check(lines);
            assert_eq!(code, Some(1), "{scheme}: {table}");
            let row = row(&table, "0x280");
            for (key, count) in expected {
                assert_eq!(row[key], count, "{scheme}, {key}: {row}");
            }
            assert_eq!(out.lines().count(), messages, "{scheme}: {out}");
        };
        let mut changed = lines.clone();
        changed[at(3)] = changed[at(3)].replace("#00", "#80");
        let expected = [("authentic", 18), ("wrong_tag", 1), ("missing", 1)];
        counts(&changed, expected, 19);
        let mut bare = lines.clone();
        bare.remove(at(4) + 1);
        counts(
            &bare,
            [("authentic", 18), ("missing", 1), ("replay", 0)],
            19,
        );
        let mut alone = lines.clone();
        alone.remove(at(4));
        let expected = [("authentic", 18), ("tag_without_data", 1), ("replay", 0)];
        counts(&alone, expected, 19);
        let mut again = lines.clone();
        let both = [lines[at(4)].clone(), lines[at(4) + 1].clone()];
        again.splice(at(5)..at(5), both);
        let expected = [("authentic", 20), ("replay", 1), ("missing", 1)];
        counts(&again, expected, 20);
    }
}

#[test]
fn each_frame_has_a_verdict_and_keeps_its_place() {
    let bench = Bench::new("scheme = \"vatican\"\nprotect = [0x280]");
    bench.write("a.log", &short().replace(" 281#", " 301#"));
    let mut lines = bench.protect(&bench.path("a.log"));
    lines[0] = lines[0].replace("#00", "#01");
    bench.write("p.log", &(lines.join("\n") + "\n"));
    let kept = bench.path("kept.log");
    let arguments = ["--verdicts", "-", "--keep", "--out", kept.to_str().unwrap()];
    let (code, printed, _) = bench.auth("check", &bench.path("p.log"), &arguments);
    assert_eq!(code, Some(1));
    let (mut expected, mut words) = (
        lines.clone(),
        ["missing", "wrong tag", "unknown id"].to_vec(),
    );
    words.extend([["authentic", "authentic", "unknown id"]; 9].concat());
    for (line, word) in expected.iter_mut().zip(words) {
        line.push_str("  ");
        line.push_str(word);
    }
    assert_eq!(printed.lines().collect::<Vec<_>>(), expected);
    assert_eq!(bench.read("kept.log"), lines.join("\n") + "\n");
    let (code, ..) = bench.auth("check", &bench.path("a.log"), &["--strict"]);
    assert_eq!(code, Some(1), "none of them has a tag");
}

#[test]
fn names_come_from_the_matrix_and_keys_from_a_file() {
    let table =
        "scheme = \"vatican\"\nprotect = [\"EngineSpeed\", \"0x120\"]\nkey_file = \"k.hex\"";
    let bench = Bench::new(table);
    bench.write("auth.toml", &bench.read("auth.toml").replace(KEY, ""));
    bench.write("k.hex", "00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF\n");
    bench.write("a.log", "(1.0) c 100#01\n(1.1) c 120#02\n(1.2) c 122#03\n");
    let dbc = workspace().join("examples/matrix.dbc");
    let arguments = ["--dbc", dbc.to_str().unwrap()];
    let (code, printed, complaint) = bench.auth("protect", &bench.path("a.log"), &arguments);
    assert_eq!((code, printed.lines().count()), (Some(0), 5), "{complaint}");
    bench.write("p.log", &printed);
    let (code, table, _) = bench.auth("check", &bench.path("p.log"), &arguments);
    assert_eq!(code, Some(0));
    assert!(
        table.contains("EngineSpeed") && table.contains("0x120"),
        "{table}"
    );
    bench.refused(
        "protect",
        &bench.path("a.log"),
        &[],
        &["auth.toml:3:", "no message \"EngineSpeed\""],
    );
    bench.write("k.hex", "00 11");
    bench.refused(
        "protect",
        &bench.path("a.log"),
        &arguments,
        &["k.hex has no key", "32 digits"],
    );
}

#[test]
fn the_log_of_a_run_is_checked_with_the_keys_of_its_vehicle() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.log");
    let car = "examples/vulcan-bench.toml";
    let mut run = waywarden();
    run.args(["run", car, "--duration", "1200ms", "--log"])
        .arg(&log);
    run.output().unwrap();
    let mut check = waywarden();
    check.args(["auth", "check", "--vehicle", car, "--format", "json"]);
    let output = check.arg(&log).output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    let table: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{complaint}"));
    let rows = table["streams"].as_array().unwrap();
    let public = |name: &str| {
        let mut own = rows.iter();
        let own = own.find(|row| row["stream"] == name && row["channel"] == "public");
        own.unwrap_or_else(|| panic!("{name}: {table}")).clone()
    };
    for name in ["WheelLeft", "WheelRight", "Rpm", "Indicators"] {
        let row = public(name);
        assert!(row["authentic"].as_u64().unwrap() >= 10, "{row}");
    }
}

#[test]
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

#[test]
fn wrong_tables_name_their_place() {
    let cases = [
        (
            "scheme = \"secok\"\nprotect = \"all\"",
            "auth.toml:2:10: \"secok\"",
            "secoc",
        ),
        ("scheme = \"secoc\"", "auth.toml:1:1: ", "`protect`"),
        (
            "scheme = \"secoc\"\nprotect = []\nfoo = 1",
            "auth.toml:4:1: ",
            "`foo`",
        ),
        (
            "scheme = \"secoc\"\nprotect = [0x123, 291]",
            "auth.toml:3:19: ",
            "twice",
        ),
        (
            "scheme = \"secoc\"\nprotect = [0x20000000]",
            "auth.toml:3:12: ",
            "0x1FFFFFFF",
        ),
        (
            "scheme = \"secoc\"\nprotect = 7",
            "auth.toml:3:11: ",
            "\"all\"",
        ),
        (
            "scheme = \"secoc\"\nprotect = [0x00F]",
            "auth.toml:3:11: ",
            "announce_id",
        ),
        (
            "scheme = \"vatican\"\nprotect = [0x281]",
            "auth.toml:3:11: ",
            "odd",
        ),
        (
            "scheme = \"leia\"\nprotect = [0x12345]",
            "auth.toml:3:11: ",
            "29-bit",
        ),
        (
            "scheme = \"secoc\"\nprotect = \"all\"\nmac_bits = 8",
            "auth.toml:4:12: ",
            "24 to 128",
        ),
        (
            "scheme = \"secoc\"\nprotect = \"all\"\nprofile = \"autosar-1\"\nannounce = \"1s\"",
            "auth.toml:5:12: ",
            "leave it out",
        ),
        (
            "scheme = \"secoc\"\nprotect = \"all\"\nkey_file = \"k\"",
            "auth.toml:4:12: ",
            "keep one",
        ),
        (
            "scheme = \"vatican\"\nprotect = \"all\"\nfd = true",
            "auth.toml:4:1: ",
            "`fd`",
        ),
        ("scheme = \"secoc", "auth.toml:2:", ""),
    ];
    for (table, place, remedy) in cases {
        let bench = Bench::new(table);
        bench.refused("check", &drive(), &[], &[place, remedy]);
    }
    let bench = Bench::new("scheme = \"secoc\"\nprotect = \"all\"");
    let text = bench.read("auth.toml");
    bench.write("auth.toml", &text.replace("ddeeff", ""));
    bench.refused(
        "check",
        &drive(),
        &[],
        &["auth.toml:4:7: ", "13 bytes", "16 bytes"],
    );
    bench.write("auth.toml", &text.replace("key =", "k ="));
    bench.refused("check", &drive(), &[], &["auth.toml:1:1: ", "`key`"]);
    bench.write("auth.toml", "");
    bench.refused(
        "check",
        &drive(),
        &[],
        &["auth.toml:1:1: ", "[[authentication]]"],
    );
}

#[test]
fn other_formats_come_in_and_no_output_takes_an_input_s_place() {
    let bench = Bench::new("scheme = \"secoc\"\nfd = true\nprotect = \"all\"");
    let asc = bench.path("drive.asc");
    let mut convert = waywarden();
    convert.args(["bus", "convert"]).arg(drive()).arg(&asc);
    convert.assert().success();
    let (code, printed, complaint) = bench.auth("protect", &asc, &[]);
    assert_eq!(code, Some(0), "{complaint}");
    assert!(printed.lines().count() > 600);
    let out = ["--out", asc.to_str().unwrap()];
    bench.refused(
        "protect",
        &asc,
        &out,
        &["would take the place of the input"],
    );
    let config = bench.path("auth.toml");
    let out = ["--out", config.to_str().unwrap()];
    bench.refused("check", &asc, &out, &["would take the place of the input"]);
}

#[test]
fn channels_are_buses_of_their_own() {
    let bench = Bench::new("scheme = \"secoc\"\nprotect = [0x100]\nchannel = \"b\"");
    bench.write(
        "a.log",
        "(1) a 100#01\n(1) b 100#01\n(2) a 100#02\n(2) b 100#02\n",
    );
    let lines = bench.protect(&bench.path("a.log"));
    let on_a = |lines: &[String]| {
        lines
            .iter()
            .filter(|line| line.contains(" a 100#0"))
            .count()
    };
    assert_eq!((lines.len(), on_a(&lines)), (6, 2), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains(" a 00F#")));
    let (code, table, _) = bench.check(&lines);
    assert_eq!((code, &table["unknown"]), (Some(0), &Value::from(2)));
    // Two starts under the same keys: what was sent in the first is worth nothing in the second.
    let (code, second, _) = bench.auth("protect", &bench.path("a.log"), &["--epoch", "2"]);
    assert_eq!(code, Some(0));
    let mut both: Vec<String> = second.lines().map(str::to_owned).collect();
    both.extend(lines.iter().filter(|line| line.contains(" b ")).cloned());
    let (code, table, _) = bench.check(&both);
    assert_eq!(
        (code, &table["refused"]),
        (Some(1), &Value::from(4)),
        "{table}"
    );
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
fn the_lines_of_the_page_run_as_they_stand() {
    let page = fs::read_to_string(workspace().join("docs/auth.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let outputs = format!("{}/", folder.path().display());
    let mut count = 0;
    for line in page.lines() {
        let Some(words) = line.strip_prefix("waywarden ") else {
            continue;
        };
        let words = words.split_once("  #").map_or(words, |(words, _)| words);
        let words = words.split_whitespace();
        let output = waywarden()
            .args(words.map(|word| word.replacen("target/", &outputs, 1)))
            .output()
            .unwrap();
        let expected = i32::from(line.contains("exit code 1"));
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{line}: {complaint}");
        count += 1;
    }
    assert_eq!(count, 5);
    let (mut toml, mut inside) = (String::new(), false);
    for line in page.lines() {
        match line {
            "```toml" => inside = true,
            "```" => inside = false,
            line if inside => toml.push_str(&format!("{line}\n")),
            _ => {}
        }
    }
    let bench = Bench::new("");
    bench.write("auth.toml", &toml);
    bench.write("brakes.key", "00112233445566778899aabbccddeeff");
    bench.write(
        "a.log",
        "(1) can0 100#01\n(2) can1 1A0#02\n(3) can0 280#03\n",
    );
    let dbc = workspace().join("examples/matrix.dbc");
    let arguments = ["--dbc", dbc.to_str().unwrap()];
    let (code, printed, complaint) = bench.auth("protect", &bench.path("a.log"), &arguments);
    assert_eq!(code, Some(0), "{complaint}");
    // Two tag frames, one announcement, and three messages.
    assert_eq!(printed.lines().count(), 6, "{printed}");
}

#[test]
fn what_has_the_name_of_a_message_and_not_its_form_is_not_authentic() {
    let cases = [
        ("leia", "protect = [0x280]", " 280#DEADBEEF", true),
        ("leia", "protect = [0x280]", " 280##1DEADBEEF", true),
        ("leia", "protect = \"all\"", " 280#DEADBEEF", true),
        // Before the stream's first message, too.
        ("leia", "protect = [0x280, 0x300]", " 300#DEADBEEF", true),
        ("vatican", "protect = [0x280]", " 280##1DEADBEEF", true),
        ("vatican", "protect = \"all\"", " 280##1DEADBEEF", true),
        // What protect would have left alone is of no stream.
        ("leia", "protect = \"all\"", " 281#DEADBEEF", false),
        ("leia", "protect = [0x280]", " 300#DEADBEEF", false),
        ("vatican", "protect = \"all\"", " 300##1DEADBEEF", false),
        ("vatican", "protect = \"all\"", " 280#R", false),
    ];
    for (scheme, protect, forged, is_refused) in cases {
        let bench = Bench::new(&format!("scheme = \"{scheme}\"\n{protect}"));
        let original = "(1.000000) can0 280#0102030405060708";
        bench.write("a.log", &format!("{original}\n"));
        let mut lines = bench.protect(&bench.path("a.log"));
        lines.push(format!("(1.005000) can0{forged}"));
        let (code, table, messages) = bench.check(&lines);
        let case = format!("{scheme} {protect}{forged}: {table}");
        assert_eq!(code, Some(i32::from(is_refused)), "{case}");
        assert_eq!(table["refused"], u64::from(is_refused), "{case}");
        assert_eq!(messages.contains(forged), !is_refused, "{case}");
        assert!(messages.contains(original), "{case}");
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
fn earlier_starts_are_over() {
    for profile in ["production", "jaspar", "autosar-2"] {
        let table =
            format!("scheme = \"secoc\"\nprofile = \"{profile}\"\nfd = true\nprotect = [0x280]");
        let bench = Bench::new(&table);
        bench.write("a.log", &short());
        let (_, protected, _) = bench.auth("protect", &bench.path("a.log"), &["--epoch", "4"]);
        bench.write("p.log", &protected);
        for (epoch, code, replays, authentic) in [("3", 0, 0, 10), ("4", 0, 0, 10), ("5", 1, 1, 0)]
        {
            let arguments = ["--format", "json", "--epoch", epoch];
            let (found, printed, _) = bench.auth("check", &bench.path("p.log"), &arguments);
            let table: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(found, Some(code), "{profile} {epoch}");
            assert_eq!(
                row(&table, "0x00F, announcements")["replay"],
                replays,
                "{table}"
            );
            assert_eq!(row(&table, "0x280")["authentic"], authentic, "{table}");
        }
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
