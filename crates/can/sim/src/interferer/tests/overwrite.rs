//! Frames of error passive senders are overwritten.

use super::*;

#[test]
fn a_passive_sender_cannot_defend_its_frame() {
    let (genuine, forged) = (frame(0x100, &[0xFF, 2]), frame(0x100, &[0x7F, 99]));
    let mut bench = Bench::new(3, ErrorPassiveOverwrite::new(forged, 1));
    bench.parties[0].transmit = Some(genuine);
    // Sixteen errors make the sender passive.
    for errors in 1..=16 {
        bench.step();
        assert_eq!(bench.parties[0].counters.tec(), 8 * errors);
        assert_eq!(bench.interferer.overwritten(), 0);
    }
    // Then the forged frame is what every node receives and acknowledges.
    bench.step();
    assert_eq!(bench.interferer.overwritten(), 1);
    assert_eq!(bench.parties[0].counters.tec(), 136);
    assert_eq!([bench.received(1), bench.received(2)], [[forged], [forged]]);
    assert_eq!(bench.parties[1].counters.rec(), 16 - 1);
    // One was all it wanted; the sender repeats the genuine one.
    while bench.parties[0].transmit.is_some() {
        bench.step();
    }
    assert_eq!(bench.received(1), [forged, genuine]);
}

#[test]
fn a_passive_fd_sender_cannot_defend_its_frame_either() {
    let timing = BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000));
    let genuine = Frame::fd(id(0x100), &[0xFF; 24]).unwrap();
    // ESI is the first difference: the passive sender's is recessive, the forged one dominant. The
    // sender then reads fast bits at the slow rate; these give it no run to take for a pause.
    let data: Vec<u8> = (0..32_u8).map(|at| at.wrapping_mul(37) ^ 0x5A).collect();
    let forged = Frame::fd(id(0x100), &data).unwrap();
    let mut bench = Bench::with_timing(timing, 3, ErrorPassiveOverwrite::new(forged, 1));
    bench.parties[0] = BusParty::sender(genuine).with_counters(ErrorCounters::with(130, 0));
    bench.step();
    assert_eq!(bench.interferer.overwritten(), 1);
    assert_eq!([bench.received(1), bench.received(2)], [[forged], [forged]]);
    assert_eq!(bench.parties[1].counters, ErrorCounters::new());
}

#[test]
fn a_frame_that_differs_by_a_recessive_bit_is_not_overwritten() {
    let (genuine, forged) = (frame(0x100, &[0x00, 2]), frame(0x100, &[0x80, 2]));
    let mut bench = Bench::new(2, ErrorPassiveOverwrite::new(forged, 1));
    bench.parties[0] = BusParty::sender(genuine).with_counters(ErrorCounters::with(200, 0));
    bench.step();
    assert_eq!(bench.interferer.overwritten(), 0);
    assert_eq!(bench.received(1), [genuine]);
    let remote = Frame::remote(id(0x100), 1).unwrap();
    let surroundings = Surroundings {
        timing: &bench.timing,
        variant: FdVariant::Iso,
        names: &[],
        random: Random::new(0),
    };
    let error = ErrorPassiveOverwrite::new(remote, 1).begin(surroundings);
    assert_eq!(error, Err(InterfererError::ForgedRemote { forged: remote }));
}
