//! Reads values by what the grammar says of their keys: defaults, ranges and words.

use waywarden_can::ExtendedId;
use waywarden_work::Duration;

use super::{Integer, Section, Value};
use crate::document::{Node, Number};
use crate::place::Located;
use crate::problem::Problem;
use waywarden_vehicle_grammar::{Preset, Times, Value as Kind};

impl Section<'_> {
    /// Reads the word that tells the kind of table, and keeps to the keys of that kind.
    pub(crate) fn kind(&mut self, key: &'static str) -> Option<&'static str> {
        let word = self.choice(key);
        self.word = word.or(match self.key(key).preset {
            Preset::Text(word) => Some(word),
            _ => None,
        });
        self.word
    }

    /// Returns the default of a key.
    pub(crate) fn preset<T: Value>(&self, key: &'static str) -> Option<T> {
        T::read(&preset(self.key(key).preset)?)
    }

    /// Reads a value that may be left out; returns its default then.
    pub(crate) fn or_preset<T: Value>(&mut self, key: &'static str) -> Option<T> {
        let value = self.optional(key).map(|given| given.value);
        value.or_else(|| self.preset(key))
    }

    /// Reads a list that may be left out.
    pub(crate) fn list<T>(&mut self, key: &'static str) -> Vec<T>
    where
        Vec<T>: Value,
    {
        self.optional(key).map_or(Vec::new(), |list| list.value)
    }

    /// Reads true or false.
    pub(crate) fn flag(&mut self, key: &'static str) -> bool {
        self.or_preset(key).unwrap_or_default()
    }

    /// Reads a whole number within its range.
    pub(crate) fn number(&mut self, key: &'static str) -> Option<Located<Integer>> {
        let number = self.optional::<Integer>(key)?;
        let (lowest, highest) = match self.key(key).value {
            Kind::Whole(lowest, highest) => (lowest, highest),
            _ => (0, Integer::from(ExtendedId::MAX)),
        };
        let within = (lowest..=highest).contains(&number.value);
        self.demand(within, &number.span, || Problem::OutOfRange {
            what: key,
            found: number.value.to_string(),
            range: format!("{lowest} to {highest}"),
        });
        within.then_some(number)
    }

    /// Reads a whole number that may be left out; returns its default then.
    pub(crate) fn whole(&mut self, key: &'static str) -> Integer {
        match (self.number(key), self.key(key).preset) {
            (Some(number), _) => number.value,
            (None, Preset::Whole(number)) => number,
            _ => 0,
        }
    }

    /// Reads a duration above zero.
    pub(crate) fn positive(&mut self, key: &'static str) -> Option<Located<Duration>> {
        let duration = self.optional::<Duration>(key)?;
        let above = duration.value > Duration::ZERO;
        self.demand(above, &duration.span, || Problem::OutOfRange {
            what: key,
            found: duration.value.to_string(),
            range: "above zero".to_owned(),
        });
        above.then_some(duration)
    }

    /// Reads a duration above zero and within its range.
    pub(crate) fn time(&mut self, key: &'static str) -> Option<Located<Duration>> {
        let time = self.positive(key)?;
        let Kind::Duration(Times { least, most, .. }) = self.key(key).value else {
            return Some(time);
        };
        let range = match (least, most) {
            (Some(least), _) if time.value < least => format!("{least} or more"),
            (_, Some(most)) if time.value > most => format!("up to {most}"),
            _ => return Some(time),
        };
        self.fault(
            &time.span,
            Problem::OutOfRange {
                what: key,
                found: format!("{:#}", time.value),
                range,
            },
        );
        None
    }

    /// Reads a duration above zero that may be left out; returns its default then.
    pub(crate) fn time_or_preset(&mut self, key: &'static str) -> Option<Duration> {
        let time = self.time(key).map(|given| given.value);
        time.or_else(|| self.preset(key))
    }

    /// Reads a time from power-on at which something is to begin.
    pub(crate) fn moment(&mut self, key: &'static str) -> Option<Located<Duration>> {
        let at = self.optional::<Duration>(key)?;
        self.findings.await_at(&at);
        Some(at)
    }

    /// Reads one of the words of the grammar.
    pub(crate) fn choice(&mut self, key: &'static str) -> Option<&'static str> {
        let word = self.optional::<String>(key)?;
        let words = words(&self.key(key).value);
        let found = words.iter().find(|valid| **valid == word.value);
        self.demand(found.is_some(), &word.span, || Problem::Choice {
            found: word.value.clone(),
            valid: words,
        });
        found.copied()
    }

    /// Reads one of the words of the grammar; returns the default if it is left out or another.
    pub(crate) fn word(&mut self, key: &'static str) -> &'static str {
        match (self.choice(key), self.key(key).preset) {
            (Some(word), _) | (None, Preset::Text(word)) => word,
            _ => "",
        }
    }
}

/// Returns the words that a key takes, alone or beside other values.
fn words(kind: &Kind) -> &'static [&'static str] {
    match kind {
        Kind::Word(words) => words,
        Kind::Any(all) => all
            .iter()
            .map(words)
            .find(|one| !one.is_empty())
            .unwrap_or_default(),
        _ => &[],
    }
}

/// Returns the value of a key that is left out, as a file would have it.
fn preset(preset: Preset) -> Option<Node> {
    Some(match preset {
        Preset::Whole(number) => Node::Integer(Number {
            text: number.to_string(),
            value: Some(number),
        }),
        Preset::Flag(flag) => Node::Boolean(flag),
        Preset::Text(text) => Node::Text(text.to_owned()),
        Preset::Required | Preset::Absent | Preset::Follows(_) => return None,
    })
}
