//! Recipients of encrypted messages, and their names in them \[1609.2 §6.3.31 to §6.3.37\].

use alloc::vec::Vec;

use waywarden_ecverify::{Curve, Point};
use waywarden_v2x_keys::{ccm, compressed};
use waywarden_v2x_security::encoded;
use waywarden_v2x_security::hash::{HashFunction, certificate_digest, hash, hash_certificate};
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::ieee1609dot2::{
    BasePublicEncryptionKey, Certificate, HashedId8, PublicEncryptionKey, SymmAlgorithm,
    SymmetricEncryptionKey,
};

use crate::error::EncryptError;
use crate::written::written;

/// Most recipients of a message: one to more is neither made nor read.
pub const RECIPIENTS_MAX: usize = 64;

/// Identifier of a recipient in a message: the field that has it, and the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecipientId {
    /// `pskRecipInfo` and `symmRecipInfo`: the holder of this symmetric key, under which the
    /// message itself or its key is encrypted.
    SymmetricKey(HashedId8),
    /// `certRecipInfo`: the holder of this certificate with an encryption key.
    Certificate(HashedId8),
    /// `signedDataRecipInfo`: the signer of this message, with an encryption key in its header.
    SignedData(HashedId8),
    /// `rekRecipInfo`: the holder of this public key, which came otherwise, as a response key does.
    ResponseKey(HashedId8),
}

/// A recipient with a public key.
#[derive(Clone, Debug)]
pub struct Recipient {
    pub(crate) id: RecipientId,
    pub(crate) public: Point,
    /// The parameter P1 of ECIES: the hash of what the public key stands in.
    pub(crate) p1: [u8; 32],
}

impl Recipient {
    /// The holder of a certificate with an encryption key.
    ///
    /// # Errors
    /// [`EncryptError::NoEncryptionKey`], [`EncryptError::Unsupported`].
    pub fn certificate(certificate: &Certificate<'_>) -> Result<Self, EncryptError> {
        let key = certificate.to_be_signed.encryption_key.as_ref();
        let public = public_key(key.ok_or(EncryptError::NoEncryptionKey)?)?;
        let digest = certificate_digest(certificate);
        let id = digest
            .ok_or(EncryptError::Unsupported("a certificate with an SM2 key"))?
            .id_8();
        // P1 is a SHA-256, whatever function the certificate is named by.
        let p1 = hash_certificate(HashFunction::Sha256, certificate)?;
        Ok(Self {
            id: RecipientId::Certificate(id),
            public,
            p1: first_32(p1.as_bytes()),
        })
    }

    /// Returns the signer of an encoded message with an encryption key in its header.
    ///
    /// # Errors
    /// [`EncryptError::Unsupported`].
    pub fn signed_data(
        message: &[u8],
        key: &PublicEncryptionKey<'_>,
    ) -> Result<Self, EncryptError> {
        let digest = hash(HashFunction::Sha256, message);
        Ok(Self {
            id: RecipientId::SignedData(digest.id_8()),
            public: public_key(key)?,
            p1: first_32(digest.as_bytes()),
        })
    }

    /// Returns the holder of the private key of a public one that came otherwise.
    ///
    /// # Errors
    /// [`EncryptError::Unsupported`].
    pub fn response_key(key: &PublicEncryptionKey<'_>) -> Result<Self, EncryptError> {
        Ok(Self {
            id: RecipientId::ResponseKey(response_key_id(key)?),
            public: public_key(key)?,
            p1: first_32(hash(HashFunction::Sha256, &[]).as_bytes()),
        })
    }

    /// Returns its identifier in a message.
    #[must_use]
    pub fn id(&self) -> RecipientId {
        self.id
    }

    /// Returns its public key.
    #[must_use]
    pub fn public_key(&self) -> &Point {
        &self.public
    }

    /// Returns the parameter P1 of ECIES.
    #[must_use]
    pub fn p1(&self) -> &[u8; 32] {
        &self.p1
    }
}

fn first_32(bytes: &[u8]) -> [u8; 32] {
    let mut first = [0; 32];
    first.copy_from_slice(&bytes[..32]);
    first
}

/// Returns the identifier of a response key: the hash of its encoding.
fn response_key_id(key: &PublicEncryptionKey<'_>) -> Result<HashedId8, EmitError> {
    Ok(hash(HashFunction::Sha256, &written(key)?).id_8())
}

/// Returns the identifier of a symmetric key: the hash of its encoding.
pub(crate) fn symmetric_key_id(key: &[u8; ccm::KEY]) -> Result<HashedId8, EmitError> {
    let key = zeroize::Zeroizing::new(written(&SymmetricEncryptionKey::Aes128Ccm(key))?);
    Ok(hash(HashFunction::Sha256, &key).id_8())
}

/// Reads an encryption key.
pub(crate) fn public_key(key: &PublicEncryptionKey<'_>) -> Result<Point, EncryptError> {
    if key.algorithm != SymmAlgorithm::Aes128Ccm {
        return Err(EncryptError::Unsupported(
            "an algorithm other than AES-128-CCM",
        ));
    }
    let (curve, point) = match &key.key {
        BasePublicEncryptionKey::EciesNistP256(point) => (Curve::P256, encoded(point)),
        BasePublicEncryptionKey::EciesBrainpoolP256r1(point) => {
            (Curve::BrainpoolP256r1, encoded(point))
        }
        BasePublicEncryptionKey::EcencSm2(_) | BasePublicEncryptionKey::Unknown(..) => {
            return Err(EncryptError::Unsupported(
                "an encryption key that is not ECIES's",
            ));
        }
    };
    Point::decode(curve, &point).map_err(|_| EncryptError::NoPoint)
}

/// Writes a public key as `PublicEncryptionKey`.
///
/// # Errors
/// [`EncryptError::Unsupported`] for a curve of 384 bits.
pub fn encryption_key(point: &Point) -> Result<Vec<u8>, EncryptError> {
    Ok(written(&wire_key(point)?)?)
}

/// Returns a public key as messages and certificates have it.
///
/// # Errors
/// [`EncryptError::Unsupported`] for a curve of 384 bits.
pub fn wire_key(point: &Point) -> Result<PublicEncryptionKey<'_>, EncryptError> {
    let key = match point.curve() {
        Curve::P256 => BasePublicEncryptionKey::EciesNistP256(compressed(point)),
        Curve::BrainpoolP256r1 => BasePublicEncryptionKey::EciesBrainpoolP256r1(compressed(point)),
        Curve::P384 | Curve::BrainpoolP384r1 => {
            return Err(EncryptError::Unsupported("ECIES on a curve of 384 bits"));
        }
    };
    Ok(PublicEncryptionKey {
        algorithm: SymmAlgorithm::Aes128Ccm,
        key,
    })
}
