//! A small SCMS: a root, an enrolment authority, a registration authority, a pseudonym authority
//! and two linkage authorities, and vehicles whose requests were taken.

use core::ops::Range;

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyHandle, KeyStore, Nonce, NonceForm, SoftwareStore, Uses};
use waywarden_v2x_pki::pseudonym::{
    CertificatePosition, LinkageAuthority, OpenResponseError, Period, Pseudonym,
    PseudonymAuthority, PseudonymHolder, PseudonymOrder, RegistrationAuthority,
};
use waywarden_v2x_pki::{Authority, Contents, IssueGroup, PermissionRange, Seeds};
use waywarden_v2x_security::Verifier;
use waywarden_v2x_signing::{
    Credential, DecryptionKeys, PayloadToSign, Recipient, SignerForm, SigningOptions,
    UnsignedMessage, sign,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CrlSeries, Duration, EndEntityType, HashedId3, HashedId8, HeaderInfo, LaId, Psid,
    Time32, Time64,
};

pub(crate) const CURVE: Curve = Curve::P256;
pub(crate) const FIRST: Period = Period(1_160);
/// In the period before the first one.
pub(crate) const NOW: Time32 = Time32(1_159 * 7 * 24 * 3_600 + 1_000);
pub(crate) const BSM: Psid = Psid(32);
pub(crate) const SCMS: Psid = Psid(35);
pub(crate) const REVOKED_BY: (HashedId3, CrlSeries) = (HashedId3([7, 8, 9]), CrlSeries(4));

/// Has room for the keys of a test.
pub(crate) struct Store(pub(crate) SoftwareStore<128>);

impl Store {
    pub(crate) fn retire_key(&mut self, key: KeyHandle) {
        self.0.retire(key).unwrap();
    }
}

/// A vehicle with a request that was taken.
pub(crate) struct Vehicle {
    pub(crate) holder: PseudonymHolder,
    pub(crate) id: HashedId8,
    pub(crate) request: Vec<u8>,
    pub(crate) acknowledgement: Vec<u8>,
}

pub(crate) struct Scms {
    pub(crate) store: Store,
    pub(crate) seeds: Seeds,
    pub(crate) root: Authority,
    pub(crate) enrolment: Authority,
    pub(crate) pca: PseudonymAuthority,
    pub(crate) ra: RegistrationAuthority,
    pub(crate) ra_recipient: Recipient,
    pub(crate) las: [LinkageAuthority; 2],
    pub(crate) shared: [[u8; 16]; 2],
    pub(crate) vehicles: Vec<Vehicle>,
}

fn group(psids: &[Psid], min: i64, ee_type: EndEntityType) -> IssueGroup {
    IssueGroup {
        applications: Some(
            psids
                .iter()
                .map(|&psid| (psid, PermissionRange::All))
                .collect(),
        ),
        min_chain_length: min,
        chain_length_range: 0,
        ee_type,
    }
}

pub(crate) const LA_IDS: [LaId; 2] = [LaId([0, 1]), LaId([0, 2])];

/// Issues a certificate to a new key.
fn certified(
    store: &mut Store,
    seeds: &mut Seeds,
    issuer: &Authority,
    contents: &Contents,
) -> (KeyHandle, Vec<u8>) {
    let uses = Uses::SIGN | Uses::ISSUE_IMPLICIT;
    let key = store.0.generate(CURVE, uses, &seeds.next()).unwrap();
    let public = store.0.public_key(key).unwrap();
    let certificate = issuer
        .issue(&mut store.0, contents, &public, seeds)
        .unwrap();
    (key, certificate)
}

/// Contents of an authority or vehicle, from before now on.
fn contents(name: &str) -> Contents {
    let contents = Contents::new(Time32(NOW.0 - 1_000), Duration::Years(5));
    contents.named(name).permitting(SCMS, &[])
}

/// Returns the contents that certificates are requested with.
pub(crate) fn asked() -> Contents {
    Contents::new(Time32(0), Duration::Hours(1)).permitting(BSM, &[])
}

