//! Types that the requests share \[TS 102 941 Annex A, BaseTypes\].

use crate::coer::{NestedEncoding, SequenceOf, choice, number, sequence};
use crate::ieee1609dot2::{
    CertificateId, GeographicRegion, Ieee1609Dot2Data, PsidGroupPermissions, PsidSsp,
    PublicEncryptionKey, PublicVerificationKey, SubjectAssurance, ValidityPeriod,
};

number! {
    /// The format of certificates.
    pub struct CertificateFormat(u8) = "CertificateFormat", in 1..=255;
}

impl CertificateFormat {
    /// The format of TS 103 097, the only one that is defined.
    pub const TS_103_097: Self = Self(1);
}

sequence! {
    /// Attributes of a requested certificate, apart from its keys.
    ///
    /// Choice: the ASN.1 demands permissions of one kind, and of certain kinds in certain messages.
    /// That is for the authority, which answers `incompleterequest` and not `cantparse`.
    pub struct CertificateSubjectAttributes<'a> = "CertificateSubjectAttributes" {
        /// Identifier of the holder.
        optional id: CertificateId<'a> = "id";
        /// Period of validity.
        optional validity_period: ValidityPeriod = "validityPeriod";
        /// Region of validity.
        optional region: GeographicRegion<'a> = "region";
        /// Assurance level of the holder.
        optional assurance_level: SubjectAssurance = "assuranceLevel";
        /// Application permissions of the holder.
        optional app_permissions: SequenceOf<'a, PsidSsp<'a>> = "appPermissions";
        /// Permissions of the holder to issue certificates.
        optional cert_issue_permissions: SequenceOf<'a, PsidGroupPermissions<'a>>
            = "certIssuePermissions";
    }
    additions {}
}

sequence! {
    /// Public keys of the requested certificate.
    pub struct PublicKeys<'a> = "PublicKeys" {
        /// Key that verifies the holder's signatures.
        required verification_key: PublicVerificationKey<'a> = "verificationKey";
        /// Key for encryption to the holder.
        optional encryption_key: PublicEncryptionKey<'a> = "encryptionKey";
    }
}

choice! {
    /// The station's signature over a [`SharedAtRequest`](super::SharedAtRequest), made with its
    /// enrolment credential: signed data with the hash of the request in place of a payload.
    pub enum EcSignature<'a> = "EcSignature", closed {
        /// Encrypted to the enrolment authority: the authorization authority learns nothing of the
        /// credential.
        0 Encrypted(NestedEncoding<'a, Ieee1609Dot2Data<'a>>) = "encryptedEcSignature";
        /// Readable by the authorization authority.
        1 Plain(NestedEncoding<'a, Ieee1609Dot2Data<'a>>) = "ecSignature";
    }
}
