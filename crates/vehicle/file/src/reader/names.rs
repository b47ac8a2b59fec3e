//! The names of buses, ECUs and the like, and references to them.

use std::collections::HashMap;
use std::sync::Arc;

use super::Section;
use crate::NAME_MAX;
use crate::place::Span;
use crate::problem::{Problem, Thing};

/// The names of one kind of thing, and where in their list they are.
pub(crate) struct Names {
    thing: Thing,
    known: Arc<[String]>,
    index: HashMap<String, usize>,
}

impl Names {
    /// Collects the names of a list of tables; two of a name and names that are none are noted.
    pub(crate) fn collect(thing: Thing, sections: &mut [Section<'_>]) -> Self {
        let mut known = Vec::with_capacity(sections.len());
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut spans: Vec<Span> = Vec::with_capacity(sections.len());
        for (at, section) in sections.iter_mut().enumerate() {
            let written = section
                .raw("name")
                .and_then(|(span, value)| Some((span, value.as_text()?.to_owned())));
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
    pub(crate) fn given(thing: Thing, names: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<String> = names.map(str::to_owned).collect();
        let index = known.iter().cloned().zip(0..).collect();
        Names {
            thing,
            known: known.into(),
            index,
        }
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.known.len()
    }

    /// Returns the name at an index, empty where there is none.
    pub(crate) fn name(&self, index: usize) -> &str {
        self.known.get(index).map_or("", String::as_str)
    }

    /// Returns the index of a name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Says that there is no such name.
    pub(crate) fn unknown(&self, name: &str) -> Problem {
        Problem::Unknown {
            what: self.thing,
            name: name.to_owned(),
            known: self.known.clone(),
        }
    }
}

/// Returns true if a text can be a name: bounded, readable in a path, a column and a plot.
pub(crate) fn is_name(text: &str) -> bool {
    (1..=NAME_MAX).contains(&text.len())
        && text != "default"
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}
