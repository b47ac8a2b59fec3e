//! Any bytes, no panic, and the laws that must hold on what is accepted.

use crate::{
    BatchError, EncodedFourQPoint, Item, SchnorrQSignature, VerifyingKey, dh, verify_batch,
};

/// Decodes, and checks that what is accepted encodes to itself.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub(super) fn decode(bytes: &[u8]) {
    let Ok(encoded) = EncodedFourQPoint::from_slice(bytes) else {
        return;
    };
    let shared = dh::DhSecret::from_bytes(&[0x5a; 32]).extract(&encoded);
    if let Ok(point) = encoded.decode() {
        assert_eq!(point.encode(), encoded);
        assert!(shared.is_ok(), "a point of order N is a share");
    }
}

/// Verifies key ‖ signature ‖ message, alone and as a batch, and checks that both agree.
///
/// # Panics
/// If a law is broken, never because of the bytes.
pub(super) fn verify(bytes: &[u8]) {
    let Some((key, rest)) = bytes.split_at_checked(32) else {
        return;
    };
    let Some((signature, message)) = rest.split_at_checked(64) else {
        return;
    };
    let Ok(key) = EncodedFourQPoint::from_slice(key).and_then(|key| VerifyingKey::decode(&key))
    else {
        return;
    };
    let Ok(signature) = SchnorrQSignature::from_slice(signature) else {
        return;
    };
    let single = key.verify(message, &signature);
    match verify_batch(&[Item {
        key: &key,
        message,
        signature: &signature,
    }]) {
        Ok(()) => assert_eq!(single, Ok(())),
        Err(BatchError::Member { index, error }) => {
            assert_eq!((index, single), (0, Err(error)));
        }
        Err(BatchError::Group { first }) => {
            assert_eq!(first, 0);
            assert!(single.is_err());
        }
    }
}
