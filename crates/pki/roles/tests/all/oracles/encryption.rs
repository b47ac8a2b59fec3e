//! Encryption here against encryption by python cryptography.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, hex_of};
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_signing::{
    DecryptionKeys, PayloadToSign, Recipient, Seed, SignerForm, UnsignedMessage, decrypt, encrypt,
    encrypt_to_symmetric_key, encrypt_under, encryption_key, sign, wire_key,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{EncryptionKey, HeaderInfo};

use super::{Oracle, PSID, contents, private, text};
use crate::support::{World, deterministic, has_implicit, header_at_now};

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
            encryption_key: Some(EncryptionKey::Public(wire_key(&public).unwrap())),
            ..header_at_now(PSID)
        };
        let payload = random.bytes_up_to(50);
        let message = UnsignedMessage {
            payload: PayloadToSign::Data(&payload),
            header,
        };
        let options = deterministic(SignerForm::Digest);
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
