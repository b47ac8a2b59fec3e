//! The boards and base tables that come with the crate.

use std::sync::OnceLock;

use crate::Board;

/// Names each file under `data/` and pulls its text in.
macro_rules! texts {
    ($folder:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../data/", $folder, $name, ".toml"))),)*]
    };
}

const BOARDS: &[(&str, &str)] = texts!("":
    "ideal",
    "tc224", "tc277", "tc297", "sam-v71",
    "tms570",
    "tc3xx-hsm", "s32k3", "rh850-icum", "stm32h5", "stm32u5",
    "sancus", "vatican-avr",
    "x86-64", "a72", "a53", "arm11", "m4", "m3", "m4f-emulated", "m33-emulated", "r5f-emulated",
    "wave-laptop", "wave-raspberry-pi",
);

/// The boards already read, each at its place in [`BOARDS`].
static READ: [OnceLock<Option<Board>>; BOARDS.len()] = [const { OnceLock::new() }; BOARDS.len()];

const BASES: &[(&str, &str)] = texts!("base/": "cortex-m4-assembly", "cortex-m4-portable");

impl Board {
    /// Returns the names of the boards that come with the crate.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BOARDS.iter().map(|&(name, _)| name)
    }

    /// Returns the built-in board of this name.
    ///
    /// Reads its file the first time (well under a millisecond), and copies what it read after.
    #[must_use]
    pub fn builtin(name: &str) -> Option<Board> {
        let place = BOARDS.iter().position(|&(known, _)| known == name)?;
        let (_, text) = BOARDS[place];
        // A test reads every built-in file.
        let read = || Board::parse(name, text).ok();
        READ[place].get_or_init(read).clone()
    }

    /// Returns the file of the built-in board of this name, a pattern for one's own.
    #[must_use]
    pub fn builtin_text(name: &str) -> Option<&'static str> {
        find(BOARDS, name)
    }
}

pub(crate) fn base_table(name: &str) -> Option<&'static str> {
    find(BASES, name)
}

pub(crate) fn base_names() -> impl Iterator<Item = &'static str> {
    BASES.iter().map(|&(name, _)| name)
}

fn find(texts: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    texts
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, text)| text)
}
