//! Reads `[[bus]]` and `[[ecu]]`.

use std::collections::HashMap;

use waywarden_boards::Board as Boards;
use waywarden_can::Id;
use waywarden_can::node::Ports;
use waywarden_can::timing::{BitRate, PhaseTiming};
use waywarden_work::Duration;

use super::document::Node;
use super::keys::{identifier, name};
use super::model::{
    Accept, BitRatePhase, BoardSource, Bus, BusIndex, CryptoEngine, Ecu, Fd, Firmware, QueueOrder,
    TaskPriorities, TransmitQueue,
};
use super::place::Located;
use super::problem::Problem;
use super::quantity::{Frequency, Share};
use super::reader::{Integer, Names, Section, Value};
use super::source::Findings;
use waywarden_vehicle_grammar::{
    ACCEPTED_MAX, BIT_RATE_MIN, CLOCK_MAX, CLOCK_MIN, DATA_BIT_RATE_MAX, MACHINES,
    NOMINAL_BIT_RATE_MAX, SAMPLE_POINTS,
};

/// Limit on controllers of one bus; `waywarden-can-sim` simulates as many.
pub const CONTROLLERS_MAX: usize = 128;

/// Number of received frames that wait for an image, unless the file says otherwise: that of many
/// controllers.
const RECEIVE_MAILBOX: usize = 3;

/// Reads a `[[bus]]`.
pub(super) fn bus(mut section: Section<'_>) -> Option<Bus> {
    let name = name(&mut section);
    let bit_rate = section.required::<BitRate>("bitrate");
    let data_bit_rate = section.optional::<BitRate>("data_bitrate");
    let nominal = phase(
        &mut section,
        "sample_point",
        bit_rate.as_ref(),
        NOMINAL_BIT_RATE_MAX,
    );
    let variant = section.choice("fd");
    let has_fd = data_bit_rate.is_some() || variant.is_some();
    if let (Some(slow), Some(fast)) = (&bit_rate, &data_bit_rate) {
        section.demand(slow.value <= fast.value, &fast.span, || Problem::Relation {
            found: format!(
                "the data bit rate of {} bit/s is below the nominal one of {} bit/s",
                fast.value.bits_per_second(),
                slow.value.bits_per_second()
            ),
            remedy: "the data phase runs at the nominal bit rate or faster",
        });
    }
    let fd = if has_fd {
        let rate = data_bit_rate.as_ref().or(bit_rate.as_ref());
        phase(&mut section, "data_sample_point", rate, DATA_BIT_RATE_MAX).map(|data| Fd {
            data,
            iso: variant != Some("non-iso"),
        })
    } else {
        if let Some(point) = section.optional::<Share>("data_sample_point") {
            section.fault(
                &point.span,
                Problem::Relation {
                    found: "a classic bus has no data phase to sample".to_owned(),
                    remedy: "give a `data_bitrate`, or leave `data_sample_point` out",
                },
            );
        }
        None
    };
    section.finish()?;
    Some(Bus {
        name: name?,
        nominal: nominal?,
        fd,
    })
}

/// Checks a bit rate and reads its sample point.
fn phase(
    section: &mut Section<'_>,
    key: &'static str,
    rate: Option<&Located<BitRate>>,
    highest: u32,
) -> Option<BitRatePhase> {
    let sample_point = section.optional::<Share>(key);
    if let Some(point) = &sample_point {
        let within = SAMPLE_POINTS.contains(&point.value.0);
        section.demand(within, &point.span, || Problem::OutOfRange {
            what: key,
            found: format!("{}%", point.value.0 * 100.0),
            range: format!(
                "{}% to {}% of the bit, usually 75% to 87.5%",
                SAMPLE_POINTS.start() * 100.0,
                SAMPLE_POINTS.end() * 100.0
            ),
        });
    }
    let rate = rate?;
    let bit_rate = rate.value.bits_per_second();
    let within = (BIT_RATE_MIN..=highest).contains(&bit_rate);
    section.demand(within, &rate.span, || Problem::OutOfRange {
        what: "bit rate",
        found: format!("{bit_rate} bit/s"),
        range: format!(
            "{}k to {}M, for instance 500k",
            BIT_RATE_MIN / 1_000,
            highest / 1_000_000
        ),
    });
    let recommended = PhaseTiming::recommended(rate.value).sample_point();
    let sample_point = sample_point.map_or(f64::from(recommended.permille()) / 1_000.0, |point| {
        point.value.0
    });
    Some(BitRatePhase {
        bit_rate,
        sample_point,
    })
}

