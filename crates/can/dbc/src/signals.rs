//! Signals of messages: their places, scales and names, and their values in a frame.

mod statements;

use std::collections::HashMap;

use can_dbc::ByteOrder;
use waywarden_can::Id;

use self::statements::Statements;
use super::{DbcError, ReadOptions, SkippedStatement, read};

/// The longest chain of multiplexers, of which each selects the next.
const MULTIPLEXERS_MAX: u32 = 16;

/// The signals of a message matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignalMatrix {
    messages: Vec<MessageSignals>,
    by_id: HashMap<Id, usize>,
    /// The messages, signals and statements that are left out, a sentence each.
    pub skipped: Vec<String>,
}

/// The signals of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageSignals {
    /// Its name, the long one where the file has one.
    pub name: String,
    /// Its identifier.
    pub id: Id,
    /// Its signals, in the order of the file.
    pub signals: Vec<DbcSignal>,
}

/// A signal.
#[derive(Clone, Debug, PartialEq)]
pub struct DbcSignal {
    /// Its name, the long one where the file has one.
    pub name: String,
    /// Its unit, empty where it has none.
    pub unit: String,
    factor: f64,
    offset: f64,
    place: BitRange,
    kind: RawKind,
    /// Names of raw values, in rising order.
    labels: Vec<(i64, String)>,
    /// The multiplexer that selects it: its index, and the ranges of its raw values.
    selected_by: Option<(usize, Vec<(u64, u64)>)>,
}

/// The bits of a signal: bytes as a number, shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BitRange {
    byte: usize,
    bytes: usize,
    shift: u32,
    bits: u32,
    is_big_endian: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RawKind {
    Unsigned,
    Signed,
    Float,
}

/// A number of a signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i128),
    /// Any other.
    Float(f64),
}

/// The value of a signal in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalValue {
    /// The value as it is sent.
    pub raw: Number,
    /// The value in its unit.
    pub physical: Number,
}

impl SignalMatrix {
    /// Reads the signals of a DBC file.
    ///
    /// # Errors
    /// Like [`import_with`](crate::import_with).
    pub fn read(text: &str, options: ReadOptions) -> Result<Self, DbcError> {
        let parsed = read::parse(text, options)?;
        let mut matrix = SignalMatrix {
            skipped: parsed
                .skipped
                .iter()
                .map(SkippedStatement::to_string)
                .collect(),
            ..SignalMatrix::default()
        };
        let statements = Statements::of(&parsed.dbc);
        let skipped = &mut matrix.skipped;
        let messages = parsed.dbc.messages.iter();
        for message in messages.filter(|message| parsed.can_be_sent(message)) {
            let Ok(id) = read::identifier(message.id) else {
                continue;
            };
            let signals = statements.signals(message, skipped);
            let name = statements
                .messages
                .get(&message.id)
                .unwrap_or(&message.name.as_str())
                .to_string();
            matrix.by_id.insert(id, matrix.messages.len());
            matrix.messages.push(MessageSignals { name, id, signals });
        }
        Ok(matrix)
    }

    /// Returns the message of an identifier.
    #[must_use]
    pub fn message(&self, id: Id) -> Option<&MessageSignals> {
        self.by_id
            .get(&id)
            .and_then(|index| self.messages.get(*index))
    }

    /// Returns the place of a message in [`messages`](Self::messages).
    #[must_use]
    pub fn index(&self, id: Id) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Returns all messages in the order of the file.
    #[must_use]
    pub fn messages(&self) -> &[MessageSignals] {
        &self.messages
    }
}

impl MessageSignals {
    /// Finds the values of the signals in the data of a frame, in the order of the signals: none of
    /// a signal that the multiplexer does not select. Returns how many signals lie behind the end
    /// of the data; they have no value.
    pub fn decode(&self, data: &[u8], values: &mut Vec<Option<SignalValue>>) -> usize {
        values.clear();
        let mut behind = 0;
        for (index, signal) in self.signals.iter().enumerate() {
            let is_selected = self.is_selected(index, data, MULTIPLEXERS_MAX);
            let value = is_selected.then(|| signal.value(data));
            behind += usize::from(value == Some(None));
            values.push(value.flatten());
        }
        behind
    }

