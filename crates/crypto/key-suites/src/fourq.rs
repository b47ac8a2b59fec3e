//! FourQ: Diffie-Hellman with cofactor, and SchnorrQ.
//!
//! A thin cover of `waywarden_fourq`, which see; what is decided here stands with the functions.

use subtle::{ConditionallySelectable, ConstantTimeEq};
use waywarden_fourq::dh::{self, ExtractError};
use waywarden_fourq::{EncodedFourQPoint, SigningKey, VerifyingKey};
use waywarden_work::{Algorithm, Operation, OperationKind};
use zeroize::Zeroizing;

use super::{
    AgreementError, CurveSuite, DiffieHellman, Meter, PublicKey, Secret, Share, SignatureScheme,
    VerifyError,
};

/// FourQ with SchnorrQ: about 123 bits of security. Shares and public keys have 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FourQ;

/// A secret scalar of FourQ. Wiped on drop; no `Debug`, no comparison.
pub struct FourQScalar(dh::DhSecret);

impl FourQScalar {
    /// The little-endian bytes, or one for zero.
    fn new(bytes: &[u8; 32]) -> Self {
        let mut bytes = Zeroizing::new(*bytes);
        let zero = bytes.ct_eq(&[0; 32]);
        bytes[0].conditional_assign(&1, zero);
        FourQScalar(dh::DhSecret::from_bytes(&bytes))
    }
}

super::agree_by_diffie_hellman!(FourQ);

impl DiffieHellman for FourQ {
    type Scalar = FourQScalar;

    /// The 32 bytes as a little-endian integer, used modulo N, as FourQlib does.
    ///
    /// 2^256 is about 2^10.6 N, so of uniform bytes come scalars of which none is likelier than
    /// among uniform scalars by more than a factor of 1 + 2^-10: whatever finds a secret here with
    /// probability p would find it with p / (1 + 2^-10) there, for each scalar that it attacks.
    /// So 32 bytes are enough for an agreement (not for nonces of signatures, whose bias adds up).
    ///
    /// Zero is replaced by one. Other multiples of N, one in 2^245, give a share that everyone
    /// refuses and an [`AgreementError::Neutral`]: they cost a retry, not a secret.
    fn scalar(secret: &Secret) -> FourQScalar {
        FourQScalar::new(secret.as_bytes())
    }

    /// The 16 bytes as a little-endian integer.
    fn scalar_as_published(bytes: &[u8; 16]) -> FourQScalar {
        let mut wide = Zeroizing::new([0; 32]);
        wide[..16].copy_from_slice(bytes);
        FourQScalar::new(&wide)
    }

    fn share(meter: &mut impl Meter, scalar: &FourQScalar) -> Share {
        meter.record(Operation::new(OperationKind::Share, Self::ALGORITHM, 0));
        scalar.0.share().0
    }

    /// The secret is the y-coordinate of the common point, 32 bytes.
    fn extract(
        meter: &mut impl Meter,
        scalar: &FourQScalar,
        share: &Share,
    ) -> Result<Secret, AgreementError> {
        meter.record(Operation::new(OperationKind::Extract, Self::ALGORITHM, 0));
        let agreed = scalar
            .0
            .extract(&EncodedFourQPoint(*share))
            .map_err(cause)?;
        Ok(Secret::from_bytes(*agreed.as_bytes()))
    }
}

fn cause(error: ExtractError) -> AgreementError {
    match error {
        ExtractError::NotOnCurve => AgreementError::NotOnCurve,
        ExtractError::SmallOrder => AgreementError::Weak,
        ExtractError::Neutral => AgreementError::Neutral,
        // Errors of the encoding.
        _ => AgreementError::NotCanonical,
    }
}

impl SignatureScheme for FourQ {
    const PUBLIC_KEY_LENGTH: usize = 32;
    const SIGNATURE_LENGTH: usize = 64;

    type SigningKey = SigningKey;
    type PublicKey = PublicKey;
    type Signature = [u8; 64];

    /// Any 32 bytes will do, since SchnorrQ hashes them.
    fn signing_key(secret: &Secret) -> SigningKey {
        SigningKey::from_bytes(secret.as_bytes())
    }

    fn public_key(key: &SigningKey) -> PublicKey {
        PublicKey::short(&key.public().0)
    }

    fn sign(meter: &mut impl Meter, key: &SigningKey, message: &[u8]) -> [u8; 64] {
        meter.record(super::over(OperationKind::Sign, Self::ALGORITHM, message));
        key.sign(message).0
    }

    /// Verifies a signature. A message has one valid signature for each nonce under a key: it
    /// cannot be turned into another.
    fn verify(
        meter: &mut impl Meter,
        public: &PublicKey,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<(), VerifyError> {
        meter.record(super::over(OperationKind::Verify, Self::ALGORITHM, message));
        let encoded =
            EncodedFourQPoint::from_slice(public.as_bytes()).map_err(|_| VerifyError::PublicKey)?;
        let key = VerifyingKey::decode(&encoded).map_err(|_| VerifyError::PublicKey)?;
        let signature = waywarden_fourq::SchnorrQSignature(*signature);
        key.verify(message, &signature)
            .map_err(|error| match error {
                waywarden_fourq::SchnorrQVerifyError::Mismatch => VerifyError::Mismatch,
                // Errors of the encoding.
                _ => VerifyError::Malformed,
            })
    }
}

impl CurveSuite for FourQ {
    const NAME: &'static str = "fourq";
    const IDENTIFIER: u8 = 1;
    const ALGORITHM: Algorithm = Algorithm::FourQ;
}