impl Scms {
    pub(crate) fn new(random: &mut Random, vehicles: usize) -> Self {
        let mut store = Store(SoftwareStore::new());
        let mut seeds = Seeds::new(random.array());
        let key = store.0.generate(CURVE, Uses::SIGN, &seeds.next()).unwrap();
        let own = Contents::new(Time32(NOW.0 - 1_000), Duration::Years(10));
        let own = own.named("root").issuing_all();
        let root = Authority::root(&mut store.0, key, &own, &mut seeds).unwrap();
        let anchor = root.credential().certificate().bytes().to_vec();

        let mut own = contents("eca");
        own.issues
            .push(group(&[BSM, SCMS], 1, EndEntityType::ENROL));
        own.issues.push(group(&[BSM, SCMS], 1, EndEntityType::APP));
        own.issues.truncate(1);
        own.issues[0].ee_type = EndEntityType::new(0xC0).unwrap();
        let (key, certificate) = certified(&mut store, &mut seeds, &root, &own);
        let enrolment = Authority::new(&store.0, key, &[&certificate, &anchor]).unwrap();

        let mut own = contents("pca");
        own.issues.push(group(&[BSM], 1, EndEntityType::APP));
        let (key, certificate) = certified(&mut store, &mut seeds, &root, &own);
        let pca = Authority::new(&store.0, key, &[&certificate, &anchor]).unwrap();
        let shared: [[u8; 16]; 2] = [random.array(), random.array()];
        let linkage = [(LA_IDS[0], shared[0]), (LA_IDS[1], shared[1])];
        let pca = PseudonymAuthority::new(pca.with_implicit_key(key), linkage, REVOKED_BY).unwrap();
        let las = [0, 1].map(|at| LinkageAuthority::new(LA_IDS[at], random.array(), shared[at]));

        let decrypting = store.0.generate(CURVE, Uses::AGREE, &seeds.next()).unwrap();
        let own = contents("ra").encrypted_to(store.0.public_key(decrypting).unwrap());
        let (key, certificate) = certified(&mut store, &mut seeds, &root, &own);
        let verified = root.verifier().verify_certificate(&certificate).unwrap();
        let credential = Credential::new(&store.0, key, verified).unwrap();
        let view: Certificate<'_> = parse(&certificate).unwrap();
        let ra_recipient = Recipient::certificate(&view).unwrap();
        let keys = DecryptionKeys::new().with_private_key(ra_recipient.clone(), decrypting);
        let mut known = Verifier::default();
        known.add_trust_anchor(&anchor).unwrap();
        known
            .add_certificate(enrolment.credential().certificate().bytes())
            .unwrap();
        let ra = RegistrationAuthority::new(credential, keys, known, LA_IDS);
        let mut scms = Self {
            store,
            seeds,
            root,
            enrolment,
            pca,
            ra,
            ra_recipient,
            las,
            shared,
            vehicles: Vec::new(),
        };
        for _ in 0..vehicles {
            let vehicle = scms.vehicle();
            scms.vehicles.push(vehicle);
        }
        scms
    }

    /// Gives a vehicle an enrolment certificate that may request these applications.
    pub(crate) fn enrolled(&mut self, may_request: &[Psid]) -> Credential {
        let mut own = contents("vehicle");
        own.requests.push(group(may_request, 0, EndEntityType::APP));
        let (key, certificate) = certified(&mut self.store, &mut self.seeds, &self.enrolment, &own);
        let verifier = self.enrolment.verifier();
        let verified = verifier.verify_certificate(&certificate).unwrap();
        Credential::new(&self.store.0, key, verified).unwrap()
    }

