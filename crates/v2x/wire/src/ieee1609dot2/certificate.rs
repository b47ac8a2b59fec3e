//! Certificates \[1609.2 §6.4\].

use super::{
    CrlSeries, EccP256CurvePoint, GeographicRegion, HashAlgorithm, HashedId3, HashedId8, IValue,
    JValue, LinkageValue, PsidGroupPermissions, PsidSsp, PublicEncryptionKey,
    PublicVerificationKey, Signature, SubjectAssurance, ValidityPeriod, Version3,
};
use crate::coer::{
    CoerDecode, CoerEncode, CoerOctets, CoerReader, CoerSink, Null, Raw, SequenceOf, Text, Unknown,
    UnknownAdditions, Visitor, choice, enumerated, sequence,
};
use crate::error::{EmitError, ParseFault, WireError};

enumerated! {
    /// Kind of certificate: explicit, or implicit with a reconstructed key \[1609.2 §6.4\].
    pub enum CertificateType = "CertificateType" {
        /// Public key and signature.
        0 Explicit = "explicit";
        /// Reconstruction value in place of key and signature.
        1 Implicit = "implicit";
    }
}

choice! {
    /// Issuer of a certificate \[1609.2 §6.4\].
    pub enum IssuerIdentifier = "IssuerIdentifier", critical {
        /// The holder of the certificate with this SHA-256 digest.
        0 Sha256AndDigest(HashedId8) = "sha256AndDigest";
        /// The holder itself, with the hash function of the signature.
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
    /// Linkage value of a group \[1609.2 §6.4\].
    pub struct GroupLinkageValue = "GroupLinkageValue" {
        /// Counter of the group linkage value.
        required j: JValue = "jValue";
        /// Linkage value of the group.
        required value: LinkageValue = "value";
    }
}

sequence! {
    /// Linkage data, by which the certificates of one holder are revoked together \[1609.2 §6.4\].
    pub struct LinkageData = "LinkageData" {
        /// Period of the certificate.
        required period: IValue = "iCert";
        /// Linkage value of the certificate.
        required value: LinkageValue = "linkage-value";
        /// Linkage value of its group.
        optional group: GroupLinkageValue = "group-linkage-value";
    }
}

choice! {
    /// Identifier of the holder in a certificate \[1609.2 §6.4\].
    pub enum CertificateId<'a> = "CertificateId", critical {
        /// Linkage value of the holder.
        0 LinkageData(LinkageData) = "linkageData";
        /// Name of the holder.
        1 Name(Text<'a, 255>) = "name";
        /// Identifier of the holder, in bytes.
        2 BinaryId(CoerOctets<'a, 1, 64>) = "binaryId";
        /// No identifier.
        3 None(Null) = "none";
    }
}

choice! {
    /// Key of a certificate, or the value that it is reconstructed from \[1609.2 §6.4\].
    pub enum VerificationKeyIndicator<'a> = "VerificationKeyIndicator", critical {
        /// Public key of an explicit certificate.
        0 VerificationKey(PublicVerificationKey<'a>) = "verificationKey";
        /// Reconstruction value of an implicit certificate.
        1 ReconstructionValue(EccP256CurvePoint<'a>) = "reconstructionValue";
    }
}

sequence! {
    /// An extension of a certificate for an application \[1609.2 §6.4\].
    pub struct AppExtension<'a> = "AppExtension" {
        /// Identifier of the extension.
        required id: u8 = "id";
        /// Contents of the extension.
        required content: Unknown<'a> = "content";
    }
}

choice! {
    /// Permitted contents of an extension \[1609.2 §6.4\].
    pub enum ExtensionPermissions<'a> = "permissions", closed {
        /// Only these contents.
        0 Specific(Unknown<'a>) = "specific";
        /// All contents.
        1 All(Null) = "all";
    }
}

sequence! {
    /// An extension that a holder may issue to others, or request \[1609.2 §6.4\].
    pub struct PermittedExtension<'a> = "CertIssueExtension" {
        /// Identifier of the extension.
        required id: u8 = "id";
        /// Permitted contents of the extension.
        required permissions: ExtensionPermissions<'a> = "permissions";
    }
}

sequence! {
    /// Signed part of a certificate \[1609.2 §6.4.8\].
    pub struct ToBeSignedCertificate<'a> = "ToBeSignedCertificate" {
        /// Identifier of the holder.
        required id: CertificateId<'a> = "id";
        /// Authority that may revoke the certificate (CRACA).
        required craca_id: HashedId3 = "cracaId";
        /// Series of its revocation lists.
        required crl_series: CrlSeries = "crlSeries";
        /// Period of validity.
        required validity_period: ValidityPeriod = "validityPeriod";
        /// Region of validity; without it, that of the issuer's certificate.
        optional region: GeographicRegion<'a> = "region";
        /// Assurance level of the holder.
        optional assurance_level: SubjectAssurance = "assuranceLevel";
        /// Application permissions of the holder.
        optional app_permissions: SequenceOf<'a, PsidSsp<'a>> = "appPermissions";
        /// Permissions of the holder to issue certificates.
        optional cert_issue_permissions: SequenceOf<'a, PsidGroupPermissions<'a>>
            = "certIssuePermissions";
        /// Permissions of the holder to request certificates.
        optional cert_request_permissions: SequenceOf<'a, PsidGroupPermissions<'a>>
            = "certRequestPermissions";
        /// Present if the certificate may be used to request its successor.
        optional can_request_rollover: Null = "canRequestRollover";
        /// Key for encryption to the holder.
        optional encryption_key: PublicEncryptionKey<'a> = "encryptionKey";
        /// Key that verifies the holder's signatures, or the value that it is reconstructed from.
        required verify_key_indicator: VerificationKeyIndicator<'a> = "verifyKeyIndicator";
    }
    additions {
        /// Flags; the first one is set if the keys come from one key by butterfly expansion.
        flags: &'a [u8; 1] = "flags";
        /// Extensions for applications.
        app_extensions: SequenceOf<'a, AppExtension<'a>, 1> = "appExtensions";
        /// Extensions that the holder may issue.
        cert_issue_extensions: SequenceOf<'a, PermittedExtension<'a>, 1> = "certIssueExtensions";
        /// Extensions that the holder may request.
        cert_request_extensions: SequenceOf<'a, PermittedExtension<'a>, 1>
            = "certRequestExtension";
    }
}

