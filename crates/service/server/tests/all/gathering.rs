//! Messages that wait for others are answered all the same.

use std::sync::Arc;
use std::time::Duration;

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver, VerificationSettings};
use waywarden_v2x_service_protocol::{RequestedOperation, ResponseBody};
use waywarden_v2x_signing::SignerForm;
use waywarden_v2x_wire::ieee1609dot2::Duration as Validity;

use crate::support::{NOW, TestTime, World, cam, engine, signed, submit, verify};

const MESSAGES: usize = 30;

/// Any settings, in any grouping of messages in flight: each is accepted once, also where the
/// service ends while messages wait for others.
#[test]
fn every_message_is_answered_once_however_they_gather() {
    each_seed(20, |seed| {
        let mut random = Random::new(seed);
        let mut world = World::new(&mut random);
        let time = TestTime::new(NOW);
        let sender = engine(world.materials(Validity::Years(1)), &time);
        let messages: Vec<_> = (0..MESSAGES)
            .map(|number| {
                let mut message = cam(format!("message {number}").as_bytes());
                // They are verified in any order, so each has what it needs.
                message.signer = Some(SignerForm::Certificate);
                signed(&sender, message).unwrap()
            })
            .collect();
        let verification = VerificationSettings {
            workers: 1 + random.below(3) as usize,
            batch: 1 + random.below(70) as usize,
            gather: Duration::from_micros(random.below(3) * random.below(40_000)),
            ..VerificationSettings::default()
        };
        let settings = EngineSettings {
            verification,
            ..EngineSettings::default()
        };
        let materials = world.materials(Validity::Years(1));
        let receiver = Engine::start(
            materials,
            settings,
            Arc::<TestTime>::clone(&time),
            Arc::new(NoObserver),
        );
        let receiver = receiver.unwrap();
        let mut rest = &messages[..];
        let mut waiting = Vec::new();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(1 + random.below(20) as usize));
            rest = later;
            let begun = now.iter().map(|message| {
                let operation = RequestedOperation::Verify(verify(message));
                submit(&receiver, &Grant::default(), operation)
            });
            waiting.extend(begun.collect::<Vec<_>>());
            if random.below(2) == 0 {
                std::thread::sleep(Duration::from_micros(random.below(500)));
            }
        }
        // It verifies what waits, then ends.
        drop(receiver);
        for answer in waiting {
            let answers: Vec<_> = answer.try_iter().collect();
            assert_eq!(answers.len(), 1, "{settings:?}");
            let verdict = match &answers[0].body {
                Ok(ResponseBody::Verified(verdict)) => verdict,
                other => panic!("{settings:?}: {other:?}"),
            };
            assert!(verdict.is_accepted(), "{settings:?}: {verdict:?}");
        }
    });
}
