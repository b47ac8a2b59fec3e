//! Logs come back as they were, in every format and by channel.

use std::fs;

use serde_json::Value;

use super::{Bench, SECOC, drive};
use crate::support::{corpus, waywarden, workspace};

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
        let out = ["--fd", "--no-unknown", "--out", back.to_str().unwrap()];
        let (code, printed, complaint) = bench.auth("check", &protected, &out);
        assert_eq!(code, Some(0), "{printed}{complaint}");
        let mut convert = waywarden();
        let plain = bench.path("plain.log");
        convert.args(["bus", "convert"]).arg(&path).arg(&plain);
        convert.assert().success();
        assert!(bench.read("b.log") == bench.read("plain.log"), "{log}");
    }
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
