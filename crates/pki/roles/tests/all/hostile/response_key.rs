//! A message to a response key: what stands in for its recipient or its key does not open.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyError, KeyHandle, KeyStore, Uses};
use waywarden_v2x_signing::{
    DecryptError, DecryptionKeys, Recipient, RecipientId, Seed, decrypt, encrypt, wire_key,
};
use waywarden_v2x_wire::ieee1609dot2::{
    CurvePoint, EciesP256EncryptedKey, EncryptedData, EncryptedDataEncryptionKey, HashedId8,
    Ieee1609Dot2Content, Ieee1609Dot2Data, PkRecipientInfo, RecipientInfo, Version3,
};

use super::{encrypted, message_of};
use crate::support::{Store, written};

/// A message to a response key on P-256, and what opens it.
struct ToResponseKey {
    random: Random,
    store: Store,
    key: KeyHandle,
    /// The key as messages have it.
    recipient: Recipient,
    keys: DecryptionKeys,
    message: Vec<u8>,
}

impl ToResponseKey {
    fn new(test: &str) -> Self {
        let mut random = Random::of_test(test);
        let mut store = Store::new();
        let seed = random.array();
        let key = store.generate(Curve::P256, Uses::AGREE, &seed).unwrap();
        let public = store.public_key(key).unwrap();
        let recipient = Recipient::response_key(&wire_key(&public).unwrap()).unwrap();
        assert!(matches!(recipient.id(), RecipientId::ResponseKey(_)));
        let keys = DecryptionKeys::new().with_private_key(recipient.clone(), key);
        let (to, seed) = (recipient.clone(), Seed::new(random.array()));
        let message = encrypt(&mut store, &[to], b"text", &seed).unwrap();
        Self {
            random,
            store,
            key,
            recipient,
            keys,
            message,
        }
    }

    fn generate(&mut self, curve: Curve) -> KeyHandle {
        let seed = self.random.array();
        self.store.generate(curve, Uses::AGREE, &seed).unwrap()
    }

    fn decrypt(&mut self, message: &[u8]) -> Result<Vec<u8>, DecryptError> {
        decrypt(&mut self.store, &self.keys, message).map(|text| text.to_vec())
    }
}

/// Returns the recipient information of a message to one response key, and the encrypted key in it.
fn response_key<'m>(data: &EncryptedData<'m>) -> (PkRecipientInfo<'m>, EciesP256EncryptedKey<'m>) {
    let Ok(RecipientInfo::ResponseKey(info)) = data.recipients.iter().next().unwrap() else {
        panic!("no response key");
    };
    let EncryptedDataEncryptionKey::EciesNistP256(key) = info.enc_key else {
        panic!("another curve");
    };
    (info, key)
}

#[test]
fn a_recipient_of_another_kind_or_without_a_point_does_not_open() {
    let test = "a_recipient_of_another_kind_or_without_a_point_does_not_open";
    let mut own = ToResponseKey::new(test);
    let message = own.message.clone();
    let data = encrypted(&message);
    let (info, parts) = response_key(&data);
    let id = info.recipient_id;
    let with = |v| {
        RecipientInfo::ResponseKey(PkRecipientInfo {
            enc_key: EncryptedDataEncryptionKey::EciesNistP256(EciesP256EncryptedKey {
                v,
                ..parts
            }),
            ..info
        })
    };
    let no_point = CurvePoint::CompressedY0(&[0xFF; 32]);
    let x_only = CurvePoint::XOnly(parts.v.x().unwrap());
    let cases = [
        (
            RecipientInfo::Certificate(info),
            Err(DecryptError::NotForUs),
        ),
        (RecipientInfo::SignedData(info), Err(DecryptError::NotForUs)),
        (RecipientInfo::PreSharedKey(id), Err(DecryptError::NotForUs)),
        (
            RecipientInfo::PreSharedKey(HashedId8([0; 8])),
            Err(DecryptError::NotForUs),
        ),
        (with(no_point), Err(DecryptError::NoPoint)),
        (with(x_only), Err(DecryptError::NoPoint)),
        (RecipientInfo::ResponseKey(info), Ok(b"text".to_vec())),
    ];
    for (recipient, expected) in cases {
        let found = own.decrypt(&message_of(&[recipient], &data));
        assert_eq!(found, expected, "{recipient:?}");
    }
}

