//! Diffie-Hellman of every suite: agreement, refusal, metering.

use waywarden_work::OperationKind::{Extract, Share as ShareWork};

use super::{cases, entropy, heard, hex, operation, over_each};
use crate::NoMeter;
use crate::{AgreementError, CurveSuite, DiffieHellman, FourQ, RecordedOperations, Secret, Share};

over_each!(
    [fourq: FourQ, p256: P256],
    [
        offers_and_answers_agree,
        three_parties_agree_in_any_order,
        other_randomness_gives_other_secrets,
        published_scalars_agree,
        zero_is_replaced,
        garbage_never_agrees_with_anyone,
        what_is_done_is_metered,
    ],
);

/// The share and the secret with `peer` of one scalar.
fn extract<S: CurveSuite>(scalar: &S::Scalar, peer: &Share) -> Result<Secret, AgreementError> {
    S::extract(&mut NoMeter, scalar, peer)
}

fn share<S: CurveSuite>(scalar: &S::Scalar) -> Share {
    S::share(&mut NoMeter, scalar)
}

fn offers_and_answers_agree<S: CurveSuite>() {
    let mut entropy = entropy(S::NAME);
    let mut meter = RecordedOperations::new();
    for _ in 0..cases() {
        let (pending, offer) = S::offer(&mut meter, &entropy.draw());
        let (answer, theirs) = S::answer(&mut meter, offer.as_ref(), &entropy.draw()).unwrap();
        let ours = S::finish(&mut meter, &pending, answer.as_ref()).unwrap();
        assert!(ours == theirs);
        assert_ne!(offer, answer);
        assert_eq!(offer.len(), S::OFFER_LENGTH);
        assert_eq!(answer.len(), S::ANSWER_LENGTH);
        // The offer stands: another peer answers it and agrees on something else.
        let (answer, theirs) = S::answer(&mut meter, offer.as_ref(), &entropy.draw()).unwrap();
        let other = S::finish(&mut meter, &pending, answer.as_ref()).unwrap();
        assert!(other == theirs && other != ours);
        heard(&mut meter);
    }
}

fn three_parties_agree_in_any_order<S: CurveSuite>() {
    // The tree of a group: the secret of two makes the scalar that a third meets.
    let mut entropy = entropy(S::NAME);
    let [a, b, c] = [(); 3].map(|()| S::scalar(&entropy.draw()));
    let by_a = S::scalar(&extract::<S>(&a, &share::<S>(&b)).unwrap());
    let by_b = S::scalar(&extract::<S>(&b, &share::<S>(&a)).unwrap());
    assert_eq!(share::<S>(&by_a), share::<S>(&by_b));
    let root_of_c = extract::<S>(&c, &share::<S>(&by_a)).unwrap();
    assert!(root_of_c == extract::<S>(&by_b, &share::<S>(&c)).unwrap());
}

fn other_randomness_gives_other_secrets<S: CurveSuite>() {
    let mut entropy = entropy(S::NAME);
    let secrets: std::vec::Vec<Secret> = (0..20)
        .map(|_| {
            let (scalar, peer) = (S::scalar(&entropy.draw()), S::scalar(&entropy.draw()));
            extract::<S>(&scalar, &share::<S>(&peer)).unwrap()
        })
        .collect();
    for (i, secret) in secrets.iter().enumerate() {
        assert!(secrets[..i].iter().all(|other| other != secret));
    }
}

fn published_scalars_agree<S: CurveSuite>() {
    let mut entropy = entropy(S::NAME);
    for _ in 0..20 {
        let mut short = [0; 16];
        short.copy_from_slice(&entropy.draw().as_bytes()[..16]);
        let (a, b) = (S::scalar_as_published(&short), S::scalar(&entropy.draw()));
        let secret = extract::<S>(&a, &share::<S>(&b)).unwrap();
        assert!(secret == extract::<S>(&b, &share::<S>(&a)).unwrap());
        short[0] ^= 1;
        assert_ne!(share::<S>(&S::scalar_as_published(&short)), share::<S>(&a));
    }
}

fn zero_is_replaced<S: CurveSuite>() {
    let other = S::scalar(&entropy(S::NAME).draw());
    for scalar in [
        S::scalar(&Secret::from_bytes([0; 32])),
        S::scalar_as_published(&[0; 16]),
    ] {
        let secret = extract::<S>(&scalar, &share::<S>(&other)).unwrap();
        assert!(secret == extract::<S>(&other, &share::<S>(&scalar)).unwrap());
    }
}

