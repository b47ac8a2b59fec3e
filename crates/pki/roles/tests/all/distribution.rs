//! Two stations whose authorities do not know each other come to verify each other; strangers buy
//! nothing by asking and by giving.

mod arrivals;
mod bounds;
mod floods;
mod learning;
mod offers;
mod responses;

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, SoftwareStore, Uses};
use waywarden_v2x_pki::{Authority, Contents, Seeds};
use waywarden_v2x_security::{Profiles, ReceptionContext, Verifier};
use waywarden_v2x_signing::{
    Credential, MessageSigner, PayloadToSign, Seed, SendingProfile, SignerForm, Statement,
    UnsignedMessage, sign,
};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, HashedId3, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Time64,
};

use crate::support::{START, deterministic, root_of};

const PERIOD: u64 = 100_000;

type Store = SoftwareStore<16>;

/// Random generator, key store and seeds of a test.
struct Setup {
    random: Random,
    store: Store,
    seeds: Seeds,
}

impl Setup {
    fn new(test: &str) -> Self {
        Self::of(Random::of_test(test))
    }

    fn of(mut random: Random) -> Self {
        let seeds = Seeds::new(random.array());
        Self {
            random,
            store: Store::new(),
            seeds,
        }
    }
}

/// Sender and receiver of a station.
struct Station {
    sender: MessageSigner,
    verifier: Verifier,
}

fn issued_by(store: &mut Store, seeds: &mut Seeds, root: &Authority, name: &str) -> Authority {
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let contents = Contents::new(START, Duration::Years(3))
        .named(name)
        .issuing_all();
    let public = store.public_key(key).unwrap();
    let certificate = root.issue(store, &contents, &public, seeds).unwrap();
    let chain = [&certificate[..], root.credential().certificate().bytes()];
    Authority::new(store, key, &chain).unwrap()
}

fn station(
    store: &mut Store,
    seeds: &mut Seeds,
    root: &Authority,
    authority: &Authority,
) -> Station {
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let contents = Contents::new(START, Duration::Hours(24)).permitting(Psid(36), &[1, 0, 0]);
    let public = store.public_key(key).unwrap();
    let certificate = authority.issue(store, &contents, &public, seeds).unwrap();
    let certificate = authority
        .verifier()
        .verify_certificate(&certificate)
        .unwrap();
    let mut verifier = Verifier::default();
    verifier
        .add_trust_anchor(root.credential().certificate().bytes())
        .unwrap();
    verifier
        .add_certificate(authority.credential().certificate().bytes())
        .unwrap();
    Station {
        sender: MessageSigner::new(Credential::new(store, key, certificate).unwrap()),
        verifier,
    }
}

fn time(step: u64) -> Time64 {
    Time64(u64::from(START.0) * 1_000_000 + 1_000_000_000 + step * PERIOD)
}

/// Sends a CAM.
fn cam(store: &mut Store, seeds: &mut Seeds, station: &mut Station, now: Time64) -> Vec<u8> {
    let statement = Statement {
        psid: Psid(36),
        payload: b"where a vehicle is",
        location: None,
    };
    let seed = Seed::new(*seeds.next());
    station.sender.send(store, &statement, now, &seed).unwrap()
}

/// Receives a message; returns whether it was accepted.
fn receive(seeds: &mut Seeds, station: &mut Station, message: &[u8], now: Time64) -> bool {
    let context = ReceptionContext::at(now);
    let verdict = station.verifier.verify(message, &context);
    let seed = Seed::new(*seeds.next());
    let Station { sender, verifier } = station;
    sender.observe(verifier, message, verdict.as_ref(), (now, &seed));
    verdict.is_ok()
}

/// The same station, which sends by the profile of basic safety messages.
fn american(station: Station) -> Station {
    let profile = SendingProfile::BASIC_SAFETY_MESSAGE;
    let Station { sender, verifier } = station;
    Station {
        sender: sender.with_profile(Psid(36), profile),
        verifier: verifier.with_profiles(Profiles::default().lenient()),
    }
}

/// Two authorities under one root, and a station of each.
fn strangers(store: &mut Store, seeds: &mut Seeds) -> (Authority, [Authority; 2], [Station; 2]) {
    let root = root_of(store, seeds);
    let authorities = ["1", "2"].map(|name| issued_by(store, seeds, &root, name));
    let stations = [0, 1].map(|at: usize| station(store, seeds, &root, &authorities[at]));
    (root, authorities, stations)
}

/// The header of a message.
fn header(message: &[u8]) -> HeaderInfo<'_> {
    let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(data) = message.content else {
        panic!("not signed");
    };
    data.tbs_data.header_info
}

/// A message that asks for these certificates.
fn request(store: &mut Store, station: &Station, ids: &[HashedId3], now: Time64) -> Vec<u8> {
    let header = HeaderInfo {
        generation_time: Some(now),
        inline_p2pcd_request: SequenceOf::new(ids),
        ..HeaderInfo::new(Psid(36))
    };
    let message = UnsignedMessage {
        payload: PayloadToSign::Data(b"where a vehicle is"),
        header,
    };
    let options = deterministic(SignerForm::Digest);
    sign(store, station.sender.credential(), &message, &options).unwrap()
}
