//! Encrypted messages that were changed, swapped, or made for others; recipients of wrong kinds.

mod response_key;

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, cases, hex_of};
use waywarden_v2x_keys::{KeyError, KeyHandle, KeyStore, SoftwareStore, Uses};
use waywarden_v2x_pki::Contents;
use waywarden_v2x_signing::{
    DecryptError, DecryptionKeys, EncryptError, RECIPIENTS_MAX, Recipient, Seed, decrypt, encrypt,
    encrypt_to_symmetric_key, encrypt_under, wire_key,
};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    BasePublicEncryptionKey, CurvePoint, Duration, EncryptedData, Ieee1609Dot2Content,
    Ieee1609Dot2Data, Psid, PublicEncryptionKey, RecipientInfo, SymmAlgorithm, Version3,
};

use crate::support::{START, Store, World, written};

/// Number of changed messages in the quick run.
const FEW: usize = 1_000;

/// A key and what names it.
fn recipient(store: &mut Store, curve: Curve, random: &mut Random) -> (Recipient, KeyHandle) {
    let key = store.generate(curve, Uses::AGREE, &random.array()).unwrap();
    let public = store.public_key(key).unwrap();
    let key_bytes = wire_key(&public).unwrap();
    let recipient = match random.once_in(2) {
        true => Recipient::response_key(&key_bytes),
        false => Recipient::signed_data(&random.bytes(100), &key_bytes),
    };
    (recipient.unwrap(), key)
}

fn curve(random: &mut Random) -> Curve {
    match random.once_in(2) {
        true => Curve::P256,
        false => Curve::BrainpoolP256r1,
    }
}

/// The parts of an encrypted message.
fn encrypted(message: &[u8]) -> EncryptedData<'_> {
    let message: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Encrypted(data) = message.content else {
        panic!("not encrypted");
    };
    data
}

/// A message of parts.
fn message_of(recipients: &[RecipientInfo<'_>], of: &EncryptedData<'_>) -> Vec<u8> {
    written(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Encrypted(EncryptedData {
            recipients: SequenceOf::new(recipients).unwrap(),
            ciphertext: of.ciphertext,
        }),
    })
}

/// Changes a message: bits, bytes more or fewer, or its end for another one's.
fn change(random: &mut Random, message: &mut Vec<u8>, other: &[u8]) {
    let at = random.index(message.len());
    match random.below(6) {
        0 => message.truncate(at),
        1 => drop(message.remove(at)),
        2 => message.insert(at, random.u64() as u8),
        3 => {
            message.truncate(at);
            message.extend(&other[at.min(other.len())..]);
        }
        4 => {
            let end = message.len().min(at + 16);
            random
                .bytes(end - at)
                .into_iter()
                .zip(&mut message[at..])
                .for_each(|(new, old)| {
                    *old = new;
                });
        }
        _ => message[at] ^= 1 << random.below(8),
    }
}

#[test]
fn changed_messages_open_to_what_was_encrypted_or_not_at_all() {
    let mut random = Random::of_test("changed_messages_open_to_what_was_encrypted_or_not_at_all");
    let mut store = Store::new();
    let mut opened = 0;
    let mut messages: Vec<(Vec<u8>, Vec<u8>, DecryptionKeys)> = Vec::new();
    for case in 0..8 {
        let text = random.bytes_up_to(60);
        let seed = Seed::new(random.array());
        if case < 2 {
            let key = random.array();
            let keys = DecryptionKeys::new().with_symmetric_key(&key).unwrap();
            let message = match case {
                0 => encrypt_under(&key, &text, &seed),
                _ => encrypt_to_symmetric_key(&key, &text, &seed),
            };
            messages.push((message.unwrap(), text, keys));
            continue;
        }
        let count = 1 + random.index(3);
        let all = (0..count).map(|_| {
            let curve = curve(&mut random);
            recipient(&mut store, curve, &mut random)
        });
        let all: Vec<_> = all.collect();
        let to: Vec<_> = all.iter().map(|(recipient, _)| recipient.clone()).collect();
        let message = encrypt(&mut store, &to, &text, &seed).unwrap();
        let (own, key) = all[random.index(count)].clone();
        let keys = DecryptionKeys::new().with_private_key(own, key);
        messages.push((message, text, keys));
    }
    for (at, (message, text, keys)) in messages.iter().enumerate() {
        assert_eq!(decrypt(&mut store, keys, message).as_deref(), Ok(text));
        for (_, _, others) in messages
            .iter()
            .enumerate()
            .filter(|(own, _)| *own != at)
            .map(|m| m.1)
        {
            let refused = decrypt(&mut store, others, message);
            assert_eq!(refused.as_deref(), Err(&DecryptError::NotForUs));
        }
        for length in 0..message.len() {
            let cut = decrypt(&mut store, keys, &message[..length]);
            assert!(matches!(cut, Err(DecryptError::Parse(_))), "{length}");
        }
    }
    for _ in 0..cases(FEW) {
        let (message, text, keys) = &messages[random.index(messages.len())];
        let other = &messages[random.index(messages.len())].0;
        let mut changed = message.clone();
        for _ in 0..=random.index(2) {
            if !changed.is_empty() {
                change(&mut random, &mut changed, other);
            }
        }
        // What is for other recipients may be changed, and is not looked at.
        if let Ok(open) = decrypt(&mut store, keys, &changed) {
            assert_eq!(
                &open[..],
                &text[..],
                "{} of {}",
                hex_of(&changed),
                hex_of(message)
            );
            opened += 1;
        }
    }
    println!("{opened} open all the same");
}

