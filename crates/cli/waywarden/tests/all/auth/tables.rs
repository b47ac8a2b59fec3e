//! The tables of a configuration: names, keys, and mistakes with their place.

use serde_json::Value;

use super::{Bench, KEY, drive};
use crate::support::{waywarden, workspace};

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

const CAR: &str = r#"
[vehicle]
name = "data ids"
duration = "1s"

[[bus]]
name = "main"
bitrate = "500k"

[[ecu]]
name = "engine"
ports = ["main"]
sends = [
  { name = "Torque", id = 0x120, length = 4, period = "20ms", receivers = ["brakes"] },
  { name = "Speed", id = 0x122, length = 4, period = "20ms", receivers = ["brakes"] },
]

[[ecu]]
name = "brakes"
ports = ["main"]

[[authentication]]
scheme = "secoc"
profile = "toyota"
master = "brakes"
protect = ["Torque", "Speed"]
"#;

#[test]
fn the_data_ids_of_a_vehicle_are_in_the_codes_of_its_runs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let data_ids = "data_ids = [{ stream = \"Torque\", data_id = 0xFFFF }]\n";
    std::fs::write(path("with.toml"), format!("{CAR}{data_ids}")).unwrap();
    std::fs::write(path("without.toml"), CAR).unwrap();
    let mut run = waywarden();
    run.arg("run").arg(path("with.toml")).arg("--log");
    let output = run.arg(path("run.log")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for (car, torque) in [("with.toml", "wrong_tag"), ("without.toml", "authentic")] {
        let mut check = waywarden();
        check.args(["auth", "check", "--format", "json", "--vehicle"]);
        let output = check.arg(path(car)).arg(path("run.log")).output().unwrap();
        let table: Value = serde_json::from_slice(&output.stdout).expect("a table");
        let rows = table["streams"].as_array().unwrap();
        let row = |name: &str| rows.iter().find(|row| row["stream"] == name).unwrap();
        assert_eq!(row("Torque")[torque], 0, "{car}: {table}");
        assert_eq!(row("Speed")["wrong_tag"], 0, "{car}: {table}");
        assert!(row("Speed")["authentic"].as_u64() > Some(40), "{table}");
    }
}

const CAR_29: &str = r#"
[vehicle]
name = "29 bits"
duration = "2s"

[[bus]]
name = "main"
bitrate = "500k"

[[bus]]
name = "rear"
bitrate = "500k"
data_bitrate = "2M"

[[ecu]]
name = "engine"
ports = ["main"]
sends = [
  { name = "Torque", id = 0x18FF1234, extended = true, length = 4, period = "20ms", receivers = ["brakes", "trailer"] },
  { name = "Speed", id = 0x14FF1234, extended = true, length = 3, period = "20ms", receivers = ["brakes"] },
  { name = "Pedal", id = 0x7FF, length = 4, period = "20ms", receivers = ["brakes"] },
]

[[ecu]]
name = "brakes"
ports = ["main", "rear"]
sends = [{ name = "Lamps", id = 0x0CFF0001, extended = true, length = 20, format = "fd", bus = "rear", period = "50ms", receivers = ["trailer"] }]

[[ecu]]
name = "trailer"
ports = ["rear"]

[[route]]
gateway = "brakes"
from = "main"
to = "rear"
streams = ["Torque"]

[[authentication]]
scheme = "secoc"
profile = "toyota"
master = "brakes"
protect = ["Torque", "Pedal", "Lamps"]
data_ids = [{ stream = "Torque", data_id = 0x1234 }]

[[authentication]]
name = "counter"
scheme = "secoc"
profile = "autosar-1"
protect = ["Speed"]
"#;

