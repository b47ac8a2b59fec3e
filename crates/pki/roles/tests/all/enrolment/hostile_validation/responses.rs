//! Responses that the authorization authority must not take.

use waywarden_testkit::Random;
use waywarden_v2x_pki::enrolment::{PendingValidation, RequestRefusal, ResponseRefusal};
use waywarden_v2x_signing::PayloadToSign;
use waywarden_v2x_wire::etsi102941::AuthorizationResponseCode;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::asked;
use crate::enrolment::forge::{
    By, header, opened_by_ea, opened_under, payload, sealed_under, signed, signed_data,
};
use crate::enrolment::world::{World, authorization_authority, later};
use crate::support::NOW;

/// Returns the authorization authority's reason for refusing an answer that is not the enrolment
/// authority's.
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
        PayloadToSign::Data(&own),
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
    let ea = crate::enrolment::world::enrolment_authority();
    let mut world = World::with(curve, &mut random, ea, aa);
    let asked = asked(&mut world);
    let (code, refusal) = crate::enrolment::purposes_aa::refused(&mut world, &asked.request, NOW);
    assert_eq!(code, AuthorizationResponseCode::ItsAaDeniedPermissions);
    assert!(matches!(refusal, RequestRefusal::Issue(_)), "{refusal}");
}
