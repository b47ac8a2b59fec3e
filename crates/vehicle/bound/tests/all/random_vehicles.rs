//! Random vehicles: no simulated latency exceeds its bound, by seed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use waywarden_can_sim::trace::Discard;
use waywarden_response_time::NoBound;
use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_bound::{BoundOptions, bounds, covered, without_security};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::{lower::lower, run::run};
use waywarden_vehicle_report::measure::StreamFigures;
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{CheckRefusal, DeliveryOutcome};

#[test]
fn no_simulated_latency_exceeds_its_bound() {
    ratios_within_bounds(24, false);
}

#[test]
fn no_simulated_latency_exceeds_its_bound_on_hardware_security_modules() {
    ratios_within_bounds(16, true);
}

fn ratios_within_bounds(seeds: u64, with_modules: bool) {
    let ratios = each_seed(seeds, |seed| {
        let text = vehicle(seed, with_modules, SCHEMES);
        let own = covered(&parsed(seed, &text), false).file;
        let options = options(seed);
        let mut ratios = compared(seed, &text, (&own, &own), &options);
        let bare = without_security(&own);
        ratios.extend(compared(seed, &text, (&bare, &bare), &options));
        ratios
    });
    summarize(&ratios, 0.7);
}

/// Offsets are used by half of the seeds, all attempts of receivers are counted by a quarter.
pub(crate) fn options(seed: u64) -> BoundOptions {
    BoundOptions {
        every_attempt: seed.is_multiple_of(4),
        offsets: seed.is_multiple_of(2),
        ..BoundOptions::default()
    }
}

pub(crate) fn parsed(seed: u64, text: &str) -> VehicleFile {
    VehicleFile::parse("random.toml", text).unwrap_or_else(|errors| {
        let lines: Vec<_> = errors.listed().iter().map(ToString::to_string).collect();
        panic!("seed {seed}: {lines:?}\n{text}")
    })
}

/// Demands that this part of the streams has bounds, and prints how tight they are.
pub(crate) fn summarize(ratios: &[Vec<Result<f64, NoBound>>], least: f64) {
    let mut causes = BTreeMap::new();
    for cause in ratios.iter().flatten().filter_map(|one| one.err()) {
        *causes.entry(cause).or_insert(0) += 1;
    }
    println!("no bound: {causes:?}");
    let all: usize = ratios.iter().map(Vec::len).sum();
    let mut ratios: Vec<f64> = ratios.iter().flatten().copied().flatten().collect();
    ratios.sort_unstable_by(f64::total_cmp);
    println!(
        "{} of {all} streams have bounds, bound / simulated: median {:.2}, least {:.3}, greatest \
         {:.1}",
        ratios.len(),
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
    );
    // A message that a receiver may refuse was bounded as well: its code may come too late.
    let refusable = [NoBound::LateCode, NoBound::EarlyCode];
    let refusable: usize = refusable.iter().filter_map(|cause| causes.get(cause)).sum();
    let part = (ratios.len() + refusable) as f64 / all as f64;
    assert!(part >= least, "bounds must not be the exception: {part:.2}");
}

/// Simulates a vehicle beside the bounds of the other one, which is the same to the analysis.
/// Returns bound / simulated of each stream that arrived, or the cause where there is no bound.
pub(crate) fn compared(
    seed: u64,
    text: &str,
    (bounded, simulated): (&VehicleFile, &VehicleFile),
    options: &BoundOptions,
) -> Vec<Result<f64, NoBound>> {
    let resources = Resources::default();
    let bounds = bounds(bounded, &resources, options).unwrap();
    let lowered = lower(simulated, &resources, Some(seed)).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    let mut ratios = Vec::new();
    for (at, figures) in outcome.measure.streams.iter().enumerate() {
        let own = bounds
            .iter()
            .filter(|one| one.stream.0 == at && one.receivers > 0);
        let own = own
            .map(|one| one.bound)
            .reduce(|one, other| Ok(one?.max(other?)));
        let (Some(bound), Some(seen)) = (own, figures.latency.greatest()) else {
            continue;
        };
        let bound = match bound {
            Ok(bound) => bound,
            Err(cause) => {
                ratios.push(Err(cause));
                continue;
            }
        };
        let seen = seen.as_nanos() * 1_000;
        let stream = &bounded.streams[at];
        let name = &stream.name.value;
        let worst = figures.worst;
        assert!(
            seen <= bound,
            "seed {seed}: {name}: {seen} ps seen, {bound} ps bound, {worst:?}\n{text}"
        );
        assert_eq!(
            refused(figures),
            0,
            "seed {seed}: {name} has a bound, and a receiver refused it for its code\n{text}"
        );
        let state = outcome.measure.ecus[stream.sender.0].worst_state;
        let is_on_one_bus = bounded.ecu(stream.sender).ports.len() == 1;
        assert!(
            options.errors.is_none() || !is_on_one_bus || state != "bus-off",
            "seed {seed}: {name} has a bound, and its sender was {state}\n{text}"
        );
        ratios.push(Ok(bound as f64 / seen.max(1) as f64));
    }
    ratios
}

