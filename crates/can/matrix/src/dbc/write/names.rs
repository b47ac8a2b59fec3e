//! Names of a matrix as statements of a DBC file can have them.

use std::collections::{HashMap, HashSet};

/// The most letters of a name in a statement; attributes have the full ones.
const LETTERS_MAX: usize = 32;

/// Letters that a number at the end of a name may take.
const NUMBER_MAX: usize = 8;

/// Words of the format, which no name may be.
const RESERVED: [&str; 31] = [
    "BA_",
    "BA_DEF_",
    "BA_DEF_DEF_",
    "BA_DEF_DEF_REL_",
    "BA_DEF_REL_",
    "BA_DEF_SGTYPE_",
    "BA_REL_",
    "BA_SGTYPE_",
    "BO_",
    "BO_TX_BU_",
    "BS_",
    "BU_",
    "BU_BO_REL_",
    "BU_EV_REL_",
    "BU_SG_REL_",
    "CAT_",
    "CAT_DEF_",
    "CM_",
    "ENVVAR_DATA_",
    "EV_",
    "NS_",
    "NS_DESC_",
    "SGTYPE_",
    "SG_",
    "SG_MUL_VAL_",
    "SIG_GROUP_",
    "SIG_VALTYPE_",
    "VAL_",
    "VAL_TABLE_",
    // The message of signals without one.
    "VECTOR__INDEPENDENT_SIG_MSG",
    "VERSION",
];

/// Names that are given to names of a file.
#[derive(Default)]
pub(super) struct Identifiers {
    taken: HashSet<String>,
    /// The name of the first one of each name.
    known: HashMap<String, String>,
    /// The next number that is tried behind a name.
    next: HashMap<String, usize>,
    /// The number of names that are not written as they are.
    pub(super) renamed: usize,
}

impl Identifiers {
    /// Returns the name of something that may be named often, and true for the first time.
    pub(super) fn of(&mut self, name: &str) -> (String, bool) {
        match self.known.get(name) {
            Some(known) => (known.clone(), false),
            None => (self.fresh(name), true),
        }
    }

    /// Returns the name of something else, even if it has the name of another.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let mut base: String = name.chars().map(letter).take(LETTERS_MAX).collect();
        if !base.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            base.insert(0, '_');
            base.truncate(LETTERS_MAX);
        }
        let is_free = !RESERVED.contains(&base.as_str()) && self.taken.insert(base.clone());
        let given = if is_free { base } else { self.numbered(&base) };
        let is_cut = is_long(name) && name.chars().all(|one| one == letter(one));
        self.renamed += usize::from(given != name && !is_cut);
        self.known
            .entry(name.to_owned())
            .or_insert_with(|| given.clone());
        given
    }

    /// Returns the given name of the first one of a name.
    pub(super) fn given(&self, name: &str) -> Option<&str> {
        self.known.get(name).map(String::as_str)
    }

    fn numbered(&mut self, base: &str) -> String {
        let end = base.len().min(LETTERS_MAX - NUMBER_MAX);
        let stem = &base[..end];
        let number = self.next.entry(stem.to_owned()).or_insert(2);
        loop {
            let candidate = format!("{stem}_{number}");
            *number += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}

/// Returns true for a name that an attribute has to hold.
pub(super) fn is_long(name: &str) -> bool {
    name.chars().count() > LETTERS_MAX
}

/// Returns a text that a quotation can hold.
pub(super) fn quotable(text: &str) -> String {
    let plain = |letter: char| match letter {
        '"' | '\\' => '\'',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    text.chars().map(plain).collect()
}

fn letter(letter: char) -> char {
    match letter.is_ascii_alphanumeric() {
        true => letter,
        false => '_',
    }
}
