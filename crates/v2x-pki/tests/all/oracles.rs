//! What pycrate and python cryptography make of what is signed, encrypted and issued here, and what
//! we make of what they write; for P-384, which pycrate does not know, rasn reads.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use waywarden_ecverify::{Curve, Point};
use waywarden_testkit::{Random, bytes_of, hex_of, output_of, python_with, seeds};
use waywarden_v2x_keys::{KeyHandle, KeyStore, Nonce, NonceForm, Uses, ecqv};
use waywarden_v2x_pki::Contents;
use waywarden_v2x_security::profile::NonceForm as Demanded;
use waywarden_v2x_security::{Profiles, ReceptionContext};
use waywarden_v2x_signing::{
    Credential, DecryptionKeys, Message, Payload, Recipient, Seed, SignerForm, SigningOptions,
    decrypt, encrypt, encrypt_to_symmetric_key, encrypt_under, encryption_key, sign,
    sign_for_oneself, wire_key,
};
use waywarden_v2x_wire::coer::{Nested, SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Duration, Elevation, EncryptionKey, HashedData, HashedId3, HeaderInfo, Latitude,
    Longitude, Psid, ThreeDLocation, Time64,
};

use crate::issue::Root;
use crate::issue::random::contents as random_contents;
use crate::support::{NOW, START, Store, World, has_implicit, written};

mod p384;

/// An application without a profile.
const PSID: Psid = Psid(0x20_4097);

/// The oracle, where it is installed.
pub(crate) struct Oracle {
    interpreter: PathBuf,
    script: &'static str,
    questions: Vec<String>,
}

impl Oracle {
    fn find() -> Option<Self> {
        Self::of_script("oracle.py")
    }

    /// Returns the oracle that runs this script.
    pub(crate) fn of_script(script: &'static str) -> Option<Self> {
        let interpreter = python_with("pycrate_asn1dir, cryptography")?;
        Some(Self {
            interpreter,
            script,
            questions: Vec::new(),
        })
    }

    pub(crate) fn ask(&mut self, words: &[&str]) {
        self.questions.push(words.join(" "));
    }

    /// Returns an answer to each question: what was found, or why nothing was.
    pub(crate) fn answers(&self) -> Vec<Result<Vec<Vec<u8>>, String>> {
        // Through a file: a pipe could fill on both sides.
        let name = format!("waywarden-signed-{}-{self:p}", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, self.questions.join("\n")).unwrap();
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/oracles");
        let script = scripts.join(self.script);
        let mut command = Command::new(&self.interpreter);
        command.arg(script).stdin(File::open(&file).unwrap());
        let output = output_of(&mut command);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(output.lines().count(), self.questions.len());
        println!("{} questions", self.questions.len());
        output.lines().map(answer).collect()
    }
}

fn answer(line: &str) -> Result<Vec<Vec<u8>>, String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "ok" => Ok(rest.split_whitespace().map(octets).collect()),
        _ => Err(rest.to_owned()),
    }
}

/// Reads what the oracle writes; it has a hyphen for no octet.
fn octets(text: &str) -> Vec<u8> {
    bytes_of(text.trim_start_matches('-'))
}

fn text(octets: &[u8]) -> String {
    match octets {
        [] => "-".to_owned(),
        octets => hex_of(octets),
    }
}

/// A chain as the oracle takes it: the root first.
pub(crate) fn chain(credential: &Credential) -> String {
    let chain = credential.certificate().chain();
    let mut chain: Vec<String> = chain.map(|one| hex_of(one.bytes())).collect();
    chain.reverse();
    chain.join(",")
}

/// What the oracle calls a curve.
pub(crate) fn name(curve: Curve) -> &'static str {
    match curve {
        Curve::P256 => "NistP256",
        Curve::BrainpoolP256r1 => "BrainpoolP256r1",
        Curve::P384 => "NistP384",
        Curve::BrainpoolP384r1 => "BrainpoolP384r1",
    }
}

pub(crate) fn private(store: &Store, key: KeyHandle) -> String {
    let key = store.export(key).unwrap();
    format!("{}:{}", name(key.curve()), hex_of(key.as_bytes()))
}

fn contents() -> Contents {
    Contents::new(START, Duration::Hours(24)).permitting(PSID, &[1, 0x80])
}

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

/// A recipient, and what the oracle is told of it.
struct Case {
    kind: &'static str,
    key: String,
    context: Vec<u8>,
    keys: DecryptionKeys,
    recipient: Recipient,
}

