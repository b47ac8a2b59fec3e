//! Revocation lists to be made, and those that were.

use std::path::PathBuf;

use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use crate::error::PkiError;

/// A revocation list to be made.
#[derive(Clone, Debug)]
pub struct NewCrl {
    /// The file for the list; one by linkage values goes beside it. `-` is standard output.
    pub output: Option<PathBuf>,
    /// A file of linkage seeds (TOML) to revoke by, and not by what the PKI knows.
    pub seeds: Option<PathBuf>,
    /// True for what no list has yet alone.
    pub is_delta: bool,
    /// True to make a list although the one before is of a later time: the clock was ahead, and no
    /// receiver has that list.
    pub discard_later: bool,
    /// Time from now until the next list is due: at most 100 years.
    pub next: Duration,
}

impl NewCrl {
    /// A full list, due again after a day.
    pub const FULL: Self = Self {
        output: None,
        seeds: None,
        is_delta: false,
        discard_later: false,
        next: Duration::Hours(24),
    };
}

/// Kind of a revocation list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrlKind {
    /// Certificates by their hashes.
    Certificates,
    /// Holders of pseudonyms by linkage seeds.
    Linkage,
    /// Authorities of a European root.
    Root,
}

/// A list that was made.
#[derive(Clone, Debug)]
pub struct MadeCrl {
    /// The kind of the list.
    pub kind: CrlKind,
    /// The file with it, if one was asked for.
    pub path: Option<PathBuf>,
    /// The signed list.
    pub bytes: Vec<u8>,
    /// Description of what it revokes, such as `2 certificates`.
    pub revokes: String,
}

/// Answer of [`make_crl`](crate::make_crl).
#[derive(Debug)]
pub struct MadeCrls {
    /// The lists: one, or that by hash and that by linkage values.
    pub lists: Vec<MadeCrl>,
    /// Time at which the next ones are due.
    pub next: Time64,
    /// The reason for which there is no list by linkage values, although vehicles are revoked.
    pub unlisted: Option<PkiError>,
}
