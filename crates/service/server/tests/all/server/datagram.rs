//! Requests as datagrams.

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;

use waywarden_v2x_service::access::{AccessRule, ClientCredential};
use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::{Frames, ProtocolForm, RequestedOperation, Response, Status};

use super::access::{grant, own_uid};
use super::client::{decrypt, echoed, encode, sign, status, token, verify};
use super::served::{HOLD, OTHER, PATIENCE, Served, as_other_user, until};

/// A client of the datagram socket, with a path of its own.
pub(super) struct DatagramClient {
    form: ProtocolForm,
    socket: UnixDatagram,
    server: PathBuf,
}

impl DatagramClient {
    pub(super) fn of(served: &Served, name: &str) -> Self {
        let socket = UnixDatagram::bind(served.path(name)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.set_write_timeout(Some(PATIENCE)).unwrap();
        Self {
            form: ProtocolForm::Binary,
            socket,
            server: served.datagram(),
        }
    }

    pub(super) fn send(&self, id: u64, operation: RequestedOperation) {
        self.send_bytes(&encode(self.form, id, operation));
    }

    pub(super) fn send_bytes(&self, bytes: &[u8]) {
        self.socket.send_to(bytes, &self.server).unwrap();
    }

    pub(super) fn receive(&self) -> Response {
        let mut buffer = vec![0; 1 << 18];
        let length = self.socket.recv(&mut buffer).unwrap();
        let mut rest = &buffer[..length];
        let frame = Frames::new()
            .next(&mut rest)
            .unwrap()
            .expect("a whole frame");
        assert!(rest.is_empty(), "one frame");
        self.form.decode_response(&frame).unwrap()
    }

    fn ask(&self, id: u64, operation: RequestedOperation) -> Response {
        self.send(id, operation);
        let response = self.receive();
        assert_eq!(response.id, id);
        response
    }
}

#[test]
fn a_datagram_is_answered_at_the_path_of_its_sender() {
    let served = Served::new();
    let mut clients = [
        DatagramClient::of(&served, "one"),
        DatagramClient::of(&served, "two"),
    ];
    clients[1].form = ProtocolForm::Json;
    for (id, client) in (0..).zip(&clients) {
        assert_eq!(echoed(&client.ask(id, verify(b"message"))), b"message");
    }
    assert_eq!(served.statistics.datagrams.read(), 2);
}

#[test]
fn a_datagram_without_a_sender_is_counted_and_dropped() {
    let served = Served::new();
    let unnamed = UnixDatagram::unbound().unwrap();
    let frame = encode(ProtocolForm::Binary, 1, verify(b"message"));
    unnamed.send_to(&frame, served.datagram()).unwrap();
    let client = DatagramClient::of(&served, "client");
    assert_eq!(status(&client.ask(1, verify(b"message"))), Status::Ok);
    assert_eq!(served.statistics.datagrams_unnamed.read(), 1);
    assert_eq!(served.echo.submitted(), 1);
}

#[test]
fn a_datagram_that_is_no_frame_is_refused() {
    let served = Served::new();
    let client = DatagramClient::of(&served, "client");
    let whole = encode(ProtocolForm::Binary, 1, verify(b"message"));
    let cases = [
        vec![],
        b"text".to_vec(),
        whole[..whole.len() - 1].to_vec(),
        [&whole[..], b"more"].concat(),
        [&whole[..], &whole[..]].concat(),
        [0, 0, 0, 0].to_vec(),
    ];
    for bytes in cases {
        client.send_bytes(&bytes);
        let response = client.receive();
        assert_eq!(status(&response), Status::Malformed, "{bytes:?}");
    }
    assert_eq!(served.echo.submitted(), 0);
}

#[test]
fn a_token_or_a_subscription_needs_a_connection() {
    let served = Served::new();
    let client = DatagramClient::of(&served, "client");
    for operation in [RequestedOperation::Subscribe, token("0123456789abcdef")] {
        assert_eq!(status(&client.ask(1, operation)), Status::Unsupported);
    }
}

#[test]
fn the_kernel_says_who_sent_a_datagram() {
    let rule = |uid| AccessRule {
        client: ClientCredential::Uid(uid),
        grant: grant(&[36]),
    };
    let served = Served::with(ServiceLimits::default(), [rule(own_uid())]);
    let own = DatagramClient::of(&served, "own");
    assert_eq!(status(&own.ask(1, sign(36))), Status::Ok);
    assert_eq!(status(&own.ask(2, sign(37))), Status::PsidNotAuthorized);
    assert_eq!(status(&own.ask(3, decrypt())), Status::NotAuthorized);
    let other = as_other_user(|| {
        let other = DatagramClient::of(&served, "other");
        status(&other.ask(1, sign(36)))
    });
    assert!(other.is_none_or(|status| status == Status::NotAuthorized));

    let served = Served::with(ServiceLimits::default(), [rule(OTHER)]);
    let own = DatagramClient::of(&served, "own");
    assert_eq!(status(&own.ask(1, sign(36))), Status::NotAuthorized);
    let other = as_other_user(|| {
        let other = DatagramClient::of(&served, "other");
        status(&other.ask(1, sign(36)))
    });
    assert!(other.is_none_or(|status| status == Status::Ok));
}

#[test]
fn no_more_datagrams_are_under_way_than_the_limits_say() {
    let limits = ServiceLimits {
        datagrams: 2,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let client = DatagramClient::of(&served, "client");
    (0..4).for_each(|id| client.send(id, verify(HOLD)));
    until("two are under way", || served.echo.held() == 2);
    // Streams are served meanwhile.
    served.client().echo(0, b"other");
    assert_eq!(served.echo.held(), 2);
    for id in [0, 2] {
        until("two are under way", || served.echo.held() == 2);
        served.echo.release();
        assert_eq!([client.receive().id, client.receive().id], [id, id + 1]);
    }
}

#[test]
fn a_user_takes_its_share_of_datagrams_and_leaves_the_rest_to_others() {
    let limits = ServiceLimits {
        datagrams: 4,
        datagrams_of_user: 2,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    // Two sockets of one user.
    let clients = ["one", "two"].map(|name| DatagramClient::of(&served, name));
    for client in &clients {
        client.send(1, verify(HOLD));
    }
    until("two are under way", || served.echo.held() == 2);
    for client in &clients {
        assert_eq!(status(&client.ask(2, verify(b"more"))), Status::Overloaded);
    }
    let other = as_other_user(|| {
        let other = DatagramClient::of(&served, "other");
        status(&other.ask(1, verify(b"message")))
    });
    assert!(other.is_none_or(|status| status == Status::Ok));
    assert_eq!(served.echo.release(), 2);
    for client in &clients {
        assert_eq!(client.receive().id, 1);
    }
    assert_eq!(status(&clients[0].ask(3, verify(b"message"))), Status::Ok);
}

#[test]
fn an_answer_that_cannot_be_delivered_at_once_is_dropped_and_counted() {
    let served = Served::new();
    let client = DatagramClient::of(&served, "client");
    // More than the queue of a datagram socket holds on any usual system, a few at a time so that
    // the server's own queue never fills up.
    for id in 0..1_000 {
        client.send(id, verify(b"message"));
    }
    let dropped = || served.statistics.datagram_answers_dropped.read();
    until("all are answered", || {
        served.statistics.answers_with(Status::Ok) == 1_000
    });
    until("an answer is dropped", || dropped() > 0);
    let other = DatagramClient::of(&served, "other");
    assert_eq!(status(&other.ask(1, verify(b"message"))), Status::Ok);
    let before = dropped();
    let gone = DatagramClient::of(&served, "gone");
    gone.send(1, verify(HOLD));
    until("it is under way", || served.echo.held() == 1);
    drop(gone);
    served.echo.release();
    until("its answer is dropped", || dropped() == before + 1);
}
