//! A root, an enrolment authority, an authorization authority and a registered station.

use std::sync::Arc;

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyHandle, KeyStore, Uses};
use waywarden_v2x_pki::enrolment::{
    AuthorizationAuthority, AuthorizationStep, EnrolmentAuthority, EnrolmentLimits,
    IssuedCredential, IssuedTicket, MemoryRegistry, PendingAuthorization, PendingEnrolment,
    PendingValidation, RegisteredStation, RequestAnswer, Requester, StationProfile, StationStatus,
    TicketRequest, ValidatedTicket, request_authorization, request_enrolment, ssp,
};
use waywarden_v2x_pki::{Authority, Contents, IssueGroup, PermissionRange, Seeds};
use waywarden_v2x_security::{Verified, Verifier};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::etsi103097::its_aid::{CAM, CERTIFICATE_REQUEST, DENM};
use waywarden_v2x_wire::ieee1609dot2::{Duration, EndEntityType, HashedId8, Psid, Time32, Time64};

use crate::support::{NOW, START, Store};

/// The canonical identifier of the station.
pub(super) const STATION: &[u8] = b"WAYWARDEN-0001";

/// Returns the time `seconds` after [`NOW`].
pub(super) fn later(seconds: u64) -> Time64 {
    Time64(NOW.0 + seconds * 1_000_000)
}

/// The bitmap of a permission, of any bits.
fn any() -> PermissionRange {
    PermissionRange::Bitmap {
        value: vec![1, 0, 0],
        mask: vec![0xFF, 0, 0],
    }
}

fn group(applications: Vec<(Psid, PermissionRange)>, types: u8) -> IssueGroup {
    IssueGroup {
        applications: Some(applications),
        min_chain_length: 1,
        chain_length_range: 0,
        ee_type: EndEntityType::new(types).unwrap(),
    }
}

/// Returns the contents of an enrolment authority's certificate, as in ETSI's test suite.
pub(super) fn enrolment_authority() -> Contents {
    let mut contents = Contents::new(START, Duration::Years(5))
        .named("EA")
        .permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_AUTHORITY);
    let credential = PermissionRange::Bitmap {
        value: ssp::ENROLMENT_CREDENTIAL.to_vec(),
        mask: vec![0xFF, 0x3F],
    };
    contents.issues = vec![
        group(vec![(CAM, any()), (DENM, PermissionRange::All)], 0x40),
        group(vec![(CERTIFICATE_REQUEST, credential)], 0xC0),
    ];
    contents
}

/// Returns the contents of an authorization authority's certificate.
pub(super) fn authorization_authority() -> Contents {
    let mut contents = Contents::new(START, Duration::Years(5))
        .named("AA")
        .permitting(CERTIFICATE_REQUEST, &ssp::AUTHORIZATION_AUTHORITY);
    contents.issues = vec![group(
        vec![(CAM, any()), (DENM, PermissionRange::All)],
        0x80,
    )];
    contents
}

/// Returns the contents that the station requests for its credentials and tickets.
pub(super) fn credential_contents() -> Contents {
    Contents::new(Time32(START.0 + 100), Duration::Years(3))
        .permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_CREDENTIAL)
}

pub(super) fn ticket_contents() -> Contents {
    Contents::new(Time32(START.0 + 100), Duration::Hours(168)).permitting(CAM, &[1, 0xFF, 0xFC])
}

pub(super) struct World {
    pub(super) store: Store,
    pub(super) seeds: Seeds,
    pub(super) root: Authority,
    pub(super) ea: EnrolmentAuthority,
    pub(super) aa: AuthorizationAuthority,
    /// Records of the enrolment authority.
    pub(super) registry: MemoryRegistry,
    /// Records of the authorization authority.
    pub(super) answers: MemoryRegistry,
    /// Trust store of the station.
    pub(super) verifier: Verifier,
    /// The station's canonical key.
    pub(super) canonical: KeyHandle,
    /// Keys that open messages to the enrolment authority, and to the other one.
    pub(super) ea_key: KeyHandle,
    pub(super) aa_key: KeyHandle,
    pub(super) curve: Curve,
}

impl World {
    pub(super) fn new(test: &str) -> Self {
        Self::on(Curve::P256, &mut Random::of_test(test))
    }

