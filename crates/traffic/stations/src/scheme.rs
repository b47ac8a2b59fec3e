//! Frames as long as signatures and keys of other schemes would make them.
//!
//! Bytes only: no message is signed so, IEEE 1609.2 has no post-quantum scheme, and what a standard
//! will make of one is open. The size of the message that was really encoded changes by the
//! difference of the raw sizes, in the signature, and in the key and the issuer's signature of a
//! certificate.

use waywarden_traffic_lab::radio::{Access, RadioSettings};

/// Bytes of an ECDSA signature with P-256 in a message: a point of 33 and a number of 32
/// \[1609.2 §6.3.29\].
const ECDSA_SIGNATURE: u32 = 65;
/// Bytes of a compressed point of P-256 \[1609.2 §6.3.18\].
const ECDSA_KEY: u32 = 33;

/// Bytes of an SPDU that a frame carries at most: the default of `WsmMaxLength` \[1609.3\], and two
/// more than the greatest unit of GeoNetworking \[EN 302 636-4-1\]. Unconfirmed. A frame of
/// IEEE 802.11 has 2,304 at most, and broadcasts are not fragmented there.
pub const FRAGMENT_BYTES: u32 = 1_400;

/// Greatest time of a transmission that EN 302 571 allows, in ns. Unconfirmed.
pub const TRANSMISSION_MOST_NS: u64 = 4_000_000;

/// Scheme whose sizes the signatures and keys of a run have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignatureScheme {
    /// ECDSA with P-256: the messages as they are.
    #[default]
    EcdsaP256,
    /// FN-DSA-512, with signatures padded to one length.
    FnDsa512,
    /// ML-DSA-44 (FIPS 204).
    MlDsa44,
    /// ECDSA and FN-DSA-512 side by side, in messages and certificates.
    HybridFnDsa512,
    /// ECDSA and ML-DSA-44 side by side, in messages and certificates.
    HybridMlDsa44,
    /// Messages and their keys stay those of ECDSA; the issuer signs certificates with FN-DSA-512,
    /// too.
    IssuerFnDsa512,
    /// The same with ML-DSA-44.
    IssuerMlDsa44,
}

/// Sizes of a public key and of a signature, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    key: u32,
    signature: u32,
}

impl Sizes {
    const ECDSA: Self = Self {
        key: ECDSA_KEY,
        signature: ECDSA_SIGNATURE,
    };
    /// Falcon-512 in its padded form, as the candidate of FIPS 206 has it \[PQM4\].
    const FN_DSA_512: Self = Self {
        key: 897,
        signature: 666,
    };
    /// FIPS 204, table 2.
    const ML_DSA_44: Self = Self {
        key: 1_312,
        signature: 2_420,
    };
    const NONE: Self = Self {
        key: 0,
        signature: 0,
    };

    fn and(self, other: Self) -> Self {
        Self {
            key: self.key + other.key,
            signature: self.signature + other.signature,
        }
    }
}

impl SignatureScheme {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::EcdsaP256,
        Self::FnDsa512,
        Self::MlDsa44,
        Self::HybridFnDsa512,
        Self::HybridMlDsa44,
        Self::IssuerFnDsa512,
        Self::IssuerMlDsa44,
    ];

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EcdsaP256 => "ecdsa-p256",
            Self::FnDsa512 => "fn-dsa-512",
            Self::MlDsa44 => "ml-dsa-44",
            Self::HybridFnDsa512 => "hybrid-fn-dsa-512",
            Self::HybridMlDsa44 => "hybrid-ml-dsa-44",
            Self::IssuerFnDsa512 => "issuer-fn-dsa-512",
            Self::IssuerMlDsa44 => "issuer-ml-dsa-44",
        }
    }

    /// Sizes of what the vehicle signs with, and of its issuer's signature.
    fn sizes(self) -> (Sizes, u32) {
        let (own, issuer) = match self {
            Self::EcdsaP256 => (Sizes::ECDSA, Sizes::NONE),
            Self::FnDsa512 => (Sizes::FN_DSA_512, Sizes::NONE),
            Self::MlDsa44 => (Sizes::ML_DSA_44, Sizes::NONE),
            Self::HybridFnDsa512 => (Sizes::ECDSA.and(Sizes::FN_DSA_512), Sizes::NONE),
            Self::HybridMlDsa44 => (Sizes::ECDSA.and(Sizes::ML_DSA_44), Sizes::NONE),
            Self::IssuerFnDsa512 => (Sizes::ECDSA, Sizes::FN_DSA_512),
            Self::IssuerMlDsa44 => (Sizes::ECDSA, Sizes::ML_DSA_44),
        };
        (own, own.signature + issuer.signature)
    }

    /// Returns how much longer than with ECDSA the signature of a message is.
    #[must_use]
    pub fn more_in_message(self) -> u32 {
        self.sizes().0.signature - ECDSA_SIGNATURE
    }

    /// Returns how much longer than with ECDSA an explicit certificate is, with its public key and
    /// the signature of its issuer.
    #[must_use]
    pub fn more_in_certificate(self) -> u32 {
        let (own, issuer) = self.sizes();
        own.key - ECDSA_KEY + issuer - ECDSA_SIGNATURE
    }
}

/// A message on the air: one frame, or fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentFrames {
    /// Number of frames.
    pub frames: u32,
    /// Bytes of all of them.
    pub bytes: u32,
    /// Time on the air, with the short spaces between fragments, in ns.
    pub airtime_ns: u64,
}

impl SentFrames {
    /// Splits an SPDU into parts of at most [`FRAGMENT_BYTES`]. Each frame repeats the headers and
    /// the check sequence, `around` bytes.
    ///
    /// Choice: fragments follow each other after the short space, as a burst of one channel access,
    /// and a receiver has the message if it reads the burst whole. Fragments that each wait for the
    /// channel would collide more often, so losses are a lower bound.
    #[must_use]
    pub fn new(spdu: u32, around: u32, radio: &RadioSettings) -> Self {
        let frames = spdu.div_ceil(FRAGMENT_BYTES).max(1);
        let last = spdu - (frames - 1) * FRAGMENT_BYTES;
        let full_ns = radio.airtime_ns(FRAGMENT_BYTES + around);
        let Access { short_space_ns, .. } = radio.access;
        Self {
            frames,
            bytes: spdu + frames * around,
            airtime_ns: u64::from(frames - 1) * (full_ns + short_space_ns)
                + radio.airtime_ns(last + around),
        }
    }
}
