//! Reads one table of the file after the other and notes everything that is wrong with it.
//!
//! A [`Section`] remembers which keys it was asked for, so that what is left over is unknown and
//! the list of valid keys is the code that reads them. A value that is broken is noted and left
//! out; the reader goes on, to find the rest in the same run. serde would stop at the first.

use std::collections::HashMap;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

use super::model::{Data, FrameRate};
use super::problem::{Problem, Thing};
use super::quantity::{self, Share};
use super::source::{Findings, Located, Span};

/// How many characters of a wrong value an error quotes.
const QUOTED_MAX: usize = 40;

/// One table of the file.
pub(super) struct Section<'a> {
    title: String,
    pub(super) span: Span,
    table: &'a DeTable<'a>,
    findings: &'a Findings<'a>,
    asked: Vec<&'static str>,
    sound: bool,
}

/// What a value can be read as.
pub(super) trait Value: Sized {
    /// What may be written, with an example.
    const EXPECTED: &'static str;
    /// Reads it; `None` if it is something else.
    fn read(value: &DeValue<'_>) -> Option<Self>;
}

/// The names of one kind of thing, and where in their list they are.
pub(super) struct Names {
    thing: Thing,
    known: Arc<[String]>,
    index: HashMap<String, usize>,
}

/// A whole number of any size TOML has.
pub(super) type Integer = i64;

impl<'a> Section<'a> {
    pub(super) fn new(
        title: &str,
        span: Span,
        table: &'a DeTable<'a>,
        findings: &'a Findings<'a>,
    ) -> Self {
        Section {
            title: title.to_owned(),
            span,
            table,
            findings,
            asked: Vec::new(),
            sound: true,
        }
    }

    /// Adds to the title, once the kind of thing is known.
    pub(super) fn specify(&mut self, detail: &str) {
        self.title = format!("{} {detail}", self.title);
    }

    /// Notes what is wrong; the section will not be used.
    pub(super) fn fault(&mut self, span: &Span, problem: Problem) {
        self.sound = false;
        self.findings.add(span, problem);
    }

    /// Notes what is wrong unless it is right.
    pub(super) fn demand(&mut self, right: bool, span: &Span, problem: impl FnOnce() -> Problem) {
        if !right {
            self.fault(span, problem());
        }
    }

    /// Reads a value that may be left out.
    pub(super) fn optional<T: Value>(&mut self, key: &'static str) -> Option<Located<T>> {
        let (span, value) = self.raw(key)?;
        self.read(&Located::new(value, span))
    }

    /// Reads a value that must be there.
    pub(super) fn required<T: Value>(&mut self, key: &'static str) -> Option<Located<T>> {
        if !self.has(key) {
            self.missing(key, T::EXPECTED);
        }
        self.optional(key)
    }

    /// Notes that a key must be there.
    pub(super) fn missing(&mut self, key: &'static str, expected: &'static str) {
        let section = self.title.clone();
        let span = self.span.clone();
        self.fault(
            &span,
            Problem::MissingKey {
                key,
                section,
                expected,
            },
        );
    }

    /// Reads a value that may be left out, and says what it is then.
    pub(super) fn or<T: Value>(&mut self, key: &'static str, default: T) -> T {
        self.optional(key).map_or(default, |located| located.value)
    }

    /// Reads a whole number within a range.
    pub(super) fn number(
        &mut self,
        key: &'static str,
        lowest: Integer,
        highest: Integer,
    ) -> Option<Located<Integer>> {
        let number = self.optional::<Integer>(key)?;
        let within = (lowest..=highest).contains(&number.value);
        self.demand(within, &number.span, || Problem::OutOfRange {
            what: key,
            found: number.value.to_string(),
            range: format!("{lowest} to {highest}"),
        });
        within.then_some(number)
    }

    /// Reads a duration above zero.
    pub(super) fn positive(&mut self, key: &'static str) -> Option<Located<Duration>> {
        let duration = self.optional::<Duration>(key)?;
        let above = duration.value > Duration::ZERO;
        self.demand(above, &duration.span, || Problem::OutOfRange {
            what: key,
            found: duration.value.to_string(),
            range: "above zero".to_owned(),
        });
        above.then_some(duration)
    }

