//! Hand-checked runs, and what holds in every run.

use waywarden_testkit::Random;
use waywarden_v2x_schedule::{Bounds, ClaimedSender, DropCause, Features, Policy, Queue};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::*;

const MS: u64 = 1_000_000;

fn timeline(policy: &str, bounds: Bounds, service_ns: u64) -> Timeline<u64> {
    let policy: Policy = policy.parse().unwrap();
    let mut timeline = Timeline::new(Queue::new(policy, bounds), service_ns);
    timeline.begin(|| Time64(1_000_000));
    timeline
}

fn features(random: &mut Random) -> Features {
    Features {
        deadline: random
            .once_in(3)
            .then(|| Time64(1_000_000 + random.below(300_000))),
        sender: ClaimedSender::Link([0, 0, 0, 0, 0, random.below(5) as u8]),
        ..Features::default()
    }
}

/// Lets messages arrive at these times, in milliseconds, and returns what came of each, in order.
fn run(timeline: &mut Timeline<u64>, arrivals: &[u64]) -> Vec<(u64, Outcome, u64)> {
    let mut decided = Vec::new();
    for (number, at) in (0..).zip(arrivals) {
        while let Some(one) = timeline.next(Some(at * MS)) {
            decided.push(one);
        }
        decided.extend(timeline.arrive(number, &Features::default(), at * MS));
    }
    decided.extend(std::iter::from_fn(|| timeline.next(None)));
    decided
        .into_iter()
        .map(|one| (one.item, one.outcome, one.at_ns / MS))
        .collect()
}

#[test]
fn a_free_verifier_begins_at_once_and_a_busy_one_when_it_is_free() {
    let mut timeline = timeline("fifo", Bounds::DEFAULT, 10 * MS);
    let decided = run(&mut timeline, &[0, 5, 100, 100]);
    let verified = Outcome::Verified;
    let expected = [(0, 0), (1, 10), (2, 100), (3, 110)];
    assert_eq!(decided, expected.map(|(item, at)| (item, verified, at)));
}

#[test]
fn a_full_queue_drops_and_a_long_wait_expires() {
    let bounds = Bounds {
        messages: 2,
        wait_us: 15_000,
        ..Bounds::DEFAULT
    };
    let mut timeline = timeline("fifo", bounds, 10 * MS);
    // The first one is in work when the others come; the verifier is free at 10 ms and at 20 ms.
    let decided = run(&mut timeline, &[0, 1, 2, 3]);
    let expected = [
        (0, Outcome::Verified, 0),
        (3, Outcome::Dropped(DropCause::QueueFull), 3),
        (1, Outcome::Verified, 10),
        (2, Outcome::Dropped(DropCause::Expired), 20),
    ];
    assert_eq!(decided, expected);
}

#[test]
fn every_message_is_decided_once_and_the_capacity_is_kept() {
    let mut random = Random::of_test("every_message_is_decided_once_and_the_capacity_is_kept");
    for _ in 0..waywarden_testkit::cases(50) {
        let service_ns = 1 + random.below(20 * MS);
        let bounds = Bounds {
            messages: 1 + random.below(20) as usize,
            wait_us: 1 + random.below(100_000),
            ..Bounds::DEFAULT
        };
        let policy = ["fifo", "deadline", "class", "class,deadline"][random.below(4) as usize];
        let mut timeline = timeline(policy, bounds, service_ns);
        let (mut now, mut arrivals, mut decided) = (0, Vec::new(), Vec::new());
        for number in 0..100 {
            now += random.below(10 * MS);
            decided.extend(std::iter::from_fn(|| timeline.next(Some(now))));
            arrivals.push(now);
            let features = features(&mut random);
            decided.extend(timeline.arrive(number, &features, now));
            assert!(timeline.waiting() <= bounds.messages);
        }
        decided.extend(std::iter::from_fn(|| timeline.next(None)));
        let mut numbers: Vec<u64> = decided.iter().map(|one| one.item).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..100).collect::<Vec<u64>>());
        assert!(decided.is_sorted_by_key(|one| one.at_ns));
        let verified = decided
            .iter()
            .filter(|one| one.outcome == Outcome::Verified);
        let begun: Vec<(u64, u64)> = verified.map(|one| (one.item, one.at_ns)).collect();
        assert!(
            begun
                .windows(2)
                .all(|two| two[1].1 - two[0].1 >= service_ns)
        );
        for (item, at) in begun {
            let wait = at - arrivals[item as usize];
            assert!(wait / 1_000 <= bounds.wait_us, "{wait} ns");
        }
    }
}
