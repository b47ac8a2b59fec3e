//! Parameter groups of SAE J1939: a message with the null address is that of any source.

use super::{KEY, Log, plan_of_file};
use waywarden_vehicle_file::AuthenticationFile;
use waywarden_vehicle_file::matrix::{ReadOptions, read};

/// Engine speed (PGN 61444) of any source, 0x0CF004FE.
const MATRIX: &str = "VERSION \"\"\nBS_:\nBU_:\nBO_ 2364540158 EEC1: 8 Vector__XXX\n\
                      BA_DEF_ \"ProtocolType\" STRING ;\nBA_DEF_DEF_ \"ProtocolType\" \"\";\n\
                      BA_ \"ProtocolType\" \"J1939\";\n";

fn file(table: &str) -> Result<AuthenticationFile, String> {
    let matrix = read(MATRIX.as_bytes(), ReadOptions::default()).unwrap();
    let text = format!(
        "[[authentication]]\nscheme = \"secoc\"\nprofile = \"autosar-1\"\nfd = true\n{table}\n{KEY}"
    );
    AuthenticationFile::parse("auth.toml", &text, Some(&matrix)).map_err(|error| error.to_string())
}

/// Engine speed of two sources and of another priority, and another group.
fn log() -> Log {
    let ids = ["0CF00400", "0CF00417", "18F00400", "0CF00500"];
    let lines = (0..12).map(|at| {
        let id = ids[at % ids.len()];
        format!("(1.{:06}) can0 {id}#00112233445566{at:02X}\n", 10_000 * at)
    });
    Log::new(&lines.collect::<String>())
}

#[test]
fn message_of_the_null_address_is_protected_from_any_source() {
    let plan = plan_of_file(&file("protect = [\"EEC1\"]").unwrap(), 1, false);
    let protected = log().protected(&plan).unwrap();
    let (_, summary) = protected.checked(&plan);
    let streams: Vec<(&str, u64, u64)> = summary
        .streams
        .iter()
        .filter(|one| one.stream != "none")
        .map(|one| (one.stream.as_str(), one.authentic, one.frames))
        .collect();
    let expected = [
        ("EEC1 (0x0CF00400)", 3, 3),
        ("EEC1 (0x0CF00417)", 3, 3),
        ("EEC1 (0x18F00400)", 3, 3),
    ];
    assert_eq!(streams, expected);
    assert_eq!(summary.refused, 0);
    // A code of one source is none of another.
    let mut forged = protected;
    let other = forged.records[0];
    forged.records[1].entry = other.entry;
    let (_, summary) = forged.checked(&plan);
    assert!(summary.refused > 0);
}

#[test]
fn one_source_may_be_left_out() {
    let table = "protect = [\"EEC1\"]\nexcept = [\"0x0CF00417\"]";
    let plan = plan_of_file(&file(table).unwrap(), 1, false);
    let (_, summary) = log().protected(&plan).unwrap().checked(&plan);
    let streams: Vec<&str> = summary
        .streams
        .iter()
        .map(|one| one.stream.as_str())
        .filter(|name| *name != "none")
        .collect();
    assert_eq!(streams, ["EEC1 (0x0CF00400)", "EEC1 (0x18F00400)"]);
    let all = "protect = \"all\"\nexcept = [\"EEC1\"]";
    let plan = plan_of_file(&file(all).unwrap(), 1, false);
    let (_, summary) = log().protected(&plan).unwrap().checked(&plan);
    let is_of = |name: &str| summary.streams.iter().any(|one| one.stream == name);
    assert!(is_of("0x0CF00500") && !is_of("0x0CF00400") && !is_of("0x0CF00417"));
}

#[test]
fn data_id_of_any_source_is_refused() {
    let table = "protect = [\"EEC1\"]\ndata_ids = [{ stream = \"EEC1\", data_id = 0x1234 }]";
    let error = file(table).expect_err("codes of one source would be those of another");
    let part = "EEC1 stands for its parameter group from any source address";
    assert!(error.contains(part), "{error}");
}
