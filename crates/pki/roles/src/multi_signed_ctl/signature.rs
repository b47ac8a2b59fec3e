//! One elector's signature of a trust list: a signed SPDU around the list's hash.

use std::sync::Arc;

use waywarden_v2x_security::hash::{HashFunction, certificate_digest, hash};
use waywarden_v2x_security::{Verified, verify_signature_by};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, HashedId8, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data,
    ServiceSpecificPermissions, SignedData, SignerIdentifier, Time64,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{CertManagementPdu, FullIeeeTbsCtl, ScmsSsp};

use super::MANAGEMENT_PSID;
use super::fault::SignatureFault;

/// The signer that a signature names.
pub(super) struct NamedSigner {
    pub(super) id: HashedId8,
    /// All bytes of its hash, where the signature has the certificate.
    pub(super) digest: Option<Vec<u8>>,
    pub(super) name: Option<String>,
}

/// Returns the signer that a signature names.
pub(super) fn signer(data: &SignedData<'_>) -> Option<NamedSigner> {
    match &data.signer {
        SignerIdentifier::Digest(id) => Some(NamedSigner {
            id: *id,
            digest: None,
            name: None,
        }),
        SignerIdentifier::Certificate(chain) => {
            let own = chain.iter().next()?.ok()?;
            let digest = certificate_digest(&own)?;
            Some(NamedSigner {
                id: digest.id_8(),
                digest: Some(digest.as_bytes().to_vec()),
                name: match &own.to_be_signed.id {
                    CertificateId::Name(name) => Some(name.as_str().to_owned()),
                    _ => None,
                },
            })
        }
        _ => None,
    }
}

/// Returns the signed data of a signature.
pub(super) fn signed<'d, 'a>(data: &'d Ieee1609Dot2Data<'a>) -> Option<&'d SignedData<'a>> {
    match &data.content {
        Ieee1609Dot2Content::Signed(signed) => Some(signed),
        _ => None,
    }
}

/// Finds everything that is wrong with a signature.
///
/// `elector`: the signer, if it is known; only then is the signature itself verified.
pub(super) fn faults(
    spdu: &Ieee1609Dot2Data<'_>,
    list: (&FullIeeeTbsCtl<'_>, &[u8]),
    elector: Option<&Arc<Verified>>,
    now: Time64,
) -> Vec<SignatureFault> {
    let Some(data) = signed(spdu) else {
        return vec![SignatureFault::NotSigned];
    };
    let mut faults = Vec::new();
    check_header(&data.tbs_data.header_info, &mut faults);
    if let Err(fault) = check_payload(spdu, list) {
        faults.push(fault);
    }
    let made = data.tbs_data.header_info.generation_time;
    match elector {
        None => faults.extend(made.and_then(in_seconds)),
        Some(elector) => {
            check_elector(made, elector, now, &mut faults);
            if let Err(refusal) = verify_signature_by(data, elector) {
                faults.push(SignatureFault::Signature(refusal));
            }
        }
    }
    faults
}

/// The header, as the ASN.1 of the standard has it (`Ieee1609Dot2Data-Signed`).
fn check_header(header: &HeaderInfo<'_>, faults: &mut Vec<SignatureFault>) {
    if header.psid != MANAGEMENT_PSID {
        faults.push(SignatureFault::Psid(header.psid.0));
    }
    if header.generation_time.is_none() {
        faults.push(SignatureFault::NoGenerationTime);
    }
    let excluded = [
        ("expiryTime", header.expiry_time.is_some()),
        ("generationLocation", header.generation_location.is_some()),
        (
            "p2pcdLearningRequest",
            header.p2pcd_learning_request.is_some(),
        ),
        ("missingCrlIdentifier", header.missing_crl.is_some()),
        ("encryptionKey", header.encryption_key.is_some()),
    ];
    let present = excluded.into_iter().filter(|(_, is_present)| *is_present);
    faults.extend(present.map(|(field, _)| SignatureFault::Header(field)));
}

/// The payload is for this list.
fn check_payload(
    spdu: &Ieee1609Dot2Data<'_>,
    (list, tbs_ctl): (&FullIeeeTbsCtl<'_>, &[u8]),
) -> Result<(), SignatureFault> {
    let pdu = CertManagementPdu::carried_by(spdu).map_err(SignatureFault::Form)?;
    let CertManagementPdu::CtlSignature(own) = pdu else {
        return Err(SignatureFault::OtherList("content"));
    };
    let fields = [
        ("electorGroupId", own.elector_group == list.elector_group),
        ("ctlType", own.kind == list.kind),
        (
            "sequenceNumber",
            own.sequence_number == list.sequence_number,
        ),
    ];
    if let Some((field, _)) = fields.into_iter().find(|(_, is_same)| !is_same) {
        return Err(SignatureFault::OtherList(field));
    }
    match hash(HashFunction::Sha384, tbs_ctl).as_bytes() == own.hash.0 {
        true => Ok(()),
        false => Err(SignatureFault::Hash(own.hash)),
    }
}

/// The elector may sign, and could when it did.
fn check_elector(
    made: Option<Time64>,
    elector: &Verified,
    now: Time64,
    faults: &mut Vec<SignatureFault>,
) {
    let (start, end) = elector.validity();
    let is_valid_at = |time: Time64| (start..end).contains(&time);
    if !is_elector(elector) {
        faults.push(SignatureFault::Permission);
    }
    if !is_valid_at(now) {
        faults.push(SignatureFault::Expired);
    }
    match made {
        Some(found) if !is_valid_at(found) || found > now => {
            let fault = SignatureFault::GenerationTime {
                found,
                is_in_seconds: false,
            };
            faults.push(in_seconds(found).unwrap_or(fault));
        }
        _ => {}
    }
}

/// Names a time that is a number of seconds, in place of microseconds: it would be in the first 72
/// minutes of 2004.
fn in_seconds(found: Time64) -> Option<SignatureFault> {
    u32::try_from(found.0)
        .is_ok()
        .then_some(SignatureFault::GenerationTime {
            found,
            is_in_seconds: true,
        })
}

/// Returns true if a certificate says that its holder is an elector.
fn is_elector(certificate: &Verified) -> bool {
    let Ok(view) = certificate.view() else {
        return false;
    };
    let permissions = view.to_be_signed.app_permissions;
    let mut own = permissions.iter().flatten().flatten();
    own.any(|one| match one.ssp {
        Some(ServiceSpecificPermissions::Opaque(ssp)) if one.psid == MANAGEMENT_PSID => {
            matches!(parse::<ScmsSsp<'_>>(ssp), Ok(ScmsSsp::Elector(_)))
        }
        _ => false,
    })
}
