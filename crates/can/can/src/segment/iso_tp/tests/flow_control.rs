//! Flow control: separation times, wait frames, and receivers without room.

use super::*;

#[test]
fn separation_times_have_the_values_of_the_standard() {
    let micros = |byte| SeparationTime(byte).duration().as_nanos() / 1_000;
    assert_eq!(micros(0), 0);
    assert_eq!(micros(1), 1_000);
    assert_eq!(micros(0x7F), 127_000);
    assert_eq!(micros(0xF1), 100);
    assert_eq!(micros(0xF9), 900);
    for reserved in (0x80..=0xF0).chain(0xFA..=0xFF) {
        assert_eq!(micros(reserved), 127_000, "{reserved:02X}");
    }
    assert_eq!(SeparationTime::from_millis(128), None);
    assert_eq!(SeparationTime::from_hundred_micros(0), None);
    assert_eq!(SeparationTime::from_hundred_micros(10), None);
    assert_eq!(
        SeparationTime::from_hundred_micros(3),
        Some(SeparationTime(0xF3))
    );
    assert_eq!(SeparationTime::from_millis(127), Some(SeparationTime(0x7F)));
}

#[test]
fn the_sender_keeps_the_separation_within_a_block_and_not_across() {
    let parameters = FlowControlParameters {
        block_size: 2,
        separation: SeparationTime::from_hundred_micros(3).unwrap(),
        ..FlowControlParameters::FASTEST
    };
    let mut pair = Pair::<100>::new(IsoTpLink::normal(FrameCapacity::CLASSIC), parameters);
    pair.run(&payload(6 + 5 * 7));
    let micros: Vec<(char, u64)> = pair
        .bus
        .iter()
        .map(|(way, _, at)| (*way, at.as_nanos() / 1_000))
        .collect();
    // First frame; then blocks of two frames, the second one 300 us after the first.
    let expected = [
        ('>', 0),
        ('<', 0),
        ('>', 0),
        ('>', 300),
        ('<', 300),
        ('>', 300),
        ('>', 600),
        ('<', 600),
        ('>', 600),
    ];
    assert_eq!(micros, expected);
}

#[test]
fn a_paused_receiver_asks_to_wait_and_then_goes_on() {
    let mut pair = Pair::<100>::new(
        IsoTpLink::normal(FrameCapacity::CLASSIC),
        FlowControlParameters::FASTEST,
    );
    pair.receiver.set_paused(true);
    pair.sender.start(&payload(20)).unwrap();
    let SenderOutput::Transmit(first) = pair.sender.poll(ms(0)) else {
        panic!()
    };
    pair.sender.sent(ms(0));
    pair.receiver.frame(ms(0), &first).unwrap();
    for at in [0, 500, 1_000, 1_500] {
        let ReceiverOutput::Transmit(wait) = pair.receiver.poll(ms(at)) else {
            panic!("{at}")
        };
        assert_eq!(wait[..], [0x31, 0, 0]);
        pair.receiver.sent(ms(at));
        pair.sender.frame(ms(at), &wait).unwrap();
        assert_eq!(
            pair.receiver.poll(ms(at)),
            ReceiverOutput::Idle(Some(ms(at + 500)))
        );
        assert_eq!(
            pair.sender.poll(ms(at)),
            SenderOutput::Idle(Some(ms(at + 1_000)))
        );
    }
    pair.receiver.set_paused(false);
    let ReceiverOutput::Transmit(go_on) = pair.receiver.poll(ms(1_600)) else {
        panic!()
    };
    assert_eq!(go_on[..], [0x30, 0, 0]);
}

#[test]
fn waiting_is_bounded_at_both_ends() {
    let parameters = FlowControlParameters {
        wait_frames_max: 3,
        ..FlowControlParameters::FASTEST
    };
    let mut pair = Pair::<100>::new(IsoTpLink::normal(FrameCapacity::CLASSIC), parameters);
    pair.receiver.set_paused(true);
    let outcome = pair.run(&payload(20));
    assert_eq!(outcome.received, Err(ReceiveError::TooManyWaits));
    // The last wait frame was at one second, and the receiver has fallen silent.
    assert_eq!(outcome.sent, Err(SendError::FlowControlTimeout));
    assert_eq!(pair.now, ms(2_000));

    let parameters = FlowControlParameters {
        wait_frames_max: 255,
        ..FlowControlParameters::FASTEST
    };
    let mut pair = Pair::<100>::new(IsoTpLink::normal(FrameCapacity::CLASSIC), parameters);
    pair.receiver.set_paused(true);
    pair.sender.start(&payload(20)).unwrap();
    let SenderOutput::Transmit(_) = pair.sender.poll(ms(0)) else {
        panic!()
    };
    pair.sender.sent(ms(0));
    for _ in 0..SenderLimits::STANDARD.wait_frames_max {
        pair.sender.frame(ms(0), &[0x31, 0, 0]).unwrap();
        assert_eq!(pair.sender.poll(ms(0)), SenderOutput::Idle(Some(ms(1_000))));
    }
    pair.sender.frame(ms(0), &[0x31, 0, 0]).unwrap();
    assert_eq!(
        pair.sender.poll(ms(0)),
        SenderOutput::Failed(SendError::TooManyWaits)
    );
    assert!(!pair.sender.is_busy());
}

#[test]
fn a_payload_without_room_is_refused_at_both_ends() {
    let link = IsoTpLink::normal(FrameCapacity::FD);
    let mut sender = IsoTpSender::<200>::new(link, SenderLimits::STANDARD);
    let mut receiver = IsoTpReceiver::<150>::new(link, FlowControlParameters::FASTEST);
    sender.start(&payload(151)).unwrap();
    let SenderOutput::Transmit(first) = sender.poll(ms(0)) else {
        panic!()
    };
    sender.sent(ms(0));
    receiver.frame(ms(0), &first).unwrap();
    let too_long = ReceiveError::TooLong {
        length: 151,
        capacity: 150,
    };
    assert_eq!(receiver.poll(ms(0)), ReceiverOutput::Failed(too_long));
    let ReceiverOutput::Transmit(overflow) = receiver.poll(ms(0)) else {
        panic!()
    };
    assert_eq!(overflow[..], [0x32, 0, 0]);
    receiver.sent(ms(0));
    assert_eq!(receiver.poll(ms(0)), ReceiverOutput::Idle(None));
    sender.frame(ms(0), &overflow).unwrap();
    assert_eq!(
        sender.poll(ms(0)),
        SenderOutput::Failed(SendError::Overflow)
    );

    // A single frame gets no flow control, so nothing is answered.
    let mut small = IsoTpReceiver::<2>::new(link, FlowControlParameters::FASTEST);
    small.frame(ms(0), &[3, 1, 2, 3]).unwrap();
    let too_long = ReceiveError::TooLong {
        length: 3,
        capacity: 2,
    };
    assert_eq!(small.poll(ms(0)), ReceiverOutput::Failed(too_long));
    assert_eq!(small.poll(ms(0)), ReceiverOutput::Idle(None));
    assert_eq!(small.payload(), None);

    // The most a first frame can announce: 4 GiB.
    small
        .frame(ms(0), &[0x10, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2])
        .unwrap();
    let too_long = ReceiveError::TooLong {
        length: u32::MAX,
        capacity: 2,
    };
    assert_eq!(small.poll(ms(0)), ReceiverOutput::Failed(too_long));
}
