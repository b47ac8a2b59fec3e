//! A known answer, what each half refuses, and that neither alone decides the secret.

use std::vec::Vec;

use waywarden_testkit::bytes_of;

use super::*;
use crate::tests::{blocks, entropy, heard, hex};
use crate::{NoMeter, RecordedOperations};

fn agreement() -> (X25519MlKem768Pending, [u8; 1216], [u8; 1120], Secret) {
    let meter = &mut RecordedOperations::new();
    let (pending, offer) = X25519MlKem768::offer(meter, &Secret::from_bytes([1; 32]));
    let random = Secret::from_bytes([2; 32]);
    let (answer, secret) = X25519MlKem768::answer(&mut NoMeter, &offer, &random).unwrap();
    (pending, offer, answer, secret)
}

const VECTORS: &str = include_str!("../../../../../vectors/lasan.txt");

/// Computed by pyca/cryptography (OpenSSL's ML-KEM-768 and X25519) from the same randomness; only
/// the answer's ciphertext was taken as it is, and decapsulated there.
#[test]
fn every_value_of_the_vector_is_met() {
    let mut found = blocks(VECTORS).filter(|fields| fields["kind"] == "hybrid");
    let fields = found.next().unwrap();
    let field = |name: &str| bytes_of(fields[name]);
    let array = |name: &str| -> [u8; 32] { field(name).try_into().unwrap() };
    let random = |name| Secret::from_bytes(array(name));
    let meter = &mut RecordedOperations::new();
    let [initiator, responder] =
        ["initiator-random", "responder-random"].map(|name| split(&random(name)));
    let seed = symmetric::stretch::<64>(&initiator.0, b"waywarden ML-KEM key");
    assert_eq!(seed[..], field("initiator-ml-kem-seed"));
    assert_eq!(initiator.1.to_bytes(), array("initiator-scalar"));
    assert!(responder.0 == random("responder-m"));
    assert_eq!(responder.1.to_bytes(), array("responder-scalar"));

    let (pending, offer) = X25519MlKem768::offer(meter, &random("initiator-random"));
    assert_eq!(offer[..], field("offer"));
    let answered = X25519MlKem768::answer(meter, &offer, &random("responder-random"));
    let (answer, secret) = answered.unwrap();
    assert_eq!(answer[..], field("answer"));
    let (ciphertext, share) = part(&answer, ANSWER_SPLIT).unwrap();
    let encapsulated = MlKem768::finish(meter, &pending.encapsulation, ciphertext).unwrap();
    assert!(encapsulated == random("k"));
    let agreed = extract(meter, &pending.scalar, share).unwrap();
    assert_eq!(*agreed.as_bytes(), array("z"));
    let transcript = symmetric::sha256(meter, &[&pending.offer, &answer]);
    assert_eq!(transcript, array("transcript"));
    assert!(secret == random("secret"));
    let finished = X25519MlKem768::finish(meter, &pending, &answer).unwrap();
    assert!(finished == secret);
    assert!(found.next().is_none());
}

#[test]
fn points_of_small_order_are_refused_on_either_side() {
    let (pending, offer, answer, _) = agreement();
    let random = Secret::from_bytes([3; 32]);
    // 0, 1, a point of order 8, and p - 1: RFC 7748 and the lists after it.
    for point in [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ] {
        let point: [u8; 32] = hex(point);
        let meter = &mut RecordedOperations::new();
        let bad = [&offer[..1184], &point].concat();
        let refused = X25519MlKem768::answer(meter, &bad, &random).err();
        assert_eq!(refused, Some(AgreementError::Weak));
        let bad = [&answer[..1088], &point].concat();
        let refused = X25519MlKem768::finish(meter, &pending, &bad).err();
        assert_eq!(refused, Some(AgreementError::Weak));
        let extract = Operation::new(OperationKind::Extract, Algorithm::X25519, 0);
        assert_eq!(
            heard(meter),
            [extract; 2],
            "a refusal costs no more than it must"
        );
    }
}

#[test]
fn a_key_that_is_not_reduced_is_refused() {
    let (_, mut offer, _, _) = agreement();
    offer[..3].fill(0xff);
    let random = Secret::from_bytes([3; 32]);
    let refused = X25519MlKem768::answer(&mut NoMeter, &offer, &random).err();
    assert_eq!(refused, Some(AgreementError::NotCanonical));
}

#[test]
fn either_half_and_every_part_of_the_transcript_changes_the_secret() {
    let (pending, offer, answer, secret) = agreement();
    let meter = &mut RecordedOperations::new();
    // Another encoding of the same point: X25519 ignores the top bit, the transcript does not.
    let mut same_point = answer;
    same_point[1119] ^= 0x80;
    let finished = X25519MlKem768::finish(meter, &pending, &same_point).unwrap();
    assert!(finished != secret);

    let [k, other] = [[4; 32], [5; 32]].map(Secret::from_bytes);
    let scalar = StaticSecret::from([6; 32]);
    let agree = |point| extract(&mut NoMeter, &scalar, point).unwrap();
    let (z, another) = (agree([9; 32]), agree([10; 32]));
    let hash = [7; 32];
    let secrets: Vec<Secret> = [
        (&k, &z, &hash, &offer[..10]),
        (&other, &z, &hash, &offer[..10]),
        (&k, &another, &hash, &offer[..10]),
        (&k, &z, &[8; 32], &offer[..10]),
        (&k, &z, &hash, &offer[..11]),
    ]
    .into_iter()
    .map(|(k, z, offer, answer)| combine(&mut NoMeter, k, z, offer, answer))
    .collect();
    for (i, secret) in secrets.iter().enumerate() {
        assert!(secrets[..i].iter().all(|other| other != secret));
    }
}

#[test]
fn what_is_done_is_metered() {
    use OperationKind::{
        Decapsulate, Encapsulate, Extract, Hash, KemKeyGenerate, KeyDerive, Share,
    };
    let mut entropy = entropy("metered");
    let meter = &mut RecordedOperations::new();
    let kinds = |meter: &mut RecordedOperations| -> Vec<(OperationKind, Algorithm, u32)> {
        let done = heard(meter).into_iter();
        done.map(|done| (done.kind, done.algorithm, done.bytes))
            .collect()
    };
    let (kem, curve) = (Algorithm::MlKem768, Algorithm::X25519);
    let hash = |bytes| (Hash, Algorithm::Sha256, bytes);
    let derive = (KeyDerive, Algorithm::HkdfSha256, 64);
    let (pending, offer) = X25519MlKem768::offer(meter, &entropy.draw());
    let expected = [(KemKeyGenerate, kem, 0), (Share, curve, 0), hash(1216)];
    assert_eq!(kinds(meter), expected);
    let (answer, _) = X25519MlKem768::answer(meter, &offer, &entropy.draw()).unwrap();
    let begin = [
        (Extract, curve, 0),
        (Encapsulate, kem, 0),
        (Share, curve, 0),
    ];
    let end = [hash(1216), hash(1152), derive];
    assert_eq!(kinds(meter), [begin, end].concat());
    X25519MlKem768::finish(meter, &pending, &answer).unwrap();
    let expected = [
        (Extract, curve, 0),
        (Decapsulate, kem, 0),
        hash(1152),
        derive,
    ];
    assert_eq!(kinds(meter), expected);
}
