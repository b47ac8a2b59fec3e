//! A suite that is chosen when a role is made computes what the same suite computes that is known
//! when a role is compiled: bytes, what is refused, and what is metered.

use waywarden_key_suites::{RecordedOperations, Secret};
use waywarden_lasan::{
    AnyLasanSuite, AuthenticationSuite, EcdheEcdsa, FourQSchnorrQ, HybridMlDsa65, LasanSuite,
    MlKem512FnDsa512, MlKem768FnDsa1024, MlKem768MlDsa44, MlKem768MlDsa65,
};
use waywarden_work::Operation;

const SECRETS: [Secret; 3] = [
    Secret::from_bytes([1; 32]),
    Secret::from_bytes([2; 32]),
    Secret::from_bytes([3; 32]),
];
const MESSAGE: &[u8] = b"a message of some length";

/// All that a suite computes of the same secrets, in a row, and what was metered for it.
type Computed = (Vec<Vec<u8>>, Vec<Operation>);

fn computed<S: LasanSuite>(suite: &S) -> Computed {
    let (sizes, mut meter) = (suite.sizes(), RecordedOperations::new());
    let mut metered = Vec::new();
    let mut parts = vec![suite.name().as_bytes().to_vec(), vec![suite.identifier()]];
    let buffer = |length: usize| vec![0; length];
    let mut offer = buffer(sizes.offer);
    let pending = suite.offer(&mut meter, &SECRETS[0], &mut offer).unwrap();
    let again = suite.pending(&mut meter, &SECRETS[0]);
    metered.extend(meter.drain());
    let mut answer = buffer(sizes.answer);
    let answered = suite.answer(&mut meter, &offer, &SECRETS[1], &mut answer);
    let answered = answered.unwrap();
    let finished = suite.finish(&mut meter, &pending, &answer).unwrap();
    metered.extend(meter.drain());
    assert!(finished == answered, "both sides have one secret");
    assert!(suite.finish(&mut meter, &again, &answer).unwrap() == answered);
    metered.extend(meter.drain());
    let key = suite.signing_key(&SECRETS[2]);
    let (mut public, mut signature) = (buffer(sizes.public_key), buffer(sizes.signature));
    assert_eq!(suite.public_key(&key, &mut public), Some(sizes.public_key));
    let length = suite.sign(&mut meter, &key, MESSAGE, &mut signature);
    assert_eq!(length, Some(sizes.signature));
    let verified = suite.verify(&mut meter, &public, MESSAGE, &signature);
    assert_eq!(verified, Ok(()));
    let refused = suite.verify(&mut meter, &public, &MESSAGE[1..], &signature);
    metered.extend(meter.drain());
    parts.extend([
        offer,
        answer,
        answered.as_bytes().to_vec(),
        public,
        signature,
        format!("{refused:?}").into_bytes(),
    ]);
    (parts, metered)
}

/// Asserts that too short values are refused before anything is written or computed.
fn refuses_what_is_too_short<S: LasanSuite>(suite: &S) {
    let (sizes, mut meter) = (suite.sizes(), RecordedOperations::new());
    let key = suite.signing_key(&SECRETS[2]);
    let mut short = vec![7; sizes.offer - 1];
    assert!(suite.offer(&mut meter, &SECRETS[0], &mut short).is_none());
    assert!(short.iter().all(|&byte| byte == 7));
    let mut offer = vec![0; sizes.offer];
    let _ = suite.offer(&mut meter, &SECRETS[0], &mut offer);
    meter.drain().for_each(drop);
    for length in [0, sizes.answer - 1] {
        let mut short = vec![7; length];
        let answered = suite.answer(&mut meter, &offer, &SECRETS[1], &mut short);
        assert!(answered.is_err() && short.iter().all(|&byte| byte == 7));
    }
    let mut short = vec![7; sizes.signature - 1];
    assert_eq!(suite.sign(&mut meter, &key, MESSAGE, &mut short), None);
    let mut short = vec![7; sizes.public_key - 1];
    assert_eq!(suite.public_key(&key, &mut short), None);
    for length in [0, sizes.signature - 1, sizes.signature + 1] {
        let (public, signature) = (vec![0; sizes.public_key], vec![0; length]);
        assert!(
            suite
                .verify(&mut meter, &public, MESSAGE, &signature)
                .is_err()
        );
        let (public, signature) = (vec![0; length], vec![0; sizes.signature]);
        assert!(
            suite
                .verify(&mut meter, &public, MESSAGE, &signature)
                .is_err()
        );
    }
}

fn is_the_same<S: AuthenticationSuite>() {
    let any = AnyLasanSuite::named(S::NAME).unwrap_or_else(|| panic!("{}", S::NAME));
    assert_eq!(any.sizes(), S::SIZES);
    assert!(computed(&S::default()) == computed(&any), "{}", S::NAME);
    refuses_what_is_too_short(&S::default());
    refuses_what_is_too_short(&any);
}

#[test]
fn suites_compute_the_same_however_they_are_chosen() {
    is_the_same::<EcdheEcdsa>();
    is_the_same::<FourQSchnorrQ>();
    is_the_same::<MlKem768MlDsa44>();
    is_the_same::<MlKem768MlDsa65>();
    is_the_same::<MlKem512FnDsa512>();
    is_the_same::<MlKem768FnDsa1024>();
    is_the_same::<HybridMlDsa65>();
    assert_eq!(AnyLasanSuite::ALL.len(), 7);
    assert!(AnyLasanSuite::named("rot13").is_none());
}
