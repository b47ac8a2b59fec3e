//! ISO-TP against recorded exchanges, against itself, and against hostile bytes.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

extern crate std;

use std::format;
use std::string::String;
use std::vec::Vec;

use waywarden_work::Instant;

use super::*;

const EXCHANGES: &str = include_str!("../../../../../vectors/can-iso-tp.txt");

fn payload(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + 3) as u8).collect()
}

fn ms(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// The two ends of one direction, with a bus that takes no time.
struct Pair<const N: usize> {
    sender: Sender<N>,
    receiver: Receiver<N>,
    now: Instant,
    /// `>` or `<`, the data, and when.
    bus: Vec<(char, DataFieldBytes, Instant)>,
}

type DataFieldBytes = Vec<u8>;

/// How an exchange ended at both ends.
#[derive(Debug, PartialEq)]
struct Outcome {
    sent: Result<(), SendError>,
    received: Result<Vec<u8>, ReceiveError>,
}

impl<const N: usize> Pair<N> {
    fn new(link: Link, pace: Pace) -> Self {
        let back = Link {
            addressing: match link.addressing {
                Addressing::Normal => Addressing::Normal,
                Addressing::Extended { transmit, receive } => Addressing::Extended {
                    transmit: receive,
                    receive: transmit,
                },
            },
            ..link
        };
        Pair {
            sender: Sender::new(link, SenderLimits::STANDARD),
            receiver: Receiver::new(back, pace),
            now: Instant::ZERO,
            bus: Vec::new(),
        }
    }

    /// Runs until both ends have told their outcome.
    fn run(&mut self, payload: &[u8]) -> Outcome {
        self.sender.start(payload).unwrap();
        let (mut sent, mut received) = (None, None);
        for _ in 0..100_000 {
            let mut next = Instant::MAX;
            match self.sender.poll(self.now) {
                SenderOutput::Transmit(field) => {
                    self.bus.push(('>', field.to_vec(), self.now));
                    self.sender.sent(self.now);
                    self.receiver.frame(self.now, &field).unwrap();
                    next = self.now;
                }
                SenderOutput::Sent => sent = Some(Ok(())),
                SenderOutput::Failed(error) => sent = Some(Err(error)),
                SenderOutput::Idle(wake) => next = next.min(wake.unwrap_or(Instant::MAX)),
            }
            match self.receiver.poll(self.now) {
                ReceiverOutput::Transmit(field) => {
                    self.bus.push(('<', field.to_vec(), self.now));
                    self.receiver.sent(self.now);
                    self.sender.frame(self.now, &field).unwrap();
                    next = self.now;
                }
                ReceiverOutput::Received => {
                    received = Some(Ok(self.receiver.payload().unwrap().to_vec()));
                }
                ReceiverOutput::Failed(error) => received = Some(Err(error)),
                ReceiverOutput::Idle(wake) => next = next.min(wake.unwrap_or(Instant::MAX)),
            }
            if let (Some(sent), Some(received)) = (&sent, &received) {
                return Outcome {
                    sent: *sent,
                    received: received.clone(),
                };
            }
            if next != Instant::MAX {
                self.now = next;
            }
        }
        panic!("no end: {:?}", self.bus.last());
    }
}

/// CRC-32 of IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ byte as u32, |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 * (crc & 1))
        })
    })
}

/// Writes an exchange as the file of vectors does.
fn write_out(bus: &[(char, DataFieldBytes, Instant)]) -> Vec<String> {
    let line = |(way, data, _): &(char, DataFieldBytes, Instant)| {
        let hex: String = data.iter().map(|byte| format!("{byte:02X}")).collect();
        format!("{way} {hex}")
    };
    if bus.len() <= 24 {
        return bus.iter().map(line).collect();
    }
    let (head, rest) = bus.split_at(6);
    let (middle, tail) = rest.split_at(rest.len() - 3);
    let bytes: Vec<u8> = middle
        .iter()
        .flat_map(|(way, data, _)| [&[*way as u8, data.len() as u8][..], data].concat())
        .collect();
    let summary = format!(
        "... {} frames, CRC-32 of their bytes {:08X}",
        middle.len(),
        crc32(&bytes)
    );
    let mut lines: Vec<String> = head.iter().map(line).collect();
    lines.push(summary);
    lines.extend(tail.iter().map(line));
    lines
}

