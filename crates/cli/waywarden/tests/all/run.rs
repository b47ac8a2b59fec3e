//! `waywarden run`: verdicts, traces, bad input.

use std::fs;

use crate::support::{json, waywarden};

/// A car with chance in it: random data and jitter.
const CAR: &str = "\
[vehicle]
name = \"small\"
duration = \"1s\"

[[bus]]
name = \"can\"
bitrate = \"500k\"

[[ecu]]
name = \"engine\"
board = \"tc277\"
ports = [\"can\"]

[[ecu]]
name = \"cluster\"
ports = [\"can\"]

[[stream]]
name = \"Speed\"
id = 0x280
sender = \"engine\"
receivers = [\"cluster\"]
length = 8
period = \"10ms\"
jitter = \"2ms\"
data = \"random\"
";

#[test]
fn the_same_file_and_seed_give_the_same_trace_byte_by_byte() {
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("car.toml");
    fs::write(&car, CAR).unwrap();
    let trace = |name: &str, seed: &str| {
        let path = folder.path().join(name);
        let mut run = waywarden();
        run.arg("run")
            .arg(&car)
            .args(["--seed", seed, "--trace"])
            .arg(&path);
        run.assert().success();
        fs::read(path).unwrap()
    };
    let first = trace("a.jsonl", "7");
    assert!(first.len() > 10_000);
    assert!(first == trace("b.jsonl", "7"), "two runs differ");
    assert!(
        first != trace("c.jsonl", "8"),
        "the seed makes no difference"
    );
    for line in String::from_utf8(first).unwrap().lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(
            event["t"].is_number() && event["event"].is_string(),
            "{line}"
        );
    }
}

#[test]
fn a_missed_requirement_names_ecu_bus_and_cause_and_exits_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("car.toml");
    fs::write(&car, format!("{CAR}\n[require.latency]\nSpeed = \"1us\"\n")).unwrap();
    let output = waywarden().arg("run").arg(&car).output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{table}");
    assert!(table.contains("MISSED latency Speed"), "{table}");
    assert!(
        table.contains("Speed from engine at cluster: was on the wire of can"),
        "{table}"
    );
}

/// A stream of 1 ms on a bus where a frame takes 24 ms, behind a queue for one.
#[test]
fn an_instance_that_never_leaves_is_counted_and_breaks_its_requirement() {
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("car.toml");
    let text = CAR
        .replace("500k", "5k")
        .replace(
            "ports = [\"can\"]",
            "ports = [\"can\"]\nqueue = { length = 1 }",
        )
        .replace("10ms", "1ms")
        .replace("2ms", "0ms");
    let required = "deadline = \"100ms\"\n[require.latency]\nSpeed = \"deadline\"\n";
    fs::write(&car, text + required).unwrap();
    let page = folder.path().join("page.html");
    let mut command = waywarden();
    command.arg("run").arg(&car).arg("--html").arg(&page);
    let output = command.output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{table}");
    assert!(table.contains("did not arrive"), "{table}");
    assert!(
        table.contains("the transmit queue of engine on can was full"),
        "{table}"
    );
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("skipped") && page.contains("did not arrive"));
    let report = json(command.args(["--format", "json"]));
    let speed = &report["streams"][0];
    let number = |key: &str| speed[key].as_u64().unwrap();
    // Every instance of the second is one or the other, but for those at its very end.
    let instances = number("requested") + number("skipped");
    assert!((999..=1_001).contains(&instances), "{speed}");
    assert!(number("skipped") > 900, "{speed}");
    let trace = command.args(["--trace", "-"]).output().unwrap().stdout;
    let trace = String::from_utf8(trace).unwrap();
    let reported = |line: &&str| line.contains(r#""event":"noted""#) && line.contains("skipped");
    assert_eq!(
        trace.lines().filter(reported).count() as u64,
        number("skipped")
    );
    // What waits in the ECU's software is late too: the frames that left one behind the other
    // waited for the one before.
    let latencies = |release: &str| speed[release].as_f64().unwrap();
    assert!(latencies("worst_ms") > 24.0 && latencies("worst_ms") < 60.0);
}

#[test]
fn every_mistake_in_a_vehicle_file_is_named_with_its_line_and_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("car.toml");
    let text = "\
[vehicle]
name = \"wrong\"
duration = \"1s\"

[[bus]]
name = \"can\"
bitrte = \"500k\"

[[ecu]]
name = \"a\"
address = 3
ports = [\"can\"]

[[ecu]]
name = \"b\"
address = 3
ports = [\"can\"]

[[stream]]
name = \"s\"
id = 0x800
period = \"10ms\"
length = 8
sender = \"a\"
receivers = [\"b\"]
";
    fs::write(&car, text).unwrap();
    let trace = folder.path().join("trace.jsonl");
    let output = waywarden()
        .arg("run")
        .arg(&car)
        .arg("--trace")
        .arg(&trace)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.contains("car.toml:7:") && errors.contains("bitrate"),
        "{errors}"
    );
    assert!(
        errors.contains("car.toml:16:"),
        "two ECUs with one address: {errors}"
    );
    assert!(
        errors.contains("car.toml:21:") && errors.contains("0x7FF"),
        "{errors}"
    );
    assert!(!trace.exists(), "a trace was begun");
}

#[test]
fn a_run_can_be_kept_as_a_log_in_each_format() {
    let folder = tempfile::tempdir().unwrap();
    for ending in ["log", "asc", "pcapng"] {
        let log = folder.path().join(format!("run.{ending}"));
        let mut run = waywarden();
        run.args([
            "run",
            "examples/minimal.toml",
            "--duration",
            "500ms",
            "--log",
        ])
        .arg(&log);
        run.assert().success();
        assert!(fs::metadata(&log).unwrap().len() > 100, "{ending}");
    }
    let mut load = waywarden();
    load.args(["bus", "load", "--bitrate", "500k", "--format", "json"]);
    let load = json(load.arg(folder.path().join("run.log")));
    assert!(load["frames"].as_u64().unwrap() > 5);
}

#[test]
fn attackers_keep_their_windows() {
    let mut command = waywarden();
    command.args(["run", "examples/compact-car-attack.toml"]);
    let report = json(command.args(["--format", "json"]));
    let trace = command.args(["--trace", "-"]).output().unwrap().stdout;
    let trace = String::from_utf8(trace).unwrap();
    let senders = report["attacks"].as_array().unwrap().iter();
    let senders = senders.filter(|attack| attack["action"] == "frame-sent");
    let mut checked = 0;
    for attack in senders {
        let (name, ms) = (attack["name"].as_str().unwrap(), |key: &str| {
            attack[key].as_f64().unwrap()
        });
        let named = format!("\"ecu\":\"{name}\"");
        let of_it = trace.lines().filter(|line| line.contains(&named));
        let started: Vec<f64> = of_it
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .filter(|event| event["event"] == "started")
            .map(|event| event["t"].as_f64().unwrap() * 1e-6)
            .collect();
        assert!(started.len() as u64 >= attack["actions"].as_u64().unwrap());
        assert!(attack["actions"].as_u64() >= Some(10), "{attack}");
        for at in started {
            assert!(
                ms("from_ms") <= at && at < ms("until_ms"),
                "{name}: {at} ms"
            );
        }
        checked += 1;
    }
    assert_eq!(checked, 3);
}

/// The second example: post-quantum keys, a spoofer and a replayer that no ECU believes, a camera
/// that is replaced, a unit that is retired.
#[test]
fn the_van_meets_its_requirements_under_attack() {
    let mut command = waywarden();
    let command = command.args(["run", "examples/electric-van.toml", "--format", "json"]);
    let report = json(command);
    command.assert().success();
    let requirements = report["requirements"].as_array().unwrap();
    assert!(requirements.len() > 40);
    let network = &report["security_modules"][0];
    assert_eq!(network["profile"], "compact");
    assert!(network["authorized_ms"].as_f64().unwrap() < 2_000.0);
    let sent = |name: &str| {
        let mut attacks = report["attacks"].as_array().unwrap().iter();
        let attack = attacks.find(|attack| attack["name"] == name).unwrap();
        attack["actions"].as_u64().unwrap()
    };
    let streams = network["streams"].as_array().unwrap();
    assert_eq!(streams.len(), 12);
    let at = |stream: &str, ecu: &str| {
        let stream = streams.iter().find(|row| row["stream"] == stream).unwrap();
        let mut receivers = stream["receivers"].as_array().unwrap().iter();
        let row = receivers.find(|row| row["ecu"] == ecu).unwrap().clone();
        ["authentic", "wrong_tag", "replay", "unknown_key"].map(|key| row[key].as_u64().unwrap())
    };
    // Whatever they sent was refused, by each receiver that got it; what the sender sent was
    // believed.
    let [authentic, wrong_tag, replayed, unknown] = at("TorqueRequest", "inverter");
    assert_eq!(wrong_tag + replayed + unknown, sent("torque-liar"));
    assert!(authentic > 700);
    for ecu in ["motor", "inverter"] {
        let [authentic, wrong_tag, replayed, unknown] = at("BrakeDemand", ecu);
        assert_eq!((wrong_tag, replayed, unknown), (0, sent("brake-parrot"), 0));
        assert!(authentic > 700);
    }
    assert!(at("Unlock", "doors")[0] <= 30 && at("Unlock", "doors")[0] > 20);
    let ecus = network["ecus"].as_array().unwrap();
    let ecu = |name: &str| ecus.iter().find(|row| row["ecu"] == name).unwrap();
    assert_eq!(
        (&ecu("camera")["sessions"], &ecu("telematics")["retired"]),
        (&2.into(), &true.into())
    );
}

#[test]
fn a_janus_frame_whose_faces_differ_in_length_is_refused_and_one_that_fits_counts_frames() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("car.toml");
    let car = CAR
        .replace("\"random\"", "\"00 00 00 00 00 00 00 F0\"")
        .replace("jitter = \"2ms\"", "");
    let janus = "[[ecu]]\nname = \"other\"\nports = [\"can\"]\n\
                 [[interferer]]\nkind = \"janus\"\nstream = \"Speed\"\nreceivers = [\"cluster\"]\n";
    let mut command = waywarden();
    command.args(["run", "--format", "json"]).arg(&file);
    let uneven = "data = \"00 00 00 00 00 00 00 FF\"\n";
    fs::write(&file, [&car, janus, uneven].concat()).unwrap();
    let output = command.output().unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(
        complaint.contains("car.toml:30:") && complaint.contains("as many stuff bits"),
        "{complaint}"
    );
    // Of the last bytes with the same number of stuff bits, any will do.
    let fits = (0..=255_u8).filter(|last| *last != 0xF0).find_map(|last| {
        let data = format!("data = \"00 00 00 00 00 00 00 {last:02X}\"\n");
        fs::write(&file, [&car, janus, &data].concat()).unwrap();
        let output = command.output().unwrap();
        (output.status.code() == Some(0)).then_some(output.stdout)
    });
    let report: serde_json::Value = serde_json::from_slice(&fits.unwrap()).unwrap();
    assert_eq!(
        report["attacks"][0]["actions"],
        report["buses"][0]["frames"]
    );
}

#[test]
fn run_in_which_an_attacker_never_acts_is_warned_of_and_fails() {
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("car.toml");
    let attacker = "[require.latency]\nSpeed = \"100ms\"\n[[attacker]]\nname = \"dongle\"\n\
                    kind = \"spoof\"\nstream = \"Speed\"\nfrom = \"5s\"\n";
    for (optional, code) in [("", 1), ("optional = true\n", 0)] {
        fs::write(&car, format!("{CAR}{attacker}{optional}")).unwrap();
        let output = waywarden().arg("run").arg(&car).output().unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        let warnings = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{table}{warnings}");
        assert!(table.contains("never ran"), "{table}");
        let is_warned = warnings.contains("attack dongle never ran: its window begins at 5");
        assert_eq!(is_warned, code == 1, "{warnings}");
        let met = format!("{} of {} met", 1, 1 + code);
        assert!(table.contains(&met), "{table}");
    }
}
