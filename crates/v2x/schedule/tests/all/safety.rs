//! The policy that plans by what messages are worth.

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_schedule::{Bounds, ClaimedSender, Features, Policy, Queue, SAFETY_APPLICATIONS};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::{NOW, cam, ego};

/// A board that verifies a message in 10 ms.
const BOARD: Bounds = Bounds {
    verification_us: 10_000,
    known_sender_us: 10_000,
    ..Bounds::DEFAULT
};

fn queue<T>(bounds: Bounds) -> Queue<T> {
    let policy: Policy = "safety".parse().unwrap();
    let mut queue = Queue::new(policy, bounds);
    queue.set_ego(ego());
    queue
}

fn from(sender: u64, north_m: i32, generated: Time64) -> Features {
    Features {
        sender: ClaimedSender::Certificate(HashedId8(sender.to_be_bytes())),
        generated: Some(generated),
        ..cam(0, north_m)
    }
}

/// Counts the applications that a message serves if it is verified at an age. A nominal distance of
/// 250 m is some centimetres more.
fn served(north_m: i32, age_us: u64) -> usize {
    let in_time = SAFETY_APPLICATIONS
        .iter()
        .filter(|one| i32::from(one.range_m) > north_m && one.latency_us >= age_us);
    in_time.count()
}

/// A second of work: the items in the order of their verification, and when each is done.
fn work<T>(queue: &mut Queue<T>, bounds: &Bounds) -> Vec<(T, Time64)> {
    let mut now = NOW;
    std::iter::from_fn(|| {
        let next = queue.pop(now)?;
        now.0 += bounds.verification_us;
        Some((next, now))
    })
    .collect()
}

#[test]
fn of_what_cannot_all_be_verified_the_most_useful_is() {
    each_seed(60, |seed| {
        let mut random = Random::new(seed);
        // From 200 m on a message has one latency, so a set of messages has one value.
        let messages: Vec<(i32, u64)> = (0..10)
            .map(|_| (201 + random.below(150) as i32, random.below(100_000)))
            .collect();
        let mut queue = queue(BOARD);
        for (sender, (north, age)) in messages.iter().enumerate() {
            let made = Time64(NOW.0 - age);
            queue.push(sender, &from(sender as u64, *north, made), NOW);
        }
        let verified = work(&mut queue, &BOARD);
        let value: usize = verified
            .iter()
            .map(|(sender, done)| {
                let (north, age) = messages[*sender];
                served(north, age + done.0 - NOW.0)
            })
            .sum();
        assert_eq!(verified.len(), messages.len(), "seed {seed}");
        assert_eq!(value, best(&messages), "seed {seed}: {messages:?}");
    });
}

/// The most that any choice and order of messages serves: of a choice the order of deadlines is the
/// best one.
fn best(messages: &[(i32, u64)]) -> usize {
    let of_choice = |choice: u32| {
        let chosen = messages.iter().enumerate();
        let chosen = chosen.filter(|(at, _)| choice >> at & 1 == 1);
        let mut ages: Vec<(u64, i32)> = chosen.map(|(_, one)| (one.1, one.0)).collect();
        ages.sort_unstable_by(|one, other| other.cmp(one));
        let each = ages.iter().zip(1..);
        each.map(|((age, north), place)| served(*north, age + place * BOARD.verification_us))
            .sum()
    };
    let all = 0..1_u32 << messages.len();
    all.map(of_choice).max().unwrap_or(0)
}

#[test]
fn workers_side_by_side_are_planned_for() {
    // Three at a time: 30 of them in 100 ms.
    let bounds = Bounds {
        workers: 3,
        ..BOARD
    };
    let mut queue = queue(bounds);
    for sender in 0..40 {
        queue.push(sender, &from(sender, 280, NOW), NOW);
    }
    let mut in_time = 0;
    for round in 1..=14 {
        let now = Time64(NOW.0 + (round - 1) * bounds.verification_us);
        for _ in 0..3 {
            let taken = queue.pop(now).is_some();
            in_time += u32::from(taken && round * bounds.verification_us <= 100_000);
        }
    }
    assert_eq!((in_time, queue.len()), (30, 0));
}

/// A message of a race.
#[derive(Clone, Copy)]
struct Sent {
    features: Features,
    is_valid: bool,
    is_honest: bool,
}

/// One side of a race for a verifier that can do one message in 10 ms.
struct Race {
    queue: Queue<Sent>,
    random: Random,
    honest: u64,
    honest_in_time: u64,
    bounds: Bounds,
}

