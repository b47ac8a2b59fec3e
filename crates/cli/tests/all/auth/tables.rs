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
