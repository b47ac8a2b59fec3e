//! The grammar of vehicle files as a table: each kind of table with its keys, and of each key its
//! name, values, default and meaning.
//!
//! Three things are made of it. The reader (`waywarden-vehicle-file`) takes names, ranges, words
//! and defaults from here, [`schema`] makes the JSON Schemas, and [`mod@reference`] the tables of
//! docs/vehicle-file.md. A new key is a new entry here and the code that uses its value.

#![forbid(unsafe_code)]

mod attackers;
mod authentication;
mod ecu_tables;
mod events;
mod files;
mod key_groups;
mod key_protocols;
mod matrix;
pub mod nearest;
pub mod reference;
mod requirements;
pub mod schema;
mod security_modules;
mod shared_keys;
mod thing;
mod v2x;
mod writer;

use waywarden_work::Duration;

pub use files::{AUTHENTICATION_FILE, FILE, KEYS, LASAN};
pub use key_protocols::IDENTIFIERS_TABLE as IDENTIFIERS;
pub use matrix::{
    ACCEPTED_MAX, BIT_RATE_MIN, CLOCK_MAX, CLOCK_MIN, DATA_BIT_RATE_MAX, MACHINES,
    NOMINAL_BIT_RATE_MAX, RUN_MAX, SAMPLE_POINTS,
};
pub use security_modules::{PACING_MAX, PROTECTED_MAX, STREAM_KEY, STREAM_KEY_MIN};
pub use shared_keys::KEY_FRAMES_TABLE as KEY_FRAMES;
pub use thing::Thing;
pub use writer::to_text;

/// The longest name, in bytes: it is to be read in a path, a column and a plot.
pub const NAME_MAX: usize = 64;

/// Limit on buses of a vehicle.
pub const BUSES_MAX: usize = 64;

/// Limit on ECUs of a vehicle.
pub const ECUS_MAX: usize = 1_024;

/// Limit on streams of a vehicle.
pub const STREAMS_MAX: usize = 8_192;

/// Limit on routes, replays, attackers, interferers or faults of a vehicle, of each.
pub const OTHERS_MAX: usize = 1_024;

/// A kind of table.
#[derive(Debug)]
pub struct Table {
    /// Its name among the definitions of the schema.
    pub name: &'static str,
    /// Its meaning in a sentence.
    pub summary: &'static str,
    /// Keys that it shares with the other kinds of the same list, its keyword excepted.
    pub shared: &'static [Key],
    /// Its other keys.
    pub keys: &'static [Key],
    /// Conditions on several keys.
    pub rules: &'static [TableRule],
}

/// Kinds of table in one list, told apart by the word of one key.
#[derive(Debug)]
pub struct Kinds {
    /// Name of the list's key.
    pub name: &'static str,
    /// Its meaning in a sentence.
    pub summary: &'static str,
    /// The key whose word tells the kinds apart.
    pub word: Key,
    /// The kinds, each with its words; several may have one word, and other keys.
    pub tables: &'static [(&'static [&'static str], &'static Table)],
}