#[test]
fn streams_under_29_bit_identifiers_are_authentic_in_runs_and_in_their_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("car.toml"), CAR_29).unwrap();
    let mut run = waywarden();
    run.args(["run", "--format", "json", "--log"]);
    let run = run.arg(path("run.log")).arg(path("car.toml"));
    let output = run.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let log = std::fs::read_to_string(path("run.log")).unwrap();
    assert!(log.contains(" 18FF1234#") && log.contains(" 0CFF0001##"));
    let mut check = waywarden();
    check.args(["auth", "check", "--format", "json", "--vehicle"]);
    let check = check.arg(path("car.toml")).arg(path("run.log"));
    let output = check.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let table: Value = serde_json::from_slice(&output.stdout).expect("a table");
    assert_eq!(table["refused"], 0, "{table}");
    for (channel, stream, least) in [
        ("main", "Torque", 90),
        ("rear", "Torque", 90),
        ("main", "Speed", 90),
        ("main", "Pedal", 90),
        ("rear", "Lamps", 35),
    ] {
        let mut rows = table["streams"].as_array().unwrap().iter();
        let row = rows.find(|row| row["channel"] == channel && row["stream"] == stream);
        let row = row.unwrap_or_else(|| panic!("{stream} on {channel}: {table}"));
        assert!(row["authentic"].as_u64() >= Some(least), "{row}");
    }
    let checks = report["authentication"].as_array().unwrap().iter();
    let checks: Vec<&Value> = checks
        .flat_map(|one| one["checks"].as_array().unwrap())
        .collect();
    assert_eq!(checks.len(), 5, "{checks:?}");
    for check in checks {
        assert_eq!(check["authentic"], check["delivered"], "{check}");
        assert!(check["authentic"].as_u64() >= Some(35), "{check}");
    }
}

/// An attacker that took an ECU over has the keys of both ends, whatever the identifiers are.
#[test]
fn a_compromised_ecu_forges_under_29_bit_identifiers_as_under_11_bit_ones() {
    let more = r#"
[[ecu]]
name = "witness"
ports = ["main"]

[[attacker]]
name = "intruder"
kind = "compromise"
ecus = ["brakes"]
period = "50ms"
from = "500ms"
"#;
    let long = CAR_29.replace("[\"brakes\"", "[\"brakes\", \"witness\"") + more;
    let short = [
        ("0x18FF1234", "0x120"),
        ("0x14FF1234", "0x122"),
        ("0x0CFF0001", "0x124"),
    ];
    let short = short.iter().fold(long.clone(), |car, (long, short)| {
        car.replace(&format!("{long}, extended = true"), short)
    });
    let folder = tempfile::tempdir().unwrap();
    let run = |text: &str| {
        let car = folder.path().join("car.toml");
        std::fs::write(&car, text).unwrap();
        let mut run = waywarden();
        let output = run.args(["run", "--format", "json"]).arg(car).output();
        let report: Value = serde_json::from_slice(&output.unwrap().stdout).expect("a report");
        let checks = report["authentication"].as_array().unwrap().iter();
        let checks = checks.flat_map(|one| one["checks"].as_array().unwrap().clone());
        let figures = |one: &Value| {
            let text = |key: &str| one[key].to_string();
            ["stream", "ecu", "authentic", "forged", "wrong_tag"].map(text)
        };
        checks.map(|one| figures(&one)).collect::<Vec<_>>()
    };
    let found = run(&long);
    assert_eq!(found, run(&short));
    let forged = |stream: &str| {
        let mut rows = found.iter();
        rows.any(|row| row[0] == stream && row[1] == "\"witness\"" && row[3] != "0")
    };
    assert!(forged("\"Torque\"") && forged("\"Speed\""), "{found:?}");
}

/// A table, the place of its mistake and the remedy.
type Mistake = (&'static str, &'static str, &'static str);

const WRONG_TABLES: [Mistake; 14] = [
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
        "scheme = \"secoc\"\nprotect = \"all\"\nmac_bits = 7",
        "auth.toml:4:12: ",
        "8 to 128",
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

#[test]
fn wrong_tables_name_their_place() {
    for (table, place, remedy) in WRONG_TABLES {
        let bench = Bench::new(table);
        bench.refused("check", &drive(), &[], &[place, remedy]);
    }
}

#[test]
fn wrong_and_missing_keys_name_their_place() {
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
