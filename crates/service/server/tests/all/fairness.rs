//! Clients with many requests do not keep out those with few.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::engine::{Engine, NoObserver};
use waywarden_v2x_service::service::{ClientId, Reply, Service as _};
use waywarden_v2x_service_protocol::{
    CertificateQuery, CertificateValidity, Request, RequestedOperation, Response, ResponseBody,
    Status,
};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use crate::support::{ask, cam, everything, submit};
use crate::watchdog::{Gate, OpenAtEnd, gated, to_decrypt};

/// Has a client ask for a signature.
fn sign(engine: &Engine, client: ClientId, id: u64, answers: &Sender<Response>) {
    let request = Request {
        id,
        deadline: Some(std::time::Duration::from_secs(60)),
        operation: RequestedOperation::Sign(cam(b"awareness")),
    };
    let answers = answers.clone();
    let reply = Reply::new(id, move |response| drop(answers.send(response)));
    engine.submit(&everything(), request, reply.of_client(client));
}

#[test]
fn a_flood_of_one_client_leaves_others_their_turn() {
    let gate = Arc::new(Gate::default());
    let engine = gated(&gate, Arc::new(NoObserver));
    let _open = OpenAtEnd(Arc::clone(&gate));
    gate.set_closed(true);
    let [flood, other] = [ClientId::next(), ClientId::next()];
    let (answers, answered) = channel();
    // One is at the store, once one more finds no room.
    let mut refused = 0;
    for id in 0..500 {
        sign(&engine, flood, id, &answers);
        refused += answered.try_iter().count();
    }
    assert!((435..=436).contains(&refused), "{refused}");
    sign(&engine, other, 1_000, &answers);
    let overloaded = answered.recv().unwrap();
    assert!(overloaded.id < 500, "the flood's last one gives way");
    assert_eq!(overloaded.body.unwrap_err().status, Status::Overloaded);
    gate.set_closed(false);
    let order: Vec<Response> = answered.iter().take(4).collect();
    let own = order.iter().find(|one| one.id == 1_000);
    let own = own.expect("its turn comes after at most two of the flood");
    assert!(matches!(own.body, Ok(ResponseBody::Signed { .. })));
}

#[test]
fn decryption_and_what_needs_no_grant_do_not_wait_for_each_other() {
    let gate = Arc::new(Gate::default());
    let engine = gated(&gate, Arc::new(NoObserver));
    let _open = OpenAtEnd(Arc::clone(&gate));
    let decrypt = to_decrypt(&engine);
    gate.set_closed(true);
    let decrypted = submit(&engine, &everything(), decrypt);
    let query = RequestedOperation::CertificateStatus(CertificateQuery::Id(HashedId8([0; 8])));
    match ask(&engine, &Grant::default(), query) {
        Ok(ResponseBody::CertificateStatus(status)) => {
            assert_eq!(status.validity, CertificateValidity::Unknown);
        }
        other => panic!("{other:?}"),
    }
    gate.set_closed(false);
    assert!(decrypted.recv().unwrap().body.is_ok());
}