/// Reads an `[[ecu]]`; `usual` is the board of those that name none.
pub(super) fn ecu(
    mut section: Section<'_>,
    buses: &Names,
    boards: &Names,
    usual: Option<&Located<BoardSource>>,
) -> Option<Ecu> {
    let name = name(&mut section);
    let board = match stated_board(&mut section, boards) {
        Some(stated) => stated,
        None => Some(usual.cloned().unwrap_or_else(|| {
            Located::new(
                BoardSource::BuiltIn("ideal".to_owned()),
                section.span.clone(),
            )
        })),
    };
    let ports = ports(&mut section, buses);
    let cores = section.number("cores");
    let address = section.number("address");
    let queue = queue(&mut section);
    let receive_queue = section.whole("receive_queue");
    let tasks = tasks(&mut section);
    let crypto = crypto(&mut section, board.as_ref());
    let clock_ppm = section.whole("clock_ppm");
    let start = section.moment("start");
    let accept = section.optional::<Accept>("accept");
    let firmware = firmware(&mut section);
    if let Some(Located {
        value: Accept::Needed(ids),
        span,
    }) = &accept
    {
        section.demand(ids.len() <= ACCEPTED_MAX, span, || Problem::TooMany {
            what: "identifiers",
            found: ids.len(),
            most: ACCEPTED_MAX,
        });
    }
    section.finish()?;
    Some(Ecu {
        name: name?,
        board: board?,
        cores: cores.map(|cores| cores.value as u8),
        address: address.map(|address| address.map(|address| address as u8)),
        ports,
        queue: queue?,
        receive_queue: receive_queue as usize,
        tasks: tasks?,
        crypto,
        clock_ppm: clock_ppm as i32,
        start: start.map_or(Duration::ZERO, |start| start.value),
        accept: accept.map_or(Accept::Needed(Vec::new()), |accept| accept.value),
        firmware,
    })
}

/// Reads the image of an ECU and its microcontroller.
fn firmware(section: &mut Section<'_>) -> Option<Firmware> {
    let image = section.optional::<String>("firmware");
    let machine = section.choice("machine");
    let clock = section.optional::<Frequency>("clock");
    let receive_mailbox = section.number("receive_mailbox");
    if let Some(clock) = &clock {
        let within = (CLOCK_MIN..=CLOCK_MAX).contains(&clock.value.0);
        section.demand(within, &clock.span, || Problem::OutOfRange {
            what: "clock rate",
            found: format!("{} Hz", clock.value.0),
            range: format!("{} kHz to {} MHz", CLOCK_MIN / 1_000, CLOCK_MAX / 1_000_000),
        });
    }
    let Some(image) = image else {
        for key in ["machine", "clock", "receive_mailbox"] {
            if section.has(key) {
                let span = section.location(key);
                let found = format!("`{key}` is for an ECU whose software is an image");
                let remedy = "give the image as `firmware`, or leave the key out";
                section.fault(&span, Problem::Relation { found, remedy });
            }
        }
        return None;
    };
    for key in ["queue", "receive_queue"] {
        if section.has(key) {
            let span = section.location(key);
            let found = format!("`{key}` is not for an ECU whose software is an image");
            let remedy =
                "an image has one transmit mailbox, and a `receive_mailbox`: leave the key out";
            section.fault(&span, Problem::Relation { found, remedy });
        }
    }
    if clock.is_none() && !section.has("clock") {
        section.missing(
            "clock",
            "the clock rate of the microcontroller, such as \"80MHz\"",
        );
    }
    Some(Firmware {
        image,
        machine: machine.unwrap_or(MACHINES[0]),
        clock: clock?.value.0,
        receive_mailbox: receive_mailbox.map_or(RECEIVE_MAILBOX, |number| number.value as usize),
    })
}

/// Notes ECUs whose address another one has.
pub(super) fn distinct_addresses(ecus: &[Option<Ecu>], findings: &Findings<'_>) {
    let mut holders: HashMap<u8, &Ecu> = HashMap::new();
    let taken: Vec<u8> = ecus
        .iter()
        .flatten()
        .filter_map(|ecu| ecu.address.as_ref().map(|address| address.value))
        .collect();
    let free = (1..=u8::MAX).find(|address| !taken.contains(address));
    for ecu in ecus.iter().flatten() {
        let Some(address) = &ecu.address else {
            continue;
        };
        let holder = *holders.entry(address.value).or_insert(ecu);
        if let (false, Some(first)) = (std::ptr::eq(holder, ecu), &holder.address) {
            let problem = Problem::DuplicateAddress {
                address: address.value,
                holder: holder.name.value.clone(),
                first: findings.place(&first.span),
                free,
            };
            findings.add(&address.span, problem);
        }
    }
}

