//! Mailboxes that come, send, receive and go.

use waywarden_can::Id;
use waywarden_can::timing::BitRate;

use super::*;
use crate::config::BusConfig;
use crate::random::Random;

fn network() -> LiveNetwork {
    let timing = BitTiming::classic(BitRate::constant(500_000));
    let buses = vec![BusConfig::new("a", timing), BusConfig::new("b", timing)];
    LiveNetwork::new(Config {
        seed: 1,
        buses,
        ecus: Vec::new(),
    })
    .unwrap()
}

fn frame(id: u16, data: &[u8]) -> Frame {
    Frame::classic(Id::standard(id).unwrap(), data).unwrap()
}

fn frames(network: &mut LiveNetwork, id: MailboxId) -> Vec<(u64, Frame)> {
    let mut frames = Vec::new();
    while let Some((at, event)) = network.take(id).unwrap() {
        if let LiveEvent::Received(frame) = event {
            frames.push((at.as_picos(), frame));
        }
    }
    frames
}

#[test]
fn frames_arrive_in_order_of_priority_and_each_bit_counts() {
    let mut network = network();
    let [a, b, c] = [(); 3].map(|()| network.join(BusIndex(0), MailboxConfig::default()).unwrap());
    for id in [0x300, 0x200, 0x100] {
        network.send(a, frame(id, &[])).unwrap();
        network.send(b, frame(id + 1, &[])).unwrap();
    }
    network.run_until(Time::from_nanos(1_000_000)).unwrap();
    let seen: Vec<u32> = frames(&mut network, c)
        .iter()
        .map(|(_, frame)| frame.id().raw())
        .collect();
    assert_eq!(seen, [0x100, 0x101, 0x200, 0x201, 0x300, 0x301]);
    // Five times the other one had a frame as well.
    let statistics = network.statistics(BusIndex(0));
    assert_eq!((statistics.frames, statistics.arbitrations_lost), (6, 5));
    assert_eq!(network.statistics(BusIndex(1)), BusStatistics::default());
}

#[test]
fn a_mailbox_that_joins_late_hears_what_starts_after_eleven_bits() {
    let mut network = network();
    let [a, b] = [(); 2].map(|()| network.join(BusIndex(0), MailboxConfig::default()).unwrap());
    network.run_until(Time::from_nanos(1_000_000)).unwrap();
    let late = network.join(BusIndex(0), MailboxConfig::default()).unwrap();
    assert!(!network.takes_part(late));
    network.send(a, frame(1, &[])).unwrap();
    network.run_until(Time::from_nanos(2_000_000)).unwrap();
    assert!(network.takes_part(late));
    assert_eq!(frames(&mut network, b).len(), 1);
    assert!(frames(&mut network, late).is_empty());
    network.send(a, frame(2, &[])).unwrap();
    network.run_until(Time::from_nanos(3_000_000)).unwrap();
    assert_eq!(frames(&mut network, late).len(), 1);
}

#[test]
fn a_mailbox_that_left_is_refused_and_its_place_serves_another() {
    let mut network = network();
    let [a, b] = [(); 2].map(|()| network.join(BusIndex(0), MailboxConfig::default()).unwrap());
    for _ in 0..1_000 {
        let guest = network.join(BusIndex(0), MailboxConfig::default()).unwrap();
        network.send(guest, frame(7, &[1])).unwrap();
        network.leave(guest);
        network.leave(guest);
        assert_eq!(network.send(guest, frame(7, &[])), Err(LiveError::Left));
        assert_eq!(network.take(guest), Err(LiveError::Left));
    }
    network.send(a, frame(1, &[])).unwrap();
    network.run_until(Time::from_nanos(5_000_000)).unwrap();
    assert!(
        frames(&mut network, b)
            .iter()
            .any(|(_, frame)| frame.id().raw() == 1)
    );
}

#[test]
fn a_mailbox_that_retires_sends_what_it_has_and_is_gone_then() {
    let mut network = network();
    let [a, b] = [(); 2].map(|()| {
        let joined = network.join(BusIndex(0), MailboxConfig::default());
        joined.unwrap()
    });
    for id in 0..100 {
        network.send(a, frame(id, &[])).unwrap();
    }
    network.retire(a);
    network.retire(a);
    assert_eq!(network.send(a, frame(1, &[])), Err(LiveError::Left));
    network.run_until(Time::from_nanos(50_000_000)).unwrap();
    assert_eq!(frames(&mut network, b).len(), 100);
    // Nothing acknowledges any more.
    network.send(b, frame(1, &[])).unwrap();
    network.run_until(Time::from_nanos(60_000_000)).unwrap();
    assert_eq!(network.waiting(b), Ok(1));
    network.retire(b);
    network.run_until(Time::from_nanos(70_000_000)).unwrap();
}

