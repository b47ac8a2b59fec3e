//! A small world: authorities, vehicles certified by them, and an engine to ask.

use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, PrivateKey, SoftwareStore, Uses};
use waywarden_v2x_pki::{Authority, Contents, IssueGroup, PermissionRange, Region, Seeds};
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver};
use waywarden_v2x_service::materials::{Decryption, Materials, SigningIdentity};
use waywarden_v2x_service::service::{Reply, Service};
use waywarden_v2x_service_protocol::verdict::Verification;
use waywarden_v2x_service_protocol::{
    RefusedRequest, Request, RequestedOperation, Response, ResponseBody, SignRequest, VerifyRequest,
};
use waywarden_v2x_signing::{Credential, DecryptionKeys, Recipient};
use waywarden_v2x_time::{StationPosition, TimeReading, TimeSource, UntrustedTime};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Duration, Elevation, EndEntityType, Latitude, Longitude, Psid, ThreeDLocation,
    Time32, Time64,
};

/// Start of all certificates' validity.
pub(crate) const START: Time32 = Time32(700_000_000);
/// A time at which all certificates are valid.
pub(crate) const NOW: Time64 = Time64(700_000_100 * 1_000_000);
/// Cooperative awareness messages.
pub(crate) const CAM: Psid = Psid(36);
/// Decentralized environmental notification messages.
pub(crate) const DENM: Psid = Psid(37);

/// A place in Modena.
pub(crate) fn place() -> ThreeDLocation {
    ThreeDLocation {
        latitude: Latitude(446_470_000),
        longitude: Longitude(109_250_000),
        elevation: Elevation(4_196),
    }
}

/// A time and a place that a test sets.
pub(crate) struct TestTime(Mutex<TimeReading>, Mutex<Option<UntrustedTime>>);

impl TestTime {
    pub(crate) fn new(time: Time64) -> Arc<Self> {
        let reading = Mutex::new(TimeReading {
            time,
            distrust: None,
            position: Some(StationPosition::at(place())),
            stale_position: None,
        });
        Arc::new(Self(reading, Mutex::default()))
    }

    /// Sets the reason against a time that is used nevertheless.
    pub(crate) fn set_doubt(&self, doubt: Option<UntrustedTime>) {
        *self.1.lock().unwrap() = doubt;
    }

    pub(crate) fn set(&self, time: Time64, distrust: Option<UntrustedTime>) {
        let mut reading = self.0.lock().unwrap();
        reading.time = time;
        reading.distrust = distrust;
    }
}

impl TimeSource for TestTime {
    fn read(&self) -> TimeReading {
        *self.0.lock().unwrap()
    }

    fn doubt(&self) -> Option<UntrustedTime> {
        *self.1.lock().unwrap()
    }
}

/// A root and an authority below it.
pub(crate) struct World {
    start: Time32,
    store: SoftwareStore<16>,
    seeds: Seeds,
    pub(crate) root: Authority,
    pub(crate) authority: Authority,
    /// Region of the vehicles' certificates.
    pub(crate) region: Option<Region>,
}

/// The holder of a certificate, and the store with its key.
pub(crate) struct Holder {
    pub(crate) credential: Credential,
    pub(crate) store: SoftwareStore<2>,
}

/// Most certificates of messages that a receiver holds: more vehicles than a benchmark has.
const CERTIFICATES: usize = 16_384;

impl World {
    pub(crate) fn new(random: &mut Random) -> Self {
        Self::valid_from(START, random)
    }

