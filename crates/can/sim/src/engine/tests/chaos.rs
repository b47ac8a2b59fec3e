//! Properties of every bus, tried on vehicles made up by seed. A failure prints its seed.

use std::collections::BTreeMap;

use waywarden_can::bits::{FdVariant, INTERMISSION_BITS, frame_length};
use waywarden_can::timing::{BitTiming, Picoseconds, duration};
use waywarden_work::Duration;

use super::recording::{Delivery, Recording};
use super::{scenarios, seeds};
use crate::Simulation;
use crate::clock::Time;
use crate::config::Config;
use crate::cpu::ProcessingUnit;
use crate::interferer::{Babbling, BitErrors};
use crate::json::Lines;
use crate::trace::TraceEvent;

const END: Time = Time::from_nanos(60_000_000);

struct Run {
    seed: u64,
    timings: Vec<BitTiming>,
    queues: Vec<Vec<(usize, usize)>>,
    /// Start time of each ECU.
    starts: Vec<Time>,
    recording: Recording,
}

fn run(seed: u64, config: Config) -> Run {
    let starts = config.ecus.iter().map(|ecu| ecu.start).collect();
    let timings = config.buses.iter().map(|bus| bus.timing).collect();
    let queues = config
        .ecus
        .iter()
        .map(|ecu| {
            ecu.ports
                .iter()
                .map(|port| (port.bus, port.transmit_queue))
                .collect()
        })
        .collect();
    let mut recording = Recording::default();
    let mut simulation = Simulation::new(config).unwrap();
    simulation
        .run_until(END, &mut recording)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    Run {
        seed,
        timings,
        queues,
        starts,
        recording,
    }
}

fn each_seed(check: impl Fn(&Run)) {
    each_config(scenarios::vehicle, check);
}

fn each_config(config_of: impl Fn(u64) -> Config, check: impl Fn(&Run)) {
    let mut frames = 0;
    for seed in 0..seeds() {
        let run = run(seed, config_of(seed));
        frames += run.recording.deliveries.len();
        check(&run);
    }
    assert!(
        frames as u64 > seeds() * 20,
        "hardly anything was sent: {frames} frames"
    );
}

#[test]
fn every_queued_frame_is_sent_exactly_once_and_every_other_controller_has_it_once() {
    each_seed(|run| check_deliveries(run, |_, _| true));
}

#[test]
fn no_frame_is_lost_or_doubled_while_ecus_are_still_starting() {
    each_config(scenarios::late_vehicle, |run| {
        check_deliveries(run, |ecu, delivery| has_integrated(run, ecu, delivery));
        for (serial, delivery) in &run.recording.deliveries {
            let begun = delivery.sent.first().map_or(END, |&(from, _)| from);
            for &ecu in delivery.received.keys() {
                let up = run.starts[ecu];
                assert!(
                    up == Time::ZERO || up < begun,
                    "seed {}: ecu {ecu} hears {serial} in its middle",
                    run.seed
                );
            }
        }
    });
}

#[test]
fn nodes_that_come_and_go_lose_or_double_no_frame_afterwards() {
    // A sender cut off in the end of its frame repeats it when it is back, so that only what began
    // when all were back is checked, and has had the time to take part again.
    each_config(scenarios::restless_vehicle, |run| {
        let quiet = scenarios::RESETS_END + Duration::from_millis(15);
        check_deliveries_of(
            run,
            |delivery| delivery.started.first() > Some(&quiet),
            |_, _| true,
        );
    });
}

#[test]
fn nodes_that_come_and_go_under_fire_let_the_clock_run_and_send_nothing_twice() {
    let config_of = |seed| {
        let mut config = scenarios::restless_vehicle(seed);
        for bus in &mut config.buses {
            let [period, width] = [1_700_000_000, 40_000_000].map(Picoseconds::new);
            let babbling = Babbling::new(Time::ZERO, END, period, width).unwrap();
            bus.interferers.push(Box::new(babbling));
            bus.interferers.push(Box::new(BitErrors::new(1e-3)));
        }
        config
    };
    each_config(config_of, |run| {
        assert!(
            run.recording.strikes > 20,
            "seed {}: {} strikes",
            run.seed,
            run.recording.strikes
        );
        let mut deliveries = run.recording.deliveries.values();
        assert!(
            deliveries.all(|delivery| delivery.sent.len() <= 1),
            "seed {}",
            run.seed
        );
    });
}

