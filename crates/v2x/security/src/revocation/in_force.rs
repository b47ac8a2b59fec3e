//! The lists by linkage values of a series that are in force.
//!
//! Lists only add, in whatever order they come: "once a certificate is revoked, it remains revoked
//! for the rest of its lifetime" \[1609.2 §7.3\]. A full list takes the place of those that it
//! supersedes once it has absorbed what they revoke and it does not, so that memory does not grow
//! from full list to full list. Periods before its own are lost: its seeds lead to later ones only.

use alloc::vec::Vec;

use super::DELTAS_MAX;
use super::continuity::{Continuity, of_linkage};
use super::refusal::CrlRefusal;
use super::seeds::SeedList;

/// The lists of a series of a CRACA.
#[derive(Clone, Debug, Default)]
pub(super) struct InForce {
    /// The latest one.
    full: Option<SeedList>,
    /// Those that the full list does not supersede, at most [`DELTAS_MAX`]: delta lists since, and
    /// lists whose seeds are of a later period.
    others: Vec<SeedList>,
}

impl InForce {
    pub(super) fn all(&self) -> impl Iterator<Item = &SeedList> {
        self.full.iter().chain(&self.others)
    }

    /// In the same order.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut SeedList> {
        self.full.iter_mut().chain(&mut self.others)
    }

    /// The latest full list.
    pub(super) fn full(&self) -> Option<&SeedList> {
        self.full.as_ref()
    }

    /// Returns the lists that are in force with one more; `None` if it changes nothing.
    ///
    /// # Errors
    /// [`CrlRefusal::TooMany`] for more than [`DELTAS_MAX`] beside the full list.
    pub(super) fn with(&self, list: &SeedList) -> Result<Option<Self>, CrlRefusal> {
        let is_latest = |known: &SeedList| known.order <= list.order;
        if self.all().any(|one| one.is_same(list)) {
            return Ok(None);
        }
        let mut next = self.clone();
        if list.is_full && self.full.as_ref().is_none_or(is_latest) {
            let mut full = list.clone();
            let others = next.others.into_iter().chain(next.full);
            let (superseded, others) = others.partition::<Vec<_>, _>(|one| full.supersedes(one));
            full.absorb(&superseded)?;
            next = Self {
                full: Some(full),
                others,
            };
        } else if let Some(full) = next.full.as_mut().filter(|full| full.supersedes(list)) {
            if !full.absorb(core::slice::from_ref(list))? {
                return Ok(None);
            }
        } else {
            next.others.push(list.clone());
        }
        match next.others.len() > DELTAS_MAX {
            true => Err(CrlRefusal::TooMany),
            false => Ok(Some(next)),
        }
    }

    /// Returns the lists that are in force with those of another receiver; `None` if they change
    /// nothing.
    ///
    /// # Errors
    /// As for each of them.
    pub(super) fn with_all(&self, before: &Self) -> Result<Option<Self>, CrlRefusal> {
        let mut merged = None;
        for list in before.all() {
            let own: &Self = merged.as_ref().unwrap_or(self);
            if let Some(next) = own.with(list)? {
                merged = Some(next);
            }
        }
        Ok(merged)
    }

    pub(super) fn continuity(&self) -> Continuity {
        let full = self.full.as_ref().map(SeedList::number);
        of_linkage(full, self.others.iter().map(SeedList::number))
    }

    /// Returns the number of revoked holders and groups.
    pub(super) fn entries(&self) -> usize {
        self.all().map(|list| list.holders() + list.groups).sum()
    }
}
