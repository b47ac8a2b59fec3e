//! Every figure of the papers' tables stands in the board files and equals the paper.
//!
//! The rows below were typed from the papers, not from the board files.

use waywarden_boards::{Board, Provenance};
use waywarden_work::{Algorithm, Operation, OperationKind};

fn builtin(name: &str) -> Board {
    let text = Board::builtin_text(name).expect("a built-in board");
    Board::parse(name, text).unwrap_or_else(|error| panic!("{error}"))
}

/// Milliseconds as printed, in nanoseconds.
fn printed_ms(text: &str) -> u64 {
    let nanos: f64 = text.parse::<f64>().expect("a number") * 1e6;
    nanos.round() as u64
}

/// Asserts that `board` costs what `key` prints in `place`, and says so.
fn assert_paper(board: &Board, operation: Operation, nanos: u64, key: &str, place: &str) {
    let cost = board
        .cost(&operation)
        .unwrap_or_else(|error| panic!("{error}"));
    let what = format!("{} {operation:?}", board.name());
    assert_eq!(cost.duration.as_nanos(), nanos, "{what}");
    match cost.provenance {
        Provenance::Paper { key: k, place: p } => {
            assert_eq!((k.as_str(), p.as_str()), (key, place), "{what}");
        }
        other => panic!("{what} is {other}"),
    }
}

/// A table with an operation a row and a board a column, in milliseconds.
fn assert_table(
    columns: &[&str],
    rows: &[(&str, OperationKind)],
    algorithm: Algorithm,
    key: &str,
    place: &str,
) {
    let boards: Vec<Board> = columns.iter().map(|name| builtin(name)).collect();
    for (row, kind) in rows {
        let cells: Vec<&str> = row.split_whitespace().skip(1).collect();
        assert_eq!(cells.len(), boards.len(), "{row}");
        for (board, cell) in boards.iter().zip(cells) {
            let operation = Operation::new(*kind, algorithm, 0);
            assert_paper(board, operation, printed_ms(cell), key, place);
        }
    }
}

use OperationKind::{
    CertificateAccept, CertificateIssue, CertificateRequest, Decrypt, Encrypt, Extract,
    KeyGenerate, KeyRebuild, Share, Sign, Tag, Verify,
};

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

#[test]
fn ecqv_cits_table_i() {
    let rows = [
        ("KeyGen 0.32 1.33 2.82 14.67 109.67 147", KeyGenerate),
        ("CsrGen 0.33 1.37 2.79 14.21 109.73 148", CertificateRequest),
        ("CrtGen 0.62 2.85 5.83 30.02 233.45 317", CertificateIssue),
        (
            "CRTReception 0.60 2.79 5.62 29.29 231.47 313",
            CertificateAccept,
        ),
        ("Extract 0.34 1.44 3.03 15.38 120.13 162", KeyRebuild),
        ("Sign 0.32 1.44 3.05 15.38 118.00 161", Sign),
        ("Verify 0.35 1.58 3.36 16.57 133.47 182", Verify),
    ];
    let boards = ["x86-64", "a72", "a53", "arm11", "m4", "m3"];
    assert_table(&boards, &rows, Algorithm::P256, "ECQV-CITS", "Table I");
    let hardware = [
        ("a72", 4, 1500, None),
        ("a53", 4, 1200, None),
        ("arm11", 1, 700, None),
        ("m4", 1, 80, Some((1 << 20, 128 << 10))),
        ("m3", 1, 84, Some((512 << 10, 96 << 10))),
    ];
    for (name, cores, mhz, memory) in hardware {
        let board = builtin(name);
        let is = board.characteristics();
        assert_eq!((is.cores, is.clock_hz), (cores, mhz * 1_000_000), "{name}");
        assert_eq!(is.flash_bytes.zip(is.ram_bytes), memory, "{name}");
    }
}

#[test]
fn wave_sec_table_2() {
    let rows = [
        (
            "wave-laptop",
            Algorithm::P256,
            "2.339",
            411.0,
            "2.8676",
            349.0,
        ),
        (
            "wave-laptop",
            Algorithm::P224,
            "1.8958",
            527.0,
            "2.222",
            450.0,
        ),
        (
            "wave-raspberry-pi",
            Algorithm::P256,
            "11.3833",
            88.0,
            "13.3581",
            75.0,
        ),
        (
            "wave-raspberry-pi",
            Algorithm::P224,
            "8.7552",
            114.0,
            "10.2238",
            98.0,
        ),
    ];
    for (name, algorithm, sign, signs, verify, verifies) in rows {
        let board = builtin(name);
        for (kind, cell) in [(Sign, sign), (Verify, verify)] {
            let operation = Operation::new(kind, algorithm, 0);
            assert_paper(&board, operation, printed_ms(cell), "WAVE-SEC", "Table 2");
        }
        for value in [signs, verifies] {
            let per_second = |stated: &&waywarden_boards::Stated| stated.value == value;
            assert_eq!(
                board.stated().iter().filter(per_second).count(),
                1,
                "{name} {value}"
            );
        }
    }
}

#[test]
fn wave_sec_whole_service() {
    let rows = [
        ("wave-laptop", [3.8504, 4.4157, 223.0, 22.0]),
        ("wave-raspberry-pi", [21.7615, 25.3628, 39.0, 4.0]),
    ];
    for (name, values) in rows {
        let board = builtin(name);
        let has = |value| board.stated().iter().any(|stated| stated.value == value);
        assert!(values.into_iter().all(has), "{name}");
    }
}

