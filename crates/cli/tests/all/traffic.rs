//! `waywarden traffic run`: vehicles of a trace on the radio channel.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{json, waywarden};

/// Vehicles one behind the other, 20 m apart, at 20 m/s for so many tenths of a second. The last
/// one leaves half-way.
fn trace(folder: &Path, vehicles: u32, steps: u32) -> PathBuf {
    let mut text = "timestep_time;vehicle_id;vehicle_x;vehicle_y\n".to_owned();
    for step in 0..steps {
        for vehicle in 0..vehicles {
            if vehicle + 1 == vehicles && step >= steps / 2 {
                continue;
            }
            let x = 20 * vehicle + 2 * step;
            let _ = writeln!(text, "{:.1};v{vehicle};{x};0", f64::from(step) / 10.0);
        }
    }
    let path = folder.join("trace.csv");
    fs::write(&path, text).unwrap();
    path
}

fn figures(path: &Path, more: &[&str]) -> Value {
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(path);
    json(command.args(["--format", "json"]).args(more))
}

#[test]
fn vehicles_near_each_other_hear_nearly_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let found = figures(&path, &[]);
    assert_eq!(found["vehiclesAtMost"], 10);
    // Nine of them for ten seconds, one for five, ten messages a second.
    let sent = found["messagesSent"].as_u64().unwrap();
    assert!((940..=950).contains(&sent), "{found}");
    let windows = &found["receivedIn100ms"];
    // A hundred windows of nine vehicles, and fifty of the one that leaves.
    assert_eq!(windows["windows"], 950);
    let mean = windows["mean"].as_f64().unwrap();
    assert!((8.0..=9.0).contains(&mean), "{found}");
    let delivered = found["deliveredByDistance"].as_array().unwrap();
    assert_eq!(delivered.len(), 4);
    assert!(
        delivered
            .iter()
            .all(|one| one["share"].as_f64().unwrap() > 0.95)
    );
    // A tenth of a milliwatt does not reach the end of the queue.
    let weak = figures(&path, &["--power", "0.1"]);
    let share = |figures: &Value, bin: usize| {
        figures["deliveredByDistance"][bin]["share"]
            .as_f64()
            .unwrap()
    };
    assert!(share(&weak, 0) > 0.9 && share(&weak, 3) < 0.01, "{weak}");
}

#[test]
fn same_seed_gives_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 60, 30);
    let run = |seed| figures(&path, &["--seed", seed, "--rate", "20"]);
    assert_eq!(run("3"), run("3"));
    assert_ne!(run("3"), run("4"));
    let output = waywarden()
        .args(["traffic", "run"])
        .arg(&path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("received in 100 ms, 99th percentile"),
        "{text}"
    );
}

#[test]
fn traces_that_make_no_sense_are_refused_with_line_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let head = "timestep_time;vehicle_id;vehicle_x;vehicle_y\n";
    for (text, more, said) in [
        (String::new(), &[][..], "line 1: neither GPX"),
        (
            format!("{head}0;a;1;2\n60;a;1;2\n"),
            &[],
            "line 3: 60 s after",
        ),
        (
            format!("{head}0;a;1;2\n0;b;x;2\n"),
            &[],
            "line 3: vehicle_x=\"x\"",
        ),
        (format!("{head}0;a;5000;2\n"), &["--geo"], "leave out --geo"),
        (
            format!("{head}0;a;1;2\n0;a;1;2\n"),
            &[],
            "line 3: vehicle \"a\" stands twice",
        ),
        (
            format!("{head}0;a;1e9;2\n"),
            &[],
            "at most 100000000 metres",
        ),
        (
            format!("{head}0;a;1;2\n"),
            &["--board", "A53"],
            "built-in board; there are",
        ),
        (
            format!("{head}0;a;1;2\n"),
            &["--board", "a53", "--board", "a53"],
            "--board a53: given twice",
        ),
        (head.to_owned(), &[], "no time step"),
        (format!("{head}0;a;1;2\n"), &["--bytes", "39"], "--bytes"),
        (
            format!("{head}0;a;1;2\n"),
            &["--power", "NaN"],
            "0.001 to 2000",
        ),
    ] {
        let path = folder.path().join("broken.csv");
        fs::write(&path, &text).unwrap();
        let mut command = waywarden();
        let output = command
            .args(["traffic", "run"])
            .arg(&path)
            .args(more)
            .output();
        let output = output.unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}: {errors}");
        assert!(errors.contains(said), "{text}: {errors}");
    }
}

