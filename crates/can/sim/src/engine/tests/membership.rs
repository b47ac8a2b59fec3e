//! ECUs that come, are woken and go while the simulation runs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use waywarden_can::node::{Input, Output, Port, Ports, Token};
use waywarden_can::{Frame, Id};
use waywarden_work::Instant;

use super::*;
use crate::MembershipError;
use crate::config::{ConfigError, EcuFault, EcuFaultKind, PARTIES_MAX};
use crate::random::Random;
use crate::trace::{EcuIndex, TraceEvent};

type Queue = Arc<Mutex<VecDeque<Frame>>>;

struct Sender(Queue, u32);

impl Node for Sender {
    fn handle(&mut self, _now: Instant, _input: Input<'_>) {}

    fn poll(&mut self, _now: Instant, room: Ports) -> Output {
        let port = Port(0);
        let next = room
            .contains(port)
            .then(|| self.0.lock().unwrap().pop_front());
        let Some(frame) = next.flatten() else {
            return Output::Idle(None);
        };
        self.1 += 1;
        Output::Transmit {
            port,
            token: Token(self.1),
            frame,
        }
    }
}

fn sender(board: &str, buses: &[usize], queue: &Queue) -> EcuConfig {
    let queue = queue.clone();
    let ports = buses.iter().map(|&bus| PortConfig::on(bus)).collect();
    ecu("sender", board, ports, move |_: &Boot<'_>| {
        Box::new(Sender(queue.clone(), 0))
    })
}

fn two_buses() -> Config {
    Config {
        seed: 1,
        buses: vec![bus("a", classic_500k()), bus("b", classic_500k())],
        ecus: Vec::new(),
    }
}

/// Runs random changes; returns the trace.
fn history(seed: u64) -> Vec<String> {
    let mut trace = Vec::new();
    let mut last = Time::ZERO;
    let mut sink = |at: Time, event: &TraceEvent<'_>| {
        assert!(last <= at, "time goes back");
        last = at;
        trace.push(format!("{at:?} {event:?}"));
    };
    let mut random = Random::new(seed).stream("membership", 0);
    let mut simulation = Simulation::new(two_buses()).unwrap();
    let mut there: Vec<(EcuIndex, Queue)> = Vec::new();
    for _ in 0..120 {
        let pick = |random: &mut Random, count: usize| random.below(count as u64) as usize;
        match random.below(12) {
            0..=1 => {
                let queue = Queue::default();
                let buses = [&[0][..], &[1], &[0, 1], &[1, 0]][pick(&mut random, 4)];
                let board = ["ideal", "tc224"][pick(&mut random, 2)];
                let mut config = sender(board, buses, &queue);
                let now = simulation.now().as_picos();
                config.start = Time::from_picos(now / 2 + random.below(1 << 31));
                if random.below(3) == 0 {
                    let from = config.start.as_picos().max(now) + random.below(1 << 32);
                    config.faults.push(EcuFault {
                        from: Time::from_picos(from),
                        until: Time::from_picos(from + 1 + random.below(1 << 32)),
                        kind: [
                            EcuFaultKind::Reset,
                            EcuFaultKind::Open { port: 0 },
                            EcuFaultKind::Drift { ppb: 9_000 },
                        ][pick(&mut random, 3)],
                    });
                }
                there.push((simulation.attach(config).unwrap(), queue));
            }
            2 if !there.is_empty() => {
                let (gone, _) = there.swap_remove(pick(&mut random, there.len()));
                simulation.detach(gone, &mut sink).unwrap();
                let again = simulation.detach(gone, &mut sink);
                assert_eq!(again, Err(MembershipError::NoSuchEcu { ecu: gone.0 }));
            }
            3..=7 if !there.is_empty() => {
                let (ecu, queue) = &there[pick(&mut random, there.len())];
                let id = Id::standard(random.below(32) as u16).unwrap();
                let data = vec![random.below(256) as u8; random.below(9) as usize];
                queue
                    .lock()
                    .unwrap()
                    .push_back(Frame::classic(id, &data).unwrap());
                simulation.wake(*ecu, &mut sink).unwrap();
            }
            _ => {
                let pause = random.below(1 << 30);
                let end = Time::from_picos(simulation.now().as_picos() + pause);
                simulation.run_until(end, &mut sink).unwrap();
            }
        }
    }
    trace
}