    /// Reads one of several words.
    pub(super) fn choice(
        &mut self,
        key: &'static str,
        words: &'static [&'static str],
    ) -> Option<&'static str> {
        let word = self.optional::<String>(key)?;
        let found = words.iter().find(|valid| **valid == word.value);
        self.demand(found.is_some(), &word.span, || Problem::Choice {
            found: word.value.clone(),
            valid: words,
        });
        found.copied()
    }

    /// Reads a reference by name.
    pub(super) fn refer(&mut self, names: &Names, name: &Located<String>) -> Option<usize> {
        let index = names.index.get(&name.value).copied();
        self.demand(index.is_some(), &name.span, || names.unknown(&name.value));
        index
    }

    /// Reads a key that refers to something by name and must be there.
    pub(super) fn reference(&mut self, key: &'static str, names: &Names) -> Option<usize> {
        let name = self.required::<String>(key)?;
        self.refer(names, &name)
    }

    /// Reads a list of references by name, each at most once.
    pub(super) fn references(
        &mut self,
        list: &[Located<String>],
        names: &Names,
    ) -> Vec<Located<usize>> {
        let mut seen = vec![false; names.known.len()];
        let mut indices = Vec::new();
        for name in list {
            let Some(index) = self.refer(names, name) else {
                continue;
            };
            let twice = seen
                .get_mut(index)
                .is_some_and(|seen| std::mem::replace(seen, true));
            self.demand(!twice, &name.span, || Problem::ListedTwice {
                name: name.value.clone(),
            });
            indices.push(Located::new(index, name.span.clone()));
        }
        indices
    }

    /// Reads a table within this one.
    pub(super) fn table(&mut self, key: &'static str) -> Option<Section<'a>> {
        let (span, value) = self.raw(key)?;
        let Some(table) = value.as_table() else {
            let found = describe(value);
            let expected = "a table such as { order = \"fifo\", length = 32 }";
            self.fault(&span, Problem::Value { found, expected });
            return None;
        };
        let title = match self.title.strip_suffix(']') {
            None => format!("[{key}]"),
            Some(outer) if outer.ends_with(']') => format!("`{key}` of {}", self.title),
            Some(outer) => format!("{outer}.{key}]"),
        };
        Some(Section::new(&title, span, table, self.findings))
    }

    /// Reads a list of tables, `[[key]]` in the file, of at most `most`.
    pub(super) fn tables(&mut self, key: &'static str, most: usize) -> Vec<Section<'a>> {
        let Some((span, value)) = self.raw(key) else {
            return Vec::new();
        };
        let Some(list) = value.as_array() else {
            let found = describe(value);
            let expected = "tables headed with two brackets, such as [[bus]]";
            self.fault(&span, Problem::Value { found, expected });
            return Vec::new();
        };
        if list.len() > most {
            let found = list.len();
            self.fault(
                &span,
                Problem::TooMany {
                    what: key,
                    found,
                    most,
                },
            );
        }
        let mut sections = Vec::new();
        for entry in list.iter().take(most) {
            match entry.get_ref().as_table() {
                Some(table) => sections.push(Section::new(
                    &format!("[[{key}]]"),
                    entry.span(),
                    table,
                    self.findings,
                )),
                None => self.fault(
                    &entry.span(),
                    Problem::Value {
                        found: describe(entry.get_ref()),
                        expected: "a table",
                    },
                ),
            }
        }
        sections
    }

    /// Returns every entry of a table whose keys are names of the user's own, in their order.
    pub(super) fn entries(&mut self) -> Vec<(Located<String>, Located<&'a DeValue<'a>>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                (
                    Located::new(key.get_ref().to_string(), key.span()),
                    Located::new(value.get_ref(), value.span()),
                )
            })
            .collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        entries
    }

    /// Reads the value of an entry.
    pub(super) fn read<T: Value>(
        &mut self,
        entry: &Located<&'a DeValue<'a>>,
    ) -> Option<Located<T>> {
        let read = T::read(entry.value);
        self.demand(read.is_some(), &entry.span, || Problem::Value {
            found: describe(entry.value),
            expected: T::EXPECTED,
        });
        read.map(|value| Located::new(value, entry.span.clone()))
    }

    /// Takes over whether a table within this one is sound.
    pub(super) fn adopt(&mut self, inner: &Section<'_>) {
        self.sound &= inner.sound;
    }

    /// Returns where the value of a key stands, or the whole section where there is none.
    pub(super) fn location(&self, key: &str) -> Span {
        self.table.get(key).map_or(self.span.clone(), Spanned::span)
    }

    /// Whether the value of a key is a string.
    pub(super) fn is_text(&self, key: &str) -> bool {
        self.table
            .get(key)
            .is_some_and(|value| value.get_ref().is_str())
    }

    /// Whether a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Notes the keys nobody asked for; `None` if anything is wrong with the section.
    pub(super) fn finish(mut self) -> Option<()> {
        let unknown: Vec<(Span, String)> = self
            .table
            .keys()
            .filter(|key| !self.asked.contains(&key.get_ref().as_ref()))
            .map(|key| (key.span(), key.get_ref().to_string()))
            .collect();
        for (span, key) in unknown {
            let section = self.title.clone();
            let valid = self.asked.clone();
            self.fault(
                &span,
                Problem::UnknownKey {
                    key,
                    section,
                    valid,
                },
            );
        }
        self.sound.then_some(())
    }

    fn raw(&mut self, key: &'static str) -> Option<(Span, &'a DeValue<'a>)> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        let value: &'a Spanned<DeValue<'a>> = self.table.get(key)?;
        Some((value.span(), value.get_ref()))
    }
}

