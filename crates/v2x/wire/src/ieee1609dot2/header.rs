//! Header of signed data \[1609.2 §6.3.9\].

use super::{Certificate, CrlSeries, EncryptionKey, HashedId3, Psid, ThreeDLocation, Time64};
use crate::coer::{NestedEncoding, SequenceOf, Unknown, UnknownAdditions, sequence};

sequence! {
    /// A revocation list that a station misses \[1609.2 §6.3\].
    pub struct MissingCrlIdentifier<'a> = "MissingCrlIdentifier" {
        /// Authority that issues the list (CRACA).
        required craca_id: HashedId3 = "cracaId";
        /// Series of the list.
        required crl_series: CrlSeries = "crlSeries";
    }
    additions {}
}

sequence! {
    /// Extensions that one organisation contributed \[1609.2 §6.3\].
    pub struct ContributedExtensionBlock<'a> = "ContributedExtensionBlock" {
        /// Contributing organisation: 1 IEEE, 2 ETSI.
        required contributor: u8 = "contributorId";
        /// Extensions of the organisation.
        required extensions: SequenceOf<'a, Unknown<'a>, 1> = "extns";
    }
}

sequence! {
    /// Header of signed data \[1609.2 §6.3.9\].
    pub struct HeaderInfo<'a> = "HeaderInfo" {
        /// Application of the message.
        required psid: Psid = "psid";
        /// Time of generation.
        optional generation_time: Time64 = "generationTime";
        /// Time of expiry.
        optional expiry_time: Time64 = "expiryTime";
        /// Location of generation.
        optional generation_location: ThreeDLocation = "generationLocation";
        /// A certificate that the sender misses and requests as a separate message.
        optional p2pcd_learning_request: HashedId3 = "p2pcdLearningRequest";
        /// A revocation list that the sender misses.
        optional missing_crl: MissingCrlIdentifier<'a> = "missingCrlIdentifier";
        /// Key for encryption of the answer.
        optional encryption_key: EncryptionKey<'a> = "encryptionKey";
    }
    additions {
        /// Certificates that the sender misses and requests within messages.
        inline_p2pcd_request: SequenceOf<'a, HashedId3> = "inlineP2pcdRequest";
        /// A certificate that a receiver requested.
        requested_certificate: NestedEncoding<'a, Certificate<'a>> = "requestedCertificate";
        /// Part of the receiver that the message is for, if it is not the application.
        pdu_functional_type: u8 = "pduFunctionalType";
        /// Extensions that organisations contributed.
        contributed_extensions: SequenceOf<'a, ContributedExtensionBlock<'a>, 1>
            = "contributedExtensions";
    }
}

impl HeaderInfo<'_> {
    /// Returns a header that names the application and nothing else.
    #[must_use]
    pub fn new(psid: Psid) -> Self {
        Self {
            psid,
            generation_time: None,
            expiry_time: None,
            generation_location: None,
            p2pcd_learning_request: None,
            missing_crl: None,
            encryption_key: None,
            inline_p2pcd_request: None,
            requested_certificate: None,
            pdu_functional_type: None,
            contributed_extensions: None,
            unknown: UnknownAdditions::default(),
        }
    }
}
