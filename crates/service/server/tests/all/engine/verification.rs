//! Messages that clients have verified, and the verdicts and statuses that they get.

use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::service::Service;
use waywarden_v2x_service_protocol::verdict::Report;
use waywarden_v2x_service_protocol::{
    CertificateQuery, CertificateValidity, DecryptRequest, MESSAGE_BYTES_MAX, Request,
    RequestedOperation, ResponseBody, SECURED_BYTES_MAX,
};
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use super::world;
use crate::support::{CAM, NOW, ask, cam, engine, signed, verified, verify};

#[test]
fn signed_message_is_accepted_once_and_has_its_payload() {
    let (mut world, time) = world();
    let sender = engine(world.materials(Duration::Years(1)), &time);
    let receiver = engine(world.materials(Duration::Years(1)), &time);
    let message = signed(&sender, cam(b"awareness")).unwrap();
    let verdict = verified(&receiver, &message);
    assert_eq!(
        (verdict.result, verdict.report),
        (ResultCode::Success, Report::Success)
    );
    assert_eq!(verdict.payload.as_deref(), Some(&b"awareness"[..]));
    assert_eq!(verdict.psid, Some(CAM));
    assert_eq!(verdict.generation_time, Some(NOW));
    assert_eq!(verdict.permissions, Some(vec![1, 0xff, 0xf0]));
    let again = verified(&receiver, &message);
    assert_eq!(again.result, ResultCode::RelevanceReplayedSpdu);
    assert_eq!(again.report, Report::DuplicateMessage);
    assert_eq!(again.payload, None);
}

#[test]
fn every_changed_byte_is_refused() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let message = signed(&service, cam(b"awareness")).unwrap();
    let mut accepted = 0;
    for at in 0..message.len() {
        let mut changed = message.clone();
        changed[at] ^= 1;
        accepted += usize::from(verified(&service, &changed).is_accepted());
    }
    assert_eq!(accepted, 0);
    assert!(verified(&service, &message).is_accepted());
}

#[test]
fn many_messages_are_answered_in_their_order() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let good = signed(&service, cam(b"good")).unwrap();
    let mut messages = vec![verify(b"no message"), verify(&good), verify(&[])];
    messages.extend((0..97).map(|_| verify(&good)));
    let body = ask(
        &service,
        &Grant::default(),
        RequestedOperation::VerifyMany(messages),
    )
    .unwrap();
    let ResponseBody::VerifiedMany(verdicts) = body else {
        panic!("{body:?}")
    };
    assert_eq!(verdicts.len(), 100);
    let results = verdicts
        .iter()
        .map(|one| one.as_ref().map(|one| one.result));
    let results: Vec<_> = results.collect();
    assert_eq!(results[0], Ok(ResultCode::ParsingInvalidInput));
    assert_eq!(results[2], Ok(ResultCode::ParsingInvalidInput));
    let accepted = results
        .iter()
        .filter(|one| **one == Ok(ResultCode::Success));
    assert_eq!(accepted.count(), 1);
    let empty = ask(
        &service,
        &Grant::default(),
        RequestedOperation::VerifyMany(Vec::new()),
    );
    assert_eq!(empty, Ok(ResponseBody::VerifiedMany(Vec::new())));
}

#[test]
fn status_of_certificates_follows_time_and_trust() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let (vehicle, _) = world.vehicle(Duration::Hours(1));
    let bytes = vehicle.credential.certificate().bytes().to_vec();
    let status = |query| match ask(
        &service,
        &Grant::default(),
        RequestedOperation::CertificateStatus(query),
    ) {
        Ok(ResponseBody::CertificateStatus(status)) => status.validity,
        other => panic!("{other:?}"),
    };
    let whole = || CertificateQuery::Certificate(bytes.clone());
    assert_eq!(status(whole()), CertificateValidity::Valid);
    assert_eq!(
        status(CertificateQuery::Id(vehicle.credential.id())),
        CertificateValidity::Unknown
    );
    assert_eq!(
        status(CertificateQuery::Id(world.root.credential().id())),
        CertificateValidity::Valid
    );
    time.set(Time64(NOW.0 + 3_600_000_000), None);
    assert_eq!(status(whole()), CertificateValidity::Expired);
    time.set(Time64(0), None);
    assert_eq!(status(whole()), CertificateValidity::Future);
    assert_eq!(
        status(CertificateQuery::Certificate(vec![1, 2])),
        CertificateValidity::Unknown
    );
    let mut broken = bytes.clone();
    *broken.last_mut().unwrap() ^= 1;
    assert_eq!(
        status(CertificateQuery::Certificate(broken)),
        CertificateValidity::Invalid
    );
}

#[test]
fn verdicts_come_to_subscribers() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let mut events = service.subscribe();
    let message = signed(&service, cam(b"seen")).unwrap();
    assert!(verified(&service, &message).is_accepted());
    verified(&service, b"broken");
    let first = events.try_recv().unwrap();
    assert_eq!((first.sequence, &first.message[..]), (0, &message[..]));
    assert!(first.verification.is_accepted());
    assert_eq!(first.received, NOW);
    assert_eq!(events.try_recv().unwrap().sequence, 1);
}

#[test]
fn the_longest_payload_when_signed_can_be_asked_about() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let message = signed(&service, cam(&[7; MESSAGE_BYTES_MAX])).unwrap();
    assert!(message.len() > MESSAGE_BYTES_MAX && message.len() <= SECURED_BYTES_MAX);
    let request = |operation| Request {
        id: 1,
        deadline: None,
        operation,
    };
    request(RequestedOperation::Verify(verify(&message)))
        .check()
        .unwrap();
    let decrypt = DecryptRequest {
        message: message.clone(),
    };
    request(RequestedOperation::Decrypt(decrypt))
        .check()
        .unwrap();
}
