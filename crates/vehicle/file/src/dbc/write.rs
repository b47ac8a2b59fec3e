//! Writes a message matrix as a vehicle file: one bus, an ECU a node, a stream a message.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};

use waywarden_can::Id;
use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

use super::period::{NULL_ADDRESS, Period, source_address};
use crate::NAME_MAX;
use waywarden_can_dbc::{Matrix, Message, MessageFormat};

/// The sender of messages for which the DBC file names none.
const UNKNOWN_SENDER: &str = "unknown-sender";

/// The bit rates of a bus for which neither the options nor the DBC file have them.
pub const BIT_RATE: BitRate = BitRate::constant(500_000);
/// Like [`BIT_RATE`], of the data phase.
pub const DATA_BIT_RATE: BitRate = BitRate::constant(2_000_000);

/// Limit on skipped parts that a vehicle file names; the rest is counted.
const SKIPPED_MAX: usize = 100;

/// Statements that a DBC file leaves open.
#[derive(Clone, Debug)]
pub struct Options {
    /// The vehicle's name.
    pub vehicle: String,
    /// The bus's name.
    pub bus: String,
    /// Its bit rate; without it the one of the DBC file, else [`BIT_RATE`].
    pub bit_rate: Option<BitRate>,
    /// Its data bit rate, used if any message is CAN FD; without it the one of the DBC file, else
    /// [`DATA_BIT_RATE`].
    pub data_bit_rate: Option<BitRate>,
    /// The board of every ECU; without it computing takes no time.
    pub board: Option<String>,
    /// Takes the period while active of messages that have one.
    pub fast_cycles: bool,
    /// Periods for messages without a cycle time, from [`super::observed_periods`].
    pub observed: HashMap<Id, Duration>,
    /// The period of messages that have none in either place. Without it they are written as
    /// comments, to be completed by hand.
    pub assumed: Option<Duration>,
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
            bit_rate: None,
            data_bit_rate: None,
            board: None,
            fast_cycles: false,
            observed: HashMap::new(),
            assumed: None,
        }
    }
}

/// Returns a vehicle file with this matrix on one bus; [`crate::VehicleFile::parse`]
/// reads it.
///
/// Messages that no single frame carries, and those without any known period (see
/// [`Options::assumed`]), stand in it as comments. Of several senders the first one sends. An
/// offset that the file does not state is unknown.
#[must_use]
pub fn to_vehicle_toml(matrix: &Matrix, options: &Options) -> String {
    let mut ecus = Renamed::new();
    let mut names: HashMap<&str, String> = HashMap::new();
    for node in every_node(matrix) {
        names.insert(node, ecus.rename(node));
    }
    let bus = Renamed::new().rename(&options.bus);
    let mut text = heading(matrix, &bus, options);
    for node in every_node(matrix) {
        let _ = ecu(&mut text, &names[node], &bus);
    }
    if matrix
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
    for message in &matrix.messages {
        let name = streams.rename(&message.name);
        let _ = stream(&mut text, &name, message, &names, options);
    }
    text
}

/// Returns the nodes listed, then those that only a message names.
fn every_node(matrix: &Matrix) -> Vec<&str> {
    let in_messages = matrix.messages.iter().flat_map(|message| {
        let senders = message.senders.iter();
        senders.chain(&message.receivers)
    });
    let mut seen = HashSet::new();
    matrix
        .nodes
        .iter()
        .chain(in_messages)
        .map(String::as_str)
        .filter(|node| seen.insert(*node))
        .collect()
}

