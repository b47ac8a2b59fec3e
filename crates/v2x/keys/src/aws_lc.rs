//! A store that computes with AWS-LC: P-256 and P-384, with the library's own random generator.

use aws_lc_rs::agreement::{self, UnparsedPublicKey};
use aws_lc_rs::digest::{self, Digest};
use aws_lc_rs::encoding::AsBigEndian as _;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, KeyPair as _,
};
use waywarden_ecverify::{Curve, EncodedPoint, Point};

use crate::error::KeyError;
use crate::key_store::{Capabilities, KeyHandle, KeyStore, Nonce, Uses};
use crate::secret::{LONGEST, PrivateKey, SharedSecret};
use crate::signature::{NonceForm, Signature};
use crate::slots::Slots;

/// Up to `KEYS` keys of P-256 and P-384 in AWS-LC's memory, which wipes them.
///
/// It signs several times as fast as [`SoftwareStore`](crate::SoftwareStore), with nonces of its
/// own ([`Nonce::Own`]) and r alone ([`NonceForm::XOnly`]), and agrees on secrets. It has no
/// Brainpool curves, takes no randomness from outside, and has no arithmetic with scalars: implicit
/// certificates and butterfly keys are [`KeyError::Unsupported`]. Keys are made by its own random
/// generator; seeds are ignored.
pub struct AwsLcStore<const KEYS: usize>(Slots<Private, KEYS>);

/// A key as AWS-LC keeps it, for each use that it was made for.
struct Private {
    signing: Option<EcdsaKeyPair>,
    agreement: Option<agreement::PrivateKey>,
}

/// Algorithms of AWS-LC for a curve.
struct Algorithms {
    signing: &'static EcdsaSigningAlgorithm,
    agreement: &'static agreement::Algorithm,
    digest: &'static digest::Algorithm,
}

fn algorithms(curve: Curve, operation: &'static str) -> Result<Algorithms, KeyError> {
    match curve {
        Curve::P256 => Ok(Algorithms {
            signing: &ECDSA_P256_SHA256_FIXED_SIGNING,
            agreement: &agreement::ECDH_P256,
            digest: &digest::SHA256,
        }),
        Curve::P384 => Ok(Algorithms {
            signing: &ECDSA_P384_SHA384_FIXED_SIGNING,
            agreement: &agreement::ECDH_P384,
            digest: &digest::SHA384,
        }),
        Curve::BrainpoolP256r1 | Curve::BrainpoolP384r1 => {
            Err(KeyError::Unsupported { operation, curve })
        }
    }
}

/// Refuses uses that take arithmetic with scalars, where the key is made.
fn check_uses(curve: Curve, uses: Uses) -> Result<(), KeyError> {
    for (unsupported, operation) in [
        (Uses::RECONSTRUCT, "implicit certificates"),
        (Uses::ISSUE_IMPLICIT, "implicit certificates"),
        (Uses::EXPAND, "butterfly expansion"),
    ] {
        if uses.contains(unsupported) {
            return Err(KeyError::Unsupported { operation, curve });
        }
    }
    Ok(())
}

impl<const KEYS: usize> AwsLcStore<KEYS> {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self(Slots::new())
    }

    /// Takes in a private key from elsewhere.
    ///
    /// # Errors
    /// [`KeyError::ScalarOutOfRange`], [`KeyError::Full`], [`KeyError::Unsupported`].
    pub fn import(&mut self, key: &PrivateKey, uses: Uses) -> Result<KeyHandle, KeyError> {
        let curve = key.curve();
        let algorithms = algorithms(curve, "keys")?;
        check_uses(curve, uses)?;
        self.0.free()?;
        let own = agreement::PrivateKey::from_private_key(algorithms.agreement, key.as_bytes());
        let own = own.map_err(|_| KeyError::ScalarOutOfRange)?;
        let public = own.compute_public_key();
        let public = public.map_err(|_| KeyError::Failed("AWS-LC gives no public key"))?;
        let point = decoded(curve, public.as_ref())?;
        let pair = || {
            let private = key.as_bytes();
            EcdsaKeyPair::from_private_key_and_public_key(
                algorithms.signing,
                private,
                public.as_ref(),
            )
        };
        let signing = uses.contains(Uses::SIGN).then(pair).transpose();
        let private = Private {
            signing: signing.map_err(|_| KeyError::ScalarOutOfRange)?,
            agreement: uses.contains(Uses::AGREE).then_some(own),
        };
        self.0.add(uses, private, point)
    }
}

impl<const KEYS: usize> Default for AwsLcStore<KEYS> {
    fn default() -> Self {
        Self::new()
    }
}

fn decoded(curve: Curve, sec1: &[u8]) -> Result<Point, KeyError> {
    let encoded = EncodedPoint::from_sec1(sec1);
    let point = encoded.and_then(|encoded| Point::decode(curve, &encoded));
    point.map_err(|_| KeyError::Failed("AWS-LC gives no point of the curve"))
}