    pub(super) fn on(curve: Curve, random: &mut Random) -> Self {
        Self::with(
            curve,
            random,
            enrolment_authority(),
            authorization_authority(),
        )
    }

    /// Makes a world with authorities that may do this.
    pub(super) fn with(curve: Curve, random: &mut Random, ea: Contents, aa: Contents) -> Self {
        let mut store = Store::new();
        let mut seeds = Seeds::new(random.array());
        let key = store.generate(curve, Uses::SIGN, &seeds.next()).unwrap();
        let contents = Contents::new(START, Duration::Years(10)).named("root");
        let contents = contents.issuing_all();
        let root = Authority::root(&mut store, key, &contents, &mut seeds).unwrap();
        let (ea, ea_key) = authority(&root, &mut store, curve, ea, &mut seeds);
        let (aa, aa_key) = authority(&root, &mut store, curve, aa, &mut seeds);
        let bytes = |one: &Authority| one.credential().certificate().bytes().to_vec();
        let (ea_bytes, aa_bytes) = (bytes(&ea), bytes(&aa));
        let mut ea = EnrolmentAuthority::new(ea, ea_key).unwrap();
        ea.add_authorization_authority(&aa_bytes).unwrap();
        let mut aa = AuthorizationAuthority::new(aa, aa_key).unwrap();
        aa.add_enrolment_authority(&ea_bytes).unwrap();
        let mut verifier = Verifier::default();
        let anchor = root.credential().certificate().bytes();
        verifier.add_trust_anchor(anchor).unwrap();
        verifier.add_certificate(&ea_bytes).unwrap();
        verifier.add_certificate(&aa_bytes).unwrap();
        let canonical = store.generate(curve, Uses::SIGN, &seeds.next()).unwrap();
        let mut registry = MemoryRegistry::new(100);
        registry.register(RegisteredStation {
            canonical_id: STATION.to_vec(),
            key: store.public_key(canonical).unwrap(),
            profile: StationProfile::new(vec![(CAM, any())]),
            status: StationStatus::Active,
        });
        Self {
            store,
            seeds,
            root,
            ea,
            aa,
            registry,
            answers: MemoryRegistry::new(100),
            verifier,
            canonical,
            ea_key,
            aa_key,
            curve,
        }
    }

    pub(super) fn key(&mut self) -> KeyHandle {
        let seed = self.seeds.next();
        self.store.generate(self.curve, Uses::SIGN, &seed).unwrap()
    }

    pub(super) fn known(&self, id: HashedId8) -> Arc<Verified> {
        Arc::clone(self.verifier.store().find(id).unwrap())
    }

    pub(super) fn ea_certificate(&self) -> Arc<Verified> {
        self.known(self.ea.authority().credential().id())
    }

    pub(super) fn aa_certificate(&self) -> Arc<Verified> {
        self.known(self.aa.authority().credential().id())
    }

    /// The station as it is registered, to be changed.
    pub(super) fn change_station(&mut self, change: impl FnOnce(&mut RegisteredStation)) {
        use waywarden_v2x_pki::enrolment::StationRegistry as _;
        let mut station = self.registry.station(STATION).unwrap().unwrap();
        change(&mut station);
        self.registry.register(station);
    }

    /// The station asks for a credential for this key.
    pub(super) fn ask_enrolment(
        &mut self,
        key: KeyHandle,
        contents: &Contents,
        now: Time64,
    ) -> (Vec<u8>, PendingEnrolment) {
        let requester = Requester::Registered {
            canonical_id: STATION,
            key: self.canonical,
        };
        let ea = self.ea_certificate();
        let Self { store, seeds, .. } = self;
        request_enrolment(store, requester, key, contents, &ea, now, seeds).unwrap()
    }

    pub(super) fn answer_enrolment(
        &mut self,
        request: &[u8],
        now: Time64,
    ) -> RequestAnswer<IssuedCredential> {
        let Self {
            ea,
            store,
            registry,
            seeds,
            ..
        } = self;
        ea.answer_enrolment(store, registry, request, now, seeds)
    }

