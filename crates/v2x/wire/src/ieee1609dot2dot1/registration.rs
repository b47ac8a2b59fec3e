//! Messages between a station (EE) and a registration authority (RA).

use super::Version2;
use crate::coer::{Text, choice, octets, sequence};
use crate::ieee1609dot2::{
    CertificateType, HashedId8, IValue, Ieee1609Dot2Data, PublicEncryptionKey, Time32,
    ToBeSignedCertificate,
};

octets! {
    /// The name of a tree of certificate access control \[1609.2.1\].
    pub struct AcpcTreeId([u8; 8]) = "AcpcTreeId";
}

choice! {
    /// The key of a butterfly expansion function \[1609.2.1 §9.3\].
    pub enum ButterflyExpansion<'a> = "ButterflyExpansion", critical {
        /// A key of AES-128.
        0 Aes128(&'a [u8; 16]) = "aes128";
    }
}

sequence! {
    /// Parameters of a request for many certificates, beside the key in it \[1609.2.1 §9.3\].
    pub struct ButterflyParamsOriginal<'a> = "ButterflyParamsOriginal" {
        /// Key that expands the key in the request into cocoon keys for signing.
        required signing_expansion: ButterflyExpansion<'a> = "signingExpansion";
        /// Caterpillar key for encryption.
        required encryption_key: PublicEncryptionKey<'a> = "encryptionKey";
        /// Key that expands the caterpillar key for encryption.
        required encryption_expansion: ButterflyExpansion<'a> = "encryptionExpansion";
    }
}

choice! {
    /// Parameters for the answer to a request: its keys and its encryption \[1609.2.1\].
    pub enum AdditionalParams<'a> = "AdditionalParams", critical {
        /// Two butterfly expansions, for signing and encryption.
        0 Original(ButterflyParamsOriginal<'a>) = "original";
        /// One butterfly expansion.
        1 Unified(ButterflyExpansion<'a>) = "unified";
        /// One butterfly expansion; the authorization authority does not sign.
        2 CompactUnified(ButterflyExpansion<'a>) = "compactUnified";
        /// No expansion: one certificate, encrypted to this key.
        3 EncryptionKey(PublicEncryptionKey<'a>) = "encryptionKey";
    }
}

sequence! {
    /// A station's request for certificates \[1609.2.1\].
    pub struct EeRaCertRequest<'a> = "EeRaCertRequest" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Time of generation.
        required generation_time: Time32 = "generationTime";
        /// Kind of the requested certificates.
        required kind: CertificateType = "type";
        /// Contents of the requested certificates, with the station's public key as the key.
        required tbs_cert: ToBeSignedCertificate<'a> = "tbsCert";
        /// Parameters for butterfly expansion, or for encryption of the answer.
        optional additional_params: AdditionalParams<'a> = "additionalParams";
    }
    additions {}
}

sequence! {
    /// Acknowledgement of a request by a registration authority \[1609.2.1\].
    pub struct RaEeCertAck<'a> = "RaEeCertAck" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Time of generation.
        required generation_time: Time32 = "generationTime";
        /// Hash of the request.
        required request_hash: HashedId8 = "requestHash";
        /// First period with certificates.
        optional first_i: IValue = "firstI";
        /// Time of the first download.
        required next_download: Time32 = "nextDlTime";
    }
    additions {}
}

sequence! {
    /// Certificates that can be downloaded for a request, and the time of the next ones
    /// \[1609.2.1\].
    pub struct RaEeCertInfo<'a> = "RaEeCertInfo" {
        /// Version of the structure.
        required version: Version2 = "version";
        /// Time of generation.
        required generation_time: Time32 = "generationTime";
        /// Current period.
        required current_i: IValue = "currentI";
        /// Hash of the request.
        required request_hash: HashedId8 = "requestHash";
        /// Time of the next download.
        required next_download: Time32 = "nextDlTime";
        /// Tree of access control that opens the certificates.
        optional acpc_tree_id: AcpcTreeId = "acpcTreeId";
    }
    additions {}
}

sequence! {
    /// Request of a station for a file \[1609.2.1\].
    pub struct EeRaDownloadRequest<'a> = "EeRaDownloadRequest" {
        /// Time of generation.
        required generation_time: Time32 = "generationTime";
        /// Name of the file.
        required filename: Text<'a, 255> = "filename";
    }
    additions {}
}

choice! {
    /// Messages between a station and a registration authority \[1609.2.1\].
    pub enum EeRaInterfacePdu<'a> = "EeRaInterfacePdu", critical {
        /// A request for certificates.
        0 CertRequest(EeRaCertRequest<'a>) = "eeRaCertRequest";
        /// Acknowledgement of the request.
        1 CertAck(RaEeCertAck<'a>) = "raEeCertAck";
        /// Certificates that can be downloaded.
        2 CertInfo(RaEeCertInfo<'a>) = "raEeCertInfo";
        /// A request for a file.
        3 DownloadRequest(EeRaDownloadRequest<'a>) = "eeRaDownloadRequest";
        /// A request for the next enrolment certificate, signed with the key to be certified.
        4 SuccessorEnrolment(Ieee1609Dot2Data<'a>) = "eeRaSuccessorEnrollmentCertRequest";
    }
}
