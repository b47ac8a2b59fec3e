//! Until when the lists of ETSI's PKI are valid: they say when the next one is due, in what is
//! signed. Whether a list is newer than the one before, and what it changes, its taker finds out.
//! Read \[TS 102 941 Annex A\] first.

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{EtsiTs102941Data, EtsiTs102941DataContent};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, SignedData, Time32, Time64};

use crate::profile::SecurityProfile;
use crate::result::{Refusal, ResultCode};

/// A list is not overdue, where the profile is one for lists.
pub(crate) fn check_list(
    data: &SignedData<'_>,
    profile: &SecurityProfile,
    now: Time64,
) -> Result<(), Refusal> {
    let Some(tolerance) = profile.list_tolerance else {
        return Ok(());
    };
    let due = Time64(u64::from(next_update(data)?.0) * 1_000_000);
    match now.0 <= due.0.saturating_add(tolerance) {
        true => Ok(()),
        false => Err(Refusal::message(
            ResultCode::RelevanceExpiryTimeInPast,
            "nextUpdate",
            "the next list is due",
        )),
    }
}

fn next_update(data: &SignedData<'_>) -> Result<Time32, Refusal> {
    let no_list = || {
        Refusal::message(
            ResultCode::ParsingInvalidInput,
            "unsecuredData",
            "not a list of TS 102 941, which is all that the application has",
        )
    };
    let inner = data.tbs_data.payload.data.as_ref().ok_or_else(no_list)?;
    let Ieee1609Dot2Content::Unsecured(bytes) = inner.view()?.content else {
        return Err(no_list());
    };
    let list: EtsiTs102941Data<'_> = parse(bytes)?;
    Ok(match list.content {
        EtsiTs102941DataContent::CertificateRevocationList(list) => list.next_update,
        EtsiTs102941DataContent::CertificateTrustListTlm(list)
        | EtsiTs102941DataContent::CertificateTrustListRca(list) => list.next_update,
    })
}
