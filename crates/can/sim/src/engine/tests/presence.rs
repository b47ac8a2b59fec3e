//! Controllers that come and go while the bus is busy: at boot, at a reset, cut off by a fault.

use waywarden_can::bits::{FdVariant, Level, expand, frame_length};
use waywarden_can::node::{Boot, Node, Port};
use waywarden_can::timing::{Picoseconds, duration};
use waywarden_can::{Frame, Id};
use waywarden_ecu::{Ecu, PayloadContent, PeriodicStream, StreamFormat, StreamState};
use waywarden_work::Duration;

use super::recording::Recording;
use super::{bus, classic_500k, ecu, run};
use crate::clock::Time;
use crate::config::{Config, EcuConfig, EcuFault, EcuFaultKind};
use crate::controller::PortConfig;
use crate::interferer::{Babbling, DoubleReceive, Interferer};

const BIT: u64 = 2_000;

/// An ECU that sends one stream of eight zero bytes each 10 ms, or none.
fn station(name: &str, id: Option<u16>, start: u64) -> EcuConfig {
    let streams: Vec<StreamState> = id
        .map(|id| {
            StreamState::new(PeriodicStream {
                port: Port(0),
                id: Id::standard(id).unwrap(),
                format: StreamFormat::Classic,
                length: 8,
                period: Duration::from_millis(10),
                offset: Duration::ZERO,
                jitter: Duration::ZERO,
                content: PayloadContent::Constant([0; 64]),
            })
        })
        .into_iter()
        .collect();
    let build = move |boot: &Boot<'_>| -> Box<dyn Node + Send> {
        Box::new(Ecu::new(boot, streams.clone(), [], [None; 0]))
    };
    let mut config = ecu(name, "ideal", vec![PortConfig::on(0)], build);
    config.start = Time::from_nanos(start);
    config
}

fn fault(kind: EcuFaultKind, from: u64, until: u64) -> EcuFault {
    let [from, until] = [from, until].map(Time::from_nanos);
    EcuFault { kind, from, until }
}

const OPEN: EcuFaultKind = EcuFaultKind::Open { port: 0 };

fn config(ecus: Vec<EcuConfig>) -> Config {
    Config {
        seed: 1,
        buses: vec![bus("can", classic_500k())],
        ecus,
    }
}

fn stream_frame(id: u16) -> Frame {
    Frame::classic(Id::standard(id).unwrap(), &[0; 8]).unwrap()
}

/// Returns the time of the stream's frame, start of frame to end of end of frame.
fn frame_time(id: u16) -> Picoseconds {
    let length = frame_length(&stream_frame(id), FdVariant::Iso);
    duration(&length, &classic_500k())
}

/// Returns the frames of the stream's sender that an ECU has received, and those that were sent.
fn counts(recording: &Recording, sender: usize, receiver: usize) -> (u32, usize) {
    let deliveries = || {
        recording
            .deliveries
            .values()
            .filter(|delivery| delivery.ecu == sender)
    };
    (
        deliveries()
            .filter_map(|delivery| delivery.received.get(&receiver))
            .sum(),
        deliveries().map(|delivery| delivery.sent.len()).sum(),
    )
}

#[test]
fn a_node_that_starts_while_another_tries_hears_it_from_then_on() {
    // Every start within the first frames that no ECU acknowledges, bit by bit.
    for start in (0..400).map(|bit| bit * BIT + 500) {
        let config = config(vec![
            station("a", Some(0x555), 0),
            station("b", None, start),
        ]);
        let recording = run(config, 50_000_000);
        assert_eq!(counts(&recording, 0, 1), (5, 5), "start at {start} ns");
    }
}

