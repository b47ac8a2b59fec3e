//! The lists of a root: what receivers and pycrate make of them, and what is not signed.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, hex_of};
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::trust_list::{ListCommand, ListError, RootCrl, RootCtl};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_security::trust::{
    AuthorityRole, ImportContext, ImportRefusal, TrustChange, TrustState, TrustStore,
};
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_wire::etsi103097::its_aid::{CRL, CTL};
use waywarden_v2x_wire::ieee1609dot2::{Duration, HashedId8, Time32, Time64};

use crate::oracles::{Oracle, chain};
use crate::support::{START, Store};

/// A root that may list authorities and distribution centres, and revoke.
struct World {
    store: Store,
    seeds: Seeds,
    root: Authority,
}

/// Returns the time `seconds` after the certificates begin.
fn at(seconds: u32) -> Time32 {
    Time32(START.0 + seconds)
}

fn micros(time: Time32) -> Time64 {
    Time64(u64::from(time.0) * 1_000_000)
}

impl World {
    fn new(curve: Curve, random: &mut Random) -> Self {
        Self::with(curve, random, &[1, 0x38])
    }

    /// A root whose bits for trust lists are these.
    fn with(curve: Curve, random: &mut Random, bits: &[u8]) -> Self {
        let mut store = Store::new();
        let mut seeds = Seeds::new(random.array());
        let key = store.generate(curve, Uses::SIGN, &seeds.next()).unwrap();
        let contents = Contents::new(START, Duration::Years(10))
            .named("root")
            .permitting(CRL, &[1])
            .permitting(CTL, bits)
            .issuing_all();
        let root = Authority::root(&mut store, key, &contents, &mut seeds).unwrap();
        Self { store, seeds, root }
    }

    /// The certificate of an authority below the root, and its HashedId8.
    fn authority(&mut self) -> (Vec<u8>, HashedId8) {
        let (store, seeds) = (&mut self.store, &mut self.seeds);
        let seed = seeds.next();
        let key = store.generate(Curve::P256, Uses::SIGN, &seed).unwrap();
        let public = store.public_key(key).unwrap();
        let contents = Contents::new(START, Duration::Years(3)).issuing_all();
        let certificate = self.root.issue(store, &contents, &public, seeds).unwrap();
        let verified = self.root.verifier().verify_certificate(&certificate);
        (certificate, verified.unwrap().id())
    }

    fn ctl(&mut self, list: &RootCtl) -> Result<Vec<u8>, ListError> {
        list.sign(&mut self.store, self.root.credential(), &mut self.seeds)
    }

    fn crl(&mut self, list: &RootCrl) -> Result<Vec<u8>, ListError> {
        list.sign(&mut self.store, self.root.credential(), &mut self.seeds)
    }

    /// A receiver that trusts the root.
    fn receiver(&self) -> TrustStore {
        let mut receiver = TrustStore::new();
        let own = self.root.credential().certificate().bytes();
        let digest = *self.root.credential().digest();
        let context = ImportContext {
            approves: &|one| *one == digest,
            ..context(at(1))
        };
        receiver.import(own, &context).unwrap();
        receiver
    }
}

fn context<'c>(now: Time32) -> ImportContext<'c> {
    ImportContext {
        now: micros(now),
        approves: &|_| false,
        verifier: &|| Verifier::new(Capacity::MINIMAL),
    }
}

fn ea(certificate: &[u8]) -> ListCommand {
    ListCommand::AddEnrolmentAuthority {
        certificate: certificate.to_vec(),
        aa_access_point: "http://ea.example/validation".to_owned(),
        its_access_point: Some("http://ea.example/enrolment".to_owned()),
    }
}

fn aa(certificate: &[u8]) -> ListCommand {
    ListCommand::AddAuthorizationAuthority {
        certificate: certificate.to_vec(),
        access_point: "http://aa.example/authorization".to_owned(),
    }
}

fn centre(root: HashedId8) -> ListCommand {
    ListCommand::AddDistributionCentre {
        url: "http://dc.example/".to_owned(),
        roots: vec![root],
    }
}

fn full(sequence: u8, made: u32, commands: Vec<ListCommand>) -> RootCtl {
    RootCtl {
        made: micros(at(made)),
        next_update: at(made + 1_000),
        sequence,
        changes: None,
        commands,
    }
}

fn crl(made: u32, revoked: &[HashedId8]) -> RootCrl {
    RootCrl {
        this_update: at(made),
        next_update: at(made + 1_000),
        revoked: revoked.to_vec(),
    }
}

fn change(receiver: &mut TrustStore, list: &[u8], now: u32) -> (usize, usize) {
    match receiver.import(list, &context(at(now))).unwrap().change {
        TrustChange::List { added, removed, .. } => (added, removed),
        other => panic!("{other:?}"),
    }
}

fn state(receiver: &TrustStore, id: HashedId8, now: u32) -> Option<TrustState> {
    let mut verifier = Verifier::new(Capacity::MINIMAL);
    let report = receiver.install(&mut verifier, micros(at(now)));
    let mut found = report.certificates.into_iter().filter(|one| one.id == id);
    found.next().map(|one| one.state)
}

