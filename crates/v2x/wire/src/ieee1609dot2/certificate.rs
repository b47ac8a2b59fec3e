//! Certificates \[1609.2 §6.4\].

use super::{
    CrlSeries, EccP256CurvePoint, GeographicRegion, HashAlgorithm, HashedId3, HashedId8, IValue,
    JValue, LinkageValue, PsidGroupPermissions, PsidSsp, PublicEncryptionKey,
    PublicVerificationKey, Signature, SubjectAssurance, ValidityPeriod, Version3,
};
use crate::coer::{
    Decode, Encode, Null, Octets, Raw, Reader, SequenceOf, Sink, Text, Unknown, UnknownAdditions,
    Visitor, choice, enumerated, sequence,
};
use crate::error::{EmitError, Fault, WireError};

enumerated! {
    /// Whether a certificate has its key and a signature, or one rebuilds it \[1609.2 §6.4\].
    pub enum CertificateType = "CertificateType" {
        /// Key and signature.
        0 Explicit = "explicit";
        /// A value to rebuild the key from.
        1 Implicit = "implicit";
    }
}

choice! {
    /// Who issued a certificate \[1609.2 §6.4\].
    pub enum IssuerIdentifier = "IssuerIdentifier", critical {
        /// The holder of the certificate with this SHA-256 digest.
        0 Sha256AndDigest(HashedId8) = "sha256AndDigest";
        /// The holder itself.
        1 SelfIssued(HashAlgorithm) = "self";
    }
    additions {
        /// The holder of the certificate with this SHA-384 digest.
        2 Sha384AndDigest(HashedId8) = "sha384AndDigest";
        /// The holder of the certificate with this SM3 digest.
        3 Sm3AndDigest(HashedId8) = "sm3AndDigest";
    }
}

sequence! {
    /// What a group is linked by \[1609.2 §6.4\].
    pub struct GroupLinkageValue = "GroupLinkageValue" {
        /// The counter.
        required j: JValue = "jValue";
        /// The value.
        required value: LinkageValue = "value";
    }
}

sequence! {
    /// What certificates of one holder are revoked by, together \[1609.2 §6.4\].
    pub struct LinkageData = "LinkageData" {
        /// The period.
        required period: IValue = "iCert";
        /// The value of this certificate.
        required value: LinkageValue = "linkage-value";
        /// The value of its group.
        optional group: GroupLinkageValue = "group-linkage-value";
    }
}

choice! {
    /// How the certificate names its holder \[1609.2 §6.4\].
    pub enum CertificateId<'a> = "CertificateId", critical {
        /// The holder's linkage value.
        0 LinkageData(LinkageData) = "linkageData";
        /// The holder's name.
        1 Name(Text<'a, 255>) = "name";
        /// The holder's identifier, in bytes.
        2 BinaryId(Octets<'a, 1, 64>) = "binaryId";
        /// It does not name the holder.
        3 None(Null) = "none";
    }
}

choice! {
    /// The key of a certificate, or what to rebuild it from \[1609.2 §6.4\].
    pub enum VerificationKeyIndicator<'a> = "VerificationKeyIndicator", critical {
        /// The key.
        0 VerificationKey(PublicVerificationKey<'a>) = "verificationKey";
        /// What to rebuild it from.
        1 ReconstructionValue(EccP256CurvePoint<'a>) = "reconstructionValue";
    }
}

sequence! {
    /// An extension of a certificate for an application \[1609.2 §6.4\].
    pub struct AppExtension<'a> = "AppExtension" {
        /// Which.
        required id: u8 = "id";
        /// What it says.
        required content: Unknown<'a> = "content";
    }
}

choice! {
    /// Which extensions a holder may give \[1609.2 §6.4\].
    pub enum ExtensionPermissions<'a> = "permissions", closed {
        /// These.
        0 Specific(Unknown<'a>) = "specific";
        /// All.
        1 All(Null) = "all";
    }
}

sequence! {
    /// An extension that a holder may give to others, or request \[1609.2 §6.4\].
    pub struct PermittedExtension<'a> = "CertIssueExtension" {
        /// Which.
        required id: u8 = "id";
        /// What it may say.
        required permissions: ExtensionPermissions<'a> = "permissions";
    }
}

