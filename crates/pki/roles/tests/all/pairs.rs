//! Random messages that are signed and verified, over curves, kinds of certificates, forms of
//! signers and of signatures, headers and payloads; and each changed in one bit, which is refused.

use waywarden_ecverify::{Curve, Point};
use waywarden_testkit::{Random, cases, hex_of};
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, Uses};
use waywarden_v2x_pki::{Contents, GeographicPoint, Region};
use waywarden_v2x_security::hash::{Digest, HashFunction, hash};
use waywarden_v2x_security::profile::AcceptedNonceForm as Demanded;
use waywarden_v2x_security::{Limits, MessageSource, Profiles, ReceptionContext, Verifier};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, Seed, SignerForm, SigningOptions, UnsignedMessage, encrypt_under,
    sign, wire_key,
};
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, UnknownAdditions, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CrlSeries, Duration, Elevation, EncryptionKey, HashedData, HashedId3, HeaderInfo,
    Ieee1609Dot2Data, Latitude, Longitude, MissingCrlIdentifier, Psid, SymmetricEncryptionKey,
    ThreeDLocation, Time64,
};

use crate::support::{NOW, START, World, has_implicit};

/// BSM, CAM, DENM, another application of Europe, and one without a profile.
const APPLICATIONS: [Psid; 5] = [Psid(32), Psid(36), Psid(37), Psid(141), Psid(0x20_4097)];

/// Center of the region in which the stations may be.
const CENTER: GeographicPoint = GeographicPoint {
    latitude: 522_345_678,
    longitude: 134_000_000,
};

/// Number of messages that are signed in the quick run.
const FEW: usize = 300;

/// One who signs, with what a receiver has to know of it.
struct Station {
    credential: Credential,
    verifier: Verifier,
    world: usize,
}

/// Stations of each curve, explicit and implicit, with and without a region.
fn stations(random: &mut Random) -> (Vec<World>, Vec<Station>) {
    let (mut worlds, mut stations) = (Vec::new(), Vec::new());
    for curve in Curve::ALL {
        let mut world = World::new(curve, random, &APPLICATIONS);
        for (implicit, limited) in [(false, false), (false, true), (true, false), (true, true)] {
            if implicit && !has_implicit(curve) {
                continue;
            }
            let mut contents = Contents::new(START, Duration::Hours(24));
            contents.region = limited.then_some(Region::Circle(CENTER, 5_000));
            for psid in APPLICATIONS {
                contents = contents.permitting(psid, &[1, 0xFF]);
            }
            let credential = world.credential(&contents, implicit);
            let profiles = Profiles::default().lenient().with_nonce_form(Demanded::Any);
            let mut verifier = world.receiver().with_profiles(profiles);
            let own = credential.certificate().bytes();
            verifier.add_certificate(own).unwrap();
            stations.push(Station {
                credential,
                verifier,
                world: worlds.len(),
            });
        }
        worlds.push(world);
    }
    (worlds, stations)
}

/// Values that headers are made of.
struct Parts<'a> {
    key: &'a Point,
    symmetric: &'a [u8; 16],
    requests: &'a [HashedId3],
    certificate: &'a Certificate<'a>,
}

/// A header with each field or without, made at `made`.
fn header<'a>(random: &mut Random, parts: &Parts<'a>, made: Time64) -> HeaderInfo<'a> {
    let mut header = HeaderInfo::new(APPLICATIONS[random.index(APPLICATIONS.len())]);
    header.generation_time = Some(made);
    // Receivers are at most a second late.
    let lifetime = 1_000_000 + random.below(10_000_000);
    header.expiry_time = random.once_in(2).then_some(Time64(made.0 + lifetime));
    let mut near = |center: i32| center + random.below(40_000) as i32 - 20_000;
    let place = ThreeDLocation {
        latitude: Latitude(near(CENTER.latitude)),
        longitude: Longitude(near(CENTER.longitude)),
        elevation: Elevation(4_096),
    };
    header.generation_location = random.once_in(2).then_some(place);
    header.p2pcd_learning_request = random.once_in(4).then(|| HashedId3(random.array()));
    header.missing_crl = random.once_in(4).then(|| MissingCrlIdentifier {
        craca_id: HashedId3(random.array()),
        crl_series: CrlSeries(random.u64() as u16),
        unknown: UnknownAdditions::default(),
    });
    header.encryption_key = match random.below(4) {
        0 => Some(EncryptionKey::Public(wire_key(parts.key).unwrap())),
        1 => Some(EncryptionKey::Symmetric(SymmetricEncryptionKey::Aes128Ccm(
            parts.symmetric,
        ))),
        _ => None,
    };
    header.inline_p2pcd_request = random
        .once_in(4)
        .then(|| SequenceOf::new(parts.requests))
        .flatten();
    header.requested_certificate = random
        .once_in(4)
        .then_some(NestedEncoding::Value(parts.certificate));
    header
}

/// Returns a payload: often short, seldom as long as a length has bytes to say.
fn payload(random: &mut Random) -> Vec<u8> {
    let edges = [0, 1, 127, 128, 255, 256, 65_535, 65_536];
    match random.below(20) {
        0 => {
            let length = edges[random.index(edges.len())];
            random.bytes(length)
        }
        1 => random.bytes_up_to(65_536),
        _ => random.bytes_up_to(400),
    }
}

