//! What can be wrong with a vehicle file: one variant a cause, each text with its remedy.

use std::fmt;
use std::sync::Arc;

use waywarden_can::{FrameError, IdError};

use super::source::Place;

/// What is wrong at a place in a vehicle file, and what would be right there.
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
        /// The keys that have a meaning, in the order in which they are documented.
        valid: Vec<&'static str>,
    },
    /// A key that must be there is not.
    MissingKey {
        /// The key.
        key: &'static str,
        /// The table it belongs to.
        section: String,
        /// What may be written.
        expected: &'static str,
    },
    /// A value of the wrong TOML type, or a string that does not read as the quantity it should be.
    Value {
        /// What stands there.
        found: String,
        /// What may be written.
        expected: &'static str,
    },
    /// A number or quantity outside of its range.
    OutOfRange {
        /// What is out of range.
        what: &'static str,
        /// What stands there.
        found: String,
        /// The range in words.
        range: String,
    },
    /// A word that is none of those allowed here.
    Choice {
        /// What stands there.
        found: String,
        /// The words allowed.
        valid: &'static [&'static str],
    },
    /// A name that cannot be one.
    Name(String),
    /// Two things of one kind with one name.
    DuplicateName {
        /// Bus, ECU, ...
        what: Thing,
        /// The name.
        name: String,
        /// Where the first one stands.
        first: Place,
    },
    /// The same thing listed twice in one list.
    ListedTwice {
        /// The thing.
        name: String,
    },
    /// A reference to something that is not in the file.
    Unknown {
        /// Bus, ECU, ...
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
        /// Where that ECU's address stands.
        first: Place,
        /// The lowest free address.
        free: Option<u8>,
    },
    /// A list with more entries than allowed.
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
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
        /// Where that stream's identifier stands.
        first: Place,
    },
    /// An ECU with several ports sends, and it is not said on which.
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
        /// This key.
        key: &'static str,
        /// Is in the way of that one.
        other: &'static str,
    },
    /// Two quantities in the wrong order or relation, with the remedy.
    Relation {
        /// What was found.
        found: String,
        /// What would be right.
        remedy: &'static str,
    },
}

/// The kinds of things that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A `[[bus]]`.
    Bus,
    /// An `[[ecu]]`.
    Ecu,
    /// A `[[stream]]`.
    Stream,
    /// A board that is built in.
    Board,
    /// An `[[attacker]]`.
    Attacker,
    /// An `[[interferer]]`.
    Interferer,
    /// A `[[fault]]`.
    Fault,
    /// A `[[replay]]`.
    Replay,
}

/// How many names an error lists before it says how many more there are.
const NAMES_LISTED_MAX: usize = 12;

impl Thing {
    /// Returns the word for it, and in which table it is declared.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Thing::Bus => ("bus", "[[bus]]"),
            Thing::Ecu => ("ECU", "[[ecu]]"),
            Thing::Stream => ("stream", "[[stream]]"),
            Thing::Board => ("board", "a board file"),
            Thing::Attacker => ("attacker", "[[attacker]]"),
            Thing::Interferer => ("interferer", "[[interferer]]"),
            Thing::Fault => ("fault", "[[fault]]"),
            Thing::Replay => ("replay", "[[replay]]"),
        }
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::TextTooLong(length) => write!(
                f,
                "{length} bytes are too many for a vehicle file (at most {})",
                super::TEXT_MAX
            ),
            Problem::Syntax(message) => write!(f, "not TOML: {message}"),
            Problem::UnknownKey { .. }
            | Problem::MissingKey { .. }
            | Problem::Value { .. }
            | Problem::OutOfRange { .. }
            | Problem::Choice { .. }
            | Problem::TooMany { .. }
            | Problem::Exclusive { .. }
            | Problem::Relation { .. } => self.fmt_value(f),
            Problem::Name(_)
            | Problem::DuplicateName { .. }
            | Problem::ListedTwice { .. }
            | Problem::Unknown { .. }
            | Problem::DuplicateAddress { .. } => self.fmt_name(f),
            Problem::Id(error) => match error {
                IdError::AboveStandard(_) => {
                    write!(f, "{error}; a 29-bit one needs `extended = true`")
                }
                IdError::AboveExtended(_) => write!(f, "{error}"),
            },
            Problem::Length(error) => match error {
                FrameError::ClassicLength(_) => {
                    write!(f, "{error}; longer data needs CAN FD, `format = \"fd\"`")
                }
                _ => write!(f, "{error}"),
            },
            _ => self.fmt_network(f),
        }
    }
}