    /// The station gets a credential.
    pub(super) fn enrol(&mut self) -> Credential {
        let key = self.key();
        let (request, pending) = self.ask_enrolment(key, &credential_contents(), NOW);
        let answer = self.answer_enrolment(&request, NOW);
        let response = answer.response.unwrap();
        let limits = EnrolmentLimits::DEFAULT;
        let opened = pending.open(&mut self.store, &self.verifier, &response, NOW, &limits);
        Credential::new(&self.store, key, opened.unwrap()).unwrap()
    }

    /// The station asks for a ticket for this key, in private and with a proof of possession.
    pub(super) fn ask_ticket(
        &mut self,
        credential: &Credential,
        contents: &Contents,
        now: Time64,
    ) -> (Vec<u8>, PendingAuthorization) {
        self.ask_ticket_with(credential, contents, now, |_| {})
    }

    pub(super) fn ask_ticket_with(
        &mut self,
        credential: &Credential,
        contents: &Contents,
        now: Time64,
        change: impl for<'r> FnOnce(&mut TicketRequest<'r>),
    ) -> (Vec<u8>, PendingAuthorization) {
        let key = self.key();
        let (ea, aa) = (self.ea_certificate(), self.aa_certificate());
        let mut request = TicketRequest {
            credential,
            key,
            contents,
            enrolment_authority: &ea,
            authorization_authority: &aa,
            is_private: true,
            proves_possession: true,
        };
        change(&mut request);
        request_authorization(&mut self.store, &request, now, &mut self.seeds).unwrap()
    }

    pub(super) fn receive(&mut self, request: &[u8], now: Time64) -> AuthorizationStep {
        let Self {
            aa,
            store,
            answers,
            seeds,
            ..
        } = self;
        aa.receive(store, answers, request, now, seeds)
    }

    /// The authorization authority opens the request and asks.
    pub(super) fn asked(&mut self, request: &[u8], now: Time64) -> (Vec<u8>, PendingValidation) {
        match self.receive(request, now) {
            AuthorizationStep::Ask {
                message,
                pending,
                enrolment_authority,
            } => {
                assert_eq!(enrolment_authority, self.ea.authority().credential().id());
                (message, pending)
            }
            AuthorizationStep::Done(answer) => panic!("{:?}", answer.outcome),
        }
    }

    pub(super) fn answer_validation(
        &mut self,
        request: &[u8],
        now: Time64,
    ) -> RequestAnswer<ValidatedTicket> {
        let Self {
            ea,
            store,
            registry,
            seeds,
            ..
        } = self;
        ea.answer_validation(store, registry, request, now, seeds)
    }

    pub(super) fn finish(
        &mut self,
        pending: &PendingValidation,
        response: Option<&[u8]>,
        now: Time64,
    ) -> RequestAnswer<IssuedTicket> {
        let Self {
            aa,
            store,
            answers,
            seeds,
            ..
        } = self;
        aa.finish(store, answers, pending, response, now, seeds)
    }

    /// The request goes through both authorities.
    pub(super) fn authorize(&mut self, request: &[u8], now: Time64) -> RequestAnswer<IssuedTicket> {
        match self.receive(request, now) {
            AuthorizationStep::Done(answer) => answer,
            AuthorizationStep::Ask {
                message, pending, ..
            } => {
                let response = self.answer_validation(&message, now).response;
                self.finish(&pending, response.as_deref(), now)
            }
        }
    }
}

/// Makes an authority below the root, and a key that opens what is encrypted to it.
pub(super) fn authority(
    root: &Authority,
    store: &mut Store,
    curve: Curve,
    contents: Contents,
    seeds: &mut Seeds,
) -> (Authority, KeyHandle) {
    let key = store.generate(curve, Uses::SIGN, &seeds.next()).unwrap();
    // Encryption is defined on curves of 256 bits only.
    let encryption = match curve {
        Curve::BrainpoolP256r1 | Curve::BrainpoolP384r1 => Curve::BrainpoolP256r1,
        _ => Curve::P256,
    };
    let opens = store.generate(encryption, Uses::AGREE, &seeds.next());
    let opens = opens.unwrap();
    let contents = contents.encrypted_to(store.public_key(opens).unwrap());
    let public = store.public_key(key).unwrap();
    let certificate = root.issue(store, &contents, &public, seeds).unwrap();
    let chain = [&certificate[..], root.credential().certificate().bytes()];
    (Authority::new(store, key, &chain).unwrap(), opens)
}