/// Returns the position of the form of a signature's r, at the end of a message or certificate.
fn form_at(curve: Curve, end: usize) -> usize {
    end - 2 * curve.field_bytes() - 1
}

/// Changes one bit of a message, but none of those that say in which form r is given: a receiver
/// may take r alone, and whether R's other half was given rightly changes nothing then.
fn change(random: &mut Random, station: &Credential, chain: &[&[u8]], message: &mut [u8]) -> usize {
    let mut spared = vec![form_at(station.curve(), message.len())];
    for certificate in chain {
        let places = message.windows(certificate.len()).enumerate();
        let places = places.filter(|(_, window)| window == certificate);
        spared.extend(places.map(|(at, _)| form_at(station.curve(), at + certificate.len())));
    }
    let at = loop {
        let at = random.index(message.len());
        if !spared.contains(&at) {
            break at;
        }
    };
    message[at] ^= 1 << random.below(8);
    at
}

/// The hash of data that travels elsewhere.
fn hashed(digest: &Digest) -> HashedData<'_> {
    let bytes = digest.as_bytes();
    match bytes.try_into() {
        Ok(bytes) => HashedData::Sha256(bytes),
        Err(_) => HashedData::Sha384(bytes.try_into().unwrap()),
    }
}

fn options<'e>(random: &mut Random, entropy: &'e [u8; 32]) -> SigningOptions<'e> {
    let signers = [
        SignerForm::Digest,
        SignerForm::Certificate,
        SignerForm::Chain,
    ];
    SigningOptions {
        signer: signers[random.index(3)],
        form: match random.once_in(2) {
            true => NonceForm::Point,
            false => NonceForm::XOnly,
        },
        nonce: match random.once_in(8) {
            true => Nonce::Deterministic,
            false => Nonce::Hedged { entropy },
        },
    }
}

/// A public key of either curve on which messages are encrypted.
fn public_key(world: &mut World, random: &mut Random) -> Point {
    let curve = [Curve::P256, Curve::BrainpoolP256r1][random.index(2)];
    let store = &mut world.store;
    let key = store.generate(curve, Uses::AGREE, &random.array()).unwrap();
    let public = store.public_key(key).unwrap();
    store.retire(key).unwrap();
    public
}

/// Signs a message with random contents at `made`; returns it, and the data that it has the hash of
/// where it has no data itself.
fn signed(
    random: &mut Random,
    world: &mut World,
    own: &Credential,
    made: Time64,
) -> (Vec<u8>, Option<Vec<u8>>) {
    let public = public_key(world, random);
    let symmetric = random.array();
    let requests: Vec<_> = (0..random.index(9))
        .map(|_| HashedId3(random.array()))
        .collect();
    let view = world.authority.credential().certificate().view().unwrap();
    let parts = Parts {
        key: &public,
        symmetric: &symmetric,
        requests: &requests,
        certificate: &view,
    };
    let header = header(random, &parts, made);
    let text = payload(random);
    let encrypted = encrypt_under(&symmetric, &text, &Seed::new(random.array())).unwrap();
    let inner: Ieee1609Dot2Data<'_> = parse(&encrypted).unwrap();
    let function = [HashFunction::Sha256, HashFunction::Sha384][random.index(2)];
    let digest = hash(function, &text);
    let payload = match random.below(6) {
        0 => PayloadToSign::Hash(hashed(&digest)),
        1 => PayloadToSign::Secured(&inner),
        _ => PayloadToSign::Data(&text),
    };
    let message = UnsignedMessage { payload, header };
    let entropy = random.array();
    let options = options(random, &entropy);
    let signed = sign(&mut world.store, own, &message, &options);
    let signed = signed.unwrap_or_else(|why| panic!("{why}: {header:?}"));
    let is_hash = matches!(payload, PayloadToSign::Hash(_));
    (signed, is_hash.then_some(text))
}

#[test]
fn what_is_signed_is_verified_and_what_is_changed_is_refused() {
    let mut random = Random::of_test("what_is_signed_is_verified_and_what_is_changed_is_refused");
    let (mut worlds, mut stations) = stations(&mut random);
    let count = cases(FEW);
    for case in 0..count {
        let at = random.index(stations.len());
        let Station {
            credential: own,
            verifier,
            world,
        } = &mut stations[at];
        let world = &mut worlds[*world];
        let made = Time64(NOW.0 + case as u64 * 1_000 + random.below(1_000));
        let (message, external) = signed(&mut random, world, own, made);
        let mut context = ReceptionContext::at(Time64(made.0 + random.below(1_000_000)));
        context.external_data = external.as_deref();
        // A radio's messages have at most as many bytes as a WAVE short message.
        if message.len() > Limits::DEFAULT.message_bytes || random.once_in(2) {
            context.source = MessageSource::File;
        }
        let mut changed = message.clone();
        let above = world.authority.credential().certificate();
        let chain = [own.certificate().bytes(), above.bytes()];
        let at = change(&mut random, own, &chain, &mut changed);
        // The changed one first: it must leave nothing behind that refuses the true one.
        let refused = verifier.verify(&changed, &context).is_err();
        assert!(refused, "case {case}: byte {at} of {}", hex_of(&changed));
        let accepted = verifier.verify(&message, &context);
        let why = accepted.as_ref().err();
        assert!(why.is_none(), "case {case}: {why:?}: {}", hex_of(&message));
        assert_eq!(accepted.unwrap().signer.id(), own.id());
    }
    println!("{count} messages");
}
