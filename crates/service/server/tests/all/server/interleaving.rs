//! Requests and answers in random orders: each request is answered once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, mpsc};

use tokio::sync::broadcast;
use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service::service::{Reply, Service};
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use waywarden_v2x_service_protocol::{ProtocolForm, Request, RequestedOperation, Status};

use super::client::{Client, decrypt, encode, status, verify};
use super::served::{Echo, Served, verified};

/// A service whose threads answer in random orders, and now and then drop a reply.
struct Disorderly {
    threads: Vec<Mutex<mpsc::Sender<(Reply, RequestedOperation)>>>,
    random: Mutex<Random>,
}

impl Disorderly {
    fn new(seed: u64) -> Arc<Self> {
        let thread = |number| {
            let (sender, receiver) = mpsc::channel();
            let random = Random::new(seed ^ number);
            std::thread::spawn(move || answer(&receiver, random));
            Mutex::new(sender)
        };
        Arc::new(Self {
            threads: (1..=3).map(thread).collect(),
            random: Mutex::new(Random::new(seed)),
        })
    }
}

fn answer(requests: &mpsc::Receiver<(Reply, RequestedOperation)>, mut random: Random) {
    let mut waiting = Vec::new();
    while let Ok(first) = requests.recv() {
        waiting.push(first);
        waiting.extend(requests.try_iter());
        while !waiting.is_empty() {
            let (reply, operation) = waiting.swap_remove(random.index(waiting.len()));
            match operation {
                RequestedOperation::Verify(_) if random.once_in(10) => drop(reply),
                RequestedOperation::Verify(verify) => reply.send(Ok(verified(verify.message))),
                other => panic!("{other:?}"),
            }
        }
    }
}

impl Service for Disorderly {
    fn submit(&self, _: &Grant, request: Request, reply: Reply) {
        let thread = self.random.lock().unwrap().index(self.threads.len());
        let thread = self.threads[thread].lock().unwrap();
        thread.send((reply, request.operation)).unwrap();
    }

    fn subscribe(&self) -> broadcast::Receiver<VerdictEvent> {
        broadcast::channel(1).1
    }

    fn metrics(&self) -> String {
        String::new()
    }
}

#[test]
fn each_request_is_answered_once_in_any_order() {
    each_seed(4, |seed| {
        let limits = ServiceLimits {
            requests_of_connection: 1 + seed as usize % 3 * 20,
            ..ServiceLimits::default()
        };
        let served = Served::of(Echo::new(), Disorderly::new(seed), limits, []);
        std::thread::scope(|scope| {
            for number in 0..4 {
                let client = if number == 0 {
                    Client::tcp(served.tcp)
                } else {
                    served.client()
                };
                scope.spawn(move || converse(client, Random::new(seed << 8 | number)));
            }
        });
        let answered: u64 = served.statistics.answers().map(|(_, count)| count).sum();
        assert_eq!(answered, 4 * REQUESTS);
    });
}

const REQUESTS: u64 = 200;

/// Sends requests in pieces of random lengths, and reads answers now and then.
fn converse(mut client: Client, mut random: Random) {
    if random.once_in(2) {
        client.form = ProtocolForm::Json;
    }
    let mut waiting = BTreeSet::new();
    for id in 0..REQUESTS {
        let refused = random.once_in(5);
        let message = random.bytes_up_to(2_000);
        let operation = if refused { decrypt() } else { verify(&message) };
        let bytes = encode(client.form, id, operation);
        let (first, second) = bytes.split_at(random.index(bytes.len()));
        client.send_bytes(first);
        client.send_bytes(second);
        waiting.insert(id);
        while !waiting.is_empty() && (waiting.len() > 50 || random.once_in(3)) {
            receive(&mut client, &mut waiting);
        }
    }
    client.finish();
    while !waiting.is_empty() {
        receive(&mut client, &mut waiting);
    }
    assert_eq!(client.next(), None, "nothing is answered twice");
}

fn receive(client: &mut Client, waiting: &mut BTreeSet<u64>) {
    let response = client.receive();
    let known = [Status::Ok, Status::Internal, Status::NotAuthorized];
    assert!(known.contains(&status(&response)), "{response:?}");
    assert!(
        waiting.remove(&response.id),
        "{} is answered twice",
        response.id
    );
}
