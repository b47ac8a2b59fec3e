//! Data of IEEE 1609.2 that are not signed, by what they carry.

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::detect::unsecured;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data};
use waywarden_v2x_wire::ieee1609dot2dot1::CertManagementPdu;
use waywarden_v2x_wire::ieee1609dot2dot1::irregular::IrregularManagement;

/// The command for lists that electors sign.
const CHECK_LIST: &str = "`waywarden pki check-list` checks it";

/// Returns the reason for not verifying an SPDU, with the command that takes it; `None` if it is
/// signed.
pub(crate) fn reason(spdu: &[u8], data: &Ieee1609Dot2Data<'_>) -> Option<String> {
    let carried = match data.content {
        Ieee1609Dot2Content::Signed(_) => return None,
        Ieee1609Dot2Content::Unsecured(payload) => list(spdu)
            .map(|name| format!("{name} in unsecured data; {CHECK_LIST}"))
            .or_else(|| Some(format!("{} in unsecured data", unsecured(payload)?.kind())))
            .unwrap_or_else(|| "unsecured data".to_owned()),
        Ieee1609Dot2Content::Encrypted(_) => {
            "encrypted data; `waywarden decrypt` writes what is in it".to_owned()
        }
        _ => "a request for a certificate".to_owned(),
    };
    Some(format!("not signed data: {carried}"))
}

/// Returns the command for a list that stands alone, without an SPDU around it.
pub(crate) fn remedy_alone(bytes: &[u8]) -> Option<String> {
    let is_spdu = parse::<Ieee1609Dot2Data<'_>>(bytes).is_ok();
    let name = list(bytes).filter(|_| !is_spdu)?;
    Some(format!("; it has {name}: {CHECK_LIST}"))
}

/// Returns the name of a list of IEEE 1609.2.1, of one with certificates that break the standard,
/// too.
fn list(bytes: &[u8]) -> Option<&'static str> {
    use {CertManagementPdu as Regular, IrregularManagement as Irregular};
    match (Regular::read(bytes), Irregular::read(bytes)) {
        (Ok(Regular::MultiSignedCtl(_)), _) | (Err(_), Ok(Irregular::MultiSignedCtl(_))) => {
            Some("a trust list of electors (CTL)")
        }
        (Ok(Regular::CertificateChain(_)), _) | (Err(_), Ok(Irregular::CertificateChain(_))) => {
            Some("a chain file (CCF)")
        }
        (Ok(Regular::CompositeCrl(_)), _) | (Err(_), Ok(Irregular::CompositeCrl(_))) => {
            Some("a composite revocation list")
        }
        _ => None,
    }
}
