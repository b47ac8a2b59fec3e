//! Validation requests that the enrolment authority must refuse, and answers that the authorization
//! authority must not take.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use waywarden_testkit::Random;
use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::Authority;
use waywarden_v2x_pki::enrolment::{
    MessageFault, PendingValidation, RequestRefusal, ResponseRefusal, StationStatus,
};
use waywarden_v2x_signing::{Credential, DecryptError, Payload};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    AuthorizationResponseCode, AuthorizationValidationRequest,
    AuthorizationValidationResponseCode as Code, EtsiTs102941DataContent,
};
use waywarden_v2x_wire::etsi103097::its_aid::CAM;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, HeaderInfo, Time64};

use super::forge::{
    Authorization, By, content, header, message, opened_by_ea, opened_under, payload, sealed,
    sealed_under, signed, signed_data,
};
use super::world::{World, authorization_authority, later, ticket_contents};
use crate::support::NOW;

/// A station with a credential asks for a ticket, and the authorization authority passes it on.
struct Asked {
    credential: Credential,
    key: KeyHandle,
    request: Vec<u8>,
}

fn asked(world: &mut World) -> Asked {
    let credential = world.enrol();
    let key = world.key();
    let (request, _) =
        world.ask_ticket_with(&credential, &ticket_contents(), NOW, |own| own.key = key);
    Asked {
        credential,
        key,
        request,
    }
}

fn refused(world: &mut World, message: &[u8], now: Time64) -> (Code, RequestRefusal) {
    let (_, key) = opened_by_ea(world, message);
    let before = world.registry.answers();
    let answer = world.answer_validation(message, now);
    assert_eq!(world.registry.answers(), before);
    let refusal = answer.outcome.unwrap_err();
    let response = opened_under(world, &key, &answer.response.unwrap());
    let data = signed_data(&response);
    let EtsiTs102941DataContent::AuthorizationValidationResponse(response) =
        content(payload(&data))
    else {
        panic!("another content");
    };
    assert_eq!(response.response_code, refusal.validation_code());
    (response.response_code, refusal)
}

/// Passes on what a station sends, as it is.
fn passed_on(world: &mut World, request: &[u8]) -> Vec<u8> {
    world.asked(request, NOW).0
}

/// Makes a validation request of what was passed on, signed otherwise.
fn signed_by(world: &mut World, message: &[u8], by: By<'_>, header: HeaderInfo<'_>) -> Vec<u8> {
    let (data, _) = opened_by_ea(world, message);
    let payload = payload(&signed_data(&data)).to_vec();
    let data = signed(world, by, header, Payload::Data(&payload));
    let ea = world.ea_certificate();
    sealed(world, &ea, &data)
}

fn second_authority(world: &mut World) -> Authority {
    let curve = world.curve;
    let World {
        root, store, seeds, ..
    } = world;
    super::world::authority(root, store, curve, authorization_authority(), seeds).0
}

#[test]
fn other_authorities_are_refused() {
    let mut world = World::new("other_authorities");
    let asked = asked(&mut world);
    let good = passed_on(&mut world, &asked.request);
    let second = second_authority(&mut world);
    let (aa, ea) = (
        world.aa.authority().credential().clone(),
        world.ea.authority().credential().clone(),
    );
    let unknown = signed_by(
        &mut world,
        &good,
        By::Credential(second.credential()),
        header(),
    );
    let (code, refusal) = refused(&mut world, &unknown, NOW);
    assert_eq!(
        (code, &refusal),
        (
            Code::InvalidAa,
            &RequestRefusal::UnknownAuthority(second.credential().id())
        )
    );
    // Known, it may ask; the enrolment authority's own certificate may not.
    let bytes = second.credential().certificate().bytes().to_vec();
    world.ea.add_authorization_authority(&bytes).unwrap();
    world
        .ea
        .add_authorization_authority(ea.certificate().bytes())
        .unwrap();
    let own = signed_by(&mut world, &good, By::Credential(&ea), header());
    let (code, refusal) = refused(&mut world, &own, NOW);
    assert_eq!(
        (code, refusal),
        (Code::InvalidAa, RequestRefusal::InvalidAuthority(ea.id()))
    );
    let own = signed_by(
        &mut world,
        &good,
        By::Credential(&asked.credential),
        header(),
    );
    let (code, _) = refused(&mut world, &own, NOW);
    assert_eq!(code, Code::InvalidAa);
    for by in [By::OwnKey(asked.key), By::Whole(&aa)] {
        let own = signed_by(&mut world, &good, by, header());
        let (code, _) = refused(&mut world, &own, NOW);
        assert_eq!(code, Code::BadContentType);
    }
    world.ea.remove_authorization_authority(aa.id());
    let (code, _) = refused(&mut world, &good, NOW);
    assert_eq!(code, Code::InvalidAa);
    let own = signed_by(
        &mut world,
        &good,
        By::Credential(second.credential()),
        header(),
    );
    world.answer_validation(&own, NOW).outcome.unwrap();
}