#[test]
fn a_node_reset_or_cut_off_while_another_tries_is_back_afterwards() {
    for kind in [EcuFaultKind::Reset, OPEN] {
        for until in (0..60).map(|step| 15_300_000 + step * 7_000) {
            let mut config = config(vec![station("a", Some(0x555), 0), station("b", None, 0)]);
            config.ecus[1].faults = vec![fault(kind, 9_000_000, until)];
            let recording = run(config, 95_000_000);
            assert_eq!(counts(&recording, 0, 1), (10, 10), "{kind:?} to {until} ns");
        }
    }
}

#[test]
fn who_is_reset_and_boots_within_one_episode_takes_part_afterwards() {
    // B resets and boots within the first attempt of a frame that no other ECU acknowledges.
    let mut config = config(vec![station("a", Some(0x555), 0), station("b", None, 0)]);
    config.ecus[1].faults = vec![
        fault(OPEN, 9_000_000, 10_010_000),
        fault(EcuFaultKind::Reset, 10_030_000, 10_050_000),
    ];
    let recording = run(config, 45_000_000);
    assert_eq!(counts(&recording, 0, 1), (5, 5));
}

#[test]
fn a_boot_in_the_middle_of_anything_never_stops_the_clock() {
    for start in (0..30).map(|step| 5_050_000 + step * 10_000) {
        let mut config = config(vec![
            station("a", Some(0x555), 0),
            station("b", Some(0x100), start),
        ]);
        let target = Id::standard(0x100).unwrap();
        let interferer: Box<dyn Interferer> = Box::new(DoubleReceive::new(target, 3));
        config.buses[0].interferers.push(interferer);
        let recording = run(config, 100_000_000);
        assert_eq!(counts(&recording, 0, 1), (10, 10), "start at {start} ns");
        assert_eq!(recording.strikes, 3, "start at {start} ns");
    }
}

#[test]
fn a_bus_that_is_driven_while_no_one_listens_keeps_its_time() {
    // Dominant pulses each 100 us while no ECU is up: an ECU that starts at 1 ms finds no eleven
    // recessive bits until they end.
    let [from, until] = [100_000, 3_000_000].map(Time::from_nanos);
    let (period, width) = (Picoseconds::new(20_000_000), Picoseconds::new(6_000_000));
    let mut config = config(vec![
        station("a", Some(0x555), 1_000_000),
        station("b", None, 1_000_000),
    ]);
    let babbling = Babbling::new(from, until, period, width).unwrap();
    config.buses[0].interferers.push(Box::new(babbling));
    let recording = run(config, 9_000_000);
    let (at, ..) = recording.starts[0];
    assert!(recording.strikes > 140, "{}", recording.strikes);
    // The last pulse begins at 2.98 ms and lasts 6 us.
    assert_eq!(at, Time::from_nanos(2_986_000 + 11 * BIT));
    assert_eq!(counts(&recording, 0, 1), (1, 1));
}

#[test]
fn who_joins_in_the_middle_of_a_frame_does_not_receive_it() {
    let whole = frame_time(0x555).get() / 1_000;
    for start in (1..whole / BIT).map(|bit| bit * BIT) {
        let config = config(vec![
            station("a", Some(0x555), 0),
            station("b", None, 0),
            station("late", None, start),
        ]);
        let recording = run(config, 45_000_000);
        assert_eq!(counts(&recording, 0, 1), (5, 5), "start at {start} ns");
        assert_eq!(counts(&recording, 0, 2), (4, 5), "start at {start} ns");
        assert!(recording.errors.is_empty(), "start at {start} ns");
    }
}

#[test]
fn who_joins_sends_after_eleven_recessive_bits() {
    let whole = frame_time(0x555).get() / 1_000;
    let sent = |start: u64| {
        let config = config(vec![
            station("a", Some(0x555), 0),
            station("b", None, 0),
            station("late", Some(0x100), start),
        ]);
        let recording = run(config, 9_000_000);
        let delivery = recording
            .deliveries
            .values()
            .find(|delivery| delivery.ecu == 2)
            .unwrap();
        delivery.started[0].as_picos() / 1_000
    };
    let free = whole + 3 * BIT;
    // Up to the ACK delimiter the frame's own end is enough, from then on eleven bits are.
    assert_eq!(sent(BIT), free);
    assert_eq!(sent(whole - 8 * BIT), free);
    assert_eq!(sent(whole - 7 * BIT), free + BIT);
    assert_eq!(sent(whole), free + 8 * BIT);
    assert_eq!(sent(free + 500), free + 500 + 11 * BIT);
}

