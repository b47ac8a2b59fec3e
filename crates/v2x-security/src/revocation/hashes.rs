//! Certificates that are revoked each by its hash.

use alloc::collections::BTreeMap;

use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashedId3, HashedId8, HashedId10, Time32, Time64, ToBeSignedHashIdCrl,
};

use super::refusal::CrlRefusal;
use super::series::last_three;
use super::{LISTS_MAX, Latest, REVOKED_MAX, Revokes};

/// Certificates that are revoked by hash.
#[derive(Clone, Debug, Default)]
pub(super) struct HashRevocations {
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

impl HashRevocations {
    pub(super) fn revoke(&mut self, certificate: HashedId10, expiry: Time32) {
        revoke_until(&mut self.own, certificate, expiry);
    }

    pub(super) fn has(&self, craca: HashedId3, series: CrlSeries, certificate: HashedId10) -> bool {
        // A certificate that names no CRACA is on no list, whatever a CRACA's hash ends with.
        let is_listed = || self.listed.contains_key(&(craca, series, certificate));
        self.own.contains_key(&certificate) || (craca.0 != [0; 3] && is_listed())
    }

    pub(super) fn len(&self) -> usize {
        self.listed.len() + self.own.len()
    }

    /// When the next full list is due, of the CRACA of that name that makes the latest one.
    pub(super) fn next_due(&self, craca: HashedId3, series: CrlSeries) -> Option<Time32> {
        let of = |end| (craca, series, HashedId8([end; 8]));
        let lists = self.lists.range(of(0)..=of(u8::MAX));
        lists.map(|(_, list)| list.next).max()
    }

    pub(super) fn apply(
        &mut self,
        contents: &CrlContents<'_>,
        list: &ToBeSignedHashIdCrl<'_>,
        is_full: bool,
    ) -> Result<Revokes, CrlRefusal> {
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
        Ok(Revokes::Certificates(list.entries.len()))
    }

    pub(super) fn forget_expired(&mut self, now: Time64) {
        let lasts = |expiry: &Time32| u64::from(expiry.0) * 1_000_000 > now.0;
        self.listed.retain(|_, expiry| lasts(expiry));
        self.own.retain(|_, expiry| lasts(expiry));
    }
}
