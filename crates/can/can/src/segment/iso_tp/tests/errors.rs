//! Timeouts, lost and repeated frames, and frames that are ignored.

use super::*;

#[test]
fn each_timer_ends_what_it_watches() {
    let link = IsoTpLink::normal(FrameCapacity::CLASSIC);
    let mut sender = IsoTpSender::<100>::new(link, SenderLimits::STANDARD);
    sender.start(&payload(20)).unwrap();
    assert!(matches!(sender.poll(ms(0)), SenderOutput::Transmit(_)));
    assert_eq!(sender.poll(ms(999)), SenderOutput::Idle(Some(ms(1_000))));
    assert_eq!(
        sender.poll(ms(1_000)),
        SenderOutput::Failed(SendError::TransmitTimeout)
    );
    sender.start(&payload(20)).unwrap();
    assert!(matches!(sender.poll(ms(2_000)), SenderOutput::Transmit(_)));
    sender.sent(ms(2_500));
    // Too late is too late, even if the caller did not poll in between.
    assert_eq!(
        sender.frame(ms(3_500), &[0x30, 0, 0]),
        Err(Ignored::Unexpected)
    );
    assert_eq!(
        sender.poll(ms(3_500)),
        SenderOutput::Failed(SendError::FlowControlTimeout)
    );
    assert_eq!(sender.poll(ms(3_500)), SenderOutput::Idle(None));

    let mut receiver = IsoTpReceiver::<100>::new(link, FlowControlParameters::FASTEST);
    let first = [0x10, 20, 1, 2, 3, 4, 5, 6];
    receiver.frame(ms(0), &first).unwrap();
    assert!(matches!(receiver.poll(ms(0)), ReceiverOutput::Transmit(_)));
    let late = ReceiverOutput::Failed(ReceiveError::TransmitTimeout);
    assert_eq!(receiver.poll(ms(1_000)), late);
    receiver.frame(ms(2_000), &first).unwrap();
    assert!(matches!(
        receiver.poll(ms(2_000)),
        ReceiverOutput::Transmit(_)
    ));
    receiver.sent(ms(2_100));
    receiver
        .frame(ms(2_200), &[0x21, 7, 8, 9, 10, 11, 12, 13])
        .unwrap();
    assert_eq!(
        receiver.poll(ms(2_200)),
        ReceiverOutput::Idle(Some(ms(3_200)))
    );
    let last = [0x22, 14, 15, 16, 17, 18, 19, 20];
    assert_eq!(receiver.frame(ms(3_200), &last), Err(Ignored::Unexpected));
    let late = ReceiverOutput::Failed(ReceiveError::ConsecutiveTimeout);
    assert_eq!(receiver.poll(ms(3_200)), late);
    assert_eq!(receiver.payload(), None);
}

/// Brings a receiver to where the second of three consecutive frames is next.
fn receiving() -> IsoTpReceiver<100> {
    let mut receiver = IsoTpReceiver::<100>::new(
        IsoTpLink::normal(FrameCapacity::CLASSIC),
        FlowControlParameters::FASTEST,
    );
    receiver
        .frame(ms(0), &[0x10, 24, 1, 2, 3, 4, 5, 6])
        .unwrap();
    assert!(matches!(receiver.poll(ms(0)), ReceiverOutput::Transmit(_)));
    receiver.sent(ms(0));
    receiver
        .frame(ms(0), &[0x21, 7, 8, 9, 10, 11, 12, 13])
        .unwrap();
    receiver
}

#[test]
fn lost_and_repeated_frames_end_the_payload() {
    for sequence in (0..16).filter(|&sequence| sequence != 2) {
        let mut receiver = receiving();
        receiver
            .frame(ms(0), &[0x20 | sequence, 0, 0, 0, 0, 0, 0, 0])
            .unwrap();
        let error = ReceiveError::Sequence {
            expected: 2,
            received: sequence,
        };
        assert_eq!(receiver.poll(ms(0)), ReceiverOutput::Failed(error));
        assert!(!receiver.is_busy());
    }
}

#[test]
fn a_new_payload_takes_the_place_of_an_old_one() {
    let mut receiver = receiving();
    receiver.frame(ms(0), &[2, 0xAA, 0xBB]).unwrap();
    let interrupted = ReceiverOutput::Failed(ReceiveError::Interrupted);
    assert_eq!(receiver.poll(ms(0)), interrupted);
    assert_eq!(receiver.poll(ms(0)), ReceiverOutput::Received);
    assert_eq!(receiver.payload(), Some(&[0xAA, 0xBB][..]));

    let mut receiver = receiving();
    receiver
        .frame(ms(0), &[0x10, 101, 1, 2, 3, 4, 5, 6])
        .unwrap();
    assert_eq!(receiver.poll(ms(0)), interrupted);
    let too_long = ReceiveError::TooLong {
        length: 101,
        capacity: 100,
    };
    assert_eq!(receiver.poll(ms(0)), ReceiverOutput::Failed(too_long));
    assert!(matches!(receiver.poll(ms(0)), ReceiverOutput::Transmit(_)));
}