#[test]
fn wrong_signature_and_header_of_the_authority_are_refused() {
    let mut world = World::new("authority_signature");
    let asked = asked(&mut world);
    let good = passed_on(&mut world, &asked.request);
    let (mut data, _) = opened_by_ea(&mut world, &good);
    *data.last_mut().unwrap() ^= 1;
    let ea = world.ea_certificate();
    let changed = sealed(&mut world, &ea, &data);
    let (code, refusal) = refused(&mut world, &changed, NOW);
    assert_eq!(code, Code::InvalidAaSignature);
    assert!(matches!(refusal, RequestRefusal::AuthoritySignature(_)));
    let aa = world.aa.authority().credential().clone();
    let old = Some(Time64(NOW.0 - 601_000_000));
    let cases = [
        (
            HeaderInfo {
                psid: CAM,
                ..header()
            },
            Code::BadContentType,
        ),
        (
            HeaderInfo {
                generation_time: old,
                ..header()
            },
            Code::DeniedRequest,
        ),
    ];
    for (header, expected) in cases {
        let own = signed_by(&mut world, &good, By::Credential(&aa), header);
        assert_eq!(refused(&mut world, &own, NOW).0, expected);
    }
    let to_aa = {
        let (data, _) = opened_by_ea(&mut world, &good);
        let aa = world.aa_certificate();
        sealed(&mut world, &aa, &data)
    };
    let answer = world.answer_validation(&to_aa, NOW);
    let fault = MessageFault::Encryption(DecryptError::NotForUs);
    assert_eq!(answer.outcome.unwrap_err(), RequestRefusal::Message(fault));
}

/// The station's signature: of another station's request, by a key without a certificate, by the
/// authority, encrypted to the other authority, of another time.
#[test]
fn wrong_signatures_of_the_station_are_refused() {
    let mut world = World::new("station_signature");
    let asked = asked(&mut world);
    let (ea, aa) = (world.ea_certificate(), world.aa_certificate());
    let ea_credential = world.ea.authority().credential().clone();
    let own = Authorization::by(&asked.credential, asked.key);
    let old = HeaderInfo {
        generation_time: Some(Time64(NOW.0 - 601_000_000)),
        ..header()
    };
    let cases = [
        (
            Authorization {
                signs: Some([7; 32]),
                ..own
            },
            Code::InvalidSignature,
        ),
        (
            Authorization {
                credential: By::OwnKey(asked.key),
                ..own
            },
            Code::InvalidSignature,
        ),
        (
            Authorization {
                credential: By::Whole(&asked.credential),
                ..own
            },
            Code::InvalidSignature,
        ),
        (
            Authorization {
                credential: By::Credential(&ea_credential),
                ..own
            },
            Code::UnknownIts,
        ),
        (
            Authorization {
                encrypted_to: Some(&aa),
                ..own
            },
            Code::WrongEa,
        ),
        (
            Authorization {
                credential_header: old,
                ..own
            },
            Code::DeniedRequest,
        ),
        (
            Authorization {
                credential_header: HeaderInfo {
                    psid: CAM,
                    ..header()
                },
                ..own
            },
            Code::InvalidSignature,
        ),
    ];
    for (forged, expected) in cases {
        let request = forged.sealed(&mut world, &asked.request, |_, _| {});
        let message = passed_on(&mut world, &request);
        let (code, refusal) = refused(&mut world, &message, NOW);
        assert_eq!(code, expected, "{refusal}");
    }
    for forged in [
        own,
        Authorization {
            encrypted_to: Some(&ea),
            ..own
        },
    ] {
        let request = forged.sealed(&mut world, &asked.request, |_, _| {});
        let message = passed_on(&mut world, &request);
        let found = world.answer_validation(&message, NOW).outcome;
        // The second one is the same request: it was consented to.
        match forged.encrypted_to {
            None => assert!(found.is_ok()),
            Some(_) => assert_eq!(found.unwrap_err(), RequestRefusal::Replayed),
        }
    }
}

