//! One exchange of group keys: what is kept of it, where it ends, and how it is summed up.

use std::ops::ControlFlow;

use waywarden_vehicle_file::KeyTable;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::exchange::{
    self, Exchange, ExchangeScenario, FrameEntry, TimelineEntry,
};
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_resources::Resources;

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
    let groups = (0..file.groups.len()).map(KeyTable::Group);
    let networks = (0..file.lasan.len()).map(KeyTable::Lasan);
    let tables: Vec<KeyTable> = groups.chain(networks).collect();
    exchange::run(&file, lowered, &tables, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn words<'a>(keys: &[(&'a str, &str)]) -> Vec<(&'a str, String)> {
    let keys = keys.iter();
    keys.map(|(key, word)| (*key, (*word).to_owned())).collect()
}

fn recipe(ecus: u32, keys: &[(&str, &str)], data_bit_rate: Option<u32>) -> String {
    let recipe = ExchangeScenario {
        lasan: false,
        ecus,
        board: "tc297",
        bit_rate: 500_000,
        data_bit_rate,
        keys: words(keys),
        seed: 3,
        duration: "60s",
    };
    recipe.toml()
}

fn frames(exchange: &Exchange) -> impl Iterator<Item = &FrameEntry> {
    exchange.time_line.iter().filter_map(|entry| match entry {
        TimelineEntry::Frame(frame) => Some(frame),
        _ => None,
    })
}