/// A digest as long as the curve's own: of a longer one the leftmost bits count (FIPS 186-5
/// §6.4.1), and a shorter one is a number with zeros in front.
fn fitted(
    digest: &[u8],
    curve: Curve,
    algorithm: &'static digest::Algorithm,
) -> Result<Digest, KeyError> {
    if !matches!(digest.len(), 32 | 48) {
        return Err(KeyError::DigestLength);
    }
    let mut bytes = [0; LONGEST];
    let length = curve.field_bytes();
    let leftmost = &digest[..digest.len().min(length)];
    bytes[length - leftmost.len()..length].copy_from_slice(leftmost);
    let digest = Digest::import_less_safe(&bytes[..length], algorithm);
    digest.map_err(|_| KeyError::DigestLength)
}

impl<const KEYS: usize> KeyStore for AwsLcStore<KEYS> {
    fn capabilities(&self, curve: Curve) -> Capabilities {
        let is_known = algorithms(curve, "keys").is_ok();
        Capabilities {
            sign: is_known,
            own_nonce: is_known,
            agree: is_known,
            ..Capabilities::default()
        }
    }

    fn generate(
        &mut self,
        curve: Curve,
        uses: Uses,
        _seed: &[u8; 32],
    ) -> Result<KeyHandle, KeyError> {
        let algorithms = algorithms(curve, "keys")?;
        check_uses(curve, uses)?;
        self.0.free()?;
        let failed = |_| KeyError::Failed("AWS-LC makes no key");
        let pair = EcdsaKeyPair::generate(algorithms.signing).map_err(failed)?;
        let public = decoded(curve, pair.public_key().as_ref())?;
        let agreement = || {
            let scalar = pair.private_key().as_be_bytes().map_err(failed)?;
            let key =
                agreement::PrivateKey::from_private_key(algorithms.agreement, scalar.as_ref());
            key.map_err(|_| KeyError::Failed("AWS-LC does not take its own key"))
        };
        let agreement = uses.contains(Uses::AGREE).then(agreement).transpose()?;
        let signing = uses.contains(Uses::SIGN).then_some(pair);
        let private = Private { signing, agreement };
        self.0.add(uses, private, public)
    }

    fn public_key(&self, key: KeyHandle) -> Result<Point, KeyError> {
        Ok(self.0.find(key)?.public)
    }

    fn sign(
        &mut self,
        key: KeyHandle,
        digest: &[u8],
        nonce: Nonce<'_>,
        form: NonceForm,
    ) -> Result<Signature, KeyError> {
        let operation = "signing";
        let key = self.0.find_for(key, Uses::SIGN, operation)?;
        let curve = key.public.curve();
        let unsupported = match (nonce, form) {
            (Nonce::Own, NonceForm::XOnly) => None,
            (Nonce::Own, NonceForm::Point) => Some("nonces as points"),
            (Nonce::Hedged { .. }, _) => Some("hedged nonces"),
            (Nonce::Deterministic, _) => Some("deterministic nonces"),
            (Nonce::Precomputed, _) => Some("precomputed nonces"),
        };
        if let Some(operation) = unsupported {
            return Err(KeyError::Unsupported { operation, curve });
        }
        let algorithms = algorithms(curve, operation)?;
        let digest = fitted(digest, curve, algorithms.digest)?;
        let pair = key.private.signing.as_ref();
        let pair = pair.ok_or(KeyError::NotForThisUse { operation })?;
        let failed = KeyError::Failed("AWS-LC does not sign");
        let signature = pair.sign_digest(&digest).map_err(|_| failed)?;
        let (r, s) = signature.as_ref().split_at(curve.field_bytes());
        Signature::new(curve, r, s, None).ok_or(failed)
    }

    fn agree(&mut self, key: KeyHandle, public: &Point) -> Result<SharedSecret, KeyError> {
        let operation = "key agreement";
        let key = self.0.find_for(key, Uses::AGREE, operation)?;
        let curve = key.public.curve();
        if public.curve() != curve {
            return Err(KeyError::OtherCurve);
        }
        let algorithm = algorithms(curve, operation)?.agreement;
        let own = key.private.agreement.as_ref();
        let own = own.ok_or(KeyError::NotForThisUse { operation })?;
        let encoded = public.to_sec1_uncompressed();
        let peer = UnparsedPublicKey::new(algorithm, encoded.as_ref());
        let failed = KeyError::Failed("AWS-LC does not agree");
        agreement::agree(own, peer, failed, |x| Ok(SharedSecret::new(curve, x)))
    }

    fn reconstruct(
        &mut self,
        key: KeyHandle,
        _e: &[u8; 32],
        _r: &[u8; 32],
        _uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        self.unsupported(key, "implicit certificates")
    }

    fn contribute(
        &mut self,
        issuer: KeyHandle,
        _ephemeral: KeyHandle,
        _e: &[u8; 32],
    ) -> Result<[u8; 32], KeyError> {
        self.unsupported(issuer, "implicit certificates")
    }

    fn expand(
        &mut self,
        key: KeyHandle,
        _f: &[u8; 48],
        _uses: Uses,
    ) -> Result<KeyHandle, KeyError> {
        self.unsupported(key, "butterfly expansion")
    }

    fn retire(&mut self, key: KeyHandle) -> Result<(), KeyError> {
        self.0.retire(key)
    }
}

impl<const KEYS: usize> AwsLcStore<KEYS> {
    fn unsupported<T>(&self, key: KeyHandle, operation: &'static str) -> Result<T, KeyError> {
        let curve = self.0.find(key)?.public.curve();
        Err(KeyError::Unsupported { operation, curve })
    }
}
