//! Authorization requests \[TS 102 941 §6.2.3.3\]: a station asks the authorization authority for a
//! ticket.

use super::{
    AuthorityResponse, CertificateFormat, CertificateSubjectAttributes, EcSignature, PublicKeys,
    ResponseParts,
};
use crate::coer::{Raw, enumerated, sequence};
use crate::ieee1609dot2::{Certificate, HashedId8};

enumerated! {
    /// Result of an authorization request.
    pub enum AuthorizationResponseCode = "AuthorizationResponseCode" {
        /// The certificate is in the response.
        0 Ok = "ok";
        /// A structure cannot be read.
        1 ItsAaCantParse = "its-aa-cantparse";
        /// Not encrypted, not signed, or no authorization request.
        2 ItsAaBadContentType = "its-aa-badcontenttype";
        /// The recipient is another one.
        3 ItsAaImNotTheRecipient = "its-aa-imnottherecipient";
        /// The key or the message is encrypted with an unknown algorithm.
        4 ItsAaUnknownEncryptionAlgorithm = "its-aa-unknownencryptionalgorithm";
        /// A tag of the encryption is wrong.
        5 ItsAaDecryptionFailed = "its-aa-decryptionfailed";
        /// `keyTag` is not that of the keys.
        6 ItsAaKeysDontMatch = "its-aa-keysdontmatch";
        /// A required part is missing.
        7 ItsAaIncompleteRequest = "its-aa-incompleterequest";
        /// The key for the response is not usable.
        8 ItsAaInvalidEncryptionKey = "its-aa-invalidencryptionkey";
        /// The request is too old, or from the future.
        9 ItsAaOutOfSyncRequest = "its-aa-outofsyncrequest";
        /// The enrolment authority is not known.
        10 ItsAaUnknownEa = "its-aa-unknownea";
        /// The enrolment authority is revoked.
        11 ItsAaInvalidEa = "its-aa-invalidea";
        /// The authorization authority denies the permissions.
        12 ItsAaDeniedPermissions = "its-aa-deniedpermissions";
        /// The enrolment authority does not answer.
        13 AaEaCantReachEa = "aa-ea-cantreachea";
        /// The enrolment authority cannot read a structure.
        14 EaAaCantParse = "ea-aa-cantparse";
        /// The enrolment authority got another message.
        15 EaAaBadContentType = "ea-aa-badcontenttype";
        /// The message was not for the enrolment authority.
        16 EaAaImNotTheRecipient = "ea-aa-imnottherecipient";
        /// The enrolment authority does not know an algorithm of the encryption.
        17 EaAaUnknownEncryptionAlgorithm = "ea-aa-unknownencryptionalgorithm";
        /// The enrolment authority found a wrong tag.
        18 EaAaDecryptionFailed = "ea-aa-decryptionfailed";
        /// The certificate of the authorization authority is not accepted.
        19 InvalidAa = "invalidaa";
        /// The signature of the authorization authority is wrong.
        20 InvalidAaSignature = "invalidaasignature";
        /// The request names another enrolment authority.
        21 WrongEa = "wrongea";
        /// The station is not known.
        22 UnknownIts = "unknownits";
        /// The station's signature is wrong.
        23 InvalidSignature = "invalidsignature";
        /// A key is not usable.
        24 InvalidEncryptionKey = "invalidencryptionkey";
        /// The permissions are not granted.
        25 DeniedPermissions = "deniedpermissions";
        /// The station has too many tickets at this time.
        26 DeniedTooManyCerts = "deniedtoomanycerts";
    }
}

sequence! {
    /// Part of an authorization request that the enrolment authority sees, too.
    pub struct SharedAtRequest<'a> = "SharedAtRequest" {
        /// Digest of the enrolment authority's certificate.
        required ea_id: HashedId8 = "eaId";
        /// The first half of the HMAC-SHA-256 of the public keys, under `hmacKey`: it stands for
        /// keys that the enrolment authority does not see.
        required key_tag: &'a [u8; 16] = "keyTag";
        /// The format of the certificate.
        required certificate_format: CertificateFormat = "certificateFormat";
        /// Attributes of the requested certificate.
        required attributes: CertificateSubjectAttributes<'a> = "requestedSubjectAttributes";
    }
    additions {}
}

sequence! {
    /// Authorization request of a station.
    pub struct InnerAtRequest<'a> = "InnerAtRequest" {
        /// Keys to be certified.
        required public_keys: PublicKeys<'a> = "publicKeys";
        /// HMAC key of `keyTag`.
        required hmac_key: &'a [u8; 32] = "hmacKey";
        /// Part for both authorities, with its bytes, which are signed.
        required shared: Raw<'a, SharedAtRequest<'a>> = "sharedAtRequest";
        /// Signature of the station over that part.
        required ec_signature: EcSignature<'a> = "ecSignature";
    }
    additions {}
}

sequence! {
    /// Parts of an authorization response.
    pub struct AtResponseParts<'a> = "InnerAtResponse" {
        /// First half of the SHA-256 of the request.
        required request_hash: &'a [u8; 16] = "requestHash";
        /// Result of the request.
        required response_code: AuthorizationResponseCode = "responseCode";
        /// Issued ticket.
        optional certificate: Certificate<'a> = "certificate";
    }
    additions {}
}

impl ResponseParts for AtResponseParts<'_> {
    fn is_ok(&self) -> bool {
        self.response_code == AuthorizationResponseCode::Ok
    }

    fn has_result(&self) -> bool {
        self.certificate.is_some()
    }
}

/// Response of the authorization authority.
pub type InnerAtResponse<'a> = AuthorityResponse<AtResponseParts<'a>>;