    fn is_selected(&self, index: usize, data: &[u8], depth: u32) -> bool {
        let signal = &self.signals[index];
        let Some((multiplexer, ranges)) = &signal.selected_by else {
            return true;
        };
        let Some(raw) = self
            .signals
            .get(*multiplexer)
            .and_then(|signal| signal.bits(data))
        else {
            return false;
        };
        depth > 0
            && ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&raw))
            && self.is_selected(*multiplexer, data, depth - 1)
    }
}

impl DbcSignal {
    /// Returns the name of a value, where the file has one.
    #[must_use]
    pub fn label(&self, value: &SignalValue) -> Option<&str> {
        let Number::Integer(raw) = value.raw else {
            return None;
        };
        let raw = i64::try_from(raw).ok()?;
        let found = self
            .labels
            .binary_search_by_key(&raw, |(raw, _)| *raw)
            .ok()?;
        Some(&self.labels[found].1)
    }

    /// Returns the value in the data of a frame; none if it lies behind its end.
    #[must_use]
    pub fn value(&self, data: &[u8]) -> Option<SignalValue> {
        let bits = self.bits(data)?;
        let width = self.place.bits;
        let raw = match self.kind {
            RawKind::Float if width == 32 => Number::Float(f32::from_bits(bits as u32).into()),
            RawKind::Float => Number::Float(f64::from_bits(bits)),
            RawKind::Unsigned => Number::Integer(bits.into()),
            RawKind::Signed => {
                let unused = 64 - width;
                Number::Integer(((bits << unused) as i64 >> unused).into())
            }
        };
        let is_whole = |number: f64| number.fract() == 0.0 && number.abs() < 9e15;
        let physical = match raw {
            Number::Integer(raw) if is_whole(self.factor) && is_whole(self.offset) => {
                Number::Integer(raw * self.factor as i128 + self.offset as i128)
            }
            Number::Integer(raw) => Number::Float(raw as f64 * self.factor + self.offset),
            Number::Float(raw) => Number::Float(raw * self.factor + self.offset),
        };
        Some(SignalValue { raw, physical })
    }

    fn bits(&self, data: &[u8]) -> Option<u64> {
        let BitRange {
            byte,
            bytes,
            shift,
            bits,
            is_big_endian,
        } = self.place;
        let there = data.get(byte..byte + bytes)?;
        let join = |number: u128, byte: &u8| number << 8 | u128::from(*byte);
        let number = match is_big_endian {
            true => there.iter().fold(0, join),
            false => there.iter().rev().fold(0, join),
        };
        Some((number >> shift) as u64 & (u64::MAX >> (64 - bits)))
    }
}

impl BitRange {
    /// Finds the bits of a signal of 1 to 64 bits that ends within 64 bytes.
    fn of(signal: &can_dbc::Signal) -> Option<Self> {
        let bits = u32::try_from(signal.size)
            .ok()
            .filter(|bits| (1..=64).contains(bits))?;
        let start = usize::try_from(signal.start_bit)
            .ok()
            .filter(|start| *start < 1 << 16)?;
        let is_big_endian = signal.byte_order == ByteOrder::BigEndian;
        // The first bit of the big-endian ones is the most significant one.
        let within = if is_big_endian {
            7 - start % 8
        } else {
            start % 8
        };
        let bytes = (within + bits as usize).div_ceil(8);
        let shift = match is_big_endian {
            true => 8 * bytes - within - bits as usize,
            false => within,
        };
        Some(BitRange {
            byte: start / 8,
            bytes,
            shift: shift as u32,
            bits,
            is_big_endian,
        })
    }
}

impl Number {
    /// Returns the number as a float, rounded where it has more than 53 bits.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(number) => number as f64,
            Number::Float(number) => number,
        }
    }
}

/// Prints the shortest decimal that is this number.
impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Integer(number) => write!(f, "{number}"),
            Number::Float(number) => write!(f, "{number}"),
        }
    }
}
