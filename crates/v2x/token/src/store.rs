//! The token as a store of keys.

use cryptoki::mechanism::Mechanism;
use cryptoki::mechanism::elliptic_curve::{EcKdf, Ecdh1DeriveParams};
use cryptoki::object::{Attribute, AttributeType, KeyType, ObjectClass};
use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{
    Capabilities, KeyError, KeyHandle, KeyStore, Nonce, NonceForm, SharedSecret, Signature, Uses,
};
use zeroize::Zeroizing;

use crate::curve::sec1;
use crate::error::TokenError;
use crate::token::{Pkcs11Token, unsupported};

/// Label of keys that are made through [`KeyStore`], which has no labels.
const LABEL: &str = "waywarden";

/// Name of the operations that the token refuses, because they need the private scalar.
const IMPLICIT: &str = "implicit certificates";

impl Pkcs11Token {
    /// Returns the error of [`KeyStore`], and keeps the full error of the token.
    fn noted<T>(&mut self, result: Result<T, TokenError>) -> Result<T, KeyError> {
        result.map_err(|error| {
            let short = error.key_error();
            self.failure = Some(error);
            short
        })
    }

    fn sign_in_token(
        &self,
        key: KeyHandle,
        digest: &[u8],
        (nonce, form): (Nonce<'_>, NonceForm),
    ) -> Result<Signature, TokenError> {
        let operation = "signing";
        let key = self.key(key)?;
        let curve = key.public.curve();
        if !key.uses.contains(Uses::SIGN) {
            return Err(KeyError::NotForThisUse { operation }.into());
        }
        match (nonce, form) {
            (Nonce::Own, NonceForm::XOnly) => {}
            (Nonce::Own, NonceForm::Point) => return Err(unsupported("nonces as points", curve)),
            (Nonce::Hedged { .. }, _) => return Err(unsupported("hedged nonces", curve)),
            (Nonce::Deterministic, _) => return Err(unsupported("deterministic nonces", curve)),
            (Nonce::Precomputed, _) => return Err(unsupported("precomputed nonces", curve)),
        }
        if !matches!(digest.len(), 32 | 48) {
            return Err(KeyError::DigestLength.into());
        }
        // Of a longer digest the leftmost bits count (FIPS 186-5 §6.4.1).
        let length = curve.field_bytes();
        let digest = &digest[..digest.len().min(length)];
        let signed = self.session.sign(&Mechanism::Ecdsa, key.private, digest);
        let signed = signed.map_err(|error| TokenError::of(&error))?;
        let parts = signed.split_at_checked(length);
        let signature = parts.and_then(|(r, s)| Signature::new(curve, r, s, None));
        let why = "its signature has the wrong length";
        signature.ok_or_else(|| TokenError::Failed(why.to_owned()))
    }

    fn agree_in_token(&self, key: KeyHandle, public: &Point) -> Result<SharedSecret, TokenError> {
        let operation = "key agreement";
        let key = self.key(key)?;
        let curve = key.public.curve();
        if !key.uses.contains(Uses::AGREE) {
            return Err(KeyError::NotForThisUse { operation }.into());
        }
        if public.curve() != curve {
            return Err(KeyError::OtherCurve.into());
        }
        let encoded = sec1(public);
        let parameters = Ecdh1DeriveParams::new(EcKdf::null(), &encoded);
        let length = curve.field_bytes();
        // The secret is an object of the session, which is read and deleted.
        let template = [
            Attribute::Class(ObjectClass::SECRET_KEY),
            Attribute::KeyType(KeyType::GENERIC_SECRET),
            Attribute::Token(false),
            Attribute::Sensitive(false),
            Attribute::Extractable(true),
            Attribute::ValueLen((length as u64).into()),
        ];
        let failed = |error| TokenError::of(&error);
        let mechanism = Mechanism::Ecdh1Derive(parameters);
        let derived = self.session.derive_key(&mechanism, key.private, &template);
        let derived = derived.map_err(failed)?;
        let read = self
            .session
            .get_attributes(derived, &[AttributeType::Value]);
        let deleted = self.session.destroy_object(derived);
        let mut found = None;
        for attribute in read.map_err(failed)? {
            if let Attribute::Value(bytes) = attribute {
                let bytes = Zeroizing::new(bytes);
                found = SharedSecret::from_coordinate(curve, &bytes);
            }
        }
        deleted.map_err(failed)?;
        let why = "its shared secret has the wrong length";
        found.ok_or_else(|| TokenError::Failed(why.to_owned()))
    }

    fn unsupported_of(&self, key: KeyHandle, operation: &'static str) -> KeyError {
        match self.key(key) {
            Ok(key) => KeyError::Unsupported {
                operation,
                curve: key.public.curve(),
            },
            Err(error) => error,
        }
    }
}

/// Signs with nonces of its own ([`Nonce::Own`]) and r alone ([`NonceForm::XOnly`]), and agrees on
/// secrets. Implicit certificates and butterfly keys are [`KeyError::Unsupported`]. The token's
/// random generator makes keys; seeds are ignored. [`Pkcs11Token::take_failure`] says more of an
/// error.
///
/// [`retire`](KeyStore::retire) deletes the key from the token.
impl KeyStore for Pkcs11Token {
    fn capabilities(&self, curve: Curve) -> Capabilities {
        self.capabilities_of(curve)
    }

    fn generate(
        &mut self,
        curve: Curve,
        uses: Uses,
        _seed: &[u8; 32],
    ) -> Result<KeyHandle, KeyError> {
        let made = self.generate_labelled(curve, uses, LABEL);
        self.noted(made)
    }

    fn public_key(&self, key: KeyHandle) -> Result<Point, KeyError> {
        Ok(self.key(key)?.public)
    }

    fn sign(
        &mut self,
        key: KeyHandle,
        digest: &[u8],
        nonce: Nonce<'_>,
        form: NonceForm,
    ) -> Result<Signature, KeyError> {
        let signed = self.sign_in_token(key, digest, (nonce, form));
        self.noted(signed)
    }

    fn agree(&mut self, key: KeyHandle, public: &Point) -> Result<SharedSecret, KeyError> {
        let agreed = self.agree_in_token(key, public);
        self.noted(agreed)
    }

    fn reconstruct(
        &mut self,
        key: KeyHandle,
        _e: &[u8; 32],
        _r: &[u8; 32],
        _uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        Err(self.unsupported_of(key, IMPLICIT))
    }

    fn contribute(
        &mut self,
        issuer: KeyHandle,
        _ephemeral: KeyHandle,
        _e: &[u8; 32],
    ) -> Result<[u8; 32], KeyError> {
        Err(self.unsupported_of(issuer, IMPLICIT))
    }

    fn expand(
        &mut self,
        key: KeyHandle,
        _f: &[u8; 48],
        _uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        Err(self.unsupported_of(key, "butterfly expansion"))
    }

    fn retire(&mut self, key: KeyHandle) -> Result<(), KeyError> {
        let deleted = self.delete(key);
        self.noted(deleted)
    }
}
