//! Requests that are refused before the service sees them are counted.

use waywarden_v2x_service::access::{AccessRule, ClientCredential};
use waywarden_v2x_service::server::{ServerStatistics, ServiceLimits};
use waywarden_v2x_service_protocol::{ProtocolForm, RequestedOperation, Status};

use super::access::{grant, own_uid};
use super::client::{decrypt, encode, sign, status, token, verify};
use super::datagram::DatagramClient;
use super::served::{Served, until};

/// The counts that are not zero.
fn refused(statistics: &ServerStatistics) -> Vec<(Status, u64)> {
    let refused = statistics.refused();
    refused.filter(|(_, count)| *count > 0).collect()
}

/// A server at which this user may have messages signed for 36.
fn served(limits: ServiceLimits) -> Served {
    let rule = AccessRule {
        client: ClientCredential::Uid(own_uid()),
        grant: grant(&[36]),
    };
    Served::with(limits, [rule])
}

#[test]
fn refusals_on_a_stream_are_counted_by_status() {
    let served = served(ServiceLimits {
        wrong_token_delay: std::time::Duration::ZERO,
        ..ServiceLimits::default()
    });
    let mut client = served.client().json();
    client.send_bytes(b"{\"operation\":\"fly\"}\n{]\n");
    let statuses = [client.receive(), client.receive()].map(|one| status(&one));
    assert_eq!(statuses, [Status::Unsupported, Status::Malformed]);
    assert_eq!(status(&client.ask(1, sign(37))), Status::PsidNotAuthorized);
    assert_eq!(status(&client.ask(2, decrypt())), Status::NotAuthorized);
    let wrong = token("0123456789abcdef");
    assert_eq!(status(&client.ask(3, wrong)), Status::NotAuthorized);
    assert_eq!(
        status(&client.ask(4, RequestedOperation::Subscribe)),
        Status::Ok
    );
    let again = client.ask(5, RequestedOperation::Subscribe);
    assert_eq!(status(&again), Status::Unsupported);
    assert_eq!(status(&client.ask(6, sign(36))), Status::Ok);
    let expected = [
        (Status::Malformed, 1),
        (Status::Unsupported, 2),
        (Status::NotAuthorized, 2),
        (Status::PsidNotAuthorized, 1),
    ];
    assert_eq!(refused(&served.statistics), expected);
    assert_eq!(served.statistics.wrong_tokens.read(), 1);
    assert_eq!(served.echo.submitted(), 1);
}

#[test]
fn refusals_of_datagrams_are_counted_by_status() {
    let served = served(ServiceLimits::default());
    let client = DatagramClient::of(&served, "client");
    client.send_bytes(b"text");
    assert_eq!(status(&client.receive()), Status::Malformed);
    for (operation, expected) in [
        (sign(37), Status::PsidNotAuthorized),
        (decrypt(), Status::NotAuthorized),
        (RequestedOperation::Subscribe, Status::Unsupported),
        (sign(36), Status::Ok),
    ] {
        client.send(1, operation);
        assert_eq!(status(&client.receive()), expected);
    }
    let expected = [
        (Status::Malformed, 1),
        (Status::Unsupported, 1),
        (Status::NotAuthorized, 1),
        (Status::PsidNotAuthorized, 1),
    ];
    assert_eq!(refused(&served.statistics), expected);
}

#[test]
fn connections_above_the_limit_and_wrong_lengths_are_counted() {
    let served = served(ServiceLimits {
        connections: 1,
        ..ServiceLimits::default()
    });
    let mut first = served.client();
    first.echo(1, b"message");
    let mut second = served.client();
    second.send_bytes(&encode(ProtocolForm::Binary, 1, verify(b"message")));
    assert_eq!(status(&second.receive()), Status::TooManyConnections);
    first.send_bytes(&[0x7f; 8]);
    until("the length is refused", || {
        served.statistics.wrong_lengths.read() == 1
    });
    first.receive();
    let counted: u64 = refused(&served.statistics).iter().map(|(_, n)| n).sum();
    assert_eq!(counted, 2, "{:?}", refused(&served.statistics));
    assert_eq!(served.statistics.connections_refused.read(), 1);
}
