//! Enrolment requests \[TS 102 941 §6.2.3.2\]: a station asks the enrolment authority for a
//! credential.

use super::{
    AuthorityResponse, CertificateFormat, CertificateSubjectAttributes, PublicKeys, ResponseParts,
};
use crate::coer::{enumerated, sequence};
use crate::ieee1609dot2::Certificate;

enumerated! {
    /// Result of an enrolment request.
    pub enum EnrolmentResponseCode = "EnrolmentResponseCode" {
        /// The certificate is in the response.
        0 Ok = "ok";
        /// A structure cannot be read.
        1 CantParse = "cantparse";
        /// Not encrypted, not signed, or no enrolment request.
        2 BadContentType = "badcontenttype";
        /// The recipient is another one.
        3 ImNotTheRecipient = "imnottherecipient";
        /// The key or the message is encrypted with an unknown algorithm.
        4 UnknownEncryptionAlgorithm = "unknownencryptionalgorithm";
        /// A tag of the encryption is wrong.
        5 DecryptionFailed = "decryptionfailed";
        /// No station is known by this identifier.
        6 UnknownIts = "unknownits";
        /// A signature is wrong.
        7 InvalidSignature = "invalidsignature";
        /// The key for the response is not usable.
        8 InvalidEncryptionKey = "invalidencryptionkey";
        /// The station is revoked, or not active yet.
        9 BadItsStatus = "baditsstatus";
        /// A required part is missing.
        10 IncompleteRequest = "incompleterequest";
        /// The permissions that are asked for are not granted.
        11 DeniedPermissions = "deniedpermissions";
        /// A key that is to be certified is not usable.
        12 InvalidKeys = "invalidkeys";
        /// Any other reason.
        13 DeniedRequest = "deniedrequest";
    }
}

sequence! {
    /// Enrolment request of a station. Signed with the key that is to be certified it is
    /// `InnerEcRequestSignedForPop`: signed data with this payload.
    pub struct InnerEcRequest<'a> = "InnerEcRequest" {
        /// Canonical identifier of the station; in a request for another credential the HashedId8
        /// of the current one.
        required its_id: &'a [u8] = "itsId";
        /// Format of the certificate.
        required certificate_format: CertificateFormat = "certificateFormat";
        /// Keys to be certified.
        required public_keys: PublicKeys<'a> = "publicKeys";
        /// Attributes of the requested certificate.
        required attributes: CertificateSubjectAttributes<'a> = "requestedSubjectAttributes";
    }
    additions {}
}

sequence! {
    /// Parts of an enrolment response.
    pub struct EcResponseParts<'a> = "InnerEcResponse" {
        /// First half of the SHA-256 of the signed request.
        required request_hash: &'a [u8; 16] = "requestHash";
        /// Result of the request.
        required response_code: EnrolmentResponseCode = "responseCode";
        /// Issued credential.
        optional certificate: Certificate<'a> = "certificate";
    }
    additions {}
}

impl ResponseParts for EcResponseParts<'_> {
    fn is_ok(&self) -> bool {
        self.response_code == EnrolmentResponseCode::Ok
    }

    fn has_result(&self) -> bool {
        self.certificate.is_some()
    }
}

/// Response of the enrolment authority.
pub type InnerEcResponse<'a> = AuthorityResponse<EcResponseParts<'a>>;
