//! The kinds of records, one for each kind of image.

/// A kind of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordKind {
    /// The first byte of its records.
    pub number: u8,
    /// The kind of ECU that they are for.
    pub purpose: &'static str,
    /// The image that takes them.
    pub image: &'static str,
}

/// The kind of [`EcuRecord`](crate::EcuRecord).
pub const SECOC: u8 = 1;

/// All kinds.
pub const KINDS: &[RecordKind] = &[RecordKind {
    number: SECOC,
    purpose: "SecOC with keys in place",
    image: "secoc.elf",
}];

/// Finds a kind by its number.
pub(crate) fn kind(number: u8) -> Option<&'static RecordKind> {
    KINDS.iter().find(|kind| kind.number == number)
}