sequence! {
    /// What the issuer says of a holder \[1609.2 §6.4.8\].
    pub struct ToBeSignedCertificate<'a> = "ToBeSignedCertificate" {
        /// Whose certificate it is.
        required id: CertificateId<'a> = "id";
        /// Who may revoke it.
        required craca_id: HashedId3 = "cracaId";
        /// In which series of lists.
        required crl_series: CrlSeries = "crlSeries";
        /// When it is valid.
        required validity_period: ValidityPeriod = "validityPeriod";
        /// Where it is valid; without it, where its issuer's is.
        optional region: GeographicRegion<'a> = "region";
        /// How sure one can be of the holder.
        optional assurance_level: SubjectAssurance = "assuranceLevel";
        /// What the holder may say.
        optional app_permissions: SequenceOf<'a, PsidSsp<'a>> = "appPermissions";
        /// Which certificates the holder may issue.
        optional cert_issue_permissions: SequenceOf<'a, PsidGroupPermissions<'a>>
            = "certIssuePermissions";
        /// Which certificates the holder may request.
        optional cert_request_permissions: SequenceOf<'a, PsidGroupPermissions<'a>>
            = "certRequestPermissions";
        /// Whether the holder may request the next one with it.
        optional can_request_rollover: Null = "canRequestRollover";
        /// What to encrypt to the holder with.
        optional encryption_key: PublicEncryptionKey<'a> = "encryptionKey";
        /// What the holder's signatures are verified with.
        required verify_key_indicator: VerificationKeyIndicator<'a> = "verifyKeyIndicator";
    }
    additions {
        /// Flags; the first one: its keys come from one key by butterfly expansion.
        flags: &'a [u8; 1] = "flags";
        /// Extensions for applications.
        app_extensions: SequenceOf<'a, AppExtension<'a>, 1> = "appExtensions";
        /// Extensions that the holder may give.
        cert_issue_extensions: SequenceOf<'a, PermittedExtension<'a>, 1> = "certIssueExtensions";
        /// Extensions that the holder may request.
        cert_request_extensions: SequenceOf<'a, PermittedExtension<'a>, 1>
            = "certRequestExtension";
    }
}

impl<'a> ToBeSignedCertificate<'a> {
    /// Returns what has these parts, revocation series 0 of no CRACA, and nothing optional. A
    /// certificate needs permissions of one kind beside them.
    #[must_use]
    pub fn new(
        id: CertificateId<'a>,
        validity_period: ValidityPeriod,
        verify_key_indicator: VerificationKeyIndicator<'a>,
    ) -> Self {
        Self {
            id,
            craca_id: HashedId3([0; 3]),
            crl_series: CrlSeries(0),
            validity_period,
            region: None,
            assurance_level: None,
            app_permissions: None,
            cert_issue_permissions: None,
            cert_request_permissions: None,
            can_request_rollover: None,
            encryption_key: None,
            verify_key_indicator,
            flags: None,
            app_extensions: None,
            cert_issue_extensions: None,
            cert_request_extensions: None,
            unknown: UnknownAdditions::default(),
        }
    }
}

sequence! {
    /// The parts of a certificate \[1609.2 §6.4.3\].
    pub struct CertificateBase<'a> = "Certificate" {
        /// The version.
        required version: Version3 = "version";
        /// Explicit or implicit.
        required kind: CertificateType = "type";
        /// Who issued it.
        required issuer: IssuerIdentifier = "issuer";
        /// What the issuer says, with the bytes that it said it in.
        required to_be_signed: Raw<'a, ToBeSignedCertificate<'a>> = "toBeSigned";
        /// That the issuer says it.
        optional signature: Signature<'a> = "signature";
    }
}

/// A certificate whose parts go together: explicit ones have a key and a signature, implicit ones a
/// reconstruction value and no signature \[1609.2 §6.4\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate<'a>(Raw<'a, CertificateBase<'a>>);

impl<'a> Certificate<'a> {
    /// Makes a certificate of its parts.
    ///
    /// # Errors
    /// What does not go together.
    pub fn new(parts: CertificateBase<'a>) -> Result<Self, &'static str> {
        Self::check(&parts).map(|()| Self(Raw::new(parts)))
    }

    /// Returns the bytes that it was read from, if it was read.
    #[must_use]
    pub fn bytes(&self) -> Option<&'a [u8]> {
        self.0.bytes()
    }

    fn check(parts: &CertificateBase<'a>) -> Result<(), &'static str> {
        use VerificationKeyIndicator::{ReconstructionValue, VerificationKey};
        let own = &parts.to_be_signed;
        if own.app_permissions.is_none()
            && own.cert_issue_permissions.is_none()
            && own.cert_request_permissions.is_none()
        {
            return Err("a certificate has permissions of at least one kind");
        }
        match (parts.kind, own.verify_key_indicator, parts.signature) {
            (CertificateType::Explicit, VerificationKey(_), Some(_))
            | (CertificateType::Implicit, ReconstructionValue(_), None) => Ok(()),
            (CertificateType::Explicit, VerificationKey(_), None) => {
                Err("an explicit certificate has a signature")
            }
            (CertificateType::Explicit, ..) => {
                Err("an explicit certificate has a verification key")
            }
            (CertificateType::Implicit, ReconstructionValue(_), Some(_)) => {
                Err("an implicit certificate has no signature")
            }
            (CertificateType::Implicit, ..) => {
                Err("an implicit certificate has a reconstruction value")
            }
        }
    }
}

impl<'a> core::ops::Deref for Certificate<'a> {
    type Target = CertificateBase<'a>;

    fn deref(&self) -> &CertificateBase<'a> {
        &self.0
    }
}

impl<'a> Decode<'a> for Certificate<'a> {
    const NAME: &'static str = "Certificate";

    fn decode<V: Visitor>(reader: &mut Reader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let parts = Raw::<CertificateBase<'a>>::decode(reader)?;
        match Self::check(&parts) {
            Ok(()) => Ok(Self(parts)),
            Err(why) => Err(WireError::at(Fault::Inconsistent(why), offset)),
        }
    }
}

impl Encode for Certificate<'_> {
    fn encode<S: Sink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}
