//! Requests, answers and events on a stream.

use waywarden_v2x_service::server::ServiceLimits;
use waywarden_v2x_service_protocol::{
    FRAME_BYTES_MAX, ProtocolForm, RequestedOperation, ResponseBody, Status, VerifyRequest,
};

use super::client::{Client, decrypt, echoed, encode, status, verify};
use super::served::{BURST, BURST_EVENTS, EVENTS_WAITING, HOLD, Served, until};

#[test]
fn each_form_and_each_stream_socket_is_answered() {
    let served = Served::new();
    for mut client in [
        served.client(),
        served.client().json(),
        Client::tcp(served.tcp),
        Client::tcp(served.tcp).json(),
    ] {
        client.echo(1, b"message");
        let health = client.ask(u64::MAX, RequestedOperation::Health);
        assert_eq!(health.body, Ok(ResponseBody::Health("{}".to_owned())));
    }
    let requests = served.statistics.requests();
    let requests = requests.map(|(_, count)| count).sum::<u64>();
    assert_eq!(requests, 8);
    assert_eq!(served.statistics.answers_with(Status::Ok), 8);
}

#[test]
fn answers_leave_in_the_order_in_which_they_are_done() {
    let served = Served::new();
    let mut client = served.client();
    client.send(1, verify(HOLD));
    client.echo(2, b"second");
    served.echo.release();
    assert_eq!(client.receive().id, 1);
}

#[test]
fn frames_that_come_in_pieces_or_together_are_the_same() {
    let served = Served::new();
    for form in [ProtocolForm::Binary, ProtocolForm::Json] {
        let mut client = served.client();
        client.form = form;
        for byte in encode(form, 1, verify(b"in pieces")) {
            client.send_bytes(&[byte]);
        }
        assert_eq!(echoed(&client.receive()), b"in pieces");
        let together: Vec<u8> = (2..200)
            .flat_map(|id| encode(form, id, verify(b"together")))
            .collect();
        client.send_bytes(&together);
        for id in 2..200 {
            assert_eq!(client.receive().id, id);
        }
    }
}

#[test]
fn requests_are_answered_after_the_client_ended_its_own() {
    let served = Served::new();
    let mut client = served.client();
    client.send(1, verify(HOLD));
    client.finish();
    until("the request comes", || served.echo.held() == 1);
    served.echo.release();
    assert_eq!(client.receive().id, 1);
    assert_eq!(client.next(), None);
}

#[test]
fn the_last_line_of_a_script_may_lack_its_end() {
    let served = Served::new();
    let mut client = served.client().json();
    let line = encode(ProtocolForm::Json, 1, verify(b"line"));
    client.send_bytes(line.trim_ascii_end());
    client.finish();
    assert_eq!(echoed(&client.receive()), b"line");
    assert_eq!(client.next(), None);
}