/// Returns true if an ECU must have heard eleven recessive bits before a frame began: another frame
/// ended since it was up, or it has been up for longer than any frame is.
fn has_integrated(run: &Run, ecu: usize, delivery: &Delivery) -> bool {
    let timing = &run.timings[delivery.bus];
    let bits = |count: u64| Picoseconds::new(timing.nominal.bit().get() * count);
    let (up, (begun, _)) = (run.starts[ecu], delivery.sent[0]);
    let others = run.recording.deliveries.values();
    let mut sent = others
        .filter(|other| other.bus == delivery.bus)
        .flat_map(|other| &other.sent);
    let heard_end = |&(_, to): &(Time, Time)| up + bits(8) <= to && to < begun;
    up == Time::ZERO || up + bits(11 + FRAME_BITS_MAX) <= begun || sent.any(heard_end)
}

/// More bits than any frame has.
const FRAME_BITS_MAX: u64 = 800;

fn check_deliveries(run: &Run, must_hear: impl Fn(usize, &Delivery) -> bool) {
    check_deliveries_of(run, |_| true, must_hear);
}

fn check_deliveries_of(
    run: &Run,
    is_checked: impl Fn(&Delivery) -> bool,
    must_hear: impl Fn(usize, &Delivery) -> bool,
) {
    let seed = run.seed;
    let mut unsent: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (serial, delivery) in &run.recording.deliveries {
        assert!(
            delivery.sent.len() <= 1,
            "seed {seed}: {serial} was sent {} times",
            delivery.sent.len()
        );
        if !is_checked(delivery) {
            continue;
        }
        assert!(
            delivery.withdrawn.is_none(),
            "seed {seed}: {serial} was taken back"
        );
        if delivery.sent.is_empty() {
            *unsent.entry((delivery.ecu, delivery.bus)).or_default() += 1;
            continue;
        }
        let others = run.queues.iter().enumerate().filter(|(ecu, ports)| {
            *ecu != delivery.ecu && ports.iter().any(|(bus, _)| *bus == delivery.bus)
        });
        for (ecu, _) in others {
            let received = delivery.received.get(&ecu).copied().unwrap_or(0);
            let overrun = u32::from(delivery.overrun.contains(&ecu));
            assert!(
                received + overrun <= 1,
                "seed {seed}: ecu {ecu} has {serial} twice"
            );
            assert!(
                !must_hear(ecu, delivery) || received + overrun == 1,
                "seed {seed}: ecu {ecu} misses {serial}"
            );
        }
    }
    // What is not sent by the end, on a bus with more traffic than it can take, still has its
    // place in a queue: nothing is forgotten.
    for ((ecu, bus), count) in unsent {
        let (_, bound) = run.queues[ecu]
            .iter()
            .find(|(at, _)| *at == bus)
            .copied()
            .unwrap();
        assert!(
            count <= bound,
            "seed {seed}: {count} frames of ecu {ecu} are neither sent nor queued"
        );
    }
}

#[test]
fn the_winner_has_the_highest_priority_of_all_that_compete() {
    each_seed(|run| {
        let recording = &run.recording;
        let mut losers: BTreeMap<(Time, usize), Vec<u64>> = BTreeMap::new();
        for &(at, bus, serial) in &recording.losses {
            losers.entry((at, bus)).or_default().push(serial);
        }
        for &(at, bus, winner, contenders) in &recording.starts {
            let lost = losers.remove(&(at, bus)).unwrap_or_default();
            assert_eq!(lost.len() + 1, contenders, "seed {}: at {at:?}", run.seed);
            let key = |serial| recording.delivery(serial).frame.arbitration_key();
            for loser in lost {
                assert!(
                    key(winner) < key(loser),
                    "seed {}: {loser} lost to {winner}",
                    run.seed
                );
            }
        }
        assert!(
            losers.is_empty(),
            "seed {}: losers without a winner",
            run.seed
        );
    });
}

