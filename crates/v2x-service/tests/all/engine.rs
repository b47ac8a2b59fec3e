//! What the engine does with requests.

use std::sync::Arc;

use waywarden_testkit::Random;
use waywarden_v2x_schedule::Bounds;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, EngineSettings, Unobserved, VerificationSettings};
use waywarden_v2x_service::service::Service;
use waywarden_v2x_service_protocol::verdict::Report;
use waywarden_v2x_service_protocol::{
    CertificateQuery, Decrypt, Encrypt, EncryptionKeyOf, MESSAGE_BYTES_MAX, Operation, Request,
    ResponseBody, SECURED_BYTES_MAX, Sign, Status, Validity,
};
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_time::Distrust;
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, Elevation, Latitude, Longitude, ThreeDLocation, Time64,
};

use crate::support::{
    CAM, DENM, NOW, TestTime, World, ask, cam, engine, everything, signed, submit, verified, verify,
};

fn world() -> (World, Arc<TestTime>) {
    (World::new(&mut Random::new(23)), TestTime::new(NOW))
}

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
fn client_signs_only_for_its_applications() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let mut grant = everything();
    grant.sign.remove(&DENM);
    let denm = Sign {
        psid: DENM,
        ..cam(b"warning")
    };
    let refused = ask(&service, &grant, Operation::Sign(denm.clone())).unwrap_err();
    assert_eq!(refused.status, Status::PsidNotAuthorized);
    assert!(refused.reason.contains("37"), "{refused}");
    assert!(ask(&service, &everything(), Operation::Sign(denm)).is_ok());
    let nothing = Grant::default();
    let refused = ask(&service, &nothing, Operation::Sign(cam(b""))).unwrap_err();
    assert_eq!(refused.status, Status::NotAuthorized);
    let decrypt = Operation::Decrypt(Decrypt { message: vec![3] });
    let refused = ask(&service, &nothing, decrypt).unwrap_err();
    assert_eq!(refused.status, Status::NotAuthorized);
}

#[test]
fn certificate_decides_beside_the_grant() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let other = waywarden_v2x_wire::ieee1609dot2::Psid(139);
    let mut grant = everything();
    grant.sign.insert(other);
    let request = Operation::Sign(Sign {
        psid: other,
        ..cam(b"")
    });
    assert_eq!(
        ask(&service, &grant, request).unwrap_err().status,
        Status::NotPermitted
    );
    for (asked, is_permitted) in [
        (vec![1, 0xff, 0xf0], true),
        (vec![1, 0x80, 0], true),
        (vec![1, 0xff, 0xf8], false),
        (vec![2, 0x80, 0], false),
        (vec![1, 0x80], false),
    ] {
        let sign = Sign {
            permissions: Some(asked.clone()),
            ..cam(b"")
        };
        assert_eq!(signed(&service, sign).is_ok(), is_permitted, "{asked:?}");
    }
}

#[test]
fn nothing_is_signed_without_trusted_time_or_with_an_earlier_one() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    time.set(NOW, Some(Distrust::StaleFix));
    assert_eq!(
        signed(&service, cam(b"")).unwrap_err().status,
        Status::TimeNotTrusted
    );
    time.set(NOW, None);
    assert!(signed(&service, cam(b"")).is_ok());
    time.set(Time64(NOW.0 - 1), None);
    assert_eq!(
        signed(&service, cam(b"")).unwrap_err().status,
        Status::TimeNotTrusted
    );
    time.set(Time64(NOW.0 + 1), None);
    assert!(signed(&service, cam(b"")).is_ok());
}

#[test]
fn expired_certificate_signs_nothing() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Hours(1)), &time);
    assert!(signed(&service, cam(b"")).is_ok());
    time.set(Time64(NOW.0 + 3_600_000_000), None);
    assert_eq!(
        signed(&service, cam(b"")).unwrap_err().status,
        Status::NoCertificate
    );
}

