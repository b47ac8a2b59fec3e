//! `waywarden bench board` as a user calls it: the file that it writes is a board, and vehicle
//! files can name it; no times.

use std::fs;

use waywarden_boards::{Board, Provenance};
use waywarden_work::{Algorithm, Operation, OperationKind};

use crate::support::{json, waywarden};

/// Two ECUs on the board that agree on a key with P-256 and protect a message.
const CAR: &str = r#"
[vehicle]
name = "measured"
duration = "1s"

[[bus]]
name = "main"
bitrate = "500k"
data_bitrate = "2M"

[[ecu]]
name = "engine"
ports = ["main"]
board = "./host.toml"

[[ecu]]
name = "cluster"
ports = ["main"]
board = "./host.toml"

[[stream]]
name = "EngineSpeed"
id = 0x280
sender = "engine"
receivers = ["cluster"]
length = 8
period = "10ms"

[[keys]]
orchestrator = "engine"
suite = "p256"
"#;

#[test]
fn a_measured_machine_is_a_board_that_a_vehicle_file_can_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("host.toml");
    let output = waywarden()
        .args(["bench", "board", "--quick", "-o"])
        .arg(&path)
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.contains("certificate-accept"), "{shown}");
    assert!(shown.contains("board = \"./host.toml\""), "{shown}");

    let text = fs::read_to_string(&path).unwrap();
    let board = Board::parse("host.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let cost = |kind, algorithm| {
        let operation = Operation::new(kind, algorithm, 64);
        let cost = board
            .cost(&operation)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(cost.duration.as_nanos() > 0, "{kind}");
        cost.provenance.clone()
    };
    let measured = [
        (OperationKind::KeyGenerate, Algorithm::P256),
        (OperationKind::CertificateRequest, Algorithm::P256),
        (OperationKind::CertificateIssue, Algorithm::P256),
        (OperationKind::CertificateAccept, Algorithm::P256),
        (OperationKind::KeyRebuild, Algorithm::P256),
        (OperationKind::Sign, Algorithm::P256),
        (OperationKind::Verify, Algorithm::P256),
        (OperationKind::Share, Algorithm::P256),
        (OperationKind::Extract, Algorithm::P256),
        (OperationKind::Hash, Algorithm::Sha256),
        (OperationKind::Tag, Algorithm::HmacSha256),
        (OperationKind::Tag, Algorithm::Aes128Cmac),
        (OperationKind::Encrypt, Algorithm::Aes128Ccm),
        (OperationKind::Decrypt, Algorithm::Aes128Ccm),
    ];
    for (kind, algorithm) in measured {
        let Provenance::Measured { how, .. } = cost(kind, algorithm) else {
            panic!("{kind} {algorithm}: {}", cost(kind, algorithm));
        };
        assert!(how.contains("median of "), "{how}");
    }
    let scaled = cost(OperationKind::Verify, Algorithm::MlDsa44);
    assert!(matches!(scaled, Provenance::Scaled { .. }), "{scaled}");
    let items: Vec<&str> = board.stated().iter().map(|one| one.item.as_str()).collect();
    assert_eq!(items.len(), 9, "{items:?}");
    for path in [
        "explicit key",
        "known sender",
        "known issuer",
        "in one vector",
    ] {
        assert!(items.iter().any(|item| item.contains(path)), "{path}");
    }

    let car = folder.path().join("car.toml");
    fs::write(&car, CAR).unwrap();
    let report = json(waywarden().args(["run", "--format", "json"]).arg(&car)).to_string();
    assert!(report.contains("measured on"), "{report}");
    assert!(report.contains("median of"), "{report}");
}

#[test]
fn a_place_for_the_board_is_required_and_checked_before_the_measurement() {
    let output = waywarden().args(["bench", "board"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let place = "no/such/folder/host.toml";
    let output = waywarden()
        .args(["bench", "board", "--quick", "-o", place])
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(shown.contains(place), "{shown}");
}
