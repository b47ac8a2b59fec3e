//! The rules behind scaled figures, tested against what the papers state: constants are computed
//! again from their inputs, and sums of figures meet the papers' totals.

use waywarden_boards::Board;
use waywarden_work::{Algorithm, Operation, OperationKind};

use Algorithm as A;
use OperationKind as K;

fn ms(board: &str, kind: K, algorithm: A, bytes: u32) -> f64 {
    let board = Board::builtin(board).expect("a built-in board");
    let cost = board
        .cost(&Operation::new(kind, algorithm, bytes))
        .expect("a figure");
    cost.duration.as_nanos() as f64 / 1e6
}

fn assert_near(found: f64, expected: f64, relative: f64, what: &str) {
    let off = (found - expected).abs() / expected;
    assert!(
        off <= relative,
        "{what}: {found} against {expected}, {:.1} % off",
        off * 100.0
    );
}

/// The clock that a board's file names in `as_fast_as`, in MHz.
fn as_fast_as(board: &str) -> f64 {
    let text = Board::builtin_text(board).expect("a built-in board");
    let value = text.split("as_fast_as = \"").nth(1).expect("a scaling");
    value
        .split(' ')
        .next()
        .expect("a number")
        .parse()
        .expect("a number")
}

#[test]
fn scaling_clocks_follow_from_their_inputs() {
    // [ECQV-CITS] Table I, Verify: 133.47 ms on the M4 at 80 MHz.
    let anchored = |verify_ms: f64| 80.0 * 133.47 / verify_ms;
    let (x25519_m4, x25519_msp430, x25519_avr) = (548_873.0, 7_933_296.0, 13_900_397.0);
    for (board, mhz) in [
        ("tc224", 133.0),
        ("tc277", 200.0),
        ("tc297", 300.0),
        ("sam-v71", 300.0),
        ("tms570", 160.0),
        ("tc3xx-hsm", 300.0),
        ("s32k3", 160.0),
        ("rh850-icum", 240.0),
        ("stm32h5", 250.0),
        ("stm32u5", 160.0),
        ("m4", 80.0),
        ("m4f-emulated", 80.0),
        ("m33-emulated", 250.0),
        ("r5f-emulated", 330.0),
        ("m3", anchored(182.0)),
        ("arm11", anchored(16.57)),
        ("a53", anchored(3.36)),
        ("a72", anchored(1.58)),
        ("x86-64", anchored(0.35)),
        ("wave-raspberry-pi", anchored(16.57)),
        ("wave-laptop", anchored(16.57) * 13.3581 / 2.8676),
        ("sancus", 20.0 * x25519_m4 / x25519_msp430),
        ("vatican-avr", 16.0 * x25519_m4 / x25519_avr),
    ] {
        assert_near(as_fast_as(board), mhz, 5e-4, board);
    }
}

#[test]
fn scaling_by_clock_alone_predicts_gke_p256_within_a_fifth() {
    // micro-ecc on a Cortex-M4 (base table) against RELIC on the paper's four boards.
    let m4 = ms("m4", K::Verify, A::P256, 0) * 80.0;
    for (board, mhz, verify_ms) in [
        ("tc224", 133.0, 80.01),
        ("tc277", 200.0, 54.11),
        ("tc297", 300.0, 30.85),
        ("sam-v71", 300.0, 35.53),
    ] {
        assert_near(m4 / mhz, verify_ms, 0.20, board);
    }
}

#[test]
fn gke_two_party_exchange_adds_up() {
    let exchange = |board: &str| {
        2.0 * ms(board, K::Verify, A::FourQ, 0)
            + ms(board, K::Share, A::FourQ, 0)
            + ms(board, K::Extract, A::FourQ, 0)
            + ms(board, K::Sign, A::FourQ, 0)
            + ms(board, K::Encrypt, A::Aes128Ctr, 64)
            + ms(board, K::Decrypt, A::Aes128Ctr, 64)
            + 2.0 * (0.210 + 0.340)
    };
    // §V-C: "around 24 ms" between two TC297, 60.24 ms between two TC224.
    assert_near(exchange("tc297"), 24.0, 0.02, "TC297");
    assert_near(exchange("tc224"), 60.24, 0.001, "TC224");
}

#[test]
fn lasan_totals_are_met() {
    let p256 = |kind| ms("tms570", kind, A::P256, 0);
    // A reading that fits, the paper gives no split: three verifications (two certificates, the
    // start-up message), one share and one secret that do not overlap with the other side's.
    let non_amortized = 3.0 * p256(K::Verify) + p256(K::Share) + p256(K::Extract);
    assert_near(non_amortized, 275.0, 0.02, "pre-quantum computation");
    // The post-quantum signature read from the totals against [PQM4] at this clock.
    let signature_ms = 9_978_000.0 / 160e3;
    assert_near(
        signature_ms,
        ms("tms570", K::Sign, A::DilithiumRound1, 0),
        0.06,
        "Dilithium",
    );
}

#[test]
fn vulcan_sending_adds_up() {
    // A mean 8-byte frame without interframe space: 111.3 bits (11-bit identifier) and 132.1.
    let bus_ms = |bits: f64| bits / 500.0;
    let send = ms("sancus", K::FrameSend, A::CanStandard, 8);
    assert_near(send + bus_ms(111.3), 0.41, 1e-3, "standard frame");
    let extended = ms("sancus", K::FrameSend, A::CanExtended, 8);
    assert_near(
        extended + bus_ms(132.1),
        0.41 * 1.18,
        1e-3,
        "extended frame",
    );

    // Data frame, MAC while it is on the bus, MAC frame, acknowledgement: "slightly less than" two
    // plain frames, and 534 points of a plain frame below the extrapolated software MAC.
    let mac = ms("sancus", K::Tag, A::SpongentMac, 14);
    let message = send + mac + send + bus_ms(111.3);
    assert!((0.78..0.82).contains(&message), "{message}");
    let software = message - mac + ms("sancus", K::Tag, A::VaticanSoftwareMac, 14);
    assert_near(
        (software - message) / 0.41,
        5.34,
        0.01,
        "extrapolated software MAC",
    );

    let receive = ms("sancus", K::FrameReceive, A::CanStandard, 8);
    assert_near(
        2.0 * (send + bus_ms(111.3) + receive),
        1.01,
        1e-3,
        "round trip",
    );
}

#[test]
fn a_guess_is_marked_on_every_board() {
    // No board sells an assumed figure as anything else: brainpool curves and SipHash.
    for name in Board::builtin_names() {
        let board = Board::builtin(name).unwrap();
        for (kind, algorithm) in [(K::Verify, A::BrainpoolP256r1), (K::Tag, A::SipHash)] {
            let cost = board.cost(&Operation::new(kind, algorithm, 16)).unwrap();
            assert_eq!(cost.provenance.mark(), "assumed", "{name} {algorithm}");
        }
    }
}
