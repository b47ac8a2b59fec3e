//! No two messages share a nonce, whatever randomness repeats and whatever state comes back: two
//! signatures with one nonce on two digests would give the private key away.

use std::collections::BTreeMap;

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{
    KeyHandle, KeyStore, Nonce, NonceForm, PrecomputedNonces, SoftwareStore, Uses, ecqv,
};
use waywarden_v2x_pki::{Contents, Seeds};
use waywarden_v2x_security::hash::{HashFunction, hash_canonical};
use waywarden_v2x_signing::{
    Credential, MessageSigner, PayloadToSign, Recipient, Seed, SignError, SignerForm,
    SigningOptions, Statement, UnsignedMessage, encrypt, encrypt_under, sign, wire_key,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Duration, EncryptedDataEncryptionKey, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid,
    RecipientInfo, Signature, SymmetricCiphertext, Time64, VerificationKeyIndicator,
};

use crate::support::{NOW, START, Store, World, deterministic, header_at_now};

/// The r of a signed message, and the hash of what is signed.
fn parts(message: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(data) = message.content else {
        panic!("not signed");
    };
    let r = match &data.signature {
        Signature::EcdsaNistP256(own) | Signature::EcdsaBrainpoolP256r1(own) => {
            own.r.x().unwrap().to_vec()
        }
        Signature::EcdsaNistP384(own) | Signature::EcdsaBrainpoolP384r1(own) => {
            own.r.x().unwrap().to_vec()
        }
        Signature::Sm2(_) => panic!("SM2"),
    };
    let digest = hash_canonical(HashFunction::Sha384, &*data.tbs_data).unwrap();
    (r, digest.as_bytes().to_vec())
}

/// The digest that each nonce was used for.
#[derive(Default)]
struct Used(BTreeMap<Vec<u8>, Vec<u8>>);

impl Used {
    fn check(&mut self, message: &[u8]) {
        let (r, digest) = parts(message);
        let before = self.0.insert(r, digest.clone());
        assert!(
            before.is_none_or(|before| before == digest),
            "one nonce, two digests"
        );
    }
}

/// Signs a payload.
fn signed<S: KeyStore>(
    store: &mut S,
    own: &Credential,
    payload: &[u8],
    form: NonceForm,
    nonce: Nonce<'_>,
) -> Result<Vec<u8>, SignError> {
    let message = UnsignedMessage {
        payload: PayloadToSign::Data(payload),
        header: header_at_now(Psid(36)),
    };
    let options = SigningOptions {
        form,
        nonce,
        ..deterministic(SignerForm::Digest)
    };
    sign(store, own, &message, &options)
}

#[test]
fn repeated_randomness_and_restored_state_share_no_nonce() {
    let mut random = Random::of_test("repeated_randomness_and_restored_state_share_no_nonce");
    for curve in Curve::ALL {
        let mut world = World::new(curve, &mut random, &[Psid(36)]);
        let contents = Contents::new(START, Duration::Hours(24)).permitting(Psid(36), &[1]);
        let own = world.credential(&contents, false);
        let mut used = Used::default();
        let entropy = [7; 32];
        for case in 0..8 {
            // Every second message is one that was signed before.
            let payload = [case / 2; 20];
            for form in [NonceForm::XOnly, NonceForm::Point] {
                for nonce in [Nonce::Deterministic, Nonce::Hedged { entropy: &entropy }] {
                    let signed = signed(&mut world.store, &own, &payload, form, nonce);
                    used.check(&signed.unwrap());
                }
            }
        }
        // Four payloads, each with a nonce of either kind.
        assert_eq!(used.0.len(), 8);
        // A station that was restored sends again with the seeds that it had.
        let before = used.0.len();
        for _ in 0..2 {
            let mut sender = MessageSigner::new(own.clone());
            for step in 0..3 {
                for payload in [&random.bytes(9), &vec![0; 9]] {
                    let statement = Statement {
                        psid: Psid(36),
                        payload,
                        location: None,
                    };
                    let now = Time64(NOW.0 + step);
                    let seed = Seed::new([step as u8; 32]);
                    let sent = sender.send(&mut world.store, &statement, now, &seed);
                    used.check(&sent.unwrap());
                }
            }
        }
        // Nine different messages: what is signed twice is the same, signer form and all.
        assert_eq!(used.0.len() - before, 9);
    }
}

