//! Clients that die, stall, or send what is no request.

use std::io::{ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::{FRAME_BYTES_MAX, ProtocolForm, RequestedOperation, Status};

use super::client::{Client, encode, refusal, status, verify};
use super::served::{HOLD, Served, until};

/// A limit that a test waits for.
const SOON: Duration = Duration::from_millis(50);

#[test]
fn a_client_that_dies_leaves_nothing_behind() {
    let served = Served::new();
    let mut client = served.client();
    (0..3).for_each(|id| client.send(id, verify(HOLD)));
    until("the requests come", || served.echo.held() == 3);
    assert!(served.echo.is_wanted());
    drop(client);
    until("the connection ends", || {
        served.statistics.connections_open.read() == 0
    });
    assert!(!served.echo.is_wanted());
    served.echo.release();
    assert_eq!(served.statistics.answers_without_client.read(), 3);
    served.client().echo(1, b"other");
}

#[test]
fn a_tcp_client_that_dies_is_noticed_by_the_first_answer() {
    // Its end may be the end of its requests alone, before that.
    let served = Served::new();
    let mut client = Client::tcp(served.tcp);
    (0..3).for_each(|id| client.send(id, verify(HOLD)));
    until("the requests come", || served.echo.held() == 3);
    drop(client);
    served.echo.release();
    until("the connection ends", || {
        served.statistics.connections_open.read() == 0
    });
}

#[test]
fn a_frame_that_ends_half_is_refused() {
    let served = Served::new();
    let frame = encode(ProtocolForm::Binary, 1, verify(b"message"));
    for length in 1..frame.len() {
        let mut client = served.client();
        client.send_bytes(&frame[..length]);
        client.finish();
        let response = client.receive();
        assert_eq!((response.id, status(&response)), (0, Status::Malformed));
        assert_eq!(client.next(), None);
    }
    assert_eq!(served.echo.submitted(), 0);
}

#[test]
fn a_frame_that_is_never_finished_ends_the_connection() {
    let limits = ServiceLimits {
        frame_timeout: SOON,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    for form in [ProtocolForm::Binary, ProtocolForm::Json] {
        let mut client = served.client();
        client.form = form;
        client.echo(1, b"whole");
        let frame = encode(form, 2, verify(b"half"));
        client.send_bytes(&frame[..frame.len() / 2]);
        let response = client.receive();
        assert_eq!((response.id, status(&response)), (0, Status::Malformed));
        assert_eq!(client.next(), None);
    }
    assert_eq!(served.statistics.frame_timeouts.read(), 2);
}

#[test]
fn a_first_line_that_is_never_finished_is_answered_in_its_form() {
    let limits = ServiceLimits {
        frame_timeout: SOON,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut client = served.client().json();
    client.send_bytes(b"{\"id\"");
    let response = client.receive();
    assert_eq!((response.id, status(&response)), (0, Status::Malformed));
}

#[test]
fn bytes_that_drip_do_not_renew_the_time_of_a_frame() {
    let limits = ServiceLimits {
        frame_timeout: SOON,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut client = served.client();
    let frame = encode(ProtocolForm::Binary, 1, verify(&[0; 60_000]));
    // Each byte comes long before the time is over, and all of them long after.
    for byte in frame {
        if client.try_send_bytes(&[byte]).is_err() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(served.statistics.frame_timeouts.read(), 1);
    assert_eq!(served.echo.submitted(), 0);
}

#[test]
fn a_wrong_length_ends_the_connection() {
    let served = Served::new();
    let too_long = FRAME_BYTES_MAX as u32 + 1;
    let cases = [
        (0_u32.to_be_bytes(), Status::Malformed),
        (1_u32.to_be_bytes(), Status::Malformed),
        (too_long.to_be_bytes(), Status::TooLong),
        (0x00FF_FFFF_u32.to_be_bytes(), Status::TooLong),
        (u32::MAX.to_be_bytes(), Status::Malformed),
        (*b"GET ", Status::Malformed),
    ];
    for (length, expected) in cases {
        let mut client = served.client();
        // What follows is not read as frames. The server may have closed before it comes.
        let _ = client.try_send_bytes(&[&length[..], &[0; 100]].concat());
        let response = client.receive();
        assert_eq!(
            (response.id, status(&response)),
            (0, expected),
            "{length:?}"
        );
        assert_eq!(client.next(), None);
    }
    assert_eq!(served.statistics.wrong_lengths.read(), cases.len() as u64);
}

#[test]
fn answers_under_way_come_before_a_wrong_length_ends_the_connection() {
    let served = Served::new();
    let mut client = served.client();
    client.send(1, verify(HOLD));
    client.send_bytes(&[0; 4]);
    assert_eq!(status(&client.receive()), Status::Malformed);
    served.echo.release();
    assert_eq!(client.receive().id, 1);
    assert_eq!(client.next(), None);
}

#[test]
fn contents_that_are_no_request_are_refused_by_their_number() {
    let served = Served::new();
    let mut binary = served.client();
    let mut frame = encode(ProtocolForm::Binary, 42, RequestedOperation::Health);
    frame.push(0);
    let length = frame.len() as u32 - 4;
    frame[..4].copy_from_slice(&length.to_be_bytes());
    binary.send_bytes(&frame);
    let mut json = served.client().json();
    json.send_bytes(b"{\"id\":42,\"operation\":\"health\",\"surplus\":1}\n");
    for client in [&mut binary, &mut json] {
        let response = client.receive();
        assert_eq!((response.id, status(&response)), (42, Status::Malformed));
        client.echo(43, b"goes on");
    }
    let mut json = served.client().json();
    json.send_bytes(b"{\"id\":42,\n");
    let response = json.receive();
    assert_eq!((response.id, status(&response)), (0, Status::Malformed));
    json.echo(44, b"goes on");
}

#[test]
fn a_client_that_never_reads_is_closed_and_delays_no_other() {
    let limits = ServiceLimits {
        write_timeout: Duration::from_millis(200),
        requests_of_connection: 8,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut socket = UnixStream::connect(served.stream()).unwrap();
    socket.set_nonblocking(true).unwrap();
    let frame = encode(ProtocolForm::Binary, 1, verify(&[0; 50_000]));
    let mut other = served.client();
    let mut sent = 0;
    // A frame is sent from where the socket stopped taking it.
    until("the connection is closed", || {
        other.echo(1, b"other");
        loop {
            match socket.write(&frame[sent % frame.len()..]) {
                Ok(length) => sent += length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break false,
                Err(_) => break true,
            }
        }
    });
    assert_eq!(served.statistics.write_timeouts.read(), 1);
    // What the server took: what was under way, and what the socket's queue holds as answers. The
    // answers are as long as the requests, and a queue holds less than 4 MiB.
    assert!(sent < 16 << 20, "{sent}");
    other.echo(2, b"other");
    assert_eq!(served.statistics.connections_open.read(), 1);
}

#[test]
fn a_connection_without_requests_stays_unless_configured() {
    let limits = ServiceLimits {
        idle_timeout: Some(SOON),
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut idle = served.client();
    assert_eq!(idle.next(), None);
    assert_eq!(served.statistics.idle_timeouts.read(), 1);
    // One that waits for an answer or for events is not idle.
    let mut waiting = served.client();
    waiting.send(1, verify(HOLD));
    let mut subscribed = served.client();
    subscribed.ask(1, RequestedOperation::Subscribe);
    std::thread::sleep(3 * SOON);
    served.echo.publish(0);
    assert_eq!(subscribed.receive().id, 1);
    served.echo.release();
    assert_eq!(waiting.receive().id, 1);
    assert_eq!(waiting.next(), None);
}

#[test]
fn each_refusal_says_what_would_be_right() {
    let served = Served::new();
    let mut client = served.client();
    client.send_bytes(b"GET / HTTP/1.1\r\n\r\n");
    let response = client.receive();
    let (_, reason) = refusal(&response);
    assert!(reason.contains("is expected"), "{reason}");
}