#[test]
fn receivers_take_full_lists_changes_and_revocations() {
    let mut random = Random::of_test("receivers_take_full_lists_changes_and_revocations");
    for curve in Curve::ALL {
        let mut world = World::new(curve, &mut random);
        let root = world.root.credential().id();
        let ((first, id), (second, other)) = (world.authority(), world.authority());
        let mut receiver = world.receiver();
        let before = full(255, 10, vec![ea(&first), centre(root)]);
        let before = world.ctl(&before).unwrap();
        assert_eq!(change(&mut receiver, &before, 10), (1, 0));
        // The number after 255 is 0.
        let commands = vec![ListCommand::DeleteCertificate(id), aa(&second)];
        let changes = RootCtl {
            changes: Some(before.clone()),
            ..full(0, 20, commands)
        };
        let changes = world.ctl(&changes).unwrap();
        assert_eq!(change(&mut receiver, &changes, 20), (1, 1));
        let withdrawn = matches!(state(&receiver, id, 20), Some(TrustState::Withdrawn(..)));
        assert!(withdrawn, "{curve:?}");
        assert_eq!(state(&receiver, other, 20), Some(TrustState::Trusted));
        // Who takes the full lists alone has the same.
        let mut full_only = world.receiver();
        assert_eq!(change(&mut full_only, &before, 10), (1, 0));
        let next = full(0, 20, vec![aa(&second), centre(root)]);
        let next = world.ctl(&next).unwrap();
        assert_eq!(change(&mut full_only, &next, 20), (1, 1));
        let none = world.crl(&crl(30, &[])).unwrap();
        assert_eq!(change(&mut receiver, &none, 30), (0, 0));
        let revokes = world.crl(&crl(31, &[other])).unwrap();
        assert_eq!(change(&mut receiver, &revokes, 31), (1, 0));
        assert_eq!(state(&receiver, other, 31), Some(TrustState::Revoked(root)));
    }
}

#[test]
fn a_list_is_read_back_and_its_changes_lead_to_it() {
    let mut random = Random::of_test("a_list_is_read_back_and_its_changes_lead_to_it");
    let mut world = World::new(Curve::P256, &mut random);
    let root = world.root.credential().id();
    let ((one, id), (two, other), (three, _)) =
        (world.authority(), world.authority(), world.authority());
    let before = full(1, 10, vec![ea(&one), aa(&two), centre(root)]);
    let signed = world.ctl(&before).unwrap();
    assert_eq!(RootCtl::read(&signed), Some(before));
    let moved = ListCommand::AddAuthorizationAuthority {
        certificate: two.clone(),
        access_point: "http://elsewhere.example".to_owned(),
    };
    let next = full(2, 20, vec![moved.clone(), aa(&three)]);
    let changes = next.changes_since(signed.clone()).unwrap();
    let expected = [
        ListCommand::DeleteCertificate(id),
        ListCommand::DeleteDistributionCentre("http://dc.example/".to_owned()),
        moved,
        aa(&three),
    ];
    assert_eq!(changes.commands, expected);
    let delta = world.ctl(&changes).unwrap();
    let mut receiver = world.receiver();
    change(&mut receiver, &signed, 10);
    assert_eq!(change(&mut receiver, &delta, 20), (1, 1));
    assert_eq!(state(&receiver, other, 20), Some(TrustState::Trusted));
    // The full list of the same number says the same, or it would be refused.
    let full = world.ctl(&next).unwrap();
    assert_eq!(change(&mut receiver, &full, 20), (0, 0));
    assert_eq!(RootCtl::read(&delta), None);
    assert_eq!(next.changes_since(delta), None);
    assert_eq!(RootCtl::read(b"no list"), None);
}

