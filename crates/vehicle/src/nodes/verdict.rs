//! What came of messages that were checked, in words.

use waywarden_can_sim::notes::Note;

use super::ledger::Genuine;

/// The kind of the remark about a message that was checked.
pub const AUTHENTICATION: &str = "authentication";

/// What came of a message at an ECU that checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The stream, by its place in the vehicle file.
    pub stream: usize,
    /// What the protocol found.
    pub found: Found,
}

/// What the protocol found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Authentic; with what was sent. None if its sender did not send it: the receiver took a
    /// forgery.
    Authentic(Option<Genuine>),
    /// A wrong tag.
    BadTag,
    /// Not newer than what was taken before.
    Replay,
    /// Data without a tag.
    Missing,
    /// A tag without data.
    UnexpectedTag,
    /// The ends do not fit; the receiver asks.
    Desync,
    /// They fit again.
    Resynced,
    /// As many messages as the ECU has room for waited to be checked.
    NoRoom,
    /// What the ECU retained over a reset is damaged or exhausted, so it checks nothing.
    NotReady,
}

/// What remarks say of each.
const WORDS: [(Found, &str); 9] = [
    (Found::Authentic(None), "authentic"),
    (Found::BadTag, "wrong tag"),
    (Found::Replay, "replay"),
    (Found::Missing, "no tag came"),
    (Found::UnexpectedTag, "tag without data"),
    (Found::Desync, "out of step"),
    (Found::Resynced, "in step again"),
    (Found::NoRoom, "no room to check it"),
    (Found::NotReady, "not ready to check it"),
];

/// What a forgery that was taken is called.
const FORGERY: &str = "taken though nobody sent it";

impl Found {
    /// Returns it in words.
    #[must_use]
    pub fn words(&self) -> &'static str {
        let same = |one: &Found| std::mem::discriminant(one) == std::mem::discriminant(self);
        match self {
            Found::Authentic(None) => FORGERY,
            _ => WORDS
                .iter()
                .find(|(one, _)| same(one))
                .map_or("", |(_, words)| words),
        }
    }
}

/// Returns in one word what a remark of the kind [`AUTHENTICATION`] says.
pub(crate) fn verdict_word(note: &Note) -> &'static str {
    let all = WORDS.iter().map(|(_, words)| *words).chain([FORGERY]);
    all.into_iter()
        .find(|words| note.text.ends_with(words))
        .unwrap_or("other")
}
