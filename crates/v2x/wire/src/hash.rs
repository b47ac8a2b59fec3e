//! Hashes of signed data and certificates \[1609.2 §5.3.1, §6.4.3\].

mod canonical;
mod data;

use crate::EmitError;
use crate::coer::{Canonical, CoerEncode, CoerSink};
use crate::ieee1609dot2::{
    Certificate, CertificateType, HashAlgorithm, HashedId3, HashedId8, HashedId10,
    IssuerIdentifier, PublicVerificationKey, VerificationKeyIndicator,
};
use sha2::{Digest as _, Sha256, Sha384};

pub use canonical::{is_canonical_certificate, is_canonical_data, is_canonical_part};
pub use data::DataHash;

/// Maximum length of a digest, in bytes.
const DIGEST_MAX: usize = 48;

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashFunction {
    /// SHA-256: for keys of 256 bits.
    Sha256,
    /// SHA-384: for keys of 384 bits.
    Sha384,
}

impl HashFunction {
    /// Returns the function that an algorithm identifier names; `None` for SM3, which is not
    /// supported.
    #[must_use]
    pub fn of(algorithm: HashAlgorithm) -> Option<Self> {
        match algorithm {
            HashAlgorithm::Sha256 => Some(Self::Sha256),
            HashAlgorithm::Sha384 => Some(Self::Sha384),
            HashAlgorithm::Sm3 => None,
        }
    }

    /// Returns the length of the digest, in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha384 => 48,
        }
    }

    /// Returns the function that names an issuer by its digest, and with which the issuer signed.
    #[must_use]
    pub fn of_issuer(issuer: &IssuerIdentifier) -> Option<Self> {
        match issuer {
            IssuerIdentifier::Sha256AndDigest(_) => Some(Self::Sha256),
            IssuerIdentifier::Sha384AndDigest(_) => Some(Self::Sha384),
            IssuerIdentifier::SelfIssued(algorithm) => Self::of(*algorithm),
            IssuerIdentifier::Sm3AndDigest(_) => None,
        }
    }

    /// Returns the function with which a whole certificate is hashed: SHA-384 for explicit
    /// certificates with a key of 384 bits, else SHA-256.
    #[must_use]
    pub fn of_certificate(certificate: &Certificate<'_>) -> Option<Self> {
        if certificate.kind == CertificateType::Implicit {
            return Some(Self::Sha256);
        }
        match certificate.to_be_signed.verify_key_indicator {
            VerificationKeyIndicator::VerificationKey(key) => match key {
                PublicVerificationKey::EcdsaNistP256(_)
                | PublicVerificationKey::EcdsaBrainpoolP256r1(_) => Some(Self::Sha256),
                PublicVerificationKey::EcdsaNistP384(_)
                | PublicVerificationKey::EcdsaBrainpoolP384r1(_) => Some(Self::Sha384),
                PublicVerificationKey::EcsigSm2(_) => None,
            },
            VerificationKeyIndicator::ReconstructionValue(_) => Some(Self::Sha256),
        }
    }
}

/// The output of a hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    bytes: [u8; DIGEST_MAX],
    length: u8,
}

impl Digest {
    fn new(output: &[u8]) -> Self {
        let mut bytes = [0; DIGEST_MAX];
        let length = output.len().min(DIGEST_MAX);
        bytes[..length].copy_from_slice(&output[..length]);
        Self {
            bytes,
            length: length as u8,
        }
    }

    /// Returns the bytes: 32 or 48.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    fn last<const N: usize>(&self) -> [u8; N] {
        let mut last = [0; N];
        last.copy_from_slice(&self.as_bytes()[usize::from(self.length) - N..]);
        last
    }

    /// Returns the last three bytes.
    #[must_use]
    pub fn id_3(&self) -> HashedId3 {
        HashedId3(self.last())
    }

    /// Returns the last eight bytes.
    #[must_use]
    pub fn id_8(&self) -> HashedId8 {
        HashedId8(self.last())
    }

    /// Returns the last ten bytes.
    #[must_use]
    pub fn id_10(&self) -> HashedId10 {
        HashedId10(self.last())
    }
}

