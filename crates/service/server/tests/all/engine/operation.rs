//! Reload, overload and shutdown of the engine.

use std::sync::Arc;

use waywarden_testkit::Random;
use waywarden_v2x_schedule::Bounds;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver, VerificationSettings};
use waywarden_v2x_service_protocol::verdict::Report;
use waywarden_v2x_service_protocol::{RequestedOperation, ResponseBody, SignRequest, Status};
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_time::UntrustedTime;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32, Time64};

use super::world;
use crate::support::{NOW, World, ask, cam, engine, signed, submit, verified, verify};

/// A list that the configuration names no more, for another took its place, still revokes.
#[test]
fn reload_keeps_what_was_revoked() {
    let (mut world, time) = world();
    let sender = world.materials(Duration::Years(1));
    let id = sender.signers[0].credential.digest().id_10();
    let sender = engine(sender, &time);
    let mut revoking = world.materials(Duration::Years(1));
    let revocations = revoking.verifier.revocations_mut();
    revocations.revoke(id, Time32(u32::MAX));
    let receiver = engine(revoking, &time);
    for reloads in 0..3_u64 {
        time.set(Time64(NOW.0 + reloads), None);
        let form = SignRequest {
            signer: Some(SignerForm::Certificate),
            ..cam(b"x")
        };
        let message = signed(&sender, form).unwrap();
        let verdict = verified(&receiver, &message).result;
        assert_eq!(verdict, ResultCode::ChainCertificateRevoked, "{reloads}");
        receiver
            .reload(world.materials(Duration::Years(1)))
            .unwrap();
    }
}

#[test]
fn reload_keeps_what_was_learned_and_drops_what_is_not_trusted() {
    let (mut world, time) = world();
    let sender = engine(world.materials(Duration::Years(1)), &time);
    let receiver = engine(world.materials(Duration::Years(1)), &time);
    let form = |signer| SignRequest {
        signer: Some(signer),
        ..cam(b"x")
    };
    let first = signed(&sender, form(SignerForm::Certificate)).unwrap();
    assert!(verified(&receiver, &first).is_accepted());
    receiver
        .reload(world.materials(Duration::Years(1)))
        .unwrap();
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
    receiver
        .reload(other.materials(Duration::Years(1)))
        .unwrap();
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
    sender.reload(none).unwrap();
    assert_eq!(
        signed(&sender, cam(b"")).unwrap_err().status,
        Status::NotPermitted
    );
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
    let service = Engine::start(materials, settings, time_source, Arc::new(NoObserver)).unwrap();
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
                RequestedOperation::Verify(verify(message)),
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
    let statistics = ask(&service, &Grant::default(), RequestedOperation::Statistics).unwrap();
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
                RequestedOperation::Verify(verify(&message)),
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

/// A time that is used although a reason speaks against it is not trusted.
#[test]
fn health_has_the_reason_against_a_time_that_is_used_nevertheless() {
    let (mut world, time) = world();
    let engine = engine(world.materials(Duration::Years(1)), &time);
    let health = || {
        let Ok(ResponseBody::Health(health)) =
            ask(&engine, &Grant::default(), RequestedOperation::Health)
        else {
            panic!("no health");
        };
        health
    };
    assert!(health().contains("\"status\":\"ok\""), "{}", health());
    time.set_doubt(Some(UntrustedTime::SystemClockDiffers));
    for expected in [
        "\"status\":\"degraded\"",
        "\"timeTrusted\":false",
        "\"timeDistrust\":\"systemClockDiffers\"",
        "\"timeUsed\":true",
    ] {
        assert!(health().contains(expected), "{expected}: {}", health());
    }
    assert!(signed(&engine, cam(b"x")).is_ok());
    time.set(NOW, Some(UntrustedTime::NoFix));
    for expected in ["\"timeDistrust\":\"noFix\"", "\"timeUsed\":false"] {
        assert!(health().contains(expected), "{expected}: {}", health());
    }
}