    fn vehicle(&mut self) -> Vehicle {
        let enrolled = self.enrolled(&[BSM]);
        let holder = PseudonymHolder::generate(&mut self.store.0, CURVE, &mut self.seeds).unwrap();
        let request = holder.request(
            &mut self.store.0,
            &asked(),
            &enrolled,
            &self.ra_recipient,
            NOW,
            &mut self.seeds,
        );
        let request = request.unwrap();
        let taken = self
            .ra
            .register(&mut self.store.0, &request, FIRST, NOW, &mut self.seeds);
        let taken = taken.unwrap();
        Vehicle {
            holder,
            id: taken.id,
            request,
            acknowledgement: taken.acknowledgement,
        }
    }

    /// Returns the registration authority's orders for all vehicles.
    pub(crate) fn orders(&mut self, i: Period, j: Range<u8>) -> Vec<PseudonymOrder> {
        let ids: Vec<HashedId8> = self.vehicles.iter().map(|vehicle| vehicle.id).collect();
        let orders = ids.into_iter().map(|id| {
            let [one, other] = self.ra.linkage_requests(id, i, j.clone()).unwrap();
            let values = [
                self.las[0].answer(&one, &mut self.seeds).unwrap(),
                self.las[1].answer(&other, &mut self.seeds).unwrap(),
            ];
            let j = j.clone();
            PseudonymOrder { id, i, j, values }
        });
        orders.collect()
    }

    /// The requests to the pseudonym authority for all vehicles.
    pub(crate) fn requests(&mut self, i: Period, j: Range<u8>) -> Vec<Vec<u8>> {
        let orders = self.orders(i, j);
        self.ra.requests(&orders, NOW, &mut self.seeds).unwrap()
    }

    pub(crate) fn answer(
        &mut self,
        request: &[u8],
    ) -> Result<Vec<u8>, waywarden_v2x_pki::pseudonym::PseudonymError> {
        self.pca
            .answer(&mut self.store.0, request, NOW, &mut self.seeds)
    }

    /// Has certificates issued to all vehicles: the vehicle's number, the position, the file.
    pub(crate) fn week(
        &mut self,
        i: Period,
        j: Range<u8>,
    ) -> Vec<(usize, CertificatePosition, Vec<u8>)> {
        let requests = self.requests(i, j);
        let collected = requests.iter().map(|request| {
            let answer = self.answer(request).unwrap();
            let collected = self.ra.collect(&answer).unwrap();
            let mut vehicles = self.vehicles.iter();
            let vehicle = vehicles.position(|one| one.id == collected.id).unwrap();
            (vehicle, collected.position, collected.response)
        });
        collected.collect()
    }

    pub(crate) fn open(
        &mut self,
        vehicle: usize,
        position: CertificatePosition,
        response: &[u8],
    ) -> Result<Pseudonym, OpenResponseError> {
        let authority = self.pca.authority().credential().certificate();
        let holder = &self.vehicles[vehicle].holder;
        holder.open(&mut self.store.0, authority, position, response)
    }

    /// Signs a basic safety message.
    pub(crate) fn signed(&mut self, pseudonym: &Pseudonym, now: Time64) -> Vec<u8> {
        let verifier = self.pca.authority().verifier();
        let verified = verifier.verify_certificate(&pseudonym.certificate).unwrap();
        let credential = Credential::new(&self.store.0, pseudonym.key, verified).unwrap();
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(b"a basic safety message"),
            header: HeaderInfo {
                generation_time: Some(now),
                ..HeaderInfo::new(BSM)
            },
        };
        let options = SigningOptions {
            signer: SignerForm::Certificate,
            form: NonceForm::Point,
            nonce: Nonce::Hedged {
                entropy: &self.seeds.next(),
            },
        };
        sign(&mut self.store.0, &credential, &message, &options).unwrap()
    }

    /// Trusts the root, and knows the authorities.
    pub(crate) fn receiver(&self) -> Verifier {
        let mut verifier = Verifier::default();
        verifier
            .add_trust_anchor(self.root.credential().certificate().bytes())
            .unwrap();
        let pca = self.pca.authority().credential().certificate();
        verifier.add_certificate(pca.bytes()).unwrap();
        verifier
    }
}
