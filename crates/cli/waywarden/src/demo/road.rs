//! The road of the demonstration: a public key infrastructure, cars that send CAMs, roadworks that
//! send DENMs, and an attacker. Seeds and times are fixed: every run has the same messages.

use std::error::Error;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyHandle, KeyStore, Nonce, NonceForm, SoftwareStore, Uses};
use waywarden_v2x_pki::{Authority, Contents, GeographicPoint, Region, Seeds};
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_signing::{
    Credential, MessageSigner, PayloadToSign, Seed, SignerForm, SigningOptions, Statement,
    UnsignedMessage, sign_unchecked,
};
use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, Elevation, HeaderInfo, Latitude, Longitude, ThreeDLocation, Time32, Time64,
};

use super::payload::{cam, denm};

pub(super) const CARS: u32 = 5;
/// Ten CAMs a second for six seconds.
const STEPS: u64 = 60;
const STEP_US: u64 = 100_000;
/// One message of each hostile kind comes at every third step.
const ATTACK_EVERY: u64 = 3;
/// The roadworks warn at every sixth step.
const WARN_EVERY: u64 = 6;
/// Time between the cars' messages of one step.
const GAP_US: u64 = 10_000;

const SECOND_US: u64 = 1_000_000;
/// Start of the authorities' certificates.
const FOUNDED: Time32 = Time32(700_000_000);
/// Start of the stations' certificates, a week later.
const TODAY: Time32 = Time32(FOUNDED.0 + 7 * 86_400);
/// Time of the first message, an hour later.
const FIRST: Time64 = Time64((TODAY.0 as u64 + 3_600) * SECOND_US);
/// Time for which the attacker holds a CAM back; a receiver takes those of the last two seconds.
const HELD_BACK_US: u64 = 10 * SECOND_US;

/// In Munich.
const JUNCTION: GeographicPoint = GeographicPoint {
    latitude: 481_374_000,
    longitude: 115_755_000,
};
/// The certificate of the roadworks is valid so many metres around the junction.
const RADIUS_M: u16 = 5_000;
/// Some 40 km to the east.
const ELSEWHERE: GeographicPoint = GeographicPoint {
    longitude: JUNCTION.longitude + 5_400_000,
    ..JUNCTION
};
/// About 1.4 m, what a car at 50 km/h drives in a step, in tenths of a microdegree.
const EASTWARDS: u64 = 187;
const ROADWORKS: u32 = 100;

const CAM_PERMISSIONS: &[u8] = &[1, 0, 0];
const DENM_PERMISSIONS: &[u8] = &[1, 0, 0, 0];

type Store = SoftwareStore<16>;
pub(super) type Fault = Box<dyn Error>;

/// Ground truth of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    Cam,
    Denm,
    /// Signed with another key than that of the car whose certificate it names.
    Forged,
    Changed,
    Replayed,
    HeldBack,
    ExpiredCertificate,
    /// A DENM under a certificate for CAMs.
    NotPermitted,
    /// A DENM from outside of the certificate's region.
    Displaced,
}

impl Kind {
    pub(super) const ALL: [Self; 9] = [
        Self::Cam,
        Self::Denm,
        Self::Forged,
        Self::Changed,
        Self::Replayed,
        Self::HeldBack,
        Self::ExpiredCertificate,
        Self::NotPermitted,
        Self::Displaced,
    ];

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Cam => "CAM of a car",
            Self::Denm => "DENM of roadworks",
            Self::Forged => "forged",
            Self::Changed => "changed on the way",
            Self::Replayed => "replayed",
            Self::HeldBack => "held back for 10 s",
            Self::ExpiredCertificate => "expired certificate",
            Self::NotPermitted => "not permitted",
            Self::Displaced => "displaced",
        }
    }

    /// Returns the reason for which a receiver has to refuse it; `None` if it has to accept it.
    pub(super) fn refusal(self) -> Option<ResultCode> {
        Some(match self {
            Self::Cam | Self::Denm => return None,
            Self::Forged | Self::Changed => ResultCode::CryptoVerificationFailure,
            Self::Replayed => ResultCode::RelevanceReplayedSpdu,
            Self::HeldBack => ResultCode::RelevanceGenerationTimeTooFarInPast,
            Self::ExpiredCertificate => ResultCode::ConsistencyExpiredCertificateAtGenerationTime,
            Self::NotPermitted => ResultCode::ConsistencyUnauthorizedPsid,
            Self::Displaced => ResultCode::ConsistencyGenerationLocationOutsideValidityRegion,
        })
    }
}

