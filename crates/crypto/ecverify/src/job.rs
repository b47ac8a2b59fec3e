//! Jobs in plain bytes, and a verdict for each.

use core::fmt;

use crate::curves::Curve;
use crate::encoding::{EncodedPoint, PointError};

/// One signature to verify. Only bytes cross this border; nothing in a job has been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Job<'a> {
    /// The curve of the signature and of every key.
    pub curve: Curve,
    /// The hash that was signed: 32 bytes (SHA-256) or 48 (SHA-384). Where it has more bits than
    /// the order, the leftmost ones count (FIPS 186-5 §6.4.2).
    pub digest: &'a [u8],
    /// The signature.
    pub signature: EncodedSignature<'a>,
    /// The key that the signature is claimed to be of.
    pub key: JobKey<'a>,
    /// The name under which a kernel may keep values computed from the key, for the sender's next
    /// message. It changes no verdict; the portable kernel keeps nothing.
    pub sender: Option<SenderId>,
}

/// An ECDSA signature as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodedSignature<'a> {
    /// Either the integer r ([`EncodedPoint::XOnly`], in 1..n), or the point R whose abscissa,
    /// below p, gives r = x mod n.
    pub r: EncodedPoint<'a>,
    /// The integer s, in 1..n, high or low; big-endian, as long as a coordinate.
    pub s: &'a [u8],
}

/// A public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobKey<'a> {
    /// The key itself.
    Explicit(EncodedPoint<'a>),
    /// The key of an implicit certificate, e P + C, which is verified with but never computed.
    Implicit {
        /// The hash that IEEE 1609.2 §5.3.2 makes of the certificate and its issuer's: 32 or 48
        /// bytes, all of which are the integer e.
        e: &'a [u8],
        /// P, the certificate's reconstruction value.
        reconstruction: EncodedPoint<'a>,
        /// C, the issuer's public key.
        ca: EncodedPoint<'a>,
    },
}

/// A name for the holder of one certificate, chosen by the caller: equal names mean equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SenderId(pub u64);

/// The answer to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Verdict {
    /// The key signed the digest.
    Valid,
    /// The key did not sign the digest, or the job is malformed.
    Refused(SignatureRefusal),
}

impl Verdict {
    /// Returns true if this is [`Verdict::Valid`].
    #[must_use]
    pub fn is_valid(self) -> bool {
        self == Self::Valid
    }
}

impl From<Result<(), SignatureRefusal>> for Verdict {
    fn from(result: Result<(), SignatureRefusal>) -> Self {
        match result {
            Ok(()) => Self::Valid,
            Err(refusal) => Self::Refused(refusal),
        }
    }
}

/// Reason why a signature is refused: the first of these that applies, in this order, except that a
/// point of wrong form, length or range is reported before one that is not on the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SignatureRefusal {
    /// The digest has neither 32 nor 48 bytes.
    DigestLength,
    /// s, or a coordinate given for r, does not have the length of a coordinate.
    SignatureLength,
    /// r is given as `fill`.
    SignatureForm,
    /// r is not in 1..n; or, given as a point, a coordinate is not below p, or x mod n is 0.
    ROutOfRange,
    /// s is not in 1..n.
    SOutOfRange,
    /// The hash e of an implicit certificate has neither 32 nor 48 bytes.
    HashLength,
    /// The explicit key is no point of the curve.
    Key(PointError),
    /// The reconstruction value is no point of the curve.
    Reconstruction(PointError),
    /// The issuer's key is no point of the curve.
    Ca(PointError),
    /// The key that the implicit certificate stands for is infinity: e P = -C.
    KeyAtInfinity,
    /// The key did not make this signature over this digest.
    Equation,
    /// The key made this signature, but R was sent as a point and is another one than the
    /// signature's: y differs, or x does by n. FIPS 186-5, which knows r alone, would accept.
    NoncePoint,
}

impl fmt::Display for SignatureRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DigestLength => "the digest has neither 32 nor 48 bytes",
            Self::SignatureLength => "r or s has the wrong length",
            Self::SignatureForm => "r is given as fill",
            Self::ROutOfRange => "r is out of range",
            Self::SOutOfRange => "s is out of range",
            Self::HashLength => "the certificate's hash has neither 32 nor 48 bytes",
            Self::Key(error) => return write!(f, "the key: {error}"),
            Self::Reconstruction(error) => return write!(f, "reconstruction value: {error}"),
            Self::Ca(error) => return write!(f, "the issuer's key: {error}"),
            Self::KeyAtInfinity => "the rebuilt key is at infinity",
            Self::Equation => "the signature does not fit key and digest",
            Self::NoncePoint => "r fits, but the point R that was sent is another one",
        })
    }
}

impl core::error::Error for SignatureRefusal {}
