//! One exchange of group keys: what is kept of it, where it ends, and how it is summed up.

use std::ops::ControlFlow;

use waywarden_vehicle::exchange::{self, Entry, Exchange, FrameEntry, Recipe};
use waywarden_vehicle::file::VehicleFile;
use waywarden_vehicle::lower::lower;
use waywarden_vehicle::resources::Resources;

/// Two buses under one gateway; `a` conducts.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "20s"
[[bus]]
name = "one"
bitrate = "500k"
[[bus]]
name = "two"
bitrate = "250k"
[[ecu]]
name = "gateway"
board = "tc297"
ports = ["one", "two"]
[[ecu]]
name = "a"
board = "tc297"
ports = ["one"]
[[ecu]]
name = "b"
board = "tc277"
ports = ["two"]
[[keys]]
name = "all"
orchestrator = "a"
buses = ["one", "two"]
gateway = "gateway"
"#;

fn run(text: &str) -> Exchange {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let groups: Vec<usize> = (0..file.groups.len()).collect();
    exchange::run(&file, lowered, &groups, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn recipe(ecus: u32, keys: &[(&str, &str)], data_bit_rate: Option<u32>) -> String {
    let recipe = Recipe {
        ecus,
        board: "tc297",
        bit_rate: 500_000,
        data_bit_rate,
        keys,
        seed: 3,
        duration: "60s",
    };
    recipe.toml()
}

fn frames(exchange: &Exchange) -> impl Iterator<Item = &FrameEntry> {
    exchange.time_line.iter().filter_map(|entry| match entry {
        Entry::Frame(frame) => Some(frame),
        _ => None,
    })
}

#[test]
fn a_gateway_forwards_and_that_is_told_apart() {
    let exchange = run(CAR);
    assert!(exchange.agreed);
    let group = &exchange.groups[0];
    let of = |origin| {
        frames(&exchange)
            .filter(move |frame| frame.origin == origin)
            .count() as u64
    };
    // Each of one ECU's frames is on its bus and, forwarded, on the other one. The gateway sends
    // its own on both.
    assert_eq!(of("own") + of("forwarded"), group.frames);
    assert_eq!(of("foreign"), 0);
    let by = |ecu: &'static str, origin| {
        let by = move |frame: &&FrameEntry| frame.ecu == ecu && frame.origin == origin;
        frames(&exchange).filter(by).count() as u64
    };
    assert!(by("a", "own") > 0 && by("b", "own") > 0 && by("gateway", "own") > 0);
    assert_eq!(of("forwarded"), by("gateway", "forwarded"));
    assert_eq!(of("forwarded"), by("a", "own") + by("b", "own"));
    for bus in ["one", "two"] {
        let on_bus = frames(&exchange).filter(|frame| frame.bus == bus).count() as u64;
        assert_eq!(2 * on_bus, group.frames, "{bus}");
    }
}

#[test]
fn it_ends_before_the_next_agreement_and_before_the_first_beacon() {
    let alone = run(&recipe(3, &[], Some(2_000_000)));
    let finishes =
        |exchange: &Exchange| frames(exchange).filter(|one| one.step == "finish").count();
    assert_eq!(finishes(&alone), 1);
    // The run went on after that: it saw a beacon, which is left out.
    assert!(alone.end_ms > alone.groups[0].agreed_ms.unwrap() + 1_000.0);
    let renewed = recipe(3, &[("renewal", "400ms")], Some(2_000_000));
    let renewed = run(&renewed);
    assert_eq!(renewed.groups[0].frames, alone.groups[0].frames);
    assert_eq!(finishes(&renewed), 1);
}

#[test]
fn sums_are_those_of_the_time_line() {
    let exchange = run(&recipe(5, &[("suite", "p256")], None));
    let group = &exchange.groups[0];
    let bytes: usize = frames(&exchange).map(|frame| frame.bytes).sum();
    assert_eq!(
        (group.frames, group.bytes),
        (frames(&exchange).count() as u64, bytes as u64)
    );
    assert_eq!(
        group.steps.iter().map(|step| step.frames).sum::<u64>(),
        group.frames
    );
    assert_eq!(
        group.parts.iter().map(|part| part.frames).sum::<u64>(),
        group.frames
    );
    assert_eq!(
        group.ecus.iter().map(|ecu| ecu.frames).sum::<u64>(),
        group.frames
    );
    for party in &group.ecus {
        let of_party = exchange.time_line.iter().filter_map(|entry| match entry {
            Entry::Computation(one) if one.ecu == party.ecu => Some(one.computed_ms),
            _ => None,
        });
        let computed: f64 = of_party.sum();
        assert!((computed - party.computed_ms).abs() < 1e-3 && computed > 10.0);
    }
    let times = exchange.time_line.iter().map(Entry::from_ms);
    assert!(times.is_sorted());
    for frame in frames(&exchange) {
        assert!(frame.to_ms > frame.from_ms && frame.data.len() == 2 * frame.bytes);
    }
}

#[test]
fn steps_join_segments_and_stages() {
    let exchange = run(&recipe(2, &[("profile", "as-published")], None));
    let steps = exchange.steps();
    // 3 exchanges of 5 messages in 32 frames.
    let messages: Vec<_> = steps.iter().filter(|line| line.bytes.is_some()).collect();
    assert_eq!((messages.len(), exchange.groups[0].frames), (15, 96));
    assert!(
        messages
            .iter()
            .all(|line| matches!(line.bytes, Some(32 | 64)))
    );
    assert_eq!(messages[0].what, "orchestration, 8 frames");
    assert!(steps.iter().any(|line| line.what == "verify, share"));
    assert!(
        steps
            .iter()
            .any(|line| line.what == "extract, sign, encrypt")
    );
    assert_eq!(exchange.lines().len(), exchange.time_line.len());
}

#[test]
fn trouble_is_shown_and_counted_apart() {
    let noise = "[[interferer]]\nname = \"noise\"\nkind = \"bit-errors\"\nbus = \"can\"\n\
                 rate = 0.0002\n\
                 [[attacker]]\nname = \"liar\"\nkind = \"spoof\"\nbus = \"can\"\n\
                 id = 0x0F020006\nextended = true\nlength = 1\nperiod = \"10ms\"\n";
    let car = recipe(3, &[], Some(2_000_000));
    let exchange = run(&format!("{car}{noise}"));
    let group = &exchange.groups[0];
    let destroyed = frames(&exchange)
        .filter(|one| one.outcome != "sent" && one.origin == "own")
        .count() as u64;
    let foreign = frames(&exchange).filter(|one| one.ecu == "liar").count() as u64;
    assert!(destroyed > 0 && foreign > 0);
    assert_eq!((group.destroyed, group.foreign), (destroyed, foreign));
    assert!(frames(&exchange).all(|one| (one.ecu == "liar") == (one.origin == "foreign")));
    let sent = frames(&exchange).filter(|one| one.outcome == "sent" && one.origin == "own");
    assert_eq!(group.frames, sent.count() as u64);
}

#[test]
fn whoever_lacks_the_key_is_named() {
    // Nobody hears ecu-2: it has no part in what is on the bus.
    let fault = "[[fault]]\nkind = \"bus-open\"\necu = \"ecu-2\"\nbus = \"can\"\n";
    let car = recipe(3, &[("profile", "as-published")], Some(2_000_000));
    let car = car.replace("\"60s\"", "\"2s\"");
    let exchange = run(&format!("{car}{fault}"));
    let group = &exchange.groups[0];
    assert!(!exchange.agreed && !group.agreed && group.agreed_ms.is_none());
    assert!(
        group.missing.contains(&"ecu-2".to_owned()),
        "{:?}",
        group.missing
    );
    assert!(group.retries > 0);
    assert!((exchange.end_ms - 2_000.0).abs() < 1e-6);
}