/// IEEE 1609.2 derives the key from the x-coordinate of the shared point, and names no encoding of
/// the ephemeral point as an input: an outsider can turn V into -V, and the message opens all the
/// same. The x-coordinate of V, the encrypted key and the tag do not bear a change.
#[test]
fn the_sign_of_the_ephemeral_point_changes_nothing() {
    let mut own = ToResponseKey::new("the_sign_of_the_ephemeral_point_changes_nothing");
    let message = own.message.clone();
    let text = own.decrypt(&message).unwrap();
    let data = encrypted(&message);
    let (info, parts) = response_key(&data);
    let negated = match parts.v {
        CurvePoint::CompressedY0(x) => CurvePoint::CompressedY1(x),
        CurvePoint::CompressedY1(x) => CurvePoint::CompressedY0(x),
        other => panic!("{other:?}"),
    };
    let counterpart = EciesP256EncryptedKey {
        v: negated,
        ..parts
    };
    let recipient = RecipientInfo::ResponseKey(PkRecipientInfo {
        enc_key: EncryptedDataEncryptionKey::EciesNistP256(counterpart),
        ..info
    });
    let changed = message_of(&[recipient], &data);
    let differing = changed
        .iter()
        .zip(&message)
        .filter(|(one, other)| one != other);
    assert_eq!(differing.count(), 1, "one bit of the message");
    assert_eq!(own.decrypt(&changed), Ok(text));
}

/// A point of the other curve, under the name of a key of this one.
#[test]
fn a_point_of_another_curve_does_not_open() {
    let mut own = ToResponseKey::new("a_point_of_another_curve_does_not_open");
    let message = own.message.clone();
    let data = encrypted(&message);
    let (info, parts) = response_key(&data);
    let other = own.generate(Curve::BrainpoolP256r1);
    let other = own.store.public_key(other).unwrap();
    let of_other = EciesP256EncryptedKey {
        v: waywarden_v2x_keys::compressed(&other),
        ..parts
    };
    let recipient = RecipientInfo::ResponseKey(PkRecipientInfo {
        enc_key: EncryptedDataEncryptionKey::EciesBrainpoolP256r1(of_other),
        ..info
    });
    let refused = own.decrypt(&message_of(&[recipient], &data));
    assert_eq!(refused, Err(DecryptError::Key(KeyError::OtherCurve)));
}

/// The same key in another place, and another key under the same name.
#[test]
fn a_key_elsewhere_or_another_one_under_its_name_does_not_open() {
    let test = "a_key_elsewhere_or_another_one_under_its_name_does_not_open";
    let mut own = ToResponseKey::new(test);
    let message = own.message.clone();
    let data = encrypted(&message);
    let (info, _) = response_key(&data);
    let public = own.store.public_key(own.key).unwrap();
    let elsewhere = Recipient::signed_data(b"message", &wire_key(&public).unwrap()).unwrap();
    let RecipientId::SignedData(name) = elsewhere.id() else {
        panic!("{:?}", elsewhere.id());
    };
    let moved = RecipientInfo::SignedData(PkRecipientInfo {
        recipient_id: name,
        ..info
    });
    own.keys = DecryptionKeys::new().with_private_key(elsewhere, own.key);
    let refused = own.decrypt(&message_of(&[moved], &data));
    assert_eq!(refused, Err(DecryptError::Tag));
    let other = own.generate(Curve::P256);
    own.keys = DecryptionKeys::new().with_private_key(own.recipient.clone(), other);
    assert_eq!(own.decrypt(&message), Err(DecryptError::Tag));
}

#[test]
fn messages_without_recipients_or_encryption_do_not_open() {
    let mut own = ToResponseKey::new("messages_without_recipients_or_encryption_do_not_open");
    let to_none = message_of(&[], &encrypted(&own.message));
    assert_eq!(own.decrypt(&to_none), Err(DecryptError::NotForUs));
    let plain = Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(b"text"),
    };
    let refused = own.decrypt(&written(&plain));
    assert_eq!(refused, Err(DecryptError::NotEncrypted));
}