/// Notes buses that more ECUs are on than a bus carries.
pub(super) fn few_controllers(
    buses: &[Option<Bus>],
    ecus: &[Option<Ecu>],
    findings: &Findings<'_>,
) {
    let ports: Vec<BusIndex> = ecus
        .iter()
        .flatten()
        .flat_map(|ecu| ecu.ports.iter().copied())
        .collect();
    for (at, bus) in buses.iter().enumerate() {
        let found = ports.iter().filter(|port| port.0 == at).count();
        if let (Some(bus), true) = (bus, found > CONTROLLERS_MAX) {
            let problem = Problem::Relation {
                found: format!("{found} ECUs are on this bus, which carries {CONTROLLERS_MAX}"),
                remedy: "divide it in two with a gateway",
            };
            findings.add(&bus.name.span, problem);
        }
    }
}

/// Reads the board that a table names: `None` if it names none, and within for one that is neither
/// built in nor a path.
pub(super) fn stated_board(
    section: &mut Section<'_>,
    boards: &Names,
) -> Option<Option<Located<BoardSource>>> {
    let name = section.optional::<String>("board")?;
    if name.value.contains('/') || name.value.ends_with(".toml") {
        return Some(Some(name.map(BoardSource::File)));
    }
    let known = section.refer(boards, &name).is_some();
    Some(known.then(|| name.map(BoardSource::BuiltIn)))
}

/// Reads the engine that computes cryptography. A board file is checked for a security module only
/// when it is loaded.
fn crypto(section: &mut Section<'_>, board: Option<&Located<BoardSource>>) -> CryptoEngine {
    let key = "crypto";
    let span = section.location(key);
    if section.word(key) != "module" {
        return CryptoEngine::Software;
    }
    if let Some(BoardSource::BuiltIn(name)) = board.map(|board| &board.value) {
        let built_in = Boards::builtin(name).map(Boards::with_module_in_use);
        if let Some(Err(missing)) = built_in {
            section.fault(&span, Problem::NoModule(missing));
        }
    }
    CryptoEngine::Module
}

fn ports(section: &mut Section<'_>, buses: &Names) -> Vec<BusIndex> {
    let Some(list) = section.required::<Vec<Located<String>>>("ports") else {
        return Vec::new();
    };
    let most = usize::from(Ports::MAX);
    let within = (1..=most).contains(&list.value.len());
    section.demand(within, &list.span, || Problem::OutOfRange {
        what: "number of ports",
        found: list.value.len().to_string(),
        range: format!("1 to {most} buses"),
    });
    section
        .references(&list.value, buses)
        .into_iter()
        .map(|index| BusIndex(index.value))
        .collect()
}

fn queue(section: &mut Section<'_>) -> Option<TransmitQueue> {
    let mut table = section.table_or_empty("queue");
    let order = match table.word("order") {
        "fifo" => QueueOrder::Fifo,
        _ => QueueOrder::Priority,
    };
    let length = table.whole("length") as usize;
    table.finish()?;
    Some(TransmitQueue { order, length })
}

fn tasks(section: &mut Section<'_>) -> Option<TaskPriorities> {
    let mut table = section.table_or_empty("tasks");
    let tasks = TaskPriorities {
        receive: table.whole("receive") as u8,
        send: table.whole("send") as u8,
        mac: table.whole("mac") as u8,
        crypto: table.whole("crypto") as u8,
    };
    table.finish()?;
    Some(tasks)
}

impl Value for Accept {
    const EXPECTED: &'static str = "\"needed\", \"all\", or further identifiers such as \
         [0x7DF, { id = 0x18DB33F1, extended = true }]";
    fn read(value: &Node) -> Option<Self> {
        match value {
            Node::Text(word) if word == "needed" => Some(Accept::Needed(Vec::new())),
            Node::Text(word) if word == "all" => Some(Accept::All),
            Node::List(list) => {
                let ids = list.iter().map(|entry| accepted(entry.get_ref()));
                ids.collect::<Option<_>>().map(Accept::Needed)
            }
            _ => None,
        }
    }
}

fn accepted(value: &Node) -> Option<Id> {
    let Some(table) = value.as_table() else {
        return identifier(Integer::read(value)?, false).ok();
    };
    let extended = table
        .get("extended")
        .map_or(Some(false), |flag| flag.get_ref().as_boolean())?;
    let only_known = table
        .keys()
        .all(|key| matches!(key.get_ref().as_str(), "id" | "extended"));
    let raw = Integer::read(table.get("id")?.get_ref())?;
    only_known.then(|| identifier(raw, extended).ok()).flatten()
}
