//! Rules that hold when the bus, the kernel or the node misbehaves.

use super::*;

/// Steps in which a handful of frames leaves.
const ENOUGH: usize = 20;

fn sent(token: u32) -> ProbeNotice {
    ProbeNotice::Sent(Port(0), Token(token))
}

fn withdrawn(token: u32) -> ProbeNotice {
    ProbeNotice::Withdrawn(Port(0), Token(token))
}

fn state(state: BusState) -> ProbeNotice {
    ProbeNotice::Bus(Port(0), state)
}

/// A driver on a held bus whose node sends this many frames, under tokens 0, 1, ...
fn jammed(bus: &MemoryBus, frames: u8) -> (Tested, MemoryLink) {
    let link = bus.attach(8);
    let controller = link.handle();
    let mut driver = driver(bus, vec![link]);
    bus.hold(true);
    for byte in 0..frames {
        driver.node_mut().send(0, frame(0x400, byte));
    }
    step(&mut driver);
    (driver, controller)
}

#[test]
fn a_withdrawn_frame_is_answered_once_by_what_became_of_it() {
    let bus = bus();
    let (mut driver, _) = jammed(&bus, 4);
    // The link has 0 and 1, the others wait. One token is unknown, one port is not there.
    for (port, token) in [(0, 1), (0, 3), (0, 99), (9, 2)] {
        driver.node_mut().outputs.push_back(Output::Withdraw {
            port: Port(port),
            token: Token(token),
        });
    }
    step(&mut driver);
    assert_eq!(driver.node.notices(), [withdrawn(3)]);
    bus.hold(false);
    steps(&mut driver, ENOUGH);
    assert_eq!(driver.node.notices()[1..], [sent(0), sent(1), sent(2)]);
    assert_eq!(driver.statistics().withdrawn, 1);
}

#[test]
fn an_urgent_frame_overtakes_those_the_link_does_not_have() {
    let bus = bus();
    let (mut driver, _) = jammed(&bus, 6);
    let Token(urgent) = driver.node_mut().send(0, frame(0x001, 0));
    step(&mut driver);
    bus.hold(false);
    steps(&mut driver, ENOUGH);
    let notices = driver.node.notices();
    let place = notices.iter().position(|&notice| notice == sent(urgent));
    assert_eq!(place, Some(Depth::default().in_flight));
}

#[test]
fn a_full_link_delays_and_loses_nothing() {
    let bus = bus();
    // The controller holds one frame where the driver would give it four.
    let mut driver = driver(&bus, vec![bus.attach(1)]).with_depth(Depth {
        frames: 16,
        in_flight: 4,
    });
    bus.hold(true);
    for byte in 0..10 {
        driver.node_mut().send(0, frame(0x10, byte));
    }
    steps(&mut driver, 100);
    // 10 ms, one attempt each millisecond: a full link does not turn waiting into a busy loop.
    let full = driver.statistics().full;
    assert!((8..=12).contains(&full), "{full} attempts in 10 ms");
    assert_eq!(driver.node.notices(), []);
    bus.hold(false);
    steps(&mut driver, 200);
    let all: Vec<ProbeNotice> = (0..10).map(sent).collect();
    assert_eq!(driver.node.notices(), all);
}

#[test]
fn bus_off_gives_everything_back_and_takes_nothing_until_the_restart() {
    let bus = bus();
    let (mut driver, controller) = jammed(&bus, 4);
    controller.put(LinkEvent::State(BusState::Passive));
    controller.put(LinkEvent::State(BusState::Off));
    controller.put(LinkEvent::State(BusState::Off));
    controller.clear();
    step(&mut driver);
    let mut notices = vec![state(BusState::Passive)];
    notices.extend((0..4).map(withdrawn));
    notices.push(state(BusState::Off));
    assert_eq!(driver.node.notices(), notices);
    assert!(!driver.node.room.contains(Port(0)));
    assert_eq!(driver.bus_state(Port(0)), Some(BusState::Off));

    let Token(kept) = driver.node_mut().send(0, frame(0x10, 9));
    bus.hold(false);
    steps(&mut driver, ENOUGH);
    assert_eq!(controller.holds(), 0);
    assert_eq!(driver.node.notices(), notices);

    driver.node.notices.clear();
    controller.put(LinkEvent::Restarted);
    steps(&mut driver, ENOUGH);
    assert_eq!(driver.node.notices(), [state(BusState::Active), sent(kept)]);
}

#[test]
fn a_restart_whose_bus_off_was_missed_gives_back_what_the_controller_lost() {
    let bus = bus();
    let (mut driver, controller) = jammed(&bus, 1);
    controller.clear();
    controller.put(LinkEvent::Restarted);
    step(&mut driver);
    assert_eq!(
        driver.node.notices(),
        [withdrawn(0), state(BusState::Off), state(BusState::Active)]
    );
}

