//! Errors of a vehicle file: one variant a cause, each text with its remedy.

mod text;

use std::sync::Arc;

use waywarden_boards::NoModule;
use waywarden_can::{FrameError, IdError};
pub use waywarden_vehicle_grammar::Thing;

use super::place::SourceLocation;

/// An error at a place in a vehicle file, and its remedy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The text is longer than [`super::TEXT_MAX`] bytes.
    TextTooLong(usize),
    /// The text is not TOML.
    Syntax(String),
    /// A key that has no meaning here.
    UnknownKey {
        /// The key.
        key: String,
        /// The table it stands in.
        section: String,
        /// The keys that have a meaning, in the order in which they are read.
        valid: Vec<&'static str>,
        /// The name that a key of earlier files has now.
        renamed: Option<&'static str>,
    },
    /// A key that must be there is not.
    MissingKey {
        /// The key.
        key: &'static str,
        /// The table it belongs to.
        section: String,
        /// The permitted values.
        expected: &'static str,
    },
    /// A value of the wrong TOML type, or a string that does not read as the quantity it should be.
    Value {
        /// The value in the file.
        found: String,
        /// The permitted values.
        expected: &'static str,
    },
    /// A number or quantity outside of its range.
    OutOfRange {
        /// The quantity.
        what: &'static str,
        /// The value in the file.
        found: String,
        /// The range in words.
        range: String,
    },
    /// A word that is none of those allowed here.
    Choice {
        /// The word in the file.
        found: String,
        /// The words allowed.
        valid: &'static [&'static str],
    },
    /// A name that cannot be one.
    Name(String),
    /// Two things of one kind with one name.
    DuplicateName {
        /// The kind of thing.
        what: Thing,
        /// The name.
        name: String,
        /// Place of the first one.
        first: SourceLocation,
    },
    /// The same thing listed twice in one list.
    ListedTwice {
        /// The thing.
        name: String,
    },
    /// A reference to something that is not in the file.
    Unknown {
        /// The kind of thing.
        what: Thing,
        /// The name.
        name: String,
        /// The names there are.
        known: Arc<[String]>,
    },
    /// Two ECUs with one address.
    DuplicateAddress {
        /// The address.
        address: u8,
        /// The ECU that has it.
        holder: String,
        /// Place of that ECU's address.
        first: SourceLocation,
        /// The lowest free address.
        free: Option<u8>,
    },
    /// A list with more entries than allowed.
    TooMany {
        /// The kind of entry.
        what: &'static str,
        /// Number of entries.
        found: usize,
        /// Highest permitted number.
        most: usize,
    },
    /// A number that is no CAN identifier.
    Id(IdError),
    /// A length that the frame format cannot have.
    Length(FrameError),
    /// A CAN FD frame on a bus that has no CAN FD.
    FdOnClassicBus {
        /// The bus.
        bus: String,
    },
    /// A CAN FD frame too long for the classic bus that a route takes it to.
    RouteToClassic {
        /// The stream.
        stream: String,
        /// The classic bus.
        bus: String,
        /// The stream's length, in bytes.
        length: usize,
    },
    /// Two streams that put one identifier on one bus.
    DuplicateId {
        /// The identifier, as candump prints it.
        id: String,
        /// The bus.
        bus: String,
        /// The stream that has it already.
        holder: String,
        /// Place of that stream's identifier.
        first: SourceLocation,
    },
    /// An ECU with several ports sends, and its bus is not named.
    WhichBus {
        /// The ECU.
        ecu: String,
        /// The buses it is on.
        ports: Vec<String>,
    },
    /// An ECU is used on a bus that it has no port on.
    NotOnBus {
        /// The ECU.
        ecu: String,
        /// The bus.
        bus: String,
        /// The buses it is on.
        ports: Vec<String>,
    },
    /// A receiver is on none of the buses that the stream is carried on.
    Unreachable {
        /// The receiver.
        receiver: String,
        /// The stream.
        stream: String,
        /// The buses the stream is carried on.
        carried: Vec<String>,
        /// The buses the receiver is on.
        ports: Vec<String>,
    },
    /// The sender of a stream is among its receivers.
    OwnReceiver(String),
    /// A stream is not carried on the bus where something is to be done with it.
    NotCarried {
        /// The stream.
        stream: String,
        /// The bus.
        bus: String,
        /// The buses it is carried on.
        carried: Vec<String>,
    },
    /// A route would put a stream on a bus that has it already.
    CarriedTwice {
        /// The stream.
        stream: String,
        /// The bus.
        bus: String,
    },
    /// A gateway does not forward the stream that it is to withhold or change.
    NotForwarded {
        /// The stream.
        stream: String,
        /// The ECU.
        gateway: String,
    },
    /// A route from a bus to itself.
    RouteToItself(String),
    /// Two keys that exclude each other.
    Exclusive {
        /// The key.
        key: &'static str,
        /// Is in the way of that one.
        other: &'static str,
    },
    /// A board without the security module that is to compute.
    NoModule(NoModule),
    /// Identifiers that key frames may have, too.
    Identifiers {
        /// The owner of the identifiers, and of the key frames.
        found: String,
        /// Identifiers that are free, or another way out.
        remedy: String,
    },
    /// Two quantities in the wrong order or relation, with the remedy.
    Relation {
        /// The quantities found.
        found: String,
        /// The remedy.
        remedy: &'static str,
    },
}