#[test]
fn reload_keeps_what_was_learned_and_drops_what_is_not_trusted() {
    let (mut world, time) = world();
    let sender = engine(world.materials(Duration::Years(1)), &time);
    let receiver = engine(world.materials(Duration::Years(1)), &time);
    let form = |signer| Sign {
        signer: Some(signer),
        ..cam(b"x")
    };
    let first = signed(&sender, form(SignerForm::Certificate)).unwrap();
    assert!(verified(&receiver, &first).is_accepted());
    receiver.reload(world.materials(Duration::Years(1)));
    // A replay is still known, and so is the signer's certificate.
    assert_eq!(
        verified(&receiver, &first).result,
        ResultCode::RelevanceReplayedSpdu
    );
    time.set(Time64(NOW.0 + 1_000), None);
    let second = signed(&sender, form(SignerForm::Digest)).unwrap();
    assert!(verified(&receiver, &second).is_accepted());
    // Another root: the signer is a stranger.
    let mut other = World::new(&mut Random::new(24));
    receiver.reload(other.materials(Duration::Years(1)));
    time.set(Time64(NOW.0 + 2_000), None);
    let third = signed(&sender, form(SignerForm::Digest)).unwrap();
    let verdict = verified(&receiver, &third);
    assert_eq!(
        verdict.report,
        Report::SignerCertificateNotFound,
        "{verdict:?}"
    );
    // What was signed before with the old certificate is not signed with it again.
    let mut none = other.materials(Duration::Years(1));
    none.signers.clear();
    sender.reload(none);
    assert_eq!(
        signed(&sender, cam(b"")).unwrap_err().status,
        Status::NotPermitted
    );
}

#[test]
fn many_messages_are_answered_in_their_order() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let good = signed(&service, cam(b"good")).unwrap();
    let mut messages = vec![verify(b"no message"), verify(&good), verify(&[])];
    messages.extend((0..97).map(|_| verify(&good)));
    let body = ask(&service, &Grant::default(), Operation::VerifyMany(messages)).unwrap();
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
        Operation::VerifyMany(Vec::new()),
    );
    assert_eq!(empty, Ok(ResponseBody::VerifiedMany(Vec::new())));
}