#[test]
fn no_other_figure_claims_a_paper() {
    // 2 tables of 5 rows and 4 columns and 6 AES cells; 7 rows and 6 columns; 4 rows of 2; the two
    // points of the MAC unit and the software MAC.
    let tested = 2 * 5 * 4 + 6 + 7 * 6 + 4 * 2 + 3;
    let boards: Vec<Board> = Board::builtin_names().map(builtin).collect();
    let figures = boards.iter().flat_map(Board::figures);
    let claims = figures
        .filter(|(_, _, figure)| matches!(figure.provenance(), Provenance::Paper { .. }))
        .count();
    assert_eq!(claims, tested);
}

#[test]
fn vulcan_mac_unit() {
    let board = builtin("sancus");
    assert_eq!(board.characteristics().clock_hz, 20_000_000);
    let tag = |bytes| Operation::new(Tag, Algorithm::SpongentMac, bytes);
    // 50 ns a cycle: 4,222 cycles for 112 bits, 4,049 for 96.
    assert_paper(&board, tag(14), 4222 * 50, "VULCAN", "MAC Computation");
    assert_paper(&board, tag(12), 4049 * 50, "VULCAN", "MAC Computation");
    let line = board
        .figures_of(Tag, Algorithm::SpongentMac)
        .last()
        .expect("the line");
    assert_eq!(line.bytes(), None);
    for bytes in 0..100u32 {
        let cycles = 3011 + 173 * u64::from((bytes * 8).div_ceil(16));
        assert_eq!(line.amount().count(bytes), cycles);
        assert_eq!(
            board.cost(&tag(bytes)).unwrap().duration.as_nanos(),
            cycles * 50
        );
    }
    assert_eq!(
        (line.amount().count(14), line.amount().count(12)),
        (4222, 4049)
    );

    let own = builtin("vatican-avr");
    let software = Operation::new(Tag, Algorithm::VaticanSoftwareMac, 14);
    assert_eq!(own.characteristics().clock_hz, 16_000_000);
    assert_paper(
        &own,
        software,
        47_600 * 1000 / 16,
        "VULCAN",
        "MAC Computation",
    );
    // On Sancus the same cycles at 20 MHz: what the paper extrapolates with.
    assert_eq!(
        board.cost(&software).unwrap().duration.as_nanos(),
        47_600 * 50
    );
}

#[test]
fn vulcan_stated() {
    let board = builtin("sancus");
    let stated = |place: &str, value: f64, unit: &str| {
        board.stated().iter().any(|stated| {
            (stated.place.as_str(), stated.unit.as_str()) == (place, unit) && stated.value == value
        })
    };
    for (place, value, unit) in [
        ("MAC Computation", 4222.0, "cycles"),
        ("MAC Computation", 0.21, "ms"),
        ("MAC Computation", 4049.0, "cycles"),
        ("MAC Computation", 0.20, "ms"),
        ("MAC Computation", 47600.0, "cycles"),
        ("MAC Computation", 2.95, "ms"),
        ("Table 1", 0.41, "ms"),
        ("Table 1", 18.0, "%"),
        ("Table 1", 534.0, "%"),
        ("Table 1", 5.0, "%"),
        ("Table 1", 6.0, "%"),
        ("Table 2", 1.01, "ms"),
        ("Table 2", 74.0, "%"),
        ("Table 2", 112.0, "%"),
        ("Table 2", 400.0, "%"),
        ("Table 2", 3.0, "%"),
        ("Table 2", 6.0, "%"),
        ("Cryptographic Acceleration", 8.0, "cm"),
        ("Cryptographic Acceleration", 0.6, "cm"),
    ] {
        assert!(stated(place, value, unit), "{place} {value} {unit}");
    }
}

#[test]
fn lasan_totals() {
    let board = builtin("tms570");
    assert_eq!(board.characteristics().clock_hz, 160_000_000);
    let states = ["Communication", "Computation", "Rest"];
    let cells = [
        ("pre-quantum, amortized", [0.011, 0.052, 0.052]),
        ("pre-quantum, non-amortized", [0.021, 0.275, 0.295]),
        ("post-quantum, amortized", [0.4315, 0.066, 0.066]),
        ("post-quantum, non-amortized", [0.7165, 0.231, 0.165]),
        ("pre-quantum", [0.706, 492.0, 179.0]),
        ("post-quantum", [1.676, 20.528, 7.98]),
    ];
    for (column, values) in cells {
        for (state, value) in states.iter().zip(values) {
            let total = board.stated().iter().find(|stated| {
                stated.column.as_deref() == Some(column)
                    && stated.value == value
                    && (!column.contains(',') || stated.item == *state)
            });
            let total = total.unwrap_or_else(|| panic!("{column} {state} {value}"));
            assert_eq!(total.note.as_deref(), Some("a total"));
        }
    }
    let scheme = |item: &str, value: f64| {
        board
            .stated()
            .iter()
            .any(|stated| stated.item == item && stated.value == value)
    };
    for (item, values) in [
        ("ECDH (secp256r1)", &[128.0, 32.0][..]),
        ("ECDSA (secp256r1)", &[128.0, 32.0, 64.0]),
        ("Kyber", &[161.0, 1088.0, 1152.0]),
        ("Dilithium", &[128.0, 1472.0, 2701.0]),
    ] {
        assert!(values.iter().all(|&value| scheme(item, value)), "{item}");
    }
}
