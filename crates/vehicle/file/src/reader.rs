//! Reads one table of the file after the other and notes everything that is wrong with it.
//!
//! A [`Section`] takes ranges, words and defaults of its keys from the grammar. It remembers which
//! keys it was asked for, so that what is left over is unknown: no key is accepted that no code
//! reads. A value that is broken is noted and left out; the reader goes on, to find the rest in the
//! same run. serde would stop at the first.

mod by_grammar;
mod names;
mod value;

use toml::Spanned;
use waywarden_work::Duration;

use super::document::{Entries, Node};
use super::place::{Located, Span};
use super::problem::Problem;
use super::source::Findings;
use waywarden_vehicle_grammar::{Key, Table, TableForm, TableRule, Value as Kind};

pub(super) use names::{Names, is_name};
use value::describe;

pub(super) use value::{Integer, NameOrNumber, Value};

/// A table whose keys are names of the user's own.
static ENTRIES: Table = Table::PLAIN;

/// One table of the file.
pub(super) struct Section<'a> {
    title: String,
    pub(super) span: Span,
    table: &'a Entries,
    findings: &'a Findings<'a>,
    form: TableForm,
    /// The word that tells the kind of table, once it is known.
    word: Option<&'static str>,
    asked: Vec<&'static str>,
    sound: bool,
}

impl<'a> Section<'a> {
    pub(super) fn new(
        title: &str,
        span: Span,
        table: &'a Entries,
        findings: &'a Findings<'a>,
        form: TableForm,
    ) -> Self {
        Section {
            title: title.to_owned(),
            span,
            table,
            findings,
            form,
            word: None,
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
            let needed = self.key(key).needed;
            self.missing(
                key,
                if needed.is_empty() {
                    T::EXPECTED
                } else {
                    needed
                },
            );
        }
        self.optional(key)
    }

    /// Notes a key that is not there, and must be.
    pub(super) fn need(&mut self, key: &'static str) {
        if !self.has(key) {
            self.lacks(key);
        }
    }

    /// Notes that a key must be there, with what it has to be by the grammar.
    pub(super) fn lacks(&mut self, key: &'static str) {
        let Key { needed, value, .. } = self.key(key);
        let expected = match (*needed, value) {
            ("", Kind::Duration(_)) => Duration::EXPECTED,
            (needed, _) => needed,
        };
        self.missing(key, expected);
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

    /// Reads a table within this one.
    pub(super) fn table(&mut self, key: &'static str) -> Option<Section<'a>> {
        let (span, value) = self.raw(key)?;
        let Key {
            value: kind,
            example: expected,
            ..
        } = *self.key(key);
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
        let form = match kind {
            Kind::Table(table) => TableForm::One(table),
            _ => TableForm::One(&ENTRIES),
        };
        Some(Section::new(&title, span, table, self.findings, form))
    }

    /// Reads a table within this one that may be left out: it has only defaults then.
    pub(super) fn table_or_empty(&mut self, key: &'static str) -> Section<'a> {
        static NOTHING: Entries = Entries::new();
        self.table(key).unwrap_or_else(|| {
            let form = match self.key(key).value {
                Kind::Table(table) => TableForm::One(table),
                _ => TableForm::One(&ENTRIES),
            };
            Section::new("", self.span.clone(), &NOTHING, self.findings, form)
        })
    }

    /// Reads a list of tables, `[[key]]` or `key = [{ ... }]` in the file.
    pub(super) fn tables(&mut self, key: &'static str) -> Vec<Section<'a>> {
        let Some((span, value)) = self.raw(key) else {
            return Vec::new();
        };
        let (form, most) = match self.key(key).value {
            Kind::Tables(form, most) => (form, most),
            _ => (TableForm::One(&ENTRIES), 0),
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
                    let span = entry.span();
                    sections.push(Section::new(&title, span, table, self.findings, form));
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
        let unread = || match self.sound {
            true => self.unread(),
            false => Vec::new(),
        };
        debug_assert_eq!(unread(), [""; 0], "{}", self.title);
        let unknown: Vec<(Span, String)> = self
            .table
            .keys()
            .filter(|key| !self.asked.contains(&key.get_ref().as_str()))
            .map(|key| (key.span(), key.get_ref().clone()))
            .collect();
        for (span, key) in unknown {
            let section = self.title.clone();
            let valid = self.asked.clone();
            let renamed = self.form.renamed(&key);
            self.fault(
                &span,
                Problem::UnknownKey {
                    renamed: renamed.filter(|new| valid.contains(new)),
                    key,
                    section,
                    valid,
                },
            );
        }
        self.sound.then_some(())
    }

    /// Returns the keys of the grammar that were not read, of the kind of table with the fewest:
    /// none, unless a key is there only on paper.
    fn unread(&self) -> Vec<&'static str> {
        let unread = |table: &'static Table| -> Vec<&'static str> {
            let depends = |rule: &TableRule| matches!(rule, TableRule::DependOnOthers);
            let keys = table.all().map(|key| key.name);
            let is_read = table.rules.iter().any(depends);
            keys.filter(|name| !is_read && !self.asked.contains(name))
                .collect()
        };
        let tables = self.form.tables(self.word).into_iter().map(unread);
        tables.min_by_key(Vec::len).unwrap_or_default()
    }

    /// Returns the entry of the grammar for a key, of another kind of table if this one has none:
    /// some keys are read only to refuse them with a remedy.
    fn key(&self, name: &str) -> &'static Key {
        let of = |word| self.form.key(word, name, |key| self.has(key));
        let found = of(self.word).or_else(|| of(None));
        debug_assert!(
            found.is_some(),
            "{}: {name} is not in the grammar",
            self.title
        );
        found.unwrap_or(&Key::UNKNOWN)
    }

    fn raw(&mut self, key: &'static str) -> Option<(Span, &'a Node)> {
        debug_assert_eq!(self.key(key).name, key);
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        let value: &'a Spanned<Node> = self.table.get(key)?;
        Some((value.span(), value.get_ref()))
    }
}
