//! The order that policies give, and policies as text.

use waywarden_testkit::{Random, cases};
use waywarden_v2x_schedule::{
    Bounds, CRITERIA_MAX, Criterion, DropCause, Features, MessageClass, Policy, PolicyError, Queue,
    ReceiverArea, Zone,
};

use super::{NOW, after, area, cam, ego, modena};

fn policy(text: &str) -> Policy {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The order in which messages leave a queue.
fn order(policy: Policy, messages: &[Features]) -> Vec<usize> {
    let bounds = Bounds {
        oldest_every: 0,
        ..Bounds::DEFAULT
    };
    let mut queue = Queue::new(policy, bounds);
    queue.set_ego(ego());
    for (number, features) in messages.iter().enumerate() {
        queue.push(number, features, NOW);
    }
    std::iter::from_fn(|| queue.pop(NOW)).collect()
}

#[test]
fn each_policy_has_its_order() {
    let unknown = Features {
        position: None,
        ..cam(1, 0)
    };
    let warning = Features {
        class: MessageClass::Warning,
        ..cam(2, 400)
    };
    let late = Features {
        deadline: Some(after(500)),
        ..cam(3, 400)
    };
    let soon = Features {
        deadline: Some(after(20)),
        ..cam(4, -100)
    };
    let messages = [cam(5, 400), unknown, warning, cam(6, 100), late, soon];
    for (text, expected) in [
        ("fifo", [0, 1, 2, 3, 4, 5]),
        ("deadline", [5, 4, 0, 1, 2, 3]),
        ("class", [2, 0, 1, 3, 4, 5]),
        ("circle:150m", [3, 5, 1, 0, 2, 4]),
        ("ellipse:25x150m", [3, 5, 1, 0, 2, 4]),
        ("sector:150m:90deg", [3, 1, 0, 2, 4, 5]),
        ("class,circle:150m", [2, 3, 5, 1, 0, 4]),
        ("circle:150m,class", [3, 5, 1, 2, 0, 4]),
        ("circle:150m,deadline", [5, 3, 1, 4, 0, 2]),
        ("circle:50m,circle:450m", [0, 2, 3, 4, 5, 1]),
        ("circle:150m,circle:450m", [3, 5, 0, 2, 4, 1]),
        ("circle:50m,class,circle:150m", [2, 3, 5, 1, 0, 4]),
        ("sector:450m:90deg,deadline", [4, 0, 2, 3, 1, 5]),
    ] {
        assert_eq!(order(policy(text), &messages), expected, "{text}");
    }
}

/// Messages from outside are verified later, and in the exclusive mode not at all; those from an
/// unknown position are verified in both.
#[test]
fn only_an_exclusive_policy_drops_what_lies_outside() {
    let unknown = Features {
        position: None,
        ..cam(1, 0)
    };
    let messages = [cam(2, 200), unknown, cam(3, 100), cam(4, 149), cam(5, -151)];
    assert_eq!(order(policy("circle:150m"), &messages), [2, 3, 1, 0, 4]);
    let exclusive = policy("circle:150m,exclusive");
    assert_eq!(order(exclusive, &messages), [2, 3, 1]);
    let mut queue = Queue::new(exclusive, Bounds::DEFAULT);
    queue.set_ego(ego());
    let dropped = queue.push('a', &messages[0], NOW).unwrap();
    assert_eq!((dropped.item, dropped.cause), ('a', DropCause::Outside));
    assert_eq!(queue.counters().dropped(DropCause::Outside), 1);
    // A receiver that does not know where it is verifies everything.
    queue.set_ego(None);
    assert_eq!(queue.push('b', &messages[0], NOW), None);
    // With several areas, outside is outside of all of them.
    let rings = policy("circle:50m,circle:150m,exclusive");
    assert_eq!(order(rings, &messages), [2, 3, 1]);
}

#[test]
fn zones_are_those_of_the_best_area() {
    let (inside, outside) = (modena(), cam(1, 400).position.unwrap());
    let rings = policy("circle:50m,circle:150m");
    let (own, at_100) = (ego().unwrap(), cam(1, 100).position.unwrap());
    assert_eq!(rings.zone(Some(&inside), Some(&own)), Zone::Inside);
    assert_eq!(rings.zone(Some(&at_100), Some(&own)), Zone::Inside);
    assert_eq!(rings.zone(Some(&outside), Some(&own)), Zone::Outside);
    assert_eq!(rings.zone(None, Some(&own)), Zone::Unknown);
    assert_eq!(rings.zone(Some(&inside), None), Zone::Unknown);
    assert_eq!(Policy::FIFO.zone(Some(&inside), Some(&own)), Zone::Unknown);
}

#[test]
fn texts_that_are_no_policy_are_refused() {
    for text in [
        "",
        "circle",
        "circle:",
        "circle:150",
        "circle:+150m",
        "circle:-1m",
        "circle:65536m",
        "circle:1.5m",
        "circle:m",
        "circle: 150m",
        "ellipse:25m",
        "ellipse:25mx300m",
        "ellipse:x300m",
        "sector:300m",
        "sector:300m:90",
        "sector:300m:deg",
        "fifo,class",
        "class,",
        ",class",
        "Class",
        "class,exclusive,circle:1m",
        "circle:1mexclusive",
        "circle:1m,exclusive,exclusive",
        ",exclusive",
        "circle:١m",
    ] {
        let error = text.parse::<Policy>().unwrap_err();
        assert!(matches!(error, PolicyError::Unknown(_)), "{text}: {error}");
    }
    for text in ["exclusive", "fifo,exclusive", "class,exclusive"] {
        assert_eq!(text.parse::<Policy>(), Err(PolicyError::NoArea), "{text}");
    }
    let many = ["class"; CRITERIA_MAX + 1].join(",");
    assert_eq!(many.parse::<Policy>(), Err(PolicyError::TooMany));
    let many = [Criterion::Class; CRITERIA_MAX + 1];
    assert_eq!(Policy::new(&many), None);
}

#[test]
fn policies_survive_the_way_through_text() {
    let mut random = Random::of_test("policies_survive_the_way_through_text");
    for _ in 0..cases(500) {
        let count = random.index(CRITERIA_MAX + 1);
        let mut criterion = || match random.index(4) {
            0 => Criterion::Class,
            1 => Criterion::Deadline,
            2 => Criterion::Safety,
            _ => Criterion::Area(area(&mut random)),
        };
        let criteria: Vec<Criterion> = (0..count).map(|_| criterion()).collect();
        let policy = Policy::new(&criteria).unwrap();
        let has_area = criteria.iter().any(|one| matches!(one, Criterion::Area(_)));
        let policy = if has_area && random.once_in(2) {
            policy.exclusive()
        } else {
            policy
        };
        assert_eq!(policy.to_string().parse(), Ok(policy), "{policy}");
    }
    let area = ReceiverArea::Ellipse {
        side_m: 25,
        ahead_m: 300,
    };
    let policy = Policy::from(Criterion::Area(area)).exclusive();
    assert_eq!(policy.to_string(), "ellipse:25x300m,exclusive");
    assert_eq!(Policy::FIFO.to_string(), "fifo");
}
