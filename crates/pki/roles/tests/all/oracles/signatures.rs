//! Signatures and certificates made here against those of python cryptography.

use waywarden_ecverify::{Curve, Point};
use waywarden_testkit::{Random, hex_of, seeds};
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, Uses, ecqv};
use waywarden_v2x_security::profile::AcceptedNonceForm as Demanded;
use waywarden_v2x_security::{Profiles, ReceptionContext};
use waywarden_v2x_signing::{
    Credential, PayloadToSign, SignerForm, SigningOptions, UnsignedMessage, sign, sign_for_oneself,
    wire_key,
};
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Elevation, EncryptionKey, HashedData, HashedId3, HeaderInfo, Latitude, Longitude,
    ThreeDLocation, Time64,
};

use super::{Oracle, PSID, chain, contents, name, private, text};
use crate::support::{NOW, World, deterministic, has_implicit, header_at_now, written};

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
    let plain = header_at_now(PSID);
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
        requested_certificate: Some(NestedEncoding::Value(certificate)),
        ..plain
    };
    [plain, full]
}

/// Questions to an oracle, and what it answers to each: octets, or that a signature is wrong.
struct Questions {
    oracle: Oracle,
    expected: Vec<Option<Vec<u8>>>,
}

impl Questions {
    fn ask(&mut self, words: &[&str], expected: Option<Vec<u8>>) {
        self.oracle.ask(words);
        self.expected.push(expected);
    }

    fn check(self) {
        let answers = self.oracle.answers().into_iter().zip(self.expected);
        for ((answer, expected), question) in answers.zip(&self.oracle.questions) {
            match expected {
                Some(expected) => {
                    assert_eq!(answer.map(|all| all.concat()), Ok(expected), "{question}");
                }
                None => assert_eq!(answer, Err("Refused signature".to_owned()), "{question}"),
            }
        }
    }
}

/// Asks about each kind of certificate, as often as there are seeds, and checks the answers.
fn each_kind(
    test: &str,
    mut ask: impl FnMut(&mut Questions, &mut World, &Credential, &mut Random),
) {
    let Some(oracle) = Oracle::find() else {
        return;
    };
    let mut random = Random::of_test(test);
    let mut questions = Questions {
        oracle,
        expected: Vec::new(),
    };
    let rounds = seeds(1).min(10);
    for (curve, implicit) in (0..rounds).flat_map(|_| kinds()) {
        let mut world = World::new(curve, &mut random, &[PSID]);
        let own = world.credential(&contents(), implicit);
        ask(&mut questions, &mut world, &own, &mut random);
    }
    questions.check();
}

fn public(world: &World, own: &Credential) -> Vec<u8> {
    let public = world.store.public_key(own.key()).unwrap();
    public.to_sec1_compressed().as_ref().to_vec()
}

#[test]
fn pycrate_and_cryptography_find_the_keys_of_certificates() {
    let test = "pycrate_and_cryptography_find_the_keys_of_certificates";
    each_kind(test, |questions, world, own, _| {
        let public = public(world, own);
        questions.ask(&["certificate", &chain(own)], Some(public));
    });
}

#[test]
fn pycrate_and_cryptography_verify_what_is_signed_for_oneself() {
    let test = "pycrate_and_cryptography_verify_what_is_signed_for_oneself";
    each_kind(test, |questions, world, own, _| {
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(b"a request"),
            header: header_at_now(PSID),
        };
        let options = SigningOptions {
            form: NonceForm::XOnly,
            ..deterministic(SignerForm::Digest)
        };
        let request = sign_for_oneself(&mut world.store, own.key(), &message, &options);
        let (public, request) = (hex_of(&public(world, own)), hex_of(&request.unwrap()));
        let words = ["own", name(own.curve()), &public, &request];
        questions.ask(&words, Some(Vec::new()));
    });
}

/// The certificates that a verifier knows before a message of this form.
fn known(world: &World, own: &Credential, signer: SignerForm) -> String {
    let authority = chain(world.authority.credential());
    match signer {
        SignerForm::Digest => chain(own),
        SignerForm::Certificate => authority,
        // The trust anchor alone.
        SignerForm::Chain => authority
            .split_once(',')
            .map_or(String::new(), |(root, _)| root.to_owned()),
    }
}

/// Signs a random payload, or the hash of one; returns what is signed, too.
fn signed(
    world: &mut World,
    own: &Credential,
    header: HeaderInfo<'_>,
    signer: SignerForm,
    random: &mut Random,
) -> (Vec<u8>, Vec<u8>) {
    let payload = random.bytes_up_to(300);
    let hash: [u8; 32] = random.array();
    let (payload, content) = match random.once_in(4) {
        true => (PayloadToSign::Hash(HashedData::Sha256(&hash)), &hash[..]),
        false => (PayloadToSign::Data(&payload), &payload[..]),
    };
    let message = UnsignedMessage { payload, header };
    let entropy = world.seeds.next();
    let form = match random.once_in(2) {
        true => NonceForm::Point,
        false => NonceForm::XOnly,
    };
    let options = SigningOptions {
        signer,
        form,
        nonce: Nonce::Hedged { entropy: &entropy },
    };
    let signed = sign(&mut world.store, own, &message, &options).unwrap();
    (signed, content.to_vec())
}

#[test]
fn pycrate_and_cryptography_verify_what_is_signed_and_no_more() {
    let test = "pycrate_and_cryptography_verify_what_is_signed_and_no_more";
    each_kind(test, |questions, world, own, random| {
        let seed = world.seeds.next();
        let key = world
            .store
            .generate(Curve::BrainpoolP256r1, Uses::AGREE, &seed);
        let key = world.store.public_key(key.unwrap()).unwrap();
        let requests = [HashedId3([7, 8, 9]), HashedId3([0, 0, 1])];
        let authority = world.authority.credential().certificate().clone();
        let other = authority.view().unwrap();
        for header in headers(&key, &requests, &other) {
            for signer in [
                SignerForm::Digest,
                SignerForm::Certificate,
                SignerForm::Chain,
            ] {
                let (mut signed, content) = signed(world, own, header, signer, random);
                let known = known(world, own, signer);
                questions.ask(&["verify", &known, &hex_of(&signed)], Some(content));
                // The last byte of s, so that an oracle that accepts everything is found out.
                *signed.last_mut().unwrap() ^= 1;
                questions.ask(&["verify", &known, &hex_of(&signed)], None);
            }
        }
    });
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