/// Recipients of all kinds whose encryption keys are on `curve`.
fn recipients(world: &mut World, curve: Curve, random: &mut Random) -> Vec<Case> {
    let private_key = {
        let seed = world.seeds.next();
        world.store.generate(curve, Uses::AGREE, &seed).unwrap()
    };
    let public = world.store.public_key(private_key).unwrap();
    let key = private(&world.store, private_key);
    let case = |kind, context, recipient: Recipient| Case {
        kind,
        key: key.clone(),
        context,
        keys: DecryptionKeys::new().with_private_key(recipient.clone(), private_key),
        recipient,
    };
    let mut cases = Vec::new();
    for implicit in [false, true] {
        if implicit && !has_implicit(world.authority.credential().curve()) {
            continue;
        }
        let own = world.credential(&contents().encrypted_to(public), implicit);
        let bytes = own.certificate().bytes().to_vec();
        let recipient = Recipient::certificate(&parse(&bytes).unwrap()).unwrap();
        cases.push(case("certificate", bytes, recipient));
        let header = HeaderInfo {
            generation_time: Some(NOW),
            encryption_key: Some(EncryptionKey::Public(wire_key(&public).unwrap())),
            ..HeaderInfo::new(PSID)
        };
        let payload = random.bytes_up_to(50);
        let message = Message {
            payload: Payload::Data(&payload),
            header,
        };
        let options = SigningOptions {
            signer: SignerForm::Digest,
            form: NonceForm::Point,
            nonce: Nonce::Deterministic,
        };
        let signed = sign(&mut world.store, &own, &message, &options).unwrap();
        let wire = wire_key(&public).unwrap();
        let recipient = Recipient::signed_data(&signed, &wire).unwrap();
        cases.push(case("signed", signed, recipient));
    }
    let encoded = encryption_key(&public).unwrap();
    let recipient = Recipient::response_key(&wire_key(&public).unwrap()).unwrap();
    cases.push(case("response", encoded, recipient));
    cases
}

#[test]
fn cryptography_decrypts_what_is_encrypted_and_encrypts_what_is_decrypted() {
    let Some(mut oracle) = Oracle::find() else {
        return;
    };
    let mut random = Random::of_test("cryptography_decrypts_what_is_encrypted");
    let mut expected = Vec::new();
    let mut worlds = Vec::new();
    // The certificate of an authority may be signed with another curve than it is encrypted to.
    for signing in [Curve::P256, Curve::BrainpoolP256r1, Curve::BrainpoolP384r1] {
        let mut world = World::new(signing, &mut random, &[PSID]);
        let mut cases = Vec::new();
        for curve in [Curve::P256, Curve::BrainpoolP256r1] {
            cases.extend(recipients(&mut world, curve, &mut random));
        }
        let seed = Seed::new(*world.seeds.next());
        let all: Vec<Recipient> = cases.iter().map(|case| case.recipient.clone()).collect();
        let plain = random.bytes_up_to(1_000);
        let message = encrypt(&mut world.store, &all, &plain, &seed).unwrap();
        for case in &cases {
            let (kind, context) = (case.kind, hex_of(&case.context));
            oracle.ask(&["decrypt", kind, &case.key, &context, &hex_of(&message)]);
            expected.push(Ok(plain.clone()));
            let theirs = random.bytes_up_to(100);
            oracle.ask(&["encrypt", kind, &context, &text(&theirs)]);
            expected.push(Err((worlds.len(), case.keys.clone(), theirs)));
        }
        worlds.push(world);
    }
    for length in [0, 1, 16, 5_000] {
        let (key, seed): ([u8; 16], _) = (random.array(), Seed::new(random.array()));
        let plain = random.bytes(length);
        let message = encrypt_under(&key, &plain, &seed).unwrap();
        oracle.ask(&[
            "decrypt",
            "symmetric",
            &hex_of(&key),
            "-",
            &hex_of(&message),
        ]);
        oracle.ask(&["encrypt", "symmetric", &hex_of(&key), &text(&plain)]);
        expected.push(Ok(plain.clone()));
        let keys = DecryptionKeys::new().with_symmetric_key(&key).unwrap();
        let seed = Seed::new(random.array());
        let wrapped = encrypt_to_symmetric_key(&key, &plain, &seed).unwrap();
        let (own, message) = (hex_of(&key), hex_of(&wrapped));
        oracle.ask(&["decrypt", "wrapped", &own, "-", &message]);
        oracle.ask(&["encrypt", "wrapped", &hex_of(&key), &text(&plain)]);
        expected.push(Err((0, keys.clone(), plain.clone())));
        expected.push(Ok(plain.clone()));
        expected.push(Err((0, keys, plain)));
    }
    let answers = oracle.answers().into_iter().zip(expected);
    for ((answer, expected), question) in answers.zip(&oracle.questions) {
        let answer = answer.unwrap_or_else(|why| panic!("{why}: {question}"));
        match expected {
            Ok(plain) => assert_eq!(answer, [plain], "{question}"),
            Err((world, keys, plain)) => {
                let opened = decrypt(&mut worlds[world].store, &keys, &answer[0]);
                assert_eq!(opened.as_deref(), Ok(&plain), "{question}");
            }
        }
    }
}

#[test]
fn pycrate_reads_certificates_with_every_field() {
    let Some(mut oracle) = Oracle::find() else {
        return;
    };
    let mut random = Random::of_test("pycrate_reads_certificates_with_every_field");
    let mut root = Root::new(&mut random);
    let anchor = hex_of(root.authority.credential().certificate().bytes());
    for _ in 0..seeds(20).min(500) {
        let contents = random_contents(&mut root, &mut random);
        for issued in root.issue(&contents) {
            let chain = format!("{anchor},{}", hex_of(&issued.unwrap()));
            oracle.ask(&["certificate", &chain]);
        }
    }
    for (answer, question) in oracle.answers().iter().zip(&oracle.questions) {
        assert!(answer.is_ok(), "{answer:?}: {question}");
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
