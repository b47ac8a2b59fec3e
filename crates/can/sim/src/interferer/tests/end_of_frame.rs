//! Strikes at the end of a frame: double receive, and the freeze doom loop.

use super::*;

#[test]
fn double_receive_does_what_it_says() {
    for frame in [frame(0x100, &[1]), Frame::fd(id(0x100), &[7; 20]).unwrap()] {
        let timing = BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000));
        let mut bench = Bench::with_timing(timing, 3, DoubleReceive::new(id(0x100), 1));
        bench.parties[0].transmit = Some(frame);
        bench.step();
        assert_eq!(
            (
                bench.received(1),
                bench.count(0, |kind| *kind == MarkKind::Sent)
            ),
            (vec![frame], 0)
        );
        bench.step();
        assert_eq!(bench.received(1), [frame, frame]);
        assert_eq!(bench.received(2), [frame, frame]);
        assert_eq!(bench.count(0, |kind| *kind == MarkKind::Sent), 1);
        assert_eq!(bench.parties[0].counters.tec(), 7);
    }
}

#[test]
fn the_freeze_doom_loop_stops_the_bus_without_an_error() {
    let mut bench = Bench::new(3, FreezeDoomLoop::new(id(0x100), 100));
    bench.parties[0].transmit = Some(frame(0x100, &[1]));
    bench.parties[1].transmit = Some(frame(0x200, &[1]));
    let free = duration(
        &frame_length(&frame(0x100, &[1]), FdVariant::Iso),
        &bench.timing,
    ) + bench.timing.intermission();
    bench.step();
    assert_eq!(bench.count(0, |kind| *kind == MarkKind::OverloadFlag), 100);
    // The first costs one bit of intermission, six of flag and eight of delimiter; each later one
    // begins in the last bit of the delimiter before.
    let frozen = 100 * (6 + 8) + 1;
    assert_eq!(bench.now, Time::ZERO + free + bench.bit() * frozen);
    assert!(
        bench
            .parties
            .iter()
            .all(|party| party.counters == ErrorCounters::new())
    );
    bench.step();
    assert_eq!(bench.received(0), [frame(0x200, &[1])]);
}
