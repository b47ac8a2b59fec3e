//! Certificates that are revoked each by its hash.
//!
//! Lists only add, in whatever order they come: a certificate that one of them names is revoked
//! until it expires.

use alloc::collections::BTreeMap;

use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashedId3, HashedId10, Time32, Time64, ToBeSignedHashIdCrl,
};

use super::continuity::{Continuity, HashNumbers};
use super::refusal::CrlRefusal;
use super::series::SeriesName;
use super::{LISTS_MAX, REVOKED_MAX, Revokes};

/// A certificate, by its CRACA, as it names it, and its series.
type Certificate = (HashedId3, CrlSeries, HashedId10);

/// Certificates that are revoked by hash.
#[derive(Clone, Debug, Default)]
pub(super) struct HashRevocations {
    /// Certificates that lists revoked, with their expiry.
    listed: BTreeMap<Certificate, Time32>,
    /// Certificates that the receiver has revoked itself, with their expiry.
    own: BTreeMap<HashedId10, Time32>,
    /// The numbers of the lists that were applied.
    numbers: BTreeMap<SeriesName, HashNumbers>,
}

/// Never for shorter than before: an earlier expiry would end a revocation early.
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

    /// Returns the latest due time of the next full list, over all CRACAs of that name.
    pub(super) fn next_due(&self, craca: HashedId3, series: CrlSeries) -> Option<Time32> {
        let lists = self.numbers.range(SeriesName::all_of(craca, series));
        lists.filter_map(|(_, numbers)| numbers.next_due()).max()
    }

    /// Returns the completeness of the lists of each series.
    pub(super) fn continuity(&self) -> impl Iterator<Item = (SeriesName, Continuity)> {
        let numbers = self.numbers.iter();
        numbers.map(|(name, numbers)| (*name, numbers.continuity()))
    }

    /// Checks that so many more certificates, and so many more series, can be remembered.
    fn check_room(&self, certificates: usize, series: usize) -> Result<(), CrlRefusal> {
        let certificates = self.len().saturating_add(certificates);
        let series = self.numbers.len().saturating_add(series);
        match certificates <= REVOKED_MAX && series <= LISTS_MAX {
            true => Ok(()),
            false => Err(CrlRefusal::TooMany),
        }
    }

    pub(super) fn apply(
        &mut self,
        contents: &CrlContents<'_>,
        list: &ToBeSignedHashIdCrl<'_>,
        is_full: bool,
    ) -> Result<(Revokes, Continuity), CrlRefusal> {
        let name = SeriesName::new(contents.crl_craca, contents.crl_series);
        let key = |id| (name.craca, name.series, id);
        // The next list has most of the one before in it.
        let entries = list.entries.iter().flatten();
        let new = entries.filter(|entry| !self.listed.contains_key(&key(entry.id)));
        let is_new_series = !self.numbers.contains_key(&name);
        self.check_room(new.count(), usize::from(is_new_series))?;
        for entry in list.entries.iter().flatten() {
            revoke_until(&mut self.listed, key(entry.id), entry.expiry);
        }
        let number = (contents.issue_date, list.crl_serial);
        let numbers = self.numbers.entry(name).or_default();
        match is_full {
            true => numbers.full(number, contents.next_crl),
            false => numbers.delta(number),
        }
        Ok((
            Revokes::Certificates(list.entries.len()),
            numbers.continuity(),
        ))
    }

    /// True if a certificate had expired when the latest full list was made: that list is right to
    /// leave it out. No clock of the receiver decides.
    fn is_over(&self, (craca, series, _): &Certificate, expiry: Time32) -> bool {
        let lists = self.numbers.range(SeriesName::all_of(*craca, *series));
        let made = lists.filter_map(|(_, numbers)| numbers.full_made()).min();
        made.is_some_and(|made| expiry <= made)
    }

    /// Returns the certificates that lists revoked for another receiver, without expired ones.
    fn listed_by<'b>(
        &self,
        before: &'b Self,
    ) -> impl Iterator<Item = (&'b Certificate, &'b Time32)> {
        let listed = before.listed.iter();
        listed.filter(|(key, expiry)| !self.is_over(key, **expiry))
    }

    /// Counts what another receiver has revoked and this one has not.
    ///
    /// # Errors
    /// [`CrlRefusal::TooMany`] if both together are more than is remembered.
    pub(super) fn lacking(&self, before: &Self) -> Result<usize, CrlRefusal> {
        let listed = self.listed_by(before);
        let listed = listed.filter(|(key, _)| !self.listed.contains_key(*key));
        let own = before.own.keys();
        let own = own.filter(|id| !self.own.contains_key(*id));
        let certificates = listed.count() + own.count();
        let series = before.numbers.keys();
        let series = series.filter(|name| !self.numbers.contains_key(*name));
        self.check_room(certificates, series.count())?;
        Ok(certificates)
    }

    /// Revokes what another receiver has revoked; there is room for it.
    pub(super) fn merge(&mut self, before: &Self) {
        let mut listed = core::mem::take(&mut self.listed);
        for (key, expiry) in self.listed_by(before) {
            revoke_until(&mut listed, *key, *expiry);
        }
        self.listed = listed;
        for (id, expiry) in &before.own {
            revoke_until(&mut self.own, *id, *expiry);
        }
        for (name, numbers) in &before.numbers {
            self.numbers.entry(*name).or_default().merge(numbers);
        }
    }

    pub(super) fn forget_expired(&mut self, now: Time64) {
        let lasts = |expiry: &Time32| u64::from(expiry.0) * 1_000_000 > now.0;
        self.listed.retain(|_, expiry| lasts(expiry));
        self.own.retain(|_, expiry| lasts(expiry));
    }
}
