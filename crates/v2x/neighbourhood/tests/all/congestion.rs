//! Stations that control how often they send by how busy the channel is.

use std::time::Duration;

use waywarden_testkit::Random;
use waywarden_v2x_congestion::Algorithm;
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, run};
use waywarden_v2x_neighbourhood::{
    EthernetFrame, NeighbourhoodEvent, STEP, SenderOrigin, StationMoment,
};
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;

use crate::road::{BEGIN, Plan, laboratory, settings};

const CAM: MessageService = MessageService::CamOverGeoNetworking;

fn station(random: &mut Random, control: Option<Algorithm>) -> PlacedStation {
    let laboratory = laboratory(random, 1);
    let plan = Plan {
        speed: 50.0,
        control,
        ..Plan::new(settings(CAM, ChangeRules::ON_DEMAND), 0.0)
    };
    plan.place(&laboratory, random)
}

/// Lets a station hear so many frames of 1,000 bytes, 1,384 us on the air, in each step; returns
/// how many messages it sent in ten seconds.
fn sent_among(frames: usize, control: Option<Algorithm>) -> usize {
    let mut random = Random::of_test("congestion");
    let PlacedStation {
        mut actor,
        mut position,
    } = station(&mut random, control);
    // Of no station: it is unreadable, and lasts as long as another.
    let frame = EthernetFrame {
        bytes: vec![0; 1_000 - 24].into(),
        origin: SenderOrigin::Honest,
    };
    let mut sent = 0;
    for step in 0..1_000 {
        let elapsed = STEP * step;
        let fix = position.read(elapsed).unwrap();
        let now = StationMoment {
            elapsed,
            time: fix.time,
        };
        for _ in 0..frames {
            actor.receive(&frame, now, &mut |_| {});
        }
        let mut count =
            |event| sent += usize::from(matches!(event, NeighbourhoodEvent::Sent { .. }));
        actor.step(&fix, now, &mut count);
    }
    sent
}

/// 50 m/s make a message due each 100 ms. Four frames in 10 ms are a ratio of 0.55, the state
/// before the last: 250 ms after frames of up to half a millisecond and 500 ms after longer ones,
/// which are those with a certificate. Six are 0.83: a second.
#[test]
fn a_busy_channel_makes_a_station_send_less() {
    for control in [None, Some(Algorithm::Reactive)] {
        let idle = sent_among(0, control);
        assert!((95..=101).contains(&idle), "{control:?}: {idle}");
    }
    assert!(sent_among(6, None) >= 95);
    let reactive = [4, 6].map(|frames| sent_among(frames, Some(Algorithm::Reactive)));
    assert!((20..=42).contains(&reactive[0]), "{reactive:?}");
    assert!((9..=15).contains(&reactive[1]), "{reactive:?}");
    for algorithm in [Algorithm::Adaptive, Algorithm::DualAlpha] {
        let sent = sent_among(7, Some(algorithm));
        assert!(sent < 95, "{algorithm:?}: {sent}");
    }
}

/// A station tells its ratio in its packets. Only who accepts the message goes by it.
#[test]
fn stations_tell_each_other_how_busy_the_channel_is() {
    let mut random = Random::of_test("congestion told");
    let laboratory = laboratory(&mut random, 1);
    let mut places: Vec<PlacedStation> = (0..40)
        .map(|at| {
            let plan = Plan {
                speed: 50.0,
                control: Some(Algorithm::Reactive),
                ..Plan::new(settings(CAM, ChangeRules::ON_DEMAND), f64::from(at) / 10.0)
            };
            plan.place(&laboratory, &mut random)
        })
        .collect();
    let mut fields = Vec::new();
    run(&mut places, Duration::from_secs(4), &mut |event| {
        if let NeighbourhoodEvent::Sent { frame, .. } = &event.event
            && event.now.time.0 > BEGIN.0 + 3_000_000
        {
            fields.push(media_dependent(&frame.bytes));
        }
    });
    assert!(fields.len() > 50, "{}", fields.len());
    // Both ratios are told: the own one, and that of the neighbours.
    assert!(
        fields
            .iter()
            .all(|[own, neighbours, ..]| *own > 0 && *neighbours > 0)
    );
    let channel = places[0].actor.channel().unwrap();
    let mean = channel.mean().unwrap();
    assert!((0.05..0.5).contains(&mean), "{mean}");
}

/// The field of a packet in a frame: the four bytes behind the long position vector, found by the
/// common header's type of a packet to all in range (0x50).
fn media_dependent(frame: &[u8]) -> [u8; 4] {
    let begin = frame
        .windows(2)
        .position(|two| two == [0x20, 0x50])
        .expect("a common header of BTP-B and a single hop");
    let at = begin + 8 + 24;
    frame[at..at + 4].try_into().unwrap()
}
