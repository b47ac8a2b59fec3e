//! Authorities that are renewed while they are served: who answers what.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyHandle, KeyStore as _, SoftwareStore, Uses};
use waywarden_v2x_pki::enrolment::{
    EnrolmentAuthority, EnrolmentLimits, Requester, StationProfile, request_enrolment, ssp,
};
use waywarden_v2x_pki::{
    Authority, Contents, IssueGroup, PermissionRange, Seeds, verification_key,
};
use waywarden_v2x_pki_service::database::StationRecord;
use waywarden_v2x_pki_service::server::{Endpoint, NoResponse, PkiService as _, PublicDocument};
use waywarden_v2x_pki_service::{
    Authorities, Registry, RegistryLimits, Renewable, ServedAuthority,
};
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_security::{Verified, Verifier};
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{Duration, HashedId8, Psid, Time32, Time64};

use crate::support::{Folder, station};

type Store = SoftwareStore<16>;
type Loaded = Result<Authorities, Vec<String>>;

fn now() -> Time64 {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    from_unix(i64::try_from(unix.as_micros()).unwrap()).unwrap()
}

fn profile(_: &str) -> Result<StationProfile, String> {
    Ok(StationProfile::new(vec![(Psid(36), PermissionRange::All)]))
}

/// A root, a registered station, and what the server loads next.
struct World {
    _folder: Folder,
    store: Store,
    seeds: Seeds,
    root: Authority,
    canonical: KeyHandle,
    registry: Arc<Mutex<Registry>>,
    start: Time32,
    next: Arc<Mutex<Option<Loaded>>>,
    log: Arc<Mutex<Vec<String>>>,
}

impl World {
    fn new(test: &str) -> Self {
        let mut store = Store::new();
        let mut seeds = Seeds::new(Random::of_test(test).array());
        let start = Time32(u32::try_from(now().0 / 1_000_000).unwrap() - 60);
        let p256 = Curve::P256;
        let key = store.generate(p256, Uses::SIGN, &seeds.next()).unwrap();
        let contents = Contents::new(start, Duration::Years(10)).issuing_all();
        let root = Authority::root(&mut store, key, &contents, &mut seeds).unwrap();
        let canonical = store.generate(p256, Uses::SIGN, &seeds.next()).unwrap();
        let folder = Folder::new();
        let public = store.public_key(canonical).unwrap();
        let registered = StationRecord {
            public_key: written(&verification_key(&public)).unwrap(),
            ..station("car")
        };
        folder.open().register(&registered).unwrap();
        let registry = Registry::new(folder.open(), profile, RegistryLimits::default());
        Self {
            _folder: folder,
            store,
            seeds,
            root,
            canonical,
            registry: Arc::new(Mutex::new(registry.unwrap())),
            start,
            next: Arc::default(),
            log: Arc::default(),
        }
    }

    /// Makes an enrolment authority that is to be loaded next; `document` tells it from others.
    fn renew(&mut self, document: u8, revoked: &[HashedId8]) -> Arc<Verified> {
        let mut keys = Box::new(Store::new());
        let p256 = Curve::P256;
        let own = keys.generate(p256, Uses::SIGN, &self.seeds.next()).unwrap();
        let opens = keys.generate(p256, Uses::AGREE, &self.seeds.next());
        let opens = opens.unwrap();
        let contents = Contents::new(self.start, Duration::Years(5))
            .permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_AUTHORITY)
            .encrypted_to(keys.public_key(opens).unwrap());
        let contents = Contents {
            issues: vec![IssueGroup {
                applications: None,
                chain_length_range: 0,
                ..IssueGroup::all()
            }],
            ..contents
        };
        let public = keys.public_key(own).unwrap();
        let (store, seeds) = (&mut self.store, &mut self.seeds);
        let certificate = self.root.issue(store, &contents, &public, seeds).unwrap();
        let root = self.root.credential().certificate().bytes();
        let authority = Authority::new(&*keys, own, &[&certificate, root]).unwrap();
        let verified = self.root.verifier().verify_certificate(&certificate);
        let log = Arc::clone(&self.log);
        let authorities = Authorities::new(
            move |_| Some(vec![document]),
            move |line| log.lock().unwrap().push(line.to_owned()),
        );
        let role = ServedAuthority {
            authority: EnrolmentAuthority::new(authority, opens).unwrap(),
            keys,
            registry: Arc::clone(&self.registry),
        };
        let revoked: BTreeSet<HashedId8> = revoked.iter().copied().collect();
        let authorities = authorities.with_enrolment(role).with_revoked(revoked);
        *self.next.lock().unwrap() = Some(Ok(authorities));
        verified.unwrap()
    }

    fn serve(&self) -> Renewable {
        let next = Arc::clone(&self.next);
        let load = move || {
            next.lock()
                .unwrap()
                .take()
                .expect("a load that is expected")
        };
        Renewable::new(Box::new(load)).unwrap()
    }

    /// A request to an authority, and whether a response of it has a credential.
    fn request(
        &mut self,
        authority: &Arc<Verified>,
    ) -> (Vec<u8>, impl Fn(&[u8]) -> HashedId8 + use<>) {
        let contents = Contents::new(self.start, Duration::Years(1))
            .permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_CREDENTIAL);
        let seed = self.seeds.next();
        let key = self.store.generate(Curve::P256, Uses::SIGN, &seed).unwrap();
        let requester = Requester::Registered {
            canonical_id: b"car",
            key: self.canonical,
        };
        let (store, seeds) = (&mut self.store, &mut self.seeds);
        let made = request_enrolment(store, requester, key, &contents, authority, now(), seeds);
        let (request, pending) = made.unwrap();
        let mut verifier = Verifier::default();
        let root = self.root.credential().certificate().bytes();
        verifier.add_trust_anchor(root).unwrap();
        verifier.add_certificate(authority.bytes()).unwrap();
        let opened = move |response: &[u8]| {
            let mut store = Store::new();
            let opened = pending.open(
                &mut store,
                &verifier,
                response,
                now(),
                &EnrolmentLimits::DEFAULT,
            );
            opened.unwrap().issuer().unwrap().id()
        };
        (request, opened)
    }

    fn last_line(&self) -> String {
        self.log.lock().unwrap().last().cloned().unwrap_or_default()
    }
}