impl<'a> ToBeSignedCertificate<'a> {
    /// Creates a signed part with revocation series 0, no CRACA and no optional fields. A
    /// certificate needs permissions of one kind, too.
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
    /// Parts of a certificate \[1609.2 §6.4.3\].
    pub struct CertificateBase<'a> = "Certificate" {
        /// Version of the structure.
        required version: Version3 = "version";
        /// Explicit or implicit.
        required kind: CertificateType = "type";
        /// Issuer of the certificate.
        required issuer: IssuerIdentifier = "issuer";
        /// Signed part, with the bytes that were signed.
        required to_be_signed: Raw<'a, ToBeSignedCertificate<'a>> = "toBeSigned";
        /// Signature of the issuer; absent in implicit certificates.
        optional signature: Signature<'a> = "signature";
    }
}

/// A certificate with consistent parts: explicit ones have a key and a signature, implicit ones a
/// reconstruction value and no signature \[1609.2 §6.4\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate<'a>(Raw<'a, CertificateBase<'a>>);

impl<'a> Certificate<'a> {
    /// Creates a certificate from its parts.
    ///
    /// # Errors
    /// The rule that the parts break.
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

impl<'a> CoerDecode<'a> for Certificate<'a> {
    const NAME: &'static str = "Certificate";

    fn decode<V: Visitor>(reader: &mut CoerReader<'a, V>) -> Result<Self, WireError> {
        let offset = reader.offset();
        let parts = Raw::<CertificateBase<'a>>::decode(reader)?;
        match Self::check(&parts) {
            Ok(()) => Ok(Self(parts)),
            Err(why) => Err(WireError::at(ParseFault::Inconsistent(why), offset)),
        }
    }
}

impl CoerEncode for Certificate<'_> {
    fn encode<S: CoerSink>(&self, sink: &mut S) -> Result<(), EmitError> {
        self.0.encode(sink)
    }
}