impl Race {
    fn new(seed: u64, bounds: Bounds) -> Self {
        let policy: Policy = "safety".parse().unwrap();
        let mut queue = Queue::new(policy, bounds);
        queue.set_ego(ego());
        Self {
            queue,
            random: Random::new(seed),
            honest: 0,
            honest_in_time: 0,
            bounds,
        }
    }

    /// Eight honest senders at 10 Hz and 150 m, which is 80 % of what can be verified, and one
    /// that sends 1,000 messages a second as it likes, for ten seconds.
    fn run(&mut self, attack: impl Fn(&mut Random, Time64) -> (Features, bool)) {
        for tick in 0..10_000_u64 {
            let now = Time64(NOW.0 + tick * 1_000);
            if tick.is_multiple_of(12) {
                self.honest += u64::from(tick >= 1_000);
                self.push(from(tick / 12 % 8, 150, now), (true, true), now);
            }
            let (features, is_valid) = attack(&mut self.random, now);
            self.push(features, (is_valid, false), now);
            if tick.is_multiple_of(10)
                && let Some(next) = self.queue.pop(now)
            {
                let done = Time64(now.0 + self.bounds.verification_us);
                self.queue.learn(&next.features, done, next.is_valid);
                let made = next.features.generated.unwrap_or(done);
                let is_in_time = done.0 - made.0 <= 100_000 && tick >= 1_000;
                self.honest_in_time += u64::from(next.is_honest && is_in_time);
            }
        }
    }

    fn push(&mut self, features: Features, (is_valid, is_honest): (bool, bool), now: Time64) {
        let sent = Sent {
            features,
            is_valid,
            is_honest,
        };
        self.queue.push(sent, &features, now);
    }

    fn share(&self) -> f64 {
        self.honest_in_time as f64 / self.honest as f64
    }
}

#[test]
fn forged_positions_do_not_starve_known_senders() {
    each_seed(4, |seed| {
        // Names without a vehicle, near.
        let mut fresh = Race::new(seed, BOARD);
        fresh.run(|random, now| (from(random.u64(), 20, now), false));
        // The names of honest senders at positions where they are not.
        let mut names = Race::new(seed, BOARD);
        names.run(|random, now| (from(random.below(8), -1_000, now), false));
        // Valid signatures of one sender.
        let mut insider = Race::new(seed, BOARD);
        insider.run(|_, now| (from(99, 20, now), true));
        let shares = [fresh.share(), names.share(), insider.share()];
        assert!(
            shares.iter().all(|share| *share > 0.75),
            "seed {seed}: {shares:?}"
        );
    });
}

#[test]
fn memory_is_as_much_as_the_docs_say() {
    let bytes = queue::<u64>(Bounds::DEFAULT).memory_max();
    let other = Queue::<u64>::new(Policy::FIFO, Bounds::DEFAULT).memory_max();
    assert!(
        bytes - other < 550_000 && other < 950_000,
        "{bytes} {other}"
    );
}

#[test]
fn of_equal_messages_that_of_who_comes_nearer_is_first() {
    let mut queue = queue(BOARD);
    // Seen at 180 m and at 150 m, and half a second later both at 165 m.
    for (sender, north) in [(1, 180), (2, 150)] {
        let first = from(sender, north, NOW);
        queue.push(sender, &first, NOW);
        assert_eq!(queue.pop(NOW), Some(sender));
        queue.learn(&first, NOW, true);
    }
    let now = Time64(NOW.0 + 500_000);
    // There is time for one.
    let made = Time64(now.0 - 85_000);
    for sender in [2, 1] {
        queue.push(sender, &from(sender, 165, made), now);
    }
    assert_eq!(queue.pop(now), Some(1));
}

#[test]
fn known_certificates_make_room_for_more() {
    // 100 ms have room for ten with their certificates and for twenty of known senders.
    let bounds = Bounds {
        known_sender_us: 5_000,
        per_sender: 1_000,
        ..BOARD
    };
    let planned = |is_known: bool| {
        let mut queue = queue(bounds);
        let mut now = NOW;
        for sender in 0..30 {
            let first = from(sender, 280, now);
            queue.push(sender, &first, now);
            queue.pop(now);
            now.0 += bounds.verification_us;
            queue.learn(&first, now, is_known);
        }
        now.0 += 200_000;
        for sender in 0..30 {
            queue.push(sender, &from(sender, 280, now), now);
        }
        let (begin, mut in_time) = (now, 0);
        while queue.pop(now).is_some() {
            now.0 += if is_known { 5_000 } else { 10_000 };
            in_time += u32::from(now.0 - begin.0 <= 100_000);
        }
        in_time
    };
    assert_eq!((planned(true), planned(false)), (20, 10));
}
