//! Writes a message matrix as a vehicle file: one bus, an ECU a node, a stream a message.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use waywarden_can::Id;
use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

use super::{Matrix, Message};
use crate::formatting::NAME_MAX;

/// The sender of messages for which the DBC file names none.
const UNKNOWN_SENDER: &str = "unknown-sender";

/// What a DBC file does not say.
#[derive(Clone, Debug)]
pub struct Options {
    /// The vehicle's name.
    pub vehicle: String,
    /// The bus's name.
    pub bus: String,
    /// Its bit rate.
    pub bit_rate: BitRate,
    /// Its data bit rate, used if any message is CAN FD.
    pub data_bit_rate: BitRate,
    /// Periods for messages without a cycle time, from [`super::observed_periods`].
    pub observed: HashMap<Id, Duration>,
    /// The period of messages that have none in either place. Without it they are written as
    /// comments, to be completed by hand.
    pub assumed: Option<Duration>,
}

/// Where a stream's period comes from.
enum Period {
    Stated(Duration),
    Observed(Duration),
    Assumed(Duration),
    Unknown,
}

/// Gives every name in the DBC file one that a vehicle file can have.
struct Renamed {
    taken: HashSet<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            vehicle: "imported".to_owned(),
            bus: "main".to_owned(),
            bit_rate: BitRate::constant(500_000),
            data_bit_rate: BitRate::constant(2_000_000),
            observed: HashMap::new(),
            assumed: None,
        }
    }
}

impl Matrix {
    /// Returns a vehicle file with this matrix on one bus; [`crate::VehicleFile::parse`]
    /// reads it.
    ///
    /// Messages that no single frame carries, and those without any known period (see
    /// [`Options::assumed`]), stand in it as comments. Of several senders the first one sends. The
    /// streams are spread over their periods, so that they do not all start at once.
    #[must_use]
    pub fn to_vehicle_toml(&self, options: &Options) -> String {
        let mut ecus = Renamed::new();
        let mut names: HashMap<&str, String> = HashMap::new();
        for node in self.every_node() {
            names.insert(node, ecus.rename(node));
        }
        let bus = Renamed::new().rename(&options.bus);
        let mut text = self.heading(&bus, options);
        for node in self.every_node() {
            let _ = ecu(&mut text, &names[node], &bus);
        }
        if self
            .messages
            .iter()
            .any(|message| message.senders.is_empty())
        {
            let name = ecus.rename(UNKNOWN_SENDER);
            text.push_str("# Sends what the DBC file names no sender for.\n");
            let _ = ecu(&mut text, &name, &bus);
            names.insert(UNKNOWN_SENDER, name);
        }
        let mut streams = Renamed::new();
        for (at, message) in self.messages.iter().enumerate() {
            let name = streams.rename(&message.name);
            let _ = stream(&mut text, at, &name, message, &names, options);
        }
        text
    }

    /// Returns the nodes listed, then those that only a message names.
    fn every_node(&self) -> Vec<&str> {
        let in_messages = self.messages.iter().flat_map(|message| {
            let senders = message.senders.iter();
            senders.chain(&message.receivers)
        });
        let mut seen = HashSet::new();
        self.nodes
            .iter()
            .chain(in_messages)
            .map(String::as_str)
            .filter(|node| seen.insert(*node))
            .collect()
    }

    fn heading(&self, bus: &str, options: &Options) -> String {
        let vehicle = Renamed::new().rename(&options.vehicle);
        let mut text = format!(
            "# Imported from a DBC file: {} messages.\n\
             # Every key is described in docs/vehicle-file.md.\n",
            self.messages.len(),
        );
        for skipped in &self.skipped {
            let line = skipped.error.line().unwrap_or_default();
            let (name, error) = (&skipped.name, &skipped.error);
            let _ = writeln!(text, "# Skipped: line {line}, message {name}: {error}.");
        }
        let _ = writeln!(
            text,
            "\n[vehicle]\nname = \"{vehicle}\"\n\n[[bus]]\nname = \"{bus}\"\nbitrate = \"{}\"",
            options.bit_rate.bits_per_second(),
        );
        if self.messages.iter().any(|message| message.is_fd) {
            let fast = options.data_bit_rate.bits_per_second();
            let _ = writeln!(text, "data_bitrate = \"{fast}\"");
        }
        text.push('\n');
        text
    }
}

fn ecu(text: &mut String, name: &str, bus: &str) -> std::fmt::Result {
    writeln!(text, "[[ecu]]\nname = \"{name}\"\nports = [\"{bus}\"]\n")
}

