//! The figures of the papers on authenticated CAN and on access to streams.

use waywarden_work::OperationKind::Tag;
use waywarden_work::{Algorithm, Operation};

use super::{assert_paper, builtin};

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
