//! What the requests have in common \[TS 102 941 Annex A, BaseTypes\].

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
    /// That of TS 103 097, the only one that is defined.
    pub const TS_103_097: Self = Self(1);
}

sequence! {
    /// What a certificate shall say, apart from its keys.
    ///
    /// Choice: the ASN.1 demands permissions of one kind, and of certain kinds in certain messages.
    /// That is for the authority, which answers `incompleterequest` and not `cantparse`.
    pub struct CertificateSubjectAttributes<'a> = "CertificateSubjectAttributes" {
        /// Whose it is.
        optional id: CertificateId<'a> = "id";
        /// When it is valid.
        optional validity_period: ValidityPeriod = "validityPeriod";
        /// Where it is valid.
        optional region: GeographicRegion<'a> = "region";
        /// How sure the issuer is of the holder.
        optional assurance_level: SubjectAssurance = "assuranceLevel";
        /// What the holder may say.
        optional app_permissions: SequenceOf<'a, PsidSsp<'a>> = "appPermissions";
        /// Which certificates the holder may issue.
        optional cert_issue_permissions: SequenceOf<'a, PsidGroupPermissions<'a>>
            = "certIssuePermissions";
    }
    additions {}
}

sequence! {
    /// The public keys of the certificate that is asked for.
    pub struct PublicKeys<'a> = "PublicKeys" {
        /// What the holder's signatures are verified with.
        required verification_key: PublicVerificationKey<'a> = "verificationKey";
        /// What to encrypt to the holder with.
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
