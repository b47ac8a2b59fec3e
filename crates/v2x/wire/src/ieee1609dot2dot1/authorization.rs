//! Messages between a registration authority (RA), an authorization authority (ACA) and a station
//! (EE).

use super::Version2;
use crate::coer::{choice, octets, sequence};
use crate::ieee1609dot2::{
    Certificate, CertificateType, HashedId8, Ieee1609Dot2Data, LaId, PublicEncryptionKey, Time32,
    ToBeSignedCertificate,
};

octets! {
    /// Flags for the answer to a request \[1609.2.1\]: 8 bits, of which two are used.
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
    /// A prelinkage value that a linkage authority encrypted to an authorization authority
    /// \[1609.2.1\].
    pub struct EncryptedIndividualPlv<'a> = "EncryptedIndividualPLV" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Linkage authority.
        required la_id: LaId = "laId";
        /// Encrypted prelinkage value.
        required enc_plv: Ieee1609Dot2Data<'a> = "encPlv";
    }
}

sequence! {
    /// Prelinkage values for the linkage value of a certificate \[1609.2.1\].
    pub struct LinkageInfo<'a> = "LinkageInfo" {
        /// Value of one linkage authority.
        required plv_1: EncryptedIndividualPlv<'a> = "encPlv1";
        /// Value of the other linkage authority.
        required plv_2: EncryptedIndividualPlv<'a> = "encPlv2";
    }
    additions {}
}

sequence! {
    /// A request for one certificate, on behalf of a station \[1609.2.1\].
    pub struct RaAcaCertRequest<'a> = "RaAcaCertRequest" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Time of generation.
        required generation_time: Time32 = "generationTime";
        /// Kind of the requested certificate.
        required kind: CertificateType = "type";
        /// Flags for the answer.
        required flags: RaAcaCertRequestFlags = "flags";
        /// Prelinkage values for the linkage value.
        optional linkage_info: LinkageInfo<'a> = "linkageInfo";
        /// Key for encryption of the answer.
        optional cert_enc_key: PublicEncryptionKey<'a> = "certEncKey";
        /// Contents of the requested certificate. The cocoon key is the verification key; for an
        /// implicit certificate it takes the place of the reconstruction value.
        required tbs_cert: ToBeSignedCertificate<'a> = "tbsCert";
    }
    additions {}
}

choice! {
    /// Certificate in the answer, for the station \[1609.2.1\].
    pub enum AcaResponse<'a> = "AcaResponse", critical {
        /// In the clear.
        0 Plain(Ieee1609Dot2Data<'a>) = "plain";
        /// Encrypted, with a signature over the ciphertext.
        1 Private(Ieee1609Dot2Data<'a>) = "private";
        /// Encrypted, not signed.
        2 Cubk(Ieee1609Dot2Data<'a>) = "cubk";
    }
}

sequence! {
    /// Answer to a request for one certificate \[1609.2.1\].
    pub struct AcaRaCertResponse<'a> = "AcaRaCertResponse" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Time of generation.
        required generation_time: Time32 = "generationTime";
        /// Hash of the request.
        required request_hash: HashedId8 = "requestHash";
        /// Issued certificate.
        required response: AcaResponse<'a> = "acaResponse";
    }
    additions {}
}

choice! {
    /// Messages between a registration and an authorization authority \[1609.2.1\].
    pub enum AcaRaInterfacePdu<'a> = "AcaRaInterfacePdu", critical {
        /// A request.
        0 CertRequest(RaAcaCertRequest<'a>) = "raAcaCertRequest";
        /// The answer.
        1 CertResponse(AcaRaCertResponse<'a>) = "acaRaCertResponse";
    }
}

sequence! {
    /// A certificate for a station, with data to compute the private key \[1609.2.1\].
    pub struct AcaEeCertResponse<'a> = "AcaEeCertResponse" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Time of generation.
        required generation_time: Time32 = "generationTime";
        /// Issued certificate.
        required certificate: Certificate<'a> = "certificate";
        /// Private key reconstruction value.
        optional private_key_info: &'a [u8; 32] = "privateKeyInfo";
    }
    additions {}
}

choice! {
    /// Messages of an authorization authority to a station \[1609.2.1\].
    pub enum AcaEeInterfacePdu<'a> = "AcaEeInterfacePdu", critical {
        /// A certificate.
        0 CertResponse(AcaEeCertResponse<'a>) = "acaEeCertResponse";
    }
}
