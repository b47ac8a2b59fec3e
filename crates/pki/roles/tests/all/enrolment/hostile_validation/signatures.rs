//! Wrong signatures of the authorization authority and of the station.

use waywarden_testkit::Random;
use waywarden_v2x_pki::enrolment::{MessageFault, RequestRefusal};
use waywarden_v2x_signing::{DecryptError, PayloadToSign};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    AuthorizationValidationRequest, AuthorizationValidationResponseCode as Code,
    EtsiTs102941DataContent,
};
use waywarden_v2x_wire::etsi103097::its_aid::CAM;
use waywarden_v2x_wire::ieee1609dot2::{HeaderInfo, Time64};

use super::{Asked, asked, passed_on, refused, signed_by};
use crate::enrolment::forge::{
    Authorization, By, content, header, message, opened_by_ea, payload, sealed, sealed_to_ea,
    signed, signed_data,
};
use crate::enrolment::world::World;
use crate::support::NOW;

#[test]
fn wrong_signature_and_header_of_the_authority_are_refused() {
    let mut world = World::new("authority_signature");
    let asked = asked(&mut world);
    let good = passed_on(&mut world, &asked.request);
    let (mut data, _) = opened_by_ea(&mut world, &good);
    *data.last_mut().unwrap() ^= 1;
    let changed = sealed_to_ea(&mut world, &data);
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

/// Requests are passed on, and refused by these codes.
fn assert_refused(world: &mut World, asked: &Asked, cases: &[(Authorization<'_>, Code)]) {
    for (forged, expected) in cases {
        let request = forged.sealed(world, &asked.request, |_, _| {});
        let message = passed_on(world, &request);
        let (code, refusal) = refused(world, &message, NOW);
        assert_eq!(code, *expected, "{refusal}");
    }
}

/// The station's signature: of another station's request, by a key without a certificate, with the
/// certificate in the message, for another application.
#[test]
fn invalid_signatures_of_the_station_are_refused() {
    let mut world = World::new("station_signature");
    let asked = asked(&mut world);
    let own = Authorization::by(&asked.credential, asked.key);
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
                credential_header: HeaderInfo {
                    psid: CAM,
                    ..header()
                },
                ..own
            },
            Code::InvalidSignature,
        ),
    ];
    assert_refused(&mut world, &asked, &cases);
}

/// The station's signature: by the authority, encrypted to the other authority, of another time.
#[test]
fn signatures_by_or_for_another_and_old_ones_are_refused() {
    let mut world = World::new("station_signature_of_others");
    let asked = asked(&mut world);
    let aa = world.aa_certificate();
    let ea_credential = world.ea.authority().credential().clone();
    let own = Authorization::by(&asked.credential, asked.key);
    let old = HeaderInfo {
        generation_time: Some(Time64(NOW.0 - 601_000_000)),
        ..header()
    };
    let cases = [
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
    ];
    assert_refused(&mut world, &asked, &cases);
}

#[test]
fn a_request_that_was_consented_to_is_refused_as_replayed() {
    let mut world = World::new("station_signature_again");
    let asked = asked(&mut world);
    let ea = world.ea_certificate();
    let own = Authorization::by(&asked.credential, asked.key);
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
            PayloadToSign::Data(&payload),
        );
        let request = sealed_to_ea(&mut world, &data);
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
