//! The rules that a message has to keep, but for signatures \[1609.2 §5.2\]: each says by the
//! standard's name what does not hold.

use waywarden_v2x_wire::etsi103097::check_signed;
use waywarden_v2x_wire::ieee1609dot2::{
    HashedData, HeaderInfo, SignedData, ThreeDLocation, Time64, TwoDLocation,
};

use crate::chain::{self, Chain};
use crate::context::ReceptionContext;
use crate::hash::{HashFunction, hash};
use crate::permission::permitted;
use crate::profile::{CRL_PSID, SecurityProfile};
use crate::region::{contains, distance, is_known};
use crate::result::{Reason, Refusal, ResultCode};
use crate::state::ReceiverState;

impl ReceiverState {
    /// Message against certificate.
    pub(crate) fn check_consistency(
        &self,
        data: &SignedData<'_>,
        chain: &Chain<'_>,
        now: Time64,
    ) -> Result<(), Refusal> {
        let header = &data.tbs_data.header_info;
        let (id, start, end) = chain.signer();
        let is_permitted = match chain.links.first() {
            Some(link) => permitted(&link.certificate.to_be_signed, header.psid).is_some(),
            None => permitted(&chain.top.view()?.to_be_signed, header.psid).is_some(),
        };
        let refuse = |code, field, why| Err(Refusal::certificate(code, id, field, why));
        if !is_permitted {
            return refuse(
                ResultCode::ConsistencyUnauthorizedPsid,
                "appPermissions",
                "the message's application is not in it",
            );
        }
        // What does not say when it was made is judged as if it were made now. A revocation list
        // says so in its payload, which is not looked into before its signature has verified.
        match header.generation_time {
            None if header.psid == CRL_PSID => {}
            made => check_period(made.unwrap_or(now), chain)?,
        }
        match header.expiry_time {
            Some(expiry) if expiry < start => refuse(
                ResultCode::ConsistencyExpiryDateTooEarly,
                "validityPeriod",
                "begins after the message has expired",
            ),
            Some(expiry) if expiry > end => refuse(
                ResultCode::ConsistencyExpiryDateTooLate,
                "validityPeriod",
                "ends before the message expires",
            ),
            _ => Ok(()),
        }
    }

    /// The message was made where its signer's certificate is valid. After all signatures: regions
    /// can be large.
    pub(crate) fn check_region(
        &self,
        header: &HeaderInfo<'_>,
        chain: &Chain<'_>,
        profile: &SecurityProfile,
    ) -> Result<(), Refusal> {
        let place = header.generation_location.map(on_ground).filter(is_known);
        let Some(place) = place.filter(|_| profile.checks_region) else {
            // A profile that demands a place has refused the message before.
            return Ok(());
        };
        // Last: it reads the certificates again.
        let Some(region) = chain::region(chain) else {
            return Ok(());
        };
        let id = chain.signer().0;
        let refuse = |code, why| Err(Refusal::certificate(code, id, "region", why));
        let outside = ResultCode::ConsistencyGenerationLocationOutsideValidityRegion;
        match contains(&region, &place, &*self.borders) {
            Some(true) => Ok(()),
            Some(false) => refuse(outside, "the message was made outside of it"),
            None => refuse(outside, "whether the message was made in it is not known"),
        }
    }
}

/// A signer's certificate was valid when something was made.
pub(crate) fn check_period(made: Time64, chain: &Chain<'_>) -> Result<(), Refusal> {
    let (id, start, end) = chain.signer();
    let refuse = |code, why| Err(Refusal::certificate(code, id, "validityPeriod", why));
    match made {
        made if made < start => refuse(
            ResultCode::ConsistencyFutureCertificateAtGenerationTime,
            "not valid yet when the message was made",
        ),
        made if made >= end => refuse(
            ResultCode::ConsistencyExpiredCertificateAtGenerationTime,
            "not valid any more when the message was made",
        ),
        _ => Ok(()),
    }
}

