//! Error-passive senders that suspend transmission: eight bits, whatever else ends meanwhile.

use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Token};
use waywarden_can::timing::{Picoseconds, duration};
use waywarden_can::{Frame, Id};
use waywarden_work::Instant;

use super::recording::Recording;
use super::{bus, classic_500k, ecu};
use crate::Simulation;
use crate::bitwise::{BitMoment, Strikes};
use crate::clock::Time;
use crate::config::{Config, EcuConfig, EcuFault, EcuFaultKind};
use crate::confinement::{ErrorCounters, RECOVERY_SEQUENCE_BITS, RECOVERY_SEQUENCES, Recovery};
use crate::controller::PortConfig;
use crate::interferer::{Interferer, Onset};

const BIT: Picoseconds = Picoseconds::new(2_000_000);

/// Sends frames at its boot.
struct Burst(std::vec::IntoIter<Frame>);

impl Node for Burst {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, _now: Instant, _room: Ports) -> Output {
        match self.0.next() {
            Some(frame) => Output::Transmit {
                port: Port(0),
                token: Token(0),
                frame,
            },
            None => Output::Idle(None),
        }
    }
}

fn frame(id: u16) -> Frame {
    Frame::classic(Id::standard(id).unwrap(), &[0x55]).unwrap()
}

fn frame_time(id: u16) -> Picoseconds {
    let length = frame_length(&frame(id), FdVariant::Iso);
    duration(&length, &classic_500k())
}

fn bits(count: u64) -> Picoseconds {
    Picoseconds::new(BIT.get() * count)
}

fn station(name: &str, ids: &[u16]) -> EcuConfig {
    let frames: Vec<Frame> = ids.iter().map(|&id| frame(id)).collect();
    let build =
        move |_: &Boot<'_>| -> Box<dyn Node + Send> { Box::new(Burst(frames.clone().into_iter())) };
    ecu(name, "ideal", vec![PortConfig::on(0)], build)
}

/// Has every frame followed bit by bit, and leaves it alone.
struct Onlooker;

impl Interferer for Onlooker {
    fn name(&self) -> &str {
        "onlooker"
    }

    fn wants(&mut self, _onset: &Onset<'_>) -> bool {
        true
    }

    fn strike(&mut self, _moment: &BitMoment<'_>, _strikes: &mut Strikes) {}
}

fn simulation(is_followed: bool, ecus: Vec<EcuConfig>) -> Simulation {
    let mut bus = bus("can", classic_500k());
    if is_followed {
        bus.interferers.push(Box::new(Onlooker));
    }
    let buses = vec![bus];
    let config = Config {
        seed: 1,
        buses,
        ecus,
    };
    Simulation::new(config).unwrap()
}

fn be_passive(simulation: &mut Simulation, bus_port: usize) {
    simulation.engine.buses[0].parties[bus_port].counters = ErrorCounters::with(160, 0);
    simulation.engine.buses[0].disturbed = true;
}

/// Puts a controller into bus-off from now on, so many recessive sequences from its way back.
fn be_off(simulation: &mut Simulation, bus_port: usize, sequences_left: u64) {
    let mut recovery = Recovery::new();
    let seen = u64::from(RECOVERY_SEQUENCES) - sequences_left;
    recovery.add_idle_bits(seen * RECOVERY_SEQUENCE_BITS);
    let controller = &mut simulation.engine.ecus[bus_port].ports[0];
    (controller.off, controller.recovery) = (true, recovery);
    let now = simulation.now();
    let bus = &mut simulation.engine.buses[0];
    bus.parties[bus_port].counters = ErrorCounters::with(256, 0);
    (bus.off, bus.disturbed, bus.idle_from) = (1, true, now);
}

fn comes_back_while_another_one_suspends(is_followed: bool, id: u16, sequences_left: u64) {
    // No ECU hears A, so that all its attempts are alike; B is back at some time in between.
    let boot = Time::from_nanos(1_000_000);
    let mut sender = station("a", &[id]);
    sender.start = boot;
    let mut simulation = simulation(is_followed, vec![sender, station("b", &[])]);
    let mut recording = Recording::default();
    simulation.run_until(boot, &mut recording).unwrap();
    be_passive(&mut simulation, 0);
    be_off(&mut simulation, 1, sequences_left);
    let end = Time::from_nanos(20_000_000);
    let outcome = simulation.run_until(end, &mut recording);
    let case = format!("{id:X}, followed {is_followed}, {sequences_left} sequences left");
    assert_eq!(outcome, Ok(()), "{case}");

    let delivery = recording.delivery(1);
    assert_eq!(
        (delivery.sent.len(), delivery.received.get(&1)),
        (1, Some(&1))
    );
    let attempts = delivery.started.windows(2);
    let attempts: Vec<_> = attempts.map(|pair| pair[1].since(pair[0])).collect();
    // Up to the ACK slot as it is; a passive flag, delimiter, intermission, and eight bits.
    let up_to_slot = Picoseconds::new(frame_time(id).get() - 8 * BIT.get());
    let each = up_to_slot + bits(6 + 8 + 3 + 8);
    assert!(!attempts.is_empty(), "{case}");
    assert!(
        attempts.iter().all(|time| *time == each),
        "{case}: {each:?} is not {attempts:?}"
    );
}

#[test]
fn another_nodes_recovery_from_bus_off_in_its_eight_bits_neither_stops_nor_delays_it() {
    // How many recessive bits end an attempt depends on the last ones of the CRC, and so on the
    // frame.
    for id in 0x550..0x560 {
        for sequences_left in 4..=7 {
            comes_back_while_another_one_suspends(false, id, sequences_left);
            comes_back_while_another_one_suspends(true, id, sequences_left);
        }
    }
}

fn is_over_with_a_frame_whose_sender_leaves(is_followed: bool) {
    // A is error-passive and has two frames; B's comes in between.
    let (first, between) = (frame_time(0x100), frame_time(0x555));
    let begins = Time::ZERO + first + bits(3);
    let ends = begins + between;
    let mut leaving = station("b", &[0x555]);
    leaving.faults.push(EcuFault {
        from: Time::from_picos(ends.as_picos() - BIT.get() / 2),
        until: Time::from_nanos(5_000_000),
        kind: EcuFaultKind::Open { port: 0 },
    });
    let parties = vec![station("a", &[0x100, 0x101]), leaving, station("c", &[])];
    let mut simulation = simulation(false, parties);
    let mut recording = Recording::default();
    simulation.run_until(Time::ZERO, &mut recording).unwrap();
    be_passive(&mut simulation, 0);
    simulation.run_until(ends, &mut recording).unwrap();
    if is_followed {
        simulation.engine.buses[0]
            .interferers
            .push(Box::new(Onlooker));
    }
    let outcome = simulation.run_until(Time::from_nanos(4_000_000), &mut recording);
    assert_eq!(outcome, Ok(()));

    let starts: Vec<Time> = recording.starts.iter().map(|&(at, ..)| at).collect();
    assert_eq!(starts, [Time::ZERO, begins, ends + bits(3)]);
    let sent = recording
        .deliveries
        .values()
        .map(|delivery| delivery.sent.len());
    assert_eq!(sent.collect::<Vec<_>>(), [1, 1, 0]);
}

#[test]
fn it_is_over_with_the_frame_of_a_sender_that_leaves_in_the_very_last_bit() {
    is_over_with_a_frame_whose_sender_leaves(false);
    is_over_with_a_frame_whose_sender_leaves(true);
}
