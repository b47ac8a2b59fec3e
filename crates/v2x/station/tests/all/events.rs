//! Events that a station tells [EN 302 637-3 §8].

use waywarden_v2x_station::denm::{Action, DenmEvent, DenmEvents, EVENTS_MAX, EventError};
use waywarden_v2x_station::{Motion, VehicleType};
use waywarden_v2x_wire::denm::{Denm, Termination};
use waywarden_v2x_wire::ieee1609dot2::Time64;
use waywarden_v2x_wire::uper::parse;

use crate::drive::{START, place};

const ACTION: Action = Action {
    station_id: 77,
    number: 5,
};

fn at(milliseconds: u64) -> Motion {
    Motion {
        heading_decidegrees: Some(900),
        speed_cm_s: Some(0),
        ..Motion::at(place(10.0, 20.0), Time64(START.0 + milliseconds * 1_000))
    }
}

/// Returns the messages of each tenth of a second, as (time in ms, termination, reference).
fn transmitted(
    events: &mut DenmEvents,
    from: u64,
    until: u64,
) -> Vec<(u64, Option<Termination>, i64)> {
    let mut transmitted = Vec::new();
    for time in (from..until).step_by(100) {
        let now = at(time).time;
        while let Some(one) = events.poll(77, &VehicleType::CAR, now).unwrap() {
            let denm: Denm<'_> = parse(&one.message).unwrap();
            let management = denm.management;
            assert_eq!(management.action_id.originating_station.value(), 77);
            assert_eq!(denm.situation.is_some(), management.termination.is_none());
            assert_eq!(one.area.distance_a_m, 1_000);
            let reference = management.reference_time_ms.value() - (START.0 / 1_000) as i64;
            transmitted.push((time, management.termination, reference));
        }
    }
    transmitted
}

#[test]
fn event_is_repeated_updated_and_taken_back() {
    let mut events = DenmEvents::default();
    let event = DenmEvent {
        validity_s: 10,
        ..DenmEvent::new(94, 2)
    };
    events.trigger(ACTION, event, &at(0), at(0).time).unwrap();
    assert!(events.is_any());
    let first = transmitted(&mut events, 0, 3_000);
    assert_eq!(first, [(0, None, 0), (1_000, None, 0), (2_000, None, 0)]);
    // It has moved: sent at once, under the same number, with a later reference.
    events.update(5, event, &at(3_000), at(3_000).time).unwrap();
    let second = transmitted(&mut events, 3_000, 4_500);
    assert_eq!(second, [(3_000, None, 3_000), (4_000, None, 3_000)]);
    events.cancel(5, at(4_500).time).unwrap();
    let third = transmitted(&mut events, 4_500, 20_000);
    assert_eq!(third[0], (4_500, Some(Termination::Cancellation), 4_500));
    // The cancellation is repeated for as long as the event would have held.
    assert_eq!(third.last().unwrap().0, 12_500);
    assert!(!events.is_any());
    assert_eq!(events.cancel(5, at(20_000).time), Err(EventError::Unknown));
}

#[test]
fn event_without_an_interval_is_reported_once_and_one_of_another_station_is_denied() {
    let mut events = DenmEvents::default();
    let once = DenmEvent {
        interval_ms: None,
        ..DenmEvent::new(99, 0)
    };
    events.trigger(ACTION, once, &at(0), at(0).time).unwrap();
    assert_eq!(transmitted(&mut events, 0, 5_000).len(), 1);
    assert_eq!(events.next(), None);
    let seen = Time64(START.0 - 7_000_000);
    let event = DenmEvent {
        validity_s: 2,
        ..DenmEvent::new(99, 0)
    };
    let now = at(5_000).time;
    events
        .negate(ACTION, event, &at(5_000), (now, seen))
        .unwrap();
    let denied = transmitted(&mut events, 5_000, 9_000);
    let negation = Some(Termination::Negation);
    // The reference is that of the state that is denied.
    assert_eq!(
        denied,
        [(5_000, negation, -7_000), (6_000, negation, -7_000)]
    );
    assert_eq!(events.cancel(5, now), Err(EventError::Unknown));
}

#[test]
fn number_of_events_is_bounded() {
    let mut events = DenmEvents::default();
    for number in 0..EVENTS_MAX as u16 {
        let action = Action { number, ..ACTION };
        let event = DenmEvent::new(94, 0);
        events.trigger(action, event, &at(0), at(0).time).unwrap();
    }
    let more = events.trigger(ACTION, DenmEvent::new(94, 0), &at(0), at(0).time);
    assert_eq!(more, Err(EventError::TooMany));
}