#[test]
fn forwarded_frames_are_distinguished_from_own() {
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
            TimelineEntry::Computation(one) if one.ecu == party.ecu => Some(one.computed_ms),
            _ => None,
        });
        let computed: f64 = of_party.sum();
        assert!((computed - party.computed_ms).abs() < 1e-3 && computed > 10.0);
    }
    let times = exchange.time_line.iter().map(TimelineEntry::from_ms);
    assert!(times.is_sorted());
    for frame in frames(&exchange) {
        assert!(frame.to_ms > frame.from_ms && frame.data.len() == 2 + 2 * frame.bytes);
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
fn disturbance_is_shown_and_counted_apart() {
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
fn an_ecu_without_the_key_is_named() {
    // No other ECU hears ecu-2: it has no part in what is on the bus.
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

/// ECUs under a security module, each with a stream to the next.
fn under_a_module(ecus: u32, keys: &[(&str, &str)], data_bit_rate: Option<u32>) -> String {
    let keys = [&[("scheme", "lasan")], keys].concat();
    let recipe = ExchangeScenario {
        lasan: true,
        ecus,
        board: "tc297",
        bit_rate: 500_000,
        data_bit_rate,
        keys: words(&keys),
        seed: 3,
        duration: "60s",
    };
    recipe.toml()
}

#[test]
fn a_start_under_a_security_module_is_summed_up_as_it_is_shown() {
    let exchange = run(&under_a_module(
        4,
        &[("profile", "compact")],
        Some(2_000_000),
    ));
    let network = &exchange.networks[0];
    assert!(exchange.agreed && network.authorized && exchange.groups.is_empty());
    assert_eq!((network.members, network.streams.len()), (4, 4));
    assert_eq!(
        (network.failed, network.refused, network.foreign),
        (0, 0, 0)
    );
    let bytes: usize = frames(&exchange).map(|frame| frame.bytes).sum();
    let count = frames(&exchange).count() as u64;
    let messages = network.messages;
    assert_eq!((messages.frames, messages.bytes), (count, bytes as u64));
    let by_kind: u64 = network.kinds.iter().map(|row| row.carried.frames).sum();
    let by_part: u64 = network.parts.iter().map(|part| part.frames).sum();
    let by_ecu: u64 = network.ecus.iter().map(|ecu| ecu.frames).sum();
    assert_eq!([by_kind, by_part, by_ecu], [count; 3]);
    let once: Vec<&str> = network
        .kinds
        .iter()
        .filter(|row| row.amortised)
        .map(|row| row.kind)
        .collect();
    assert_eq!(once, ["startup"], "nobody shows a credential");
    assert!(network.amortised.frames < 10 && network.amortised.frames > 0);
    // Each is authenticated before its stream has a key, and everything after the beginning.
    let begun = network.begun_ms.unwrap();
    let authorized = network.authorized_ms.unwrap();
    assert!(network.authenticated_ms.unwrap() < authorized);
    assert!((network.took_ms.unwrap() - (authorized - begun)).abs() < 1e-5);
    // It takes from the security module's first computation on, as a group's does.
    let computations = exchange.time_line.iter().filter_map(|entry| match entry {
        TimelineEntry::Computation(one) if one.ecu == network.security_module => Some(one.from_ms),
        _ => None,
    });
    let first = computations.reduce(f64::min).unwrap();
    assert!((begun - first).abs() < 1e-9, "{begun} ms, not {first} ms");
    for (ecu, stream) in network.ecus.iter().skip(1).zip(&network.streams) {
        assert_eq!(ecu.ecu, stream.sender);
        let session = ecu.authenticated_ms.unwrap();
        assert!(begun < session && session < stream.sender_ms.unwrap());
        let parts = [ecu.communication_ms, ecu.computation_ms, ecu.rest_ms].map(Option::unwrap);
        assert!(parts.iter().all(|part| *part > 0.0), "{ecu:?}");
        assert!(ecu.computed_ms >= parts[1] && !ecu.operations.is_empty());
    }
    // A message is one line, however many frames it has.
    let steps = exchange.steps();
    let registers = steps
        .iter()
        .filter(|line| line.what.starts_with("register"));
    assert_eq!(registers.count(), 4);
    assert!(
        steps
            .iter()
            .any(|line| line.what == "granted: key 1 of Stream1 is held"
                || line.what.contains("of Stream1 is held"))
    );
    assert!(
        exchange
            .time_line
            .iter()
            .map(TimelineEntry::from_ms)
            .is_sorted()
    );
}

#[test]
fn its_frames_are_those_of_the_messages_of_each_profile_and_suite() {
    // Of each message so many frames: bytes by 64, and by 8.
    for (keys, kind, fd, classic) in [
        (&[("profile", "hardened")][..], "register", 2, 13),
        (&[("profile", "compact")], "register", 1, 5),
        (
            &[("suite", "ml-kem-512+fn-dsa-512"), ("profile", "compact")],
            "register",
            12,
            96,
        ),
        (
            &[
                ("suite", "ml-kem-512+fn-dsa-512"),
                ("credentials", "digests"),
            ],
            "certificate",
            15,
            113,
        ),
        (&[("profile", "as-published")], "certificate", 2, 14),
    ] {
        for (rate, each) in [(Some(2_000_000), fd), (None, classic)] {
            let exchange = run(&under_a_module(3, keys, rate));
            let network = &exchange.networks[0];
            assert!(exchange.agreed, "{keys:?} {network:#?}");
            let row = network.kinds.iter().find(|row| row.kind == kind).unwrap();
            assert_eq!(row.carried.frames, 3 * each, "{keys:?} {rate:?}");
            assert_eq!(network.streams.len(), if rate.is_some() { 3 } else { 0 });
            let lines = exchange.steps();
            let lines = lines.iter().filter(|line| line.what.starts_with(kind));
            assert_eq!(lines.count(), 3, "{keys:?} {rate:?}");
        }
    }
}

#[test]
fn who_is_not_authenticated_is_named_and_so_is_what_has_no_key() {
    let fault = "[[fault]]\nkind = \"bus-open\"\necu = \"ecu-2\"\nbus = \"can\"\n";
    let car = under_a_module(3, &[], Some(2_000_000)).replace("\"60s\"", "\"2s\"");
    let exchange = run(&format!("{car}{fault}"));
    let network = &exchange.networks[0];
    assert!(!exchange.agreed && !network.authorized && network.authorized_ms.is_none());
    assert_eq!(network.unauthenticated, ["ecu-2"]);
    // It sends the second one and is to get the first.
    assert_eq!(network.unkeyed, ["Stream1", "Stream2"]);
    assert_eq!(network.authenticated_ms, None);
}

#[test]
fn messages_of_others_are_counted_apart_and_a_group_on_the_same_bus_too() {
    let group = "[[keys]]\nname = \"all\"\norchestrator = \"security-module\"\n";
    let liar = "[[attacker]]\nname = \"liar\"\nkind = \"spoof\"\nbus = \"can\"\nid = 0x0B600201\n\
                extended = true\nlength = 1\nperiod = \"10ms\"\n";
    let car = under_a_module(3, &[], Some(2_000_000));
    let exchange = run(&format!("{car}{group}{liar}"));
    assert!(exchange.agreed);
    let (network, group) = (&exchange.networks[0], &exchange.groups[0]);
    let of = |name: &str| {
        frames(&exchange)
            .filter(|one| one.group == name && one.origin == "own")
            .count() as u64
    };
    assert_eq!(
        (of("car"), of("all")),
        (network.messages.frames, group.frames)
    );
    let liars = frames(&exchange).filter(|one| one.ecu == "liar").count() as u64;
    assert!(liars > 0 && network.foreign == liars && group.foreign == 0);
}
