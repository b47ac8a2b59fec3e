//! Answers that were forgotten although their requests are still young: after a clock that jumped
//! ahead and back. Their requests are refused, and new ones are answered.

use waywarden_v2x_pki::enrolment::{MemoryRegistry, RequestRefusal, ResponseRefusal};
use waywarden_v2x_wire::etsi102941::{
    AuthorizationResponseCode, AuthorizationValidationResponseCode, EnrolmentResponseCode,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::world::{World, credential_contents, later, ticket_contents};
use crate::support::NOW;

/// As a clock that is ahead by two days has it.
const AHEAD: Time64 = Time64(NOW.0 + 2 * 86_400 * 1_000_000);

#[test]
fn forgotten_enrolment_is_refused_and_a_new_one_is_answered() {
    let mut world = World::new("forgotten_enrolment");
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    let answer = world.answer_enrolment(&request, NOW);
    answer.outcome.unwrap();
    // The size of a kept answer, as docs/pki.md has it.
    let kept = answer.response.unwrap().len();
    assert!(kept < 1_024, "{kept} bytes");
    world.registry.forget_before(AHEAD);
    let refusal = world
        .answer_enrolment(&request, later(1))
        .outcome
        .unwrap_err();
    assert_eq!(refusal, RequestRefusal::Forgotten);
    assert_eq!(
        refusal.enrolment_code(),
        EnrolmentResponseCode::DeniedRequest
    );
    assert_eq!(world.registry.answers(), 0);
    let (request, _) = world.ask_enrolment(key, &credential_contents(), later(1));
    world.answer_enrolment(&request, later(1)).outcome.unwrap();
}

#[test]
fn forgotten_ticket_request_is_refused_by_each_authority_alone() {
    let mut world = World::new("forgotten_ticket");
    let credential = world.enrol();
    let (request, _) = world.ask_ticket(&credential, &ticket_contents(), NOW);
    world.authorize(&request, NOW).outcome.unwrap();
    // The enrolment authority has forgotten, as an authorization authority of no memory finds out.
    world.registry.forget_before(AHEAD);
    world.answers = MemoryRegistry::new(100);
    let refusal = world.authorize(&request, later(1)).outcome.unwrap_err();
    let denied = ResponseRefusal::Denied(AuthorizationValidationResponseCode::DeniedRequest);
    assert_eq!(refusal, RequestRefusal::Validation(denied));
    // The authorization authority has forgotten: it asks no other one.
    let (request, _) = world.ask_ticket(&credential, &ticket_contents(), later(2));
    world.authorize(&request, later(2)).outcome.unwrap();
    world.answers.forget_before(AHEAD);
    let refusal = world.authorize(&request, later(3)).outcome.unwrap_err();
    assert_eq!(refusal, RequestRefusal::Forgotten);
    let code = refusal.authorization_code();
    assert_eq!(code, AuthorizationResponseCode::ItsAaOutOfSyncRequest);
    // New requests are answered at once.
    let (request, _) = world.ask_ticket(&credential, &ticket_contents(), later(4));
    world.authorize(&request, later(4)).outcome.unwrap();
}

#[test]
fn forgotten_ticket_request_without_a_time_is_refused_by_the_enrolment_authority() {
    let mut world = World::new("forgotten_without_a_time");
    let credential = world.enrol();
    let (request, _) = world.ask_ticket_with(&credential, &ticket_contents(), NOW, |asked| {
        asked.proves_possession = false;
    });
    world.aa = world.aa.without_proof_of_possession();
    world.authorize(&request, NOW).outcome.unwrap();
    world.answers.forget_before(AHEAD);
    world.registry.forget_before(AHEAD);
    let refusal = world.authorize(&request, later(1)).outcome.unwrap_err();
    let denied = ResponseRefusal::Denied(AuthorizationValidationResponseCode::DeniedRequest);
    assert_eq!(refusal, RequestRefusal::Validation(denied));
}
