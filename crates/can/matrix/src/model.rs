//! The model of message matrices that every format is read into.

use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_can_dbc::{MessageFormat, SendType};
use waywarden_work::Duration;

use crate::{MatrixFormat, SkippedPart};

/// A message matrix: the buses of a vehicle with their messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageMatrix {
    /// Format of the file.
    pub format: MatrixFormat,
    /// The buses, in the order of the file; formats without names of buses have one.
    pub clusters: Vec<Cluster>,
    /// The parts that are left out.
    pub skipped: Vec<SkippedPart>,
    /// Sentences on what is ignored or taken otherwise than written; those of single messages are
    /// in [`MatrixMessage::remarks`].
    pub remarks: Vec<String>,
}

/// One bus.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cluster {
    /// Its name, where the format has one.
    pub name: Option<String>,
    /// Its nominal bit rate, where the file has one.
    pub bit_rate: Option<BitRate>,
    /// Its bit rate of the data phase, where the file has one.
    pub data_bit_rate: Option<BitRate>,
    /// Its nodes, as they are listed.
    pub nodes: Vec<String>,
    /// Its messages, in the order of the file.
    pub messages: Vec<MatrixMessage>,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixMessage {
    /// Its name.
    pub name: String,
    /// Its identifier.
    pub id: Id,
    /// Its length in bytes; above that of a frame a transport protocol carries it.
    pub length: usize,
    /// Its frame format.
    pub format: MessageFormat,
    /// True if it is a parameter group of SAE J1939.
    pub is_j1939: bool,
    /// Its content.
    pub kind: MessageKind,
    /// Its senders, the main one first.
    pub senders: Vec<String>,
    /// The nodes that take any of it.
    pub receivers: Vec<String>,
    /// Its way of being sent.
    pub send_type: SendType,
    /// Its period, where the file has one.
    pub cycle_time: Option<Duration>,
    /// Its period while it is active, where that differs.
    pub fast_cycle_time: Option<Duration>,
    /// The least time between two instances, where the file has one.
    pub minimum_distance: Option<Duration>,
    /// The time from its sender's start to its first instance, where the file has one.
    pub start_delay: Option<Duration>,
    /// Its signals.
    pub signals: Vec<MatrixSignal>,
    /// Its protection by SecOC.
    pub protection: Option<SecuredPdu>,
    /// Remarks for a reader besides.
    pub remarks: Vec<String>,
}

/// The content of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageKind {
    /// Signals, or anything that an application fills.
    #[default]
    Application,
    /// Network management.
    NetworkManagement,
    /// Frames of a transport protocol, for diagnostics above all.
    Transport,
    /// Freshness and authenticator of another message: a cryptographic I-PDU.
    Cryptographic,
}

/// A signal.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSignal {
    /// Its name.
    pub name: String,
    /// Its first bit, counted as in a DBC file: of the least significant bit in little endian, of
    /// the most significant bit in big endian.
    pub start: u32,
    /// Its length in bits.
    pub length: u32,
    /// Its byte order.
    pub byte_order: ByteOrder,
    /// True if it is a two's complement number.
    pub is_signed: bool,
    /// True if it is a number of IEEE 754, of 32 or 64 bits.
    pub is_float: bool,
    /// Physical value of one step.
    pub factor: f64,
    /// Physical value of the raw value 0.
    pub offset: f64,
    /// Its unit; empty without one.
    pub unit: String,
    /// True if its value selects other signals.
    pub is_multiplexer: bool,
    /// The value of a multiplexer with which the message has it; without, it has it always.
    pub selected_by: Option<Selection>,
}

/// The condition for a multiplexed signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The name of the multiplexer.
    pub multiplexer: String,
    /// Its raw value.
    pub value: u64,
}

/// An order of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The least significant byte first, Intel's.
    #[default]
    LittleEndian,
    /// The most significant byte first, Motorola's.
    BigEndian,
}

