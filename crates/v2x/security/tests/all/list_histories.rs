//! Random histories of signed revocation lists: full and delta, by hash and by linkage values, of
//! an American CRACA, and CRLs of a European root. They come in any order to a receiver that
//! restarts and is reloaded between, and that knows the senders' certificates from before.
//!
//! Histories without signatures, by the thousand, are in `src/trust/histories.rs`.

use waywarden_testkit::{Random, each_seed};
use waywarden_testkit_v2x::trust_lists::{self, authority, import_at};
use waywarden_testkit_v2x::world::{Holder, MessageContents, NOW, Named, Spec, now};
use waywarden_v2x_security::trust::TrustStore;
use waywarden_v2x_security::{ResultCode, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{HashedId10, IValue, Time64};

use crate::linked_lists::{Craca, List, Revoked, at, holder};
use crate::list_order::{HashList, id_10, station};

/// The period of all certificates with linkage values, and of all lists.
const PERIOD: u16 = 9;
const STEPS: usize = 8;

/// Senders, and the lists that can revoke them.
struct Senders {
    craca: Craca,
    root: Holder,
    /// Two by hash, two by linkage values, two under authorities of the root.
    all: [Holder; 6],
    ids: [HashedId10; 2],
    vehicles: [Revoked; 2],
    authorities: [Holder; 2],
}

impl Senders {
    fn new() -> Self {
        let mut random = Random::of_test("senders");
        let craca = Craca::new(1);
        let root = trust_lists::root(31);
        let by_hash = [3, 4].map(|seed| station(seed, &craca));
        let ids = [0, 1].map(|at: usize| id_10(&by_hash[at]));
        let vehicles = [(); 2].map(|()| holder(&mut random));
        let linked = [0, 1].map(|at: usize| {
            let spec = Spec {
                craca: craca.short(),
                linkage: Some(vehicles[at].linkage(PERIOD, PERIOD, 3)),
                ..Spec::station(5 + at as u8)
            };
            Holder::issue(&spec, Some(&craca.root))
        });
        let authorities = [32, 33].map(|seed| authority(seed, &root));
        let european = [0, 1].map(|at: usize| {
            let spec = Spec::station(7 + at as u8);
            Holder::issue(&spec, Some(&authorities[at]))
        });
        let all = by_hash.into_iter().chain(linked).chain(european);
        Self {
            all: all.collect::<Vec<_>>().try_into().ok().unwrap(),
            craca,
            root,
            ids,
            vehicles,
            authorities,
        }
    }

    /// A random list, and the places of the senders that it revokes.
    fn list(&self, random: &mut Random) -> (Vec<u8>, Vec<usize>) {
        let issued = NOW + random.below(5) as u32;
        let number = random.below(4);
        let is_full = random.once_in(3);
        let named: Vec<usize> = (0..2).filter(|_| random.once_in(3)).collect();
        if random.once_in(2) {
            let revoked: Vec<HashedId10> = named.iter().map(|at| self.ids[*at]).collect();
            let list = HashList {
                is_full,
                serial: number as u32,
                issued,
                revoked: &revoked,
            };
            return (list.sign(self.craca.id(), &self.craca.signer), named);
        }
        let revoked = named.iter().map(|at| self.vehicles[*at]).collect();
        let list = List {
            is_full,
            issued,
            index: number as u8,
            ..List::full(self.craca.id(), PERIOD, revoked)
        };
        let places = named.into_iter().map(|at| at + 2).collect();
        (list.sign(&self.craca.signer), places)
    }
}

/// The time of reception of all.
fn received() -> Time64 {
    Time64(now().0 + 20_000_000)
}

struct History<'s> {
    senders: &'s Senders,
    random: Random,
    verifier: Verifier,
    store: TrustStore,
    /// The American lists so far, and which senders each revokes.
    given: Vec<(Vec<u8>, Vec<usize>)>,
    /// The latest CRL of the root: its time and its entries.
    root_list: Option<(i64, Vec<usize>)>,
    said: u64,
}

impl<'s> History<'s> {
    fn new(senders: &'s Senders, seed: u64) -> Self {
        let mut store = TrustStore::new();
        let root = &senders.root;
        import_at(&mut store, &root.certificate, received(), &[root.id()]).unwrap();
        let mut history = Self {
            senders,
            random: Random::new(seed),
            verifier: Verifier::default(),
            store,
            given: Vec::new(),
            root_list: None,
            said: 0,
        };
        history.verifier = history.loaded(&[]);
        history
    }

