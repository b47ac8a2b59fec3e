//! The bus-off attack.

use super::*;

#[test]
fn the_bus_off_attack_costs_thirty_two_frames_and_recovery_1408_bits() {
    let mut bench = Bench::new(3, BusOffAttack::until_off(id(0x100)));
    bench.parties[0].transmit = Some(frame(0x100, &[1, 2, 3]));
    let mut history = Vec::new();
    while bench.parties[0].counters.state() != BusState::Off {
        assert!(bench.step().is_some());
        history.push(bench.parties[0].counters.tec());
    }
    assert_eq!(
        history,
        (1..=32).map(|frame| 8 * frame).collect::<Vec<u16>>()
    );
    assert_eq!(bench.interferer.frames(), 32);
    assert!(bench.received(1).is_empty());
    // Receivers count 1 a frame; no other party is confined.
    assert_eq!(bench.parties[1].counters, ErrorCounters::with(0, 32));
    // The last episode ended with 11 recessive bits: once.
    assert_eq!(bench.recovery[0].idle_bits_left(), 127 * 11);
    bench.idle(127 * 11 - 1);
    assert_eq!(bench.parties[0].counters.state(), BusState::Off);
    bench.idle(1);
    assert_eq!(bench.parties[0].counters, ErrorCounters::new());
    // The attack is over and the frame goes out.
    assert!(bench.step().is_none());
    assert_eq!(bench.received(1), [frame(0x100, &[1, 2, 3])]);
}

#[test]
fn the_bus_off_attack_leaves_other_frames_alone() {
    let mut bench = Bench::new(2, BusOffAttack::for_ever(id(0x100)));
    bench.parties[0].transmit = Some(frame(0x101, &[1, 2, 3]));
    assert!(bench.step().is_none());
    assert_eq!(bench.received(1).len(), 1);
    // A frame with the target's identifier that loses arbitration is not struck.
    bench.parties[0].transmit = Some(frame(0x100, &[]));
    bench.parties[1].transmit = Some(frame(0x0FF, &[]));
    assert!(bench.step().is_none());
    assert!(bench.step().is_some());
    assert_eq!(bench.parties[0].counters.tec(), 8);
}

#[test]
fn the_bus_off_attack_finds_a_recessive_bit_in_every_frame() {
    for data in [&[][..], &[0; 8], &[0xFF; 8]] {
        for raw in [0x000, 0x7FF, 0x555] {
            let mut bench = Bench::new(2, BusOffAttack::until_off(id(raw)));
            bench.parties[0].transmit = Some(frame(raw, data));
            bench.step();
            assert_eq!(bench.parties[0].counters.tec(), 8, "{raw:X} {data:?}");
        }
    }
}
