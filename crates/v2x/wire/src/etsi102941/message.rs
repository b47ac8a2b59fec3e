//! What a message carries \[TS 102 941 Annex A, MessagesCa\].

use super::{
    AuthorizationValidationRequest, AuthorizationValidationResponse, CertificateSubjectAttributes,
    CtlFormat, InnerAtRequest, InnerAtResponse, InnerEcResponse, PublicKeys, ToBeSignedCrl,
};
use crate::coer::{NestedEncoding, choice, sequence, version};
use crate::ieee1609dot2::Ieee1609Dot2Data;

sequence! {
    /// What an authority asks the root authority for \[TS 102 941 §6.2.1\].
    pub struct CaCertificateRequest<'a> = "CaCertificateRequest" {
        /// The keys to be certified.
        required public_keys: PublicKeys<'a> = "publicKeys";
        /// What the certificate shall say.
        required attributes: CertificateSubjectAttributes<'a> = "requestedSubjectAttributes";
    }
    additions {}
}

choice! {
    /// What a message carries.
    pub enum EtsiTs102941DataContent<'a> = "EtsiTs102941DataContent", closed {
        /// A station asks for a credential: signed data whose payload is an
        /// [`InnerEcRequest`](super::InnerEcRequest).
        0 EnrolmentRequest(NestedEncoding<'a, Ieee1609Dot2Data<'a>>) = "enrolmentRequest";
        /// The answer.
        1 EnrolmentResponse(InnerEcResponse<'a>) = "enrolmentResponse";
        /// A station asks for a ticket.
        2 AuthorizationRequest(InnerAtRequest<'a>) = "authorizationRequest";
        /// The answer.
        3 AuthorizationResponse(InnerAtResponse<'a>) = "authorizationResponse";
        /// Which authorities are revoked.
        4 CertificateRevocationList(ToBeSignedCrl<'a>) = "certificateRevocationList";
        /// Which root authorities there are.
        5 CertificateTrustListTlm(CtlFormat<'a>) = "certificateTrustListTlm";
        /// Which authorities a root has.
        6 CertificateTrustListRca(CtlFormat<'a>) = "certificateTrustListRca";
        /// An authorization authority asks whether a station may have a ticket.
        7 AuthorizationValidationRequest(AuthorizationValidationRequest<'a>)
            = "authorizationValidationRequest";
        /// The answer.
        8 AuthorizationValidationResponse(AuthorizationValidationResponse<'a>)
            = "authorizationValidationResponse";
        /// An authority asks for its certificate.
        9 CaCertificateRequest(CaCertificateRequest<'a>) = "caCertificateRequest";
    }
}

impl EtsiTs102941DataContent<'_> {
    /// Returns the alternative's name in the standard.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::EnrolmentRequest(_) => "enrolmentRequest",
            Self::EnrolmentResponse(_) => "enrolmentResponse",
            Self::AuthorizationRequest(_) => "authorizationRequest",
            Self::AuthorizationResponse(_) => "authorizationResponse",
            Self::CertificateRevocationList(_) => "certificateRevocationList",
            Self::CertificateTrustListTlm(_) => "certificateTrustListTlm",
            Self::CertificateTrustListRca(_) => "certificateTrustListRca",
            Self::AuthorizationValidationRequest(_) => "authorizationValidationRequest",
            Self::AuthorizationValidationResponse(_) => "authorizationValidationResponse",
            Self::CaCertificateRequest(_) => "caCertificateRequest",
        }
    }
}

version! {
    /// The version of messages: 1, written as a byte.
    pub struct DataVersion1(u8 = 1) = "Version";
}

sequence! {
    /// A message: the payload of signed or unsecured data.
    pub struct EtsiTs102941Data<'a> = "EtsiTs102941Data" {
        /// The version.
        required version: DataVersion1 = "version";
        /// What it carries.
        required content: EtsiTs102941DataContent<'a> = "content";
    }
}