#[test]
fn exchanges_are_those_of_another_implementation() {
    let lines: Vec<&str> = EXCHANGES
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let starts = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("exchange "));
    let mut count = 0;
    for (at, header) in starts {
        let words: Vec<&str> = header.split(' ').skip(1).collect();
        let [
            length,
            addressing,
            capacity,
            padding,
            block_size,
            separation,
        ] = words[..]
        else {
            panic!("{header}")
        };
        let link = Link {
            capacity: FrameCapacity::new(capacity.parse().unwrap()).unwrap(),
            addressing: match addressing {
                "normal" => Addressing::Normal,
                _ => Addressing::Extended {
                    transmit: 0xB5,
                    receive: 0xA4,
                },
            },
            padding: u8::from_str_radix(padding, 16).ok(),
        };
        let pace = Pace {
            block_size: block_size.parse().unwrap(),
            separation: SeparationTime(u8::from_str_radix(separation, 16).unwrap()),
            ..Pace::FASTEST
        };
        let payload = payload(length.parse().unwrap());
        let mut pair = Pair::<5_000>::new(link, pace);
        let outcome = pair.run(&payload);
        assert_eq!(
            outcome,
            Outcome {
                sent: Ok(()),
                received: Ok(payload)
            },
            "{header}"
        );
        let ours = write_out(&pair.bus);
        let theirs = &lines[at + 1..];
        let end = theirs.iter().position(|line| line.starts_with("exchange"));
        assert_eq!(ours, theirs[..end.unwrap_or(theirs.len())], "{header}");
        count += 1;
    }
    assert_eq!(count, 55);
}

#[test]
fn every_length_comes_back_whole() {
    let extended = Addressing::Extended {
        transmit: 1,
        receive: 2,
    };
    for (bytes, addressing, padding) in [
        (8, Addressing::Normal, None),
        (8, extended, Some(0xAA)),
        (12, Addressing::Normal, Some(0)),
        (64, Addressing::Normal, None),
        (64, extended, Some(0xFF)),
    ] {
        let capacity = FrameCapacity::new(bytes).unwrap();
        let link = Link {
            capacity,
            addressing,
            padding,
        };
        for length in (1..300).chain([4_094, 4_095, 4_096, 4_097]) {
            let payload = payload(length);
            let outcome = Pair::<5_000>::new(link, Pace::FASTEST).run(&payload);
            assert_eq!(
                outcome,
                Outcome {
                    sent: Ok(()),
                    received: Ok(payload)
                },
                "{length} {link:?}"
            );
        }
    }
}

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
    let pace = Pace {
        block_size: 2,
        separation: SeparationTime::from_hundred_micros(3).unwrap(),
        ..Pace::FASTEST
    };
    let mut pair = Pair::<100>::new(Link::normal(FrameCapacity::CLASSIC), pace);
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
    let mut pair = Pair::<100>::new(Link::normal(FrameCapacity::CLASSIC), Pace::FASTEST);
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
    let pace = Pace {
        wait_frames_max: 3,
        ..Pace::FASTEST
    };
    let mut pair = Pair::<100>::new(Link::normal(FrameCapacity::CLASSIC), pace);
    pair.receiver.set_paused(true);
    let outcome = pair.run(&payload(20));
    assert_eq!(outcome.received, Err(ReceiveError::TooManyWaits));
    // The last wait frame was at one second, and the receiver has fallen silent.
    assert_eq!(outcome.sent, Err(SendError::FlowControlTimeout));
    assert_eq!(pair.now, ms(2_000));

    let pace = Pace {
        wait_frames_max: 255,
        ..Pace::FASTEST
    };
    let mut pair = Pair::<100>::new(Link::normal(FrameCapacity::CLASSIC), pace);
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
    let link = Link::normal(FrameCapacity::FD);
    let mut sender = Sender::<200>::new(link, SenderLimits::STANDARD);
    let mut receiver = Receiver::<150>::new(link, Pace::FASTEST);
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
    let mut small = Receiver::<2>::new(link, Pace::FASTEST);
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