fn share(found: &Value, board: &str, policy: &str) -> f64 {
    let all = found["verifiedInTime"].as_array().unwrap();
    let cell = all
        .iter()
        .find(|one| one["board"] == board && one["policy"] == policy);
    let cell = cell.unwrap_or_else(|| panic!("{board} {policy}: {found}"));
    cell["share"].as_f64().unwrap()
}

#[test]
fn boards_verify_in_time_what_they_can() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let boards = ["--board", "x86-64", "--board", "arm11", "--board", "m4"];
    let policies = ["--policy", "fifo", "--policy", "safety"];
    let found = figures(&path, &[&boards[..], &policies[..]].concat());
    // Some 90 messages a second from within 180 m. The first board verifies 1,449 a second.
    for policy in ["fifo", "safety"] {
        assert!(share(&found, "x86-64", policy) > 0.99, "{found}");
    }
    // 31 a second: in line all come too late, but for the longest latency.
    let (line, planned) = (
        share(&found, "arm11", "fifo"),
        share(&found, "arm11", "safety"),
    );
    assert!(
        line < 0.1 && (0.25..0.45).contains(&planned),
        "{line} {planned}"
    );
    // Three a second, each too late for all but one application.
    assert!(share(&found, "m4", "safety") > share(&found, "m4", "fifo"));
    assert!(share(&found, "m4", "safety") < 0.02, "{found}");
}

#[test]
fn false_messages_cost_fifo_more_than_safety() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 5, 300);
    let board = ["--board", "a53", "--policy", "fifo", "--policy", "safety"];
    let calm = figures(&path, &board);
    assert!(share(&calm, "a53", "fifo") > 0.99, "{calm}");
    for kind in ["new-names", "stolen-names", "valid-signatures"] {
        let attack = ["--attack", kind, "--attack-rate", "400"];
        let found = figures(&path, &[&board[..], &attack[..]].concat());
        let shares = [share(&found, "a53", "fifo"), share(&found, "a53", "safety")];
        assert!(shares[0] < 0.6 && shares[1] > 0.8, "{kind}: {shares:?}");
    }
}

#[test]
fn a_run_that_is_there_is_not_repeated_and_a_damaged_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let out = |seed: &str| folder.path().join(format!("out-{seed}"));
    let run = |seed: &str| {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        let output = command.args(["--seed", seed, "--out"]).arg(out(seed));
        output.assert().success().get_output().clone()
    };
    let printed = run("1").stdout;
    let summary = out("1").join("summary.json");
    let first = fs::read(&summary).unwrap();
    let again = run("1");
    assert!(
        again.stdout == printed,
        "{}",
        String::from_utf8_lossy(&again.stdout)
    );
    let note = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(note.contains("there already"), "{note}");
    fs::write(&summary, "{}").unwrap();
    run("1");
    assert_eq!(fs::read(&summary).unwrap(), first);
    run("2");
    let mut merge = waywarden();
    merge.args(["traffic", "merge", "--format", "json"]);
    let merged = json(merge.arg(out("1")).arg(out("2")));
    let figure = |name: &str| {
        let mut all = merged.as_array().unwrap().iter();
        all.find(|one| one["figure"] == name).unwrap().clone()
    };
    assert_eq!(figure("vehicles")["mean"], 4.0);
    assert_eq!(figure("vehicles")["confidence95"], 0.0);
    assert_eq!(figure("messagesReceived")["runs"], 2);
    assert!(figure("receivedFromAreas/circle:150m true/most")["mean"].is_number());
}

