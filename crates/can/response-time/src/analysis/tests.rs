//! Known answers, and the analysis beside a bus that is played frame by frame.

use super::*;
use crate::message::{Errors, Priority, ReleasePhase};
use waywarden_testkit::{Random, each_seed};

/// 125 kbit/s.
const BIT: u64 = 8_000_000;
const MS: u64 = 1_000_000_000;
/// Of played times, far above what clocks are rounded by.
const SCALE: u64 = 1_000_000;

fn message(key: u32, period: u64, frame: u64) -> AnalysedMessage {
    AnalysedMessage {
        priority: Priority {
            first: key,
            last: key,
        },
        queue: PortQueue::Priority,
        period: Some(period),
        jitter: 0,
        uncounted: 0,
        frame,
        burst: 1,
        suspension: 0,
        phase: None,
    }
}

fn bus(messages: Vec<AnalysedMessage>) -> AnalysedBus {
    AnalysedBus {
        bit: BIT,
        errors: None,
        messages,
        shared: Vec::new(),
    }
}

fn milliseconds(bus: &AnalysedBus) -> Vec<f64> {
    let all = response_times(bus).into_iter();
    all.map(|one| one.unwrap() as f64 / 1e9).collect()
}

/// The example that refutes the analysis of 1994 [RTA §2.4]: the second instance of C is the
/// slowest one, so an analysis of the first one says 3 ms.
#[test]
fn the_second_instance_is_the_slowest_one() {
    let table = [(2_500, 1), (3_500, 2), (3_500, 3)];
    let messages = table.map(|(period_us, key)| message(key, period_us * 1_000_000, 125 * BIT));
    let bus = bus(messages.to_vec());
    assert_eq!(milliseconds(&bus), [2.0, 3.0, 3.5]);
    let view = View {
        bus: &bus,
        buffering: &[Ok(0); 3],
    };
    let level = view.level(2).unwrap();
    assert_eq!(view.busy_period(&level), Ok(7 * MS));
    assert_eq!(view.wait(&level, 0, MS).unwrap() + MS, 3 * MS);
}

#[test]
fn jitter_and_blocking_add_to_the_response() {
    let mut high = message(1, 10 * MS, MS);
    high.jitter = 2 * MS;
    let bus_of = |high| bus(vec![high, message(2, 10 * MS, MS), message(3, 50 * MS, MS)]);
    // 2 of jitter, 1 of blocking, 1 of its own.
    assert_eq!(milliseconds(&bus_of(high)), [4.0, 3.0, 3.0]);
    high.uncounted = 2 * MS;
    assert_eq!(milliseconds(&bus_of(high))[0], 2.0);
}

#[test]
fn a_fifo_counts_as_its_least_urgent_message() {
    let mut all = vec![
        message(1, 10 * MS, MS),
        message(9, 10 * MS, MS),
        message(5, 10 * MS, MS),
    ];
    assert_eq!(milliseconds(&bus(all.clone()))[0], 2.0);
    all[0].queue = PortQueue::Fifo(0);
    all[1].queue = PortQueue::Fifo(0);
    // Behind 9 in the FIFO, and 5 goes before 9.
    assert_eq!(milliseconds(&bus(all.clone()))[0], 3.0);
    all[0].queue = PortQueue::Unordered(0);
    all[1].queue = PortQueue::Unordered(0);
    assert_eq!(milliseconds(&bus(all))[0], 3.0);
}

#[test]
fn an_error_costs_its_flags_and_the_longest_frame_again() {
    let mut bus = bus(vec![message(1, 10 * MS, MS), message(2, 10 * MS, MS)]);
    bus.errors = Some(Errors {
        burst: 2,
        interval: 100 * MS,
        overhead: 31 * BIT,
    });
    assert_eq!(milliseconds(&bus), [2.0 + 2.0 * 1.248, 2.0 + 2.0 * 1.248]);
}

#[test]
fn no_bound_names_its_cause() {
    let full = bus(vec![
        message(1, 2 * MS, MS),
        message(2, 2 * MS, MS),
        message(3, 9 * MS, MS),
    ]);
    let bounds = response_times(&full);
    assert!(bounds[0].is_ok());
    assert_eq!(bounds[1..], [Err(NoBound::Overload); 2]);
    let mut flood = message(2, 1, MS);
    flood.period = None;
    let flooded = bus(vec![message(1, 9 * MS, MS), flood, message(3, 9 * MS, MS)]);
    let bounds = response_times(&flooded);
    assert_eq!(bounds[0], Ok(2 * MS));
    assert_eq!(bounds[2], Err(NoBound::UnlimitedRate));
    let mut stuck = message(1, 9 * MS, MS);
    stuck.queue = PortQueue::Fifo(0);
    flood.queue = PortQueue::Fifo(0);
    let bounds = response_times(&bus(vec![stuck, flood, message(3, 9 * MS, MS)]));
    assert_eq!(bounds[2], Err(NoBound::UnboundedQueue));
}

