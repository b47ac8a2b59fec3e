//! That a key encapsulation fits [`KeyAgreement`] and long signatures fit [`Signature`] as they
//! are: ML-KEM-512, whose offer and answer differ in kind and length, and a signature of
//! 2420 bytes.

use ml_kem::array::Array;
use ml_kem::kem::{Decapsulate, KeyExport};
use ml_kem::{DecapsulationKey512, EncapsulationKey512};
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::{entropy, heard};
use crate::suite::{AgreementError, KeyAgreement, Meter, Secret, Signature, symmetric};

enum MlKem512 {}

fn metered(meter: &mut Meter, kind: OperationKind) {
    meter.record(Operation::new(kind, Algorithm::MlKem512, 0));
}

impl KeyAgreement for MlKem512 {
    const OFFER_LENGTH: usize = 800;
    const ANSWER_LENGTH: usize = 768;

    type Offer = [u8; 800];
    type Answer = [u8; 768];
    type Pending = DecapsulationKey512;

    fn offer(meter: &mut Meter, random: &Secret) -> (Self::Pending, Self::Offer) {
        metered(meter, OperationKind::KemKeyGenerate);
        let mut seed = [0; 64];
        symmetric::hkdf_sha256(&mut Meter::new(), b"", random.as_bytes(), &[], &mut seed);
        let key = DecapsulationKey512::from_seed(seed.into());
        let offer = key.encapsulation_key().to_bytes().into();
        (key, offer)
    }

    fn answer(
        meter: &mut Meter,
        offer: &[u8],
        random: &Secret,
    ) -> Result<(Self::Answer, Secret), AgreementError> {
        let offer = Array::try_from(offer).map_err(|_| AgreementError::Length)?;
        metered(meter, OperationKind::Encapsulate);
        let key = EncapsulationKey512::new(&offer).map_err(|_| AgreementError::NotCanonical)?;
        let (answer, secret) = key.encapsulate_deterministic(&(*random.as_bytes()).into());
        Ok((answer.into(), Secret::from_bytes(secret.into())))
    }

    fn finish(
        meter: &mut Meter,
        pending: &Self::Pending,
        answer: &[u8],
    ) -> Result<Secret, AgreementError> {
        let answer = Array::try_from(answer).map_err(|_| AgreementError::Length)?;
        metered(meter, OperationKind::Decapsulate);
        Ok(Secret::from_bytes(pending.decapsulate(&answer).into()))
    }
}

/// A role that knows agreement alone.
fn agree<A: KeyAgreement>(meter: &mut Meter, ours: &Secret, theirs: &Secret) -> [Secret; 2] {
    let (pending, offer) = A::offer(meter, ours);
    let (answer, theirs) = A::answer(meter, offer.as_ref(), theirs).unwrap();
    [A::finish(meter, &pending, answer.as_ref()).unwrap(), theirs]
}

#[test]
fn an_encapsulation_is_an_agreement() {
    let mut entropy = entropy("encapsulation");
    let mut meter = Meter::new();
    let [ours, theirs] = agree::<MlKem512>(&mut meter, &entropy.draw(), &entropy.draw());
    assert!(ours == theirs);
    let kinds: std::vec::Vec<_> = heard(&mut meter).iter().map(|done| done.kind).collect();
    let expected = [
        OperationKind::KemKeyGenerate,
        OperationKind::Encapsulate,
        OperationKind::Decapsulate,
    ];
    assert_eq!(kinds, expected);
    let [other, _] = agree::<MlKem512>(&mut meter, &entropy.draw(), &entropy.draw());
    assert!(ours != other);

    let refused = MlKem512::answer(&mut meter, &[0xff; 800], &entropy.draw()).err();
    assert_eq!(refused, Some(AgreementError::NotCanonical));
    let refused = MlKem512::answer(&mut meter, &[0; 32], &entropy.draw()).err();
    assert_eq!(refused, Some(AgreementError::Length));
}

/// Compiles if lengths of ML-DSA-44 meet what the contract asks of its types.
#[test]
fn a_signature_of_2420_bytes_meets_the_bounds() {
    fn from_the_bus<S: Signature>(bytes: &[u8]) -> Option<S::Signature> {
        S::Signature::try_from(bytes).ok()
    }
    trait Bounds: AsRef<[u8]> + for<'a> TryFrom<&'a [u8]> {}
    impl Bounds for [u8; 2420] {}
    fn read<B: Bounds>(bytes: &[u8]) -> Option<B> {
        B::try_from(bytes).ok()
    }
    assert!(read::<[u8; 2420]>(&[1; 2420]).is_some());
    assert!(from_the_bus::<crate::suite::FourQ>(&[1; 64]).is_some());
    assert!(from_the_bus::<crate::suite::FourQ>(&[1; 63]).is_none());
}
