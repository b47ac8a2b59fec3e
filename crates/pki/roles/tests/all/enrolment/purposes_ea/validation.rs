//! Test purposes of authorization validation: SECPKI_EA_AUTHVAL.

use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{RequestRefusal, ssp};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_wire::etsi102941::{
    AuthorizationValidationResponse, AuthorizationValidationResponseCode as ValidationCode,
    EtsiTs102941DataContent,
};
use waywarden_v2x_wire::etsi103097::its_aid::CERTIFICATE_REQUEST;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32, Time64};

use super::credential_with;
use crate::enrolment::forge::{
    content, opened_by_ea, opened_under, payload, sealed_to_ea, signed_data,
};
use crate::enrolment::world::{World, ticket_contents};
use crate::support::{NOW, START};

/// A validation request, and the signed request and key in it.
fn validation(world: &mut World, contents: &Contents, now: Time64) -> (Vec<u8>, Vec<u8>, [u8; 16]) {
    let credential = world.enrol();
    let (request, _) = world.ask_ticket(&credential, contents, now);
    let (message, _) = world.asked(&request, now);
    let (signed, key) = opened_by_ea(world, &message);
    (message, signed, key)
}

fn validation_response(payload: &[u8]) -> AuthorizationValidationResponse<'_> {
    match content(payload) {
        EtsiTs102941DataContent::AuthorizationValidationResponse(response) => response,
        other => panic!("{other:?}"),
    }
}

/// Purposes AUTHVAL_RCV_01 and AUTHVAL_01 to 04 and 06: one recipient by the request's key, signed
/// data, the hash, and with code 0 the attributes without `certIssuePermissions`.
#[test]
fn validation_request_is_answered_secpki_ea_authval_01_to_04_06_bv() {
    let mut world = World::new("authval_01");
    let (message, signed, key) = validation(&mut world, &ticket_contents(), NOW);
    let answer = world.answer_validation(&message, NOW);
    let response = opened_under(&mut world, &key, &answer.response.unwrap());
    let data = signed_data(&response);
    assert_eq!(payload(&data)[0], 1);
    let response = validation_response(payload(&data));
    let hash = hash(HashFunction::Sha256, &signed);
    assert_eq!(response.request_hash, &hash.as_bytes()[..16]);
    assert_eq!(response.response_code, ValidationCode::Ok);
    let confirmed = response.attributes.unwrap();
    assert!(confirmed.app_permissions.is_some());
    assert!(confirmed.cert_issue_permissions.is_none());
    assert_eq!(
        answer.outcome.unwrap().station,
        crate::enrolment::world::STATION
    );
}

#[test]
fn refused_validation_has_no_attributes_secpki_ea_authval_05_bv() {
    let mut world = World::new("authval_05");
    let mut contents = ticket_contents();
    contents.permissions.clear();
    // The authority issues for DENMs; the station's profile does not have them.
    let contents =
        contents.permitting(waywarden_v2x_wire::etsi103097::its_aid::DENM, &[1, 0, 0, 0]);
    let (message, _, key) = validation(&mut world, &contents, NOW);
    let answer = world.answer_validation(&message, NOW);
    let response = opened_under(&mut world, &key, &answer.response.unwrap());
    let data = signed_data(&response);
    let response = validation_response(payload(&data));
    assert_eq!(response.response_code, ValidationCode::DeniedPermissions);
    assert!(response.attributes.is_none());
}

#[test]
fn credential_that_may_not_ask_for_tickets_is_refused_secpki_ea_authval_rcv_02_bi() {
    let mut world = World::new("authval_rcv_02");
    let contents = Contents::new(Time32(START.0 + 100), Duration::Years(1))
        .permitting(CERTIFICATE_REQUEST, &[1, ssp::ENROLMENT_REQUEST]);
    let credential = credential_with(&mut world, &contents);
    let (request, _) = world.ask_ticket(&credential, &ticket_contents(), NOW);
    let (message, _) = world.asked(&request, NOW);
    let refusal = world.answer_validation(&message, NOW).outcome.unwrap_err();
    assert_eq!(refusal, RequestRefusal::CredentialNotPermitted);
    assert_eq!(refusal.validation_code(), ValidationCode::DeniedPermissions);
}

/// The same signed bytes, encrypted once more: the station's request was consented to before.
#[test]
fn request_passed_on_twice_is_refused() {
    let mut world = World::new("passed_on_twice");
    let (message, signed, _) = validation(&mut world, &ticket_contents(), NOW);
    world.answer_validation(&message, NOW).outcome.unwrap();
    let again = sealed_to_ea(&mut world, &signed);
    let answer = world.answer_validation(&again, NOW);
    assert_eq!(answer.outcome.unwrap_err(), RequestRefusal::Replayed);
}
