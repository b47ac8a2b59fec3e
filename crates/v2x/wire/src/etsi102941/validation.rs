//! Authorization validation \[TS 102 941 §6.2.3.4\]: the authorization authority asks the enrolment
//! authority whether a station may have a ticket.

use super::{
    AuthorityResponse, CertificateSubjectAttributes, EcSignature, ResponseParts, SharedAtRequest,
};
use crate::coer::{Raw, enumerated, sequence};

enumerated! {
    /// Result of a validation request.
    pub enum AuthorizationValidationResponseCode = "AuthorizationValidationResponseCode" {
        /// The station may have the ticket.
        0 Ok = "ok";
        /// A structure cannot be read.
        1 CantParse = "cantparse";
        /// Not encrypted, not signed, or no validation request.
        2 BadContentType = "badcontenttype";
        /// The recipient is another one.
        3 ImNotTheRecipient = "imnottherecipient";
        /// The key or the message is encrypted with an unknown algorithm.
        4 UnknownEncryptionAlgorithm = "unknownencryptionalgorithm";
        /// A tag of the encryption is wrong.
        5 DecryptionFailed = "decryptionfailed";
        /// The certificate of the authorization authority is not accepted.
        6 InvalidAa = "invalidaa";
        /// The signature of the authorization authority is wrong.
        7 InvalidAaSignature = "invalidaasignature";
        /// The request names another enrolment authority.
        8 WrongEa = "wrongea";
        /// The station is not known.
        9 UnknownIts = "unknownits";
        /// The station's signature is wrong.
        10 InvalidSignature = "invalidsignature";
        /// The key for the response is not usable.
        11 InvalidEncryptionKey = "invalidencryptionkey";
        /// The permissions are not granted.
        12 DeniedPermissions = "deniedpermissions";
        /// The station has too many tickets at this time.
        13 DeniedTooManyCerts = "deniedtoomanycerts";
        /// Any other reason.
        14 DeniedRequest = "deniedrequest";
    }
}

sequence! {
    /// Parts of a station's request that the authorization authority forwards.
    pub struct AuthorizationValidationRequest<'a> = "AuthorizationValidationRequest" {
        /// Part for both authorities, with its bytes, which are signed.
        required shared: Raw<'a, SharedAtRequest<'a>> = "sharedAtRequest";
        /// Signature of the station over that part.
        required ec_signature: EcSignature<'a> = "ecSignature";
    }
    additions {}
}

sequence! {
    /// Parts of a validation response.
    pub struct ValidationResponseParts<'a> = "AuthorizationValidationResponse" {
        /// First half of the SHA-256 of the signed request.
        required request_hash: &'a [u8; 16] = "requestHash";
        /// Result of the request.
        required response_code: AuthorizationValidationResponseCode = "responseCode";
        /// Attributes that the ticket may have.
        optional attributes: CertificateSubjectAttributes<'a> = "confirmedSubjectAttributes";
    }
    additions {}
}

impl ResponseParts for ValidationResponseParts<'_> {
    fn is_ok(&self) -> bool {
        self.response_code == AuthorizationValidationResponseCode::Ok
    }

    fn has_result(&self) -> bool {
        self.attributes.is_some()
    }
}

/// Response of the enrolment authority to the authorization authority.
pub type AuthorizationValidationResponse<'a> = AuthorityResponse<ValidationResponseParts<'a>>;