/// A message as it arrives.
pub(super) struct Sent {
    pub(super) kind: Kind,
    pub(super) arrives: Time64,
    pub(super) bytes: Vec<u8>,
}

/// Trust anchor and authority of a receiver, with the messages that it hears.
pub(super) struct Traffic {
    pub(super) root: Vec<u8>,
    pub(super) authority: Vec<u8>,
    pub(super) messages: Vec<Sent>,
}

/// Everyone on the road.
struct Road {
    store: Store,
    seeds: Seeds,
    cars: Vec<MessageSigner>,
    roadworks: MessageSigner,
    /// The attacker's own certificate, which has expired.
    expired: Credential,
    /// The CAMs of this step, by car.
    heard: Vec<Heard>,
    messages: Vec<Sent>,
}

/// A message that the attacker hears.
struct Heard {
    payload: Vec<u8>,
    message: Vec<u8>,
}

/// Makes the whole traffic.
pub(super) fn traffic() -> Result<Traffic, Fault> {
    let (mut store, mut seeds) = (Store::new(), Seeds::new([1; 32]));
    let own = Contents::new(FOUNDED, Duration::Years(10)).named("root");
    let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next())?;
    let root = Authority::root(&mut store, key, &own.issuing_all(), &mut seeds)?;
    let own = Contents::new(FOUNDED, Duration::Years(3)).named("authority");
    let (key, certificate) = enrol(&mut store, &mut seeds, &root, &own.issuing_all())?;
    let root = root.credential().certificate().bytes().to_vec();
    let authority = Authority::new(&store, key, &[&certificate[..], &root])?;

    let mut ticket = |own: &Contents| -> Result<Credential, Fault> {
        let (key, certificate) = enrol(&mut store, &mut seeds, &authority, own)?;
        let certificate = authority.verifier().verify_certificate(&certificate)?;
        Ok(Credential::new(&store, key, certificate)?)
    };
    let today = Contents::new(TODAY, Duration::Hours(24));
    let for_cams = |own: Contents| own.permitting(its_aid::CAM, CAM_PERMISSIONS);
    let cars = (0..CARS).map(|_| Ok(MessageSigner::new(ticket(&for_cams(today.clone()))?)));
    let cars = cars.collect::<Result<Vec<_>, Fault>>()?;
    let around = Region::Circle(JUNCTION, RADIUS_M);
    let for_warnings = today.permitting(its_aid::DENM, DENM_PERMISSIONS);
    let roadworks = MessageSigner::new(ticket(&for_warnings.within(around))?);
    let expired = ticket(&for_cams(Contents::new(FOUNDED, Duration::Hours(24))))?;
    let mut road = Road {
        store,
        seeds,
        cars,
        roadworks,
        expired,
        heard: Vec::new(),
        messages: Vec::new(),
    };
    for step in 0..STEPS {
        road.step(step)?;
    }
    Ok(Traffic {
        root,
        authority: certificate,
        messages: road.messages,
    })
}

/// Makes a key and has a certificate issued for it.
fn enrol(
    store: &mut Store,
    seeds: &mut Seeds,
    issuer: &Authority,
    own: &Contents,
) -> Result<(KeyHandle, Vec<u8>), Fault> {
    let key = store.generate(Curve::P256, Uses::SIGN, &seeds.next())?;
    let public = store.public_key(key)?;
    Ok((key, issuer.issue(store, own, &public, seeds)?))
}

impl Road {
    fn step(&mut self, step: u64) -> Result<(), Fault> {
        let now = Time64(FIRST.0 + step * STEP_US);
        let before = std::mem::take(&mut self.heard);
        for car in 0..CARS {
            let now = Time64(now.0 + u64::from(car) * GAP_US);
            let payload = cam(car, now, place(step, car))?;
            let statement = Statement {
                psid: its_aid::CAM,
                payload: &payload,
                location: None,
            };
            let seed = Seed::new(*self.seeds.next());
            let sender = &mut self.cars[car as usize];
            let message = sender.send(&mut self.store, &statement, now, &seed)?;
            self.arrive(Kind::Cam, now, message.clone());
            self.heard.push(Heard { payload, message });
        }
        let now = Time64(now.0 + u64::from(CARS) * GAP_US);
        if step.is_multiple_of(WARN_EVERY) {
            let payload = denm(ROADWORKS, now, JUNCTION)?;
            let statement = Statement {
                psid: its_aid::DENM,
                payload: &payload,
                location: Some(location(JUNCTION)),
            };
            let seed = Seed::new(*self.seeds.next());
            let message = self
                .roadworks
                .send(&mut self.store, &statement, now, &seed)?;
            self.arrive(Kind::Denm, now, message);
        }
        // The first step has no message to replay, and receivers learn the certificates.
        match step % ATTACK_EVERY == ATTACK_EVERY - 1 {
            true => self.attack(step, now, &before),
            false => Ok(()),
        }
    }