#[test]
fn a_frame_that_starts_before_eleven_bits_have_passed_makes_the_joiner_wait_for_its_end() {
    let free = frame_time(0x555).get() / 1_000 + 3 * BIT;
    let config = config(vec![
        station("a", Some(0x555), 1_000_000),
        station("b", None, 0),
        // Up 10 bits before the first one starts to send, which joins 11 bits after its boot.
        station("late", Some(0x100), 1_000_000 + BIT),
    ]);
    let recording = run(config, 9_000_000);
    let starts: Vec<u64> = recording
        .starts
        .iter()
        .map(|(at, ..)| at.as_picos() / 1_000)
        .collect();
    let first = 1_000_000 + 11 * BIT;
    assert_eq!(starts, [first, first + free]);
    assert_eq!(counts(&recording, 0, 2), (0, 1));
    assert_eq!(counts(&recording, 2, 0), (1, 1));
}

/// A sends at 10 ms to B, and B or A leaves `bits` bits into that frame, for 5 ms.
fn leaving(kind: EcuFaultKind, who: usize, bits: u64, receivers: usize) -> Recording {
    let mut ecus = vec![station("a", Some(0x555), 0)];
    ecus.extend((0..receivers).map(|_| station("b", None, 0)));
    for (at, ecu) in ecus.iter_mut().enumerate() {
        ecu.name = format!("ecu{at}");
    }
    let from = 10_000_000 + bits * BIT + 700;
    ecus[who].faults = vec![fault(kind, from, 15_000_000)];
    run(config(ecus), 29_000_000)
}

#[test]
fn a_frame_whose_only_receiver_leaves_is_not_acknowledged() {
    let bits = frame_time(0x555).get() / 1_000 / BIT;
    let acknowledged = bits - 8;
    for kind in [EcuFaultKind::Reset, OPEN] {
        for left in 1..acknowledged - 1 {
            let recording = leaving(kind, 1, left, 1);
            assert!(recording.errors.iter().all(|&(_, who)| who == 0));
            let (first, _) = recording.errors[0];
            // The sender misses the dominant level at the sample point of the ACK slot.
            let slot = 10_000_000 + (acknowledged - 1) * BIT;
            assert_eq!(
                first,
                Time::from_nanos(slot) + classic_500k().nominal.to_sample(),
                "{kind:?} after {left} bits"
            );
            let second = recording.deliveries.values().nth(1).unwrap();
            assert!(second.sent[0].1 > Time::from_nanos(15_000_000));
            assert_eq!(counts(&recording, 0, 1), (3, 3));
        }
        // Once it has acknowledged, the sender has no way to know.
        let recording = leaving(kind, 1, acknowledged + 1, 1);
        assert!(recording.errors.is_empty());
        assert_eq!(counts(&recording, 0, 1), (2, 3));
    }
}

#[test]
fn a_frame_that_another_node_acknowledges_goes_on_when_others_leave() {
    for bits in [1, 40, 100] {
        let recording = leaving(OPEN, 1, bits, 2);
        assert!(recording.errors.is_empty());
        assert_eq!(counts(&recording, 0, 1), (2, 3));
        assert_eq!(counts(&recording, 0, 2), (3, 3));
    }
}

