//! Known answers, and the analysis beside a bus that is played frame by frame.

use super::*;
use crate::message::{Errors, Priority};
use waywarden_testkit::{Random, each_seed};

/// 125 kbit/s.
const BIT: u64 = 8_000_000;
const MS: u64 = 1_000_000_000;

fn message(key: u32, period: u64, frame: u64) -> Message {
    Message {
        priority: Priority {
            first: key,
            last: key,
        },
        queue: Queue::Priority,
        period: Some(period),
        jitter: 0,
        uncounted: 0,
        frame,
    }
}

fn bus(messages: Vec<Message>) -> Bus {
    Bus {
        bit: BIT,
        errors: None,
        messages,
    }
}

fn milliseconds(bus: &Bus) -> Vec<f64> {
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
    all[0].queue = Queue::Fifo(0);
    all[1].queue = Queue::Fifo(0);
    // Behind 9 in the FIFO, and 5 goes before 9.
    assert_eq!(milliseconds(&bus(all.clone()))[0], 3.0);
    all[0].queue = Queue::Unordered(0);
    all[1].queue = Queue::Unordered(0);
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
    stuck.queue = Queue::Fifo(0);
    flood.queue = Queue::Fifo(0);
    let bounds = response_times(&bus(vec![stuck, flood, message(3, 9 * MS, MS)]));
    assert_eq!(bounds[2], Err(NoBound::UnboundedQueue));
}

#[test]
fn a_busy_period_of_jobs_needs_a_load_below_one() {
    assert_eq!(level_busy_period(0, &[(10, 0, 3), (20, 0, 5)]), Ok(8));
    assert_eq!(
        level_busy_period(0, &[(10, 0, 5), (20, 0, 10)]),
        Err(NoBound::Overload)
    );
    assert_eq!(
        level_busy_period(0, &[(0, 0, 5)]),
        Err(NoBound::UnlimitedRate)
    );
}

/// Plays one bus with random phases and jitter; each response stays below its bound.
#[test]
fn no_played_response_exceeds_its_bound() {
    each_seed(200, |seed| {
        let mut random = Random::new(seed);
        let number = 2 + random.below(7) as usize;
        let ports = random.below(3) as usize;
        let messages: Vec<Message> = (0..number as u32)
            .map(|key| {
                let frame = 50 + random.below(80);
                let mut one = message(key, frame * (2 + random.below(3 * number as u64)), frame);
                one.jitter = random.below(one.period.unwrap());
                one.queue = match ports {
                    0 => Queue::Priority,
                    _ if random.below(2) == 0 => Queue::Priority,
                    ports => Queue::Fifo(random.below(ports as u64) as usize),
                };
                one
            })
            .collect();
        let bus = Bus {
            bit: 1,
            errors: None,
            messages,
        };
        let bounds = response_times(&bus);
        for (at, seen) in played(&bus, &mut random).into_iter().enumerate() {
            if let Ok(bound) = bounds[at] {
                assert!(seen <= bound, "message {at}: {seen} > {bound} of {bus:?}");
            }
        }
    });
}

/// Returns the longest response of each message on a bus that arbitrates whenever it is free.
fn played(bus: &Bus, random: &mut Random) -> Vec<u64> {
    // Nominal release, arrival, message.
    let mut coming = Vec::new();
    for (at, one) in bus.messages.iter().enumerate() {
        let period = one.period.unwrap();
        let phase = random.below(period);
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
            queue == Queue::Priority || before.clone().all(|b| bus.messages[b.2].queue != queue)
        };
        let next = ready.filter(is_oldest);
        let (place, _) = next.min_by_key(|(_, one)| one.2).unwrap();
        let (_, nominal, at) = coming.remove(place);
        now += bus.messages[at].frame;
        slowest[at] = slowest[at].max(now - nominal);
    }
    slowest
}