    /// A receiver that applied these lists, in random order.
    fn loaded(&mut self, lists: &[Vec<u8>]) -> Verifier {
        let mut verifier = self.senders.craca.verifier();
        self.store.install(&mut verifier, received());
        for authority in &self.senders.authorities {
            // One that is revoked is no certificate to verify with.
            let _ = verifier.add_certificate(&authority.certificate);
        }
        let mut lists: Vec<&Vec<u8>> = lists.iter().collect();
        while !lists.is_empty() {
            let list = lists.swap_remove(self.random.index(lists.len()));
            verifier.apply_crl(list, &at()).unwrap();
        }
        verifier
    }

    fn reload(&mut self, is_restart: bool) {
        let mut lists: Vec<Vec<u8>> = self.given.iter().map(|(list, _)| list.clone()).collect();
        if !is_restart {
            lists.retain(|_| self.random.once_in(2));
        }
        let mut next = self.loaded(&lists);
        let before = core::mem::take(&mut self.verifier);
        if !is_restart {
            next.revocations_mut().merge(before.revocations()).unwrap();
            next.take_over(before);
        }
        self.verifier = next;
    }

    fn import(&mut self) {
        let made = self.random.below(4) as i64;
        let named: Vec<usize> = (0..2).filter(|_| self.random.once_in(2)).collect();
        let revoked = named.iter().map(|at| &self.senders.authorities[*at]);
        let revoked: Vec<&Holder> = revoked.collect();
        let list = trust_lists::crl(made, &revoked, &self.senders.root);
        let imported = import_at(&mut self.store, &list, received(), &[]);
        let is_later = self
            .root_list
            .as_ref()
            .is_none_or(|known| made > known.0 || (made, &named) == (known.0, &known.1));
        assert_eq!(imported.is_ok(), is_later, "{imported:?}");
        if is_later {
            self.root_list = Some((made, named));
        }
        self.reload(false);
    }

    fn is_revoked(&self, sender: usize) -> bool {
        let is_in = |places: &[usize], at: usize| places.contains(&at);
        match sender {
            4 | 5 => self
                .root_list
                .as_ref()
                .is_some_and(|(_, named)| is_in(named, sender - 4)),
            _ => self.given.iter().any(|(_, places)| is_in(places, sender)),
        }
    }

    /// A message of any sender: refused if and only if a list revoked it.
    fn check(&mut self) -> bool {
        let sender = self.random.index(self.senders.all.len());
        self.said += 1;
        let above = self.senders.authorities.get(sender.wrapping_sub(4));
        let message = MessageContents {
            made: Some(Time64(now().0 + self.said)),
            // The message brings an authority that the receiver may not have.
            named: Named::Certificates(&above.into_iter().collect::<Vec<_>>()),
            ..MessageContents::new()
        };
        let message = message.sign(&self.senders.all[sender]);
        self.verifier
            .revocations_mut()
            .expand(IValue(PERIOD))
            .unwrap();
        let verdict = self.verifier.verify(&message, &at());
        let verdict = verdict.map(drop).map_err(|refusal| refusal.code);
        let expected = match self.is_revoked(sender) {
            true => Err(ResultCode::ChainCertificateRevoked),
            false => Ok(()),
        };
        assert_eq!(verdict, expected, "sender {sender}");
        verdict.is_err()
    }
}

#[test]
fn sender_that_a_list_revoked_is_refused_in_every_history() {
    let senders = Senders::new();
    let counts = each_seed(50, |seed| {
        let mut history = History::new(&senders, seed);
        let mut refused = 0;
        for _ in 0..STEPS {
            match history.random.below(6) {
                0 => history.reload(true),
                1 => history.reload(false),
                2 => history.import(),
                _ => {
                    let (list, places) = senders.list(&mut history.random);
                    history.verifier.apply_crl(&list, &at()).unwrap();
                    history.given.push((list, places));
                }
            }
            for _ in 0..2 {
                refused += usize::from(history.check());
            }
        }
        refused
    });
    let (refused, all) = (counts.iter().sum::<usize>(), counts.len() * STEPS * 2);
    println!(
        "{} histories: {refused} of {all} messages refused",
        counts.len()
    );
    assert!(counts.len() < 50 || (refused > 100 && refused < all - 100));
}