#[test]
fn swapped_keys_and_ciphertexts_do_not_open() {
    let mut random = Random::of_test("swapped_keys_and_ciphertexts_do_not_open");
    let mut store = Store::new();
    let (own, key) = recipient(&mut store, Curve::P256, &mut random);
    let keys = DecryptionKeys::new().with_private_key(own.clone(), key);
    let [one, two] = [b"one", b"two"].map(|text| {
        let seed = Seed::new(random.array());
        encrypt(&mut store, std::slice::from_ref(&own), text, &seed).unwrap()
    });
    let (one, two) = (encrypted(&one), encrypted(&two));
    let recipients = |data: &EncryptedData<'_>| -> Vec<_> {
        data.recipients
            .iter()
            .map(Result::unwrap)
            .map(owned)
            .collect()
    };
    fn owned(info: RecipientInfo<'_>) -> Vec<u8> {
        written(&info)
    }
    let [of_one, of_two] = [recipients(&one), recipients(&two)];
    for (recipients, ciphertext) in [(&of_one, &two), (&of_two, &one)] {
        let infos: Vec<_> = recipients.iter().map(|info| parse(info).unwrap()).collect();
        let swapped = message_of(&infos, ciphertext);
        let refused = decrypt(&mut store, &keys, &swapped);
        assert_eq!(refused.as_deref(), Err(&DecryptError::Tag));
    }
}

#[test]
fn messages_to_more_recipients_than_receivers_look_at_are_refused() {
    let mut random = Random::of_test("messages_to_more_recipients_than_receivers_look_at");
    let mut store = Store::new();
    let all: Vec<_> = (0..8)
        .map(|_| recipient(&mut store, Curve::P256, &mut random))
        .collect();
    // Those before the last are other keys.
    let mut to: Vec<Recipient> = (1..RECIPIENTS_MAX)
        .map(|at| all[at % 7].0.clone())
        .collect();
    to.push(all[7].0.clone());
    let seed = Seed::new(random.array());
    let message = encrypt(&mut store, &to, b"text", &seed).unwrap();
    let keys = DecryptionKeys::new().with_private_key(all[7].0.clone(), all[7].1);
    let found = decrypt(&mut store, &keys, &message);
    assert_eq!(found.as_deref().map(|text| &text[..]), Ok(&b"text"[..]));
    to.push(all[7].0.clone());
    let refused = encrypt(&mut store, &to, b"text", &seed);
    assert_eq!(refused, Err(EncryptError::TooManyRecipients));
    let parsed: Ieee1609Dot2Data<'_> = parse(&message).unwrap();
    let Ieee1609Dot2Content::Encrypted(data) = &parsed.content else {
        panic!("not encrypted");
    };
    let own: Vec<RecipientInfo<'_>> = data.recipients.iter().flatten().collect();
    for count in [RECIPIENTS_MAX + 1, 1_000] {
        let many: Vec<_> = own.iter().rev().cycle().take(count).copied().collect();
        let refused = decrypt(&mut store, &keys, &message_of(&many, data));
        assert_eq!(refused.as_deref(), Err(&DecryptError::TooManyRecipients));
    }
}

#[test]
fn what_has_no_usable_key_is_no_recipient() {
    let mut random = Random::of_test("what_has_no_usable_key_is_no_recipient");
    let mut world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let contents = Contents::new(START, Duration::Hours(24)).permitting(Psid(36), &[1]);
    for implicit in [false, true] {
        let own = world.credential(&contents, implicit);
        let view = own.certificate().view().unwrap();
        let refused = Recipient::certificate(&view).map(|one| one.id());
        assert_eq!(refused, Err(EncryptError::NoEncryptionKey));
    }
    let x = [0xFF; 32];
    let key = |algorithm, key| PublicEncryptionKey { algorithm, key };
    let p256 = BasePublicEncryptionKey::EciesNistP256;
    for point in [
        CurvePoint::CompressedY0(&x),
        CurvePoint::XOnly(&x),
        CurvePoint::Fill,
    ] {
        let refused = Recipient::response_key(&key(SymmAlgorithm::Aes128Ccm, p256(point)));
        assert_eq!(
            refused.map(|one| one.id()),
            Err(EncryptError::NoPoint),
            "{point:?}"
        );
    }
    let sm2 = BasePublicEncryptionKey::EcencSm2(CurvePoint::CompressedY0(&x));
    for (algorithm, base) in [
        (SymmAlgorithm::Sm4Ccm, p256(CurvePoint::CompressedY0(&x))),
        (SymmAlgorithm::Aes128Ccm, sm2),
    ] {
        let refused = Recipient::response_key(&key(algorithm, base)).map(|one| one.id());
        assert!(
            matches!(refused, Err(EncryptError::Unsupported(_))),
            "{refused:?}"
        );
    }
    let seed = Seed::new(random.array());
    let none = encrypt(&mut world.store, &[], b"text", &seed);
    assert_eq!(none, Err(EncryptError::NoRecipient));
    // A store without a free place makes no ephemeral key, and keeps none.
    let (own, _) = recipient(&mut world.store, Curve::P256, &mut random);
    let mut full = SoftwareStore::<1>::new();
    let only = full
        .generate(Curve::P256, Uses::SIGN, &random.array())
        .unwrap();
    let refused = encrypt(&mut full, std::slice::from_ref(&own), b"text", &seed);
    assert_eq!(refused, Err(EncryptError::Key(KeyError::Full)));
    full.retire(only).unwrap();
    for _ in 0..3 {
        assert!(encrypt(&mut full, std::slice::from_ref(&own), b"text", &seed).is_ok());
    }
}
