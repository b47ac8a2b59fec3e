//! Contents of the certificate, and the message that its holder signs: those of
//! `waywarden papers ecqv-cits --host`.

use waywarden_v2x_wire::coer::{Null, SequenceOf};
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CurvePoint, Duration, Psid, PsidSsp, PublicVerificationKey, Time32,
    ToBeSignedCertificate, ValidityPeriod, VerificationKeyIndicator,
};

/// The signed message: a basic safety message of some 40 bytes with its security header.
pub(crate) const MESSAGE: [u8; 100] = [0x2a; 100];

/// Room for an implicit certificate with one permission.
pub(crate) const CERTIFICATE_MAX: usize = 256;

/// Permissions of the certificate: to send basic safety messages.
const PERMISSIONS: &[PsidSsp<'_>] = &[PsidSsp {
    psid: Psid(0x20),
    ssp: None,
}];

/// Returns the contents of the certificate: as little as one can have, for the counts are about its
/// key.
pub(crate) fn contents() -> ToBeSignedCertificate<'static> {
    let validity = ValidityPeriod {
        start: Time32(700_000_000),
        duration: Duration::Hours(169),
    };
    // The issuer replaces it with the reconstruction value.
    let no_key = PublicVerificationKey::EcdsaNistP256(CurvePoint::Fill);
    let no_key = VerificationKeyIndicator::VerificationKey(no_key);
    ToBeSignedCertificate {
        app_permissions: SequenceOf::new(PERMISSIONS),
        ..ToBeSignedCertificate::new(CertificateId::None(Null), validity, no_key)
    }
}
