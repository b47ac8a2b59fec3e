//! A message that carries another signed message: an outsider without a key must not be able to put
//! a copy with a broken inner message in the place of the original.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Spec, now, sign_data, written};
use waywarden_v2x_security::{ReceptionContext, Verifier};
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CurvePoint, EciesP256EncryptedKey, EncryptedData, EncryptedDataEncryptionKey,
    HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, One28BitCcmCiphertext, PayloadParts,
    PkRecipientInfo, RecipientInfo, SignerIdentifier, SymmetricCiphertext, Version3,
};

fn at() -> ReceptionContext<'static> {
    ReceptionContext::at(now())
}

/// The signed message in another one.
fn inner(message: &[u8]) -> Ieee1609Dot2Data<'_> {
    let data: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        panic!("not signed");
    };
    signed.tbs_data.payload.data.unwrap().view().unwrap()
}

#[test]
fn a_copy_with_a_broken_inner_message_does_not_displace_the_original() {
    let root = Holder::issue(&Spec::authority(1), None);
    let [forwarder, author] = [3, 4].map(|seed| Holder::issue(&Spec::station(seed), Some(&root)));
    let signed = MessageContents::new().sign(&author);
    let carried: Ieee1609Dot2Data<'_> = parse(&signed).unwrap();
    let payload = PayloadParts {
        data: Some(NestedEncoding::Value(&carried)),
        external_hash: None,
        omitted: None,
        unknown: Default::default(),
    };
    let certificate: Certificate<'_> = parse(&forwarder.certificate).unwrap();
    let list = [certificate];
    let named = SignerIdentifier::Certificate(SequenceOf::new(&list).unwrap());
    let honest = sign_data(payload, MessageContents::new().header(), named, &forwarder);
    // One bit, without a key: which of two points the inner signature's R is.
    let start = honest
        .windows(signed.len())
        .position(|bytes| bytes == signed)
        .unwrap();
    let mut copy = honest.clone();
    copy[start + signed.len() - 65] ^= 1;
    let verifier = || {
        let mut verifier = Verifier::default();
        verifier.add_trust_anchor(&root.certificate).unwrap();
        verifier
    };
    // The inner message of the original is valid, that of the copy is not.
    let is_valid = |message: &[u8]| {
        let inner = inner(message);
        let bytes = written(&inner);
        verifier().verify(&bytes, &at()).is_ok()
    };
    assert!(is_valid(&honest) && !is_valid(&copy));
    let mut receiver = verifier();
    let first = receiver.verify(&copy, &at()).map(drop);
    let second = receiver.verify(&honest, &at()).map(drop);
    assert_eq!(second, Ok(()), "the copy before it: {first:?}");
}

/// Encrypted data for one recipient, with this ephemeral key.
fn encrypted<R>(v: CurvePoint<'_, 32>, then: impl FnOnce(&Ieee1609Dot2Data<'_>) -> R) -> R {
    let key = EciesP256EncryptedKey {
        v,
        c: &[1; 16],
        t: &[2; 16],
    };
    let recipients = [RecipientInfo::Certificate(PkRecipientInfo {
        recipient_id: HashedId8([3; 8]),
        enc_key: EncryptedDataEncryptionKey::EciesNistP256(key),
    })];
    then(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Encrypted(EncryptedData {
            recipients: SequenceOf::new(&recipients).unwrap(),
            ciphertext: SymmetricCiphertext::Aes128Ccm(One28BitCcmCiphertext {
                nonce: &[4; 12],
                ciphertext: &[5; 40],
            }),
        }),
    })
}

#[test]
fn a_copy_with_a_broken_ephemeral_key_does_not_displace_the_original() {
    let root = Holder::issue(&Spec::authority(1), None);
    let author = Holder::issue(&Spec::station(3), Some(&root));
    let certificate: Certificate<'_> = parse(&author.certificate).unwrap();
    let list = [certificate];
    let sign = |data: &Ieee1609Dot2Data<'_>| {
        let payload = PayloadParts {
            data: Some(NestedEncoding::Value(data)),
            external_hash: None,
            omitted: None,
            unknown: Default::default(),
        };
        let named = SignerIdentifier::Certificate(SequenceOf::new(&list).unwrap());
        sign_data(payload, MessageContents::new().header(), named, &author)
    };
    let x = &[7; 32];
    let honest = encrypted(CurvePoint::CompressedY0(x), sign);
    // The same signature, and a y-coordinate that is made up.
    let plain = encrypted(CurvePoint::CompressedY0(x), |data| written(data));
    let made_up = CurvePoint::Uncompressed { x, y: &[8; 32] };
    let forged = encrypted(made_up, |data| written(data));
    let start = honest
        .windows(plain.len())
        .position(|bytes| bytes == plain)
        .unwrap();
    let rest = &honest[start + plain.len()..];
    let copy = [&honest[..start], &forged, rest].concat();
    let mut receiver = Verifier::default();
    receiver.add_trust_anchor(&root.certificate).unwrap();
    let first = receiver.verify(&copy, &at()).map(drop);
    let second = receiver.verify(&honest, &at()).map(drop);
    assert_eq!(second, Ok(()), "the copy before it: {first:?}");
}