#[test]
fn the_same_changes_at_the_same_times_give_the_same_trace() {
    for seed in 0..seeds() {
        println!("seed {seed}");
        let trace = history(seed);
        assert!(!trace.is_empty());
        assert_eq!(trace, history(seed));
    }
}

#[test]
fn time_never_goes_back_and_each_sent_frame_was_requested() {
    for seed in 0..seeds() {
        println!("seed {seed}");
        let trace = history(seed);
        let requested = trace
            .iter()
            .filter(|line| line.contains("Requested {"))
            .count();
        let sent = trace.iter().filter(|line| line.contains(" Sent {")).count();
        let withdrawn = trace
            .iter()
            .filter(|line| line.contains(" Withdrawn {"))
            .count();
        assert!(sent + withdrawn <= requested);
    }
}

#[test]
fn a_woken_node_sends_in_the_instant_in_which_it_is_woken() {
    let queue = Queue::default();
    let mut config = two_buses();
    config.ecus = vec![
        sender("ideal", &[0], &queue),
        sender("ideal", &[0], &Queue::default()),
    ];
    let mut simulation = Simulation::new(config).unwrap();
    let mut recording = Recording::default();
    simulation
        .run_until(Time::from_nanos(7_777), &mut recording)
        .unwrap();
    assert_eq!(simulation.next_due(), Time::NEVER);
    let frame = Frame::classic(Id::standard(1).unwrap(), &[]).unwrap();
    queue.lock().unwrap().push_back(frame);
    let mut started = Vec::new();
    let mut sink = |at: Time, event: &TraceEvent<'_>| {
        if let TraceEvent::Started { .. } = event {
            started.push(at.as_picos());
        }
    };
    assert_eq!(simulation.wake(EcuIndex(0), &mut sink), Ok(true));
    assert_eq!(simulation.next_due(), Time::from_nanos(7_777));
    simulation
        .run_until(Time::from_nanos(1_000_000), &mut sink)
        .unwrap();
    assert_eq!(started, [7_777_000]);
}

#[test]
fn changes_that_cannot_be_are_refused() {
    let mut simulation: Simulation = Simulation::new(two_buses()).unwrap();
    let mut recording = Recording::default();
    let nowhere = Err(MembershipError::NoSuchEcu { ecu: 3 });
    assert_eq!(simulation.wake(EcuIndex(3), &mut recording), nowhere);
    let queue = Queue::default();
    let refused = simulation.attach(sender("ideal", &[2], &queue));
    assert!(matches!(
        refused,
        Err(ConfigError::NoSuchBus { bus: 2, .. })
    ));
    let refused = simulation.attach(sender("ideal", &[0, 0], &queue));
    assert!(matches!(refused, Err(ConfigError::TwicePresent { .. })));
    simulation
        .run_until(Time::from_nanos(10), &mut recording)
        .unwrap();
    let mut past = sender("ideal", &[0], &queue);
    past.faults.push(EcuFault {
        from: Time::from_nanos(9),
        until: Time::from_nanos(20),
        kind: EcuFaultKind::Reset,
    });
    let refused = simulation.attach(past);
    assert!(matches!(refused, Err(ConfigError::FaultOrder { .. })));
    let ecus: Vec<EcuIndex> = (0..PARTIES_MAX)
        .map(|_| simulation.attach(sender("ideal", &[0], &queue)).unwrap())
        .collect();
    let refused = simulation.attach(sender("ideal", &[0], &queue));
    assert!(matches!(refused, Err(ConfigError::CrowdedBus { .. })));
    simulation.detach(ecus[5], &mut recording).unwrap();
    assert_eq!(
        simulation.attach(sender("ideal", &[0], &queue)),
        Ok(ecus[5])
    );
}
