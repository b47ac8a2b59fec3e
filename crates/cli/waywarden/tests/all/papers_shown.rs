//! `waywarden papers`: what it shows of each paper, verdicts that tell nothing, other assumptions,
//! and the runs that give cells.

use std::fs;

use crate::support::{json, rows, waywarden, workspace};

#[test]
fn each_paper_begins_with_authors_title_and_year() {
    let bibliography = fs::read_to_string(workspace().join("BIBLIOGRAPHY.toml")).unwrap();
    let bibliography: toml::Table = toml::from_str(&bibliography).unwrap();
    let citation = fs::read_to_string(workspace().join("CITATION.cff")).unwrap();
    let known = rows(waywarden().args(["papers", "--format", "json"]));
    for paper in known.as_array().unwrap() {
        let key = paper["key"].as_str().unwrap();
        let entry = &bibliography[&key.to_uppercase()];
        for (field, of) in [("authors", "by"), ("paper", "title"), ("published", "when")] {
            assert_eq!(paper[field].as_str(), entry[of].as_str(), "{key}");
        }
        assert!(citation.contains(entry["title"].as_str().unwrap()), "{key}");
        let mut command = waywarden();
        command.args(["papers", key, "--no-simulation"]);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let head = text.split("\n\n").next().unwrap().replace("\n  ", " ");
        let year = paper["year"].as_str().unwrap();
        assert!(year.len() == 4 && year.parse::<u16>().is_ok(), "{year}");
        for words in ["authors", "paper", "published"].map(|field| paper[field].as_str().unwrap()) {
            assert!(head.contains(words), "{key}: {head}");
        }
        assert!(head.starts_with(&format!("[{}] ", key.to_uppercase())) && head.contains(year));
        // Rows and findings alike.
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(120), "{key}: {widest:?}");
    }
}

