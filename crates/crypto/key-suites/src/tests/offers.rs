//! Agreements whose offers and answers differ in kind and length from those of the groups.

use super::{bits, cases, entropy, flipped, heard, over_each};
use crate::NoMeter;
use crate::{AgreementError, KeyAgreement, RecordedOperations, Secret};

over_each!(
    [
        p256_compressed: P256Compressed,
        ml_kem_512: MlKem512,
        ml_kem_768: MlKem768,
        x25519_ml_kem_768: X25519MlKem768,
    ],
    [
        both_sides_agree,
        an_offer_is_answered_many_times,
        all_comes_of_the_randomness,
        wrong_lengths_are_refused_for_nothing,
        a_changed_answer_never_agrees,
        a_changed_offer_never_agrees,
    ],
);

fn finish<A: KeyAgreement>(pending: &A::Pending, answer: &[u8]) -> Result<Secret, AgreementError> {
    A::finish(&mut NoMeter, pending, answer)
}

fn both_sides_agree<A: KeyAgreement>() {
    let mut entropy = entropy("both sides");
    for _ in 0..cases() {
        let meter = &mut RecordedOperations::new();
        let (pending, offer) = A::offer(meter, &entropy.draw());
        let (answer, theirs) = A::answer(meter, offer.as_ref(), &entropy.draw()).unwrap();
        assert!(finish::<A>(&pending, answer.as_ref()).unwrap() == theirs);
        assert_eq!(offer.as_ref().len(), A::OFFER_LENGTH);
        assert_eq!(answer.as_ref().len(), A::ANSWER_LENGTH);
    }
}

fn an_offer_is_answered_many_times<A: KeyAgreement>() {
    let mut entropy = entropy("many times");
    let (pending, offer) = A::offer(&mut NoMeter, &entropy.draw());
    let mut secrets = std::vec::Vec::new();
    for _ in 0..20 {
        let random = entropy.draw();
        let (answer, theirs) = A::answer(&mut NoMeter, offer.as_ref(), &random).unwrap();
        assert!(finish::<A>(&pending, answer.as_ref()).unwrap() == theirs);
        assert!(secrets.iter().all(|other| *other != theirs));
        secrets.push(theirs);
    }
}

fn all_comes_of_the_randomness<A: KeyAgreement>() {
    let mut entropy = entropy("randomness");
    let (ours, theirs) = (entropy.draw(), entropy.draw());
    let run = |ours: &Secret, theirs: &Secret| {
        let (_, offer) = A::offer(&mut NoMeter, ours);
        let (answer, secret) = A::answer(&mut NoMeter, offer.as_ref(), theirs).unwrap();
        (offer.as_ref().to_vec(), answer.as_ref().to_vec(), secret)
    };
    let (first, second) = (run(&ours, &theirs), run(&ours, &theirs));
    assert!(first == second);
    let other = run(&ours, &entropy.draw());
    assert!(first.0 == other.0 && first.1 != other.1 && first.2 != other.2);
    let other = run(&entropy.draw(), &theirs);
    assert!(first.0 != other.0 && first.2 != other.2);
}

fn wrong_lengths_are_refused_for_nothing<A: KeyAgreement>() {
    let mut entropy = entropy("lengths");
    let (pending, offer) = A::offer(&mut NoMeter, &entropy.draw());
    let random = entropy.draw();
    let (answer, _) = A::answer(&mut NoMeter, offer.as_ref(), &random).unwrap();
    let meter = &mut RecordedOperations::new();
    let refused = Some(AgreementError::Length);
    for bytes in [offer.as_ref(), answer.as_ref()] {
        let longer = [bytes, &[0; 32]].concat();
        for length in [0, 1, 31, 32, bytes.len() - 1, bytes.len() + 1, longer.len()] {
            if length != A::OFFER_LENGTH {
                let answered = A::answer(meter, &longer[..length], &random);
                assert_eq!(answered.err(), refused, "{length}");
            }
            if length != A::ANSWER_LENGTH {
                let finished = A::finish(meter, &pending, &longer[..length]);
                assert_eq!(finished.err(), refused, "{length}");
            }
        }
    }
    assert_eq!(heard(meter), []);
}

/// A changed answer is noticed at once or gives another secret, as each suite documents.
fn a_changed_answer_never_agrees<A: KeyAgreement>() {
    let mut entropy = entropy("a changed answer");
    let (pending, offer) = A::offer(&mut NoMeter, &entropy.draw());
    let random = entropy.draw();
    let (answer, theirs) = A::answer(&mut NoMeter, offer.as_ref(), &random).unwrap();
    for bit in bits(&mut entropy, A::ANSWER_LENGTH) {
        let changed = flipped(answer.as_ref(), bit);
        match finish::<A>(&pending, &changed) {
            // The sign of y: of a curve point only x counts.
            Ok(ours) => assert!(
                ours != theirs || (A::ANSWER_LENGTH == 33 && bit == 0),
                "{bit}"
            ),
            Err(error) => assert_ne!(error, AgreementError::Length),
        }
    }
}

fn a_changed_offer_never_agrees<A: KeyAgreement>() {
    let mut entropy = entropy("a changed offer");
    let (pending, offer) = A::offer(&mut NoMeter, &entropy.draw());
    let random = entropy.draw();
    for bit in bits(&mut entropy, A::OFFER_LENGTH) {
        let changed = flipped(offer.as_ref(), bit);
        match A::answer(&mut NoMeter, &changed, &random) {
            Ok((answer, theirs)) => {
                let ours = finish::<A>(&pending, answer.as_ref()).unwrap();
                assert!(
                    ours != theirs || (A::OFFER_LENGTH == 33 && bit == 0),
                    "{bit}"
                );
            }
            Err(error) => assert_ne!(error, AgreementError::Length),
        }
    }
}
