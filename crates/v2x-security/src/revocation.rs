//! Which certificates are revoked, each by its hash \[1609.2 §5.1.3, §7.3\].
//!
//! A list revokes certificates that name its CRACA and series only. Certificates name a CRACA by
//! three bytes of its hash: two authorities that may revoke can have the same three.

use alloc::collections::BTreeMap;

use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashedId3, HashedId8, HashedId10, Time32, Time64,
    TypeSpecificCrlContents,
};

use crate::result::Refusal;

/// How many revoked certificates are remembered at most, of all CRACAs together; a list with more
/// is refused.
pub const REVOKED_MAX: usize = 1 << 20;
/// Of how many CRACAs and series lists are remembered at most.
pub const LISTS_MAX: usize = 1 << 12;

/// Why a revocation list is not applied. No revocation is changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrlRefusal {
    /// The message that carries it is not accepted.
    Message(Refusal),
    /// It revokes by linkage values.
    Linked,
    /// A newer list of its CRACA, series and kind (full or delta) is known.
    Old,
    /// It has more certificates than are remembered, or is of one series too many.
    TooMany,
}

impl From<Refusal> for CrlRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Message(refusal)
    }
}

impl core::fmt::Display for CrlRefusal {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Message(refusal) => refusal.fmt(formatter),
            Self::Linked => formatter.write_str("it revokes by linkage values, not by hashes"),
            Self::Old => formatter.write_str("a newer list of its CRACA and series is known"),
            Self::TooMany => formatter.write_str("more certificates or series than are remembered"),
        }
    }
}

impl core::error::Error for CrlRefusal {}

/// A list that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AppliedCrl {
    /// The authority that revokes.
    pub craca: HashedId8,
    /// The series of the list.
    pub series: CrlSeries,
    /// How many certificates it revokes.
    pub entries: usize,
    /// When it was made.
    pub issue_date: Time32,
    /// When the next one is due.
    pub next_crl: Time32,
}

/// What is known of the latest full list of a CRACA and series.
#[derive(Clone, Copy, Debug)]
struct Latest {
    issued: Time32,
    next: Time32,
}

/// Revoked certificates, and when the next lists are due.
#[derive(Clone, Debug, Default)]
pub struct Revocations {
    /// By CRACA, as certificates name it, series and certificate, until when.
    listed: BTreeMap<(HashedId3, CrlSeries, HashedId10), Time32>,
    /// What the receiver has revoked itself.
    own: BTreeMap<HashedId10, Time32>,
    lists: BTreeMap<(HashedId3, CrlSeries, HashedId8), Latest>,
    /// When the latest delta list of each was made.
    deltas: BTreeMap<(HashedId3, CrlSeries, HashedId8), Time32>,
}

fn revoke_until<K: Ord>(revoked: &mut BTreeMap<K, Time32>, key: K, expiry: Time32) {
    let known = revoked.entry(key).or_insert(expiry);
    *known = (*known).max(expiry);
}

impl Revocations {
    /// Revokes a certificate by the receiver's own decision, whatever its CRACA is, until it
    /// expires anyway; never for shorter than it was before.
    pub fn revoke(&mut self, certificate: HashedId10, expiry: Time32) {
        revoke_until(&mut self.own, certificate, expiry);
    }

    /// Whether a certificate that names this CRACA and series is revoked.
    #[must_use]
    pub fn has(&self, craca: HashedId3, series: CrlSeries, certificate: HashedId10) -> bool {
        // A certificate that names no CRACA is on no list, whatever a CRACA's hash ends with.
        let is_listed = || self.listed.contains_key(&(craca, series, certificate));
        self.own.contains_key(&certificate) || (craca.0 != [0; 3] && is_listed())
    }

    /// Returns how many certificates are revoked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.listed.len() + self.own.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns when the next full list of a series is due, if one came. A delta list says what has
    /// changed since a list that may not have come, and does not count.
    #[must_use]
    pub fn next_due(&self, craca: HashedId3, series: CrlSeries) -> Option<Time64> {
        let of = |end| (craca, series, HashedId8([end; 8]));
        let lists = self.lists.range(of(0)..=of(u8::MAX));
        let next = lists.map(|(_, list)| list.next).max()?;
        Some(Time64(u64::from(next.0) * 1_000_000))
    }

    /// Applies a list whose signature, dates and signer's right were checked.
    pub(crate) fn apply(&mut self, contents: &CrlContents<'_>) -> Result<AppliedCrl, CrlRefusal> {
        let (list, is_full) = match &contents.contents {
            TypeSpecificCrlContents::FullHash(list) => (list, true),
            TypeSpecificCrlContents::DeltaHash(list) => (list, false),
            _ => return Err(CrlRefusal::Linked),
        };
        let (craca, series) = (last_three(contents.crl_craca), contents.crl_series);
        let name = (craca, series, contents.crl_craca);
        // A full list and a delta list do not replace each other.
        let known = match is_full {
            true => self.lists.get(&name).map(|known| known.issued),
            false => self.deltas.get(&name).copied(),
        };
        if known.is_some_and(|issued| issued > contents.issue_date) {
            return Err(CrlRefusal::Old);
        }
        let is_new_series = known.is_none();
        // The next list has most of the one before in it.
        let is_new = |id| !self.listed.contains_key(&(craca, series, id));
        let entries = list.entries.iter().flatten();
        let new = entries.filter(|entry| is_new(entry.id)).count();
        if self.len().saturating_add(new) > REVOKED_MAX
            || (is_new_series && self.lists.len().max(self.deltas.len()) >= LISTS_MAX)
        {
            return Err(CrlRefusal::TooMany);
        }
        for entry in list.entries.iter().flatten() {
            revoke_until(&mut self.listed, (craca, series, entry.id), entry.expiry);
        }
        let (issued, next) = (contents.issue_date, contents.next_crl);
        match is_full {
            true => drop(self.lists.insert(name, Latest { issued, next })),
            false => drop(self.deltas.insert(name, issued)),
        }
        Ok(AppliedCrl {
            craca: contents.crl_craca,
            series,
            entries: list.entries.len(),
            issue_date: issued,
            next_crl: next,
        })
    }

    /// Forgets certificates that have expired.
    pub fn forget_expired(&mut self, now: Time64) {
        let lasts = |expiry: &Time32| u64::from(expiry.0) * 1_000_000 > now.0;
        self.listed.retain(|_, expiry| lasts(expiry));
        self.own.retain(|_, expiry| lasts(expiry));
    }
}

/// How certificates name a CRACA \[1609.2 §6.4.8\].
fn last_three(id: HashedId8) -> HashedId3 {
    let [.., a, b, c] = id.0;
    HashedId3([a, b, c])
}
