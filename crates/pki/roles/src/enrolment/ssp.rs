//! Permissions of a certificate in the application "secured certificate request" (ITS-AID 623): a
//! version, and a bit for each kind of message \[TS 102 941 Annex B\].

use waywarden_v2x_security::Verified;
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::ServiceSpecificPermissions;

/// The version of the bits.
pub const VERSION: u8 = 1;
/// Asks for credentials.
pub const ENROLMENT_REQUEST: u8 = 0x80;
/// Asks for tickets.
pub const AUTHORIZATION_REQUEST: u8 = 0x40;
/// Asks whether stations may have tickets.
pub const VALIDATION_REQUEST: u8 = 0x20;
/// Answers who asks for tickets.
pub const AUTHORIZATION_RESPONSE: u8 = 0x10;
/// Answers who asks whether stations may have tickets.
pub const VALIDATION_RESPONSE: u8 = 0x08;
/// Answers who asks for credentials.
pub const ENROLMENT_RESPONSE: u8 = 0x04;
/// Asks the root for a certificate.
pub const CA_REQUEST: u8 = 0x02;

/// The permissions of an enrolment credential.
pub const ENROLMENT_CREDENTIAL: [u8; 2] = [VERSION, ENROLMENT_REQUEST | AUTHORIZATION_REQUEST];
/// The permissions of an enrolment authority.
pub const ENROLMENT_AUTHORITY: [u8; 2] = [
    VERSION,
    VALIDATION_RESPONSE | ENROLMENT_RESPONSE | CA_REQUEST,
];
/// The permissions of an authorization authority.
pub const AUTHORIZATION_AUTHORITY: [u8; 2] = [
    VERSION,
    VALIDATION_REQUEST | AUTHORIZATION_RESPONSE | CA_REQUEST,
];

/// Returns true if a certificate permits this kind of message.
#[must_use]
pub fn permits(certificate: &Verified, bit: u8) -> bool {
    let Ok(view) = certificate.view() else {
        return false;
    };
    let permissions = view.to_be_signed.app_permissions;
    let mut permissions = permissions.iter().flatten().flatten();
    let own = permissions.find(|one| one.psid == CERTIFICATE_REQUEST);
    let ssp = own.and_then(|own| own.ssp);
    let bits = match &ssp {
        Some(ServiceSpecificPermissions::Bitmap(bits)) => bits.as_bytes(),
        Some(ServiceSpecificPermissions::Opaque(bytes)) => bytes,
        _ => return false,
    };
    matches!(bits, [VERSION, bits, ..] if bits & bit != 0)
}
