//! What is signed and issued here, and what python cryptography signs and issues.

use waywarden_ecverify::{Curve, Point};
use waywarden_testkit::{Random, hex_of, seeds};
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, Uses, ecqv};
use waywarden_v2x_security::profile::NonceForm as Demanded;
use waywarden_v2x_security::{Profiles, ReceptionContext};
use waywarden_v2x_signing::{
    Credential, Message, Payload, SignerForm, SigningOptions, sign, sign_for_oneself, wire_key,
};
use waywarden_v2x_wire::coer::{Nested, SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Elevation, EncryptionKey, HashedData, HashedId3, HeaderInfo, Latitude, Longitude,
    ThreeDLocation, Time64,
};

use super::{Oracle, PSID, chain, contents, name, private, text};
use crate::support::{NOW, World, has_implicit, written};

/// Every curve that the oracle knows, with explicit and implicit certificates.
fn kinds() -> impl Iterator<Item = (Curve, bool)> {
    let kinds = Curve::ALL
        .into_iter()
        .flat_map(|curve| [(curve, false), (curve, true)]);
    kinds.filter(|&(curve, implicit)| curve != Curve::P384 && (!implicit || has_implicit(curve)))
}

/// The headers that are signed: nothing but a time, and all there is.
fn headers<'a>(
    key: &'a Point,
    requests: &'a [HashedId3],
    certificate: &'a Certificate<'a>,
) -> [HeaderInfo<'a>; 2] {
    let plain = HeaderInfo {
        generation_time: Some(NOW),
        ..HeaderInfo::new(PSID)
    };
    let full = HeaderInfo {
        expiry_time: Some(Time64(NOW.0 + 1_000_000)),
        generation_location: Some(ThreeDLocation {
            latitude: Latitude(522_345_678),
            longitude: Longitude(-45_678),
            elevation: Elevation(4_096),
        }),
        p2pcd_learning_request: Some(HashedId3([1, 2, 3])),
        encryption_key: Some(EncryptionKey::Public(wire_key(key).unwrap())),
        inline_p2pcd_request: SequenceOf::new(requests),
        requested_certificate: Some(Nested::Value(certificate)),
        ..plain
    };
    [plain, full]
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]
fn pycrate_and_cryptography_verify_what_is_signed_and_issued() {
    let Some(mut oracle) = Oracle::find() else {
        return;
    };
    let mut random = Random::of_test("pycrate_and_cryptography_verify_what_is_signed_and_issued");
    let mut expected = Vec::new();
    let rounds = seeds(1).min(10);
    for (curve, implicit) in (0..rounds).flat_map(|_| kinds()) {
        let mut world = World::new(curve, &mut random, &[PSID]);
        let own = world.credential(&contents(), implicit);
        let World {
            store,
            seeds,
            authority,
            ..
        } = &mut world;
        let public = store.public_key(own.key()).unwrap();
        oracle.ask(&["certificate", &chain(&own)]);
        expected.push(Some(public.to_sec1_compressed().as_ref().to_vec()));
        let key = store
            .generate(Curve::BrainpoolP256r1, Uses::AGREE, &seeds.next())
            .unwrap();
        let key = store.public_key(key).unwrap();
        let requests = [HashedId3([7, 8, 9]), HashedId3([0, 0, 1])];
        let other = authority.credential().certificate().view().unwrap();
        let plain = HeaderInfo {
            generation_time: Some(NOW),
            ..HeaderInfo::new(PSID)
        };
        let message = Message {
            payload: Payload::Data(b"a request"),
            header: plain,
        };
        let options = SigningOptions {
            signer: SignerForm::Digest,
            form: NonceForm::XOnly,
            nonce: Nonce::Deterministic,
        };
        let request = sign_for_oneself(store, own.key(), &message, &options).unwrap();
        let public = hex_of(public.to_sec1_compressed().as_ref());
        oracle.ask(&["own", name(curve), &public, &hex_of(&request)]);
        expected.push(Some(Vec::new()));
        for header in headers(&key, &requests, &other) {
            for signer in [
                SignerForm::Digest,
                SignerForm::Certificate,
                SignerForm::Chain,
            ] {
                let payload = random.bytes_up_to(300);
                let hash: [u8; 32] = random.array();
                let (payload, content) = match random.once_in(4) {
                    true => (Payload::Hash(HashedData::Sha256(&hash)), &hash[..]),
                    false => (Payload::Data(&payload), &payload[..]),
                };
                let message = Message { payload, header };
                let entropy = seeds.next();
                let form = match random.once_in(2) {
                    true => NonceForm::Point,
                    false => NonceForm::XOnly,
                };
                let nonce = Nonce::Hedged { entropy: &entropy };
                let options = SigningOptions {
                    signer,
                    form,
                    nonce,
                };
                let mut signed = sign(store, &own, &message, &options).unwrap();
                let known = match signer {
                    SignerForm::Digest => chain(&own),
                    SignerForm::Certificate => chain(authority.credential()),
                    // The trust anchor alone.
                    SignerForm::Chain => chain(authority.credential())
                        .split_once(',')
                        .map_or(String::new(), |(root, _)| root.to_owned()),
                };
                oracle.ask(&["verify", &known, &hex_of(&signed)]);
                expected.push(Some(content.to_vec()));
                // The last byte of s, so that an oracle that accepts everything is found out.
                *signed.last_mut().unwrap() ^= 1;
                oracle.ask(&["verify", &known, &hex_of(&signed)]);
                expected.push(None);
            }
        }
    }
    for ((answer, expected), question) in oracle
        .answers()
        .into_iter()
        .zip(expected)
        .zip(&oracle.questions)
    {
        match expected {
            Some(expected) => {
                assert_eq!(answer.map(|all| all.concat()), Ok(expected), "{question}");
            }
            None => assert_eq!(answer, Err("Refused signature".to_owned()), "{question}"),
        }
    }
}

