//! Certificates that a station lacks and asks for.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use waywarden_v2x_security::store::CertificateStore;
use waywarden_v2x_wire::ieee1609dot2::{HashedId3, HashedId8, Time64};

use crate::seed::Seed;

/// Certificates that a station lacks, a bounded number.
#[derive(Clone, Debug, Default)]
pub(super) struct MissingCertificates {
    /// By the whole identifier: a certificate that another station made to share its last three
    /// bytes neither takes its place nor counts as its arrival.
    all: BTreeMap<HashedId8, Missing>,
}

#[derive(Clone, Copy, Debug)]
struct Missing {
    since: Time64,
    /// Time of the last request for it.
    asked: Option<Time64>,
}

impl MissingCertificates {
    /// Asks for a certificate, unless it is known. There are at most `most`.
    pub(super) fn want(
        &mut self,
        id: HashedId8,
        known: &CertificateStore,
        most: usize,
        (since, seed): (Time64, &Seed),
    ) {
        // Another message of the same batch may have brought it.
        if self.all.contains_key(&id) || known.find(id).is_some() {
            return;
        }
        if self.all.len() >= most {
            self.make_room(seed);
        }
        self.all.insert(id, Missing { since, asked: None });
    }

    /// Forgets a certificate that is missing: the one that was asked for longest ago, or else any,
    /// so that an attacker cannot keep the places taken with hashes that belong to no certificate.
    fn make_room(&mut self, seed: &Seed) {
        let asked = self.all.iter();
        let asked = asked.filter_map(|(id, one)| Some((one.asked?, *id)));
        let longest_ago = asked.min().map(|(_, id)| id);
        let any = || {
            let draw = u64::from_be_bytes(*seed.derive("missing certificate", 0));
            let at = draw % (self.all.len() as u64).max(1);
            self.all.keys().nth(at as usize).copied()
        };
        if let Some(id) = longest_ago.or_else(any) {
            self.all.remove(&id);
        }
    }

    /// Asks no longer for what is known by now.
    pub(super) fn forget_known(&mut self, known: &CertificateStore) {
        self.all.retain(|id, _| known.find(*id).is_none());
    }

    pub(super) fn forget_old(&mut self, now: Time64, lifetime: u64) {
        self.all
            .retain(|_, one| now.0.saturating_sub(one.since.0) < lifetime);
    }

    pub(super) fn remove(&mut self, id: HashedId8) {
        self.all.remove(&id);
    }

    /// Returns the certificates to request now: at most `most`, of which none was requested in the
    /// last `again` microseconds.
    pub(super) fn ask(&mut self, now: Time64, again: u64, most: usize) -> Vec<HashedId3> {
        let is_due = |one: &Missing| match one.asked {
            None => true,
            Some(asked) => now.0 >= asked.0.saturating_add(again),
        };
        let due = self.all.iter_mut().filter(|(_, one)| is_due(one));
        let requests = due.take(most).map(|(id, one)| {
            one.asked = Some(now);
            id.id_3()
        });
        let mut requests: Vec<_> = requests.collect();
        requests.sort_unstable();
        requests.dedup();
        requests
    }

    pub(super) fn has(&self, id: HashedId8) -> bool {
        self.all.contains_key(&id)
    }

    /// Returns the last three bytes of each, by which it is asked for.
    pub(super) fn endings(&self) -> impl Iterator<Item = HashedId3> {
        self.all.keys().map(|id| id.id_3())
    }
}
