//! Batches of a client: verified at their documented size, and no matter to other clients.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use waywarden_testkit::Random;
use waywarden_v2x_schedule::Bounds;
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, EngineSettings, NoObserver, VerificationSettings};
use waywarden_v2x_service::service::{ClientId, Reply, Service as _};
use waywarden_v2x_service_protocol::{
    ExhaustedShare, MESSAGES_MAX, RefusedRequest, Request, RequestedOperation, Response,
    ResponseBody, Status,
};
use waywarden_v2x_signing::{MessageSigner as MessageSender, Seed, Statement};
use waywarden_v2x_wire::ieee1609dot2::{Duration, Time64};

use crate::forgery::Forgery;
use crate::support::{CAM, NOW, TestTime, World, engine, verify};

/// Messages of one vehicle, all from before the time of the receiver.
fn of_one_sender(world: &mut World, count: usize) -> Vec<Vec<u8>> {
    let (mut holder, _) = world.vehicle(Duration::Years(1));
    let mut sender = MessageSender::new(holder.credential.clone());
    let sign = |number: usize| {
        let statement = Statement {
            psid: CAM,
            payload: &number.to_be_bytes(),
            location: None,
        };
        let made = Time64(NOW.0 - count as u64 + number as u64);
        let seed = Seed::new([number as u8; 32]);
        sender
            .send(&mut holder.store, &statement, made, &seed)
            .unwrap()
    };
    (0..count).map(sign).collect()
}

/// A client of an engine.
struct Client<'e> {
    engine: &'e Engine,
    id: ClientId,
    answers: Sender<Response>,
    answered: Receiver<Response>,
    sent: usize,
}

impl<'e> Client<'e> {
    fn new(engine: &'e Engine) -> Self {
        let (answers, answered) = channel();
        Self {
            engine,
            id: ClientId::next(),
            answers,
            answered,
            sent: 0,
        }
    }

    fn send(&mut self, operation: RequestedOperation) {
        let request = Request {
            id: self.sent as u64,
            deadline: Some(std::time::Duration::from_secs(60)),
            operation,
        };
        self.sent += 1;
        let answers = self.answers.clone();
        let reply = Reply::new(request.id, move |response| drop(answers.send(response)));
        self.engine
            .submit(&Grant::default(), request, reply.of_client(self.id));
    }

    fn send_batch(&mut self, messages: &[Vec<u8>]) {
        let messages = messages.iter().map(|one| verify(one)).collect();
        self.send(RequestedOperation::VerifyMany(messages));
    }

    /// The number of accepted messages, and the refusals.
    fn outcomes(self) -> (usize, Vec<RefusedRequest>) {
        let (mut accepted, mut refused) = (0, Vec::new());
        for response in self.answered.iter().take(self.sent) {
            let each = match response.body {
                Ok(ResponseBody::Verified(one)) => vec![Ok(one)],
                Ok(ResponseBody::VerifiedMany(many)) => many,
                Err(error) => vec![Err(error)],
                other => panic!("{other:?}"),
            };
            for one in each {
                match one {
                    Ok(verdict) => accepted += usize::from(verdict.is_accepted()),
                    Err(error) => refused.push(error),
                }
            }
        }
        (accepted, refused)
    }
}

#[test]
fn batch_of_one_sender_is_verified_at_its_documented_size_with_default_settings() {
    let mut world = World::new(&mut Random::new(61));
    let messages = of_one_sender(&mut world, 2 * MESSAGES_MAX);
    let engine = engine(world.materials(Duration::Years(1)), &TestTime::new(NOW));
    let mut batch = Client::new(&engine);
    batch.send_batch(&messages[..MESSAGES_MAX]);
    let (accepted, refused) = batch.outcomes();
    assert_eq!((accepted, &refused[..]), (MESSAGES_MAX, &[][..]));
    // As many single requests, all of them sent before the first answer is read.
    let mut pipelined = Client::new(&engine);
    for message in &messages[MESSAGES_MAX..] {
        pipelined.send(RequestedOperation::Verify(verify(message)));
    }
    let (accepted, refused) = pipelined.outcomes();
    assert_eq!((accepted, &refused[..]), (MESSAGES_MAX, &[][..]));
}

#[test]
fn batches_and_a_flood_of_other_clients_raise_no_refusal_of_a_client() {
    let mut world = World::new(&mut Random::new(62));
    let own = of_one_sender(&mut world, MESSAGES_MAX);
    let others = of_one_sender(&mut world, 4 * MESSAGES_MAX);
    let mut forgery = Forgery::new(&mut world, NOW);
    // So that a slow machine refuses nothing for its age.
    let settings = EngineSettings {
        verification: VerificationSettings {
            bounds: Bounds {
                wait_us: 60_000_000,
                ..VerificationSettings::BOUNDS
            },
            ..VerificationSettings::default()
        },
        ..EngineSettings::default()
    };
    let time = TestTime::new(NOW);
    let materials = world.materials(Duration::Years(1));
    let engine = Engine::start(materials, settings, time, Arc::new(NoObserver)).unwrap();
    let [mut flood, mut batches, mut client] = [0; 3].map(|_| Client::new(&engine));
    let forged: Vec<Vec<u8>> = (0..8 * MESSAGES_MAX as u64)
        .map(|number| forgery.message(number))
        .collect();
    for many in forged.chunks(MESSAGES_MAX) {
        flood.send_batch(many);
    }
    for many in others.chunks(MESSAGES_MAX) {
        batches.send_batch(many);
    }
    client.send_batch(&own);
    let (accepted, refused) = client.outcomes();
    assert_eq!((accepted, &refused[..]), (MESSAGES_MAX, &[][..]));
    let (accepted, refused) = batches.outcomes();
    assert_eq!((accepted, &refused[..]), (4 * MESSAGES_MAX, &[][..]));
    let (accepted, refused) = flood.outcomes();
    assert_eq!(accepted, 0);
    for refused in &refused {
        assert_eq!(refused.status, Status::Overloaded);
        assert_eq!(refused.share, Some(ExhaustedShare::Connection), "{refused}");
    }
}