/// The authorization authority changes what the station signed.
#[test]
fn what_the_station_signed_cannot_be_changed() {
    let mut world = World::new("changed_shared");
    let asked = asked(&mut world);
    let good = passed_on(&mut world, &asked.request);
    let (data, _) = opened_by_ea(&mut world, &good);
    let data = signed_data(&data);
    let EtsiTs102941DataContent::AuthorizationValidationRequest(inner) = content(payload(&data))
    else {
        panic!("another content");
    };
    let aa = world.aa.authority().credential().clone();
    let mut random = Random::of_test("changed_shared");
    let shared = inner.shared.bytes().unwrap().to_vec();
    let (mut refusals, mut unread) = (0, 0);
    for at in 0..shared.len() {
        let mut changed = shared.clone();
        changed[at] ^= 1 << random.below(8);
        let Ok(shared) = parse(&changed) else {
            unread += 1;
            continue;
        };
        let content = EtsiTs102941DataContent::AuthorizationValidationRequest(
            AuthorizationValidationRequest { shared, ..inner },
        );
        let payload = message(content);
        let data = signed(
            &mut world,
            By::Credential(&aa),
            header(),
            Payload::Data(&payload),
        );
        let ea = world.ea_certificate();
        let request = sealed(&mut world, &ea, &data);
        let (code, refusal) = refused(&mut world, &request, NOW);
        assert!(
            matches!(
                code,
                Code::InvalidSignature | Code::WrongEa | Code::DeniedRequest
            ),
            "{refusal}"
        );
        refusals += 1;
    }
    println!("{refusals} refused, {unread} not read");
    assert_eq!(refusals + unread, shared.len());
    // The hash and the tag alone have 24.
    assert!(refusals > 24);
}

#[test]
fn other_enrolment_authority_and_format_are_refused() {
    let mut world = World::new("other_ea");
    let asked = asked(&mut world);
    // Another enrolment authority that the authorization authority knows, and asks.
    let forged = Authorization::by(&asked.credential, asked.key);
    let request = forged.sealed(&mut world, &asked.request, |_, _| {});
    let good = passed_on(&mut world, &request);
    let aa = world.aa.authority().credential().clone();
    let (data, _) = opened_by_ea(&mut world, &good);
    let data = signed_data(&data);
    let EtsiTs102941DataContent::AuthorizationValidationRequest(inner) = content(payload(&data))
    else {
        panic!("another content");
    };
    for (id, format, expected) in [
        (HashedId8([9; 8]), 1, Code::WrongEa),
        (world.ea_certificate().id(), 2, Code::DeniedRequest),
    ] {
        let mut shared = *inner.shared;
        shared.ea_id = id;
        shared.certificate_format.0 = format;
        let bytes = crate::support::written(&shared);
        let content = EtsiTs102941DataContent::AuthorizationValidationRequest(
            AuthorizationValidationRequest {
                shared: parse(&bytes).unwrap(),
                ..inner
            },
        );
        let payload = message(content);
        let data = signed(
            &mut world,
            By::Credential(&aa),
            header(),
            Payload::Data(&payload),
        );
        let ea = world.ea_certificate();
        let request = sealed(&mut world, &ea, &data);
        assert_eq!(refused(&mut world, &request, NOW).0, expected);
    }
}

