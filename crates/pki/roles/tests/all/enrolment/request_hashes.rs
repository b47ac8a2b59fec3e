//! `requestHash` of the whole message, as other implementations have it.

use waywarden_v2x_pki::enrolment::{EnrolmentLimits, RequestHashOf, RequestRefusal};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_wire::etsi102941::EtsiTs102941DataContent;

use super::forge::{content, opened_by_ea, opened_under, payload, sealed_to_ea, signed_data};
use super::world::{World, credential_contents, ticket_contents};
use crate::support::NOW;

fn world(test: &str) -> World {
    let mut world = World::new(test);
    world.ea = world.ea.with_request_hash_of(RequestHashOf::Message);
    world.aa = world.aa.with_request_hash_of(RequestHashOf::Message);
    world
}

#[test]
fn hash_of_the_message_is_answered_and_taken() {
    let mut world = world("hash_of_the_message");
    let key = world.key();
    let (request, pending) = world.ask_enrolment(key, &credential_contents(), NOW);
    let (_, message_key) = opened_by_ea(&mut world, &request);
    let response = world.answer_enrolment(&request, NOW).response.unwrap();
    let limits = EnrolmentLimits::DEFAULT;
    let opened = pending.open(&mut world.store, &world.verifier, &response, NOW, &limits);
    opened.unwrap();
    let opened = opened_under(&mut world, &message_key, &response);
    let data = signed_data(&opened);
    let EtsiTs102941DataContent::EnrolmentResponse(own) = content(payload(&data)) else {
        panic!("another response");
    };
    let expected = hash(HashFunction::Sha256, &request);
    assert_eq!(own.request_hash, &expected.as_bytes()[..16]);
}

/// The authority takes the validation response of the other, and the station that of the authority.
#[test]
fn tickets_are_authorized_by_the_hash_of_messages() {
    let mut world = world("tickets_by_messages");
    let credential = world.enrol();
    let (request, pending) = world.ask_ticket(&credential, &ticket_contents(), NOW);
    let answer = world.authorize(&request, NOW);
    answer.outcome.unwrap();
    let response = answer.response.unwrap();
    let limits = EnrolmentLimits::DEFAULT;
    let opened = pending.open(&mut world.store, &world.verifier, &response, NOW, &limits);
    opened.unwrap();
}

/// A request that is encrypted again has another hash, and is the same request all the same.
#[test]
fn request_that_is_encrypted_again_is_a_replay() {
    let mut world = world("encrypted_again");
    let key = world.key();
    let (request, _) = world.ask_enrolment(key, &credential_contents(), NOW);
    world.answer_enrolment(&request, NOW).outcome.unwrap();
    let (signed, _) = opened_by_ea(&mut world, &request);
    let again = sealed_to_ea(&mut world, &signed);
    assert_ne!(again, request);
    let outcome = world.answer_enrolment(&again, NOW).outcome;
    assert_eq!(outcome, Err(RequestRefusal::Replayed));
}