    /// A world of the real time: its certificates begin an hour before this day.
    pub(crate) fn of_today(random: &mut Random) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let now = from_unix(since.as_micros() as i64).unwrap();
        // The same in two processes, but for those that begin on two sides of a midnight.
        let days = now.0 / 86_400_000_000;
        Self::valid_from(Time32((days * 86_400) as u32 - 3_600), random)
    }

    fn valid_from(start: Time32, random: &mut Random) -> Self {
        let mut store = SoftwareStore::new();
        let mut seeds = Seeds::new(random.bytes(32).try_into().unwrap());
        let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next());
        let key = key.unwrap();
        let contents = Contents::new(start, Duration::Years(10));
        let contents = contents.named("root").issuing_all();
        let root = Authority::root(&mut store, key, &contents, &mut seeds).unwrap();
        let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next());
        let key = key.unwrap();
        let public = store.public_key(key).unwrap();
        let mut contents = Contents::new(start, Duration::Years(3)).named("authority");
        contents.issues.push(IssueGroup {
            applications: Some(vec![
                (CAM, PermissionRange::All),
                (DENM, PermissionRange::All),
            ]),
            min_chain_length: 1,
            chain_length_range: 0,
            ee_type: EndEntityType::APP,
        });
        let certificate = root.issue(&mut store, &contents, &public, &mut seeds);
        let certificate = certificate.unwrap();
        let chain = [&certificate[..], root.credential().certificate().bytes()];
        let authority = Authority::new(&store, key, &chain).unwrap();
        Self {
            start,
            store,
            seeds,
            root,
            authority,
            region: None,
        }
    }

    /// Returns a receiver that trusts the root and knows the authority.
    pub(crate) fn receiver(&self) -> Verifier {
        let mut verifier = Verifier::new(Capacity {
            certificates: CERTIFICATES,
            ..Capacity::DEFAULT
        });
        let anchor = self.root.credential().certificate().bytes();
        verifier.add_trust_anchor(anchor).unwrap();
        let authority = self.authority.credential().certificate().bytes();
        verifier.add_certificate(authority).unwrap();
        verifier
    }

    /// Certifies a vehicle for CAM and DENM. Its keys are in both stores, to sign and to decrypt.
    pub(crate) fn vehicle(&mut self, valid: Duration) -> (Holder, Decryption) {
        self.vehicle_permitting(valid, &[1, 0xff, 0xf0])
    }

    /// The same with other permissions for CAM; none if it is empty.
    fn vehicle_permitting(&mut self, valid: Duration, cam: &[u8]) -> (Holder, Decryption) {
        let key = self.private_key();
        let mut store = SoftwareStore::new();
        let signing = store.import(&key, Uses::SIGN).unwrap();
        let key = self.private_key();
        let mut decryption = SoftwareStore::<2>::new();
        let encryption = decryption.import(&key, Uses::AGREE).unwrap();
        let mut contents = Contents::new(self.start, valid)
            .permitting(CAM, cam)
            .permitting(DENM, &[1, 0xff, 0xff, 0xff]);
        contents.encryption_key = Some(decryption.public_key(encryption).unwrap());
        contents.region = self.region.clone();
        let public = store.public_key(signing).unwrap();
        let issued = self
            .authority
            .issue(&mut self.store, &contents, &public, &mut self.seeds);
        let issued = issued.unwrap();
        let view: Certificate<'_> = parse(&issued).unwrap();
        let recipient = Recipient::certificate(&view).unwrap();
        let verified = self.authority.verifier().verify_certificate(&issued);
        let credential = Credential::new(&store, signing, verified.unwrap()).unwrap();
        let decryption = Decryption {
            keys: DecryptionKeys::new().with_private_key(recipient, encryption),
            store: Box::new(decryption),
        };
        (Holder { credential, store }, decryption)
    }

    fn private_key(&mut self) -> PrivateKey {
        PrivateKey::new(Curve::P256, &*self.seeds.next()).unwrap()
    }

    /// Returns the materials of a service of a new vehicle.
    pub(crate) fn materials(&mut self, valid: Duration) -> Materials {
        self.materials_permitting(valid, &[1, 0xff, 0xf0])
    }

    /// The same with other permissions for CAM; none if it is empty.
    pub(crate) fn materials_permitting(&mut self, valid: Duration, cam: &[u8]) -> Materials {
        let (holder, decryption) = self.vehicle_permitting(valid, cam);
        Materials {
            verifier: self.receiver(),
            is_trust_configured: true,
            decryption,
            signers: vec![SigningIdentity {
                name: "vehicle".to_owned(),
                credential: holder.credential,
                store: Box::new(holder.store),
                psids: None,
                is_pseudonym: false,
            }],
            used: None,
        }
    }
}

/// May have CAM and DENM signed and messages decrypted.
pub(crate) fn everything() -> Grant {
    Grant {
        sign: BTreeSet::from([CAM, DENM]),
        decrypt: true,
    }
}

/// Starts an engine.
pub(crate) fn engine(materials: Materials, time: &Arc<TestTime>) -> Engine {
    let time: Arc<dyn TimeSource> = Arc::<TestTime>::clone(time);
    Engine::start(
        materials,
        EngineSettings::default(),
        time,
        Arc::new(NoObserver),
    )
    .unwrap()
}

/// Asks for something, without waiting for the answer.
pub(crate) fn submit(
    engine: &Engine,
    grant: &Grant,
    operation: RequestedOperation,
) -> Receiver<Response> {
    let (sender, receiver) = channel();
    let request = Request {
        id: 7,
        deadline: Some(std::time::Duration::from_secs(60)),
        operation,
    };
    let reply = Reply::new(7, move |response| drop(sender.send(response)));
    engine.submit(grant, request, reply);
    receiver
}

/// Asks for something.
pub(crate) fn ask(
    engine: &Engine,
    grant: &Grant,
    operation: RequestedOperation,
) -> Result<ResponseBody, RefusedRequest> {
    let response = submit(engine, grant, operation).recv().unwrap();
    assert_eq!(response.id, 7);
    response.body
}

/// A CAM to sign.
pub(crate) fn cam(payload: &[u8]) -> SignRequest {
    SignRequest {
        psid: CAM,
        permissions: None,
        payload: payload.to_vec(),
        signer: None,
        location: None,
        lifetime: None,
    }
}

/// Has a payload signed.
pub(crate) fn signed(engine: &Engine, sign: SignRequest) -> Result<Vec<u8>, RefusedRequest> {
    match ask(engine, &everything(), RequestedOperation::Sign(sign))? {
        ResponseBody::Signed { message, .. } => Ok(message),
        other => panic!("{other:?}"),
    }
}

/// A message to verify, for any application.
pub(crate) fn verify(message: &[u8]) -> VerifyRequest {
    VerifyRequest {
        message: message.to_vec(),
        psid: None,
        reports_payload_check: false,
    }
}

/// Has a message verified.
pub(crate) fn verified(engine: &Engine, message: &[u8]) -> Verification {
    let operation = RequestedOperation::Verify(verify(message));
    match ask(engine, &Grant::default(), operation).unwrap() {
        ResponseBody::Verified(verification) => verification,
        other => panic!("{other:?}"),
    }
}
