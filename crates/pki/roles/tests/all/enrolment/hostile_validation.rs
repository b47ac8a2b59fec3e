//! Validation requests that the enrolment authority must refuse, and answers that the authorization
//! authority must not take.

mod requests;
mod responses;
mod signatures;

use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::enrolment::RequestRefusal;
use waywarden_v2x_signing::{Credential, PayloadToSign};
use waywarden_v2x_wire::etsi102941::{
    AuthorizationValidationResponseCode as Code, EtsiTs102941DataContent,
};
use waywarden_v2x_wire::ieee1609dot2::{HeaderInfo, Time64};

use super::forge::{
    By, content, opened_by_ea, opened_under, payload, sealed_to_ea, signed, signed_data,
};
use super::world::{World, ticket_contents};
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
    let data = signed(world, by, header, PayloadToSign::Data(&payload));
    sealed_to_ea(world, &data)
}
