//! Janus frames, which receivers with different sample points read differently.

use super::*;

fn sampling_at(permille: u16) -> Option<BitTiming> {
    let rate = BitRate::constant(500_000);
    let point = SamplePoint::from_permille(permille).unwrap();
    let nominal = waywarden_can::timing::PhaseTiming::new(rate, point);
    Some(BitTiming {
        nominal,
        data: None,
    })
}

/// Two contents that are equally long on the wire.
fn faces() -> (Frame, Frame) {
    let bits = |frame: &Frame| frame_length(frame, FdVariant::Iso).total_bits();
    let early = frame(0x300, &[0x12, 0x34]);
    let late = (0..=255)
        .map(|last| frame(0x300, &[0xAB, last]))
        .find(|late| bits(late) == bits(&early));
    (early, late.unwrap())
}

#[test]
fn a_janus_frame_shows_each_receiver_its_face() {
    let (early, late) = faces();
    let split = SamplePoint::from_permille(650).unwrap();
    let due = Time::from_nanos(50_000);
    let mut bench = Bench::new(3, Janus::new(early, late, split, vec![due]));
    bench.parties[0].timing = sampling_at(500);
    bench.parties[1].timing = sampling_at(800);
    bench.parties[2].timing = sampling_at(875);
    assert_eq!(bench.interferer.wakes(Time::ZERO), Some(due));
    bench.now = due;
    bench.step();
    assert_eq!(bench.interferer.sent(), 1);
    assert_eq!(bench.received(0), [early]);
    assert_eq!([bench.received(1), bench.received(2)], [[late], [late]]);
    assert!(
        bench
            .parties
            .iter()
            .all(|party| party.counters == ErrorCounters::new())
    );
    assert_eq!(bench.interferer.wakes(bench.now), None);
}

#[test]
fn janus_frames_need_two_contents_of_one_length() {
    let timing = BitTiming::classic(BitRate::constant(500_000));
    let begin = |early: Frame, late: Frame| {
        let split = SamplePoint::from_permille(650).unwrap();
        Janus::new(early, late, split, Vec::new()).begin(Surroundings {
            timing: &timing,
            variant: FdVariant::Iso,
            names: &[],
            random: Random::new(0),
        })
    };
    let (early, late) = faces();
    assert_eq!(begin(early, late), Ok(()));
    assert!(matches!(
        begin(early, frame(0x300, &[1, 2, 3])),
        Err(InterfererError::JanusLength { .. })
    ));
    let switching = Frame::fd(id(0x300), &[1]).unwrap();
    assert_eq!(
        begin(switching, switching),
        Err(InterfererError::JanusBitRate)
    );
}
