//! Trust lists of electors made here, and what a receiver makes of them: quorum, order, contents.

mod files;
mod hostile;

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::multi_signed_ctl::*;
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32, Time64};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    CertManagementPdu, CtlSequenceNumber, ElectorGroupId, MultiSignedCtl,
};

use crate::support::{NOW, START, Store, root_of};

pub(super) const GROUP: ElectorGroupId = ElectorGroupId(*b"electors");

/// Electors and a root, and all keys.
pub(super) struct Electorate {
    pub(super) store: Store,
    pub(super) seeds: Seeds,
    pub(super) electors: Vec<Credential>,
    pub(super) root: Authority,
}

impl Electorate {
    pub(super) fn new(test: &str, electors: usize) -> Self {
        let mut random = Random::of_test(test);
        let mut store = Store::new();
        let mut seeds = Seeds::new(random.bytes(32).try_into().unwrap());
        let root = root_of(&mut store, &mut seeds);
        let mut own = Self {
            store,
            seeds,
            electors: Vec::new(),
            root,
        };
        for number in 1..=electors {
            let curve = [Curve::P384, Curve::P256, Curve::BrainpoolP384r1][number % 3];
            let elector = own.elector(&format!("elector{number}"), curve, 10);
            own.electors.push(elector);
        }
        own
    }

    pub(super) fn elector(&mut self, name: &str, curve: Curve, years: u16) -> Credential {
        let key = self.store.generate(curve, Uses::SIGN, &self.seeds.next());
        let mut contents = Contents::new(START, Duration::Years(years)).named(name);
        contents.permissions.push(elector_permission().unwrap());
        let key = key.unwrap();
        let own = Authority::root(&mut self.store, key, &contents, &mut self.seeds);
        own.unwrap().credential().clone()
    }

    /// The next list: approves all electors and the root.
    pub(super) fn ctl(&self, sequence: u16) -> Ctl {
        Ctl {
            group: GROUP,
            sequence: CtlSequenceNumber(sequence),
            effective: Time32(START.0 + u32::from(sequence)),
            electors: self.electors.iter().map(bytes).collect(),
            removed_electors: Vec::new(),
            roots: vec![bytes(self.root.credential())],
            removed_roots: Vec::new(),
            quorum: Some(2),
        }
    }

    /// The signature of one elector.
    pub(super) fn endorse(&mut self, ctl: &Ctl, elector: usize) -> Vec<u8> {
        let signer = &self.electors[elector];
        let made = Time64(NOW.0 - 1_000_000);
        let signature = ctl.endorse(&mut self.store, signer, made, &mut self.seeds);
        signature.unwrap()
    }

    /// The list with the signatures of these electors.
    pub(super) fn signed(&mut self, ctl: &Ctl, electors: &[usize]) -> Vec<u8> {
        let signatures = electors.iter().map(|&elector| self.endorse(ctl, elector));
        let signatures: Vec<_> = signatures.collect();
        ctl.assemble(&signatures).unwrap()
    }

    /// A receiver that trusts these electors, of which two have to sign.
    pub(super) fn group(&self, electors: &[usize]) -> ElectorGroup {
        let certificates = electors.iter().map(|&at| &self.electors[at]);
        let certificates: Vec<_> = certificates.map(|one| one.certificate().bytes()).collect();
        ElectorGroup::new(&certificates, 2).unwrap()
    }
}

pub(super) fn bytes(holder: &Credential) -> Vec<u8> {
    holder.certificate().bytes().to_vec()
}

/// Reads a trust list, in an SPDU.
pub(super) fn list(spdu: &[u8]) -> MultiSignedCtl<'_> {
    match CertManagementPdu::read(spdu).unwrap() {
        CertManagementPdu::MultiSignedCtl(ctl) => ctl,
        other => panic!("{other:?}"),
    }
}

/// Returns a receiver's check of a list, without taking the list.
pub(super) fn report(group: &ElectorGroup, spdu: &[u8]) -> CheckedCtl {
    group.check(&list(spdu), NOW).unwrap()
}

/// The outcomes of the signatures.
pub(super) fn outcomes(report: &CtlReport) -> Vec<&SignatureOutcome> {
    report.signatures.iter().map(|one| &one.outcome).collect()
}

/// Returns the faults, in words.
pub(super) fn words(report: &CtlReport) -> String {
    let faults = report.faults.iter().map(ToString::to_string);
    faults.collect::<Vec<_>>().join("; ")
}

#[test]
fn list_signed_by_a_quorum_is_taken_and_names_its_certificates() {
    let mut world = Electorate::new("ctl_is_taken", 3);
    let ctl = world.signed(&world.ctl(7), &[0, 2]);
    let mut group = world.group(&[0, 1, 2]);
    let report = report(&group, &ctl);
    assert_eq!(words(&report), "");
    assert_eq!((report.counted, report.required), (2, 2));
    assert_eq!(report.entries.len(), 4);
    for entry in &report.entries {
        let own = entry.certificate.as_ref().unwrap();
        assert_eq!(own.verified, Some(Ok(())), "{entry:?}");
        assert!(!entry.is_memory);
        let at = entry.offset..entry.offset + entry.hash.len();
        assert_eq!(list(&ctl).tbs_ctl[at], entry.hash[..]);
    }
    assert!(group.take(report));
    assert_eq!(group.roots().len(), 1);
    assert!(group.approves_root(world.root.credential().digest()));
    assert_eq!(group.latest().unwrap().sequence.0, 7);
}

