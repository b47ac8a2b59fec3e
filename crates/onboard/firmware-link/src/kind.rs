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

/// The kind of [`GroupRecord`](crate::GroupRecord)s.
pub const GROUP_KEYS: u8 = 2;

/// The kind of [`PairedRecord`](crate::PairedRecord).
pub const PAIRED: u8 = 3;

/// The kind of [`LasanRecord`](crate::LasanRecord).
pub const LASAN: u8 = 4;

/// All kinds.
pub const KINDS: &[RecordKind] = &[
    RecordKind {
        number: SECOC,
        purpose: "SecOC with keys in place",
        image: "secoc.elf",
    },
    RecordKind {
        number: GROUP_KEYS,
        purpose: "a group that agrees on keys",
        image: "group-keys-fourq.elf or group-keys-p256.elf",
    },
    RecordKind {
        number: PAIRED,
        purpose: "vatiCAN or LeiA",
        image: "paired.elf",
    },
    RecordKind {
        number: LASAN,
        purpose: "a party under a security module",
        image: "the lasan-*.elf of its suite",
    },
];

/// Finds a kind by its number.
pub(crate) fn kind(number: u8) -> Option<&'static RecordKind> {
    KINDS.iter().find(|kind| kind.number == number)
}
