//! Memory for the requests of all connections together.

use std::time::{Duration, Instant};

use waywarden_v2x_service::access::{AccessRule, ClientCredential};
use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::{FRAME_BYTES_MAX, ProtocolForm, RequestedOperation, Status};

use super::access::{grant, own_uid};
use super::client::{Client, encode, refusal, status, verify};
use super::datagram::DatagramClient;
use super::served::{HOLD, Served, until};

/// A message whose request and answer weigh more than the share of a connection.
fn large() -> Vec<u8> {
    [HOLD, &[0; 60_000]].concat()
}

fn limits() -> ServiceLimits {
    ServiceLimits {
        request_bytes: 16 << 20,
        ..ServiceLimits::default()
    }
}

/// Returns the number of large messages of clients without a grant that have room: three quarters
/// of the three quarters that are not for frames while they are read.
fn room() -> usize {
    let weight = 2 * encode(ProtocolForm::Binary, 0, verify(&large())).len() + 1024;
    (16 << 20) / 4 * 3 / 4 * 3 / weight
}

/// Fills the room with requests that are held back. Returns the clients, and how many requests each
/// has sent: three more than there is room for, which wait in the server and in a socket.
fn fill(served: &Served) -> Vec<(Client, usize)> {
    let each = room() / 4;
    let counts = [each, each, each, each, room() + 3 - 4 * each];
    let clients = counts.map(|count| {
        let mut client = served.client();
        (0..count as u64).for_each(|id| client.send(id, verify(&large())));
        (client, count)
    });
    until("the room is full", || served.echo.held() >= room());
    clients.into()
}

#[test]
fn clients_together_have_a_bounded_number_of_bytes_under_way() {
    let served = Served::with(limits(), []);
    let clients = fill(&served);
    // Others go on in their share, also those that have filled the room.
    served.client().echo(1, b"short");
    let datagrams = DatagramClient::of(&served, "short");
    datagrams.send(2, verify(b"short"));
    assert_eq!(status(&datagrams.receive()), Status::Ok);
    // Without a bound the rest comes meanwhile.
    let end = Instant::now() + Duration::from_millis(200);
    while Instant::now() < end {
        assert_eq!(served.echo.held(), room());
    }
    let mut released = 0;
    until("the rest is under way", || {
        released += served.echo.release();
        released == room() + 3
    });
    for (mut client, count) in clients {
        (0..count as u64).for_each(|id| assert_eq!(client.receive().id, id));
    }
}

#[test]
fn a_long_datagram_without_room_is_refused() {
    let served = Served::with(limits(), []);
    let _clients = fill(&served);
    let client = DatagramClient::of(&served, "long");
    client.send(1, verify(&large()));
    assert_eq!(status(&client.receive()), Status::Overloaded);
}

#[test]
fn subscriptions_have_room_or_are_refused() {
    let served = Served::with(limits(), []);
    let mut clients: Vec<Client> = (0..40).map(|_| served.client()).collect();
    let answers = clients
        .iter_mut()
        .map(|one| one.ask(1, RequestedOperation::Subscribe));
    let answers: Vec<_> = answers.collect();
    let refused: Vec<_> = answers
        .iter()
        .map(refusal)
        .filter(|one| one.0 != Status::Ok)
        .collect();
    // Nine of the sixteen MiB, at 384 KiB each.
    assert_eq!(refused.len(), 40 - 24);
    assert_eq!(refused[0].0, Status::Overloaded);
    assert!(refused[0].1.contains("subscriptions"), "{}", refused[0].1);
}

#[test]
fn frames_that_are_never_finished_leave_room_for_clients_with_a_grant() {
    let rule = AccessRule {
        client: ClientCredential::Uid(own_uid()),
        grant: grant(&[36]),
    };
    let served = Served::with(limits(), [rule]);
    // Over TCP without a token: no grant.
    let length = u32::try_from(FRAME_BYTES_MAX).unwrap();
    let begun = [&length.to_be_bytes()[..], &[0; 64 << 10]].concat();
    let mut slow: Vec<Client> = (0..8).map(|_| Client::tcp(served.tcp)).collect();
    for client in &mut slow {
        client.send_bytes(&begun);
    }
    let mut granted = served.client();
    granted.send(1, verify(&[7; 60_000]));
    assert_eq!(granted.receive().id, 1);
    let mut short = Client::tcp(served.tcp);
    short.echo(2, b"short");
    // A long frame waits until one of the others has gone.
    short.send(3, verify(&[7; 60_000]));
    drop(slow);
    assert_eq!(short.receive().id, 3);
}
