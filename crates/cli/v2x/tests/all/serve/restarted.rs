//! A service that is killed or stopped, and started again: what it accepted before is a replay.

use serde_json::Value;

use super::client::Client;
use super::service::Service;
use super::with_socket;
use crate::support::World;

/// Starts a service, and accepts a message of its own; returns both.
fn accepting(world: &World) -> (Service, String) {
    let service = Service::start(world);
    let mut client = Client::connect(world);
    let message = client.accepted();
    assert_eq!(
        client.verify(&message)["result"],
        "spduRelevanceReplayedSpdu"
    );
    (service, message)
}

fn is_refused_as_a_replay_of_before(verdict: &Value) {
    assert_eq!(verdict["result"], "spduRelevanceReplayedSpdu", "{verdict}");
    let reason = verdict["reason"].as_str().unwrap();
    assert!(reason.contains("before this receiver started"), "{verdict}");
}

#[test]
fn killed_or_stopped_service_refuses_what_it_accepted_before() {
    let world = with_socket();
    // SIGKILL, at once after the verdict.
    let (service, message) = accepting(&world);
    drop(service);
    let mut service = Service::start(&world);
    let mut client = Client::connect(&world);
    is_refused_as_a_replay_of_before(&client.verify(&message));
    // It goes on with new messages, and a reload changes nothing of it.
    let next = client.accepted();
    service.signal("HUP");
    assert_eq!(client.verify(&next)["result"], "spduRelevanceReplayedSpdu");
    // SIGTERM.
    assert_eq!(service.end(), Some(0));
    let _service = Service::start(&world);
    let mut client = Client::connect(&world);
    is_refused_as_a_replay_of_before(&client.verify(&next));
}
