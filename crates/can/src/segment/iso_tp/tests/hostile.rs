//! Random frames against sender and receiver.

use super::*;

/// Random frames, biased towards valid ones, at random times: no panic, no endless polling, and
/// never a payload longer than the buffer.
#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one round reads in one piece: its frames, its time and what comes of them"
)]
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