#[test]
fn a_network_refuses_to_run_for_ever() {
    let mut network = network();
    network.join(BusIndex(0), MailboxConfig::default()).unwrap();
    assert_eq!(network.run_until(Time::NEVER), Err(LiveError::TooLong));
    network
        .run_until(LiveNetwork::<NoRemark>::TIME_MAX)
        .unwrap();
    assert!(network.join(BusIndex(0), MailboxConfig::default()).is_ok());
}

#[test]
fn an_outbox_is_bounded_and_an_inbox_drops_the_oldest() {
    let mut network = network();
    let small = MailboxConfig {
        outbox: 2,
        inbox: 1,
        ..MailboxConfig::default()
    };
    let [a, b] = [(); 2].map(|()| network.join(BusIndex(0), small.clone()).unwrap());
    network.send(a, frame(1, &[])).unwrap();
    network.send(a, frame(2, &[])).unwrap();
    let full = network.send(a, frame(3, &[]));
    assert_eq!(full, Err(LiveError::Full { waiting: 2 }));
    network.run_until(Time::from_nanos(1_000_000)).unwrap();
    assert_eq!(network.waiting(a), Ok(0));
    assert_eq!(network.dropped(b), Ok(1));
    assert_eq!(frames(&mut network, b).len(), 1);
}

#[test]
fn a_mailbox_alone_sees_errors_and_becomes_error_passive() {
    let mut network = network();
    let alone = network.join(BusIndex(0), MailboxConfig::default()).unwrap();
    network.send(alone, frame(1, &[])).unwrap();
    network.run_until(Time::from_nanos(20_000_000)).unwrap();
    let (state, tec, _) = network.state(alone).unwrap();
    assert_eq!((state, tec), (BusState::Passive, 128));
    let (_, event) = network.take(alone).unwrap().unwrap();
    assert!(
        matches!(event, LiveEvent::Error { sending: true, .. }),
        "{event:?}"
    );
    // It goes on until another one acknowledges.
    assert_eq!(network.waiting(alone), Ok(1));
    let other = network.join(BusIndex(0), MailboxConfig::default()).unwrap();
    network.run_until(Time::from_nanos(30_000_000)).unwrap();
    assert_eq!(network.waiting(alone), Ok(0));
    assert_eq!(frames(&mut network, other).len(), 1);
}

#[test]
fn an_error_flag_on_an_idle_bus_is_a_stuff_error_for_the_others() {
    let mut network = network();
    let [a, b, c] = [(); 3].map(|()| {
        let config = MailboxConfig {
            hears_itself: true,
            ..MailboxConfig::default()
        };
        network.join(BusIndex(0), config).unwrap()
    });
    network.run_until(Time::from_nanos(1_000_000)).unwrap();
    network.raise_error_flag(a).unwrap();
    network.send(a, frame(1, &[])).unwrap();
    network.run_until(Time::from_nanos(2_000_000)).unwrap();
    // It signals first, so that it counts nine (rules a, b); the others one, and one less after the
    // frame that follows.
    assert_eq!(network.state(a), Ok((BusState::Active, 0, 9)));
    assert_eq!(network.state(b), Ok((BusState::Active, 0, 0)));
    assert_eq!(network.statistics(BusIndex(0)).error_flags, 3);
    let (at, event) = network.take(a).unwrap().unwrap();
    let flag = LiveEvent::ErrorFlag { tec: 0, rec: 1 };
    assert_eq!((at.as_picos(), event), (1_000_000_000, flag));
    for other in [b, c] {
        let (at, event) = network.take(other).unwrap().unwrap();
        // The sample point of the sixth bit, of 2 us, at 87.5 %.
        assert_eq!(at.as_picos(), 1_000_000_000 + 5 * 2_000_000 + 1_750_000);
        let LiveEvent::Error { kind, rec, .. } = event else {
            panic!("{event:?}");
        };
        assert_eq!((kind.name(), rec), ("stuff", 0));
        let heard = frames(&mut network, other);
        // Twelve dominant bits, eight of the delimiter, three of intermission; the frame has 47
        // bits without stuff bits, is accepted one before its end.
        assert_eq!(heard.len(), 1);
        assert!(heard[0].0 > 1_000_000_000 + (12 + 8 + 3 + 43) * 2_000_000);
    }
}

#[test]
fn error_flags_destroy_the_frame_on_the_bus_until_its_sender_is_off() {
    let mut network = network();
    let [a, b, c, d] = [(); 4].map(|()| {
        let joined = network.join(BusIndex(0), MailboxConfig::default());
        joined.unwrap()
    });
    network.send(a, frame(1, &[0xAA; 8])).unwrap();
    for count in 1..=32 {
        // 80 bits: the error frame before, and half of the frame that is sent again.
        let amid = network.now().as_picos() + 160_000_000;
        network.run_until(Time::from_picos(amid)).unwrap();
        // Each signals first and counts nine a flag: one alone would be error-passive before `a`.
        let by = [b, c, d][count as usize % 3];
        network.raise_error_flag(by).unwrap();
        network
            .run_until(Time::from_picos(amid + 10_000_000))
            .unwrap();
        let state = match count {
            ..16 => BusState::Active,
            16..32 => BusState::Passive,
            _ => BusState::Off,
        };
        assert_eq!(network.state(a), Ok((state, 8 * count, 0)));
    }
    assert!(
        [b, c, d]
            .iter()
            .all(|&one| frames(&mut network, one).is_empty())
    );
    assert_eq!(network.raise_error_flag(a), Err(LiveError::NoPart));
    // 128 sequences of 11 recessive bits later it is back.
    network.run_until(Time::from_nanos(20_000_000)).unwrap();
    assert_eq!(network.state(a), Ok((BusState::Active, 0, 0)));
}

