//! Messages over ports that are dead, slow, or take frames back.

use std::vec::Vec;

use super::*;

const BOTH: Ports = Ports::NONE.with(Port(0)).with(Port(3));
const ROUTE: TransmissionRoute = TransmissionRoute {
    ports: BOTH,
    patience: Duration::from_millis(10),
};

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// Hands over all frames that may leave, and returns which frame went where under which token.
fn leave(way: &mut Transmission, now: u64, frames: usize, room: Ports) -> Vec<(usize, u8, u32)> {
    let mut left = Vec::new();
    while let Some(next) = way.next(at(now), frames, (&ROUTE, room), |_| false) {
        left.push((next.frame, next.port.0, next.token.0));
    }
    left
}

fn sent(way: &mut Transmission, now: u64, port: u8, token: u32, frames: usize) -> Option<bool> {
    way.answered(at(now), (Port(port), Token(token), true), frames, &ROUTE)
}

#[test]
fn each_frame_goes_to_every_port() {
    let mut way = Transmission::default();
    let left = leave(&mut way, 0, 2, Ports::ALL);
    assert_eq!(left, [(0, 0, 0), (0, 3, 1), (1, 0, 2), (1, 3, 3)]);
    assert_eq!(sent(&mut way, 0, 0, 9, 2), None);
    for (port, token) in [(0, 0), (3, 1), (0, 2)] {
        assert_eq!(sent(&mut way, 1, port, token, 2), None);
    }
    assert_eq!(sent(&mut way, 1, 3, 3, 2), Some(true));
    assert_eq!(leave(&mut way, 1, 1, Ports::ALL)[0], (0, 0, 4));
}

#[test]
fn what_was_taken_back_on_all_ports_ends_the_message() {
    let mut way = Transmission::default();
    let one = Ports::NONE.with(Port(0));
    let route = TransmissionRoute {
        ports: one,
        ..ROUTE
    };
    let next = |way: &mut Transmission| way.next(at(0), 3, (&route, one), |_| false);
    assert!(next(&mut way).is_some() && next(&mut way).is_some());
    let back = (Port(0), Token(0), false);
    assert_eq!(way.answered(at(0), back, 3, &route), None);
    assert!(next(&mut way).is_none());
    let second = (Port(0), Token(1), true);
    assert_eq!(way.answered(at(0), second, 3, &route), Some(false));
    assert!(next(&mut way).is_some());
}

#[test]
fn what_was_taken_back_on_one_port_is_sent_on_the_others() {
    let mut way = Transmission::default();
    assert_eq!(leave(&mut way, 0, 1, BOTH).len(), 2);
    let back = (Port(0), Token(0), false);
    assert_eq!(way.answered(at(0), back, 1, &ROUTE), None);
    assert_eq!(sent(&mut way, 1, 3, 1, 1), Some(true));
}

#[test]
fn a_full_port_is_waited_for_and_the_others_go_on() {
    let mut way = Transmission::default();
    let room = Ports::NONE.with(Port(0));
    assert_eq!(leave(&mut way, 0, 2, room), [(0, 0, 0), (1, 0, 1)]);
    assert_eq!(sent(&mut way, 1, 0, 0, 2), None);
    assert_eq!(sent(&mut way, 1, 0, 1, 2), None);
    assert_eq!(leave(&mut way, 2, 2, BOTH), [(0, 3, 2), (1, 3, 3)]);
    assert_eq!(sent(&mut way, 2, 3, 2, 2), None);
    assert_eq!(sent(&mut way, 2, 3, 3, 2), Some(true));
    assert_eq!(way.change(), None);
}

#[test]
fn a_dead_port_is_waited_for_once_and_taken_back_when_it_answers() {
    let mut way = Transmission::default();
    assert_eq!(leave(&mut way, 0, 1, BOTH).len(), 2);
    assert_eq!(
        (sent(&mut way, 1, 0, 0, 1), way.due()),
        (None, Some(at(11)))
    );
    assert_eq!(way.time_out(at(10), &ROUTE), None);
    assert_eq!(way.time_out(at(11), &ROUTE), Some(true));
    assert_eq!((way.change(), way.change()), (Some((Port(3), true)), None));
    // The next messages go to the other port alone.
    for token in 2..40 {
        assert_eq!(leave(&mut way, 12, 1, BOTH), [(0, 0, token)]);
        assert_eq!(sent(&mut way, 12, 0, token, 1), Some(true));
    }
    // It answers: it is given messages at once, and waited for after twice the time.
    assert_eq!(sent(&mut way, 20, 3, 1, 1), None);
    assert_eq!(leave(&mut way, 20, 1, BOTH).len(), 2);
    assert_eq!(sent(&mut way, 20, 0, 40, 1), Some(true));
    assert_eq!(sent(&mut way, 21, 3, 41, 1), None);
    assert_eq!(leave(&mut way, 31, 1, BOTH).len(), 2);
    assert_eq!(way.change(), Some((Port(3), false)));
    assert_eq!(sent(&mut way, 31, 0, 42, 1), None);
    assert_eq!(sent(&mut way, 31, 3, 43, 1), Some(true));
}

#[test]
fn a_bus_that_is_slow_by_nature_does_not_lag() {
    let mut way = Transmission::default();
    assert_eq!(leave(&mut way, 0, 2, BOTH).len(), 4);
    assert_eq!(sent(&mut way, 50, 0, 0, 2), None);
    assert_eq!(sent(&mut way, 150, 0, 2, 2), None);
    assert_eq!(way.due(), Some(at(950)));
    assert_eq!(sent(&mut way, 500, 3, 1, 2), None);
    assert_eq!(sent(&mut way, 949, 3, 3, 2), Some(true));
    assert_eq!(way.change(), None);
}

#[test]
fn with_all_ports_dead_a_message_waits_for_the_first_that_answers() {
    let mut way = Transmission::default();
    assert_eq!(leave(&mut way, 0, 1, BOTH).len(), 2);
    assert_eq!(way.time_out(at(100_000), &ROUTE), None);
    assert_eq!(sent(&mut way, 100_000, 3, 1, 1), None);
    // A flood that held up both does not make the other one's time any longer.
    assert_eq!(way.time_out(at(100_009), &ROUTE), None);
    assert_eq!(way.time_out(at(100_010), &ROUTE), Some(true));
    // The one that is busy is left out, and the other is enough.
    assert_eq!(leave(&mut way, 100_010, 1, BOTH), [(0, 3, 2)]);
    assert_eq!(way.time_out(at(100_090), &ROUTE), None);
    assert_eq!(sent(&mut way, 100_090, 0, 0, 1), None);
    assert_eq!(sent(&mut way, 100_090, 3, 2, 1), Some(true));
}

#[test]
fn a_frame_that_must_not_overtake_waits_on_its_port_alone() {
    let mut way = Transmission::default();
    let waits = |frame: usize| frame == 1;
    let next = |way: &mut Transmission| way.next(at(0), 2, (&ROUTE, BOTH), waits);
    assert!(next(&mut way).is_some() && next(&mut way).is_some());
    assert!(next(&mut way).is_none());
    assert_eq!(sent(&mut way, 0, 3, 1, 2), None);
    let third = next(&mut way).unwrap();
    assert_eq!((third.frame, third.port), (1, Port(3)));
    assert!(next(&mut way).is_none());
}