impl Problem {
    fn fmt_value(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::UnknownKey {
                key,
                section,
                valid,
            } => {
                write!(f, "{section} has no key `{key}`; ")?;
                suggest(f, key, valid)
            }
            Problem::MissingKey {
                key,
                section,
                expected,
            } => write!(f, "{section} needs the key `{key}`: {expected}"),
            Problem::Value { found, expected } => {
                write!(f, "expected {expected}; found {found}")
            }
            Problem::OutOfRange { what, found, range } => {
                write!(f, "{what} {found} is out of range: {range}")
            }
            Problem::Choice { found, valid } => {
                write!(
                    f,
                    "{found:?} is not possible here; possible: {}",
                    Names(valid)
                )
            }
            Problem::TooMany { what, found, most } => {
                write!(f, "{found} {what} are too many: at most {most}")
            }
            Problem::Exclusive { key, other } => {
                write!(
                    f,
                    "`{key}` and `{other}` exclude each other: keep one of them"
                )
            }
            Problem::Relation { found, remedy } => write!(f, "{found}; {remedy}"),
            _ => Ok(()),
        }
    }

    fn fmt_name(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Name(name) => write!(
                f,
                "{name:?} cannot be a name: use 1 to {} letters, digits, `_`, `-` or `.`, and not \"default\"",
                super::NAME_MAX
            ),
            Problem::DuplicateName { what, name, first } => write!(
                f,
                "two of {} are called {name:?}, the first at {first}; give each {what} its own name",
                what.words().1
            ),
            Problem::ListedTwice { name } => {
                write!(f, "{name:?} is listed twice; once is enough")
            }
            Problem::Unknown { what, name, known } => {
                write!(f, "there is no {what} {name:?}; ")?;
                if known.is_empty() {
                    return write!(f, "declare it as {}", what.words().1);
                }
                suggest(f, name, known)?;
                match what {
                    Thing::Board => write!(f, " (a board file needs a `/` or `.toml` in its path)"),
                    _ => Ok(()),
                }
            }
            Problem::DuplicateAddress {
                address,
                holder,
                first,
                free,
            } => {
                write!(
                    f,
                    "address {address} belongs to ECU {holder:?} already ({first})"
                )?;
                match free {
                    Some(free) => write!(f, "; the lowest free one is {free}"),
                    None => write!(f, "; no address is free"),
                }
            }
            _ => Ok(()),
        }
    }

    fn fmt_network(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::FdOnClassicBus { bus } => write!(
                f,
                "bus {bus:?} is classic CAN and carries no FD frame; give the bus a `data_bitrate`, or write `format = \"classic\"`"
            ),
            Problem::RouteToClassic {
                stream,
                bus,
                length,
            } => write!(
                f,
                "stream {stream:?} is CAN FD with {length} bytes and bus {bus:?} is classic; write `format = \"classic\"` in the stream (at most 8 bytes), make the bus CAN FD, or leave the stream out of the route"
            ),
            Problem::DuplicateId {
                id,
                bus,
                holder,
                first,
            } => write!(
                f,
                "identifier {id} is on bus {bus:?} already, sent as stream {holder:?} ({first}); equal identifiers destroy each other: choose another (an [[attacker]] may reuse it)"
            ),
            Problem::WhichBus { ecu, ports } => write!(
                f,
                "ECU {ecu:?} is on {}; say on which it sends: `bus = {:?}`",
                Names(ports),
                ports.first().map_or("", String::as_str)
            ),
            Problem::NotOnBus { ecu, bus, ports } => write!(
                f,
                "ECU {ecu:?} has no port on bus {bus:?}; it is on {}",
                Names(ports)
            ),
            Problem::Unreachable {
                receiver,
                stream,
                carried,
                ports,
            } => write!(
                f,
                "{receiver:?} cannot hear stream {stream:?}, which is on {}, while the ECU is on {}; add a [[route]] or a port",
                Names(carried),
                Names(ports)
            ),
            Problem::OwnReceiver(ecu) => {
                write!(
                    f,
                    "{ecu:?} is the sender, and no ECU hears its own frames; take it out"
                )
            }
            Problem::NotCarried {
                stream,
                bus,
                carried,
            } => write!(
                f,
                "stream {stream:?} is not on bus {bus:?}; it is on {}",
                Names(carried)
            ),
            Problem::CarriedTwice { stream, bus } => write!(
                f,
                "this route puts stream {stream:?} on bus {bus:?}, which has it already; take it out of one of them"
            ),
            Problem::NotForwarded { stream, gateway } => write!(
                f,
                "{gateway:?} does not forward stream {stream:?}; name one that a [[route]] with this gateway takes"
            ),
            Problem::RouteToItself(bus) => {
                write!(
                    f,
                    "the route goes from bus {bus:?} to itself; `to` must be another bus"
                )
            }
            _ => Ok(()),
        }
    }
}

