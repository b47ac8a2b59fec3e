//! Limits of a flood's effect on a queue.

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_schedule::{
    Bounds, ClaimedSender, DropCause, Features, MessageClass, Policy, Queue,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::{NOW, after, at, cam, ego, modena};

const POLICY: &str = "class,circle:150m,deadline";

/// The best claims that there are, or any.
fn claims(random: &mut Random, now: Time64, sender: ClaimedSender) -> Features {
    if random.once_in(2) {
        return Features {
            position: Some(modena()),
            class: MessageClass::Warning,
            deadline: Some(now),
            sender,
            generated: None,
        };
    }
    let (latitude, longitude) = (random.u64() as i32, random.u64() as i32);
    Features {
        position: (!random.once_in(3)).then(|| at(latitude, longitude)),
        class: [MessageClass::Warning, MessageClass::Other][random.index(2)],
        deadline: random.once_in(2).then(|| Time64(random.u64())),
        sender,
        generated: random.once_in(2).then(|| Time64(random.u64())),
    }
}

fn queue(bounds: Bounds) -> Queue<Option<u8>> {
    let policy: Policy = POLICY.parse().unwrap();
    let mut queue = Queue::new(policy, bounds);
    queue.set_ego(ego());
    queue
}

/// Whatever is claimed by whom, the queue keeps its bound, and each message is counted once.
#[test]
fn no_flood_grows_a_queue_past_its_bound() {
    each_seed(40, |seed| {
        let mut random = Random::new(seed);
        let bounds = Bounds {
            messages: 1 + random.index(300),
            ..Bounds::DEFAULT
        };
        let addresses = [1, 2, 16, 1 << 32][random.index(4)];
        let mut queue = queue(bounds);
        for step in 0..2_000 {
            let now = Time64(NOW.0 + step * random.below(2_000));
            let mut address = [0; 6];
            address[..4].copy_from_slice(&(random.below(addresses) as u32).to_le_bytes());
            let features = claims(&mut random, now, ClaimedSender::Link(address));
            queue.push(None, &features, now);
            assert!(queue.len() <= bounds.messages);
            if random.once_in(50) {
                queue.pop(now);
            }
            let counters = queue.counters();
            let rest = counters.popped + counters.all_dropped() + queue.len() as u64;
            assert_eq!(counters.pushed, rest);
        }
    });
}

/// Puts messages of some stations, all outside, into a queue; returns how many.
fn crowd(queue: &mut Queue<Option<u8>>, stations: u8, each: u64) -> usize {
    for tick in 0..each {
        for station in 0..stations {
            let dropped = queue.push(Some(station), &cam(station, 500), after(tick));
            assert!(dropped.is_none_or(|dropped| dropped.item.is_none()));
        }
    }
    usize::from(stations) * each as usize
}

fn crowd_left(queue: &mut Queue<Option<u8>>) -> usize {
    std::iter::from_fn(|| queue.pop(after(10)))
        .flatten()
        .count()
}

/// The queue is full of others' messages when one sender begins to send without end, with the best
/// claims or any: it gets the room of one sender, and no more.
#[test]
fn a_flooding_sender_gets_the_room_of_one_sender() {
    each_seed(20, |seed| {
        let bounds = Bounds {
            messages: 256,
            ..Bounds::DEFAULT
        };
        let mut queue = queue(bounds);
        let mut random = Random::new(seed);
        let sent = crowd(&mut queue, 64, 4);
        for _ in 0..5_000 {
            let features = claims(&mut random, after(10), ClaimedSender::Link([0xFF; 6]));
            queue.push(None, &features, after(10));
        }
        assert_eq!(queue.len(), bounds.messages);
        let left = crowd_left(&mut queue);
        assert!((sent - bounds.per_sender..sent).contains(&left), "{left}");
    });
}

/// Among messages of one class and zone, a flooding sender displaces none of those who send less.
#[test]
fn a_flooding_sender_displaces_no_sender_of_less() {
    let mut queue = queue(Bounds {
        messages: 200,
        ..Bounds::DEFAULT
    });
    let flood = |queue: &mut Queue<Option<u8>>| {
        for _ in 0..1_000 {
            queue.push(None, &cam(0xFF, 500), after(3));
        }
    };
    flood(&mut queue);
    let sent = crowd(&mut queue, 64, 3);
    flood(&mut queue);
    assert_eq!(queue.len(), 200);
    assert_eq!(crowd_left(&mut queue), sent);
}

/// A flood from as many forged addresses as messages, all with better claims: those of another
/// class and zone keep their reserved room.
#[test]
fn forged_senders_leave_the_reserved_room_of_other_zones() {
    let mut queue = queue(Bounds::DEFAULT);
    let mut honest = 0;
    for number in 0_u32..20_000 {
        let mut address = [0xFF; 6];
        address[..4].copy_from_slice(&number.to_le_bytes());
        let features = Features {
            position: (number % 2 == 0).then(modena),
            ..cam(0, 0)
        };
        let sender = ClaimedSender::Link(address);
        queue.push(None, &Features { sender, ..features }, NOW);
        if number % 400 == 0 {
            let station = (number / 400) as u8;
            let dropped = queue.push(Some(station), &cam(station, 500), NOW);
            assert!(dropped.is_none_or(|dropped| dropped.item.is_none()));
            honest += 1;
        }
    }
    assert_eq!(queue.len(), Bounds::DEFAULT.messages);
    let kept = std::iter::from_fn(|| queue.pop(NOW)).flatten().count();
    assert_eq!((kept, honest), (50, 50));
}

/// Urgent messages never run out, and yet each eighth verification is of the longest wait.
#[test]
fn urgent_messages_hold_up_no_other_one_for_good() {
    let mut queue = queue(Bounds::DEFAULT);
    for station in 1..=10 {
        queue.push(Some(station), &cam(station, 500), NOW);
    }
    let mut popped = Vec::new();
    for _ in 0..80 {
        queue.push(None, &cam(0, 0), NOW);
        popped.push(queue.pop(NOW).unwrap());
    }
    let expected = (1..=80).map(|number| (number % 8 == 0).then_some(number / 8));
    assert_eq!(popped, expected.collect::<Vec<_>>());
    // Without that guarantee they wait as long as the flood lasts.
    let mut strict = self::queue(Bounds {
        oldest_every: 0,
        ..Bounds::DEFAULT
    });
    strict.push(Some(1), &cam(1, 500), NOW);
    for _ in 0..80 {
        strict.push(None, &cam(0, 0), NOW);
        assert_eq!(strict.pop(NOW), Some(None));
    }
}

/// Among equal messages the last to come goes, so the order of those that wait does not change.
#[test]
fn a_full_queue_drops_the_last_of_the_least_urgent() {
    let mut queue = queue(Bounds {
        messages: 3,
        ..Bounds::DEFAULT
    });
    for station in 1..=3 {
        assert_eq!(queue.push(Some(station), &cam(station, 500), NOW), None);
    }
    let item = |dropped: Option<waywarden_v2x_schedule::Dropped<_>>| {
        dropped.map(|dropped| (dropped.item, dropped.cause))
    };
    let near = queue.push(Some(4), &cam(4, 100), NOW);
    assert_eq!(item(near), Some((Some(3), DropCause::QueueFull)));
    let far = queue.push(Some(5), &cam(5, 500), NOW);
    assert_eq!(item(far), Some((Some(5), DropCause::QueueFull)));
    let order: Vec<_> = std::iter::from_fn(|| queue.pop(NOW)).flatten().collect();
    assert_eq!(order, [4, 1, 2]);
}

/// A deadline far away keeps no place in the queue, and one that is over takes none.
#[test]
fn deadlines_are_shortened_to_the_longest_wait() {
    let mut queue = queue(Bounds::DEFAULT);
    let with = |station, deadline| Features {
        deadline: Some(deadline),
        ..cam(station, 0)
    };
    queue.push(Some(1), &with(1, Time64(u64::MAX)), NOW);
    queue.push(Some(2), &with(2, after(100)), NOW);
    queue.push(Some(3), &with(3, after(999)), NOW);
    let over = queue
        .push(Some(4), &with(4, Time64(NOW.0 - 1)), NOW)
        .unwrap();
    assert_eq!((over.item, over.cause), (Some(4), DropCause::Expired));
    // A deadline is the last moment at which a message is verified.
    assert_eq!(queue.pop_expired(after(100)), None);
    assert_eq!(queue.pop_expired(after(101)), Some(Some(2)));
    assert_eq!(queue.pop(after(999)), Some(Some(3)));
    assert_eq!(queue.pop(Time64(after(1_000).0 + 1)), None);
    assert!(queue.is_empty());
    assert_eq!(queue.counters().dropped(DropCause::Expired), 3);
    // A clock that goes back or ends breaks nothing.
    let mut endless = self::queue(Bounds {
        wait_us: u64::MAX,
        ..Bounds::DEFAULT
    });
    assert_eq!(endless.push(Some(1), &cam(1, 0), Time64(u64::MAX)), None);
    assert_eq!(endless.push(Some(2), &cam(2, 0), Time64(0)), None);
    assert_eq!(endless.pop(Time64(u64::MAX)), Some(Some(1)));
    assert_eq!(endless.pop(Time64(0)), Some(Some(2)));
}

/// Senders that are not known count as one, without a bound of its own: they give way to others.
#[test]
fn unknown_senders_fill_only_what_others_leave() {
    let mut queue = queue(Bounds {
        messages: 100,
        ..Bounds::DEFAULT
    });
    let unknown = Features {
        sender: ClaimedSender::Unknown,
        ..cam(0, 0)
    };
    for _ in 0..100 {
        assert_eq!(queue.push(None, &unknown, NOW), None);
    }
    for station in 1..=20 {
        let dropped = queue.push(Some(station), &cam(station, 0), NOW).unwrap();
        assert_eq!((dropped.item, dropped.cause), (None, DropCause::QueueFull));
    }
    assert_eq!(queue.len(), 100);
}

#[test]
fn memory_grows_with_the_bound_alone() {
    let of = |messages| {
        let bounds = Bounds {
            messages,
            ..Bounds::DEFAULT
        };
        queue(bounds).memory_max()
    };
    println!("{} bytes for 1,024 messages", of(1_024));
    assert!(of(1_024) < 1 << 20);
    assert_eq!(of(2_047), 2 * of(1_023));
    assert_eq!(of(usize::MAX), usize::MAX);
}