#[test]
fn a_state_is_reported_once_and_only_when_it_changes() {
    let bus = bus();
    let (mut driver, controller) = jammed(&bus, 0);
    for state in [
        BusState::Active,
        BusState::Passive,
        BusState::Passive,
        BusState::Active,
    ] {
        controller.put(LinkEvent::State(state));
    }
    step(&mut driver);
    assert_eq!(
        driver.node.notices(),
        [state(BusState::Passive), state(BusState::Active)]
    );
}

#[test]
fn an_interface_that_goes_down_is_looked_at_until_it_comes_back() {
    let bus = bus();
    let (mut driver, interface) = jammed(&bus, 1);
    interface.set_up(false);
    step(&mut driver);
    assert_eq!(driver.node.notices(), [withdrawn(0), state(BusState::Off)]);
    bus.hold(false);
    driver.node.notices.clear();
    let Token(kept) = driver.node_mut().send(0, frame(0x10, 1));
    let from = bus.now();
    for _ in 0..5 {
        driver.step(Some(Duration::from_millis(1_000))).unwrap();
    }
    // Each wait ends when the interface is to be looked at.
    assert_eq!(bus.now().since(from), LOOK_EVERY.times(5));
    assert_eq!(driver.node.notices(), []);
    interface.set_up(true);
    for _ in 0..5 {
        driver.step(Some(LOOK_EVERY)).unwrap();
    }
    assert_eq!(driver.node.notices(), [state(BusState::Active), sent(kept)]);
}

#[test]
fn an_interface_found_down_while_sending_gives_the_frames_back() {
    let bus = bus();
    let link = bus.attach(8);
    let interface = link.handle();
    let mut driver = driver(&bus, vec![link]);
    interface.set_up(false);
    // The notice has not come yet.
    interface.lose();
    for byte in 0..3 {
        driver.node_mut().send(0, frame(0x10, byte));
    }
    step(&mut driver);
    let mut notices: Vec<ProbeNotice> = (0..3).map(withdrawn).collect();
    notices.push(state(BusState::Off));
    assert_eq!(driver.node.notices(), notices);
}

#[test]
fn lost_echoes_do_not_leave_a_token_without_an_answer() {
    let bus = bus();
    let (mut driver, kernel) = jammed(&bus, 6);
    bus.hold(false);
    assert!(bus.carry());
    kernel.lose();
    steps(&mut driver, ENOUGH);
    let all: Vec<ProbeNotice> = (0..6).map(sent).collect();
    assert_eq!(driver.node.notices(), all);
    let statistics = driver.statistics();
    assert_eq!((statistics.sent, statistics.stray_echoes), (6, 0));
    assert_eq!((statistics.lost, statistics.presumed_sent), (1, 1));
}

#[test]
fn the_last_echo_may_be_lost_too() {
    let bus = bus();
    let (mut driver, kernel) = jammed(&bus, 1);
    bus.hold(false);
    assert!(bus.carry());
    kernel.lose();
    step(&mut driver);
    assert_eq!(driver.node.notices(), []);
    let from = bus.now();
    let give_up = from + Duration::from_millis(1_000);
    driver
        .run_until(|node| !node.notices().is_empty() || bus.now() > give_up)
        .unwrap();
    assert_eq!(driver.node.notices(), [sent(0)]);
    let waited = bus.now().since(from).as_nanos() / 1_000_000;
    assert!((190..=210).contains(&waited), "{waited} ms");
    assert_eq!(driver.statistics().presumed_sent, 1);
}

#[test]
fn what_is_no_frame_is_counted_and_passed_over() {
    let bus = bus();
    let (mut driver, controller) = jammed(&bus, 0);
    controller.put(LinkEvent::Unreadable);
    controller.put(LinkEvent::Echo(frame(1, 1)));
    controller.put(LinkEvent::Frame(frame(2, 2)));
    step(&mut driver);
    assert_eq!(
        driver.node.notices(),
        [ProbeNotice::Frame(Port(0), frame(2, 2))]
    );
    let statistics = driver.statistics();
    assert_eq!((statistics.unreadable, statistics.stray_echoes), (1, 1));
}

