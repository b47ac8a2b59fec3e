//! Secured data: unsecured, signed or encrypted \[1609.2 §6.3\].

use super::{
    Certificate, EncryptedData, HashAlgorithm, HashedId8, HeaderInfo, Psid, Signature, Version3,
};
use crate::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, NestedEncoding, Null, Raw, SequenceOf, Silent,
    Visitor, choice, sequence,
};
use crate::error::{EmitError, ParseFault, WireError};

choice! {
    /// Hash of external data \[1609.2 §6.3.8\].
    pub enum HashedData<'a> = "HashedData", critical {
        /// SHA-256 digest.
        0 Sha256(&'a [u8; 32]) = "sha256HashedData";
    }
    additions {
        /// SHA-384 digest.
        1 Sha384(&'a [u8; 48]) = "sha384HashedData";
        /// SM3 digest.
        2 Sm3(&'a [u8; 32]) = "sm3HashedData";
    }
}

sequence! {
    /// Parts of a payload \[1609.2 §6.3.7\].
    pub struct PayloadParts<'a> = "SignedDataPayload" {
        /// Data in the message.
        optional data: NestedEncoding<'a, Ieee1609Dot2Data<'a>> = "data";
        /// Hash of external data.
        optional external_hash: HashedData<'a> = "extDataHash";
    }
    additions {
        /// Present if the hash also covers external data that the message omits.
        omitted: Null = "omitted";
    }
}

/// Signed payload: data in the message, the hash of external data, or both \[1609.2 §6.3.7\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDataPayload<'a>(PayloadParts<'a>);

impl<'a> SignedDataPayload<'a> {
    /// Creates a payload from its parts; `None` if there is none.
    #[must_use]
    pub fn new(parts: PayloadParts<'a>) -> Option<Self> {
        let any = parts.data.is_some() || parts.external_hash.is_some() || parts.omitted.is_some();
        any.then_some(Self(parts))
    }
}

impl<'a> core::ops::Deref for SignedDataPayload<'a> {
    type Target = PayloadParts<'a>;

    fn deref(&self) -> &PayloadParts<'a> {
        &self.0
    }
}

impl<'a> CoerDecode<'a> for SignedDataPayload<'a> {
    const NAME: &'static str = "SignedDataPayload";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        const NONE: ParseFault = ParseFault::Inconsistent("a payload has data or the hash of data");
        let offset = reader.offset();
        Self::new(PayloadParts::decode(reader)?).ok_or(WireError::at(NONE, offset))
    }
}

impl CoerEncode for SignedDataPayload<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}

sequence! {
    /// Part of signed data that is hashed and signed \[1609.2 §6.3.6\].
    pub struct ToBeSignedData<'a> = "ToBeSignedData" {
        /// Payload of the message.
        required payload: SignedDataPayload<'a> = "payload";
        /// Header fields that the signer adds.
        required header_info: HeaderInfo<'a> = "headerInfo";
    }
}

choice! {
    /// Signer of the data \[1609.2 §6.3\].
    pub enum SignerIdentifier<'a> = "SignerIdentifier", critical {
        /// The holder of the certificate with this digest.
        0 Digest(HashedId8) = "digest";
        /// The holder of the first of these certificates; each further one issued the one before
        /// it.
        1 Certificate(SequenceOf<'a, Certificate<'a>>) = "certificate";
        /// The holder of the key in the payload.
        2 OwnKey(Null) = "self";
    }
}

sequence! {
    /// Signed data \[1609.2 §6.3.4\].
    pub struct SignedData<'a> = "SignedData" {
        /// Hash function of the signature.
        required hash_id: HashAlgorithm = "hashId";
        /// Signed part, with its bytes.
        required tbs_data: Raw<'a, ToBeSignedData<'a>> = "tbsData";
        /// Signer of the data.
        required signer: SignerIdentifier<'a> = "signer";
        /// Signature of the signer.
        required signature: Signature<'a> = "signature";
    }
}

choice! {
    /// Contents of secured data \[1609.2 §6.3.3\].
    #[non_exhaustive]
    pub enum Ieee1609Dot2Content<'a> = "Ieee1609Dot2Content", critical {
        /// Unsecured data.
        0 Unsecured(&'a [u8]) = "unsecuredData";
        /// Signed data.
        1 Signed(SignedData<'a>) = "signedData";
        /// Encrypted data.
        2 Encrypted(EncryptedData<'a>) = "encryptedData";
        /// A signed certificate request.
        3 SignedCertificateRequest(&'a [u8]) = "signedCertificateRequest";
    }
    additions {
        /// A certificate request, signed under X.509.
        4 SignedX509CertificateRequest(&'a [u8]) = "signedX509CertificateRequest";
    }
}

sequence! {
    /// A secured protocol data unit \[1609.2 §6.3.2\].
    pub struct Ieee1609Dot2Data<'a> = "Ieee1609Dot2Data" {
        /// Version of the structure.
        required version: Version3 = "protocolVersion";
        /// Contents of the data unit.
        required content: Ieee1609Dot2Content<'a> = "content";
    }
}

/// Application and payload size of a large message, found before it is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageOutline {
    /// Application that the message states.
    pub psid: Psid,
    /// Length of the unsecured payload, in bytes.
    pub payload_bytes: usize,
}

/// Finds the application and the payload size of signed data with an unsecured payload, in constant
/// time for any length; `None` for everything else. Nothing else of the message is checked.
#[must_use]
pub fn outline(message: &[u8]) -> Option<MessageOutline> {
    const SIGNED: u8 = 1;
    const UNSECURED: u8 = 0;
    let mut reader = CoerReader::new(message, Silent);
    Version3::decode(&mut reader).ok()?;
    (reader.tag().ok()? == SIGNED).then_some(())?;
    HashAlgorithm::decode(&mut reader).ok()?;
    // The payload: no extension, data here, no hash.
    let mut payload = reader.preamble(3).ok()?;
    let bits = [payload.next(), payload.next(), payload.next()];
    (bits == [false, true, false]).then_some(())?;
    Version3::decode(&mut reader).ok()?;
    (reader.tag().ok()? == UNSECURED).then_some(())?;
    let payload_bytes = <&[u8]>::decode(&mut reader).ok()?.len();
    // The header: an extension bit and six optional fields, then the application.
    reader.preamble(7).ok()?;
    let psid = Psid::decode(&mut reader).ok()?;
    Some(MessageOutline {
        psid,
        payload_bytes,
    })
}
