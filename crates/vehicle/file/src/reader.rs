//! Reads one table of the file after the other and notes everything that is wrong with it.
//!
//! A [`Section`] remembers which keys it was asked for, so that what is left over is unknown and
//! the list of valid keys is the code that reads them. A value that is broken is noted and left
//! out; the reader goes on, to find the rest in the same run. serde would stop at the first.

mod names;
mod value;

use toml::Spanned;
use waywarden_work::Duration;

use super::document::{Entries, Node};
use super::place::{Located, Span};
use super::problem::Problem;
use super::source::Findings;

pub(super) use names::{Names, is_name};
use value::describe;

/// The shortest period: shorter than any frame, so that a bus can be overloaded, and long enough
/// that a run comes to its end.
const PERIOD_MIN: Duration = Duration::from_micros(1);
pub(super) use value::{Integer, NameOrNumber, Value};

/// One table of the file.
pub(super) struct Section<'a> {
    title: String,
    pub(super) span: Span,
    table: &'a Entries,
    findings: &'a Findings<'a>,
    asked: Vec<&'static str>,
    sound: bool,
}

impl<'a> Section<'a> {
    pub(super) fn new(
        title: &str,
        span: Span,
        table: &'a Entries,
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

    /// Notes an error; the section will not be used.
    pub(super) fn fault(&mut self, span: &Span, problem: Problem) {
        self.sound = false;
        self.findings.add(span, problem);
    }

    /// Notes an error unless `right` is true.
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

    /// Reads a value that may be left out; returns `default` then.
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

    /// Reads the time from one event to the next, from [`PERIOD_MIN`] on.
    pub(super) fn period(&mut self, key: &'static str) -> Option<Located<Duration>> {
        let period = self.positive(key)?;
        let long_enough = period.value >= PERIOD_MIN;
        self.demand(long_enough, &period.span, || Problem::OutOfRange {
            what: key,
            found: format!("{:#}", period.value),
            range: format!("{PERIOD_MIN} or more"),
        });
        long_enough.then_some(period)
    }

    /// Reads a time from power-on at which something is to begin.
    pub(super) fn moment(&mut self, key: &'static str) -> Option<Located<Duration>> {
        let at = self.optional::<Duration>(key)?;
        self.findings.await_at(&at);
        Some(at)
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
        let index = names.find(&name.value);
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
        let mut seen = vec![false; names.count()];
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

    /// Reads a table within this one; `expected` is the form that an error demands.
    pub(super) fn table(
        &mut self,
        key: &'static str,
        expected: &'static str,
    ) -> Option<Section<'a>> {
        let (span, value) = self.raw(key)?;
        let Some(table) = value.as_table() else {
            let found = describe(value);
            self.fault(&span, Problem::Value { found, expected });
            return None;
        };
        let title = match self.title.strip_suffix(']') {
            None if self.title.starts_with('[') => format!("`{key}` of {}", self.title),
            None => format!("[{key}]"),
            Some(outer) if outer.ends_with(']') => format!("`{key}` of {}", self.title),
            Some(outer) => format!("{outer}.{key}]"),
        };
        Some(Section::new(&title, span, table, self.findings))
    }

    /// Reads a list of tables, `[[key]]` or `key = [{ ... }]` in the file, of at most `most`.
    pub(super) fn tables(&mut self, key: &'static str, most: usize) -> Vec<Section<'a>> {
        let Some((span, value)) = self.raw(key) else {
            return Vec::new();
        };
        let Some(list) = value.as_list() else {
            let found = describe(value);
            let expected = "a list of tables: headed with two brackets such as [[bus]], or in \
                            [{ ... }, { ... }]";
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
        let title = match self.title.starts_with('[') {
            true => format!("`{key}` of {}", self.title),
            false => format!("[[{key}]]"),
        };
        let mut sections = Vec::new();
        for entry in list.iter().take(most) {
            match entry.get_ref().as_table() {
                Some(table) => {
                    sections.push(Section::new(&title, entry.span(), table, self.findings));
                }
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
    pub(super) fn entries(&mut self) -> Vec<(Located<String>, Located<&'a Node>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                (
                    Located::new(key.get_ref().clone(), key.span()),
                    Located::new(value.get_ref(), value.span()),
                )
            })
            .collect();
        entries.sort_by_key(|(key, _)| key.span.start);
        entries
    }

    /// Reads the value of an entry.
    pub(super) fn read<T: Value>(&mut self, entry: &Located<&'a Node>) -> Option<Located<T>> {
        let read = T::read(entry.value);
        self.demand(read.is_some(), &entry.span, || Problem::Value {
            found: describe(entry.value),
            expected: T::EXPECTED,
        });
        read.map(|value| Located::new(value, entry.span.clone()))
    }

    /// Marks keys as known that are not read, because what they depend on is broken.
    pub(super) fn allow(&mut self, keys: &[&'static str]) {
        self.asked.extend(keys);
    }

    /// Notes that a table within this one is broken, which was noted already.
    pub(super) fn broken(&mut self) {
        self.sound = false;
    }

    /// Takes over whether a table within this one is sound.
    pub(super) fn adopt(&mut self, inner: &Section<'_>) {
        self.sound &= inner.sound;
    }

    /// Returns the place of a key's value, or of the whole section where there is none.
    pub(super) fn location(&self, key: &str) -> Span {
        self.table.get(key).map_or(self.span.clone(), Spanned::span)
    }

    /// Returns true if the value of a key is a string.
    pub(super) fn is_text(&self, key: &str) -> bool {
        self.table
            .get(key)
            .is_some_and(|value| value.get_ref().as_text().is_some())
    }

    /// Returns true if the value of a key is this word, without reading it.
    pub(super) fn says(&self, key: &str, word: &str) -> bool {
        let value = self.table.get(key);
        value.is_some_and(|value| value.get_ref().as_text() == Some(word))
    }

    /// Returns true if a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Notes the keys that no caller asked for; `None` if anything is wrong with the section.
    pub(super) fn finish(mut self) -> Option<()> {
        let unknown: Vec<(Span, String)> = self
            .table
            .keys()
            .filter(|key| !self.asked.contains(&key.get_ref().as_str()))
            .map(|key| (key.span(), key.get_ref().clone()))
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

    fn raw(&mut self, key: &'static str) -> Option<(Span, &'a Node)> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        let value: &'a Spanned<Node> = self.table.get(key)?;
        Some((value.span(), value.get_ref()))
    }
}
