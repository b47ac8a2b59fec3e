//! Bit errors on the bus and at one receiver.

use super::*;

#[test]
fn noise_comes_at_its_rate_and_the_quiet_frames_stay_fast() {
    let rate = 1e-4;
    let mut bench = Bench::new(3, BitErrors::new(rate));
    let (mut bits, mut frames) = (0_u64, 0_u64);
    while frames < 20_000 {
        if bench.parties[0].transmit.is_none() {
            bench.parties[0].transmit = Some(frame(0x123, &frames.to_be_bytes()));
            frames += 1;
        }
        let before = bench.now;
        bench.step();
        bits += bench.now.since(before).get() / bench.bit().get();
        for party in &mut bench.parties {
            party.counters = ErrorCounters::new();
        }
    }
    let struck = bench.count(0, |kind| matches!(kind, MarkKind::Disturbed { .. }))
        + bench.count(1, |kind| matches!(kind, MarkKind::Disturbed { .. }));
    let expected = bits as f64 * rate;
    assert!(
        (struck as f64 / expected - 1.0).abs() < 0.1,
        "{struck} of {expected}"
    );
    assert!(
        f64::from(bench.passed) > 0.98 * 20_000.0,
        "{} passed",
        bench.passed
    );
    // Every frame was received, some of them twice, and none got lost.
    let received = bench.received(2).len();
    assert!((19_999..20_050).contains(&received), "{received}");
}

#[test]
fn receiver_local_errors_meet_one_receiver() {
    let mut bench = Bench::new(3, ReceiverLocal::new("ecu2", 0.01));
    for round in 0..300_u64 {
        bench.parties[0].transmit = Some(frame(0x123, &round.to_be_bytes()));
        bench.step();
        for party in &mut bench.parties {
            party.transmit = None;
            party.counters = ErrorCounters::new();
        }
        bench.idle(20);
    }
    let errors = |bench: &Bench<ReceiverLocal>, party| {
        let first = bench.marks.iter().filter(|(_, mark)| mark.party == party);
        first
            .filter(|(_, mark)| matches!(mark.kind, MarkKind::Error { .. }))
            .count()
    };
    assert!(errors(&bench, 2) > 100);
    let only_one = bench.marks.iter().all(|(_, mark)| match mark.kind {
        MarkKind::Disturbed { only, .. } => only == Some(2),
        _ => true,
    });
    assert!(only_one);
    let names = ["ecu0".to_owned()];
    let surroundings = Surroundings {
        timing: &bench.timing,
        variant: FdVariant::Iso,
        names: &names,
        random: Random::new(0),
    };
    let error = ReceiverLocal::new("brake", 0.1)
        .begin(surroundings)
        .unwrap_err();
    assert_eq!(error.to_string(), "no ECU \"brake\" is on this bus");
}
