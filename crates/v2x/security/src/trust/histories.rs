//! Random histories of revocation lists, in any order, against sets of what they revoke.
//!
//! Lists of IEEE 1609.2, by hash and by linkage values, full and delta, of two CRACAs that
//! certificates cannot tell apart and of a third one, and CRLs of two roots of TS 102 941. They
//! come one at a time to a receiver that restarts from the lists so far and its trust store, and
//! that is reloaded with some of the lists. Signatures are left out: `tests/all/list_histories.rs`
//! has them.

mod american;
mod european;

use alloc::vec::Vec;

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use self::american::{CRACAS, Holders, List};
use self::european::{Documents, RootLists};
use crate::limits::Capacity;
use crate::trust::TrustStore;
use crate::verifier::Verifier;

/// Lists, restarts and reloads of one history.
const STEPS: usize = 12;

/// Counts of the steps of a history.
#[derive(Default)]
struct Counts {
    lists: usize,
    restarts: usize,
    reloads: usize,
    revoked: usize,
    accepted: usize,
    gaps: usize,
}

impl Counts {
    fn add(mut self, other: &Self) -> Self {
        self.lists += other.lists;
        self.restarts += other.restarts;
        self.reloads += other.reloads;
        self.revoked += other.revoked;
        self.accepted += other.accepted;
        self.gaps += other.gaps;
        self
    }

    fn verdict(&mut self, is_revoked: bool) {
        match is_revoked {
            true => self.revoked += 1,
            false => self.accepted += 1,
        }
    }
}

/// A receiver, and everything that it was given.
struct History<'d> {
    random: Random,
    verifier: Verifier,
    store: TrustStore,
    given: Vec<List>,
    roots: RootLists,
    holders: Holders,
    documents: &'d Documents,
    counts: Counts,
}

fn empty() -> Verifier {
    Verifier::new(Capacity::MINIMAL)
}

impl History<'_> {
    fn step(&mut self) {
        match self.random.below(8) {
            0 => self.restart(),
            1 => self.reload(),
            2 | 3 => {
                let documents = self.documents;
                let document = documents.any(&mut self.random);
                self.roots.import(&mut self.store, document);
                self.reload();
            }
            _ => {
                let list = List::random(&mut self.random);
                let applied = list.apply(self.verifier.revocations_mut(), &self.holders);
                self.given.push(list);
                let of_series = self.given.iter().filter(|one| one.has_series_of(&list));
                let expected = american::continuity(&of_series.collect::<Vec<_>>());
                let (is_complete, missing) = american::missing_lists(&applied);
                if list.is_by_hash {
                    assert_eq!((is_complete, missing), expected, "{:?}", self.given);
                }
                self.counts.gaps += usize::from(missing > 0);
                self.counts.lists += 1;
            }
        }
    }

    /// A receiver that was given these lists in a random order, and has the trust store.
    fn loaded(&mut self, mut lists: Vec<List>) -> Verifier {
        let mut verifier = empty();
        while !lists.is_empty() {
            let list = lists.swap_remove(self.random.index(lists.len()));
            list.apply(verifier.revocations_mut(), &self.holders);
        }
        self.store = self.documents.restored(&self.store);
        self.store.install(&mut verifier, Time64(0));
        verifier
    }

    fn restart(&mut self) {
        self.verifier = self.loaded(self.given.clone());
        self.counts.restarts += 1;
    }

    /// Loads some of the lists, and goes on in the place of the receiver before.
    fn reload(&mut self) {
        let mut lists = self.given.clone();
        lists.retain(|_| self.random.once_in(2));
        let mut next = self.loaded(lists);
        let before = core::mem::replace(&mut self.verifier, empty());
        next.revocations_mut().merge(before.revocations()).unwrap();
        next.take_over(before);
        self.verifier = next;
        self.counts.reloads += 1;
    }

    fn check(&mut self) {
        for craca in CRACAS {
            for id in 0..american::CERTIFICATES {
                let expected = american::is_revoked_by_hash(&self.given, craca, id);
                let found = american::has(self.verifier.revocations(), craca, id);
                assert_eq!(found, expected, "{craca:?} {id}: {:?}", self.given);
                self.counts.verdict(found);
            }
        }
        self.roots.check(&self.store, &self.verifier);
        let period = self.random.below(u64::from(american::PERIODS)) as u16;
        let revocations = self.verifier.revocations_mut();
        revocations.expand(american::period(period)).unwrap();
        for (craca, one) in american::certificates(period) {
            let expected = american::is_revoked_by_linkage(&self.given, craca, one);
            let found = self
                .holders
                .is_revoked(self.verifier.revocations(), craca, one);
            let may_forget = period < american::first_period(&self.given, craca);
            assert!(
                found == expected || (expected && may_forget),
                "{craca:?} {one:?}, {found}: {:?}",
                self.given
            );
            self.counts.verdict(found);
        }
    }
}

#[test]
fn what_a_list_revoked_is_refused_in_every_history() {
    let documents = Documents::new();
    let counts = each_seed(5_000, |seed| {
        let mut random = Random::new(seed);
        let mut history = History {
            verifier: empty(),
            store: TrustStore::new(),
            given: Vec::new(),
            roots: RootLists::default(),
            holders: Holders::new(&mut random),
            documents: &documents,
            counts: Counts::default(),
            random,
        };
        for _ in 0..STEPS {
            history.step();
            if history.random.once_in(3) {
                history.check();
            }
        }
        history.check();
        history.counts
    });
    let all = counts.iter().fold(Counts::default(), Counts::add);
    std::println!(
        "{} histories: {} lists, {} restarts, {} reloads, {} revoked, {} accepted, {} gaps",
        counts.len(),
        all.lists,
        all.restarts,
        all.reloads,
        all.revoked,
        all.accepted,
        all.gaps
    );
    if counts.len() >= 1_000 {
        let least = all.lists.min(all.restarts).min(all.reloads).min(all.gaps);
        assert!(least >= counts.len() / 4 && all.revoked.min(all.accepted) > counts.len());
    }
}
