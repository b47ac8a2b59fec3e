//! Things that tables of a vehicle file name.

use std::fmt;

/// The kinds of things that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A `[[bus]]`.
    Bus,
    /// An `[[ecu]]`.
    Ecu,
    /// A `[[stream]]`.
    Stream,
    /// A board that is built in.
    Board,
    /// An `[[attacker]]`.
    Attacker,
    /// An `[[interferer]]`.
    Interferer,
    /// A `[[fault]]`.
    Fault,
    /// A `[[replay]]`.
    Replay,
    /// A `[[keys]]`.
    KeyGroup,
    /// An `[[authentication]]`.
    Authentication,
    /// A `[[keys]]` of a security module.
    SecurityModule,
    /// A suite of a security module.
    Suite,
    /// A message of a DBC file.
    Message,
    /// A step of a group's key exchange.
    KeyStep,
    /// A message of a security module's protocol.
    KeyMessage,
}

impl Thing {
    /// Returns the word for it, and in which table it is declared.
    #[must_use]
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Thing::Bus => ("bus", "[[bus]]"),
            Thing::Ecu => ("ECU", "[[ecu]]"),
            Thing::Stream => ("stream", "[[stream]]"),
            Thing::Board => ("board", "a board file"),
            Thing::Attacker => ("attacker", "[[attacker]]"),
            Thing::Interferer => ("interferer", "[[interferer]]"),
            Thing::Fault => ("fault", "[[fault]]"),
            Thing::Replay => ("replay", "[[replay]]"),
            Thing::KeyGroup => ("group of keys", "[[keys]]"),
            Thing::SecurityModule => ("security module", "[[keys]]"),
            Thing::Authentication => ("authentication", "[[authentication]]"),
            Thing::Message => (
                "message",
                "an identifier such as 0x280, or name the DBC file",
            ),
            Thing::KeyStep => ("step", "docs/protocols/gke.md"),
            Thing::KeyMessage => ("message", "docs/protocols/lasan.md"),
            Thing::Suite => ("suite", "one of those in docs/protocols/lasan.md"),
        }
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().0)
    }
}
