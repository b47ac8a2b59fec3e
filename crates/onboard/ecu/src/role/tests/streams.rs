//! Streams that wait for their role, and frames that a role protects.

use super::*;

#[test]
fn streams_are_held_back_until_they_are_released() {
    let mut ecu = two(Scripted::default(), Scripted::default(), vec![stream()]);
    ecu.hold_streams();
    assert_eq!(rest(&mut ecu, at(50), Ports::ALL), [Output::Idle(None)]);
    ecu.release_streams(at(50));
    assert_eq!(
        rest(&mut ecu, at(50), Ports::ALL),
        [Output::Idle(Some(at(52)))]
    );
    let outputs = rest(&mut ecu, at(52), Ports::ALL);
    let Output::Transmit { frame, .. } = outputs[0] else {
        panic!("{outputs:?}");
    };
    // The first instance, as if the ECU had just begun; none was skipped.
    assert_eq!((frame.data()[0], ecu.streams().skipped()), (0, 0));
    ecu.release_streams(at(53));
    assert_eq!(
        rest(&mut ecu, at(53), Ports::ALL),
        [Output::Idle(Some(at(62)))]
    );
}

#[test]
fn an_instance_of_a_guarded_stream_goes_to_its_role_and_leaves_with_its_frames() {
    let guard = |withholds| Scripted {
        guarded: Some(Id::standard(0x100).unwrap()),
        withholds,
        ..Scripted::default()
    };
    let transmissions = |outputs: Vec<Output>| {
        let sent = |output: &Output| matches!(output, Output::Transmit { .. });
        outputs.into_iter().filter(sent).collect::<Vec<_>>()
    };
    let mut ecu = two(Scripted::default(), guard(None), vec![stream()]);
    // Without room it is not even handed over.
    let outputs = rest(&mut ecu, at(2), Ports::ALL.without(Port(0)));
    assert!(transmissions(outputs).is_empty() && ecu.roles_mut()[1].node().says.is_empty());
    let sent = transmissions(rest(&mut ecu, at(5), Ports::ALL));
    let [Output::Transmit { port, token, .. }] = sent[..] else {
        panic!("{sent:?}");
    };
    assert_eq!((port, token), (Port(0), Token(2 << OWN_BITS | 9)));
    for (why, expected) in [(Withheld::Unauthorized, (0, 1)), (Withheld::Busy, (1, 0))] {
        let mut ecu = two(Scripted::default(), guard(Some(why)), vec![stream()]);
        assert!(transmissions(rest(&mut ecu, at(2), Ports::ALL)).is_empty());
        let streams = ecu.streams();
        assert_eq!(
            (streams.skipped(), streams.unauthorized()),
            expected,
            "{why}"
        );
        let state = &streams.states()[0];
        assert_eq!((state.skipped(), state.unauthorized()), expected);
    }
    // Another stream concerns no role.
    let other = vec![stream_of(0x101)];
    let mut ecu = two(Scripted::default(), guard(Some(Withheld::Busy)), other);
    assert_eq!(transmissions(rest(&mut ecu, at(2), Ports::ALL)).len(), 1);
}