/// Returns how many messages of a stream its receivers refused for their codes.
pub(crate) fn refused(figures: &StreamFigures) -> u64 {
    let outcomes = figures.receivers.iter().flat_map(|one| &one.outcomes);
    let refused = outcomes.filter(|(outcome, _)| {
        let whys = [
            CheckRefusal::WrongTag,
            CheckRefusal::Replay,
            CheckRefusal::Missing,
            CheckRefusal::TagWithoutData,
        ];
        whys.iter()
            .any(|why| **outcome == DeliveryOutcome::Refused(*why))
    });
    refused.map(|(_, number)| number).sum()
}

/// Gives three of four vehicles faster buses, and priority queues with room: slow buses, FIFOs and
/// short queues often have no bound beside errors or key exchanges.
pub(crate) fn with_room(seed: u64, text: &str) -> String {
    match seed % 4 {
        3 => text.to_owned(),
        _ => text
            .replace("\"125k\"", "\"500k\"")
            .replace("\"250k\"", "\"500k\"")
            .replace("order = \"fifo\"", "order = \"priority\"")
            .replace("length = 3 }", "length = 32 }"),
    }
}

/// Number of kinds of message authentication that [`vehicle`] has: none, SecOC, vatiCAN, LeiA.
pub(crate) const SCHEMES: usize = 4;

/// Writes a random vehicle: one or two buses, a gateway, priority and FIFO queues, SecOC or
/// vatiCAN or LeiA on some streams: the first so many of these.
pub(crate) fn vehicle(seed: u64, with_modules: bool, schemes: usize) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("[vehicle]\nname = \"random\"\nduration = \"2s\"\n");
    let buses = 1 + random.index(2);
    let is_fd = random.once_in(3);
    for bus in 0..buses {
        let rate = ["125k", "250k", "500k"][random.index(3)];
        let data = if is_fd { "data_bitrate = \"2M\"\n" } else { "" };
        let _ = write!(
            text,
            "[[bus]]\nname = \"bus{bus}\"\nbitrate = \"{rate}\"\n{data}"
        );
    }
    let ecus = 3 + random.index(4);
    for ecu in 0..ecus {
        ecu_table(&mut text, &mut random, (ecu, buses), with_modules);
    }
    let streams = 3 + random.index(14);
    let scheme = random.index(schemes);
    let mut names = [Vec::new(), Vec::new()];
    for stream in 0..streams {
        let (sender, bus) = stream_table(
            &mut text,
            &mut random,
            (stream, ecus, buses),
            (is_fd, scheme),
        );
        names[0].push((stream, sender, bus));
        if random.once_in(2) {
            names[1].push((stream, sender, bus));
        }
    }
    for from in 0..buses {
        let routed = names[0]
            .iter()
            .filter(|one| buses == 2 && one.2 == from && one.0 % 3 == 0);
        let routed: Vec<String> = routed.map(|one| format!("\"S{}\"", one.0)).collect();
        if !routed.is_empty() {
            let (to, all) = (1 - from, routed.join(", "));
            let _ = write!(
                text,
                "[[route]]\ngateway = \"E0\"\nfrom = \"bus{from}\"\nto = \"bus{to}\"\n\
                 streams = [{all}]\n"
            );
        }
    }
    authentication_table(&mut text, &mut random, &names[1], scheme);
    text
}

