//! Authorities and vehicles that do not keep to the rules.

mod messages;
mod pseudonym_authority;
mod registration_authority;

use waywarden_v2x_pki::pseudonym::PseudonymError;
use waywarden_v2x_signing::written;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2dot1::{
    AcaRaInterfacePdu, RaAcaCertRequest, ScmsContent, ScmsPdu,
};

/// The field that a refusal names.
fn field(refusal: &PseudonymError) -> &'static str {
    match refusal {
        PseudonymError::Message { field, .. } => field,
        other => panic!("{other:?}"),
    }
}

/// Changes a request to the pseudonym authority.
fn changed(
    request: &[u8],
    change: impl FnOnce(RaAcaCertRequest<'_>) -> RaAcaCertRequest<'_>,
) -> Vec<u8> {
    let ScmsContent::AcaRa(AcaRaInterfacePdu::CertRequest(own)) =
        parse::<ScmsPdu<'_>>(request).unwrap().content
    else {
        panic!("no request");
    };
    let changed = AcaRaInterfacePdu::CertRequest(change(own));
    written(&ScmsPdu::new(ScmsContent::AcaRa(changed))).unwrap()
}
