//! Between a station (EE) and a registration authority (RA).

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
    /// What a request for many certificates has beside the key in it \[1609.2.1 §9.3\].
    pub struct ButterflyParamsOriginal<'a> = "ButterflyParamsOriginal" {
        /// Expands the key in the request into cocoon keys for signing.
        required signing_expansion: ButterflyExpansion<'a> = "signingExpansion";
        /// The caterpillar key for encryption.
        required encryption_key: PublicEncryptionKey<'a> = "encryptionKey";
        /// Expands it.
        required encryption_expansion: ButterflyExpansion<'a> = "encryptionExpansion";
    }
}

choice! {
    /// How the answer to a request is made and encrypted \[1609.2.1\].
    pub enum AdditionalParams<'a> = "AdditionalParams", critical {
        /// By two butterfly expansions.
        0 Original(ButterflyParamsOriginal<'a>) = "original";
        /// By one.
        1 Unified(ButterflyExpansion<'a>) = "unified";
        /// By one, and not signed by the authorisation authority.
        2 CompactUnified(ButterflyExpansion<'a>) = "compactUnified";
        /// One certificate, encrypted to this key.
        3 EncryptionKey(PublicEncryptionKey<'a>) = "encryptionKey";
    }
}

sequence! {
    /// A station's request for certificates \[1609.2.1\].
    pub struct EeRaCertRequest<'a> = "EeRaCertRequest" {
        /// The version.
        required version: Version2 = "version";
        /// When it was made.
        required generation_time: Time32 = "generationTime";
        /// Which kind of certificate.
        required kind: CertificateType = "type";
        /// What the certificates are to say, with the station's public key in the key's place.
        required tbs_cert: ToBeSignedCertificate<'a> = "tbsCert";
        /// How many, by which keys.
        optional additional_params: AdditionalParams<'a> = "additionalParams";
    }
    additions {}
}

sequence! {
    /// A registration authority has taken a request \[1609.2.1\].
    pub struct RaEeCertAck<'a> = "RaEeCertAck" {
        /// The version.
        required version: Version2 = "version";
        /// When it was made.
        required generation_time: Time32 = "generationTime";
        /// The hash of the request.
        required request_hash: HashedId8 = "requestHash";
        /// The first period for which there will be certificates.
        optional first_i: IValue = "firstI";
        /// When there is something to download.
        required next_download: Time32 = "nextDlTime";
    }
    additions {}
}

sequence! {
    /// What can be downloaded for a request, and when there is more \[1609.2.1\].
    pub struct RaEeCertInfo<'a> = "RaEeCertInfo" {
        /// The version.
        required version: Version2 = "version";
        /// When it was made.
        required generation_time: Time32 = "generationTime";
        /// The current period.
        required current_i: IValue = "currentI";
        /// The hash of the request.
        required request_hash: HashedId8 = "requestHash";
        /// When there is something more to download.
        required next_download: Time32 = "nextDlTime";
        /// Which tree of access control opens the certificates.
        optional acpc_tree_id: AcpcTreeId = "acpcTreeId";
    }
    additions {}
}

sequence! {
    /// A station asks for a file \[1609.2.1\].
    pub struct EeRaDownloadRequest<'a> = "EeRaDownloadRequest" {
        /// When it was made.
        required generation_time: Time32 = "generationTime";
        /// Its name.
        required filename: Text<'a, 255> = "filename";
    }
    additions {}
}

choice! {
    /// What a station and a registration authority say to each other \[1609.2.1\].
    pub enum EeRaInterfacePdu<'a> = "EeRaInterfacePdu", critical {
        /// A request for certificates.
        0 CertRequest(EeRaCertRequest<'a>) = "eeRaCertRequest";
        /// It was taken.
        1 CertAck(RaEeCertAck<'a>) = "raEeCertAck";
        /// What there is for it.
        2 CertInfo(RaEeCertInfo<'a>) = "raEeCertInfo";
        /// A request for a file.
        3 DownloadRequest(EeRaDownloadRequest<'a>) = "eeRaDownloadRequest";
        /// A request for the next enrolment certificate, signed with the key that it is for.
        4 SuccessorEnrolment(Ieee1609Dot2Data<'a>) = "eeRaSuccessorEnrollmentCertRequest";
    }
}
