//! Messages between the parties of a public key infrastructure: IEEE 1609.2.1-2022.
//!
//! Names are those of the standard. The alternatives of [`ScmsPdu`] between a station and a
//! registration authority (EE, RA), a registration and an authorization authority (RA, ACA), an
//! authorization authority and a station, and those of certificate management are read and written.
//! Others are refused, among them enrolment (`eca-ee`); the interfaces of linkage and misbehaviour
//! authorities are NULL in the standard. Of certificate access control (ACPC), only the name of a
//! tree is supported. An SPDU of the standard is secured data of `ieee1609dot2` around one of
//! these.
//!
//! The ASN.1 also states which fields of a certificate request are present, or have which value.
//! The reader of requests checks that, as for all contents of certificates.

mod authorization;
pub mod irregular;
mod lists;
mod management;
mod permission;
mod registration;
mod request;

pub use authorization::{
    AcaEeCertResponse, AcaEeInterfacePdu, AcaRaCertResponse, AcaRaInterfacePdu, AcaResponse,
    EncryptedIndividualPlv, LinkageInfo, PreLinkageValue, RaAcaCertRequest, RaAcaCertRequestFlags,
};
pub use lists::{FULL_IEEE_CTL, has_form_of_memory};
pub use management::{
    CertManagementPdu, CertificateChain, CertificateManagementInfoStatus, CompositeCrl,
    CrlInfoStatus, CtlInfoStatus, CtlSequenceNumber, ElectorGroupId, FullIeeeTbsCtl, MaInfoStatus,
    MultiSignedCtl, MultiSignedCtlType, ToBeSignedCtlSignature,
};
pub use permission::{CamSsp, LaSsp, MaSsp, RoleSsp, ScmsSsp, Uint16};
pub use registration::{
    AcpcTreeId, AdditionalParams, ButterflyExpansion, ButterflyParamsOriginal, EeRaCertRequest,
    EeRaDownloadRequest, EeRaInterfacePdu, RaEeCertAck, RaEeCertInfo,
};
pub use request::SignedCertificateRequest;

use crate::coer::{
    CoerDecode, CoerEncode, CoerReader, CoerSink, Visitor, choice, octets, sequence,
};
use crate::error::{EmitError, ParseFault, WireError};

octets! {
    /// All octets of a SHA-256 \[1609.2.1\].
    pub struct HashedId32([u8; 32]) = "HashedId32";
    /// All octets of a SHA-384 \[1609.2.1\].
    pub struct HashedId48([u8; 48]) = "HashedId48";
}

/// Version of all these structures: 2 \[1609.2.1\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version2;

impl<'a> CoerDecode<'a> for Version2 {
    const NAME: &'static str = "Uint8";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let found = u8::decode(reader)?;
        let expected = 2;
        match found == expected {
            true => Ok(Self),
            false => Err(WireError::at(
                ParseFault::Version { expected, found },
                offset,
            )),
        }
    }
}

impl CoerEncode for Version2 {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        sink.put(&[2])
    }
}

choice! {
    /// Interface between two parties, with its message \[1609.2.1\].
    #[non_exhaustive]
    pub enum ScmsContent<'a> = "content", critical {
        /// From an authorization authority to a station.
        0 AcaEe(AcaEeInterfacePdu<'a>) = "aca-ee";
        /// Between a registration and an authorization authority.
        3 AcaRa(AcaRaInterfacePdu<'a>) = "aca-ra";
        /// To all parties that manage certificates.
        4 Cert(CertManagementPdu<'a>) = "cert";
        /// Between a station and a registration authority.
        7 EeRa(EeRaInterfacePdu<'a>) = "ee-ra";
    }
}

sequence! {
    /// One message of a public key infrastructure \[1609.2.1\].
    pub struct ScmsPdu<'a> = "ScmsPdu" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Contents of the message.
        required content: ScmsContent<'a> = "content";
    }
}

impl<'a> ScmsPdu<'a> {
    /// Wraps the contents in a message.
    #[must_use]
    pub const fn new(content: ScmsContent<'a>) -> Self {
        Self {
            version: Version2,
            content,
        }
    }
}