#[test]
fn a_bus_carries_one_frame_at_a_time_and_frames_and_idle_time_add_up_to_the_clock() {
    each_seed(|run| {
        let mut free = vec![Time::ZERO; run.timings.len()];
        let (mut idle, mut busy) = (vec![0; free.len()], vec![0; free.len()]);
        let mut sent: Vec<_> = run
            .recording
            .deliveries
            .values()
            .flat_map(|delivery| {
                delivery
                    .sent
                    .iter()
                    .map(move |&(from, to)| (from, to, delivery))
            })
            .collect();
        sent.sort_by_key(|&(from, ..)| from);
        for (from, to, delivery) in sent {
            let timing = &run.timings[delivery.bus];
            let at = &mut free[delivery.bus];
            assert!(
                from >= *at,
                "seed {}: a frame starts before the bus is free",
                run.seed
            );
            let exact = duration(&frame_length(&delivery.frame, FdVariant::Iso), timing);
            assert_eq!(
                to,
                from + exact,
                "seed {}: {} is not exact",
                run.seed,
                delivery.frame
            );
            idle[delivery.bus] += from.since(*at).get();
            *at = to + timing.intermission();
            busy[delivery.bus] += at.since(from).get();
        }
        for (at, end) in free.iter().enumerate() {
            assert_eq!(
                idle[at] + busy[at],
                end.as_picos(),
                "seed {}: bus {at}",
                run.seed
            );
        }
        assert_eq!(INTERMISSION_BITS, 3);
    });
}

#[test]
fn a_bus_is_never_idle_while_a_frame_waits() {
    each_seed(|run| {
        let mut by_bus: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for delivery in run
            .recording
            .deliveries
            .values()
            .filter(|delivery| !delivery.sent.is_empty())
        {
            by_bus.entry(delivery.bus).or_default().push(delivery);
        }
        for (bus, mut deliveries) in by_bus {
            deliveries.sort_by_key(|delivery| delivery.started[0]);
            let mut free = Time::ZERO;
            for delivery in deliveries {
                let earliest = ready_by(delivery.queued.unwrap(), free);
                // A controller starts as soon as the bus is free and anything waits.
                assert!(delivery.started[0] >= earliest, "seed {}", run.seed);
                let waited_unanswered = delivery.started[0] > earliest;
                assert!(
                    !waited_unanswered || delivery.started[0] == free,
                    "seed {}: idle",
                    run.seed
                );
                free = delivery.sent[0].1 + run.timings[bus].intermission();
            }
        }
    });
}

/// A frame can start when it is queued and the bus is free.
fn ready_by(queued: Time, free: Time) -> Time {
    queued.max(free)
}

#[test]
fn every_queue_stays_within_its_bound() {
    each_seed(|run| {
        for (&(ecu, bus), &most) in &run.recording.waiting_most {
            let (_, bound) = run.queues[ecu]
                .iter()
                .find(|(at, _)| *at == bus)
                .copied()
                .unwrap();
            assert!(
                most <= bound,
                "seed {}: {most} frames in a queue of {bound}",
                run.seed
            );
        }
    });
}

#[test]
fn work_never_overlaps_itself_on_one_core_and_runs_by_priority() {
    each_seed(|run| {
        let mut free: BTreeMap<(usize, ProcessingUnit), Time> = BTreeMap::new();
        let mut slices = run.recording.slices.clone();
        slices.sort_by_key(|(_, slice)| slice.from);
        for (ecu, slice) in slices {
            let at = free.entry((ecu, slice.unit)).or_insert(Time::ZERO);
            assert!(
                slice.from >= *at,
                "seed {}: ecu {ecu} does two things at once",
                run.seed
            );
            assert!(slice.from < slice.to, "seed {}", run.seed);
            *at = slice.to;
        }
    });
}

#[test]
fn the_same_seed_gives_the_same_trace_byte_by_byte_and_another_one_another() {
    let trace = |seed| {
        let config = scenarios::vehicle(seed);
        let lines = Lines::naming(&config);
        let mut text = String::new();
        let mut sink = |at: Time, event: &TraceEvent<'_>| text.push_str(&lines.line(at, event));
        let mut simulation = Simulation::new(config).unwrap();
        // In steps or in one go: how the time is cut up makes no difference.
        for step in 1..=1 + seed % 7 {
            simulation
                .run_until(
                    Time::from_nanos(20_000_000 * step / (1 + seed % 7)),
                    &mut sink,
                )
                .unwrap();
        }
        text
    };
    for seed in 0..seeds().min(40) {
        let config = scenarios::vehicle(seed);
        let lines = Lines::naming(&config);
        let mut whole = String::new();
        let mut sink = |at: Time, event: &TraceEvent<'_>| whole.push_str(&lines.line(at, event));
        Simulation::new(config)
            .unwrap()
            .run_until(Time::from_nanos(20_000_000), &mut sink)
            .unwrap();
        assert_eq!(trace(seed), whole, "seed {seed}");
    }
    assert_ne!(trace(1), trace(2));
}