fn garbage_never_agrees_with_anyone<S: CurveSuite>() {
    let mut entropy = entropy(S::NAME);
    let mut meter = RecordedOperations::new();
    let scalar = S::scalar(&entropy.draw());
    let refused = extract::<S>(&scalar, &[0; 32]).err();
    assert_eq!(refused, Some(AgreementError::Weak));
    let refused = extract::<S>(&scalar, &[0xff; 32]).err();
    assert_eq!(refused, Some(AgreementError::NotCanonical));

    let mut outcomes = [0; 2];
    // Half of all are on the curve: of so many there are some of either kind but once in 2^63.
    for _ in 0..cases().max(64) {
        let mut share = *entropy.draw().as_bytes();
        // Reserved on FourQ. On P-256 one x in 2^32 is p or more.
        share[15] &= 0x7f;
        match extract::<S>(&scalar, &share) {
            Ok(_) => outcomes[0] += 1,
            Err(error) => {
                assert_eq!(error, AgreementError::NotOnCurve);
                outcomes[1] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 0), "{outcomes:?}");

    for length in [0, 1, 31, 33, 64] {
        let bytes = &[7; 64][..length];
        let answered = S::answer(&mut meter, bytes, &entropy.draw());
        assert_eq!(answered.err(), Some(AgreementError::Length));
        let (pending, _) = S::offer(&mut NoMeter, &entropy.draw());
        let finished = S::finish(&mut meter, &pending, bytes);
        assert_eq!(finished.err(), Some(AgreementError::Length));
    }
    // A length is read off; it costs nothing.
    assert_eq!(heard(&mut meter), []);
}

fn what_is_done_is_metered<S: CurveSuite>() {
    let mut entropy = entropy(S::NAME);
    let mut meter = RecordedOperations::new();
    let (share, extract) = (operation::<S>(ShareWork, 0), operation::<S>(Extract, 0));
    let (pending, offer) = S::offer(&mut meter, &entropy.draw());
    assert_eq!(heard(&mut meter), [share]);
    let (answer, _) = S::answer(&mut meter, offer.as_ref(), &entropy.draw()).unwrap();
    assert_eq!(heard(&mut meter), [extract, share]);
    S::finish(&mut meter, &pending, answer.as_ref()).unwrap();
    assert_eq!(heard(&mut meter), [extract]);
    // A refusal costs too, but an offer that is refused costs no share.
    assert!(S::answer(&mut meter, &[0; 32], &entropy.draw()).is_err());
    assert_eq!(heard(&mut meter), [extract]);
}

#[test]
fn fourq_meets_its_known_answer() {
    // The first block of vectors/fourq.txt.
    let a = FourQ::scalar(&Secret::from_bytes(hex(
        "01080f161d242b323940474e555c636a71787f868d949ba2a9b0b7bec5ccd3da",
    )));
    let b = FourQ::scalar(&Secret::from_bytes(hex(
        "c8c3beb9b4afaaa5a09b96918c87827d78736e69645f5a55504b46413c37322d",
    )));
    let share_a = hex("2b21c60f64c057c1ef4d2b2d7fc7e417d9873b0b8ffb9f14e57abef235649f07");
    let share_b = hex("5f8083eff31814d6239290fcb7830877451489b9c751e721cb82f6656893697f");
    let secret = hex("28f2eb0cbf8a9c381b3c4ea018b1da42c2f6fb5aeea2073ae2b127b1a7142c05");
    assert_eq!(share::<FourQ>(&a), share_a);
    assert_eq!(share::<FourQ>(&b), share_b);
    let agreed = extract::<FourQ>(&a, &share_b).unwrap();
    assert_eq!(*agreed.as_bytes(), secret);
    assert!(agreed == extract::<FourQ>(&b, &share_a).unwrap());
}

#[test]
fn fourq_refuses_small_orders_and_its_own_zero() {
    let scalar = FourQ::scalar(&entropy("small orders").draw());
    let neutral: Share = core::array::from_fn(|i| u8::from(i == 0));
    // y = -1 = 2^127 - 2: order 2. y = 0: order 4.
    let mut two = [0; 32];
    two[..16].copy_from_slice(&((1u128 << 127) - 2).to_le_bytes());
    for share in [neutral, two, [0; 32]] {
        let refused = extract::<FourQ>(&scalar, &share).err();
        assert_eq!(refused, Some(AgreementError::Weak), "{share:02x?}");
    }

    // N itself, little endian: the share is the neutral point, which everyone refuses.
    let order = hex("e78c76c70e54b22f99790ffe4d00bddfe514bc9c829753f0720a5e4ec1cb2900");
    let multiple = FourQ::scalar(&Secret::from_bytes(order));
    assert_eq!(share::<FourQ>(&multiple), neutral);
    let honest = share::<FourQ>(&scalar);
    let refused = extract::<FourQ>(&multiple, &honest).err();
    assert_eq!(refused, Some(AgreementError::Neutral));
}
