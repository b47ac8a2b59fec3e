//! Which certificates are revoked, each by its hash \[1609.2 §5.1.3, §7.3\].

use alloc::collections::BTreeMap;

use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashedId3, HashedId8, HashedId10, Time32, Time64, ToBeSignedHashIdCrl,
    TypeSpecificCrlContents,
};

/// So many revoked certificates are remembered at the most; a list with more is refused.
pub const REVOKED_MAX: usize = 1 << 20;

/// Why a revocation list is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrlFault {
    /// It revokes by linkage values.
    Linked,
    /// The next one is to be made before it.
    Times,
    /// A newer one of its series is known.
    Old,
    /// It has more certificates than are remembered.
    TooMany,
}

/// A list, as far as it has to be remembered.
#[derive(Clone, Copy, Debug)]
struct List {
    issued: Time32,
    next: Time32,
}

/// Revoked certificates, and when the next lists are due.
#[derive(Clone, Debug, Default)]
pub struct Revocations {
    revoked: BTreeMap<HashedId10, Time32>,
    lists: BTreeMap<(HashedId3, CrlSeries), List>,
}

impl Revocations {
    /// Revokes a certificate until it expires anyway; never for shorter than it was before.
    pub fn revoke(&mut self, certificate: HashedId10, expiry: Time32) {
        let known = self.revoked.entry(certificate).or_insert(expiry);
        *known = (*known).max(expiry);
    }

    /// Whether a certificate is revoked.
    #[must_use]
    pub fn has(&self, certificate: HashedId10) -> bool {
        self.revoked.contains_key(&certificate)
    }

    /// Returns how many certificates are revoked.
    #[must_use]
    pub fn len(&self) -> usize {
        self.revoked.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.revoked.is_empty()
    }

    /// Returns when the next list of a series is due, if one came.
    #[must_use]
    pub fn next_due(&self, craca: HashedId3, series: CrlSeries) -> Option<Time64> {
        let list = self.lists.get(&(craca, series))?;
        Some(Time64(u64::from(list.next.0) * 1_000_000))
    }

    /// Takes a list whose signature was verified and whose signer may revoke for
    /// `contents.crl_craca`.
    ///
    /// # Errors
    /// [`CrlFault`]; nothing is changed then.
    pub fn apply(&mut self, contents: &CrlContents<'_>) -> Result<usize, CrlFault> {
        let list = match &contents.contents {
            TypeSpecificCrlContents::FullHash(list) | TypeSpecificCrlContents::DeltaHash(list) => {
                list
            }
            _ => return Err(CrlFault::Linked),
        };
        if contents.next_crl <= contents.issue_date {
            return Err(CrlFault::Times);
        }
        let name = (last_three(contents.crl_craca), contents.crl_series);
        let known = self.lists.get(&name);
        if known.is_some_and(|known| known.issued > contents.issue_date) {
            return Err(CrlFault::Old);
        }
        // The next list has most of the one before in it.
        let entries = list.entries.iter().flatten();
        let new = entries.filter(|entry| !self.has(entry.id)).count();
        if self.revoked.len().saturating_add(new) > REVOKED_MAX {
            return Err(CrlFault::TooMany);
        }
        self.take(list);
        let (issued, next) = (contents.issue_date, contents.next_crl);
        self.lists.insert(name, List { issued, next });
        Ok(list.entries.len())
    }

    fn take(&mut self, list: &ToBeSignedHashIdCrl<'_>) {
        for entry in list.entries.iter().flatten() {
            self.revoke(entry.id, entry.expiry);
        }
    }

    /// Forgets certificates that have expired.
    pub fn forget_expired(&mut self, now: Time64) {
        self.revoked
            .retain(|_, expiry| u64::from(expiry.0) * 1_000_000 > now.0);
    }
}

fn last_three(id: HashedId8) -> HashedId3 {
    let [.., a, b, c] = id.0;
    HashedId3([a, b, c])
}
