//! Points, keys and signatures as they travel \[1609.2 §6.3\]. Whether a point lies
//! on its curve is not asked here.

use crate::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, EncodingForm, Null, Visitor, choice, enumerated,
    sequence,
};
use crate::error::{EmitError, ParseFault, WireError};

/// A point of an elliptic curve over a field of `N` bytes.
///
/// Written in canonical form, a point with both coordinates is compressed; a signature writes its
/// own as an x-coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurvePoint<'a, const N: usize> {
    /// Its x-coordinate: enough for the `r` of a signature, not for a key.
    XOnly(&'a [u8; N]),
    /// Nothing; not used any more.
    Fill,
    /// Its x-coordinate; y is even.
    CompressedY0(&'a [u8; N]),
    /// Its x-coordinate; y is odd.
    CompressedY1(&'a [u8; N]),
    /// Both coordinates.
    Uncompressed {
        /// The one.
        x: &'a [u8; N],
        /// The other one.
        y: &'a [u8; N],
    },
}

/// A point of a curve of 256 bits \[1609.2 §6.3\].
pub type EccP256CurvePoint<'a> = CurvePoint<'a, 32>;
/// A point of a curve of 384 bits \[1609.2 §6.3\].
pub type EccP384CurvePoint<'a> = CurvePoint<'a, 48>;

impl<'a, const N: usize> CurvePoint<'a, N> {
    const UNCOMPRESSED: &'static str = match N {
        32 => "uncompressedP256",
        _ => "uncompressedP384",
    };

    /// Returns the x-coordinate, if there is one.
    #[must_use]
    pub fn x(&self) -> Option<&'a [u8; N]> {
        match self {
            Self::Fill => None,
            Self::XOnly(x) | Self::CompressedY0(x) | Self::CompressedY1(x) => Some(x),
            Self::Uncompressed { x, .. } => Some(x),
        }
    }

    /// Returns the point in compressed form, if it has one.
    #[must_use]
    pub fn compressed(&self) -> Option<Self> {
        match *self {
            Self::XOnly(_) | Self::Fill => None,
            Self::CompressedY0(_) | Self::CompressedY1(_) => Some(*self),
            Self::Uncompressed { x, y } => Some(match y[N - 1] & 1 {
                0 => Self::CompressedY0(x),
                _ => Self::CompressedY1(x),
            }),
        }
    }

    /// Returns the point as in the canonical form of a signature.
    fn x_only(&self) -> Self {
        self.x().map_or(*self, Self::XOnly)
    }
}

impl<'a, const N: usize> CoerDecode<'a> for CurvePoint<'a, N> {
    const NAME: &'static str = match N {
        32 => "EccP256CurvePoint",
        _ => "EccP384CurvePoint",
    };

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        match reader.tag()? {
            0 => reader.field("x-only").map(Self::XOnly),
            1 => reader.field::<Null>("fill").map(|_| Self::Fill),
            2 => reader.field("compressed-y-0").map(Self::CompressedY0),
            3 => reader.field("compressed-y-1").map(Self::CompressedY1),
            4 => reader.item(Self::UNCOMPRESSED, |reader| {
                let x = reader.field("x")?;
                let y = reader.field("y")?;
                Ok(Self::Uncompressed { x, y })
            }),
            tag => {
                let fault = ParseFault::UnknownTag(u64::from(tag));
                Err(WireError::at(fault, offset))
            }
        }
    }
}

impl<const N: usize> CoerEncode for CurvePoint<'_, N> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let point = match S::FORM {
            EncodingForm::Canonical => self.compressed().unwrap_or(*self),
            _ => *self,
        };
        point.put(sink)
    }
}

impl<const N: usize> CurvePoint<'_, N> {
    fn put<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        let (tag, parts): (u8, [&[u8]; 2]) = match self {
            Self::XOnly(x) => (0, [*x, &[]]),
            Self::Fill => (1, [&[], &[]]),
            Self::CompressedY0(x) => (2, [*x, &[]]),
            Self::CompressedY1(x) => (3, [*x, &[]]),
            Self::Uncompressed { x, y } => (4, [*x, *y]),
        };
        sink.put(&[0x80 | tag])?;
        parts.iter().try_for_each(|part| sink.put(part))
    }
}

/// An ECDSA signature over a curve of `8 N` bits \[1609.2 §6.3\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EcdsaSignature<'a, const N: usize> {
    /// The point whose x-coordinate, modulo the order, is `r`; or `r` itself.
    pub r: CurvePoint<'a, N>,
    /// `s`.
    pub s: &'a [u8; N],
}