/// Names in quotes with commas, bounded.
struct Names<'a, S>(&'a [S]);

impl<S: AsRef<str>> fmt::Display for Names<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "none");
        }
        for (at, name) in self.0.iter().take(NAMES_LISTED_MAX).enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{:?}", name.as_ref())?;
        }
        match self.0.len().saturating_sub(NAMES_LISTED_MAX) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// Writes what was probably meant, or else what is possible.
fn suggest<S: AsRef<str>>(f: &mut fmt::Formatter<'_>, found: &str, valid: &[S]) -> fmt::Result {
    match nearest(found, valid) {
        Some(name) => write!(f, "did you mean {name:?}?"),
        None => write!(f, "possible: {}", Names(valid)),
    }
}

/// Returns the name that is nearest to `found`, if a typing mistake can explain the difference.
fn nearest<'a, S: AsRef<str>>(found: &str, valid: &'a [S]) -> Option<&'a str> {
    let most = (found.chars().count() / 3).clamp(1, 4);
    valid
        .iter()
        .map(|name| (edit_distance(found, name.as_ref()), name.as_ref()))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, name)| name)
}

/// Counts the insertions, deletions, replacements and swaps of neighbours between two words (the
/// optimal string alignment distance), cases ignored; both are cut at 64 characters.
fn edit_distance(left: &str, right: &str) -> usize {
    let letters = |text: &str| -> Vec<char> {
        text.chars()
            .take(super::NAME_MAX)
            .flat_map(char::to_lowercase)
            .collect()
    };
    let (left, right) = (letters(left), letters(right));
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let replaced = above[j] + usize::from(a != b);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == right[j - 1] && left[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_one_that_could_have_been_meant() {
        let keys = ["period", "offset", "receivers"];
        assert_eq!(nearest("peroid", &keys), Some("period"));
        assert_eq!(nearest("reciever", &keys), Some("receivers"));
        assert_eq!(nearest("Period", &keys), Some("period"));
        assert_eq!(nearest("colour", &keys), None);
    }

    #[test]
    fn edit_distances_are_the_textbook_ones() {
        for (left, right, distance) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("flaw", "lawn", 2),
            ("lenght", "length", 1),
        ] {
            assert_eq!(edit_distance(left, right), distance, "{left} {right}");
        }
    }
}