    /// One message of each hostile kind, about another car at each step.
    fn attack(&mut self, step: u64, now: Time64, before: &[Heard]) -> Result<(), Fault> {
        let car = (step / ATTACK_EVERY % u64::from(CARS)) as u32;
        let victim = self.cars[car as usize].credential().clone();
        let payload = cam(car, now, place(step, car))?;
        let header = |made| HeaderInfo {
            generation_time: Some(made),
            ..HeaderInfo::new(its_aid::CAM)
        };
        let expired = self.expired.clone();

        let forged = self.sign(&expired, header(now), &payload, SignerForm::Digest)?;
        let forged = replaced(forged, &expired.id().0, &victim.id().0)?;
        self.arrive(Kind::Forged, now, forged);

        let heard = &self.heard[car as usize];
        let mut other = heard.payload.clone();
        other[CHANGED_BYTE] ^= 1;
        let changed = replaced(heard.message.clone(), &heard.payload, &other)?;
        self.arrive(Kind::Changed, now, changed);

        self.arrive(Kind::Replayed, now, before[car as usize].message.clone());

        let earlier = header(Time64(now.0 - HELD_BACK_US));
        let late = self.sign(&victim, earlier, &payload, SignerForm::Certificate)?;
        self.arrive(Kind::HeldBack, now, late);

        let old = self.sign(&expired, header(now), &payload, SignerForm::Certificate)?;
        self.arrive(Kind::ExpiredCertificate, now, old);

        let payload = denm(car, now, JUNCTION)?;
        let warning = |place| HeaderInfo {
            generation_time: Some(now),
            generation_location: Some(location(place)),
            ..HeaderInfo::new(its_aid::DENM)
        };
        let warned = self.sign(
            &victim,
            warning(JUNCTION),
            &payload,
            SignerForm::Certificate,
        )?;
        self.arrive(Kind::NotPermitted, now, warned);

        let roadworks = self.roadworks.credential().clone();
        let payload = denm(ROADWORKS, now, ELSEWHERE)?;
        let header = warning(ELSEWHERE);
        let displaced = self.sign(&roadworks, header, &payload, SignerForm::Certificate)?;
        self.arrive(Kind::Displaced, now, displaced);
        Ok(())
    }

    /// Signs as an attacker does, who asks no certificate what it permits.
    fn sign(
        &mut self,
        credential: &Credential,
        header: HeaderInfo<'_>,
        payload: &[u8],
        signer: SignerForm,
    ) -> Result<Vec<u8>, Fault> {
        let entropy = self.seeds.next();
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(payload),
            header,
        };
        let options = SigningOptions {
            signer,
            form: NonceForm::Point,
            nonce: Nonce::Hedged { entropy: &entropy },
        };
        let signed = sign_unchecked(&mut self.store, credential, &message, &options);
        Ok(signed?)
    }

    fn arrive(&mut self, kind: Kind, arrives: Time64, bytes: Vec<u8>) {
        self.messages.push(Sent {
            kind,
            arrives,
            bytes,
        });
    }
}

/// The byte of a CAM that the attacker changes: in the longitude.
const CHANGED_BYTE: usize = 14;

/// Cars drive one behind the other, 30 m apart.
fn place(step: u64, car: u32) -> GeographicPoint {
    let east = step * EASTWARDS + u64::from(car) * 4_000;
    GeographicPoint {
        longitude: JUNCTION.longitude + east as i32,
        ..JUNCTION
    }
}

fn location(place: GeographicPoint) -> ThreeDLocation {
    ThreeDLocation {
        latitude: Latitude(place.latitude),
        longitude: Longitude(place.longitude),
        // 520 m above the ellipsoid.
        elevation: Elevation::from_decimetres(5_200).unwrap_or(Elevation(0)),
    }
}

/// Puts bytes in the place of others.
fn replaced(mut message: Vec<u8>, from: &[u8], to: &[u8]) -> Result<Vec<u8>, Fault> {
    let at = message
        .windows(from.len())
        .position(|window| window == from);
    let at = at.ok_or("the bytes to replace are not in the message")?;
    message[at..at + from.len()].copy_from_slice(to);
    Ok(message)
}
