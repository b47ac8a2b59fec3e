//! An ECU driven by hand.

extern crate std;

use std::vec;
use std::vec::Vec;

use waywarden_can::driver::poll_until_idle;
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id};
use waywarden_work::{Duration, Instant};

use crate::{
    Ecu, GatewayRoute, Matching, PayloadContent, PeriodicStream, StreamFormat, StreamState,
};

fn boot() -> Boot<'static> {
    Boot {
        now: Instant::ZERO,
        seed: [7; 32],
        retained: &[],
    }
}

fn stream(id: u16, period_ms: u64) -> PeriodicStream {
    PeriodicStream {
        port: Port(0),
        id: Id::standard(id).unwrap(),
        format: StreamFormat::Classic,
        length: 8,
        period: Duration::from_millis(period_ms),
        offset: Duration::ZERO,
        jitter: Duration::ZERO,
        content: PayloadContent::Counter,
    }
}

/// Polls to rest; returns the frames and the next deadline.
fn rest(node: &mut impl Node, now: Instant, room: Ports) -> (Vec<(Port, Frame)>, Option<Instant>) {
    let mut frames = Vec::new();
    let next = poll_until_idle(node, now, room, |output| match output {
        Output::Transmit { port, frame, .. } => frames.push((port, frame)),
        other => panic!("{other:?}"),
    });
    (frames, next.unwrap())
}

#[test]
fn a_stream_keeps_its_period_and_counts() {
    let mut ecu = Ecu::new(
        &boot(),
        vec![StreamState::new(stream(0x100, 10))],
        [],
        [None; 0],
    );
    let mut now = Instant::ZERO;
    for instance in 0..5_u8 {
        let (frames, next) = rest(&mut ecu, now, Ports::ALL);
        assert_eq!(frames.len(), 1);
        assert_eq!(frames[0].1.data(), [instance, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(next, Some(now + Duration::from_millis(10)));
        now = next.unwrap();
        ecu.handle(now, Input::Timeout);
    }
}

#[test]
fn an_instance_waits_for_room_and_the_ones_it_blocks_are_counted() {
    let mut ecu = Ecu::new(
        &boot(),
        vec![StreamState::new(stream(0x100, 10))],
        [],
        [None; 0],
    );
    for ms in [0, 10, 20] {
        assert!(
            rest(&mut ecu, Instant::from_nanos(ms * 1_000_000), Ports::NONE)
                .0
                .is_empty()
        );
    }
    assert_eq!(ecu.streams().states()[0].skipped(), 2);
    let late = Instant::from_nanos(20_000_001);
    let (frames, _) = rest(&mut ecu, late, Ports::ALL);
    // The newest instance leaves.
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].1.data()[0], 2);
    assert_eq!(ecu.streams().skipped(), 2);
    // The driver does not poll from 30 to 75 ms: the instances of 40 to 70 ms are gone.
    let (frames, next) = rest(&mut ecu, Instant::from_nanos(75_000_000), Ports::ALL);
    assert_eq!((frames.len(), ecu.streams().skipped()), (1, 6));
    assert_eq!(next, Some(Instant::from_nanos(85_000_000)));
}

#[test]
fn jitter_stays_below_its_bound_and_does_not_add_up() {
    let jitter = Duration::from_millis(2);
    let mut jittery = stream(0x100, 10);
    jittery.jitter = jitter;
    let mut ecu = Ecu::new(&boot(), vec![StreamState::new(jittery)], [], [None; 0]);
    let mut releases = Vec::new();
    let mut now = ecu.streams().next_release();
    for instance in 0..100 {
        let nominal = Instant::ZERO + Duration::from_millis(10).times(instance);
        assert!(
            now >= nominal && now <= nominal + jitter,
            "instance {instance} at {now:?}"
        );
        releases.push(now.since(nominal));
        now = rest(&mut ecu, now, Ports::ALL).1.unwrap();
    }
    assert!(
        releases.iter().any(|late| *late != releases[0]),
        "no jitter at all"
    );
}

#[test]
fn a_gateway_forwards_what_its_routes_match_and_nothing_else() {
    let id = Id::standard(0x123).unwrap();
    let routes = [GatewayRoute {
        from: Port(0),
        to: Port(1),
        matching: Matching::Only(id),
        in_order: false,
    }];
    let mut ecu = Ecu::new(&boot(), vec![], routes, [None; 4]);
    let known = Frame::classic(id, &[1]).unwrap();
    let unknown = Frame::classic(Id::standard(0x124).unwrap(), &[2]).unwrap();
    for (port, frame) in [(0, &known), (0, &unknown), (1, &known)] {
        ecu.handle(
            Instant::ZERO,
            Input::Frame {
                port: Port(port),
                frame,
            },
        );
    }
    assert_eq!(
        rest(&mut ecu, Instant::ZERO, Ports::ALL).0,
        [(Port(1), known)]
    );
}

#[test]
fn a_flooded_port_holds_up_no_other_and_order_stays() {
    let all = |to| GatewayRoute {
        from: Port(0),
        to: Port(to),
        matching: Matching::All,
        in_order: false,
    };
    let mut ecu = Ecu::new(&boot(), vec![], [all(1), all(2)], [None; 6]);
    let frames: Vec<Frame> = (0..4)
        .map(|n| Frame::classic(Id::standard(n).unwrap(), &[]).unwrap())
        .collect();
    for frame in &frames {
        ecu.handle(
            Instant::ZERO,
            Input::Frame {
                port: Port(0),
                frame,
            },
        );
    }
    // Two frames found no place: each of the last two routes of frame 3 overflowed the six slots.
    assert_eq!(ecu.gateway().dropped(), 2);
    let only_two = Ports::NONE.with(Port(2));
    let to_two = rest(&mut ecu, Instant::ZERO, only_two).0;
    assert_eq!(to_two, [0, 1, 2].map(|n| (Port(2), frames[n])));
    let to_one = rest(&mut ecu, Instant::ZERO, Ports::ALL).0;
    assert_eq!(to_one, [0, 1, 2].map(|n| (Port(1), frames[n])));
}
