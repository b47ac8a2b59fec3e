//! Many connections at once.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use waywarden_v2x_service::protocol::Status;
use waywarden_v2x_service::server::Limits;

use super::client::{Client, echoed, refusal, status, verify};
use super::served::{Served, until};

#[test]
fn a_thousand_connections_are_served_at_once() {
    // Both ends of each are in this process.
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let enough = maximum.map_or(4096, |hard| hard.min(4096));
    let raised = Rlimit {
        current: Some(enough),
        maximum,
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    let count = 1_000.min(enough / 2 - 256);
    let served = Served::new();
    let mut clients: Vec<Client> = (0..count).map(|_| served.client()).collect();
    for round in 0..2 {
        for (id, client) in (0..).zip(&mut clients) {
            client.send(id, verify(&[round, 1]));
        }
        for (id, client) in (0..).zip(&mut clients) {
            let response = client.receive();
            assert_eq!((response.id, echoed(&response)), (id, &[round, 1][..]));
        }
    }
    assert_eq!(served.statistics.connections_open.read(), count);
    drop(clients);
    until("all are closed", || {
        served.statistics.connections_open.read() == 0
    });
}

#[test]
fn a_connection_too_many_is_refused_in_its_form() {
    let limits = Limits {
        connections: 2,
        ..Limits::default()
    };
    let served = Served::with(limits, []);
    let mut open = [served.client(), served.client()];
    for client in &mut open {
        client.echo(1, b"open");
    }
    let mut refused = [
        served.client(),
        served.client().json(),
        Client::tcp(served.tcp),
    ];
    for client in &mut refused {
        // The server may have closed already.
        let _ = client.try_send_bytes(&super::client::encode(client.form, 1, verify(b"no")));
        let response = client.receive();
        assert_eq!(response.id, 0);
        let (status, reason) = refusal(&response);
        assert_eq!(status, Status::TooManyConnections);
        assert!(reason.contains("2 connections"), "{reason}");
        assert_eq!(client.next(), None);
    }
    assert_eq!(served.statistics.connections_refused.read(), 3);
    let [first, mut second] = open;
    drop(first);
    until("there is room", || {
        served.statistics.connections_open.read() == 1
    });
    served.client().echo(2, b"next");
    second.echo(2, b"open");
}

#[test]
fn a_connection_too_many_that_is_silent_is_refused_as_well() {
    let limits = Limits {
        connections: 1,
        ..Limits::default()
    };
    let served = Served::with(limits, []);
    let mut open = served.client();
    open.echo(1, b"open");
    let response = served.client().receive();
    assert_eq!(status(&response), Status::TooManyConnections);
}