#[test]
fn an_error_flag_needs_a_controller_that_takes_part() {
    let mut network = network();
    let a = network.join(BusIndex(0), MailboxConfig::default()).unwrap();
    network.run_until(Time::from_nanos(1_000_000)).unwrap();
    let late = network.join(BusIndex(0), MailboxConfig::default()).unwrap();
    assert_eq!(network.raise_error_flag(late), Err(LiveError::NoPart));
    network.run_until(Time::from_nanos(2_000_000)).unwrap();
    assert_eq!(network.raise_error_flag(late), Ok(()));
    network.leave(late);
    assert_eq!(network.raise_error_flag(late), Err(LiveError::Left));
    // Alone, nothing answers: the flag counts one.
    network.raise_error_flag(a).unwrap();
    network.run_until(Time::from_nanos(3_000_000)).unwrap();
    assert_eq!(network.state(a).unwrap().2, 1);
}

/// Programs that come, send and go at random.
fn history(seed: u64) -> (Vec<String>, Vec<BusStatistics>) {
    let mut random = Random::new(seed).stream("live", 0);
    let mut network = network();
    let (mut members, mut left) = (Vec::new(), Vec::new());
    let mut seen = Vec::new();
    for _ in 0..200 {
        match random.below(10) {
            0 | 1 => {
                let bus = BusIndex(random.below(2) as usize);
                members.push(network.join(bus, MailboxConfig::default()).unwrap());
            }
            2 if !members.is_empty() => {
                let gone = members.swap_remove(random.below(members.len() as u64) as usize);
                match random.below(2) {
                    0 => network.leave(gone),
                    _ => network.retire(gone),
                }
                left.push(gone);
            }
            3 if !members.is_empty() => {
                let from = members[random.below(members.len() as u64) as usize];
                let raised = network.raise_error_flag(from);
                seen.push(format!("{raised:?}"));
            }
            4..=6 if !members.is_empty() => {
                let from = members[random.below(members.len() as u64) as usize];
                let data = vec![random.below(256) as u8; random.below(9) as usize];
                network
                    .send(from, frame(random.below(16) as u16, &data))
                    .unwrap();
            }
            _ => {
                let longest = 1 << random.below(22);
                let pause = random.below(longest);
                let end = Time::from_picos(network.now().as_picos() + pause * 1_000);
                network.run_until(end).unwrap();
            }
        }
        for &member in &members {
            while let Some((at, event)) = network.take(member).unwrap() {
                seen.push(format!("{} {member:?} {event:?}", at.as_picos()));
            }
        }
        assert!(
            left.iter()
                .all(|&gone| network.take(gone) == Err(LiveError::Left))
        );
    }
    let statistics = [0, 1].map(|bus| network.statistics(BusIndex(bus)));
    (seen, statistics.to_vec())
}

#[test]
fn the_same_calls_at_the_same_times_give_the_same_trace() {
    let seeds = waywarden_testkit::seeds(60);
    for seed in 0..seeds {
        println!("seed {seed}");
        assert_eq!(history(seed), history(seed));
    }
}

#[test]
fn a_frame_that_lost_arbitration_is_taken_back() {
    let mut network = network();
    let notified = MailboxConfig {
        hears_arbitration: true,
        ..MailboxConfig::default()
    };
    let a = network.join(BusIndex(0), notified).unwrap();
    let [b, c] = [(); 2].map(|()| network.join(BusIndex(0), MailboxConfig::default()).unwrap());
    network.send(a, frame(0x200, &[])).unwrap();
    network.send(b, frame(0x100, &[])).unwrap();
    network.run_until(Time::ZERO).unwrap();
    assert_eq!(
        network.wire(BusIndex(0)).frame,
        Some(Id::standard(0x100).unwrap())
    );
    let (at, event) = network.take(a).unwrap().unwrap();
    let LiveEvent::ArbitrationLost { frame, token } = event else {
        panic!("{event:?}");
    };
    assert_eq!((at, frame.id().raw()), (Time::ZERO, 0x200));
    assert!(network.withdraw(a, token).unwrap());
    assert!(!network.withdraw(a, token).unwrap());
    assert_eq!(network.waiting(a).unwrap(), 0);
    network.run_until(Time::from_nanos(1_000_000)).unwrap();
    assert_eq!(frames(&mut network, c).len(), 1);
}