#[test]
fn no_more_requests_are_under_way_than_the_limits_say() {
    let limits = ServiceLimits {
        requests_of_connection: 4,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut client = served.client();
    (0..10).for_each(|id| client.send(id, verify(HOLD)));
    until("four are under way", || served.echo.held() == 4);
    // Another client is served all the same, and the first one's requests go on waiting.
    served.client().echo(0, b"other");
    assert_eq!(served.echo.held(), 4);
    let mut answered = 0;
    while answered < 10 {
        until("more are under way", || served.echo.held() > 0);
        let released = served.echo.release();
        assert!(released <= 4);
        for _ in 0..released {
            assert_eq!(client.receive().id, answered);
            answered += 1;
        }
    }
    assert_eq!(served.echo.submitted(), 11);
}

#[test]
fn bytes_under_way_are_bounded_as_well() {
    let limits = ServiceLimits {
        request_bytes_of_connection: FRAME_BYTES_MAX,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut client = served.client();
    let large = [HOLD, &[0; 60_000]].concat();
    // Each counts for its request and for its answer.
    let bound = FRAME_BYTES_MAX / (2 * large.len() + 1024);
    // One waits in the server and one in the socket, which has no room for more.
    let count = bound + 2;
    (0..count as u64).for_each(|id| client.send(id, verify(&large)));
    until("the bound is reached", || served.echo.held() == bound);
    served.client().echo(0, b"other");
    assert_eq!(served.echo.held(), bound);
    served.echo.release();
    (0..bound as u64).for_each(|id| assert_eq!(client.receive().id, id));
    until("the rest is under way", || {
        served.echo.held() == count - bound
    });
    served.echo.release();
    (bound as u64..count as u64).for_each(|id| assert_eq!(client.receive().id, id));
}

#[test]
fn each_message_of_a_request_counts_for_its_answer() {
    let limits = ServiceLimits {
        request_bytes_of_connection: FRAME_BYTES_MAX,
        ..ServiceLimits::default()
    };
    let served = Served::with(limits, []);
    let mut client = served.client();
    let message = VerifyRequest {
        message: HOLD.to_vec(),
        psid: None,
        reports_payload_check: false,
    };
    // 200 answers may have 200 KiB: room for five such requests.
    (0..7).for_each(|id| {
        client.send(
            id,
            RequestedOperation::VerifyMany(vec![message.clone(); 200]),
        );
    });
    until("the bound is reached", || served.echo.held() == 5);
    served.client().echo(0, b"other");
    assert_eq!(served.echo.held(), 5);
    served.echo.release();
    until("the rest is under way", || served.echo.held() == 2);
    served.echo.release();
    (0..7).for_each(|id| assert_eq!(client.receive().id, id));
}

#[test]
fn a_subscriber_gets_events_by_the_number_of_its_request() {
    let served = Served::new();
    let mut client = served.client();
    let subscribed = client.ask(7, RequestedOperation::Subscribe);
    assert_eq!(subscribed.body, Ok(ResponseBody::Subscribed));
    served.echo.publish(3);
    let response = client.receive();
    assert_eq!(response.id, 7);
    match response.body {
        Ok(ResponseBody::Event { lost: 0, event }) => assert_eq!(event.sequence, 3),
        other => panic!("{other:?}"),
    }
    let again = client.ask(8, RequestedOperation::Subscribe);
    assert_eq!(status(&again), Status::Unsupported);
    client.echo(9, b"between");
}

#[test]
fn a_subscriber_that_ended_its_requests_still_gets_events() {
    let served = Served::new();
    let mut client = served.client().json();
    assert_eq!(
        status(&client.ask(1, RequestedOperation::Subscribe)),
        Status::Ok
    );
    client.finish();
    served.echo.publish(0);
    assert_eq!(client.receive().id, 1);
    assert_eq!(served.statistics.connections_open.read(), 1);
}

#[test]
fn a_subscriber_learns_how_many_events_it_lost_and_answers_come_first() {
    let served = Served::new();
    let mut client = served.client();
    assert_eq!(
        status(&client.ask(1, RequestedOperation::Subscribe)),
        Status::Ok
    );
    client.echo(2, BURST);
    let first = BURST_EVENTS - EVENTS_WAITING;
    for sequence in first..BURST_EVENTS {
        let lost_expected = if sequence == first { first } else { 0 };
        match client.receive().body {
            Ok(ResponseBody::Event { lost, event }) => {
                assert_eq!((event.sequence, lost), (sequence, lost_expected));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(served.statistics.events_lost.read(), first);
    assert_eq!(served.statistics.events_sent.read(), EVENTS_WAITING);
}

#[test]
fn a_request_that_is_refused_leaves_the_connection_open() {
    let served = Served::new();
    let mut client = served.client();
    let refused = client.ask(1, decrypt());
    assert_eq!(status(&refused), Status::NotAuthorized);
    client.echo(2, b"after");
    assert_eq!(served.statistics.answers_with(Status::NotAuthorized), 1);
}