#[test]
fn blocked_stations_and_too_many_tickets_are_refused() {
    let mut world = World::new("too_many");
    let credential = world.enrol();
    world.change_station(|station| station.profile.tickets_at_once = 2);
    let ask = |world: &mut World| world.ask_ticket(&credential, &ticket_contents(), NOW).0;
    for _ in 0..2 {
        let request = ask(&mut world);
        world.authorize(&request, NOW).outcome.unwrap();
    }
    let request = ask(&mut world);
    let message = passed_on(&mut world, &request);
    let (code, refusal) = refused(&mut world, &message, NOW);
    assert_eq!(
        (code, &refusal),
        (Code::DeniedTooManyCerts, &RequestRefusal::TooManyTickets(2))
    );
    let (code, _) = super::purposes_aa::refused(&mut world, &request, NOW);
    assert_eq!(code, AuthorizationResponseCode::DeniedTooManyCerts);
    // In the week after these there is room.
    let mut contents = ticket_contents();
    contents.start.0 += 168 * 3_600;
    let (next, _) = world.ask_ticket(&credential, &contents, NOW);
    world.authorize(&next, NOW).outcome.unwrap();
    world.change_station(|station| station.status = StationStatus::Blocked);
    let message = passed_on(&mut world, &request);
    let (code, refusal) = refused(&mut world, &message, NOW);
    assert_eq!(
        (code, refusal),
        (Code::DeniedRequest, RequestRefusal::StationBlocked)
    );
}

/// What the authorization authority says of an answer that is not the enrolment authority's.
fn taken(world: &mut World, pending: &PendingValidation, response: &[u8], now: Time64) -> String {
    let answer = world.finish(pending, Some(response), now);
    assert!(answer.response.is_some(), "the station is answered");
    match answer.outcome.unwrap_err() {
        RequestRefusal::Validation(ResponseRefusal::Denied(code)) => code.label().to_owned(),
        RequestRefusal::Validation(refusal) => {
            let refusal = RequestRefusal::Validation(refusal);
            let code = refusal.authorization_code();
            assert_eq!(code, AuthorizationResponseCode::AaEaCantReachEa);
            refusal.to_string()
        }
        other => panic!("{other}"),
    }
}

#[test]
fn answers_that_are_not_the_eas_are_not_taken() {
    let mut world = World::new("not_the_eas");
    let (one, other) = (asked(&mut world), asked(&mut world));
    let (first, pending) = world.asked(&one.request, NOW);
    let (second, _) = world.asked(&other.request, NOW);
    let (_, key) = opened_by_ea(&mut world, &first);
    let (_, other_key) = opened_by_ea(&mut world, &second);
    let response = world.answer_validation(&first, NOW).response.unwrap();
    let foreign = world.answer_validation(&second, NOW).response.unwrap();
    let data = opened_under(&mut world, &key, &response);
    let foreign_data = opened_under(&mut world, &other_key, &foreign);
    let own = payload(&signed_data(&data)).to_vec();
    let aa = world.aa.authority().credential().clone();
    let by_aa = signed(
        &mut world,
        By::Credential(&aa),
        header(),
        Payload::Data(&own),
    );
    let mut wrong = data.clone();
    *wrong.last_mut().unwrap() ^= 1;
    let cases = [
        (foreign, "recipients"),
        (sealed_under(&mut world, &key, &foreign_data), "requestHash"),
        (sealed_under(&mut world, &key, &by_aa), "signer"),
        (
            sealed_under(&mut world, &key, &wrong),
            "spduCryptoVerificationFailure",
        ),
        (response[..20].to_vec(), "missing"),
    ];
    for (response, expected) in cases {
        let found = taken(&mut world, &pending, &response, NOW);
        assert!(found.contains(expected), "{found}");
    }
    let found = taken(&mut world, &pending, &response, later(601));
    assert!(found.contains("generationTime"), "{found}");
    // The true one is good still, and once.
    world
        .finish(&pending, Some(&response), NOW)
        .outcome
        .unwrap();
    let again = world.finish(&pending, Some(&response), NOW);
    assert_eq!(again.outcome.unwrap_err(), RequestRefusal::Replayed);
    assert_eq!(again.response, None);
}

/// The enrolment authority consents to what the other one may not issue.
#[test]
fn ticket_beyond_the_issuer_is_denied() {
    let mut random = Random::of_test("beyond");
    let mut aa = authorization_authority();
    aa.issues[0].applications.as_mut().unwrap().remove(0);
    let curve = waywarden_ecverify::Curve::P256;
    let ea = super::world::enrolment_authority();
    let mut world = World::with(curve, &mut random, ea, aa);
    let asked = asked(&mut world);
    let (code, refusal) = super::purposes_aa::refused(&mut world, &asked.request, NOW);
    assert_eq!(code, AuthorizationResponseCode::ItsAaDeniedPermissions);
    assert!(matches!(refusal, RequestRefusal::Issue(_)), "{refusal}");
}
