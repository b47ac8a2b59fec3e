//! A station asks the enrolment authority for a credential \[TS 102 941 §6.2.3.2\].

use super::{CertificateFormat, CertificateSubjectAttributes, PublicKeys, Response, ResponseParts};
use crate::coer::{enumerated, sequence};
use crate::ieee1609dot2::Certificate;

enumerated! {
    /// What became of a request.
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
        /// Something is missing.
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
    /// What a station asks for. Signed with the key that is to be certified it is
    /// `InnerEcRequestSignedForPop`: signed data whose payload this is.
    pub struct InnerEcRequest<'a> = "InnerEcRequest" {
        /// The canonical identifier of the station; in a request for another credential the
        /// HashedId8 of the current one.
        required its_id: &'a [u8] = "itsId";
        /// The format of the certificate.
        required certificate_format: CertificateFormat = "certificateFormat";
        /// The keys to be certified.
        required public_keys: PublicKeys<'a> = "publicKeys";
        /// What the certificate shall say.
        required attributes: CertificateSubjectAttributes<'a> = "requestedSubjectAttributes";
    }
    additions {}
}

sequence! {
    /// The parts of the answer.
    pub struct EcResponseParts<'a> = "InnerEcResponse" {
        /// The first half of the SHA-256 of the signed request.
        required request_hash: &'a [u8; 16] = "requestHash";
        /// What became of it.
        required response_code: EnrolmentResponseCode = "responseCode";
        /// The credential.
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

/// What the enrolment authority answers.
pub type InnerEcResponse<'a> = Response<EcResponseParts<'a>>;