#[test]
fn a_flood_does_not_keep_the_timeout_or_the_other_port_away() {
    let bus = bus();
    let links = vec![bus.attach(8), bus.attach(8)];
    let (flooded, quiet) = (links[0].handle(), links[1].handle());
    let mut driver = driver(&bus, links);
    driver.node_mut().next_deadline = Some(bus.now() + Duration::from_millis(1));
    step(&mut driver);
    bus.pass(Duration::from_millis(2));
    for _ in 0..crate::memory::INBOX_MAX {
        flooded.put(LinkEvent::Frame(frame(0x000, 0)));
    }
    quiet.put(LinkEvent::Frame(frame(0x300, 3)));
    // The probe names its deadline once; a real node repeats it.
    driver.node_mut().next_deadline = Some(bus.now());
    driver.node_mut().repeats_deadline = true;
    step(&mut driver);
    let notices = driver.node.notices();
    assert!(notices.contains(&ProbeNotice::Frame(Port(1), frame(0x300, 3))));
    assert_eq!(notices.last(), Some(&ProbeNotice::Timeout));
    assert_eq!(notices.len(), BATCH_MAX + 2);
}

#[test]
fn a_node_that_never_rests_is_stopped() {
    struct EndlessNode;
    impl Node for EndlessNode {
        fn handle(&mut self, _: Instant, _: Input<'_>) {}
        fn poll(&mut self, _: Instant, _: Ports) -> Output {
            let (port, token) = (Port(0), Token(0));
            Output::Withdraw { port, token }
        }
    }
    let bus = bus();
    let (links, store) = (vec![bus.attach(1)], Volatile::default());
    let mut driver = Driver::new(bus.host(), links, store, [0; 32], |_| EndlessNode).unwrap();
    match driver.step(None) {
        Err(DriverError::Runaway(answers)) => assert_eq!(answers, ANSWERS_MAX),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_ecu_has_at_most_thirty_two_ports() {
    let bus = bus();
    let links = (0..33).map(|_| bus.attach(1)).collect();
    let made = Driver::new(bus.host(), links, Volatile::default(), [0; 32], |_| {
        Probe::default()
    });
    assert!(matches!(made, Err(DriverError::TooManyPorts(33))));
}

/// Everything at once, by seed: each token is answered exactly once, whatever happens.
#[test]
fn every_token_is_answered_exactly_once() {
    let mut ways = [0; 3];
    for seed in 1..=300 {
        let (driver, answers) = storm(seed);
        assert!(
            answers.iter().all(|&count| count == 1),
            "seed {seed}: {answers:?}"
        );
        let statistics = driver.statistics();
        ways[0] += statistics.sent;
        ways[1] += statistics.withdrawn;
        ways[2] += statistics.presumed_sent;
    }
    // All three ways of answering were met.
    assert!(ways.iter().all(|&count| count > 300), "{ways:?}");
}

/// Sends 60 frames through disturbances of every kind; returns the number of answers to each.
fn storm(seed: u64) -> (Tested, Vec<usize>) {
    const COUNT: u64 = 60;
    let mut random = Random::new(seed);
    let bus = bus();
    let link = bus.attach(1 + random.below(4) as usize);
    let controller = link.handle();
    let mut driver = driver(&bus, vec![link]).with_depth(Depth {
        frames: 1 + random.below(12) as usize,
        in_flight: 1 + random.below(5) as usize,
    });
    for _ in 0..COUNT {
        // Few different frames, so that many look alike.
        let frame = frame(random.below(3) as u16, random.below(2) as u8);
        driver.node_mut().send(0, frame);
    }
    for _ in 0..600 {
        disturb(&mut driver, &bus, &controller, &mut random, COUNT);
        let timeout = Duration::from_micros(random.below(5_000));
        driver.step(Some(timeout)).unwrap();
    }
    // Calm: let what is left come to its end.
    bus.hold(false);
    controller.set_up(true);
    controller.put(LinkEvent::Restarted);
    for _ in 0..600 {
        driver.step(Some(Duration::from_millis(2))).unwrap();
    }
    let notices = driver.node.notices();
    let answers = |token| {
        let of = |&&notice: &&ProbeNotice| notice == sent(token) || notice == withdrawn(token);
        notices.iter().filter(of).count()
    };
    let answers = (0..COUNT as u32).map(answers).collect();
    (driver, answers)
}

fn disturb(
    driver: &mut Tested,
    bus: &MemoryBus,
    controller: &MemoryLink,
    random: &mut Random,
    tokens: u64,
) {
    match random.below(24) {
        0 | 1 => bus.hold(true),
        2..8 => bus.hold(false),
        8 => {
            controller.clear();
            controller.put(LinkEvent::State(BusState::Off));
        }
        9 | 10 => {
            controller.clear();
            controller.put(LinkEvent::Restarted);
        }
        11 | 12 => {
            bus.carry();
            controller.lose();
        }
        13 => controller.set_up(false),
        14 | 15 => controller.set_up(true),
        16 | 17 => driver.node_mut().outputs.push_back(Output::Withdraw {
            port: Port(0),
            token: Token(random.below(tokens) as u32),
        }),
        18 | 19 => controller.put(LinkEvent::Frame(frame(0x10, 0))),
        _ => {}
    }
}