#[test]
fn each_timer_ends_what_it_watches() {
    let link = Link::normal(FrameCapacity::CLASSIC);
    let mut sender = Sender::<100>::new(link, SenderLimits::STANDARD);
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

    let mut receiver = Receiver::<100>::new(link, Pace::FASTEST);
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
fn receiving() -> Receiver<100> {
    let mut receiver = Receiver::<100>::new(Link::normal(FrameCapacity::CLASSIC), Pace::FASTEST);
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
    let extended = Link {
        addressing: Addressing::Extended {
            transmit: 1,
            receive: 2,
        },
        ..Link::normal(FrameCapacity::CLASSIC)
    };
    let mut receiver = Receiver::<10>::new(extended, Pace::FASTEST);
    assert_eq!(receiver.frame(ms(0), &[]), Err(Ignored::Short));
    assert_eq!(receiver.frame(ms(0), &[2]), Err(Ignored::Short));
    assert_eq!(receiver.frame(ms(0), &[1, 1, 9]), Err(Ignored::Address(1)));
    assert_eq!(receiver.frame(ms(0), &[2, 1, 9]), Ok(()));
}

#[test]
fn a_sender_ignores_what_is_no_flow_control_it_waits_for() {
    let link = Link::normal(FrameCapacity::CLASSIC);
    let mut sender = Sender::<100>::new(link, SenderLimits::STANDARD);
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

/// Random frames, biased towards valid ones, at random times: no panic, no endless polling, and
/// never a payload longer than the buffer.
#[test]
fn hostile_frames_never_make_it_panic_or_overflow() {
    let seed = 0x150_7EED_u64;
    let mut state = seed;
    let mut random = move |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) % bound
    };
    let (mut received, mut failed) = (0_u32, 0_u32);
    for round in 0..300 {
        let addressing = match random(3) {
            0 => Addressing::Extended {
                transmit: 1,
                receive: 2,
            },
            _ => Addressing::Normal,
        };
        let capacity = [FrameCapacity::CLASSIC, FrameCapacity::FD][random(2) as usize];
        let link = Link {
            capacity,
            addressing,
            padding: None,
        };
        let pace = Pace {
            block_size: random(4) as u8,
            wait_frames_max: 2,
            ..Pace::FASTEST
        };
        let mut receiver = Receiver::<90>::new(link, pace);
        let mut sender = Sender::<90>::new(link, SenderLimits::STANDARD);
        let mut now = Instant::ZERO;
        let mut sequence = 1;
        for _ in 0..400 {
            let mut field: Vec<u8> = (0..random(65)).map(|_| random(256) as u8).collect();
            if random(2) == 0 {
                field.resize(8, 0);
            }
            let at = usize::from(addressing != Addressing::Normal);
            if let Some(control) = field.get_mut(at) {
                match random(6) {
                    0 => *control = 0x10,
                    1..4 => *control = 0x20 | sequence,
                    4 => *control = 0x30 | random(3) as u8,
                    _ => {}
                }
            }
            if at == 1 && random(8) > 0 && !field.is_empty() {
                field[0] = 2;
            }
            now += Duration::from_micros(random(1_000) * random(3) * random(200));
            if receiver.frame(now, &field).is_ok() {
                sequence = match field[at] >> 4 {
                    2 => (sequence + 1) & 0xF,
                    _ => 1,
                };
            }
            let _ = sender.frame(now, &field);
            let _ = sender.start(&field);
            receiver.set_paused(random(4) == 0);
            let mut polls = 0;
            loop {
                polls += 1;
                assert!(polls < 10, "seed {seed:#x} round {round}");
                match receiver.poll(now) {
                    ReceiverOutput::Transmit(_) => receiver.sent(now),
                    ReceiverOutput::Received => {
                        received += 1;
                        assert!(
                            receiver
                                .payload()
                                .is_some_and(|payload| payload.len() <= 90)
                        );
                    }
                    ReceiverOutput::Failed(_) => failed += 1,
                    ReceiverOutput::Idle(_) => break,
                }
            }
            // Without separation a sender goes on until the block or the payload ends.
            for _ in 0..100 {
                match sender.poll(now) {
                    SenderOutput::Transmit(_) if random(20) > 0 => sender.sent(now),
                    SenderOutput::Idle(_) => break,
                    _ => {}
                }
            }
        }
    }
    assert!(
        received > 1_000 && failed > 1_000,
        "seed {seed:#x}: {received} {failed}"
    );
}
