//! Many connections at once.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use waywarden_v2x_service::access::{AccessRule, ClientCredential};
use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::Status;

use super::access::{grant, own_uid};
use super::client::{Client, echoed, refusal, sign, status, verify};
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
    let limits = ServiceLimits {
        connections_of_user: 1_024,
        connections_ungranted: 1_024,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
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
    let limits = ServiceLimits {
        connections: 2,
        ..ServiceLimits::default()
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
    let limits = ServiceLimits {
        connections: 1,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut open = served.client();
    open.echo(1, b"open");
    let response = served.client().receive();
    assert_eq!(status(&response), Status::TooManyConnections);
}

/// A server with four connections at which this user may have messages signed.
fn served(limits: ServiceLimits) -> Served {
    let rule = AccessRule {
        client: ClientCredential::Uid(own_uid()),
        grant: grant(&[36]),
    };
    let limits = ServiceLimits {
        connections: 4,
        ..limits
    };
    Served::with(limits, [rule])
}

/// Opens connections over TCP, which have no grant, until one is refused. Returns why.
fn fill(served: &Served) -> (Vec<Client>, String) {
    let mut open = Vec::new();
    loop {
        let mut client = Client::tcp(served.tcp);
        client.send(1, verify(b"idle"));
        let response = client.receive();
        let (status, reason) = refusal(&response);
        if status == Status::TooManyConnections {
            return (open, reason.to_owned());
        }
        open.push(client);
    }
}

#[test]
fn connections_without_a_grant_leave_room_for_those_with_one() {
    let served = served(ServiceLimits {
        connections_ungranted: 3,
        ..ServiceLimits::default()
    });
    let (mut open, reason) = fill(&served);
    assert_eq!(open.len(), 3);
    assert!(
        reason.contains("3 connections of clients without a grant"),
        "{reason}"
    );
    let response = served.client().ask(1, sign(36));
    assert_eq!(status(&response), Status::Ok);
    open[0].echo(2, b"open");
}

#[test]
fn a_connection_that_shows_a_token_leaves_its_place_to_others() {
    let token = "0123456789abcdef";
    let rule = AccessRule {
        client: ClientCredential::Token(super::client::secret(token)),
        grant: grant(&[36]),
    };
    let limits = ServiceLimits {
        connections_ungranted: 2,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, [rule]);
    let (mut open, _) = fill(&served);
    assert_eq!(open.len(), 2);
    let response = open[0].ask(2, super::client::token(token));
    assert_eq!(status(&response), Status::Ok);
    Client::tcp(served.tcp).echo(3, b"another");
}

#[test]
fn a_user_has_a_share_of_the_connections() {
    let served = served(ServiceLimits {
        connections_of_user: 2,
        ..ServiceLimits::default()
    });
    let mut open = [served.client(), served.client()];
    open.iter_mut().for_each(|client| client.echo(1, b"open"));
    let response = served.client().receive();
    assert!(
        refusal(&response).1.contains("2 connections of this user"),
        "{response:?}"
    );
    let (open, reason) = fill(&served);
    assert_eq!(open.len(), 2);
    assert!(reason.contains("4 connections are open"), "{reason}");
}
