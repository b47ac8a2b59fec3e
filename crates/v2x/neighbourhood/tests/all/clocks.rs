//! Stations whose clock is wrong at the start, or whose receiver comes and goes.

use std::time::Duration;

use waywarden_testkit::Random;
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, run};
use waywarden_v2x_neighbourhood::{NeighbourhoodEvent, PositionAndTime, StationFix};
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::road::{BEGIN, Plan, laboratory, on_ring, settings};

/// A receiver that gives a reason against its time at each moment, and says how much its time
/// differs from that at which the station began, in microseconds.
struct Receiver {
    against: fn(Duration) -> Option<&'static str>,
    difference: i64,
}

impl PositionAndTime for Receiver {
    fn read(&mut self, elapsed: Duration) -> Option<StationFix> {
        let distrust = (self.against)(elapsed).map(str::to_owned);
        let difference = match distrust {
            Some(_) => 0,
            None => self.difference,
        };
        let now = BEGIN.0 + elapsed.as_micros() as u64;
        let time = Time64(now.saturating_add_signed(difference));
        Some(StationFix {
            time,
            motion: distrust
                .is_none()
                .then(|| on_ring(0.0, 20.0, elapsed, time)),
            distrust,
            stale_position: None,
        })
    }
}

/// Runs one station for some seconds. Returns the times of its messages, and its reports.
fn reports(
    receiver: Receiver,
    service: MessageService,
    seconds: u64,
) -> (Vec<Duration>, Vec<String>) {
    let mut random = Random::new(3);
    let laboratory = laboratory(&mut random, 1);
    let plan = Plan::new(settings(service, ChangeRules::ON_DEMAND), 0.0);
    let mut places = [PlacedStation {
        position: Box::new(receiver),
        ..plan.place(&laboratory, &mut random)
    }];
    let (mut sent, mut reports) = (Vec::new(), Vec::new());
    run(
        &mut places,
        Duration::from_secs(seconds),
        &mut |happened| match happened.event {
            NeighbourhoodEvent::Sent { .. } => sent.push(happened.now.elapsed),
            NeighbourhoodEvent::Impaired(cause) => reports.push(format!("impaired: {cause}")),
            NeighbourhoodEvent::Recovered(cause) => reports.push(format!("over: {cause}")),
            other => panic!("{other:?}"),
        },
    );
    (sent, reports)
}

#[test]
fn station_that_began_by_a_clock_that_was_ahead_sends_by_the_first_trusted_time() {
    let against = |elapsed| (elapsed < Duration::from_secs(1)).then_some("no fix");
    for service in [
        MessageService::CamOverGeoNetworking,
        MessageService::BsmOverWsmp,
    ] {
        for difference in [-3_600_000_000, -37_000_000, 0, 18_000_000] {
            let receiver = Receiver {
                against,
                difference,
            };
            let (sent, reports) = reports(receiver, service, 3);
            let [first, ..] = sent[..] else {
                panic!("{difference}: nothing was sent");
            };
            let expected = Duration::from_secs(1)..Duration::from_millis(2_100);
            assert!(expected.contains(&first), "{difference}: {first:?}");
            assert_eq!(reports.len(), 2, "{reports:?}");
        }
    }
}

#[test]
fn reasons_that_come_and_go_are_reported_once_each() {
    let against = |elapsed: Duration| match elapsed.as_millis() / 500 {
        10.. => None,
        half_second if half_second % 2 == 0 => Some("gpsd is not connected"),
        _ => Some("there is no fix"),
    };
    let receiver = Receiver {
        against,
        difference: 0,
    };
    let (_, reports) = reports(receiver, MessageService::CamOverGeoNetworking, 6);
    assert_eq!(
        reports,
        [
            "impaired: the time is not trusted: gpsd is not connected",
            "impaired: the time is not trusted: there is no fix",
            "over: the time is not trusted: there is no fix",
        ]
    );
}