#[test]
fn what_cryptography_signs_and_issues_is_accepted() {
    let Some(mut oracle) = Oracle::find() else {
        return;
    };
    let mut random = Random::of_test("what_cryptography_signs_and_issues_is_accepted");
    let mut cases = Vec::new();
    for (curve, implicit) in kinds() {
        let mut world = World::new(curve, &mut random, &[PSID]);
        let own = world.credential(&contents(), implicit);
        let key = private(&world.store, own.key());
        let time = NOW.0.to_string();
        for form in ["certificate", "digest"] {
            let payload = text(&random.bytes_up_to(200));
            let psid = PSID.0.to_string();
            oracle.ask(&["sign", &chain(&own), &key, form, &psid, &time, &payload]);
        }
        let authority = world.authority.credential();
        let (above, key) = (chain(authority), private(&world.store, authority.key()));
        let template = hex_of(own.certificate().bytes());
        let request = has_implicit(curve).then(|| {
            let request = ecqv::request(&mut world.store, curve, &random.array()).unwrap();
            let public = hex_of(request.public.to_sec1_compressed().as_ref());
            oracle.ask(&["implicit", &above, &key, &template, &public]);
            request
        });
        let public = world
            .store
            .public_key(own.key())
            .unwrap()
            .to_sec1_compressed();
        oracle.ask(&["issue", &above, &key, &template, &hex_of(public.as_ref())]);
        cases.push((world, own, request));
    }
    let mut answers = oracle
        .answers()
        .into_iter()
        .zip(&oracle.questions)
        .map(|(answer, asked)| answer.unwrap_or_else(|why| panic!("{why}: {asked}")));
    for (mut world, own, request) in cases {
        let profiles = Profiles::default().with_nonce_form(Demanded::Any);
        let mut verifier = world.receiver().with_profiles(profiles);
        for form in ["certificate", "digest"] {
            let signed = answers.next().unwrap();
            let accepted = verifier.verify(&signed[0], &ReceptionContext::at(NOW));
            assert_eq!(accepted.map(|one| one.signer.id()), Ok(own.id()), "{form}");
        }
        if let Some(request) = request {
            let issued = answers.next().unwrap();
            let (certificate, r) = (
                parse(&issued[0]).unwrap(),
                issued[1][..].try_into().unwrap(),
            );
            let issuer = world.issuer();
            let store = &mut world.store;
            let key = ecqv::receive(store, request.key, &certificate, &issuer, &r, Uses::SIGN);
            let certificate = verifier.verify_certificate(&issued[0]).unwrap();
            Credential::new(store, key.unwrap(), certificate).unwrap();
        }
        let issued = answers.next().unwrap();
        let certificate = verifier.verify_certificate(&issued[0]).unwrap();
        Credential::new(&world.store, own.key(), certificate).unwrap();
        // Read and written again it is the same.
        let view: Certificate<'_> = parse(&issued[0]).unwrap();
        assert_eq!(written(&view), issued[0]);
    }
    assert_eq!(answers.next(), None);
}
