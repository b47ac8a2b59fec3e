//! The tables of the V2X papers: implicit certificates, and WAVE security services.

use waywarden_work::OperationKind::{
    CertificateAccept, CertificateIssue, CertificateRequest, KeyGenerate, KeyRebuild, Sign, Verify,
};
use waywarden_work::{Algorithm, Operation};

use super::{assert_paper, assert_table, builtin, printed_ms};

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
