//! Errors of parsing and encoding.

use core::fmt;

/// Error of parsing: the fault and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError {
    /// Fault of the bytes.
    pub fault: ParseFault,
    /// Place in the input, in bytes from its beginning.
    pub offset: usize,
    /// Field of the fault, by the standard's name; empty outside of all fields.
    pub field: &'static str,
}

/// Fault of bytes that are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseFault {
    /// The bytes end too soon; at least this number is missing.
    Truncated(usize),
    /// This number of bytes is left over.
    TrailingBytes(usize),
    /// A length or a number is not in its shortest form.
    NotCanonical,
    /// A length is more than this machine can address.
    LengthTooLarge,
    /// A list announces more elements than its bytes can hold.
    CountTooLarge(u64),
    /// A value is not allowed in this field.
    OutOfRange,
    /// Padding bits are not zero.
    PaddingNotZero,
    /// A text is not UTF-8.
    NotUtf8,
    /// An unknown alternative in a critical field: without its meaning nothing can be said about
    /// the whole \[1609.2 §5.2.6\].
    UnknownCritical(u64),
    /// No alternative has this tag, and none may be added.
    UnknownTag(u64),
    /// Structures are nested deeper than allowed.
    TooDeep,
    /// The version is not the expected one.
    Version {
        /// Version that can be parsed.
        expected: u8,
        /// Version in the input.
        found: u8,
    },
    /// The parts are well-formed, but inconsistent with each other.
    Inconsistent(&'static str),
}

/// Error of encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmitError {
    /// The buffer is too short.
    NoRoom,
    /// A value is not allowed in this field.
    OutOfRange(&'static str),
}

impl fmt::Display for WireError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at byte {}", self.offset)?;
        if !self.field.is_empty() {
            write!(formatter, ", {}", self.field)?;
        }
        write!(formatter, ": {}", self.fault)?;
        // The standard of 2022 ends with SM2.
        const FIRST_OTHER: u64 = 5;
        match (self.fault, self.field) {
            (ParseFault::UnknownCritical(FIRST_OTHER..), "verificationKey" | "signature") => {
                formatter.write_str(
                    "; no algorithm of IEEE 1609.2-2022 has it, experimental post-quantum ones do",
                )
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for ParseFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated(missing) => write!(formatter, "{missing} or more bytes are missing"),
            Self::TrailingBytes(left) => write!(formatter, "{left} bytes are left over"),
            Self::NotCanonical => formatter.write_str("not in its shortest form"),
            Self::LengthTooLarge => formatter.write_str("a length beyond all bounds"),
            Self::CountTooLarge(count) => {
                write!(formatter, "{count} elements do not fit into what is left")
            }
            Self::OutOfRange => formatter.write_str("a value out of its range"),
            Self::PaddingNotZero => formatter.write_str("unused bits are not zero"),
            Self::NotUtf8 => formatter.write_str("not UTF-8"),
            Self::UnknownCritical(tag) => {
                write!(
                    formatter,
                    "alternative {tag} of a critical field is not known"
                )
            }
            Self::UnknownTag(tag) => write!(formatter, "there is no alternative {tag}"),
            Self::TooDeep => formatter.write_str("structures lie too deep in each other"),
            Self::Version { expected, found } => {
                write!(formatter, "version {found}; {expected} is expected")
            }
            Self::Inconsistent(why) => formatter.write_str(why),
        }
    }
}

impl fmt::Display for EmitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoom => formatter.write_str("the buffer is too short"),
            Self::OutOfRange(field) => write!(formatter, "{field}: a value out of its range"),
        }
    }
}

impl core::error::Error for WireError {}
impl core::error::Error for EmitError {}