/// The nonce of an encrypted message, and the encrypted key of each recipient.
fn encrypted_parts(message: &[u8]) -> Vec<Vec<u8>> {
    let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Encrypted(data) = message.content else {
        panic!("not encrypted");
    };
    let SymmetricCiphertext::Aes128Ccm(ciphertext) = data.ciphertext else {
        panic!("SM4");
    };
    let mut parts = vec![ciphertext.nonce.to_vec()];
    for recipient in data.recipients.iter().map(Result::unwrap) {
        let RecipientInfo::ResponseKey(info) = recipient else {
            continue;
        };
        let EncryptedDataEncryptionKey::EciesNistP256(key) = info.enc_key else {
            panic!("another curve");
        };
        parts.push(key.v.x().unwrap().to_vec());
        parts.push(key.c.to_vec());
    }
    parts
}

#[test]
fn a_seed_that_comes_back_encrypts_no_second_text_under_the_same_nonce() {
    let mut random = Random::of_test("a_seed_that_comes_back_encrypts_no_second_text");
    let mut store = Store::new();
    let key = store
        .generate(Curve::P256, Uses::AGREE, &random.array())
        .unwrap();
    let public = store.public_key(key).unwrap();
    let recipient = Recipient::response_key(&wire_key(&public).unwrap()).unwrap();
    let to = std::slice::from_ref(&recipient);
    let symmetric = random.array();
    let seed = Seed::new(random.array());
    let [one, two] = [b"one text", b"another!"].map(|text| {
        let mut parts = encrypted_parts(&encrypt(&mut store, to, text, &seed).unwrap());
        let under = encrypt_under(&symmetric, text, &seed).unwrap();
        parts.extend(encrypted_parts(&under));
        parts
    });
    assert_eq!((one.len(), two.len()), (4, 4));
    for (one, two) in one.iter().zip(&two) {
        assert_ne!(one, two);
    }
}

#[test]
fn a_seed_that_comes_back_issues_no_second_certificate_with_one_ephemeral_key() {
    let mut random = Random::of_test("a_seed_that_comes_back_issues_no_second_certificate");
    let mut world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let request = ecqv::request(&mut world.store, Curve::P256, &random.array()).unwrap();
    let seed = random.array();
    let World {
        store, authority, ..
    } = &mut world;
    let [one, again, two] = [1, 1, 2].map(|hours| {
        let contents = Contents::new(START, Duration::Hours(hours)).permitting(Psid(36), &[1]);
        let issued =
            authority.issue_implicit(store, &contents, &request.public, &mut Seeds::new(seed));
        let issued = issued.unwrap();
        let view: Certificate<'_> = parse(&issued.certificate).unwrap();
        // For one request, one ephemeral key gives one reconstruction value.
        let VerificationKeyIndicator::ReconstructionValue(value) =
            view.to_be_signed.verify_key_indicator
        else {
            panic!("not implicit");
        };
        (value.x().unwrap().to_vec(), issued.r)
    });
    assert_eq!(one, again);
    assert_ne!(one.0, two.0);
}

/// A station whose nonces are computed beforehand, as it starts.
fn start(
    own: &Credential,
    world: &World,
    seed: &[u8; 32],
    reserved: &mut u64,
) -> (SoftwareStore<4, 4>, Credential) {
    let mut nonces = PrecomputedNonces::new(own.curve(), seed);
    // What lasts is written before the numbers are used.
    nonces.reserve(*reserved..*reserved + 4).unwrap();
    *reserved += 4;
    while nonces.ready() < 4 {
        nonces.precompute().unwrap();
    }
    let private = world.store.export(own.key()).unwrap();
    let mut store = SoftwareStore::new().with_nonces(nonces);
    let key: KeyHandle = store.import(&private, Uses::SIGN).unwrap();
    let credential = Credential::new(&store, key, own.certificate().clone()).unwrap();
    (store, credential)
}

#[test]
fn precomputed_nonces_are_used_once_over_restarts() {
    let mut random = Random::of_test("precomputed_nonces_are_used_once_over_restarts");
    let mut world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let contents = Contents::new(START, Duration::Hours(24)).permitting(Psid(36), &[1]);
    let own = world.credential(&contents, false);
    let mut used = Used::default();
    let mut signatures = 0;
    let mut reserved = 0;
    for boot in 0..6 {
        // Either is enough: numbers that last, or a fresh seed.
        let seed = match boot {
            0..3 => [9; 32],
            _ => {
                reserved = 0;
                random.array()
            }
        };
        let (mut store, station) = start(&own, &world, &seed, &mut reserved);
        loop {
            let payload = random.bytes(12);
            let (form, nonce) = (NonceForm::Point, Nonce::Precomputed);
            match signed(&mut store, &station, &payload, form, nonce) {
                Ok(signed) => used.check(&signed),
                Err(_) => break,
            }
            signatures += 1;
        }
    }
    assert_eq!((signatures, used.0.len()), (24, 24));
}
