//! Lists that messages carry, looked into after their signature has verified: revocation lists of
//! IEEE 1609.2 and the lists of ETSI's PKI. Read \[1609.2 §7\] and \[TS 102 941 Annex A\] first.

use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{EtsiTs102941Data, EtsiTs102941DataContent};
use waywarden_v2x_wire::ieee1609dot2::{
    CracaType, CrlContents, CrlSsp, HashedId8, Ieee1609Dot2Content, ServiceSpecificPermissions,
    SignedData, Time32, Time64, ToBeSignedCertificate,
};

use crate::chain::{Chain, Link};
use crate::permission::permitted;
use crate::profile::{CRL_PSID, SecurityProfile};
use crate::result::{Refusal, ResultCode};
use crate::rules::check_period;

/// Checks the list that a message carries, where its application has lists.
pub(crate) fn check_list(
    data: &SignedData<'_>,
    chain: &Chain<'_>,
    profile: &SecurityProfile,
    now: Time64,
) -> Result<(), Refusal> {
    if data.tbs_data.header_info.psid == CRL_PSID {
        return check_crl(data, chain, profile, now);
    }
    match profile.list_tolerance {
        Some(tolerance) => check_due(data, tolerance, now),
        None => Ok(()),
    }
}

/// A list of TS 102 941 is not overdue. Whether it is newer than the one before, and what it
/// changes, is for its user to find out.
fn check_due(data: &SignedData<'_>, tolerance: u64, now: Time64) -> Result<(), Refusal> {
    let list: EtsiTs102941Data<'_> = parse(octets(data)?)?;
    let due = match list.content {
        EtsiTs102941DataContent::CertificateRevocationList(list) => list.next_update,
        EtsiTs102941DataContent::CertificateTrustListTlm(list)
        | EtsiTs102941DataContent::CertificateTrustListRca(list) => list.next_update,
        _ => return Err(not_a_list()),
    };
    match now.0 <= microseconds(due).0.saturating_add(tolerance) {
        true => Ok(()),
        false => Err(Refusal::message(
            ResultCode::RelevanceExpiryTimeInPast,
            "nextUpdate",
            "the next list is due",
        )),
    }
}

/// A revocation list is one, its dates are possible, and its signer has the right to make it.
fn check_crl(
    data: &SignedData<'_>,
    chain: &Chain<'_>,
    profile: &SecurityProfile,
    now: Time64,
) -> Result<(), Refusal> {
    let list = crl(data)?;
    let issued = microseconds(list.issue_date);
    // A list from the future would block all later ones.
    let future = profile.future.unwrap_or(u64::MAX);
    if issued.0 > now.0.saturating_add(future) {
        return Err(Refusal::message(
            ResultCode::RelevanceGenerationTimeTooFarInFuture,
            "issueDate",
            "later than clocks may differ",
        ));
    }
    if list.next_crl <= list.issue_date {
        return Err(Refusal::message(
            ResultCode::ParsingInvalidInput,
            "nextCrl",
            "not after issueDate",
        ));
    }
    check_period(issued, chain)?;
    let view;
    let (id, issuer, own) = match chain.links.first() {
        Some(link) => {
            let above = chain.links.get(1).map_or(chain.top.id(), Link::id);
            (link.id(), Some(above), &*link.certificate.to_be_signed)
        }
        None => {
            view = chain.top.view()?;
            let issuer = chain.top.issuer().map(|issuer| issuer.id());
            (chain.top.id(), issuer, &*view.to_be_signed)
        }
    };
    may_revoke(own, (id, issuer), &list).map_err(|(field, why)| {
        Refusal::certificate(ResultCode::ConsistencyUnauthorizedPsid, id, field, why)
    })
}

/// Checks that the permissions of a signer cover a list \[1609.2 §7.4\].
fn may_revoke(
    signer: &ToBeSignedCertificate<'_>,
    (id, issuer): (HashedId8, Option<HashedId8>),
    list: &CrlContents<'_>,
) -> Result<(), (&'static str, &'static str)> {
    let permission = permitted(signer, CRL_PSID).and_then(|permission| permission.ssp);
    let Some(ServiceSpecificPermissions::Opaque(bytes)) = permission else {
        return Err(("ssp", "no permission to make revocation lists"));
    };
    let Ok(ssp) = parse::<CrlSsp<'_>>(bytes) else {
        return Err(("ssp", "not the permissions of a signer of revocation lists"));
    };
    let craca = match ssp.associated_craca {
        CracaType::IsCraca => Some(id),
        CracaType::IssuerIsCraca => issuer,
    };
    if craca != Some(list.crl_craca) {
        return Err(("associatedCraca", "the list is of another CRACA"));
    }
    match ssp
        .series
        .iter()
        .flatten()
        .any(|one| one == list.crl_series)
    {
        true => Ok(()),
        false => Err(("crls", "the series of the list is not in it")),
    }
}

/// Reads the revocation list in a message.
pub(crate) fn crl<'m>(data: &SignedData<'m>) -> Result<CrlContents<'m>, Refusal> {
    Ok(parse(octets(data)?)?)
}

/// Returns the octets in a message, which are all that it may carry.
fn octets<'m>(data: &SignedData<'m>) -> Result<&'m [u8], Refusal> {
    let inner = data.tbs_data.payload.data.as_ref();
    let content = inner
        .map(|inner| Ok::<_, WireError>(inner.view()?.content))
        .transpose()?;
    match content {
        Some(Ieee1609Dot2Content::Unsecured(bytes)) => Ok(bytes),
        _ => Err(not_a_list()),
    }
}

fn not_a_list() -> Refusal {
    Refusal::message(
        ResultCode::ParsingInvalidInput,
        "unsecuredData",
        "not a list, which is all that the application has",
    )
}

fn microseconds(time: Time32) -> Time64 {
    Time64(u64::from(time.0) * 1_000_000)
}