#[test]
fn a_frame_whose_sender_leaves_ends_in_an_error_and_no_one_has_it() {
    let bits = frame_time(0x555).get() / 1_000 / BIT;
    let wire = expand(&stream_frame(0x555), FdVariant::Iso);
    for kind in [EcuFaultKind::Reset, OPEN] {
        for left in 1..bits - 10 {
            let recording = leaving(kind, 0, left, 2);
            let at = format!("{kind:?} after {left} bits");
            let cut = recording.deliveries.values().nth(1).unwrap();
            // It leaves before the sample point of the bit at hand.
            let driven = &wire.bits()[left as usize..];
            if driven.iter().all(|bit| bit.level == Level::Recessive) {
                // It had nothing dominant left to send: no other ECU notices.
                assert!(recording.errors.is_empty() && cut.received[&1] > 0, "{at}");
                continue;
            }
            let (first, _) = recording.errors[0];
            assert!(recording.errors.iter().any(|&(_, who)| who == 1), "{at}");
            assert!(recording.errors.iter().all(|&(_, who)| who != 0), "{at}");
            // Six recessive bits are a stuff error, wherever they begin; in the last bits of the
            // CRC it is that which is wrong, and that is said after the ACK delimiter.
            let in_time = match left + 6 < bits - 10 {
                true => 10_000_000 + (left + 7) * BIT,
                false => 10_000_000 + (bits - 7) * BIT,
            };
            let left = Time::from_nanos(10_000_000 + left * BIT + 700);
            assert!(first > left && first <= Time::from_nanos(in_time), "{at}");
            // When it was cut off it sends the frame once it is back, when it was reset never.
            let again = u32::from(kind == OPEN);
            assert_eq!(cut.received.get(&1).copied().unwrap_or(0), again, "{at}");
            assert_eq!(cut.sent.len(), again as usize, "{at}");
            assert_eq!(cut.withdrawn.is_some(), kind != OPEN, "{at}");
        }
    }
}

#[test]
fn a_sender_that_leaves_in_the_end_of_its_frame_has_not_sent_it_though_others_have_it() {
    let bits = frame_time(0x555).get() / 1_000 / BIT;
    for left in [bits - 7, bits - 2, bits - 1] {
        let recording = leaving(OPEN, 0, left, 2);
        let cut = recording.deliveries.values().nth(1).unwrap();
        assert!(recording.errors.is_empty());
        // Back on the bus it sends it again: it cannot know that it got through.
        assert_eq!(cut.received.get(&1), Some(&2));
        assert!(cut.sent.len() == 1 && cut.sent[0].1 > Time::from_nanos(15_000_000));
        let recording = leaving(EcuFaultKind::Reset, 0, left, 2);
        let reset = recording.deliveries.values().nth(1).unwrap();
        assert_eq!(reset.received.get(&1), Some(&1));
        assert!(reset.sent.is_empty() && reset.withdrawn.is_some());
    }
}

#[test]
fn of_two_faults_that_overlap_the_longer_one_holds() {
    let mut config = config(vec![
        station("a", Some(0x555), 0),
        station("b", None, 0),
        station("c", None, 0),
    ]);
    config.ecus[1].faults = vec![
        fault(OPEN, 5_000_000, 25_000_000),
        fault(OPEN, 15_000_000, 45_000_000),
    ];
    let recording = run(config, 75_000_000);
    // Of those at 0, 10, ... 70 ms it misses 10 to 40.
    assert_eq!(counts(&recording, 0, 1), (4, 8));
    assert_eq!(counts(&recording, 0, 2), (8, 8));
}

#[test]
fn of_two_clock_faults_that_overlap_the_later_one_holds_and_then_the_other_again() {
    let mut config = config(vec![station("a", Some(0x555), 0), station("b", None, 0)]);
    let drift = |ppb| EcuFaultKind::Drift { ppb };
    config.ecus[0].faults = vec![
        fault(drift(100_000_000), 0, 1_000_000_000),
        fault(drift(-100_000_000), 100_000_000, 200_000_000),
    ];
    let recording = run(config, 1_005_000_000);
    // 10 % fast for 0.9 s, 10 % slow for 0.1 s: 1.08 s have passed for it.
    assert_eq!(counts(&recording, 0, 1).1, 109);
}
