//! The text of each problem: the error, and after a semicolon the remedy.

use std::fmt;

use waywarden_can::{FrameError, IdError};

use super::{Problem, Thing};
use crate::{NAME_MAX, TEXT_MAX};
use waywarden_vehicle_grammar::nearest::nearest;

/// Limit on names that an error lists before it says how many more there are.
const NAMES_LISTED_MAX: usize = 16;

/// Limit on letters of the file's text that an error repeats.
const QUOTED_MAX: usize = 80;

/// Text of the file in quotation marks, cut where it is long.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(QUOTED_MAX) {
            Some((end, _)) => write!(f, "{:?}...", &self.0[..end]),
            None => write!(f, "{:?}", self.0),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::TextTooLong(length) => write!(
                f,
                "{length} bytes are too many for a vehicle file (at most {TEXT_MAX})"
            ),
            Problem::Syntax(message) => write!(f, "not TOML: {message}"),
            Problem::UnknownKey { .. }
            | Problem::MissingKey { .. }
            | Problem::Value { .. }
            | Problem::OutOfRange { .. }
            | Problem::Choice { .. }
            | Problem::TooMany { .. }
            | Problem::Exclusive { .. }
            | Problem::NoModule(_)
            | Problem::Identifiers { .. }
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
                _ => write!(f, "{error}"),
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
                renamed,
            } => {
                write!(f, "{section} has no key `{key}`; ")?;
                match renamed {
                    Some(new) => write!(f, "its name is `{new}`"),
                    None => suggest(f, key, valid),
                }
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
                    "{} is not possible here; possible: {}",
                    Quoted(found),
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
            Problem::NoModule(missing) => write!(f, "{missing}"),
            Problem::Identifiers { found, remedy } => write!(f, "{found}; {remedy}"),
            Problem::Relation { found, remedy } => write!(f, "{found}; {remedy}"),
            _ => Ok(()),
        }
    }

    fn fmt_name(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Name(name) => write!(
                f,
                "{} cannot be a name: use 1 to {NAME_MAX} letters, digits, `_`, \
                 `-` or `.`, and not \"default\"",
                Quoted(name)
            ),
            Problem::DuplicateName { what, name, first } => write!(
                f,
                "two of {} are called {}, the first at {first}; give each {what} its own name",
                what.words().1,
                Quoted(name)
            ),
            Problem::ListedTwice { name } => {
                write!(f, "{name:?} is listed twice; once is enough")
            }
            Problem::Unknown { what, name, known } => {
                write!(f, "there is no {what} {}; ", Quoted(name))?;
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
                "bus {bus:?} is classic CAN and carries no FD frame; give the bus a \
                 `data_bitrate`, or write `format = \"classic\"`"
            ),
            Problem::RouteToClassic {
                stream,
                bus,
                length,
            } => write!(
                f,
                "stream {stream:?} is CAN FD with {length} bytes and bus {bus:?} is classic; \
                 write `format = \"classic\"` in the stream (at most 8 bytes), make the bus CAN \
                 FD, or leave the stream out of the route"
            ),
            Problem::DuplicateId {
                id,
                bus,
                holder,
                first,
            } => write!(
                f,
                "identifier {id} is on bus {bus:?} already, sent as stream {holder:?} ({first}); \
                 equal identifiers destroy each other: choose another (an [[attacker]] may reuse \
                 it)"
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
                "{receiver:?} cannot hear stream {stream:?}, which is on {}, while the ECU is on \
                 {}; add a [[route]] or a port",
                Names(carried),
                Names(ports)
            ),
            _ => self.fmt_carried(f),
        }
    }

    /// Writes the errors of streams and the buses that carry them.
    fn fmt_carried(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
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
                "this route puts stream {stream:?} on bus {bus:?}, which has it already; take it \
                 out of one of them"
            ),
            Problem::NotForwarded { stream, gateway } => write!(
                f,
                "{gateway:?} does not forward stream {stream:?}; name one that a [[route]] with \
                 this gateway takes"
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

/// Writes the name that was probably meant, or else the possible names.
fn suggest<S: AsRef<str>>(f: &mut fmt::Formatter<'_>, found: &str, valid: &[S]) -> fmt::Result {
    match nearest(found, valid) {
        Some(name) => write!(f, "did you mean {name:?}?"),
        None => write!(f, "possible: {}", Names(valid)),
    }
}
