//! The queue against a list that is searched from end to end at each step.

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_schedule::{
    Bounds, ClaimedSender, DropCause, Ego, Features, MessageClass, Policy, Queue, QueueCounters,
    Zone,
};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::{NOW, at, modena};

/// The one policy whose ranks the model computes: class, then circle, then deadline.
const POLICY: &str = "class,circle:150m,deadline";

#[derive(Clone, Debug)]
struct Entry {
    number: u64,
    class: MessageClass,
    zone: Zone,
    deadline: Time64,
    sender: ClaimedSender,
}

impl Entry {
    fn turn(&self) -> (MessageClass, Zone, Time64, u64) {
        (self.class, self.zone, self.deadline, self.number)
    }

    fn group(&self) -> (MessageClass, Zone) {
        (self.class, self.zone)
    }
}

struct Model {
    policy: Policy,
    bounds: Bounds,
    ego: Option<Ego>,
    waiting: Vec<Entry>,
    next: u64,
    popped: u64,
}

impl Model {
    /// Drops the entry, if there is one, and says which one it was.
    fn take(&mut self, number: Option<u64>) -> Option<u64> {
        self.waiting.retain(|entry| Some(entry.number) != number);
        number
    }

    fn expire(&mut self, now: Time64) -> usize {
        let before = self.waiting.len();
        self.waiting.retain(|entry| entry.deadline >= now);
        before - self.waiting.len()
    }

    fn count(&self, sender: ClaimedSender) -> usize {
        let own = self.waiting.iter().filter(|entry| entry.sender == sender);
        own.count()
    }

    /// Takes a message; which number is dropped for it, and why.
    fn push(&mut self, features: &Features, now: Time64) -> Option<(Option<u64>, DropCause)> {
        let zone = self
            .policy
            .zone(features.position.as_ref(), self.ego.as_ref());
        let latest = Time64(now.0 + self.bounds.wait_us);
        let deadline = features.deadline.map_or(latest, |own| own.min(latest));
        if deadline < now {
            return Some((None, DropCause::Expired));
        }
        let entry = Entry {
            number: self.next,
            class: features.class,
            zone,
            deadline,
            sender: features.sender,
        };
        self.next += 1;
        self.waiting.push(entry.clone());
        let of_sender = self.count(entry.sender);
        if entry.sender != ClaimedSender::Unknown && of_sender > self.bounds.per_sender {
            let own = self
                .waiting
                .iter()
                .filter(|other| other.sender == entry.sender);
            let last = own.max_by_key(|other| other.turn()).map(|own| own.number);
            return Some((self.take(last), DropCause::SenderFull));
        }
        if self.waiting.len() > self.bounds.messages {
            let size = |own: &Entry| {
                let of = |other: &&Entry| other.group() == own.group();
                self.waiting.iter().filter(of).count()
            };
            let wide = self
                .waiting
                .iter()
                .filter(|own| size(own) > self.bounds.reserved);
            let last = wide.max_by_key(|own| (self.count(own.sender), own.turn()));
            let last = last.map(|own| own.number);
            return Some((self.take(last), DropCause::QueueFull));
        }
        None
    }

    fn pop(&mut self) -> Option<u64> {
        let every = u64::from(self.bounds.oldest_every);
        let next = match every > 0 && (self.popped + 1).is_multiple_of(every) {
            true => self.waiting.iter().min_by_key(|entry| entry.number),
            false => self.waiting.iter().min_by_key(|entry| entry.turn()),
        };
        let number = next?.number;
        self.popped += 1;
        self.take(Some(number))
    }
}

fn features(random: &mut Random, now: Time64) -> Features {
    let place = modena();
    let class = [
        MessageClass::Warning,
        MessageClass::Awareness,
        MessageClass::Other,
    ][random.index(3)];
    let north = random.below(40_000) as i32 - 20_000;
    let deadline = match random.index(4) {
        0 => Some(Time64(now.0.saturating_sub(random.below(1_000)))),
        1 => Some(Time64(now.0 + random.below(100_000))),
        2 => Some(Time64(u64::MAX - random.below(2))),
        _ => None,
    };
    // Half of all messages come from one sender.
    let sender = match random.index(8) {
        0 => ClaimedSender::Unknown,
        1 => ClaimedSender::Certificate(HashedId8([random.below(4) as u8; 8])),
        2 | 3 => ClaimedSender::Link([random.below(200) as u8; 6]),
        _ => ClaimedSender::Link([0xFF; 6]),
    };
    Features {
        position: (!random.once_in(4)).then(|| at(place.latitude.0 + north, place.longitude.0)),
        class,
        deadline,
        sender,
        generated: None,
    }
}

fn bounds(random: &mut Random) -> Bounds {
    Bounds {
        messages: 1 + random.index(40),
        reserved: random.index(3),
        per_sender: 1 + random.index(8),
        wait_us: random.below(80_000),
        oldest_every: random.below(5) as u32,
        ..Bounds::DEFAULT
    }
}

fn run(seed: u64) -> (QueueCounters, u64) {
    let mut random = Random::new(seed);
    let bounds = bounds(&mut random);
    let policy: Policy = POLICY.parse().unwrap();
    let mut queue = Queue::new(policy, bounds);
    let mut model = Model {
        policy,
        bounds: Bounds {
            reserved: bounds.reserved.min(bounds.messages / 9),
            ..bounds
        },
        ego: None,
        waiting: Vec::new(),
        next: 0,
        popped: 0,
    };
    let (mut now, mut expired) = (NOW, 0);
    // An item is the number that the queue gives it: that of the messages that came in before.
    for _ in 0..400 {
        now.0 += random.below(4_000);
        match random.index(8) {
            0 => {
                model.ego = (!random.once_in(4))
                    .then(|| Ego::new(modena(), None))
                    .flatten();
                queue.set_ego(model.ego);
            }
            1 | 2 => {
                expired += model.expire(now) as u64;
                assert_eq!(queue.pop(now), model.pop());
            }
            _ => {
                expired += model.expire(now) as u64;
                let features = features(&mut random, now);
                let number = model.next;
                let dropped = queue.push(number, &features, now);
                let dropped = dropped.map(|own| (own.item, own.cause));
                let expected = model.push(&features, now);
                expired += u64::from(matches!(expected, Some((None, _))));
                let own = expected.map(|(item, cause)| (item.unwrap_or(number), cause));
                assert_eq!(dropped, own);
            }
        }
        let counters = queue.counters();
        assert_eq!(queue.len(), model.waiting.len());
        assert!(queue.len() <= bounds.messages);
        assert_eq!(counters.dropped(DropCause::Expired), expired);
        assert_eq!(counters.popped, model.popped);
        let rest = counters.popped + counters.all_dropped() + queue.len() as u64;
        assert_eq!(counters.pushed, rest);
    }
    (queue.counters(), expired)
}

#[test]
fn the_queue_does_what_a_searched_list_does() {
    let runs = each_seed(300, run);
    let of = |cause| runs.iter().map(|(own, _)| own.dropped(cause)).sum::<u64>();
    let counts = DropCause::ALL.map(|cause| (cause, of(cause)));
    println!("{} runs: {counts:?}", runs.len());
    // Each bound was met, or the runs say nothing of it.
    let is_met = |cause| runs.len() < 300 || of(cause) > 100;
    for cause in [
        DropCause::Expired,
        DropCause::SenderFull,
        DropCause::QueueFull,
    ] {
        assert!(is_met(cause), "{cause:?}");
    }
}
