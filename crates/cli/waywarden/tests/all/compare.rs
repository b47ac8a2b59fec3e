//! `waywarden compare`: forms of output, exit codes, bad input, and the page about it.

use std::fs;

use crate::support::{json, tables, waywarden, workspace};

const CAR: &str = r#"
[vehicle]
name = "small"

[[bus]]
name = "can"
bitrate = "500k"

[[ecu]]
name = "engine"
ports = ["can"]

[[ecu]]
name = "cluster"
ports = ["can"]

[[stream]]
name = "Speed"
id = 0x280
sender = "engine"
receivers = ["cluster"]
length = 8
period = "10ms"

[require]
startup = "100ms"
"#;

struct Car {
    folder: tempfile::TempDir,
}

impl Car {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("car.toml"), text).unwrap();
        Car { folder }
    }

    fn compare(&self, options: &[&str]) -> assert_cmd::Command {
        let mut command = waywarden();
        command
            .arg("compare")
            .arg(self.folder.path().join("car.toml"));
        command.args(["--duration", "1s"]).args(options);
        command
    }
}

#[test]
fn the_page_has_the_conclusion_that_is_printed_and_may_take_its_place() {
    let car = Car::new(CAR);
    let choices = ["--keys", "none", "--authentication", "none,vatican"];
    let path = car.folder.path().join("compare.html");
    let mut command = car.compare(&choices);
    let printed = command.arg("--html").arg(&path).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let conclusion = printed.lines().next().unwrap();
    let conclusion = conclusion.strip_prefix("small: ").unwrap();
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains(conclusion), "{conclusion}");
    let alone = car
        .compare(&choices)
        .args(["--html", "-"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(alone.stdout).unwrap(), page);
    let lost = car
        .compare(&["--html", "no-such-folder/compare.html"])
        .output()
        .unwrap();
    assert_eq!(lost.status.code(), Some(2));
}

#[test]
fn the_ranking_does_not_depend_on_how_many_run_at_a_time() {
    let car = Car::new(CAR);
    let of = |jobs: &str| {
        let mut command = car.compare(&["--keys", "none,symmetric", "--format", "json"]);
        command.args(["--jobs", jobs]);
        json(&mut command)
    };
    let (one, four) = (of("1"), of("4"));
    assert_eq!(one, four);
    let variants = one["variants"].as_array().unwrap();
    // No keys and two suites; vatiCAN, LeiA, SecOC in three profiles and two carriers; the
    // baseline.
    let folded = variants
        .iter()
        .map(|row| row["same"].as_array().unwrap().len());
    let impossible = one["impossible"].as_array().unwrap();
    let refused = impossible
        .iter()
        .map(|one| one["variants"].as_array().unwrap().len());
    let all = variants.len() + folded.sum::<usize>() + refused.sum::<usize>();
    // SecOC has no room in a classic frame of 8 bytes, and there is no CAN FD bus for a baseline.
    assert_eq!((all, impossible.len()), (26, 4), "{impossible:?}");
    let best = &variants[0];
    assert_eq!(best["rank"], 1);
    let expected = serde_json::json!({ "covered": 1, "session_keys": 1, "streams": 1 });
    assert_eq!(best["coverage"], expected);
    assert_eq!((&best["stopped"], &best["attacks"]), (&3.into(), &4.into()));
    let last = variants.last().unwrap();
    assert_eq!(
        (&last["rank"], &last["authentication"]),
        (&().into(), &"none".into())
    );
    let conclusion = one["conclusion"].as_str().unwrap();
    let begins = "Fits best: keys symmetric-distribution/";
    assert!(conclusion.starts_with(begins), "{conclusion}");
}

#[test]
fn exit_code_one_says_that_nothing_meets_the_requirements() {
    let car = Car::new(&CAR.replace("100ms", "1us"));
    let options = ["--keys", "none", "--authentication", "none,vatican"];
    let output = car.compare(&options).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("No variant that protects streams meets all requirements."),
        "{text}"
    );
    let car = Car::new(CAR);
    car.compare(&options).assert().code(0);
}

#[test]
fn the_best_variant_can_be_had_as_a_vehicle_file() {
    let car = Car::new(CAR);
    let options = [
        "--keys",
        "none",
        "--authentication",
        "leia",
        "--print-vehicle",
    ];
    let output = car.compare(&options).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("# Fits best: ") && text.contains("\"leia\""),
        "{text}"
    );
    let best = Car::new(&text);
    let report = json(
        waywarden()
            .arg("run")
            .arg(best.folder.path().join("car.toml"))
            .args(["--format", "json"]),
    );
    assert_eq!(report["authentication"][0]["protocol"], "LeiA, hardened");
}

#[test]
fn bad_input_is_answered_with_what_there_is() {
    let car = Car::new(CAR);
    let says = |options: &[&str], expected: &str| {
        let output = car.compare(options).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    };
    says(&["--keys", "magic"], "lasan-hardened/p256");
    says(&["--authentication", "magic"], "secoc-production");
    says(&["--keys", "file"], "there is nothing to compare");
    says(&["--protect", "Sped"], "did you mean \"Speed\"?");
    let short = ["--duration", "100ms"];
    let mut command = waywarden();
    command
        .arg("compare")
        .arg(car.folder.path().join("car.toml"));
    let output = command.args(short).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let broken = Car::new(&CAR.replace("sender = \"engine\"", "sender = \"engin\""));
    let output = broken.compare(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("did you mean \"engine\"?"), "{text}");
}

/// The page explains each column of its example, which `commands.rs` compares with what the command
/// prints.
#[test]
fn the_page_explains_its_example() {
    let page = fs::read_to_string(workspace().join("docs/compare.md")).unwrap();
    let (_, example) = page.split_once("```console\n$ waywarden ").unwrap();
    let (text, _) = example.split_once("```").unwrap();
    // Each column is explained.
    let tables = tables(text);
    let headers: Vec<&String> = tables.iter().flat_map(|table| &table[0]).collect();
    assert!(headers.len() > 10, "{headers:?}");
    for header in headers {
        assert!(page.contains(&format!("| {header} |")), "{header}");
    }
}