/// A table of one kind or of several.
#[derive(Clone, Copy, Debug)]
pub enum TableForm {
    /// One kind.
    One(&'static Table),
    /// Several kinds.
    Kinds(&'static Kinds),
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Its values.
    pub value: Value,
    /// Its value if it is left out.
    pub preset: Preset,
    /// Its meaning in a sentence, for schema and page.
    pub summary: &'static str,
    /// More of its meaning, for the page, in Markdown.
    pub detail: &'static str,
    /// Demand of an error where the key is missing; empty for that of the value's type.
    pub needed: &'static str,
    /// Table that an error demands in place of another value.
    pub example: &'static str,
    /// The key's name in earlier files.
    pub was: &'static str,
}

/// The value of a key that is left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    /// The key is required.
    Required,
    /// Nothing is there.
    Absent,
    /// A whole number.
    Whole(i64),
    /// True or false.
    Flag(bool),
    /// A word, or a quantity as it is written.
    Text(&'static str),
    /// A value that follows from others, in Markdown.
    Follows(&'static str),
}

/// The values of a key.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// The name of the table.
    Name,
    /// Any text.
    Text,
    /// The name of another table or thing.
    Reference(Thing),
    /// True or false.
    Flag,
    /// A whole number within a range, both ends included.
    Whole(i64, i64),
    /// A number of messages.
    Count,
    /// A CAN identifier.
    Identifier,
    /// A duration within bounds.
    Duration(Times),
    /// A share within a range.
    Share(f64, f64),
    /// A bit rate within a range, in bits per second.
    BitRate(u32, u32),
    /// A clock rate within a range, in hertz.
    Frequency(u32, u32),
    /// Frames a second.
    FrameRate,
    /// A payload by its rule, or bytes.
    Data,
    /// Bytes in hexadecimal.
    Bytes,
    /// One of several words.
    Word(&'static [&'static str]),
    /// Names of several things.
    Names(Thing),
    /// A name or an identifier of a message.
    Message,
    /// A list of such values, at most so many.
    List(&'static Value, usize),
    /// A table within the table.
    Table(&'static Table),
    /// Tables, at most so many.
    Tables(TableForm, usize),
    /// A table whose keys are names of the user's own.
    ByName(&'static Value),
    /// A value of one of several kinds.
    Any(&'static [Value]),
}

/// Bounds of a duration.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// True if it may be zero.
    pub is_zero_allowed: bool,
    /// The shortest, if there is one.
    pub least: Option<Duration>,
    /// The longest, if there is one.
    pub most: Option<Duration>,
}

/// A condition on several keys of a table.
#[derive(Clone, Copy, Debug)]
pub enum TableRule {
    /// `length` stands there, or `data` with bytes.
    LengthOrBytes,
    /// As before, if this key stands there.
    LengthOrBytesWith(&'static str),
    /// The keys of exactly one of these lists stand there.
    ExactlyOne(&'static [&'static [&'static str]]),
    /// The keys of at least one of these lists stand there.
    AtLeastOne(&'static [&'static [&'static str]]),
    /// This list has entries, if it stands there.
    NotEmpty(&'static str),
    /// These keys exclude each other.
    NotBoth(&'static [&'static str]),
    /// The first key needs the second.
    Needs(&'static str, &'static str),
    /// Some keys stand only with others of other tables, which only the reader sees.
    DependOnOthers,
}

impl Key {
    /// A key that no table has.
    pub const UNKNOWN: Key = shared_keys::key("", Value::Text, "");

    const fn required(mut self) -> Self {
        self.preset = Preset::Required;
        self
    }

    const fn whole(mut self, value: i64) -> Self {
        self.preset = Preset::Whole(value);
        self
    }

    const fn flag(mut self, value: bool) -> Self {
        self.preset = Preset::Flag(value);
        self
    }

    const fn text(mut self, value: &'static str) -> Self {
        self.preset = Preset::Text(value);
        self
    }

    const fn follows(mut self, from: &'static str) -> Self {
        self.preset = Preset::Follows(from);
        self
    }

    const fn detail(mut self, text: &'static str) -> Self {
        self.detail = text;
        self
    }

    const fn needed(mut self, text: &'static str) -> Self {
        self.needed = text;
        self
    }

    const fn example(mut self, text: &'static str) -> Self {
        self.example = text;
        self
    }

    const fn was(mut self, name: &'static str) -> Self {
        self.was = name;
        self
    }

    /// Returns true if the key must be there.
    pub fn is_required(&self) -> bool {
        self.preset == Preset::Required
    }
}

impl Table {
    /// A table without keys.
    pub const PLAIN: Table = Table {
        name: "",
        summary: "",
        shared: &[],
        keys: &[],
        rules: &[],
    };

    /// Returns its keys, those that it shares first.
    pub fn all(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.shared.iter().chain(self.keys)
    }
}

impl TableForm {
    /// Returns the kinds of table with this word; all of them if there is none.
    pub fn tables(self, word: Option<&str>) -> Vec<&'static Table> {
        match self {
            TableForm::One(table) => vec![table],
            TableForm::Kinds(kinds) => {
                let all = kinds.tables.iter();
                let fits = |words: &[&str]| word.is_none_or(|word| words.contains(&word));
                let fitting = all.filter(|(words, _)| fits(words));
                fitting.map(|(_, table)| *table).collect()
            }
        }
    }

    /// Returns the key of a name, of the tables with this word. If several have it, that of the
    /// table with the most keys of the file.
    pub fn key(
        self,
        word: Option<&str>,
        name: &str,
        is_in_file: impl Fn(&str) -> bool,
    ) -> Option<&'static Key> {
        if let TableForm::Kinds(kinds) = self
            && kinds.word.name == name
        {
            return Some(&kinds.word);
        }
        let tables = self.tables(word).into_iter();
        let find = |table: &'static Table| Some((table, table.all().find(|key| key.name == name)?));
        let mut found: Vec<_> = tables.filter_map(find).collect();
        if found.len() > 1 {
            let in_file = |table: &Table| table.all().filter(|key| is_in_file(key.name)).count();
            found.sort_by_cached_key(|(table, _)| std::cmp::Reverse(in_file(table)));
        }
        found.first().map(|(_, key)| *key)
    }

    /// Returns the name that a key of earlier files has now.
    pub fn renamed(self, old: &str) -> Option<&'static str> {
        let tables = self.tables(None).into_iter();
        let mut keys = tables.flat_map(Table::all);
        let found = keys.find(|key| key.was == old && !old.is_empty());
        found.map(|key| key.name)
    }
}

/// Returns the range of a quantity in words; none for whole numbers, of which a schema says it, and
/// for quantities without one.
pub fn range(value: &Value) -> Option<String> {
    match value {
        Value::Duration(times) => match (times.least, times.most) {
            (Some(least), None) => Some(format!("{} or more", written(least))),
            (None, Some(most)) => Some(format!("up to {}", written(most))),
            (Some(least), Some(most)) => Some(format!("{} to {}", written(least), written(most))),
            (None, None) => (!times.is_zero_allowed).then(|| "above zero".to_owned()),
        },
        Value::Share(least, most) if (*least, *most) != (0.0, 1.0) => {
            Some(format!("{}% to {}%", least * 100.0, most * 100.0))
        }
        Value::BitRate(least, most) => Some(format!("{} to {}", rate(*least), rate(*most))),
        Value::Frequency(least, most) => Some(format!("{}Hz to {}Hz", rate(*least), rate(*most))),
        _ => None,
    }
}

/// Returns a duration as a file has it.
fn written(time: Duration) -> String {
    const HOUR: u64 = 3_600_000_000_000;
    let nanos = time.as_nanos();
    match nanos.is_multiple_of(HOUR) {
        true => format!("{}h", nanos / HOUR),
        false => format!("{time:#}").replace(' ', ""),
    }
}

/// Returns a bit rate as a file has it.
fn rate(bits: u32) -> String {
    match bits {
        1_000_000.. => format!("{}M", bits / 1_000_000),
        _ => format!("{}k", bits / 1_000),
    }
}
