//! Responses that a station, or the authorization authority, must not take.

use std::sync::Arc;

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyHandle, KeyStore as _, Uses};
use waywarden_v2x_pki::IssueGroup;
use waywarden_v2x_pki::enrolment::{
    EnrolmentLimits, MessageFault, PendingEnrolment, ResponseRefusal,
};
use waywarden_v2x_security::ReceptionContext;
use waywarden_v2x_signing::{Credential, DecryptError, PayloadToSign};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi102941::{
    AuthorityResponse, EcResponseParts, EnrolmentResponseCode as Code, EtsiTs102941DataContent,
};
use waywarden_v2x_wire::etsi103097::its_aid::CAM;
use waywarden_v2x_wire::ieee1609dot2::{HeaderInfo, Time64};

use super::forge::{
    By, header, message, opened_by_ea, opened_under, payload, sealed_under, signed, signed_data,
};
use super::world::{
    World, authorization_authority, credential_contents, enrolment_authority, later,
};
use crate::support::NOW;

struct Waiting {
    pending: PendingEnrolment,
    /// The authority's answer, signed, and the key of the request.
    response: Vec<u8>,
    key: [u8; 16],
    /// The first half of the request's hash.
    hash: [u8; 16],
    certificate: Vec<u8>,
    station: KeyHandle,
}

fn waiting(world: &mut World) -> Waiting {
    let station = world.key();
    let (request, pending) = world.ask_enrolment(station, &credential_contents(), NOW);
    let (_, key) = opened_by_ea(world, &request);
    let answer = world.answer_enrolment(&request, NOW);
    let response = opened_under(world, &key, &answer.response.unwrap());
    let hash = {
        let data = signed_data(&response);
        let mut hash = [0; 16];
        hash.copy_from_slice(&payload(&data)[3..19]);
        hash
    };
    Waiting {
        pending,
        response,
        key,
        hash,
        certificate: answer.outcome.unwrap().certificate,
        station,
    }
}

fn open(
    world: &mut World,
    waiting: &Waiting,
    response: &[u8],
    now: Time64,
) -> Result<(), ResponseRefusal<Code>> {
    let World {
        store, verifier, ..
    } = world;
    let limits = EnrolmentLimits::DEFAULT;
    let opened = waiting
        .pending
        .open(store, verifier, response, now, &limits);
    opened.map(drop)
}

/// The enrolment authority's credential, as it is.
fn ea(world: &World) -> Credential {
    world.ea.authority().credential().clone()
}

/// A response with these parts, signed and encrypted.
fn forged(
    world: &mut World,
    waiting: &Waiting,
    by: By<'_>,
    header: HeaderInfo<'_>,
    (hash, code, certificate): ([u8; 16], Code, Option<&[u8]>),
) -> Vec<u8> {
    let parts = EcResponseParts {
        request_hash: &hash,
        response_code: code,
        certificate: certificate.map(|bytes| parse(bytes).unwrap()),
        unknown: Default::default(),
    };
    let response = AuthorityResponse::new(parts).unwrap();
    let payload = message(EtsiTs102941DataContent::EnrolmentResponse(response));
    let signed = signed(world, by, header, PayloadToSign::Data(&payload));
    sealed_under(world, &waiting.key, &signed)
}

#[test]
fn response_of_another_authority_is_refused() {
    let mut world = World::new("other_authority");
    let waiting = waiting(&mut world);
    let aa = world.aa.authority().credential().clone();
    let parts = (waiting.hash, Code::Ok, Some(&waiting.certificate[..]));
    let response = forged(&mut world, &waiting, By::Credential(&aa), header(), parts);
    let refused = open(&mut world, &waiting, &response, NOW);
    assert_eq!(refused, Err(ResponseRefusal::OtherAuthority));
    // The station has a credential then, and signs with it in the authority's place.
    let station = By::OwnKey(waiting.station);
    let response = forged(&mut world, &waiting, station, header(), parts);
    let refused = open(&mut world, &waiting, &response, NOW);
    let fault = MessageFault::Content("signed by a certificate's digest");
    assert_eq!(refused, Err(ResponseRefusal::Message(fault)));
}

#[test]
fn response_to_another_request_is_refused() {
    let mut world = World::new("other_request");
    let (one, other) = (waiting(&mut world), waiting(&mut world));
    let response = sealed_under(&mut world, &one.key, &other.response);
    let refused = open(&mut world, &one, &response, NOW);
    assert_eq!(refused, Err(ResponseRefusal::OtherRequest));
    // Encrypted under the key of its own request it cannot even be read.
    let response = sealed_under(&mut world, &other.key, &other.response);
    let refused = open(&mut world, &one, &response, NOW);
    let fault = MessageFault::Encryption(DecryptError::NotForUs);
    assert_eq!(refused, Err(ResponseRefusal::Message(fault)));
    let response = sealed_under(&mut world, &one.key, &one.response);
    assert_eq!(open(&mut world, &one, &response, NOW), Ok(()));
}

#[test]
fn certificate_for_another_key_is_refused() {
    let mut world = World::new("other_key");
    let (one, other) = (waiting(&mut world), waiting(&mut world));
    let ea = ea(&world);
    let parts = (one.hash, Code::Ok, Some(&other.certificate[..]));
    let response = forged(&mut world, &one, By::Credential(&ea), header(), parts);
    let refused = open(&mut world, &one, &response, NOW);
    assert_eq!(
        refused,
        Err(ResponseRefusal::OtherKey("verifyKeyIndicator"))
    );
}

