//! The end of the service.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::{RequestedOperation, Status};

use super::client::{Client, status, verify};
use super::datagram::DatagramClient;
use super::served::{HOLD, Served, until};

#[test]
fn requests_under_way_are_answered_before_the_end() {
    let mut served = Served::new();
    let mut clients = [served.client(), Client::tcp(served.tcp)];
    for client in &mut clients {
        client.send(1, verify(HOLD));
    }
    let datagrams = DatagramClient::of(&served, "client");
    datagrams.send(1, verify(HOLD));
    let mut idle = served.client();
    assert_eq!(
        status(&idle.ask(1, RequestedOperation::Subscribe)),
        Status::Ok
    );
    until("all are under way", || served.echo.held() == 3);
    served.stop();
    assert_eq!(idle.next(), None, "a subscription does not delay the end");
    until("no connection is taken", || {
        UnixStream::connect(served.stream()).is_err()
    });
    served.echo.release();
    for client in &mut clients {
        assert_eq!(client.receive().id, 1);
        assert_eq!(client.next(), None);
    }
    assert_eq!(datagrams.receive().id, 1);
    served.end();
    assert!(!served.stream().exists(), "the file is removed");
    assert!(!served.datagram().exists(), "the file is removed");
}

#[test]
fn a_request_that_is_never_answered_does_not_keep_the_service() {
    let limits = ServiceLimits {
        shutdown: Duration::from_millis(20),
        ..ServiceLimits::default()
    };
    let mut served = Served::with(limits, []);
    let mut client = served.client();
    client.send(1, verify(HOLD));
    until("it is under way", || served.echo.held() == 1);
    served.end();
    assert_eq!(client.next(), None);
    assert!(!served.stream().exists(), "the file is removed");
    // The answer comes too late, and harms nothing.
    served.echo.release();
}
