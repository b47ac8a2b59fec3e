//! The vehicle files in examples/: they parse, and the compact car is as large and as loaded as its
//! comments say.

mod protected_car;
mod protected_van;

use std::path::PathBuf;

use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitRate, BitTiming, duration};
use waywarden_can::{FdFlags, Frame};
use waywarden_vehicle_file::{Attack, BeforeFirstKey, BusIndex, FrameFormat, Stream, VehicleFile};
use waywarden_work::Duration;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../examples")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn parse(name: &str) -> VehicleFile {
    VehicleFile::parse(name, &text(name)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The share of time that the streams of a bus take, with a payload of medium stuffing.
fn load(file: &VehicleFile, bus: BusIndex) -> f64 {
    let wires = file.bus(bus);
    let nominal = BitRate::new(wires.nominal.bit_rate).unwrap();
    let timing = match &wires.fd {
        Some(fd) => BitTiming::fd(nominal, BitRate::new(fd.data.bit_rate).unwrap()),
        None => BitTiming::classic(nominal),
    };
    let share = |stream: &Stream| {
        let payload = [0x35; 64];
        let data = &payload[..usize::from(stream.length)];
        let frame = match stream.format {
            FrameFormat::Classic => Frame::classic(stream.id.value, data),
            FrameFormat::Fd { bit_rate_switch } => Frame::fd_with(
                stream.id.value,
                data,
                FdFlags {
                    bit_rate_switch,
                    error_state_indicator: false,
                },
            ),
        };
        let length = frame_length(&frame.unwrap(), FdVariant::Iso);
        let busy = duration(&length, &timing) + timing.intermission();
        busy.get() as f64 / 1_000.0 / stream.period.as_nanos() as f64
    };
    let on_bus = |stream: &&Stream| stream.carried.iter().any(|carried| carried.bus == bus);
    file.streams.iter().filter(on_bus).map(share).sum()
}

#[test]
fn every_example_parses() {
    let mut found = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // That one is for logs, and no vehicle.
        if name.ends_with(".toml") && name != "auth.toml" {
            parse(&name);
            found += 1;
        }
    }
    assert!(found >= 3, "{found} examples");
}

#[test]
fn the_compact_car_is_as_large_and_loaded_as_it_says() {
    let car = parse("compact-car.toml");
    let buses: Vec<&str> = car
        .buses
        .iter()
        .map(|bus| bus.name.value.as_str())
        .collect();
    assert_eq!(buses, ["powertrain", "chassis", "body"]);
    assert_eq!((car.ecus.len(), car.streams.len()), (22, 127));
    assert!(
        car.streams
            .iter()
            .all(|stream| !stream.receivers.is_empty())
    );
    let expected = [0.45..0.55, 0.28..0.36, 0.30..0.40];
    for (at, range) in expected.into_iter().enumerate() {
        let load = load(&car, BusIndex(at));
        println!("{}: {:.1} %", buses[at], 100.0 * load);
        assert!(range.contains(&load), "{}: {load}", buses[at]);
        let (_, bound) = &car.require.bus_load[at];
        assert!(
            load < bound.value - 0.04,
            "{}: {load} leaves no margin",
            buses[at]
        );
    }
    assert_eq!(car.require.latency.len(), car.streams.len());
    assert_eq!(car.require.cpu_load.len(), car.ecus.len());
}

/// Counts in the header and the comments of the compact car.
#[test]
fn the_comments_count_right() {
    let car = parse("compact-car.toml");
    let header = text("compact-car.toml")
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned();
    let counts = format!("{} ECUs, {} messages", car.ecus.len(), car.streams.len());
    assert!(header.contains(&counts), "{header}");
}