#[test]
fn what_receivers_would_refuse_is_not_signed() {
    let mut random = Random::of_test("what_receivers_would_refuse_is_not_signed");
    let mut world = World::new(Curve::P256, &mut random);
    let (own, id) = world.authority();
    let root = world.root.credential().id();
    let contents = |list: Result<Vec<u8>, ListError>| match list {
        Err(ListError::Refused(ImportRefusal::Contents(why))) => why,
        other => panic!("{other:?}"),
    };
    // A full list deletes nothing.
    let deletes = full(1, 10, vec![ListCommand::DeleteCertificate(id)]);
    assert!(contents(world.ctl(&deletes)).contains("deletes nothing"));
    let late = RootCtl {
        next_update: at(10),
        ..full(1, 10, vec![ea(&own)])
    };
    assert!(world.ctl(&late).is_err());
    let late = RootCrl {
        next_update: at(10),
        ..crl(10, &[id])
    };
    assert!(world.crl(&late).is_err());
    // Another root's authority.
    let mut other = World::new(Curve::P256, &mut random);
    let (foreign, _) = other.authority();
    let foreign = contents(world.ctl(&full(1, 10, vec![aa(&foreign)])));
    assert!(foreign.contains("another root"), "{foreign}");
    // Changes that do not follow, or follow nothing.
    let before = world.ctl(&full(1, 10, vec![ea(&own)])).unwrap();
    let gap = RootCtl {
        changes: Some(before),
        ..full(3, 20, vec![aa(&own)])
    };
    let refused = world.ctl(&gap).unwrap_err();
    assert!(
        matches!(refused, ListError::Refused(ImportRefusal::Gap { .. })),
        "{refused}"
    );
    let nothing = RootCtl {
        changes: Some(b"no list".to_vec()),
        ..gap
    };
    assert!(matches!(world.ctl(&nothing), Err(ListError::Before(_))));
    // Texts and certificates that are none.
    let text = ListCommand::DeleteDistributionCentre("http://münchen.example".to_owned());
    assert!(matches!(
        world.ctl(&full(1, 10, vec![text])),
        Err(ListError::Url(_))
    ));
    let broken = world.ctl(&full(1, 10, vec![ea(b"broken")]));
    assert!(matches!(broken, Err(ListError::Certificate(_))));
    // What the root's certificate does not permit.
    let mut limited = World::with(Curve::P256, &mut random, &[1, 0x20]);
    let (below, _) = limited.authority();
    limited.ctl(&full(1, 10, vec![ea(&below)])).unwrap();
    let refused = limited.ctl(&full(1, 10, vec![aa(&below)])).unwrap_err();
    let role = AuthorityRole::AuthorizationAuthority;
    assert_eq!(
        refused,
        ListError::Refused(ImportRefusal::NotPermitted(role))
    );
    assert!(contents(limited.ctl(&full(1, 10, vec![centre(root)]))).contains("centres"));
}

/// Returns the expected contents of a list, as the oracle writes them.
fn text(list: &RootCtl) -> String {
    let mut words = vec![format!(
        "1 {} {} {}",
        list.next_update.0,
        if list.changes.is_none() {
            "full"
        } else {
            "delta"
        },
        list.sequence
    )];
    words.extend(list.commands.iter().map(|one| match one {
        ListCommand::AddEnrolmentAuthority {
            certificate,
            aa_access_point,
            its_access_point,
        } => format!(
            "add ea {} {aa_access_point} {}",
            hex_of(certificate),
            its_access_point.as_deref().unwrap_or("-")
        ),
        ListCommand::AddAuthorizationAuthority {
            certificate,
            access_point,
        } => format!("add aa {} {access_point}", hex_of(certificate)),
        ListCommand::AddDistributionCentre { url, roots } => {
            let roots = roots.iter().map(|one| hex_of(&one.0));
            format!("add dc {url} {}", roots.collect::<Vec<_>>().join(","))
        }
        ListCommand::DeleteCertificate(id) => format!("delete cert {}", hex_of(&id.0)),
        ListCommand::DeleteDistributionCentre(url) => format!("delete dc {url}"),
    }));
    words.join("\n")
}

#[test]
fn pycrate_reads_the_same_values() {
    let Some(mut oracle) = Oracle::of_script("trust_list_oracle.py") else {
        return;
    };
    let mut random = Random::of_test("pycrate_reads_the_same_values");
    let mut expected = Vec::new();
    // pycrate's module has no P-384.
    for curve in [Curve::P256, Curve::BrainpoolP256r1, Curve::BrainpoolP384r1] {
        let mut world = World::new(curve, &mut random);
        let root = world.root.credential().id();
        let ((first, id), (second, other)) = (world.authority(), world.authority());
        let hidden = ListCommand::AddEnrolmentAuthority {
            certificate: second.clone(),
            aa_access_point: "https://ea.example".to_owned(),
            its_access_point: None,
        };
        let before = full(7, 10, vec![ea(&first), aa(&second), centre(root)]);
        let signed = world.ctl(&before).unwrap();
        let changes = RootCtl {
            changes: Some(signed.clone()),
            ..full(
                8,
                20,
                vec![
                    ListCommand::DeleteCertificate(id),
                    ListCommand::DeleteDistributionCentre("http://dc.example/".to_owned()),
                    hidden,
                ],
            )
        };
        let empty = full(0, 10, Vec::new());
        let own = chain(world.root.credential());
        let lists = [
            signed,
            world.ctl(&changes).unwrap(),
            world.ctl(&empty).unwrap(),
        ];
        for (list, signed) in [before, changes, empty].iter().zip(&lists) {
            let made = list.made.0.to_string();
            oracle.ask(&["ctl", &own, &made, &hex_of(signed)]);
            expected.push(text(list));
        }
        for revoked in [&[][..], &[id, other]] {
            let list = crl(30, revoked);
            let signed = world.crl(&list).unwrap();
            let made = micros(list.this_update).0.to_string();
            oracle.ask(&["crl", &own, &made, &hex_of(&signed)]);
            let ids = revoked.iter().map(|one| format!("\n{}", hex_of(&one.0)));
            let (this, next) = (list.this_update.0, list.next_update.0);
            expected.push(format!("1 {this} {next}{}", ids.collect::<String>()));
        }
    }
    for (answer, expected) in oracle.answers().into_iter().zip(expected) {
        assert_eq!(answer, Ok(vec![expected.into_bytes()]));
    }
}