impl<'a, const N: usize> CoerDecode<'a> for EcdsaSignature<'a, N> {
    const NAME: &'static str = match N {
        32 => "EcdsaP256Signature",
        _ => "EcdsaP384Signature",
    };

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let r = reader.field("rSig")?;
        let s = reader.field("sSig")?;
        Ok(Self { r, s })
    }
}

impl<const N: usize> CoerEncode for EcdsaSignature<'_, N> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        match S::FORM {
            EncodingForm::Canonical => self.r.x_only().put(sink)?,
            _ => self.r.put(sink)?,
        }
        sink.put(self.s)
    }
}

sequence! {
    /// An SM2 signature \[1609.2 §6.3\].
    pub struct EcsigP256Signature<'a> = "EcsigP256Signature" {
        /// `r`.
        required r: &'a [u8; 32] = "rSig";
        /// `s`.
        required s: &'a [u8; 32] = "sSig";
    }
}

choice! {
    /// A signature \[1609.2 §6.3\].
    pub enum Signature<'a> = "Signature", critical {
        /// Over NIST P-256.
        0 EcdsaNistP256(EcdsaSignature<'a, 32>) = "ecdsaNistP256Signature";
        /// Over brainpoolP256r1.
        1 EcdsaBrainpoolP256r1(EcdsaSignature<'a, 32>) = "ecdsaBrainpoolP256r1Signature";
    }
    additions {
        /// Over brainpoolP384r1.
        2 EcdsaBrainpoolP384r1(EcdsaSignature<'a, 48>) = "ecdsaBrainpoolP384r1Signature";
        /// Over NIST P-384.
        3 EcdsaNistP384(EcdsaSignature<'a, 48>) = "ecdsaNistP384Signature";
        /// SM2.
        4 Sm2(EcsigP256Signature<'a>) = "sm2Signature";
    }
}

choice! {
    /// A key that verifies signatures \[1609.2 §6.3\].
    pub enum PublicVerificationKey<'a> = "PublicVerificationKey", critical {
        /// Over NIST P-256.
        0 EcdsaNistP256(EccP256CurvePoint<'a>) = "ecdsaNistP256";
        /// Over brainpoolP256r1.
        1 EcdsaBrainpoolP256r1(EccP256CurvePoint<'a>) = "ecdsaBrainpoolP256r1";
    }
    additions {
        /// Over brainpoolP384r1.
        2 EcdsaBrainpoolP384r1(EccP384CurvePoint<'a>) = "ecdsaBrainpoolP384r1";
        /// Over NIST P-384.
        3 EcdsaNistP384(EccP384CurvePoint<'a>) = "ecdsaNistP384";
        /// SM2.
        4 EcsigSm2(EccP256CurvePoint<'a>) = "ecsigSm2";
    }
}

enumerated! {
    /// A symmetric algorithm \[1609.2 §6.3\].
    pub enum SymmAlgorithm = "SymmAlgorithm" {
        /// AES-128 in CCM.
        0 Aes128Ccm = "aes128Ccm";
        /// SM4 in CCM.
        1 Sm4Ccm = "sm4Ccm";
    }
}

choice! {
    /// A key that one encrypts to \[1609.2 §6.3\].
    pub enum BasePublicEncryptionKey<'a> = "BasePublicEncryptionKey", open {
        /// Over NIST P-256.
        0 EciesNistP256(EccP256CurvePoint<'a>) = "eciesNistP256";
        /// Over brainpoolP256r1.
        1 EciesBrainpoolP256r1(EccP256CurvePoint<'a>) = "eciesBrainpoolP256r1";
    }
    additions {
        /// SM2.
        2 EcencSm2(EccP256CurvePoint<'a>) = "ecencSm2";
    }
}

sequence! {
    /// A key that one encrypts to, and for what \[1609.2 §6.3\].
    pub struct PublicEncryptionKey<'a> = "PublicEncryptionKey" {
        /// The algorithm.
        required algorithm: SymmAlgorithm = "supportedSymmAlg";
        /// The key.
        required key: BasePublicEncryptionKey<'a> = "publicKey";
    }
}

choice! {
    /// A symmetric key \[1609.2 §6.3\].
    pub enum SymmetricEncryptionKey<'a> = "SymmetricEncryptionKey", open {
        /// For AES-128 in CCM.
        0 Aes128Ccm(&'a [u8; 16]) = "aes128Ccm";
    }
    additions {
        /// For SM4 in CCM.
        1 Sm4Ccm(&'a [u8; 16]) = "sm4Ccm";
    }
}

choice! {
    /// A key to encrypt an answer with \[1609.2 §6.3\].
    pub enum EncryptionKey<'a> = "EncryptionKey", closed {
        /// A public one.
        0 Public(PublicEncryptionKey<'a>) = "public";
        /// One that both have.
        1 Symmetric(SymmetricEncryptionKey<'a>) = "symmetric";
    }
}