#[test]
fn the_car_under_attack_is_the_same_car() {
    let part = |name: &str, until: &str| {
        let text = text(name);
        let begin = text.find("# ---- Buses").unwrap();
        let end = text.find(until).unwrap();
        text[begin..end].to_owned()
    };
    let peaceful = part("compact-car.toml", "# ---- Requirements");
    assert!(peaceful == part("compact-car-attack.toml", "# ---- Attackers"));
    let attacked = parse("compact-car-attack.toml");
    assert_eq!(attacked.require.latency.len(), attacked.streams.len());
    let kinds: Vec<&str> = attacked
        .attackers
        .iter()
        .map(|attacker| match attacker.attack {
            Attack::Spoof { .. } => "spoof",
            Attack::Replay { .. } => "replay",
            Attack::Flood { .. } => "flood",
            Attack::Register { .. } => "register",
            Attack::Suppress { .. } => "suppress",
            Attack::Modify { .. } => "modify",
            Attack::Compromise { .. } => "compromise",
            Attack::Forge { .. } => "forge",
            Attack::Relay { .. } => "relay",
            Attack::Masquerade { .. } => "masquerade",
            Attack::ManInTheMiddle { .. } => "man-in-the-middle",
        })
        .collect();
    assert_eq!(kinds, ["spoof", "replay", "flood", "suppress", "modify"]);
    assert_eq!((attacked.interferers.len(), attacked.faults.len()), (2, 2));
}

/// A part of a file, or all the rest of it.
fn part(name: &str, from: &str, until: &str) -> String {
    let text = text(name);
    let begin = text.find(from).unwrap();
    let end = begin + text[begin..].find(until).unwrap_or(text.len() - begin);
    text[begin..end].to_owned()
}

/// The car with SecOC differs from the one under attack in what its header lists, and nothing else;
/// without attackers it is the protected car.
#[test]
fn the_car_with_secoc_is_the_same_car() {
    let (attacked, secoc) = ("compact-car-attack.toml", "compact-car-secoc.toml");
    for (from, until) in [
        ("# ---- The gateway", "# ---- Powertrain ECUs"),
        ("# ---- Routes", "# ---- Group keys"),
        ("# ---- Attackers", "# ---- Requirements"),
        ("[require.bus_load]", "the end"),
    ] {
        assert!(
            part(attacked, from, until) == part(secoc, from, until),
            "{from}"
        );
    }
    let calm = "compact-car-protected.toml";
    for (from, until) in [
        ("# ---- Buses", "# ---- Attackers"),
        ("# ---- Requirements", "the end"),
    ] {
        let until_calm = until.replace("Attackers", "Requirements");
        assert!(
            part(secoc, from, until) == part(calm, from, &until_calm),
            "{from}"
        );
    }
    let (attacked, secoc) = (parse(attacked), parse(secoc));
    assert_eq!(attacked.streams.len(), secoc.streams.len());
    let mut changed = Vec::new();
    for (before, after) in attacked.streams.iter().zip(&secoc.streams) {
        assert_eq!(before.name.value, after.name.value);
        assert_eq!(before.id.value, after.id.value);
        let times = |one: &Stream| (one.period, one.offset, one.deadline, one.sender, one.bus);
        assert_eq!(times(before), times(after), "{}", before.name.value);
        assert_eq!(before.receivers.len(), after.receivers.len());
        if (before.length, before.format) != (after.length, after.format) {
            changed.push(after.name.value.as_str());
        }
    }
    // Those that became CAN FD to have room for the codes, and one that was made shorter.
    assert_eq!(changed.len(), 34, "{changed:?}");
    let tables = secoc.authentications.iter();
    let streams: Vec<usize> = tables.clone().map(|table| table.streams.len()).collect();
    assert_eq!(streams, [25, 11, 7, 15]);
    assert!(text(calm).contains(&format!("{} messages", streams.iter().sum::<usize>())));
    let renewed = secoc
        .groups
        .iter()
        .all(|group| group.renewal == Some(Duration::from_millis(10_000)));
    assert!(renewed && secoc.groups.len() == 3);
    let retained = tables.filter(|table| table.keys.before_first_key() == BeforeFirstKey::Retained);
    assert_eq!(retained.count(), 3);
}

/// Counts in the header of the van.
#[test]
fn the_van_is_as_its_comments_say() {
    let van = parse("electric-van.toml");
    let header = text("electric-van.toml");
    let lasan = &van.lasan[0];
    let (ecus, streams) = (van.ecus.len(), van.streams.len());
    let protected = lasan.protected.len();
    assert!(header.contains(&format!(
        "{ecus} ECUs on three CAN FD buses, {protected} protected"
    )));
    assert!(header.contains(&format!("among {streams},")), "{streams}");
    assert_eq!((van.buses.len(), van.attackers.len()), (3, 2));
    assert!(van.require.authorized_within.is_some());
}