/// Writes the authentication of these streams; `scheme` is none, SecOC, vatiCAN or LeiA.
fn authentication_table(
    text: &mut String,
    random: &mut Random,
    named: &[(usize, usize, usize)],
    scheme: usize,
) {
    let protect: Vec<String> = named.iter().map(|one| format!("\"S{}\"", one.0)).collect();
    if !protect.is_empty() && scheme > 0 {
        let all = protect.join(", ");
        let secoc = match random.index(4) {
            0 => "secoc\"\nprofile = \"autosar-1",
            1 => "secoc\"\nprofile = \"autosar-2\"\nmaster = \"E0",
            2 => "secoc\"\nprofile = \"jaspar\"\nmaster = \"E0",
            _ => "secoc\"\nmaster = \"E0",
        };
        let scheme = ["", secoc, "vatican", "leia"][scheme];
        let _ = write!(
            text,
            "[[authentication]]\nscheme = \"{scheme}\"\nprotect = [{all}]\n"
        );
        if scheme.starts_with("secoc") && random.once_in(3) {
            // Some before all messages: their codes overtake them in a priority queue.
            let is_urgent = random.once_in(4);
            let pdu = |one: &(usize, usize, usize)| {
                let id = if is_urgent {
                    0x10 + 4 * one.0
                } else {
                    0x7A0 - 8 * one.0
                };
                format!("{{ stream = \"S{}\", id = {id} }}", one.0)
            };
            let pdus: Vec<String> = named.iter().map(pdu).collect();
            let _ = writeln!(text, "cryptographic_pdus = [{}]", pdus.join(", "));
        }
    }
}

/// The first ECU is the gateway; the others are on one bus each.
fn ecu_table(
    text: &mut String,
    random: &mut Random,
    (ecu, buses): (usize, usize),
    with_modules: bool,
) {
    let ports = match ecu {
        0 if buses == 2 => "\"bus0\", \"bus1\"".to_owned(),
        0 => "\"bus0\"".to_owned(),
        _ => format!("\"bus{}\"", ecu % buses),
    };
    let board = ["ideal", "tc297"][random.index(2)];
    let (board, crypto) = match with_modules {
        true => module_board(ecu),
        false => (board, "software"),
    };
    let order = ["priority", "priority", "fifo"][random.index(3)];
    let length = [32, 32, 3][random.index(3)];
    let ppm = random.below(200) as i64 - 100;
    let start = random.below(30);
    let _ = write!(
        text,
        "[[ecu]]\nname = \"E{ecu}\"\nports = [{ports}]\nboard = \"{board}\"\n\
         crypto = \"{crypto}\"\nclock_ppm = {ppm}\n\
         start = \"{start}ms\"\nqueue = {{ order = \"{order}\", length = {length} }}\n"
    );
}

/// Returns a board and what computes on it: most ECUs on modules, the third one in software.
fn module_board(ecu: usize) -> (&'static str, &'static str) {
    let boards = ["tc3xx-hsm", "s32k3", "stm32u5", "stm32h5", "rh850-icum"];
    let crypto = if ecu == 2 { "software" } else { "module" };
    (boards[ecu % boards.len()], crypto)
}

fn stream_table(
    text: &mut String,
    random: &mut Random,
    (stream, ecus, buses): (usize, usize, usize),
    (is_fd, scheme): (bool, usize),
) -> (usize, usize) {
    let sender = random.index(ecus);
    let bus = match sender {
        0 => random.index(buses),
        _ => sender % buses,
    };
    // Even identifiers, in a random order.
    let id = 0x80 + 2 * ((stream * 37 + random.index(2) * 400) % 700);
    let is_fd = is_fd && scheme < 2 && random.once_in(2);
    let length = match is_fd {
        true => [8, 16, 32, 48][random.index(4)],
        false => 1 + random.index(4),
    };
    let format = if is_fd { "fd" } else { "classic" };
    let period = [10, 20, 20, 50, 100][random.index(5)];
    let jitter = [0, 0, 1, 5][random.index(4)];
    let offset = random.below(10);
    let data = ["random", "counter", "zero"][random.index(if scheme < 2 { 3 } else { 2 })];
    let on_both = buses == 2 && stream % 3 == 0;
    let hears = |ecu: &usize| *ecu != sender && (on_both || *ecu == 0 || ecu % buses == bus);
    let receivers: Vec<String> = (0..ecus)
        .filter(hears)
        .map(|ecu| format!("\"E{ecu}\""))
        .collect();
    let receivers = receivers.join(", ");
    let _ = write!(
        text,
        "[[stream]]\nname = \"S{stream}\"\nid = {id}\nsender = \"E{sender}\"\nbus = \"bus{bus}\"\n\
         length = {length}\nformat = \"{format}\"\nperiod = \"{period}ms\"\njitter = \"{jitter}ms\"\n\
         offset = \"{offset}ms\"\ndata = \"{data}\"\nreceivers = [{receivers}]\n"
    );
    (sender, bus)
}