#[test]
fn a_run_with_buildings_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let out = folder.path().join("out");
    let note = |more: &[&str]| {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        let output = command.args(more).arg("--out").arg(&out).assert().success();
        String::from_utf8_lossy(&output.get_output().stderr).contains("there already")
    };
    let buildings = ["--buildings", "examples/traffic/campus/buildings.poly.xml"];
    assert!(!note(&buildings));
    assert!(note(&buildings));
    assert!(!note(&[]));
    assert!(!note(&["--seed", "2"]));
}

#[test]
fn scenarios_that_cannot_be_run_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "../../examples/traffic/roundabout";
    for (arguments, expected) in [
        (vec!["traffic", "run", scenario], "--out DIR"),
        (
            vec!["traffic", "sumo", scenario, "--out", "out"],
            "--level normal or rush",
        ),
        (
            vec![
                "traffic", "sumo", scenario, "--level", "night", "--out", "out",
            ],
            "there are normal, rush",
        ),
        (
            vec![
                "traffic", "sumo", scenario, "--level", "rush", "--out", "out",
            ],
            "pip install eclipse-sumo",
        ),
        (vec!["traffic", "merge", "nowhere"], "summary.json"),
    ] {
        let scenario = fs::canonicalize(scenario).unwrap();
        let arguments = arguments
            .iter()
            .map(|argument| match argument.starts_with("..") {
                true => scenario.clone().into_os_string(),
                false => argument.into(),
            });
        let mut command = waywarden();
        command.args(arguments).current_dir(folder.path());
        command.env("PATH", "").env_remove("SUMO_HOME");
        let output = command.assert().code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn simulated_traffic_stands_beside_the_tables_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let runs = folder.path().join("runs");
    for seed in ["1", "2"] {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        command.args(["--seed", seed, "--out"]);
        command.arg(runs.join(format!("highway-rush-{seed}")));
        command.assert().success();
    }
    // The same with half of the range, of one seed.
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(&path);
    command.args(["--power", "0.1", "--out"]);
    command.arg(runs.join("variants/a-short-range/highway-rush-1"));
    command.assert().success();
    let mut command = waywarden();
    command.args(["papers", "ecqv-cits", "--no-simulation", "--format", "json"]);
    let cells = json(command.arg("--traffic").arg(&runs));
    let cell = |place: &str, name: &str| {
        let mut all = cells.as_array().unwrap().iter();
        let found = all.find(|one| one["place"] == place && one["cell"] == name);
        found.unwrap_or_else(|| panic!("{place} {name}")).clone()
    };
    let most = cell("Table VI, simulated", "100 ms, most: Highway rush");
    assert_eq!(
        (&most["paper"], &most["measured"]),
        (&89.0.into(), &9.0.into())
    );
    let why = most["why"].as_str().unwrap();
    assert!(why.contains("2 seeds +-0; a short range: 0.0"), "{most}");
    let misread = "100 ms, sector of 180 degrees, heading misread: Highway rush";
    // The trace has no headings.
    assert_eq!(cell("Table XIII, simulated", misread)["measured"], 0.0);
    for (paper, place, expected) in [
        ("gke", runs.as_path(), "--traffic is for ecqv-cits"),
        ("ecqv-cits", folder.path(), "no run in it"),
    ] {
        let mut command = waywarden();
        command.args(["papers", paper, "--no-simulation", "--traffic"]);
        let output = command.arg(place).assert().code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn kept_keys_make_room_for_more_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let board = ["--board", "arm11", "--policy", "fifo", "--policy", "safety"];
    let each = figures(&path, &board);
    let kept = ["--key-rebuilding", "first-message"];
    let kept = figures(&path, &[&board[..], &kept[..]].concat());
    for policy in ["fifo", "safety"] {
        let (each, kept) = (share(&each, "arm11", policy), share(&kept, "arm11", policy));
        assert!(kept > each, "{policy}: {each} {kept}");
    }
}

#[test]
fn floating_car_data_are_read_from_parquet_too() {
    let path = Path::new("examples/traffic/grid.parquet");
    let found = figures(path, &["--rate", "5"]);
    // A vehicle a second departs, and all of them hear each other.
    assert_eq!(found["vehicles"], 12);
    let (sent, received) = (&found["messagesSent"], &found["messagesReceived"]);
    assert!(sent.as_u64().unwrap() > 300, "{found}");
    assert!(
        received.as_u64().unwrap() > 5 * sent.as_u64().unwrap(),
        "{found}"
    );
}

/// The rows of a log.
fn rows(path: &Path) -> Vec<csv::StringRecord> {
    let file = fs::File::open(path).unwrap();
    let mut reader = csv::Reader::from_reader(flate2::read::GzDecoder::new(file));
    reader.records().map(Result::unwrap).collect()
}

#[test]
fn a_log_has_each_message_that_the_summary_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 6, 200);
    let out = folder.path().join("out");
    let out_text = out.to_str().unwrap();
    let options = [
        "--board",
        "arm11",
        "--policy",
        "safety",
        "--policy",
        "circle:30m,exclusive",
        "--attack",
        "stolen-names",
        "--messages",
        "csv",
        "--out",
        out_text,
    ];
    let found = figures(&path, &options);
    let received = rows(&out.join("received.csv.gz"));
    let is_false = |row: &&csv::StringRecord| &row[6] == "true";
    let count = |name: &str| found[name].as_u64().unwrap() as usize;
    assert_eq!(
        received.iter().filter(is_false).count(),
        count("falseMessagesReceived")
    );
    assert_eq!(
        received.iter().filter(|row| !is_false(row)).count(),
        count("messagesReceived")
    );
    let decided = rows(&out.join("decided.csv.gz"));
    for cell in found["verifiedInTime"].as_array().unwrap() {
        let policy = cell["policy"].as_str().unwrap();
        let own: Vec<_> = decided.iter().filter(|row| &row[8] == policy).collect();
        // All six verify, so each reception is decided once for each policy.
        assert_eq!(own.len(), received.len(), "{policy}");
        let relevant = own.iter().filter(|row| &row[9] != "0");
        let verdicts = |code: &str| relevant.clone().filter(|row| &row[10] == code).count() as u64;
        assert_eq!(cell["messagesInTime"], verdicts("in-time"), "{policy}");
        assert_eq!(cell["messagesLate"], verdicts("late"), "{policy}");
        assert_eq!(cell["messagesDropped"], verdicts("dropped"), "{policy}");
        assert_eq!(cell["messagesSkipped"], verdicts("skipped"), "{policy}");
        let seconds = |row: &csv::StringRecord, at: usize| row[at].parse::<f64>().unwrap();
        assert!(own.iter().all(|row| seconds(row, 11) >= seconds(row, 0)));
    }
    let windows = fs::read_to_string(out.join("windows.csv")).unwrap();
    let sum: u64 = windows.lines().skip(1).map(|line| column(line, 2)).sum();
    assert_eq!(sum as usize, count("messagesReceived"));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("circle:30m,exclusive") && page.contains("</svg>"));
}

