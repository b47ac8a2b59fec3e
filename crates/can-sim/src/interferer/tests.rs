//! Interferers at work on a small bus: parties that retry, recover and wait as controllers do.

use waywarden_can::Id;
use waywarden_can::bits::frame_length;
use waywarden_can::node::BusState;
use waywarden_can::timing::{BitRate, SamplePoint, duration};

use super::*;
use crate::bitwise::{self, Episode, Mark, MarkKind, Party};
use crate::confinement::{Counters, Recovery};

/// A bus with one interferer. Each step is one episode; what a party wants to send it keeps.
struct Bench<I> {
    timing: BitTiming,
    parties: Vec<Party>,
    recovery: Vec<Recovery>,
    interferer: I,
    now: Time,
    marks: Vec<(Time, Mark)>,
    /// Episodes that were not followed bit by bit.
    passed: u32,
}

impl<I: Interferer> Bench<I> {
    fn new(count: usize, interferer: I) -> Self {
        Self::with_timing(
            BitTiming::classic(BitRate::constant(500_000)),
            count,
            interferer,
        )
    }

    fn with_timing(timing: BitTiming, count: usize, mut interferer: I) -> Self {
        let names: Vec<String> = (0..count).map(|at| format!("ecu{at}")).collect();
        let surroundings = Surroundings {
            timing: &timing,
            variant: FdVariant::Iso,
            names: &names,
            random: Random::new(5).stream("interferer", 0),
        };
        interferer.begin(surroundings).unwrap();
        Bench {
            timing,
            parties: vec![Party::receiver(); count],
            recovery: vec![Recovery::new(); count],
            interferer,
            now: Time::ZERO,
            marks: Vec::new(),
            passed: 0,
        }
    }

    fn bit(&self) -> Picoseconds {
        self.timing.nominal.bit()
    }

    /// Lets the bus be idle.
    fn idle(&mut self, bits: u64) {
        self.now = self.now + Picoseconds::new(self.bit().get() * bits);
        for (party, recovery) in self.parties.iter_mut().zip(&mut self.recovery) {
            party.idle(bits);
            if party.counters.state() == BusState::Off && recovery.add_idle_bits(bits) {
                party.counters.recovered();
                *recovery = Recovery::new();
            }
        }
    }

    /// Runs the next episode, as soon as a party may start. Returns it if it was disturbed.
    fn step(&mut self) -> Option<Episode> {
        let off = |party: &Party| party.counters.state() == BusState::Off;
        let waiting = self
            .parties
            .iter()
            .filter(|party| party.transmit.is_some() && !off(party));
        let hold = waiting.map(Party::hold_bits).min().unwrap_or(0);
        self.idle(u64::from(hold));
        let starting = |party: &&Party| party.hold_bits() == 0 && !off(party);
        let frame = self
            .parties
            .iter()
            .filter(starting)
            .filter_map(|party| party.transmit)
            .min_by_key(Frame::arbitration_key);
        let length = frame
            .map(|frame| frame_length(&frame, FdVariant::Iso))
            .unwrap_or_default();
        let onset = Onset {
            at: self.now,
            frame: frame.as_ref(),
            bits: u32::from(length.total_bits()) + 3,
            duration: duration(&length, &self.timing) + self.timing.intermission(),
        };
        let wanted = self.interferer.wants(&onset);
        if !wanted {
            self.interferer.passed(&onset);
            self.passed += 1;
        }
        let interferer = &mut self.interferer;
        let episode = bitwise::run(
            &self.timing,
            FdVariant::Iso,
            &mut self.parties,
            &mut |moment, strikes| {
                if wanted {
                    interferer.strike(moment, strikes);
                }
            },
        );
        self.marks
            .extend(episode.marks.iter().map(|&mark| (self.now + mark.at, mark)));
        self.now = self.now + episode.end;
        for (party, recovery) in self.parties.iter().zip(&mut self.recovery) {
            if off(party) {
                recovery.add_episode(episode.recessive_sequences, episode.recessive_tail_bits);
            }
        }
        wanted.then_some(episode)
    }

    fn count(&self, party: usize, wanted: impl Fn(&MarkKind) -> bool) -> usize {
        self.marks
            .iter()
            .filter(|(_, mark)| mark.party == party && wanted(&mark.kind))
            .count()
    }

    fn received(&self, party: usize) -> Vec<Frame> {
        let frames = self.marks.iter().filter(|(_, mark)| mark.party == party);
        frames
            .filter_map(|(_, mark)| match mark.kind {
                MarkKind::Received(frame) => Some(frame),
                _ => None,
            })
            .collect()
    }
}

fn id(raw: u16) -> Id {
    Id::standard(raw).unwrap()
}

fn frame(raw: u16, data: &[u8]) -> Frame {
    Frame::classic(id(raw), data).unwrap()
}

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
    assert_eq!(bench.parties[1].counters, Counters::with(0, 32));
    // The last episode ended with 11 recessive bits: once.
    assert_eq!(bench.recovery[0].idle_bits_left(), 127 * 11);
    bench.idle(127 * 11 - 1);
    assert_eq!(bench.parties[0].counters.state(), BusState::Off);
    bench.idle(1);
    assert_eq!(bench.parties[0].counters, Counters::new());
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
    // Then the forged frame is what everybody receives and acknowledges.
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
    bench.parties[0] = Party::sender(genuine).with_counters(Counters::with(130, 0));
    bench.step();
    assert_eq!(bench.interferer.overwritten(), 1);
    assert_eq!([bench.received(1), bench.received(2)], [[forged], [forged]]);
    assert_eq!(bench.parties[1].counters, Counters::new());
}

#[test]
fn a_frame_that_differs_by_a_recessive_bit_is_not_overwritten() {
    let (genuine, forged) = (frame(0x100, &[0x00, 2]), frame(0x100, &[0x80, 2]));
    let mut bench = Bench::new(2, ErrorPassiveOverwrite::new(forged, 1));
    bench.parties[0] = Party::sender(genuine).with_counters(Counters::with(200, 0));
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
            .all(|party| party.counters == Counters::new())
    );
    bench.step();
    assert_eq!(bench.received(0), [frame(0x200, &[1])]);
}

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
            party.counters = Counters::new();
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
            party.counters = Counters::new();
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
            .all(|party| party.counters == Counters::new())
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

#[test]
fn all_interferers_are_asked_and_strikes_carry_their_number() {
    let mut several: Vec<Box<dyn Interferer>> = vec![
        Box::new(BusOffAttack::until_off(id(0x001))),
        Box::new(DoubleReceive::new(id(0x100), 1)),
    ];
    let sent = frame(0x100, &[]);
    let onset = Onset {
        at: Time::ZERO,
        frame: Some(&sent),
        bits: 50,
        duration: Picoseconds::new(1),
    };
    assert!(any_wants(&mut several, &onset));
    all_passed(&mut several, &onset);
    let timing = BitTiming::classic(BitRate::constant(500_000));
    let mut parties = [Party::sender(sent), Party::receiver()];
    let episode = bitwise::run(
        &timing,
        FdVariant::Iso,
        &mut parties,
        &mut |moment, strikes| {
            all_strike(&mut several, Time::ZERO, moment, strikes);
        },
    );
    let by = episode.marks.iter().find_map(|mark| match mark.kind {
        MarkKind::Disturbed { by, .. } => Some(by),
        _ => None,
    });
    assert_eq!(by, Some(1));
    let names: Vec<&str> = several.iter().map(|one| one.name()).collect();
    assert_eq!(names, ["bus-off attack", "double receive"]);
}