#[test]
fn malformed_frames_are_ignored_by_cause_and_change_nothing() {
    let long = |head: &[u8]| -> Vec<u8> {
        let mut field = head.to_vec();
        field.resize(12, 0x55);
        field
    };
    let cases: &[(Vec<u8>, Ignored)] = &[
        ([].into(), Ignored::Short),
        ([0].into(), Ignored::SingleLength),
        ([0x00, 1, 2].into(), Ignored::SingleLength),
        ([0x03, 1, 2].into(), Ignored::SingleLength),
        ([0x08, 1, 2, 3, 4, 5, 6, 7].into(), Ignored::SingleLength),
        // Above 8 bytes the length has its own byte.
        (long(&[0x05]), Ignored::SingleLength),
        (long(&[0x00, 0]), Ignored::SingleLength),
        (long(&[0x00, 11]), Ignored::SingleLength),
        // A first frame is full.
        ([0x10, 20, 1, 2, 3, 4, 5].into(), Ignored::Short),
        ([0x10].into(), Ignored::Short),
        ([0x10, 7, 1, 2, 3, 4, 5, 6].into(), Ignored::FirstLength),
        (
            [0x10, 0, 0, 0, 0x0F, 0xFF, 1, 2].into(),
            Ignored::FirstLength,
        ),
        (long(&[0x10, 10]), Ignored::FirstLength),
        // Not the length of the frames before, and not the last one.
        ([0x22, 1, 2, 3, 4, 5, 6].into(), Ignored::ConsecutiveLength),
        (long(&[0x22]), Ignored::ConsecutiveLength),
        ([0x30, 0].into(), Ignored::Short),
        ([0x30, 0, 0].into(), Ignored::Unexpected),
        ([0x40, 1].into(), Ignored::Type(4)),
        ([0xF0, 1].into(), Ignored::Type(15)),
    ];
    for (field, cause) in cases {
        let mut receiver = receiving();
        assert_eq!(receiver.frame(ms(0), field), Err(*cause), "{field:02X?}");
        receiver
            .frame(ms(0), &[0x22, 14, 15, 16, 17, 18, 19, 20])
            .unwrap();
        // The last one holds four bytes; the rest is filling.
        let short = receiver.frame(ms(0), &[0x23, 21, 22, 23]);
        assert_eq!(short, Err(Ignored::ConsecutiveLength));
        receiver
            .frame(ms(0), &[0x23, 21, 22, 23, 24, 0xCC])
            .unwrap();
        assert_eq!(receiver.poll(ms(0)), ReceiverOutput::Received);
        let expected: Vec<u8> = (1..=24).collect();
        assert_eq!(receiver.payload(), Some(&expected[..]));
    }
    let extended = IsoTpLink {
        addressing: Addressing::Extended {
            transmit: 1,
            receive: 2,
        },
        ..IsoTpLink::normal(FrameCapacity::CLASSIC)
    };
    let mut receiver = IsoTpReceiver::<10>::new(extended, FlowControlParameters::FASTEST);
    assert_eq!(receiver.frame(ms(0), &[]), Err(Ignored::Short));
    assert_eq!(receiver.frame(ms(0), &[2]), Err(Ignored::Short));
    assert_eq!(receiver.frame(ms(0), &[1, 1, 9]), Err(Ignored::Address(1)));
    assert_eq!(receiver.frame(ms(0), &[2, 1, 9]), Ok(()));
}

#[test]
fn a_sender_ignores_what_is_no_flow_control_it_waits_for() {
    let link = IsoTpLink::normal(FrameCapacity::CLASSIC);
    let mut sender = IsoTpSender::<100>::new(link, SenderLimits::STANDARD);
    let go_on = [0x30, 0, 0];
    assert_eq!(sender.frame(ms(0), &go_on), Err(Ignored::Unexpected));
    assert_eq!(sender.start(&[]), Err(StartError::Empty));
    let too_long = StartError::TooLong {
        length: 101,
        max: 100,
    };
    assert_eq!(sender.start(&[0; 101]), Err(too_long));
    sender.start(&payload(20)).unwrap();
    assert_eq!(sender.start(&payload(20)), Err(StartError::Busy));
    assert_eq!(sender.frame(ms(0), &go_on), Err(Ignored::Unexpected));
    assert!(matches!(sender.poll(ms(0)), SenderOutput::Transmit(_)));
    assert_eq!(sender.frame(ms(0), &go_on), Err(Ignored::Unexpected));
    sender.sent(ms(0));
    for other in [&[1, 2][..], &[0x21, 1, 2], &[0x10, 20, 1, 2, 3, 4, 5, 6]] {
        assert_eq!(sender.frame(ms(0), other), Err(Ignored::Unexpected));
    }
    sender.frame(ms(0), &[0x35, 0, 0]).unwrap();
    let invalid = SenderOutput::Failed(SendError::InvalidFlowStatus(5));
    assert_eq!(sender.poll(ms(0)), invalid);
    // Given up payloads leave nothing behind.
    sender.start(&[1]).unwrap();
    assert!(matches!(sender.poll(ms(0)), SenderOutput::Transmit(_)));
    sender.cancel();
    sender.sent(ms(0));
    assert_eq!(sender.poll(ms(0)), SenderOutput::Idle(None));
}
