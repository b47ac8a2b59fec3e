//! Dominant levels out of turn: babbling pulses, and a transceiver that is stuck.

use super::*;

#[test]
fn babbling_pulses_come_on_time() {
    let bit = Picoseconds::new(2_000_000);
    let (from, until) = (Time::from_nanos(1_000_000), Time::from_nanos(3_000_000));
    let babbling = Babbling::new(from, until, bit * 500, bit * 7).unwrap();
    // Pulses at 1 ms and 2 ms; the one at 3 ms is not one any more.
    assert_eq!(babbling.wakes(Time::ZERO), Some(from));
    assert_eq!(
        babbling.wakes(Time::from_nanos(1_000_500)),
        Some(Time::from_nanos(1_000_500))
    );
    assert_eq!(
        babbling.wakes(Time::from_nanos(1_014_000)),
        Some(Time::from_nanos(2_000_000))
    );
    assert_eq!(babbling.wakes(Time::from_nanos(2_014_000)), None);
    assert_eq!(
        Babbling::new(from, until, Picoseconds::new(1), bit).err(),
        Some(InterfererError::Pulses)
    );
    assert_eq!(
        Babbling::new(from, until, bit, Picoseconds::ZERO).err(),
        Some(InterfererError::Pulses)
    );

    // On an idle bus seven dominant bits are a start of frame and a stuff error.
    let mut bench = Bench::new(2, babbling);
    bench.now = bench.interferer.wakes(Time::ZERO).unwrap();
    assert!(bench.step().is_some());
    assert!(bench.parties.iter().all(|party| party.counters.rec() > 0));
    // In a frame they are an error too; a frame between pulses is left alone.
    bench.parties[0].transmit = Some(frame(0x123, &[0xAA; 8]));
    assert!(bench.step().is_none());
    bench.now = Time::from_nanos(1_900_000);
    bench.parties[0].transmit = Some(frame(0x123, &[0xAA; 8]));
    assert!(bench.step().is_some());
    assert!(bench.parties[0].transmit.is_some());
}

#[test]
fn a_transceiver_that_is_stuck_dominant_silences_the_bus_and_then_lets_go() {
    let bit = Picoseconds::new(2_000_000);
    let (from, until) = (Time::from_nanos(100_000), Time::from_nanos(1_000_000));
    let mut bench = Bench::new(2, Babbling::new(from, until, bit, bit).unwrap());
    bench.parties[0].transmit = Some(frame(0x123, &[0xAA; 8]));
    let episode = bench.step().unwrap();
    assert!(!episode.cut_off && bench.now > until);
    // The sender had won arbitration when the fault began: it is the transmitter and confines
    // itself; the receivers become passive.
    assert_eq!(bench.parties[0].counters.state(), BusState::Off);
    assert_eq!(bench.parties[1].counters.state(), BusState::Passive);
    assert_eq!(
        bench.count(0, |kind| matches!(kind, MarkKind::Disturbed { .. })),
        1
    );
    bench.idle(128 * 11);
    assert!(bench.step().is_none());
    assert_eq!(bench.received(1), [frame(0x123, &[0xAA; 8])]);
}