fn heading(matrix: &Matrix, bus: &str, options: &Options) -> String {
    let vehicle = Renamed::new().rename(&options.vehicle);
    let mut text = format!(
        "# Imported from a DBC file: {} messages.\n\
         # Every key is described in docs/vehicle-file.md.\n",
        matrix.messages.len(),
    );
    for skipped in matrix.skipped.iter().take(SKIPPED_MAX) {
        let line = skipped.error.line().unwrap_or_default();
        let _ = comment(
            &mut text,
            &format!("Skipped: line {line}, {}: {}.", skipped.what, skipped.error),
        );
    }
    if let Some(more @ 1..) = matrix.skipped.len().checked_sub(SKIPPED_MAX) {
        let _ = comment(&mut text, &format!("Skipped: {more} more."));
    }
    for remark in matrix.warnings() {
        let _ = comment(&mut text, &remark);
    }
    let _ = writeln!(text, "\n[vehicle]\nname = \"{vehicle}\"");
    if let Some(board) = &options.board {
        let _ = writeln!(text, "board = \"{board}\"");
    }
    let _ = writeln!(text, "\n[[bus]]\nname = \"{bus}\"");
    let rate = |text: &mut String,
                key,
                asked: Option<BitRate>,
                stated: Option<BitRate>,
                usual: BitRate| {
        let rate = asked.or(stated).unwrap_or(usual).bits_per_second();
        let remark = match (asked, stated) {
            (None, None) => " # assumed: the DBC file has none",
            _ => "",
        };
        let _ = writeln!(text, "{key} = \"{rate}\"{remark}");
    };
    rate(
        &mut text,
        "bitrate",
        options.bit_rate,
        matrix.bit_rate,
        BIT_RATE,
    );
    if matrix.has_fd() {
        let own = (options.data_bit_rate, matrix.data_bit_rate);
        rate(&mut text, "data_bitrate", own.0, own.1, DATA_BIT_RATE);
    }
    text.push('\n');
    text
}

/// Writes a comment of one line, whatever the text has.
fn comment(text: &mut String, remark: &str) -> fmt::Result {
    let shown: String = remark
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect();
    writeln!(text, "# {shown}")
}

fn ecu(text: &mut String, name: &str, bus: &str) -> fmt::Result {
    writeln!(text, "[[ecu]]\nname = \"{name}\"\nports = [\"{bus}\"]\n")
}

fn stream(
    text: &mut String,
    name: &str,
    message: &Message,
    names: &HashMap<&str, String>,
    options: &Options,
) -> fmt::Result {
    let period = Period::of(
        message,
        options.fast_cycles,
        &options.observed,
        options.assumed,
    );
    let too_long = needs_transport(message);
    // A comment mark before every line keeps what cannot be a stream yet.
    let mark = if too_long || matches!(period, Period::Unknown) {
        "# "
    } else {
        ""
    };
    comments(text, message)?;
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
        match message.format {
            MessageFormat::Classic => "classic",
            MessageFormat::Fd { .. } => "fd",
        }
    )?;
    if let MessageFormat::Fd {
        bit_rate_switch: false,
    } = message.format
    {
        writeln!(text, "{mark}brs = false")?;
    }
    let padded = padded(message.length);
    match padded == message.length {
        true => writeln!(text, "{mark}length = {padded}")?,
        false => writeln!(
            text,
            "{mark}length = {padded} # {} of them used",
            message.length
        )?,
    }
    period.write(text, mark, message.start_delay)?;
    writeln!(text)
}

/// Writes remarks for the reader before a message's stream.
fn comments(text: &mut String, message: &Message) -> fmt::Result {
    if needs_transport(message) {
        let bytes = message.length;
        writeln!(
            text,
            "# {bytes} bytes need a transport protocol: no single frame carries them."
        )?;
    }
    for remark in &message.remarks {
        comment(text, &format!("{remark}."))?;
    }
    if message.is_j1939 && source_address(message.id) == Some(NULL_ADDRESS) {
        comment(
            text,
            "Source address FE stands for that of each sender (SAE J1939-81).",
        )?;
    }
    if message.senders.len() > 1 {
        writeln!(
            text,
            "# Senders in the DBC file: {}.",
            message.senders.join(", ")
        )?;
    }
    Ok(())
}

/// The most bytes of a classic frame.
const CLASSIC_DATA_MAX: usize = 8;

/// Returns true if a message is longer than a frame of its format, such as a parameter group of SAE
/// J1939 of 9 bytes.
fn needs_transport(message: &Message) -> bool {
    message.length
        > match message.format {
            MessageFormat::Classic => CLASSIC_DATA_MAX,
            MessageFormat::Fd { .. } => DATA_MAX,
        }
}

/// Returns the next length that a frame can have; a classic one has any up to 8.
fn padded(length: usize) -> usize {
    FD_LENGTHS
        .iter()
        .map(|&fits| usize::from(fits))
        .find(|&fits| fits >= length)
        .unwrap_or(length)
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
