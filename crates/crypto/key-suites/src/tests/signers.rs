//! Signature schemes with keys and signatures of their own kinds.

use waywarden_work::OperationKind::{Sign, Verify};

use super::{bits, entropy, flipped, heard, over_each};
use crate::NoMeter;
use crate::{RecordedOperations, SignatureScheme, VerifyError};

over_each!(
    [
        p256_compressed: P256Compressed,
        ml_dsa_44: MlDsa44,
        ml_dsa_65: MlDsa65,
        fn_dsa_512: FnDsa512,
        fn_dsa_1024: FnDsa1024,
    ],
    [
        honest_signatures_verify,
        a_changed_signature_is_refused,
        a_changed_key_or_message_is_refused,
        wrong_lengths_cannot_be_read,
        what_is_done_is_metered,
    ],
);

fn verify<S: SignatureScheme>(
    public: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Option<VerifyError> {
    let public = read::<S::PublicKey>(public).expect("the right length");
    let signature = read::<S::Signature>(signature).expect("the right length");
    S::verify(&mut NoMeter, &public, message, &signature).err()
}

/// Reads a key or a signature as a role does.
fn read<'a, T: TryFrom<&'a [u8]>>(bytes: &'a [u8]) -> Option<T> {
    T::try_from(bytes).ok()
}

fn honest_signatures_verify<S: SignatureScheme>() {
    let mut entropy = entropy("honest signatures");
    for length in [0, 1, 31, 32, 33, 135, 136, 137, 1000] {
        let secret = entropy.draw();
        let (key, again) = (S::signing_key(&secret), S::signing_key(&secret));
        let public = S::public_key(&key);
        assert!(public == S::public_key(&again));
        let message = &[0x5a; 1000][..length];
        let signature = S::sign(&mut NoMeter, &key, message);
        let repeated = S::sign(&mut NoMeter, &again, message);
        assert_eq!(signature.as_ref(), repeated.as_ref());
        let refused = verify::<S>(public.as_ref(), message, signature.as_ref());
        assert_eq!(refused, None, "{length}");
        assert_eq!(public.as_ref().len(), S::PUBLIC_KEY_LENGTH);
        assert_eq!(signature.as_ref().len(), S::SIGNATURE_LENGTH);
    }
}

fn a_changed_signature_is_refused<S: SignatureScheme>() {
    let mut entropy = entropy("a changed signature");
    let key = S::signing_key(&entropy.draw());
    let public = S::public_key(&key);
    let signature = S::sign(&mut NoMeter, &key, b"the brakes are fine");
    for bit in bits(&mut entropy, S::SIGNATURE_LENGTH) {
        let changed = flipped(signature.as_ref(), bit);
        let refused = verify::<S>(public.as_ref(), b"the brakes are fine", &changed);
        let expected = [VerifyError::Mismatch, VerifyError::Malformed];
        assert!(
            refused.is_some_and(|cause| expected.contains(&cause)),
            "bit {bit}"
        );
    }
    for byte in [0, 0xff] {
        let garbage = std::vec![byte; S::SIGNATURE_LENGTH];
        assert!(verify::<S>(public.as_ref(), b"the brakes are fine", &garbage).is_some());
    }
}

fn a_changed_key_or_message_is_refused<S: SignatureScheme>() {
    let mut entropy = entropy("a changed key");
    let key = S::signing_key(&entropy.draw());
    let public = S::public_key(&key);
    let message = b"the brakes are fine";
    let signature = S::sign(&mut NoMeter, &key, message);
    let signature = signature.as_ref();
    for bit in bits(&mut entropy, S::PUBLIC_KEY_LENGTH) {
        let changed = flipped(public.as_ref(), bit);
        assert!(
            verify::<S>(&changed, message, signature).is_some(),
            "bit {bit}"
        );
    }
    let refused = Some(VerifyError::Mismatch);
    let other = S::public_key(&S::signing_key(&entropy.draw()));
    assert_eq!(verify::<S>(other.as_ref(), message, signature), refused);
    for bit in 0..8 * message.len() {
        let changed = flipped(message, bit);
        assert_eq!(verify::<S>(public.as_ref(), &changed, signature), refused);
    }
    let longer = [&message[..], b"\0"].concat();
    assert_eq!(verify::<S>(public.as_ref(), &longer, signature), refused);
    assert_eq!(
        verify::<S>(public.as_ref(), &message[..18], signature),
        refused
    );
}

fn wrong_lengths_cannot_be_read<S: SignatureScheme>() {
    let zeros = [0; 5000];
    let (public, signature) = (S::PUBLIC_KEY_LENGTH, S::SIGNATURE_LENGTH);
    for length in [
        0,
        1,
        32,
        public - 1,
        public,
        public + 1,
        signature - 1,
        signature,
        5000,
    ] {
        let bytes = &zeros[..length];
        assert_eq!(read::<S::PublicKey>(bytes).is_some(), length == public);
        assert_eq!(read::<S::Signature>(bytes).is_some(), length == signature);
    }
}

fn what_is_done_is_metered<S: SignatureScheme>() {
    let meter = &mut RecordedOperations::new();
    let key = S::signing_key(&entropy("metered").draw());
    let public = S::public_key(&key);
    assert_eq!(heard(meter), []);
    let signature = S::sign(meter, &key, &[1; 77]);
    S::verify(meter, &public, &[1; 77], &signature).unwrap();
    S::verify(meter, &public, b"", &signature).unwrap_err();
    let done = heard(meter);
    let kinds: std::vec::Vec<_> = done.iter().map(|done| (done.kind, done.bytes)).collect();
    assert_eq!(kinds, [(Sign, 77), (Verify, 77), (Verify, 0)]);
    assert!(
        done.iter()
            .all(|other| other.algorithm == done[0].algorithm)
    );
}