/// The protection of a message by AUTOSAR's SecOC: its secured I-PDU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecuredPdu {
    /// Length of the authentic I-PDU in bytes.
    pub payload_length: usize,
    /// `SecOCDataId`, the first bits that a code is computed over.
    pub data_id: Option<u64>,
    /// Bits of the whole freshness value.
    pub freshness_bits: Option<u64>,
    /// Bits of the freshness value that travel.
    pub freshness_tx_bits: Option<u64>,
    /// Identifies the freshness value.
    pub freshness_value_id: Option<u64>,
    /// Bits of the authenticator that travel.
    pub authenticator_bits: Option<u64>,
    /// Name or family of the algorithm of the authenticator.
    pub algorithm: Option<String>,
    /// Name of the freshness properties.
    pub freshness: Option<String>,
    /// Number of freshness values that a receiver tries, where the file has one.
    pub attempts: Option<u64>,
    /// The authenticated part of the payload: its first byte and its length; without it all.
    pub area: Option<(u64, u64)>,
    /// The place of freshness and authenticator.
    pub carrier: AuthenticatorPlace,
    /// True if a header with the payload's length stands before the payload.
    pub has_header: bool,
}

/// The place of freshness value and authenticator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthenticatorPlace {
    /// Behind the payload, in the same frame.
    Trailer,
    /// In a cryptographic I-PDU, a frame of its own with this identifier; the length in bits of the
    /// message link that says which message it belongs to.
    Separate {
        /// The identifier of the frame.
        id: Id,
        /// Bits of the message link; 0 for none.
        link_bits: u64,
    },
}

impl MatrixSignal {
    /// An unsigned number in little endian that is its own physical value.
    pub(crate) fn new(name: String, start: u32, length: u32) -> Self {
        MatrixSignal {
            name,
            start,
            length,
            byte_order: ByteOrder::LittleEndian,
            is_signed: false,
            is_float: false,
            factor: 1.0,
            offset: 0.0,
            unit: String::new(),
            is_multiplexer: false,
            selected_by: None,
        }
    }

    /// Returns the bit behind its last one, counted from the message's first byte on.
    pub(crate) fn end(&self) -> u64 {
        let start = match self.byte_order {
            ByteOrder::LittleEndian => self.start,
            ByteOrder::BigEndian => crate::number::sawtooth(self.start),
        };
        u64::from(start) + u64::from(self.length)
    }

    /// Lets a value of a multiplexer select the signal, unless another one does already.
    pub(crate) fn select(&mut self, multiplexer: &str, value: u64) {
        self.selected_by.get_or_insert_with(|| Selection {
            multiplexer: multiplexer.to_owned(),
            value,
        });
    }
}

impl MessageMatrix {
    /// Returns the messages of all buses.
    pub fn messages(&self) -> impl Iterator<Item = &MatrixMessage> + Clone {
        self.clusters.iter().flat_map(|cluster| &cluster.messages)
    }

    /// Returns true if no bus has a message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages().next().is_none()
    }
}

impl Cluster {
    /// Returns true if any message is CAN FD.
    #[must_use]
    pub fn has_fd(&self) -> bool {
        let is_fd = |message: &MatrixMessage| message.format != MessageFormat::Classic;
        self.messages.iter().any(is_fd)
    }
}

impl MatrixMessage {
    /// A message with nothing but name, identifier and length, in a classic frame.
    pub(crate) fn new(name: String, id: Id, length: usize) -> Self {
        MatrixMessage {
            name,
            id,
            length,
            format: MessageFormat::Classic,
            is_j1939: false,
            kind: MessageKind::Application,
            senders: Vec::new(),
            receivers: Vec::new(),
            send_type: SendType::Cyclic,
            cycle_time: None,
            fast_cycle_time: None,
            minimum_distance: None,
            start_delay: None,
            signals: Vec::new(),
            protection: None,
            remarks: Vec::new(),
        }
    }

    /// Notes signals that end behind the message.
    pub(crate) fn name_outside(&mut self) {
        let bits = 8 * self.length as u64;
        let mut outside = self.signals.iter().filter(|signal| signal.end() > bits);
        if let Some(first) = outside.next() {
            let name = crate::text::excerpt(&first.name);
            let more = outside.count();
            let others = match more {
                0 => String::new(),
                _ => format!(", and so do {more} others"),
            };
            self.remarks.push(format!(
                "signal {name} ends at bit {}, behind its {} bytes{others}: make the message \
                 longer or move the signal",
                first.end(),
                self.length
            ));
        }
    }

    /// Returns true if a message is longer than a frame of its format, such as a parameter group of
    /// SAE J1939 of 9 bytes: a transport protocol carries it.
    #[must_use]
    pub const fn needs_transport(&self) -> bool {
        self.length
            > match self.format {
                MessageFormat::Classic => 8,
                MessageFormat::Fd { .. } => 64,
            }
    }
}