/// Two messages of one sender half a period apart, below one of another sender.
#[test]
fn known_offsets_keep_messages_of_one_sender_apart() {
    let phase = |offset| ReleasePhase {
        clock: 0,
        ppm: 100,
        offset,
        period: 20 * MS,
    };
    let mut all = vec![
        message(1, 20 * MS, MS),
        message(2, 20 * MS, MS),
        message(3, 20 * MS, MS),
    ];
    assert_eq!(milliseconds(&bus(all.clone())), [2.0, 3.0, 3.0]);
    all[0].phase = Some(phase(0));
    all[1].phase = Some(phase(10 * MS));
    // The first one is in no timetable with it: it may come with the second one.
    assert_eq!(milliseconds(&bus(all)), [2.0, 3.0, 2.0]);
}

#[test]
fn a_burst_interferes_with_all_its_frames_and_blocks_with_one() {
    let mut keys = message(2, 1_000 * MS, MS);
    keys.burst = 30;
    let bus = bus(vec![message(1, 50 * MS, MS), keys, message(3, 50 * MS, MS)]);
    let bounds = milliseconds(&bus);
    assert_eq!((bounds[0], bounds[2]), (2.0, 32.0));
}

#[test]
fn a_fifo_counts_the_frames_of_a_burst_that_are_in_it() {
    let mut all = vec![message(1, 50 * MS, MS), message(9, 1_000 * MS, MS)];
    all[1].burst = 8;
    all[0].queue = PortQueue::Fifo(4);
    let mut bus = bus(all);
    assert_eq!(milliseconds(&bus)[0], 2.0);
    bus.shared.push((1, 4));
    assert_eq!(milliseconds(&bus)[0], 9.0);
}

#[test]
fn suspended_senders_lose_time_after_each_of_their_frames() {
    let mut all = vec![message(1, 50 * MS, MS), message(2, 50 * MS, MS)];
    all[0].suspension = MS / 2;
    // Behind the first one and its suspension; the last frame's own is after its end.
    assert_eq!(milliseconds(&bus(all)), [2.0, 2.5]);
}

/// Plays one bus with random phases and jitter; each response stays below its bound.
#[test]
fn no_played_response_exceeds_its_bound() {
    each_seed(200, |seed| {
        let mut random = Random::new(seed);
        let number = 2 + random.below(7) as usize;
        let ports = random.below(3) as usize;
        let messages: Vec<AnalysedMessage> = (0..number as u32)
            .map(|key| {
                let frame = (50 + random.below(80)) * SCALE;
                let mut one = message(key, frame * (2 + random.below(3 * number as u64)), frame);
                one.jitter = random.below(one.period.unwrap());
                one.queue = match ports {
                    0 => PortQueue::Priority,
                    _ if random.below(2) == 0 => PortQueue::Priority,
                    ports => PortQueue::Fifo(random.below(ports as u64) as usize),
                };
                one
            })
            .collect();
        let mut bus = AnalysedBus {
            bit: SCALE,
            errors: None,
            messages,
            shared: Vec::new(),
        };
        let without = response_times(&bus);
        if seed % 2 == 0 {
            know_offsets(&mut bus, &mut random);
        }
        let bounds = response_times(&bus);
        for (bound, without) in bounds.iter().zip(&without) {
            assert!(
                without.is_err() || bound <= without,
                "{bound:?} > {without:?}"
            );
        }
        for (at, seen) in played(&bus, &mut random).into_iter().enumerate() {
            if let Ok(bound) = bounds[at] {
                assert!(seen <= bound, "message {at}: {seen} > {bound} of {bus:?}");
            }
        }
    });
}

/// Puts the messages on two clocks, in timetables that repeat soon.
fn know_offsets(bus: &mut AnalysedBus, random: &mut Random) {
    for one in &mut bus.messages {
        let period = one.period.unwrap().next_multiple_of(400 * SCALE);
        one.period = Some(period);
        one.phase = Some(ReleasePhase {
            clock: random.below(2) as usize,
            ppm: 0,
            offset: random.below(3 * period),
            period,
        });
    }
}

/// Returns the longest response of each message on a bus that arbitrates whenever it is free.
fn played(bus: &AnalysedBus, random: &mut Random) -> Vec<u64> {
    // Nominal release, arrival, message.
    let mut coming = Vec::new();
    let starts = [(); 2].map(|()| random.below(10_000 * SCALE));
    for (at, one) in bus.messages.iter().enumerate() {
        let period = one.period.unwrap();
        let phase = match one.phase {
            Some(phase) => starts[phase.clock] + phase.offset,
            None => random.below(period),
        };
        for instance in 0..60 {
            let nominal = phase + instance * period;
            let late = match random.below(3) {
                0 => 0,
                1 => one.jitter,
                _ => random.below(one.jitter + 1),
            };
            coming.push((nominal + late, nominal, at));
        }
    }
    coming.sort_unstable();
    let mut slowest = vec![0; bus.messages.len()];
    let mut now = 0;
    while !coming.is_empty() {
        now = now.max(coming[0].0);
        let ready = coming.iter().enumerate().filter(|(_, one)| one.0 <= now);
        let is_oldest = |&(place, one): &(usize, &(u64, u64, usize))| {
            let queue = bus.messages[one.2].queue;
            let before = coming[..place].iter();
            queue == PortQueue::Priority || before.clone().all(|b| bus.messages[b.2].queue != queue)
        };
        let next = ready.filter(is_oldest);
        let (place, _) = next.min_by_key(|(_, one)| one.2).unwrap();
        let (_, nominal, at) = coming.remove(place);
        now += bus.messages[at].frame;
        slowest[at] = slowest[at].max(now - nominal);
    }
    slowest
}
