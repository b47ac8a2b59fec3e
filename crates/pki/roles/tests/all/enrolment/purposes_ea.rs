//! Messages that the enrolment authority accepts and answers: test purposes of ETSI TS 103 525-2.

mod requests;
mod responses;
mod validation;

use waywarden_v2x_keys::KeyHandle;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{AnswerRecord, AnswerStore as _, Granted, RequestRefusal};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::etsi102941::{
    EnrolmentResponseCode as Code, EtsiTs102941DataContent, InnerEcResponse,
};

use super::forge::{content, opened_by_ea, opened_under, payload, signed_data};
use super::world::World;
use crate::support::NOW;

/// Answers a request; returns the code in the response and why.
fn refused(world: &mut World, request: &[u8]) -> (Code, RequestRefusal) {
    let (_, key) = opened_by_ea(world, request);
    let answer = world.answer_enrolment(request, NOW);
    let refusal = answer.outcome.unwrap_err();
    let response = opened_under(world, &key, &answer.response.unwrap());
    let code = enrolment_response(payload(&signed_data(&response))).response_code;
    assert_eq!(code, refusal.enrolment_code());
    (code, refusal)
}

fn enrolment_response(payload: &[u8]) -> InnerEcResponse<'_> {
    match content(payload) {
        EtsiTs102941DataContent::EnrolmentResponse(response) => response,
        other => panic!("{other:?}"),
    }
}

fn asked(world: &mut World, contents: &Contents) -> Vec<u8> {
    let key = world.key();
    world.ask_enrolment(key, contents, NOW).0
}

/// A credential that the authority issued and recorded, whatever the profile permits.
fn credential_with(world: &mut World, contents: &Contents) -> Credential {
    use waywarden_v2x_keys::KeyStore as _;
    let key: KeyHandle = world.key();
    let public = world.store.public_key(key).unwrap();
    let World {
        ea,
        store,
        seeds,
        registry,
        ..
    } = world;
    let issued = ea.authority().issue(store, contents, &public, seeds);
    let certificate = issued.unwrap();
    let hash = *seeds.next();
    let recorded = registry.record(&AnswerRecord {
        hash: &hash,
        generated: Some(NOW),
        received: NOW,
        response: &[],
        granted: Granted::Credential {
            station: super::world::STATION,
            certificate: &certificate,
        },
    });
    recorded.unwrap();
    let verified = world.verifier.verify_certificate(&certificate).unwrap();
    Credential::new(&world.store, key, verified).unwrap()
}
