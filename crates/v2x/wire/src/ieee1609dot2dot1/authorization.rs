//! Between a registration authority (RA), an authorisation authority (ACA) and a station (EE).

use super::Version2;
use crate::coer::{choice, octets, sequence};
use crate::ieee1609dot2::{
    Certificate, CertificateType, HashedId8, Ieee1609Dot2Data, LaId, PublicEncryptionKey, Time32,
    ToBeSignedCertificate,
};

octets! {
    /// How the answer to a request is made \[1609.2.1\]: 8 bits, of which two are used.
    pub struct RaAcaCertRequestFlags([u8; 1]) = "RaAcaCertRequestFlags";
    /// A prelinkage value \[1609.2.1\].
    pub struct PreLinkageValue([u8; 9]) = "PreLinkageValue";
}

impl RaAcaCertRequestFlags {
    /// None: an implicit certificate, or an explicit one for the key in the request.
    pub const NONE: Self = Self([0]);
    /// An explicit certificate by butterfly expansion.
    pub const BUTTERFLY_EXPLICIT: Self = Self([0x80]);
    /// Compact unified butterfly keys.
    pub const CUBK: Self = Self([0x40]);
}

sequence! {
    /// A prelinkage value that a linkage authority encrypted to an authorisation authority
    /// \[1609.2.1\].
    pub struct EncryptedIndividualPlv<'a> = "EncryptedIndividualPLV" {
        /// The version.
        required version: Version2 = "version";
        /// The linkage authority.
        required la_id: LaId = "laId";
        /// The encrypted value.
        required enc_plv: Ieee1609Dot2Data<'a> = "encPlv";
    }
}

sequence! {
    /// What the linkage value of a certificate is computed of \[1609.2.1\].
    pub struct LinkageInfo<'a> = "LinkageInfo" {
        /// One authority's part.
        required plv_1: EncryptedIndividualPlv<'a> = "encPlv1";
        /// The other one's.
        required plv_2: EncryptedIndividualPlv<'a> = "encPlv2";
    }
    additions {}
}

sequence! {
    /// A request for one certificate, on behalf of a station \[1609.2.1\].
    pub struct RaAcaCertRequest<'a> = "RaAcaCertRequest" {
        /// The version.
        required version: Version2 = "version";
        /// When it was made.
        required generation_time: Time32 = "generationTime";
        /// Which kind of certificate.
        required kind: CertificateType = "type";
        /// How the answer is made.
        required flags: RaAcaCertRequestFlags = "flags";
        /// What the linkage value is computed of.
        optional linkage_info: LinkageInfo<'a> = "linkageInfo";
        /// What the answer is encrypted with.
        optional cert_enc_key: PublicEncryptionKey<'a> = "certEncKey";
        /// What the certificate is to say. The cocoon key is the verification key; for an implicit
        /// certificate it is in the place of the reconstruction value.
        required tbs_cert: ToBeSignedCertificate<'a> = "tbsCert";
    }
    additions {}
}

choice! {
    /// The certificate, for the station \[1609.2.1\].
    pub enum AcaResponse<'a> = "AcaResponse", critical {
        /// As it is.
        0 Plain(Ieee1609Dot2Data<'a>) = "plain";
        /// Encrypted, and signed over that.
        1 Private(Ieee1609Dot2Data<'a>) = "private";
        /// Encrypted.
        2 Cubk(Ieee1609Dot2Data<'a>) = "cubk";
    }
}

sequence! {
    /// The answer to a request \[1609.2.1\].
    pub struct AcaRaCertResponse<'a> = "AcaRaCertResponse" {
        /// The version.
        required version: Version2 = "version";
        /// When it was made.
        required generation_time: Time32 = "generationTime";
        /// The hash of the request.
        required request_hash: HashedId8 = "requestHash";
        /// The certificate.
        required response: AcaResponse<'a> = "acaResponse";
    }
    additions {}
}

choice! {
    /// What a registration and an authorisation authority say to each other \[1609.2.1\].
    pub enum AcaRaInterfacePdu<'a> = "AcaRaInterfacePdu", critical {
        /// A request.
        0 CertRequest(RaAcaCertRequest<'a>) = "raAcaCertRequest";
        /// The answer.
        1 CertResponse(AcaRaCertResponse<'a>) = "acaRaCertResponse";
    }
}

sequence! {
    /// A certificate for a station, and what it computes the private key with \[1609.2.1\].
    pub struct AcaEeCertResponse<'a> = "AcaEeCertResponse" {
        /// The version.
        required version: Version2 = "version";
        /// When it was made.
        required generation_time: Time32 = "generationTime";
        /// The certificate.
        required certificate: Certificate<'a> = "certificate";
        /// The private key reconstruction value.
        optional private_key_info: &'a [u8; 32] = "privateKeyInfo";
    }
    additions {}
}

choice! {
    /// What an authorisation authority says to a station \[1609.2.1\].
    pub enum AcaEeInterfacePdu<'a> = "AcaEeInterfacePdu", critical {
        /// A certificate.
        0 CertResponse(AcaEeCertResponse<'a>) = "acaEeCertResponse";
    }
}
