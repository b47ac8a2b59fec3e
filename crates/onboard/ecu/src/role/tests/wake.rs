//! Causes that wake a role: timeouts, inputs, and room in the queues.

use super::*;

#[test]
fn the_earliest_deadline_counts_and_no_timeout_comes_too_early() {
    let scripted = [30, 20].map(|ms| Scripted {
        next_deadline: Some(at(ms)),
        ..Scripted::default()
    });
    let [first, second] = scripted;
    let mut ecu = two(first, second, vec![stream()]);
    assert_eq!(ecu.poll(at(0), Ports::ALL), Output::Idle(Some(at(2))));
    ecu.handle(at(2), Input::Timeout);
    assert_eq!(heard(&mut ecu).concat(), [""; 0]);
    assert_eq!(
        rest(&mut ecu, at(12), Ports::ALL).pop(),
        Some(Output::Idle(Some(at(20))))
    );
    ecu.handle(at(20), Input::Timeout);
    assert_eq!(heard(&mut ecu), [vec![], vec!["timeout"]]);
}

#[test]
fn a_role_at_rest_is_asked_again_by_an_input_its_time_or_more_room() {
    let (own, other) = (frame(1), frame(2));
    let first = Scripted {
        hears_only: Some(own.id()),
        next_deadline: Some(at(50)),
        ..Scripted::default()
    };
    let mut ecu = two(first, Scripted::default(), vec![]);
    let polled = |ecu: &mut Two, now, room| {
        assert_eq!(rest(ecu, now, room), [Output::Idle(Some(at(50)))]);
        std::mem::take(&mut ecu.roles_mut()[0].events_mut().polled)
    };
    let (none, one) = (Ports::NONE, Ports::NONE.with(Port(0)));
    assert_eq!(polled(&mut ecu, at(1), none), 1, "after its boot");
    let port = Port(0);
    ecu.handle(
        at(2),
        Input::Frame {
            port,
            frame: &other,
        },
    );
    assert_eq!(
        polled(&mut ecu, at(2), none),
        0,
        "a frame that is nothing to it"
    );
    ecu.handle(at(3), Input::Frame { port, frame: &own });
    assert_eq!(polled(&mut ecu, at(3), none), 1, "its own frame");
    assert_eq!(polled(&mut ecu, at(4), one), 1, "more room");
    assert_eq!(polled(&mut ecu, at(5), none), 0, "less room");
    assert_eq!(
        polled(&mut ecu, at(6), one),
        0,
        "no more than when it came to rest"
    );
    ecu.roles_mut()[0].events_mut().is_stirred = true;
    assert_eq!(polled(&mut ecu, at(7), none), 1, "something beside it");
    ecu.roles_mut()[0].node_mut().is_stirred = false;
    assert_eq!(polled(&mut ecu, at(8), none), 1, "told what to do");
    assert_eq!(polled(&mut ecu, at(49), none), 0, "before its time");
    assert_eq!(polled(&mut ecu, at(50), none), 1, "its time");
    assert_eq!(heard(&mut ecu)[0], ["frame"]);
}