/// A certificate with the right key, but of another issuer, with more permissions, or with an
/// encryption key that was not asked for.
#[test]
fn certificate_that_was_not_asked_for_is_refused() {
    let mut random = Random::of_test("not_asked_for");
    let mut authority = enrolment_authority();
    authority.issues = vec![IssueGroup::all()];
    let mut world = World::with(
        Curve::P256,
        &mut random,
        authority,
        authorization_authority(),
    );
    let waiting = waiting(&mut world);
    let public = world.store.public_key(waiting.station).unwrap();
    let asked = credential_contents();
    let seed = world.seeds.next();
    let opens = world
        .store
        .generate(Curve::P256, Uses::AGREE, &seed)
        .unwrap();
    let opens = world.store.public_key(opens).unwrap();
    let World {
        root,
        ea,
        store,
        seeds,
        ..
    } = &mut world;
    let more = asked.clone().permitting(CAM, &[1, 0, 0]);
    let with_key = asked.clone().encrypted_to(opens);
    let by_root = root.issue(store, &asked, &public, seeds).unwrap();
    let more = ea.authority().issue(store, &more, &public, seeds).unwrap();
    let with_key = ea
        .authority()
        .issue(store, &with_key, &public, seeds)
        .unwrap();
    let cases = [
        (by_root, ResponseRefusal::OtherIssuer),
        (more, ResponseRefusal::OtherPermissions(CAM)),
        (with_key, ResponseRefusal::OtherKey("encryptionKey")),
    ];
    let ea = self::ea(&world);
    for (certificate, expected) in cases {
        let parts = (waiting.hash, Code::Ok, Some(&certificate[..]));
        let response = forged(&mut world, &waiting, By::Credential(&ea), header(), parts);
        assert_eq!(open(&mut world, &waiting, &response, NOW), Err(expected));
    }
}

#[test]
fn response_with_another_header_is_refused() {
    let mut world = World::new("other_header");
    let waiting = waiting(&mut world);
    let ea = ea(&world);
    let parts = (waiting.hash, Code::Ok, Some(&waiting.certificate[..]));
    let headers = [
        HeaderInfo {
            psid: CAM,
            ..header()
        },
        HeaderInfo {
            generation_time: None,
            ..header()
        },
        HeaderInfo {
            expiry_time: Some(later(9)),
            ..header()
        },
    ];
    for header in headers {
        let response = forged(&mut world, &waiting, By::Credential(&ea), header, parts);
        let refused = open(&mut world, &waiting, &response, NOW).unwrap_err();
        assert!(matches!(refused, ResponseRefusal::Message(_)), "{refused}");
    }
    // Too old, and from the future.
    let response = sealed_under(&mut world, &waiting.key, &waiting.response);
    for now in [later(601), Time64(NOW.0 - 3_000_000)] {
        let refused = open(&mut world, &waiting, &response, now).unwrap_err();
        let is_time = matches!(
            refused,
            ResponseRefusal::Message(MessageFault::OutOfSync { .. })
        );
        assert!(is_time, "{refused}");
    }
}

#[test]
fn unsigned_and_changed_responses_are_refused() {
    let mut world = World::new("changed");
    let waiting = waiting(&mut world);
    let plain = payload(&signed_data(&waiting.response)).to_vec();
    let unsecured = crate::support::written(&waywarden_v2x_wire::ieee1609dot2::Ieee1609Dot2Data {
        version: waywarden_v2x_wire::ieee1609dot2::Version3,
        content: waywarden_v2x_wire::ieee1609dot2::Ieee1609Dot2Content::Unsecured(&plain),
    });
    let response = sealed_under(&mut world, &waiting.key, &unsecured);
    let refused = open(&mut world, &waiting, &response, NOW);
    let fault = MessageFault::Content("signedData");
    assert_eq!(refused, Err(ResponseRefusal::Message(fault)));
    // A byte of the signature, which is last.
    let mut changed = waiting.response.clone();
    *changed.last_mut().unwrap() ^= 1;
    let response = sealed_under(&mut world, &waiting.key, &changed);
    let refused = open(&mut world, &waiting, &response, NOW).unwrap_err();
    assert!(
        matches!(refused, ResponseRefusal::Signature(_)),
        "{refused}"
    );
    let long = vec![0; EnrolmentLimits::DEFAULT.length_max + 1];
    let refused = open(&mut world, &waiting, &long, NOW);
    let fault = MessageFault::TooLong { length: long.len() };
    assert_eq!(refused, Err(ResponseRefusal::Message(fault)));
}

/// A station's verifier takes no part in opening: what a response says of messages is checked by
/// the role. The ticket that comes out is one that receivers take.
#[test]
fn receivers_take_messages_under_a_ticket() {
    let mut world = World::new("receivers");
    let credential = world.enrol();
    let key = world.key();
    let contents = super::world::ticket_contents();
    let (request, pending) =
        world.ask_ticket_with(&credential, &contents, NOW, |own| own.key = key);
    let response = world.authorize(&request, NOW).response.unwrap();
    let World {
        store, verifier, ..
    } = &mut world;
    let ticket = pending
        .open(store, verifier, &response, NOW, &EnrolmentLimits::DEFAULT)
        .unwrap();
    let ticket = Credential::new(store, key, Arc::clone(&ticket)).unwrap();
    let cam = HeaderInfo {
        psid: CAM,
        ..header()
    };
    let message = signed(
        &mut world,
        By::Whole(&ticket),
        cam,
        PayloadToSign::Data(b"CAM"),
    );
    let context = ReceptionContext::at(NOW);
    world.verifier.verify(&message, &context).unwrap();
}