fn stream(
    text: &mut String,
    at: usize,
    name: &str,
    message: &Message,
    names: &HashMap<&str, String>,
    options: &Options,
) -> std::fmt::Result {
    let period = Period::of(message, options);
    let too_long = message.length > DATA_MAX;
    // A comment mark before every line keeps what cannot be a stream yet.
    let mark = if too_long || matches!(period, Period::Unknown) {
        "# "
    } else {
        ""
    };
    if too_long {
        let bytes = message.length;
        writeln!(
            text,
            "# {bytes} bytes need a transport protocol: no single frame carries them."
        )?;
    }
    if message.senders.len() > 1 {
        writeln!(
            text,
            "# Senders in the DBC file: {}.",
            message.senders.join(", ")
        )?;
    }
    let sender = message
        .senders
        .first()
        .map_or(UNKNOWN_SENDER, String::as_str);
    writeln!(text, "{mark}[[stream]]\n{mark}name = \"{name}\"")?;
    match message.id {
        Id::Standard(id) => writeln!(text, "{mark}id = 0x{:03X}", id.raw())?,
        Id::Extended(id) => {
            writeln!(text, "{mark}id = 0x{:08X}\n{mark}extended = true", id.raw())?;
        }
    }
    writeln!(text, "{mark}sender = \"{}\"", names[sender])?;
    let receivers: Vec<String> = message
        .receivers
        .iter()
        .filter(|receiver| *receiver != sender)
        .map(|receiver| format!("\"{}\"", names[receiver.as_str()]))
        .collect();
    writeln!(text, "{mark}receivers = [{}]", receivers.join(", "))?;
    writeln!(
        text,
        "{mark}format = \"{}\"",
        if message.is_fd { "fd" } else { "classic" }
    )?;
    let padded = padded(message.length);
    match padded == message.length {
        true => writeln!(text, "{mark}length = {padded}")?,
        false => writeln!(
            text,
            "{mark}length = {padded} # {} of them used",
            message.length
        )?,
    }
    period.write(text, mark, at)?;
    writeln!(text)
}

/// Returns the next length that a frame can have; a classic one has any up to 8.
fn padded(length: usize) -> usize {
    FD_LENGTHS
        .iter()
        .map(|&fits| usize::from(fits))
        .find(|&fits| fits >= length)
        .unwrap_or(length)
}

impl Period {
    fn of(message: &Message, options: &Options) -> Self {
        let observed = options.observed.get(&message.id);
        match (message.cycle_time, observed, options.assumed) {
            (Some(stated), ..) => Period::Stated(stated),
            (None, Some(observed), _) => Period::Observed(*observed),
            (None, None, Some(assumed)) => Period::Assumed(assumed),
            (None, None, None) => Period::Unknown,
        }
    }

    fn write(&self, text: &mut String, mark: &str, at: usize) -> std::fmt::Result {
        let (period, remark) = match self {
            Period::Stated(period) => (period, ""),
            Period::Observed(period) => (period, " # as observed"),
            Period::Assumed(period) => (period, " # assumed"),
            Period::Unknown => return writeln!(text, "{mark}period = \"?\" # not in the DBC file"),
        };
        // Steps of the golden ratio spread any number of streams evenly.
        let offset = period.as_nanos() / 1_000 * (at as u64 * 618 % 1_000) / 1_000;
        writeln!(text, "{mark}period = \"{}\"{remark}", quantity(*period))?;
        writeln!(
            text,
            "{mark}offset = \"{}\"",
            quantity(Duration::from_micros(offset))
        )
    }
}

/// Writes a duration in the largest unit that needs no fraction.
fn quantity(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    match nanos {
        _ if nanos.is_multiple_of(1_000_000) => format!("{}ms", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1_000) => format!("{}us", nanos / 1_000),
        _ => format!("{nanos}ns"),
    }
}

impl Renamed {
    fn new() -> Self {
        Renamed {
            taken: HashSet::new(),
        }
    }

    /// Returns a name that is valid and not taken yet, as near to the given one as possible.
    fn rename(&mut self, name: &str) -> String {
        let valid = |letter: &char| letter.is_ascii_alphanumeric() || "_-.".contains(*letter);
        let mut base: String = name.chars().filter(valid).take(NAME_MAX - 8).collect();
        if base.is_empty() || base == "default" {
            base.push('_');
        }
        let mut candidate = base.clone();
        // As many tries as names: the last one must be free.
        for number in 2..self.taken.len() + 3 {
            if self.taken.insert(candidate.clone()) {
                break;
            }
            candidate = format!("{base}-{number}");
        }
        candidate
    }
}