/// The message keeps the profile of ETSI TS 103 097 that its application has.
pub(crate) fn check_message_profile(
    data: &SignedData<'_>,
    profile: &SecurityProfile,
) -> Result<(), Refusal> {
    let Some(expected) = profile.message_profile else {
        return Ok(());
    };
    let mut first = None;
    check_signed(data, expected, &mut |deviation| {
        first.get_or_insert(deviation);
    });
    match first {
        None => Ok(()),
        Some(deviation) => Err(Refusal {
            code: ResultCode::ParsingInvalidInput,
            certificate: None,
            field: deviation.field,
            reason: Reason::Profile(deviation),
        }),
    }
}

pub(crate) fn replayed() -> Refusal {
    Refusal::message(
        ResultCode::RelevanceReplayedSpdu,
        "",
        "it came before, or is as old as messages of its signer that are forgotten",
    )
}

fn on_ground(place: ThreeDLocation) -> TwoDLocation {
    TwoDLocation {
        latitude: place.latitude,
        longitude: place.longitude,
    }
}

/// Checks that all fields demanded by the application are present.
pub(crate) fn check_presence(
    header: &HeaderInfo<'_>,
    profile: &SecurityProfile,
) -> Result<(), Refusal> {
    // Without it neither age nor replay can be told.
    let needs_time =
        profile.needs_generation_time || profile.past.is_some() || profile.checks_replay;
    if needs_time && header.generation_time.is_none() {
        return Err(Refusal::message(
            ResultCode::ParsingGenerationTimeNotAvailable,
            "generationTime",
            "the application demands it",
        ));
    }
    if profile.needs_generation_location {
        let refuse = |code, why| Err(Refusal::message(code, "generationLocation", why));
        match header.generation_location.map(on_ground) {
            None => {
                return refuse(
                    ResultCode::ParsingGenerationLocationNotAvailable,
                    "the application demands it",
                );
            }
            Some(place) if !is_known(&place) => {
                return refuse(
                    ResultCode::ConsistencyNoGenerationLocation,
                    "unknown, and the application demands a place",
                );
            }
            Some(_) => {}
        }
    }
    if profile.needs_expiry_time && header.expiry_time.is_none() {
        return Err(Refusal::message(
            ResultCode::ParsingInvalidInput,
            "expiryTime",
            "the application demands it",
        ));
    }
    Ok(())
}

/// Message against what the receiver wants.
pub(crate) fn check_local(
    data: &SignedData<'_>,
    chain: &Chain<'_>,
    profile: &SecurityProfile,
    context: &ReceptionContext<'_>,
) -> Result<(), Refusal> {
    let psid = data.tbs_data.header_info.psid;
    if data.tbs_data.header_info.pdu_functional_type.is_some() {
        return Err(Refusal::message(
            ResultCode::InconsistentInputParameters,
            "pduFunctionalType",
            "for another part of the receiver than its applications",
        ));
    }
    if context.psid.is_some_and(|wanted| wanted != psid) {
        return Err(Refusal::message(
            ResultCode::LocalConsistencyPsidsDontMatch,
            "psid",
            "another application than the receiver's",
        ));
    }
    let length = chain.links.len() + usize::from(chain.top.above()) + 1;
    if length > usize::from(profile.chain_max) {
        return Err(Refusal::message(
            ResultCode::LocalConsistencyChainWasTooLongForSdee,
            "signer",
            "a longer chain than the application takes",
        ));
    }
    let demanded = profile.nonce_form;
    if !demanded.allows(&data.signature) {
        return Err(Refusal::message(
            ResultCode::ParsingInvalidInput,
            "rSig",
            demanded.refusal(),
        ));
    }
    let demanded = profile.certificate_nonce_form;
    let mut links = chain.links.iter();
    let other = links.find(|link| {
        let own = &link.certificate.signature;
        own.is_some_and(|own| !demanded.allows(&own))
    });
    if let Some(link) = other {
        return Err(link.refuse(ResultCode::ParsingInvalidInput, "rSig", demanded.refusal()));
    }
    Ok(())
}