/// A hash that is being made; values are written into it as into any sink.
enum Hasher {
    Sha256(Sha256),
    Sha384(Sha384),
}

impl Hasher {
    fn new(function: HashFunction) -> Self {
        match function {
            HashFunction::Sha256 => Self::Sha256(Sha256::new()),
            HashFunction::Sha384 => Self::Sha384(Sha384::new()),
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(hash) => hash.update(bytes),
            Self::Sha384(hash) => hash.update(bytes),
        }
    }

    fn finish(self) -> Digest {
        match self {
            Self::Sha256(hash) => Digest::new(&hash.finalize()),
            Self::Sha384(hash) => Digest::new(&hash.finalize()),
        }
    }
}

impl CoerSink for Hasher {
    fn put(&mut self, bytes: &[u8]) -> Result<(), EmitError> {
        self.update(bytes);
        Ok(())
    }
}

/// Returns the hash of bytes.
#[must_use]
pub fn hash(function: HashFunction, bytes: &[u8]) -> Digest {
    let mut hasher = Hasher::new(function);
    hasher.update(bytes);
    hasher.finish()
}

/// Returns the hash of a value in canonical form \[1609.2 §6.1.2\].
///
/// # Errors
/// [`EmitError::OutOfRange`] for values that cannot be written, which none that was read is.
pub fn hash_canonical<T: CoerEncode>(
    function: HashFunction,
    value: &T,
) -> Result<Digest, EmitError> {
    let mut hasher = Hasher::new(function);
    value.encode(&mut Canonical(&mut hasher))?;
    Ok(hasher.finish())
}

/// Returns the hash that is signed: of the hash of the data and the hash of the signer's
/// certificate. The latter is that of the empty string if the signer signs with its own key.
#[must_use]
pub fn hash_for_signature(function: HashFunction, data: &Digest, signer: &Digest) -> Digest {
    let mut hasher = Hasher::new(function);
    hasher.update(data.as_bytes());
    hasher.update(signer.as_bytes());
    hasher.finish()
}

/// Returns the hash of data together with external data that was left out of it \[1609.2 §6.3.6\].
///
/// # Errors
/// As in [`hash_canonical`].
pub fn hash_with_omitted<T: CoerEncode>(
    function: HashFunction,
    data: &T,
    omitted: &[u8],
) -> Result<Digest, EmitError> {
    let mut hasher = Hasher::new(function);
    data.encode(&mut Canonical(&mut hasher))?;
    hasher.update(hash(function, omitted).as_bytes());
    Ok(hasher.finish())
}

/// Returns the hash of the part of a certificate that its issuer signed, in canonical form.
///
/// # Errors
/// As in [`hash_canonical`].
pub fn hash_part(
    function: HashFunction,
    certificate: &Certificate<'_>,
) -> Result<Digest, EmitError> {
    let own = &certificate.to_be_signed;
    match own.bytes().filter(|_| is_canonical_part(own)) {
        Some(bytes) => Ok(hash(function, bytes)),
        None => hash_canonical(function, &**own),
    }
}

/// Returns the hash of a whole certificate in canonical form.
///
/// # Errors
/// As in [`hash_canonical`].
pub fn hash_certificate(
    function: HashFunction,
    certificate: &Certificate<'_>,
) -> Result<Digest, EmitError> {
    let bytes = certificate.bytes();
    match bytes.filter(|_| is_canonical_certificate(certificate)) {
        Some(bytes) => Ok(hash(function, bytes)),
        None => hash_canonical(function, certificate),
    }
}

/// Returns the hash of a whole certificate, whose last bytes identify it; `None` for SM2 keys.
#[must_use]
pub fn certificate_digest(certificate: &Certificate<'_>) -> Option<Digest> {
    let function = HashFunction::of_certificate(certificate)?;
    hash_certificate(function, certificate).ok()
}