impl Names {
    /// Collects the names of a list of tables; two of a name and names that are none are noted.
    pub(super) fn collect(thing: Thing, sections: &mut [Section<'_>]) -> Self {
        let mut known = Vec::with_capacity(sections.len());
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut spans: Vec<Span> = Vec::with_capacity(sections.len());
        for (at, section) in sections.iter_mut().enumerate() {
            let written = section
                .raw("name")
                .and_then(|(span, value)| Some((span, value.as_str()?.to_owned())));
            let (span, name) = written.unwrap_or((section.span.clone(), String::new()));
            if let Some(&first) = index.get(&name) {
                let first = section.findings.place(&spans[first]);
                let problem = Problem::DuplicateName {
                    what: thing,
                    name: name.clone(),
                    first,
                };
                section.fault(&span, problem);
            } else if is_name(&name) {
                index.insert(name.clone(), at);
            }
            known.push(name);
            spans.push(span);
        }
        Names {
            thing,
            known: known.into(),
            index,
        }
    }

    /// Takes names that are given.
    pub(super) fn given(thing: Thing, names: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<String> = names.map(str::to_owned).collect();
        let index = known.iter().cloned().zip(0..).collect();
        Names {
            thing,
            known: known.into(),
            index,
        }
    }

    /// Returns how many there are.
    pub(super) fn count(&self) -> usize {
        self.known.len()
    }

    /// Returns the name at an index, empty where there is none.
    pub(super) fn name(&self, index: usize) -> &str {
        self.known.get(index).map_or("", String::as_str)
    }

    fn unknown(&self, name: &str) -> Problem {
        Problem::Unknown {
            what: self.thing,
            name: name.to_owned(),
            known: self.known.clone(),
        }
    }
}

/// Whether a text can be a name: bounded, readable in a path, a column and a plot.
pub(super) fn is_name(text: &str) -> bool {
    (1..=super::NAME_MAX).contains(&text.len())
        && text != "default"
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}

/// Says what a value is, in a few words.
pub(super) fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() > QUOTED_MAX => {
            let start: String = text.chars().take(QUOTED_MAX).collect();
            format!("{start:?}...")
        }
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => format!("the integer {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date or time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

fn text_value<T>(value: &DeValue<'_>, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    value.as_str().and_then(read)
}

impl Value for String {
    const EXPECTED: &'static str = "a string";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl Value for Integer {
    const EXPECTED: &'static str = "a whole number such as 64 or 0x1A0";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        let number = value.as_integer()?;
        Integer::from_str_radix(number.as_str(), number.radix()).ok()
    }
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }
}

impl Value for Duration {
    const EXPECTED: &'static str = "a duration such as \"10ms\" (units ns, us, ms, s, min, h)";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::duration)
    }
}

impl Value for BitRate {
    const EXPECTED: &'static str = "a bit rate such as \"500k\" or \"2M\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::bit_rate)
    }
}

impl Value for Share {
    const EXPECTED: &'static str = "a share such as \"60%\", or a number from 0 to 1 such as 0.6";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::Float(number) => quantity::fraction(number.as_str().parse().ok()?),
            DeValue::Integer(number) => quantity::fraction(number.as_str().parse().ok()?),
            _ => text_value(value, quantity::share),
        }
    }
}

impl Value for Data {
    const EXPECTED: &'static str =
        "\"counter\", \"random\", \"zero\", or 1 to 64 bytes in hexadecimal such as \"00 FF\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::data)
    }
}

impl Value for Vec<u8> {
    const EXPECTED: &'static str = "1 to 64 bytes in hexadecimal such as \"00 FF\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::bytes)
    }
}

impl Value for FrameRate {
    const EXPECTED: &'static str = "frames a second such as \"2000/s\" (1 to 1000000), or \"full\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::frame_rate)
    }
}

impl Value for Vec<Located<String>> {
    const EXPECTED: &'static str = "a list of names such as [\"engine\", \"brakes\"]";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        value
            .as_array()?
            .iter()
            .map(|entry| {
                Some(Located::new(
                    entry.get_ref().as_str()?.to_owned(),
                    entry.span(),
                ))
            })
            .collect()
    }
}