#[test]
fn quorum_counts_each_elector_once_and_no_stranger() {
    let mut world = Electorate::new("ctl_quorum", 4);
    let ctl = world.ctl(1);
    // The same elector twice, by certificate; the fourth one is a stranger.
    let spdu = world.signed(&ctl, &[0, 0, 3]);
    let refused = report(&world.group(&[0, 1, 2]), &spdu);
    assert_eq!(
        outcomes(&refused),
        [
            &SignatureOutcome::Counted,
            &SignatureOutcome::Repeated,
            &SignatureOutcome::UnknownElector
        ]
    );
    assert_eq!(words(&refused), "signatures: 1 count, and 2 are required");
    assert!(!world.group(&[0, 1, 2]).take(refused));
    // Whom the list itself approves is no elector before the list is taken.
    let spdu = world.signed(&ctl, &[1, 3]);
    assert!(!report(&world.group(&[0, 1, 2]), &spdu).is_accepted());
    assert!(report(&world.group(&[0, 1, 3]), &spdu).is_accepted());
}

#[test]
fn two_certificates_of_one_key_are_one_elector() {
    let mut world = Electorate::new("ctl_one_key", 2);
    let first = world.electors[0].clone();
    let mut contents = Contents::new(START, Duration::Years(9)).named("elector1 again");
    contents.permissions.push(elector_permission().unwrap());
    let again = Authority::root(&mut world.store, first.key(), &contents, &mut world.seeds);
    let again = again.unwrap().credential().clone();
    let both = [first.certificate().bytes(), again.certificate().bytes()];
    assert_eq!(
        ElectorGroup::new(&both, 2).unwrap_err(),
        ElectorRefusal::Quorum(2, 1)
    );
}

#[test]
fn elector_that_the_list_removes_does_not_count_for_it() {
    let mut world = Electorate::new("ctl_removed", 3);
    let mut ctl = world.ctl(1);
    ctl.removed_electors = vec![ctl.electors.remove(2)];
    let spdu = world.signed(&ctl, &[0, 2]);
    let refused = report(&world.group(&[0, 1, 2]), &spdu);
    assert_eq!(outcomes(&refused)[1..], [&SignatureOutcome::RemovedElector]);
    assert!(words(&refused).contains("1 count, and 2 are required"));
    // The others can remove it, and it signs no list after that one.
    let spdu = world.signed(&ctl, &[0, 1]);
    let mut group = world.group(&[0, 1, 2]);
    assert!(group.take(report(&group, &spdu)));
    let next = world.signed(&world.ctl(2), &[0, 2]);
    let refused = report(&group, &next);
    assert_eq!(outcomes(&refused)[1..], [&SignatureOutcome::UnknownElector]);
}

#[test]
fn electors_of_a_list_sign_the_next_one_as_many_as_it_says() {
    let mut world = Electorate::new("ctl_renewal", 5);
    let mut group = world.group(&[0, 1]);
    // All electors are renewed at once, and three of the new ones have to sign.
    let mut ctl = world.ctl(1);
    ctl.electors.drain(..2);
    ctl.quorum = Some(3);
    let spdu = world.signed(&ctl, &[0, 1]);
    assert!(group.take(report(&group, &spdu)));
    assert_eq!(group.quorum(), 3);
    let mut next = world.ctl(2);
    next.quorum = None;
    let old = world.signed(&next, &[0, 1]);
    assert_eq!(report(&group, &old).counted, 0);
    let few = world.signed(&next, &[2, 3]);
    assert!(words(&report(&group, &few)).contains("2 count, and 3 are required"));
    let all = world.signed(&next, &[2, 3, 4]);
    assert!(group.take(report(&group, &all)));
    // A list that does not say how many changes nothing of that.
    assert_eq!(group.quorum(), 3);
}

#[test]
fn older_lists_other_groups_and_two_lists_of_one_number_are_refused() {
    let mut world = Electorate::new("ctl_order", 3);
    let mut group = world.group(&[0, 1, 2]);
    let fifth = world.signed(&world.ctl(5), &[0, 1]);
    assert!(group.take(report(&group, &fifth)));
    let known = report(&group, &fifth);
    assert!(known.is_known && known.is_accepted());
    let older = world.signed(&world.ctl(4), &[0, 1]);
    let refused = words(&report(&group, &older));
    assert_eq!(
        refused,
        "sequenceNumber: 4, older than the list that is held (5)"
    );
    let mut other = world.ctl(5);
    other.quorum = Some(1);
    let other = world.signed(&other, &[0, 1]);
    assert!(words(&report(&group, &other)).contains("which says something else"));
    let mut other = world.ctl(6);
    other.group = ElectorGroupId(*b"others!!");
    let other = world.signed(&other, &[0, 1]);
    assert!(words(&report(&group, &other)).contains("electorGroupId: 6f74686572732121"));
    let mut early = world.ctl(6);
    early.effective = START;
    let early = world.signed(&early, &[0, 1]);
    assert!(words(&report(&group, &early)).contains("effectiveDate: before"));
    let mut late = world.ctl(6);
    late.effective = Time32((NOW.0 / 1_000_000) as u32 + 1);
    let late = world.signed(&late, &[0, 1]);
    assert_eq!(
        words(&report(&group, &late)),
        "effectiveDate: later than now"
    );
    let gap = world.signed(&world.ctl(9), &[0, 1]);
    let taken = report(&group, &gap);
    assert_eq!((taken.missed, taken.is_accepted()), (3, true));
}