#[test]
fn printed_numbers_are_shown_and_never_called_not_stated() {
    for key in ["ecqv-cits", "gke", "lasan", "vulcan", "wave-sec"] {
        let mut command = waywarden();
        command.args(["papers", key, "--no-simulation", "--format", "json"]);
        for cell in rows(&mut command).as_array().unwrap() {
            let is_printed = !cell["paper"].is_null();
            let is_ours = !cell["formula"].is_null() || !cell["measured"].is_null();
            match cell["verdict"].as_str().unwrap() {
                "not-stated" => assert!(!is_printed, "{key}: {cell}"),
                "paper-only" => assert!(is_printed && !is_ours, "{key}: {cell}"),
                "from-memory" => {}
                _ => assert!(is_printed && is_ours, "{key}: {cell}"),
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let mut command = waywarden();
    command.args(["papers", "ecqv-cits", "--html"]).arg(&path);
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("M. Marchetti: Hardware limitations"));
    // Table V's first row, Table IV's messages, a time of Table XII and one that differs.
    for number in ["15462204", "278 != [287.5]", "12 [12.42]"] {
        assert!(page.contains(&format!(">{number}<")), "{number}");
        assert!(text.contains(number), "{number} not in:\n{text}");
    }
    for table in ["IV", "V", "VI", "IX", "XI", "XIII"] {
        let head = format!("\nTable {table} (the paper's number");
        let (_, below) = text
            .split_once(&head)
            .unwrap_or_else(|| panic!("Table {table}"));
        let rows = below
            .lines()
            .skip_while(|line| !line.starts_with('╞'))
            .skip(1);
        let rows: Vec<&str> = rows.take_while(|line| line.starts_with('│')).collect();
        let has_number = |row: &&str| row.split(['│', '┆']).skip(2).any(|cell| cell.trim() != "-");
        assert!(!rows.is_empty() && rows.iter().all(has_number), "{rows:?}");
    }
}

#[test]
fn hollow_verdicts_are_classes_of_their_own() {
    let verdicts = |key: &str| {
        let mut command = waywarden();
        command.args(["papers", key, "--no-simulation", "--format", "json"]);
        rows(&mut command)
    };
    let count = |cells: &serde_json::Value, verdict: &str, part: &str| {
        let all = cells.as_array().unwrap().iter();
        all.filter(|cell| {
            cell["verdict"] == verdict && cell["cell"].as_str().unwrap().contains(part)
        })
        .count()
    };
    let ecqv = verdicts("ecqv-cits");
    assert_eq!(count(&ecqv, "by-construction", "least"), 4);
    assert_eq!(count(&ecqv, "agrees", "least, rush and normal"), 0);
    // 1.38 ms for a printed 2 is no rounding; 36.24 for 36 is agreement.
    for cell in ecqv.as_array().unwrap() {
        let (paper, ours) = (cell["paper"].as_f64(), cell["formula"].as_f64());
        if let (Some(paper), Some(ours), "rounding") =
            (paper, ours, cell["verdict"].as_str().unwrap())
        {
            assert!((ours - paper).abs() <= 0.1 * paper, "{cell}");
        }
    }
    assert!(count(&ecqv, "too-coarse", "") > 0);
    let vulcan = verdicts("vulcan");
    assert_eq!(count(&vulcan, "by-construction", "frames"), 3);
    assert_eq!(count(&vulcan, "not-tested", "associated data"), 2);
}

#[test]
fn assumptions_are_replaced() {
    let cell = |arguments: &[&str], name: &str| {
        let mut command = waywarden();
        command.args([
            "papers",
            arguments[0],
            "--no-simulation",
            "--format",
            "json",
        ]);
        let cells = rows(command.args(&arguments[1..]));
        let mut all = cells.as_array().unwrap().iter();
        let found = all.find(|cell| cell["cell"] == name);
        found.unwrap_or_else(|| panic!("{name}")).clone()
    };
    let name = "main scheme, 32 TC297, CAN FD, all";
    let stated = cell(&["gke"], name)["formula"].as_f64().unwrap();
    for options in [
        ["--board", "stm32h5"],
        ["--bitrate", "250k"],
        ["--data-bitrate", "5M"],
    ] {
        let mut arguments = vec!["gke"];
        arguments.extend(options);
        let other = cell(&arguments, name);
        assert_ne!(other["formula"].as_f64(), Some(stated), "{options:?}");
        assert_eq!(other["verdict"], "not-compared");
        let why = other["why"].as_str().unwrap();
        assert!(
            why.contains(options[0]) && why.contains("as the paper has it"),
            "{why}"
        );
    }
    // Cells without a change are judged as before.
    let share = cell(&["gke", "--bitrate", "250k"], "ECDH share, TC297");
    assert_eq!(share["verdict"], "not-tested");
    let bus = "pre-quantum, total";
    let half = cell(&["lasan", "--bitrate", "250k"], bus);
    assert_eq!(half["unit"], "B");
    let send = |options: &[&str]| {
        let mut arguments = vec!["vulcan"];
        arguments.extend(options);
        cell(&arguments, "legacy, 11-bit: send")["formula"]
            .as_f64()
            .unwrap()
    };
    // A mean frame of 111.3 bits: 222.5 us more at half the rate.
    assert!((send(&["--bitrate", "250k"]) - send(&[]) - 0.2225).abs() < 1e-3);
    let board = "m4, P-256, neighbours at 10 Hz, by ECDSA alone";
    assert_eq!(
        cell(&["wave-sec", "--board", "m4"], board)["unit"],
        "vehicles"
    );
    let name = "5 receiver, Extract: tc297";
    assert_eq!(cell(&["ecqv-cits", "--board", "tc297"], name)["unit"], "ms");
    let name = "messages of 460 B in 100 ms at 12 Mb/s";
    assert!(cell(&["ecqv-cits", "--bitrate", "12M"], name)["formula"].as_f64() > Some(300.0));
    for (arguments, expected) in [
        (&["wave-sec", "--bitrate", "500k"][..], "no channel's"),
        (&["vulcan", "--data-bitrate", "2M"], "CAN FD"),
        (&["gke", "--board", "nonsense"], "no such board"),
        (&["vulcan", "--board", "tc297"], "has no figure for tag"),
        (&["ecqv-cits", "--bitrate", "1500k"], "whole Mbit/s"),
    ] {
        let mut command = waywarden();
        let output = command.arg("papers").args(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_page_has_the_assumptions_of_its_cells() {
    let folder = tempfile::tempdir().unwrap();
    let page = |arguments: &[&str]| {
        let path = folder.path().join("page.html");
        let mut command = waywarden();
        command.args(["papers", arguments[0], "--no-simulation", "--html"]);
        command.arg(&path).args(&arguments[1..]).assert().success();
        fs::read_to_string(path).unwrap()
    };
    let figures = |page: &str| {
        page.split("<svg")
            .skip(1)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let sentence = "in place of what the paper assumes.";
    for arguments in [
        &["gke", "--bitrate", "250k"][..],
        &["gke", "--board", "stm32h5"],
        &["lasan", "--bitrate", "250k"],
        &["vulcan", "--bitrate", "250k"],
        &["ecqv-cits", "--board", "tc297"],
    ] {
        let (stated, other) = (page(&arguments[..1]), page(arguments));
        let words = format!("With {} {sentence}", arguments[1..].join(" "));
        assert!(
            !stated.contains(sentence) && other.contains(&words),
            "{arguments:?}"
        );
        assert_ne!(figures(&stated), figures(&other), "{arguments:?}");
    }
    assert!(page(&["ecqv-cits", "--board", "tc297"]).contains(">tc297</text>"));
}

/// Runs what `--show-run` writes for a cell; returns the number that it gives, and the cell.
fn shown(key: &str, name: &str) -> (f64, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = waywarden();
    command.args(["papers", key, "--show-run", name, "--format", "json"]);
    let run = json(&mut command);
    if let Some(vehicle) = run["vehicle"].as_str() {
        fs::write(folder.path().join("run.toml"), vehicle).unwrap();
    }
    let mut command = waywarden();
    command.current_dir(folder.path());
    for argument in run["arguments"].as_array().unwrap() {
        command.arg(argument.as_str().unwrap());
    }
    let output = json(&mut command);
    let number = read(run["jq"].as_str().unwrap(), &output);
    (number, run["cell"].clone())
}

/// Evaluates the programs of `jq` that `--show-run` writes: an object of a list, a field, a factor.
fn read(program: &str, document: &serde_json::Value) -> f64 {
    let (path, factor) = program.split_once(" * ").unwrap_or((program, "1"));
    let (object, field) = match path.split_once("[0].") {
        Some((list, field)) => (&document[&list[1..]][0], field),
        None => {
            let (list, rest) = path.split_once("[] | select(").unwrap();
            let (conditions, field) = rest.split_once(") | .").unwrap();
            let is_it = |object: &&serde_json::Value| {
                conditions.split(" and ").all(|condition| {
                    let (field, value) = condition.split_once(" == ").unwrap();
                    object[&field[1..]] == serde_json::from_str::<String>(value).unwrap()
                })
            };
            let mut objects = document[&list[1..]].as_array().unwrap().iter();
            (objects.find(is_it).unwrap(), field)
        }
    };
    let value = field.split('.').fold(object, |value, field| &value[field]);
    value.as_f64().unwrap() * factor.parse::<f64>().unwrap()
}

/// A quick subset of what `xtask/soak/paper-runs` runs.
#[test]
fn runs_that_are_shown_give_their_cells() {
    for (key, name) in [
        (
            "gke",
            "frames of the scheme without orchestrator, CAN FD, n = 32 (5 n)",
        ),
        ("gke", "frames of the main scheme, CAN FD, a dozen ECUs"),
        ("gke", "Table V, ECDSA sign, TC224"),
        ("lasan", "pre-quantum, amortised, computation"),
        ("ecqv-cits", "Table I, Sign, A72"),
        (
            "ecqv-cits",
            "ARM11, 100 ms, ellipse of 25 m by 1000 m: Highway rush",
        ),
        (
            "vulcan",
            "Table 2, Sancus+vatiCAN, protected modules (cycles)",
        ),
        ("wave-sec", "Raspberry Pi, P-224, verify"),
    ] {
        let (number, cell) = shown(key, name);
        let formula = cell["formula"].as_f64().unwrap();
        assert!(
            (number / formula - 1.0).abs() < 1e-6,
            "{name}: {number} for {formula}"
        );
    }
    // The run of another key than the papers' simulation has: other stuff bits.
    let name = "scheme without orchestrator, 32 TC297, CAN FD, all, simulated";
    let (number, _) = shown("gke", name);
    assert!((number / 203.994 - 1.0).abs() < 0.005, "{number} ms");
    // Frames of the published code, by the vehicle file of its testbed.
    let (number, cell) = shown("lasan", "Published code, pre-quantum, total (frames)");
    assert!(
        cell["unit"] == "frames" && number == 59.0,
        "{number} {cell}"
    );
    for (name, expected) in [
        ("no such cell", "no cell of gke"),
        ("ECDH share", "8 cells of gke"),
    ] {
        let mut command = waywarden();
        command.args(["papers", "gke", "--show-run", name]);
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2));
        assert!(error.contains(expected), "{error}");
    }
    let mut command = waywarden();
    command.args([
        "papers",
        "gke",
        "--show-run",
        "main scheme, 32 TC297, CAN FD, all",
    ]);
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(text.starts_with("# [GKE] §V-C: main scheme"), "{text}");
    assert!(
        text.contains("waywarden keys run.toml --format json | jq '.groups[0].took_ms * 0.001'")
    );
    assert_eq!(text.matches("[[ecu]]").count(), 33);
}
