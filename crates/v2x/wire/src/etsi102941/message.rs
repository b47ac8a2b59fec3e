//! Contents of messages \[TS 102 941 Annex A, MessagesCa\].

use super::{
    AuthorizationValidationRequest, AuthorizationValidationResponse, CertificateSubjectAttributes,
    CtlFormat, InnerAtRequest, InnerAtResponse, InnerEcResponse, PublicKeys, ToBeSignedCrl,
};
use crate::coer::{NestedEncoding, choice, sequence, version};
use crate::ieee1609dot2::Ieee1609Dot2Data;

sequence! {
    /// Certificate request of an authority to the root authority \[TS 102 941 §6.2.1\].
    pub struct CaCertificateRequest<'a> = "CaCertificateRequest" {
        /// Keys to be certified.
        required public_keys: PublicKeys<'a> = "publicKeys";
        /// Attributes of the requested certificate.
        required attributes: CertificateSubjectAttributes<'a> = "requestedSubjectAttributes";
    }
    additions {}
}

choice! {
    /// Contents of a message.
    #[non_exhaustive]
    pub enum EtsiTs102941DataContent<'a> = "EtsiTs102941DataContent", closed {
        /// Enrolment request of a station: signed data whose payload is an
        /// [`InnerEcRequest`](super::InnerEcRequest).
        0 EnrolmentRequest(NestedEncoding<'a, Ieee1609Dot2Data<'a>>) = "enrolmentRequest";
        /// Enrolment response.
        1 EnrolmentResponse(InnerEcResponse<'a>) = "enrolmentResponse";
        /// Authorization request of a station.
        2 AuthorizationRequest(InnerAtRequest<'a>) = "authorizationRequest";
        /// Authorization response.
        3 AuthorizationResponse(InnerAtResponse<'a>) = "authorizationResponse";
        /// List of revoked authorities.
        4 CertificateRevocationList(ToBeSignedCrl<'a>) = "certificateRevocationList";
        /// Trust list of the root authorities.
        5 CertificateTrustListTlm(CtlFormat<'a>) = "certificateTrustListTlm";
        /// Trust list of the authorities of a root.
        6 CertificateTrustListRca(CtlFormat<'a>) = "certificateTrustListRca";
        /// Request of an authorization authority to validate a station's request for a ticket.
        7 AuthorizationValidationRequest(AuthorizationValidationRequest<'a>)
            = "authorizationValidationRequest";
        /// Authorization validation response.
        8 AuthorizationValidationResponse(AuthorizationValidationResponse<'a>)
            = "authorizationValidationResponse";
        /// Certificate request of an authority.
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
    /// Version of messages: 1, written as a byte.
    pub struct DataVersion1(u8 = 1) = "Version";
}

sequence! {
    /// A message: the payload of signed or unsecured data.
    pub struct EtsiTs102941Data<'a> = "EtsiTs102941Data" {
        /// Version of the structure.
        required version: DataVersion1 = "version";
        /// Contents of the message.
        required content: EtsiTs102941DataContent<'a> = "content";
    }
}
