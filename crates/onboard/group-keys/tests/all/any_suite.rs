//! A suite that is chosen when a role is made computes what the same suite computes that is known
//! when a role is compiled: bytes, what is refused, and what is metered.

use waywarden_group_keys::{AnyGroupSuite, GroupSuite};
use waywarden_key_suites::{FourQ, P256, RecordedOperations, Secret};
use waywarden_work::Operation;

const SECRETS: [Secret; 3] = [
    Secret::from_bytes([1; 32]),
    Secret::from_bytes([2; 32]),
    Secret::from_bytes([3; 32]),
];
const MESSAGE: &[u8] = b"a message of some length";

/// All that a suite computes of the same secrets, in a row, and what was metered for it.
type Computed = (Vec<Vec<u8>>, Vec<Operation>);

fn computed<S: GroupSuite>(suite: &S) -> Computed {
    let mut meter = RecordedOperations::new();
    let scalars = [
        suite.scalar(&SECRETS[0]),
        suite.scalar_as_published(&[9; 16]),
    ];
    let shares = scalars
        .each_ref()
        .map(|scalar| suite.share(&mut meter, scalar));
    let first = suite.extract(&mut meter, &scalars[0], &shares[1]).unwrap();
    let second = suite.extract(&mut meter, &scalars[1], &shares[0]).unwrap();
    assert!(first == second, "both sides have one secret");
    let weak = suite.extract(&mut meter, &scalars[0], &[0; 32]);
    let mut metered: Vec<Operation> = meter.drain().collect();
    let key = suite.signing_key(&SECRETS[2]);
    let public = suite.public_key(&key);
    let signature = suite.sign(&mut meter, &key, MESSAGE);
    let verified = suite.verify(&mut meter, &public, MESSAGE, &signature);
    assert_eq!(verified, Ok(()));
    let refused = suite.verify(&mut meter, &public, &MESSAGE[1..], &signature);
    metered.extend(meter.drain());
    let parts = vec![
        suite.name().as_bytes().to_vec(),
        vec![suite.identifier()],
        shares.concat(),
        first.as_bytes().to_vec(),
        public.as_bytes().to_vec(),
        signature.to_vec(),
        format!("{:?} {refused:?}", weak.err()).into_bytes(),
    ];
    (parts, metered)
}

#[test]
fn suites_compute_the_same_however_they_are_chosen() {
    let four_q = computed(&AnyGroupSuite::of::<FourQ>());
    assert!(computed(&FourQ) == four_q);
    let p256 = computed(&AnyGroupSuite::of::<P256>());
    assert!(computed(&P256) == p256);
    assert!(four_q != p256);
}