#[test]
fn a_request_is_answered_by_whom_it_is_encrypted_to() {
    let mut world = World::new("a_request_is_answered_by_whom_it_is_encrypted_to");
    let first = world.renew(1, &[]);
    let server = world.serve();
    let (early, opened_early) = world.request(&first);
    let second = world.renew(2, &[]);
    let (late, opened_late) = world.request(&second);
    // What is not loaded yet is not answered for.
    let malformed = Err(NoResponse::Malformed);
    assert_eq!(server.answer(Endpoint::Enrolment, &late), malformed);
    server.reload();
    assert_eq!(server.document(PublicDocument::Certificates), Some(vec![2]));
    let response = server.answer(Endpoint::Enrolment, &late).unwrap();
    assert_eq!(opened_late(&response), second.id());
    let response = server.answer(Endpoint::Enrolment, &early).unwrap();
    assert_eq!(opened_early(&response), first.id());
    // The memory is one: the same bytes have the same answer.
    assert_eq!(server.answer(Endpoint::Enrolment, &early), Ok(response));
    // Of as many renewals as are remembered, the first one is forgotten.
    for number in 3..8 {
        world.renew(number, &[]);
        server.reload();
    }
    let (again, _) = world.request(&first);
    assert_eq!(server.answer(Endpoint::Enrolment, &again), malformed);
    assert_eq!(
        server.answer(Endpoint::Authorization, &again),
        Err(NoResponse::NoRole)
    );
    assert_eq!(server.answer(Endpoint::Enrolment, b"no message"), malformed);
}

#[test]
fn a_revoked_authority_answers_nothing_after_the_reload() {
    let mut world = World::new("a_revoked_authority_answers_nothing_after_the_reload");
    let first = world.renew(1, &[]);
    let server = world.serve();
    let (early, _) = world.request(&first);
    world.renew(2, &[first.id()]);
    server.reload();
    let answered = server.answer(Endpoint::Enrolment, &early);
    assert_eq!(answered, Err(NoResponse::Malformed));
}

#[test]
fn what_cannot_be_loaded_changes_nothing_and_is_named() {
    let mut world = World::new("what_cannot_be_loaded_changes_nothing_and_is_named");
    let first = world.renew(1, &[]);
    let server = world.serve();
    let broken = Err(vec!["trust/a.oer: broken".to_owned()]);
    *world.next.lock().unwrap() = Some(broken);
    server.reload();
    let line = "not reloaded: trust/a.oer: broken; all stays as it was";
    assert_eq!(world.last_line(), line);
    assert_eq!(server.document(PublicDocument::Certificates), Some(vec![1]));
    let (request, opened) = world.request(&first);
    let response = server.answer(Endpoint::Enrolment, &request).unwrap();
    assert_eq!(opened(&response), first.id());
    // What cannot be loaded at the begin is not served at all.
    *world.next.lock().unwrap() = Some(Err(vec!["missing".to_owned()]));
    let next = Arc::clone(&world.next);
    let failed = Renewable::new(Box::new(move || next.lock().unwrap().take().unwrap()));
    assert_eq!(failed.unwrap_err(), ["missing"]);
}
