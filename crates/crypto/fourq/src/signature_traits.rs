//! The traits of the crate [`signature`], for code that is generic over signature schemes.

use signature::{Error, Keypair, SignatureEncoding, Signer, Verifier};

use crate::schnorrq::{SchnorrQSignature, SignatureLengthError, SigningKey, VerifyingKey};

impl TryFrom<&[u8]> for SchnorrQSignature {
    type Error = SignatureLengthError;

    fn try_from(bytes: &[u8]) -> Result<Self, SignatureLengthError> {
        Self::from_slice(bytes)
    }
}

impl From<SchnorrQSignature> for [u8; 64] {
    fn from(signature: SchnorrQSignature) -> Self {
        signature.0
    }
}

impl SignatureEncoding for SchnorrQSignature {
    type Repr = [u8; 64];
}

impl Signer<SchnorrQSignature> for SigningKey {
    /// Signs as [`SigningKey::sign`] does; it never fails.
    fn try_sign(&self, message: &[u8]) -> Result<SchnorrQSignature, Error> {
        Ok(self.sign(message))
    }
}

impl Verifier<SchnorrQSignature> for VerifyingKey {
    /// Verifies as [`VerifyingKey::verify`] does. The error has no cause, as the trait asks.
    fn verify(&self, message: &[u8], signature: &SchnorrQSignature) -> Result<(), Error> {
        VerifyingKey::verify(self, message, signature).map_err(|_| Error::new())
    }
}

impl Keypair for SigningKey {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        let key = VerifyingKey::decode(&self.public());
        key.expect("the encoding of a multiple of the generator decodes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs_and_verifies<S: SignatureEncoding, K: Signer<S> + Keypair>(key: &K)
    where
        K::VerifyingKey: Verifier<S>,
    {
        let signature = key.try_sign(b"a message").unwrap();
        let bytes = signature.to_bytes();
        let Ok(read) = S::try_from(bytes.as_ref()) else {
            panic!("{} bytes are refused", bytes.as_ref().len());
        };
        let verifying = key.verifying_key();
        verifying.verify(b"a message", &read).unwrap();
        assert!(verifying.verify(b"another message", &read).is_err());
        assert!(S::try_from(&bytes.as_ref()[1..]).is_err());
    }

    #[test]
    fn generic_code_signs_and_verifies_as_the_own_functions_do() {
        for first in 0..=16 {
            let key = SigningKey::from_bytes(&[first; 32]);
            signs_and_verifies::<SchnorrQSignature, _>(&key);
            assert_eq!(key.sign(b"m"), Signer::try_sign(&key, b"m").unwrap());
        }
    }
}