fn column(line: &str, at: usize) -> u64 {
    line.split(',').nth(at).unwrap().parse().unwrap()
}

#[test]
fn channel_switching_and_slow_frames_cost_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 80, 50);
    let received = |more: &[&str]| figures(&path, more)["messagesReceived"].as_u64().unwrap();
    let plain = received(&[]);
    assert!(received(&["--channel-switching"]) < plain);
    assert!(received(&["--data-rate", "3"]) < plain);
    // Faster frames are shorter, but do not reach as far.
    assert!(received(&["--data-rate", "27"]) < plain);
    assert!(received(&["--frames", "subframes"]) < plain);
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(&path);
    command.args([
        "--channel-switching",
        "--frames",
        "subframes",
        "--bytes",
        "2000",
    ]);
    let output = command.args(["--subframe-bytes", "20"]).assert().code(2);
    let error = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(error.contains("100.0 ms, longer than the 46 ms"), "{error}");
}

#[test]
fn shares_do_not_depend_on_where_the_origin_of_a_network_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 20, 40);
    let moved = folder.path().join("moved.csv");
    let text = fs::read_to_string(&path).unwrap();
    let rows = text.lines().enumerate().map(|(at, line)| {
        let mut cells: Vec<String> = line.split(';').map(str::to_owned).collect();
        if at > 0 {
            // As in UTM.
            cells[2] = (690_000.0 + cells[2].parse::<f64>().unwrap()).to_string();
            cells[3] = (4_950_000.0 + cells[3].parse::<f64>().unwrap()).to_string();
        }
        cells.join(";") + "\n"
    });
    fs::write(&moved, rows.collect::<String>()).unwrap();
    let options = [
        "--board",
        "arm11",
        "--policy",
        "circle:150m,exclusive",
        "--policy",
        "safety",
    ];
    let found = figures(&path, &options);
    assert_eq!(
        figures(&moved, &options)["verifiedInTime"],
        found["verifiedInTime"]
    );
    assert!(
        share(&found, "arm11", "circle:150m,exclusive") < 0.9,
        "{found}"
    );
}