#[test]
fn flood_is_refused_by_cause_and_every_request_is_answered_once() {
    let (mut world, time) = world();
    let sender = engine(world.materials(Duration::Years(1)), &time);
    let settings = EngineSettings {
        verification: VerificationSettings {
            bounds: Bounds {
                messages: 9,
                per_sender: 4,
                ..Bounds::DEFAULT
            },
            workers: 1,
            ..VerificationSettings::default()
        },
        ..EngineSettings::default()
    };
    let materials = world.materials(Duration::Years(1));
    let time_source: Arc<dyn waywarden_v2x_time::TimeSource> = time.clone();
    let service = Engine::start(materials, settings, time_source, Arc::new(Unobserved)).unwrap();
    let messages: Vec<_> = (0..64)
        .map(|number| {
            time.set(Time64(NOW.0 + number), None);
            signed(&sender, cam(&number.to_be_bytes())).unwrap()
        })
        .collect();
    let answers: Vec<_> = messages
        .iter()
        .map(|message| {
            submit(
                &service,
                &Grant::default(),
                Operation::Verify(verify(message)),
            )
        })
        .collect();
    let mut overloaded = 0;
    for answer in answers {
        let first = answer.recv().unwrap();
        // The reply is gone: no second answer can come.
        assert!(answer.recv().is_err());
        match first.body {
            Ok(ResponseBody::Verified(verdict)) => assert!(verdict.is_accepted(), "{verdict:?}"),
            Err(refused) => {
                assert_eq!(refused.status, Status::Overloaded);
                overloaded += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    let statistics = ask(&service, &Grant::default(), Operation::Statistics).unwrap();
    let ResponseBody::Statistics(json) = statistics else {
        panic!()
    };
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["dropped"]["senderFull"], overloaded);
    assert_eq!(json["requests"]["verify"], 64);
}

#[test]
fn engine_that_ends_answers_what_waits() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let message = signed(&service, cam(b"last")).unwrap();
    let answers: Vec<_> = (0..20)
        .map(|_| {
            submit(
                &service,
                &Grant::default(),
                Operation::Verify(verify(&message)),
            )
        })
        .collect();
    drop(service);
    for answer in answers {
        assert!(matches!(
            answer.recv().unwrap().body,
            Ok(ResponseBody::Verified(_))
        ));
    }
}

#[test]
fn data_is_encrypted_to_trusted_certificates_and_decrypted() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let (other, _) = world.vehicle(Duration::Years(1));
    let own = signed(
        &service,
        Sign {
            signer: Some(SignerForm::Certificate),
            ..cam(b"")
        },
    );
    let signer = verified(&service, &own.unwrap()).signer.unwrap();
    let to = |recipients| {
        Operation::Encrypt(Encrypt {
            recipients,
            data: b"secret".to_vec(),
            is_secured: false,
        })
    };
    let foreign = other.credential.certificate().bytes().to_vec();
    let recipients = vec![
        EncryptionKeyOf::Certificate(foreign.clone()),
        EncryptionKeyOf::Known(signer),
    ];
    let body = ask(&service, &Grant::default(), to(recipients)).unwrap();
    let ResponseBody::Encrypted(message) = body else {
        panic!("{body:?}")
    };
    let decrypt = Operation::Decrypt(Decrypt { message });
    let body = ask(&service, &everything(), decrypt).unwrap();
    let ResponseBody::Decrypted(data) = body else {
        panic!("{body:?}")
    };
    assert_eq!(data, [&[3, 0x80, 6][..], b"secret"].concat());
    // A certificate that nothing trusted has issued.
    let mut stranger = World::new(&mut Random::new(25));
    let (stranger, _) = stranger.vehicle(Duration::Years(1));
    let stranger = stranger.credential.certificate().bytes().to_vec();
    let recipients = vec![EncryptionKeyOf::Certificate(stranger)];
    let refused = ask(&service, &Grant::default(), to(recipients)).unwrap_err();
    assert_eq!(refused.status, Status::NotEncrypted);
    assert_eq!(
        ask(&service, &Grant::default(), to(Vec::new()))
            .unwrap_err()
            .status,
        Status::NotEncrypted
    );
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
        Operation::CertificateStatus(query),
    ) {
        Ok(ResponseBody::CertificateStatus(status)) => status.validity,
        other => panic!("{other:?}"),
    };
    let whole = || CertificateQuery::Certificate(bytes.clone());
    assert_eq!(status(whole()), Validity::Valid);
    assert_eq!(
        status(CertificateQuery::Id(vehicle.credential.id())),
        Validity::Unknown
    );
    assert_eq!(
        status(CertificateQuery::Id(world.root.credential().id())),
        Validity::Valid
    );
    time.set(Time64(NOW.0 + 3_600_000_000), None);
    assert_eq!(status(whole()), Validity::Expired);
    time.set(Time64(0), None);
    assert_eq!(status(whole()), Validity::Future);
    assert_eq!(
        status(CertificateQuery::Certificate(vec![1, 2])),
        Validity::Unknown
    );
    let mut broken = bytes.clone();
    *broken.last_mut().unwrap() ^= 1;
    assert_eq!(
        status(CertificateQuery::Certificate(broken)),
        Validity::Invalid
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
fn a_signer_that_receivers_refuse_is_not_signed_with() {
    let (mut world, time) = world();
    let service = engine(world.materials(Duration::Years(1)), &time);
    let place = ThreeDLocation {
        latitude: Latitude(481_000_000),
        longitude: Longitude(115_000_000),
        elevation: Elevation(0),
    };
    for psid in [CAM, DENM] {
        for form in [
            // Receivers know it from this one on.
            SignerForm::Certificate,
            SignerForm::Digest,
            SignerForm::Chain,
        ] {
            let sign = Sign {
                psid,
                signer: Some(form),
                location: Some(place),
                ..cam(format!("{psid:?} {form:?}").as_bytes())
            };
            let receivers_take = match form {
                SignerForm::Digest => psid == CAM,
                SignerForm::Certificate => true,
                SignerForm::Chain => false,
            };
            match signed(&service, sign) {
                Ok(message) => {
                    assert!(receivers_take, "{psid:?} {form:?}");
                    let verdict = verified(&service, &message);
                    assert!(verdict.is_accepted(), "{psid:?} {form:?} {verdict:?}");
                }
                Err(refused) => {
                    assert!(!receivers_take, "{psid:?} {form:?} {refused}");
                    assert_eq!(refused.status, Status::NotSigned);
                    assert!(refused.reason.starts_with("signer: "), "{refused}");
                }
            }
        }
    }
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
    request(Operation::Verify(verify(&message)))
        .check()
        .unwrap();
    let decrypt = Decrypt {
        message: message.clone(),
    };
    request(Operation::Decrypt(decrypt)).check().unwrap();
}
