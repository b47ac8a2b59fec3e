//! The tables of the group key exchange paper: boards, primitives, and whole protocol runs.

use waywarden_work::OperationKind::{Decrypt, Encrypt, Extract, KeyGenerate, Share, Sign, Verify};
use waywarden_work::{Algorithm, Operation};

use super::{assert_paper, assert_table, builtin};

const GKE_BOARDS: &[&str] = &["tc224", "tc277", "tc297", "sam-v71"];

#[test]
fn gke_table_iii_characteristics() {
    let rows = [
        ("tc224", 1, 133, 1 << 10, 96, 96),
        ("tc277", 3, 200, 4 << 10, 472, 384),
        ("tc297", 3, 300, 8 << 10, 728, 768),
        ("sam-v71", 1, 300, 2 << 10, 2 << 10, 256),
    ];
    for (name, cores, mhz, flash_kib, ram_kib, eeprom_kib) in rows {
        let board = builtin(name);
        let is = board.characteristics();
        assert_eq!(is.cores, cores, "{name}");
        assert_eq!(is.clock_hz, mhz * 1_000_000, "{name}");
        assert_eq!(is.flash_bytes, Some(flash_kib * 1024), "{name}");
        assert_eq!(is.ram_bytes, Some(ram_kib * 1024), "{name}");
        assert_eq!(is.eeprom_bytes, Some(eeprom_kib * 1024), "{name}");
        assert_eq!(is.can_fd, Some(true), "{name}");
        assert!(is.architecture.starts_with("32-bit"), "{name}");
        assert_eq!(is.provenance.to_string(), "paper [GKE] Table III");
    }
}

#[test]
fn gke_table_iv_fourq() {
    let rows = [
        ("Share 4.99 4.03 1.92 17.01", Share),
        ("Extract 12.53 8.39 4.79 54.32", Extract),
        ("Gen 5.11 4.12 1.98 17.06", KeyGenerate),
        ("Sign 6.12 4.85 2.36 18.96", Sign),
        ("Verify 17.54 12.45 6.73 70.99", Verify),
    ];
    assert_table(GKE_BOARDS, &rows, Algorithm::FourQ, "GKE", "Table IV");
}

#[test]
fn gke_table_v_p256() {
    let rows = [
        ("Share 25.43 21.46 12.83 11.5", Share),
        ("Extract 60.67 50.75 30.03 27.67", Extract),
        ("Gen 25.43 23.61 14.82 11.33", KeyGenerate),
        ("Sign 29.54 25.9 14.31 13.01", Sign),
        ("Verify 80.01 54.11 30.85 35.53", Verify),
    ];
    assert_table(GKE_BOARDS, &rows, Algorithm::P256, "GKE", "Table V");
}

/// A row of a protocol run: step, then one cell (the bus, one for both) or one a board.
fn assert_run(place: &str, rows: &[(&str, &[f64], &str)], columns: &[(&str, &str)]) {
    for (step, cells, unit) in rows {
        for (at, (name, column)) in columns.iter().enumerate() {
            let board = builtin(name);
            let (value, column) = match cells.len() {
                1 => (cells[0], None),
                _ => (cells[at], Some(*column)),
            };
            let found = board.stated().iter().any(|stated| {
                (stated.key.as_str(), stated.place.as_str()) == ("GKE", place)
                    && stated.item.starts_with(step)
                    && stated.column.as_deref() == column
                    && stated.value == value
                    && stated.unit == *unit
            });
            assert!(found, "{name}: {place} {step} {value} {unit}");
        }
    }
}

#[test]
fn gke_table_vi_protocol_run() {
    let rows: &[(&str, &[f64], &str)] = &[
        ("1.", &[70.55, 70.55], "ms"),
        ("2.", &[16.74, 16.74], "ms"),
        ("3a.", &[258.0], "us"),
        ("3b.", &[258.0], "us"),
        ("4a.", &[54.19, 54.2], "ms"),
        ("4b.", &[18.98, 18.98], "ms"),
        ("4c.", &[28.0, 21.0], "us"),
        ("5a.", &[396.0], "us"),
        ("5b.", &[396.0], "us"),
        ("6a.", &[21.0, 21.0], "us"),
        ("6b.", &[70.95, 70.95], "ms"),
        ("Total", &[232.8, 232.7], "ms"),
    ];
    assert_run(
        "Table VI",
        rows,
        &[("sam-v71", "SAM V71-A"), ("sam-v71", "SAM V71-B")],
    );
}

#[test]
fn gke_table_vii_protocol_run() {
    let rows: &[(&str, &[f64], &str)] = &[
        ("1.", &[6.75, 12.49], "ms"),
        ("2.", &[1.92, 4.06], "ms"),
        ("3a.", &[210.0], "us"),
        ("3b.", &[210.0], "us"),
        ("4a.", &[4.79, 8.38], "ms"),
        ("4b.", &[2.4, 4.95], "ms"),
        ("4c.", &[86.0, 179.0], "us"),
        ("5a.", &[340.0], "us"),
        ("5b.", &[340.0], "us"),
        ("6a.", &[121.0, 240.0], "us"),
        ("6b.", &[6.77, 12.54], "ms"),
        ("Total", &[38.31, 43.99], "ms"),
    ];
    assert_run("Table VII", rows, &[("tc297", "TC297"), ("tc277", "TC277")]);
}

#[test]
fn gke_aes_over_one_signature() {
    let vi = "Table VI, the slower of the two boards";
    let rows = [
        ("tc297", 86, 121, "Table VII"),
        ("tc277", 179, 240, "Table VII"),
        ("sam-v71", 28, 21, vi),
    ];
    for (name, encrypt_us, decrypt_us, place) in rows {
        let board = builtin(name);
        for (kind, us) in [(Encrypt, encrypt_us), (Decrypt, decrypt_us)] {
            let operation = Operation::new(kind, Algorithm::Aes128Ctr, 64);
            assert_paper(&board, operation, us * 1000, "GKE", place);
        }
    }
}
