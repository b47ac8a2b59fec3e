//! Tests of vehicle files: every kind of error with its place and remedy, defaults, routes, and
//! hostile text.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::fmt::Write as _;

use waywarden_can::Id;
use waywarden_work::Duration;

use super::*;

/// Two buses, a gateway, and an ECU on each: `{0}` is appended.
const CAR: &str = r#"
[vehicle]
name = "car"
[[bus]]
name = "fast"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "slow"
bitrate = "125k"
[[ecu]]
name = "gateway"
ports = ["fast", "slow"]
[[ecu]]
name = "engine"
ports = ["fast"]
[[ecu]]
name = "cluster"
ports = ["slow"]
"#;

const SPEED: &str = r#"
[[stream]]
name = "speed"
id = 0x1A0
sender = "engine"
format = "classic"
length = 8
period = "10ms"
receivers = ["gateway"]
"#;

const ROUTE: &str = r#"
[[route]]
gateway = "gateway"
from = "fast"
to = "slow"
streams = "all"
"#;

fn parse(parts: &[&str]) -> Result<VehicleFile, FileErrors> {
    VehicleFile::parse("car.toml", &parts.concat())
}

fn good(parts: &[&str]) -> VehicleFile {
    parse(parts).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The errors of a file, without the `car.toml:` in front.
fn errors(parts: &[&str]) -> Vec<String> {
    let errors = parse(parts).expect_err("a broken file");
    let lines = errors.to_string();
    lines
        .lines()
        .map(|line| line.trim_start_matches("car.toml:").to_owned())
        .collect()
}

/// The one error of a file, without its place.
fn error(parts: &[&str]) -> String {
    let found = errors(parts);
    assert_eq!(found.len(), 1, "{found:#?}");
    let mut split = found[0].splitn(3, ':');
    split.nth(2).unwrap_or_default().trim().to_owned()
}

#[test]
fn defaults_are_filled_in() {
    let file = good(&[CAR, SPEED]);
    assert_eq!(
        (file.seed, file.duration),
        (0, Duration::from_millis(10_000))
    );
    let fast = &file.buses[0];
    assert_eq!(
        fast.nominal,
        Phase {
            bit_rate: 500_000,
            sample_point: 0.875
        }
    );
    let fd = fast.fd.expect("a data bit rate makes CAN FD");
    assert_eq!((fd.data.bit_rate, fd.iso), (2_000_000, true));
    assert_eq!(file.buses[1].fd, None);
    let engine = &file.ecus[1];
    assert_eq!(engine.board.value, Board::BuiltIn("ideal".to_owned()));
    assert_eq!(
        engine.queue,
        TransmitQueue {
            order: QueueOrder::Priority,
            length: 32
        }
    );
    assert_eq!(engine.receive_queue, 64);
    assert_eq!(
        engine.tasks,
        TaskPriorities {
            receive: 3,
            send: 2,
            crypto: 1
        }
    );
    assert_eq!(engine.accept, Accept::Needed(Vec::new()));
    let speed = &file.streams[0];
    assert_eq!(Ok(speed.id.value), Id::standard(0x1A0));
    assert_eq!(
        (speed.deadline, speed.period),
        (speed.period, Duration::from_millis(10))
    );
    assert_eq!(speed.data, Data::Counter);
    assert_eq!(
        speed.receivers,
        [Receiver {
            ecu: EcuIndex(0),
            bus: BusIndex(0)
        }]
    );
}

#[test]
fn an_ecu_can_list_what_it_sends() {
    let sends = r#"name = "engine"
sends = [
    { name = "speed", id = 0x1A0, length = 8, period = "10ms", receivers = ["gateway"] },
    { name = "heat", id = 0x1A1, length = 4, period = "1s" },
]
"#;
    let car = CAR.replace("name = \"engine\"\n", sends);
    let file = good(&[
        &car,
        &SPEED
            .replace("\"speed\"", "\"third\"")
            .replace("0x1A0", "0x1A2"),
    ]);
    let names: Vec<&str> = file
        .streams
        .iter()
        .map(|stream| stream.name.value.as_str())
        .collect();
    assert_eq!(names, ["third", "speed", "heat"]);
    assert!(
        file.streams
            .iter()
            .all(|stream| stream.sender == EcuIndex(1))
    );
    let message = error(&[&car.replace("length = 4", "sender = \"engine\", length = 4")]);
    assert!(
        message.starts_with("`sends` of [[ecu]] has no key `sender`"),
        "{message}"
    );
    let message = error(&[&car, SPEED]);
    assert!(
        message.starts_with("two of [[stream]] are called \"speed\""),
        "{message}"
    );
}

#[test]
fn streams_on_an_fd_bus_are_fd_unless_they_say_otherwise() {
    let fd = SPEED.replace("format = \"classic\"\n", "");
    let file = good(&[CAR, &fd]);
    assert_eq!(
        file.streams[0].format,
        FrameFormat::Fd {
            bit_rate_switch: true
        }
    );
    let file = good(&[CAR, &fd, "brs = false"]);
    assert_eq!(
        file.streams[0].format,
        FrameFormat::Fd {
            bit_rate_switch: false
        }
    );
    let message = error(&[CAR, SPEED, "brs = true"]);
    assert!(message.contains("leave `brs` out"), "{message}");
}

#[test]
fn routes_carry_streams_to_their_receivers() {
    let speed = SPEED.replace("[\"gateway\"]", "[\"cluster\", \"gateway\"]");
    let file = good(&[CAR, &speed, ROUTE]);
    let speed = &file.streams[0];
    assert_eq!(
        speed.carried,
        [
            Carried {
                bus: BusIndex(0),
                by: None
            },
            Carried {
                bus: BusIndex(1),
                by: Some(RouteIndex(0))
            }
        ]
    );
    assert_eq!(
        speed.receivers[0],
        Receiver {
            ecu: EcuIndex(2),
            bus: BusIndex(1)
        }
    );
    let forwarded: Vec<_> = file.forwarded_by(EcuIndex(0)).collect();
    assert_eq!(forwarded, [(RouteIndex(0), StreamIndex(0))]);
}

#[test]
fn opposite_routes_of_all_streams_do_not_send_them_back() {
    let back = ROUTE
        .replace("\"fast\"", "\"x\"")
        .replace("\"slow\"", "\"fast\"");
    let back = back.replace("\"x\"", "\"slow\"");
    let file = good(&[CAR, SPEED, ROUTE, &back]);
    assert_eq!(file.streams[0].carried.len(), 2);
    assert!(file.routes[1].streams.is_empty());
}

#[test]
fn a_chain_of_gateways_carries_named_streams() {
    let third = "
[[bus]]
name = \"far\"
bitrate = \"125k\"
[[ecu]]
name = \"relay\"
ports = [\"slow\", \"far\"]
[[ecu]]
name = \"radio\"
ports = [\"far\"]
[[route]]
gateway = \"relay\"
from = \"slow\"
to = \"far\"
streams = [\"speed\"]
";
    let speed = SPEED.replace("[\"gateway\"]", "[\"radio\"]");
    let file = good(&[CAR, &speed, third, ROUTE]);
    assert_eq!(file.streams[0].carried.len(), 3);
    assert_eq!(file.streams[0].receivers[0].bus, BusIndex(2));
    let message = error(&[CAR, SPEED, third]);
    assert_eq!(
        message,
        "stream \"speed\" is not on bus \"slow\"; it is on \"fast\""
    );
}

/// Each broken part alone: the error names the remedy.
#[test]
fn every_mistake_has_its_remedy() {
    let cases: &[(&str, &str, &str)] = &[
        ("id = 0x1A0", "id = 0x800", "needs `extended = true`"),
        (
            "id = 0x1A0",
            "id = 0x20000000\nextended = true",
            "does not fit 29 bits",
        ),
        ("id = 0x1A0", "id = -1", "0 to 0x7FF"),
        ("id = 0x1A0", "", "[[stream]] needs the key `id`"),
        ("length = 8", "length = 9", "longer data needs CAN FD"),
        ("length = 8", "length = -1", "longer data needs CAN FD"),
        (
            "length = 8",
            "length = 2\ndata = \"001122\"",
            "make them equal",
        ),
        ("length = 8", "", "[[stream]] needs the key `length`"),
        ("length = 8", "length = \"8\"", "expected a whole number"),
        ("\"10ms\"", "10", "expected a duration such as \"10ms\""),
        ("\"10ms\"", "\"0ms\"", "above zero"),
        (
            "\"10ms\"",
            "\"10ms\"\njitter = \"10ms\"",
            "keep it below the period",
        ),
        ("period", "peroid", "did you mean \"period\"?"),
        (
            "\"gateway\"",
            "\"gatway\"",
            "there is no ECU \"gatway\"; did you mean \"gateway\"?",
        ),
        ("\"gateway\"", "\"engine\"", "is the sender"),
        ("\"gateway\"", "\"cluster\"", "add a [[route]] or a port"),
        ("\"gateway\"", "\"gateway\", \"gateway\"", "listed twice"),
        (
            "\"engine\"",
            "\"gateway\"",
            "say on which it sends: `bus = \"fast\"`",
        ),
        (
            "\"engine\"",
            "\"engine\"\nbus = \"slow\"",
            "has no port on bus \"slow\"",
        ),
        (
            "name = \"speed\"",
            "name = \"de fault\"",
            "cannot be a name",
        ),
        ("name = \"speed\"", "name = \"default\"", "cannot be a name"),
        ("name = \"speed\"", "", "[[stream]] needs the key `name`"),
        ("[[stream]]", "[stream]", "two brackets"),
        ("length = 8", "length = 8\ndata = \"0g\"", "in hexadecimal"),
    ];
    for (right, wrong, remedy) in cases {
        let broken = SPEED.replacen(right, wrong, 1);
        let found = errors(&[CAR, &broken]);
        assert!(
            found.iter().any(|line| line.contains(remedy)),
            "{right} -> {wrong}: {found:#?}"
        );
    }
}

#[test]
fn mistakes_in_buses_and_ecus_have_their_remedy() {
    let cases: &[(&str, &str, &str)] = &[
        ("\"125k\"", "\"125x\"", "expected a bit rate"),
        ("\"125k\"", "\"2M\"", "out of range: 5k to 1M"),
        ("\"125k\"", "\"125k\"\nsample_point = \"20%\"", "50% to 95%"),
        (
            "\"125k\"",
            "\"125k\"\ndata_sample_point = \"80%\"",
            "no data phase to sample",
        ),
        (
            "\"2M\"",
            "\"250k\"",
            "runs at the nominal bit rate or faster",
        ),
        ("\"2M\"", "\"20M\"", "5k to 8M"),
        (
            "\"2M\"",
            "\"2M\"\nfd = \"ISO\"",
            "possible: \"iso\", \"non-iso\"",
        ),
        (
            "name = \"slow\"",
            "name = \"fast\"",
            "two of [[bus]] are called \"fast\", the first at 5:8",
        ),
        (
            "name = \"cluster\"",
            "name = \"engine\"",
            "two of [[ecu]] are called \"engine\"",
        ),
        (
            "\"cluster\"",
            "\"cluster\"\nboard = \"tc279\"",
            "there is no board \"tc279\"; did you mean \"tc27",
        ),
        ("\"cluster\"", "\"cluster\"\naddress = 256", "1 to 255"),
        (
            "\"cluster\"",
            "\"cluster\"\nqueue = { length = 0 }",
            "1 to 4096",
        ),
        (
            "\"cluster\"",
            "\"cluster\"\nqueue = { size = 1 }",
            "`queue` of [[ecu]] has no key `size`",
        ),
        (
            "\"cluster\"",
            "\"cluster\"\naccept = [0x800]",
            "further identifiers",
        ),
        (
            "\"cluster\"",
            "\"cluster\"\nclock_ppm = 50000",
            "-30000 to 30000",
        ),
        ("ports = [\"slow\"]", "ports = []", "1 to 32 buses"),
        (
            "ports = [\"slow\"]",
            "ports = [\"snow\"]",
            "there is no bus \"snow\"; did you mean \"slow\"?",
        ),
        ("ports = [\"slow\"]", "ports = [3]", "a list of names"),
        (
            "[[ecu]]",
            "[[ecus]]",
            "the vehicle file has no key `ecus`; did you mean \"ecu\"?",
        ),
    ];
    for (right, wrong, remedy) in cases {
        let broken = CAR.replacen(right, wrong, 1);
        let found = errors(&[&broken]);
        assert!(
            found.iter().any(|line| line.contains(remedy)),
            "{right} -> {wrong}: {found:#?}"
        );
    }
}

#[test]
fn two_ecus_with_one_address_name_each_other() {
    let car = CAR
        .replace("name = \"engine\"", "name = \"engine\"\naddress = 1")
        .replace("name = \"cluster\"", "name = \"cluster\"\naddress = 1");
    assert_eq!(
        errors(&[&car]),
        ["20:11: address 1 belongs to ECU \"engine\" already (16:11); the lowest free one is 2"]
    );
}

#[test]
fn equal_identifiers_on_one_bus_are_refused_even_when_a_route_brings_them_together() {
    let other = SPEED
        .replace("speed", "clock")
        .replace("\"engine\"", "\"cluster\"");
    good(&[CAR, SPEED, &other]);
    let message = error(&[CAR, SPEED, &other, ROUTE]);
    assert!(
        message.starts_with("identifier 0x1A0 is on bus \"slow\" already"),
        "{message}"
    );
    // An extended identifier of the same number is another one.
    let extended = other.replace("id = 0x1A0", "id = 0x1A0\nextended = true");
    good(&[CAR, SPEED, &extended, ROUTE]);
}

#[test]
fn routes_that_cannot_work_are_refused() {
    let fd = SPEED.replace("format = \"classic\"\n", "");
    let message = error(&[CAR, &fd, ROUTE]);
    assert!(
        message.contains("write `format = \"classic\"`"),
        "{message}"
    );
    let message = error(&[CAR, SPEED, ROUTE, ROUTE]);
    assert!(message.contains("which has it already"), "{message}");
    let message = error(&[CAR, &ROUTE.replace("\"slow\"", "\"fast\"")]);
    assert!(message.contains("`to` must be another bus"), "{message}");
    let message = error(&[CAR, &ROUTE.replace("\"gateway\"", "\"engine\"")]);
    assert!(message.contains("has no port on bus \"slow\""), "{message}");
    let message = error(&[CAR, &ROUTE.replace("\"all\"", "\"some\"")]);
    assert!(message.contains("possible: \"all\""), "{message}");
}

#[test]
fn trouble_of_every_kind_is_read() {
    let text = r#"
[[attacker]]
kind = "spoof"
stream = "speed"
data = "FF FF 00 00 00 00 00 00"
from = "1s"
until = "2s"
[[attacker]]
name = "dongle"
kind = "spoof"
bus = "slow"
id = 0x7FF
length = 2
period = "5ms"
[[attacker]]
kind = "replay"
bus = "fast"
delay = "200ms"
reorder = 4
[[attacker]]
kind = "flood"
bus = "slow"
rate = "2000/s"
[[attacker]]
kind = "suppress"
gateway = "gateway"
streams = ["speed"]
probability = "50%"
[[attacker]]
kind = "modify"
gateway = "gateway"
streams = ["speed"]
at = 2
xor = "FF00"
[[interferer]]
kind = "bit-errors"
bus = "fast"
rate = 1e-6
[[interferer]]
kind = "receiver-local"
bus = "slow"
ecu = "cluster"
rate = "0.1%"
[[interferer]]
kind = "bus-off"
stream = "speed"
[[interferer]]
kind = "error-passive-overwrite"
stream = "speed"
bus = "slow"
data = "zero"
[[interferer]]
kind = "babbling"
bus = "slow"
period = "5ms"
bits = 20
[[interferer]]
kind = "double-receive"
bus = "fast"
probability = 0.1
[[interferer]]
kind = "janus"
stream = "speed"
data = "00"
receivers = ["gateway"]
[[fault]]
kind = "reset"
ecu = "engine"
from = "1s"
until = "1.2s"
[[fault]]
kind = "clock-drift"
ecu = "engine"
ppm = 200
[[fault]]
kind = "bus-open"
ecu = "gateway"
bus = "slow"
"#;
    let file = good(&[CAR, SPEED, ROUTE, text]);
    assert_eq!(
        (
            file.attackers.len(),
            file.interferers.len(),
            file.faults.len()
        ),
        (6, 7, 3)
    );
    let Attack::Spoof { bus, frame, period } = &file.attackers[0].attack else {
        panic!("{:?}", file.attackers[0]);
    };
    assert_eq!((*bus, *period), (BusIndex(0), Duration::from_millis(10)));
    assert_eq!((frame.id, frame.length), (file.streams[0].id.value, 8));
    assert_eq!(file.attackers[0].name.value, "attacker-1");
    assert_eq!(file.attackers[1].name.value, "dongle");
    let Attack::Modify { change, .. } = &file.attackers[5].attack else {
        panic!("{:?}", file.attackers[5]);
    };
    assert_eq!(
        *change,
        Change {
            at: 2,
            edit: Edit::Xor(vec![0xFF, 0])
        }
    );
    assert_eq!(file.interferers[3].bus, BusIndex(1));
    assert_eq!(
        file.faults[2].kind,
        FaultKind::BusOpen {
            buses: vec![BusIndex(1)]
        }
    );
    assert_eq!(
        file.faults[0].window.until,
        Some(Duration::from_millis(1_200))
    );
}

#[test]
fn trouble_that_cannot_happen_is_refused() {
    let cases = [
        (
            "[[attacker]]\nkind = \"spoof\"\nbus = \"fast\"\nperiod = \"1s\"\n",
            "the stream it is about",
        ),
        (
            "[[attacker]]\nkind = \"spoof\"\nstream = \"speed\"\nbus = \"slow\"\n",
            "is not on bus \"slow\"",
        ),
        (
            "[[attacker]]\nkind = \"spoof\"\nstream = \"speed\"\nid = 1\n",
            "exclude each other",
        ),
        (
            "[[attacker]]\nkind = \"spoof\"\nstream = \"speed\"\ndata = \"00\"\n",
            "`data` has 1 bytes",
        ),
        ("[[attacker]]\nbus = \"fast\"\n", "needs the key `kind`"),
        ("[[attacker]]\nkind = \"flud\"\n", "possible: \"spoof\""),
        (
            "[[attacker]]\nkind = \"flood\"\nbus = \"fast\"\nrate = \"2000\"\n",
            "frames a second",
        ),
        (
            "[[attacker]]\nkind = \"replay\"\nbus = \"fast\"\n",
            "needs the key `delay`",
        ),
        (
            "[[attacker]]\nkind = \"suppress\"\ngateway = \"engine\"\nstreams = [\"speed\"]\n",
            "does not forward stream \"speed\"",
        ),
        (
            "[[attacker]]\nkind = \"flood\"\nbus = \"fast\"\nfrom = \"2s\"\nuntil = \"1s\"\n",
            "`until` must be later than `from`",
        ),
        (
            "[[interferer]]\nkind = \"bit-errors\"\nbus = \"fast\"\n",
            "needs the key `rate`",
        ),
        (
            "[[interferer]]\nkind = \"bit-errors\"\nbus = \"fast\"\nrate = 1.5\n",
            "a number from 0 to 1",
        ),
        (
            "[[interferer]]\nkind = \"receiver-local\"\nrate = 0.1\nbus = \"fast\"\n\
             ecu = \"cluster\"\n",
            "\"cluster\" has no port on bus \"fast\"",
        ),
        (
            "[[interferer]]\nkind = \"bus-off\"\nbus = \"fast\"\nid = 1\nrate = 1\n",
            "has no key `rate`",
        ),
        ("[[fault]]\nkind = \"reset\"\n", "needs the key `ecu`"),
        (
            "[[fault]]\nkind = \"clock-drift\"\necu = \"engine\"\n",
            "needs the key `ppm`",
        ),
    ];
    for (text, remedy) in cases {
        let message = error(&[CAR, SPEED, text]);
        assert!(message.contains(remedy), "{text}: {message}");
    }
}

#[test]
fn requirements_spread_their_defaults() {
    let require = r#"
[require]
startup = "300ms"
[require.bus_load]
default = "60%"
slow = 0.3
[require.cpu_load]
engine = "50%"
[require.latency]
default = "deadline"
"#;
    let file = good(&[CAR, SPEED, require]);
    let loads: Vec<f64> = file
        .require
        .bus_load
        .iter()
        .map(|(_, load)| load.value)
        .collect();
    assert_eq!(loads, [0.6, 0.3]);
    assert_eq!(file.require.cpu_load.len(), 1);
    assert_eq!(file.require.latency[0].1.value, Duration::from_millis(10));
    assert_eq!(file.source.place(&file.require.bus_load[1].1.span).line, 34);
    for (right, wrong, remedy) in [
        (
            "slow = 0.3",
            "slwo = 0.3",
            "there is no bus \"slwo\"; did you mean \"slow\"?",
        ),
        ("\"deadline\"", "\"soon\"", "or \"deadline\""),
        ("\"deadline\"", "\"0ms\"", "a duration above zero"),
        ("startup", "start-up", "did you mean \"startup\"?"),
        ("bus_load", "busload", "did you mean \"bus_load\"?"),
    ] {
        let message = error(&[CAR, SPEED, &require.replace(right, wrong)]);
        assert!(message.contains(remedy), "{wrong}: {message}");
    }
}

#[test]
fn replays_map_channels_to_buses() {
    let replay =
        "[[replay]]\nlog = \"drive.log\"\nchannels = { can0 = \"fast\" }\npace = \"fast\"\n";
    let file = good(&[CAR, replay]);
    assert_eq!(file.replays[0].channels, [("can0".to_owned(), BusIndex(0))]);
    assert_eq!(
        (file.replays[0].pace, file.replays[0].repeat),
        (Pace::Fast, false)
    );
    let message = error(&[CAR, &replay.replace("\"fast\" }", "\"fats\" }")]);
    assert!(message.contains("did you mean \"fast\"?"), "{message}");
    let message = error(&[CAR, &replay.replace("channels", "#")]);
    assert!(message.contains("needs the key `channels`"), "{message}");
}

#[test]
fn all_errors_are_found_in_one_run_and_the_list_is_bounded() {
    let mut text = CAR.to_owned();
    for at in 0..30 {
        let _ = write!(
            text,
            "[[stream]]\nname = \"s{at}\"\nid = {at}\nsender = \"x\"\n"
        );
    }
    let errors = parse(&[&text]).expect_err("90 mistakes");
    assert_eq!(errors.listed().len(), LISTED_ERRORS_MAX);
    assert_eq!(errors.omitted(), 70);
    assert!(errors.to_string().ends_with("\nand 70 more"));
    let places: Vec<Place> = errors.listed().iter().map(|error| error.place).collect();
    assert!(places.is_sorted());
}

#[test]
fn one_mistake_does_not_cause_others() {
    let bus = CAR.replace("\"2M\"", "\"2X\"");
    let speed = SPEED
        .replace("format = \"classic\"\n", "")
        .replace("gateway", "cluster");
    let found = errors(&[&bus, &speed, ROUTE]);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = errors(&[CAR, &speed, &ROUTE.replace("\"slow\"", "\"snow\"")]);
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn what_is_not_toml_is_reported_with_its_place() {
    let found = errors(&[CAR, "[[stream\nname = 3"]);
    assert!(found[0].contains("not TOML"), "{found:#?}");
    assert!(found[0].starts_with("20:"), "{found:#?}");
    assert!(
        errors(&["[vehicle]\nname = \"a\"\nname = \"b\"\n"])[0]
            .starts_with("3:1: not TOML: duplicate key")
    );
    assert!(
        errors(&[""])
            .iter()
            .any(|line| line.contains("needs the key `vehicle`"))
    );
    let long = "#".repeat(TEXT_MAX + 1);
    assert!(errors(&[&long])[0].contains("too many for a vehicle file"));
    let deep = format!("a = {}", "[".repeat(10_000));
    assert!(errors(&[&deep])[0].contains("not TOML"));
}

#[test]
fn columns_count_characters() {
    let found = errors(&["[vehicle]\nname = \"\u{e4}\u{f6}\", x = 1\n"]);
    assert!(found[0].starts_with("2:12:"), "{found:#?}");
}

/// Random damage to a good file: an answer every time, and no panic.
#[test]
fn damaged_files_never_panic() {
    let seed = 0x5EED_u64;
    let mut state = seed;
    let mut next = move || {
        // Numerical Recipes' linear congruential generator; only its upper bits are used.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let whole = [
        CAR,
        SPEED,
        ROUTE,
        "[require.latency]\ndefault = \"deadline\"\n",
    ]
    .concat();
    let letters: Vec<char> = whole.chars().collect();
    let mut good = 0;
    for _ in 0..2_000 {
        let mut damaged = letters.clone();
        for _ in 0..=next() % 4 {
            let at = next() % damaged.len();
            let from = next() % damaged.len();
            match next() % 3 {
                0 => damaged[at] = letters[from],
                1 if damaged.len() > 1 => drop(damaged.remove(at)),
                _ => damaged.truncate(at + 1),
            }
        }
        let text: String = damaged.into_iter().collect();
        match VehicleFile::parse("car.toml", &text) {
            Ok(_) => good += 1,
            Err(errors) => assert!(!errors.listed().is_empty(), "seed {seed:#x}: {text}"),
        }
    }
    assert!(good > 0, "seed {seed:#x}: some damage is harmless");
}