/// Message against itself, and against data that is elsewhere.
pub(crate) fn check_internal(
    data: &SignedData<'_>,
    context: &ReceptionContext<'_>,
) -> Result<(), Refusal> {
    let header = &data.tbs_data.header_info;
    if let (Some(made), Some(expiry)) = (header.generation_time, header.expiry_time)
        && made >= expiry
    {
        return Err(Refusal::message(
            ResultCode::InternalConsistencyExpiryTimeBeforeGenerationTime,
            "expiryTime",
            "not after generationTime",
        ));
    }
    let payload = &data.tbs_data.payload;
    let of = |code, why| Err(Refusal::message(code, "extDataHash", why));
    match (&payload.external_hash, context.external_data) {
        (Some(expected), Some(external)) => match matches_hash(expected, external) {
            true => Ok(()),
            false => of(
                ResultCode::InternalConsistencyExtDataHashDoesntMatch,
                "not the hash of the receiver's data",
            ),
        },
        (Some(_), None) => of(
            ResultCode::InternalConsistencyNoExtDataHashProvided,
            "the receiver has no data for it",
        ),
        (None, Some(_)) if payload.omitted.is_none() => of(
            ResultCode::InternalConsistencyNoExtDataHashPresent,
            "the receiver has data, and the message no hash",
        ),
        _ => Ok(()),
    }
}

fn matches_hash(expected: &HashedData<'_>, external: &[u8]) -> bool {
    match expected {
        HashedData::Sha256(digest) => hash(HashFunction::Sha256, external).as_bytes() == *digest,
        HashedData::Sha384(digest) => hash(HashFunction::Sha384, external).as_bytes() == *digest,
        HashedData::Sm3(_) => false,
    }
}

/// Message against now and here.
pub(crate) fn check_relevance(
    header: &HeaderInfo<'_>,
    chain: &Chain<'_>,
    profile: &SecurityProfile,
    context: &ReceptionContext<'_>,
) -> Result<(), Refusal> {
    let now = context.now;
    let refuse = |code, field, why| Err(Refusal::message(code, field, why));
    if let Some(made) = header.generation_time {
        if profile
            .past
            .is_some_and(|past| made.0.saturating_add(past) < now.0)
        {
            return refuse(
                ResultCode::RelevanceGenerationTimeTooFarInPast,
                "generationTime",
                "too long ago for the application",
            );
        }
        if profile
            .future
            .is_some_and(|future| made.0 > now.0.saturating_add(future))
        {
            return refuse(
                ResultCode::RelevanceGenerationTimeTooFarInFuture,
                "generationTime",
                "later than clocks may differ",
            );
        }
    }
    if profile.checks_expiry && header.expiry_time.is_some_and(|expiry| expiry < now) {
        return refuse(ResultCode::RelevanceExpiryTimeInPast, "expiryTime", "over");
    }
    check_distance(header, profile, context)?;
    let (id, _, end) = chain.signer();
    if profile.checks_certificate_expiry && end <= now {
        return Err(Refusal::certificate(
            ResultCode::CertificateExpired,
            id,
            "validityPeriod",
            "over now",
        ));
    }
    Ok(())
}

/// The message was made near enough to the receiver, if both places are known. A profile that
/// demands nearness demands a place.
fn check_distance(
    header: &HeaderInfo<'_>,
    profile: &SecurityProfile,
    context: &ReceptionContext<'_>,
) -> Result<(), Refusal> {
    let (Some(most), Some(here)) = (profile.distance, context.place) else {
        return Ok(());
    };
    let refuse = |code, why| Err(Refusal::message(code, "generationLocation", why));
    match header.generation_location.map(on_ground) {
        Some(place) if is_known(&place) => match distance(&here, &place) > f64::from(most) {
            true => refuse(
                ResultCode::RelevanceGenerationLocationTooDistant,
                "farther away than the application looks",
            ),
            false => Ok(()),
        },
        Some(_) => refuse(
            ResultCode::ConsistencyNoGenerationLocation,
            "unknown, and the application looks at the distance",
        ),
        None => refuse(
            ResultCode::ParsingGenerationLocationNotAvailable,
            "the application looks at the distance",
        ),
    }
}