#[test]
fn what_a_folder_keeps_is_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let out = folder.path().join("out");
    let run = |path: &Path, more: &[&str]| {
        let mut command = waywarden();
        command
            .args(["traffic", "run"])
            .arg(path)
            .args(more)
            .arg("--out")
            .arg(&out);
        command.output().unwrap()
    };
    let first = run(
        &path,
        &["--messages", "csv", "--board", "a53", "--format", "json"],
    );
    let again = run(
        &path,
        &["--messages", "csv", "--board", "a53", "--format", "json"],
    );
    assert!(first.status.success() && first.stdout == again.stdout);
    assert!(out.join("decided.csv.gz").is_file());
    // Files of a run that is not there any more go with it.
    assert!(run(&path, &["--seed", "2"]).status.success());
    assert!(!out.join("decided.csv.gz").exists() && out.join("windows.csv").is_file());
    let manifest: Value =
        serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["options"]["seed"], 2);
    // A trace in the folder would be overwritten by a file of its name.
    let inside = out.join("windows.csv.gz");
    fs::copy(&path, &inside).unwrap();
    let refused = run(&inside, &[]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && error.contains("keep it elsewhere"),
        "{error}"
    );
    // Another command that writes there is waited for.
    let lock = fs::File::create(out.join("lock")).unwrap();
    lock.lock().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| run(&path, &["--seed", "3"]));
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(!waiting.is_finished());
        lock.unlock().unwrap();
        let output = waiting.join().unwrap();
        let note = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && note.contains("waiting for another"),
            "{note}"
        );
    });
}

#[test]
fn runs_that_do_not_belong_together_are_not_folded() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let run = |name: &str, more: &[&str]| {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path).args(more);
        command
            .arg("--out")
            .arg(folder.path().join(name))
            .assert()
            .success();
    };
    run("a", &[]);
    run("b", &["--seed", "2", "--bytes", "100"]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("empty/summary.json"), "[]").unwrap();
    for (names, expected) in [
        (&["a", "a"][..], "given twice"),
        (&["a", "b"], "its option bytes differs from that of"),
        (&["empty"], "no figure in it"),
    ] {
        let mut command = waywarden();
        command
            .args(["traffic", "merge"])
            .args(names)
            .current_dir(folder.path());
        let output = command.assert().code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
    }
}
