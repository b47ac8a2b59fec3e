//! Random frames against sender and receiver.

use waywarden_testkit::Random;

use super::*;

/// The longest payload that sender and receiver have room for.
const ROOM: usize = 90;

fn link(random: &mut Random) -> IsoTpLink {
    let addressing = match random.below(3) {
        0 => Addressing::Extended {
            transmit: 1,
            receive: 2,
        },
        _ => Addressing::Normal,
    };
    let capacity = [FrameCapacity::CLASSIC, FrameCapacity::FD][random.below(2) as usize];
    IsoTpLink {
        capacity,
        addressing,
        padding: None,
    }
}

/// The data field of a frame, whose control byte often is one that fits at this place.
fn field(random: &mut Random, address_bytes: usize, sequence: u8) -> Vec<u8> {
    let mut field: Vec<u8> = random.bytes_up_to(64);
    if random.below(2) == 0 {
        field.resize(8, 0);
    }
    if let Some(control) = field.get_mut(address_bytes) {
        match random.below(6) {
            0 => *control = 0x10,
            1..4 => *control = 0x20 | sequence,
            4 => *control = 0x30 | random.below(3) as u8,
            _ => {}
        }
    }
    if address_bytes == 1 && random.below(8) > 0 && !field.is_empty() {
        field[0] = 2;
    }
    field
}

/// Numbers of payloads that a receiver received, and of receptions that failed.
#[derive(Default)]
struct Outcomes {
    received: u32,
    failed: u32,
}

impl Outcomes {
    /// Polls a receiver until it is idle, which is soon.
    fn record(&mut self, receiver: &mut IsoTpReceiver<ROOM>, now: Instant, case: &str) {
        let mut polls = 0;
        loop {
            polls += 1;
            assert!(polls < 10, "{case}");
            match receiver.poll(now) {
                ReceiverOutput::Transmit(_) => receiver.sent(now),
                ReceiverOutput::Received => {
                    self.received += 1;
                    let payload = receiver.payload();
                    assert!(payload.is_some_and(|payload| payload.len() <= ROOM));
                }
                ReceiverOutput::Failed(_) => self.failed += 1,
                ReceiverOutput::Idle(_) => break,
            }
        }
    }
}

/// Without separation a sender goes on until the block or the payload ends.
fn poll_sender(sender: &mut IsoTpSender<ROOM>, now: Instant, random: &mut Random) {
    for _ in 0..100 {
        match sender.poll(now) {
            SenderOutput::Transmit(_) if random.below(20) > 0 => sender.sent(now),
            SenderOutput::Idle(_) => break,
            _ => {}
        }
    }
}

/// Random frames, biased towards valid ones, at random times: no panic, no endless polling, and
/// never a payload longer than the buffer.
#[test]
fn hostile_frames_never_make_it_panic_or_overflow() {
    let seed = 0x150_7EED_u64;
    let mut random = Random::new(seed);
    let mut outcomes = Outcomes::default();
    for round in 0..300 {
        let case = std::format!("seed {seed:#x} round {round}");
        let link = link(&mut random);
        let address_bytes = usize::from(link.addressing != Addressing::Normal);
        let parameters = FlowControlParameters {
            block_size: random.below(4) as u8,
            wait_frames_max: 2,
            ..FlowControlParameters::FASTEST
        };
        let mut receiver = IsoTpReceiver::<ROOM>::new(link, parameters);
        let mut sender = IsoTpSender::<ROOM>::new(link, SenderLimits::STANDARD);
        let (mut now, mut sequence) = (Instant::ZERO, 1);
        for _ in 0..400 {
            let field = field(&mut random, address_bytes, sequence);
            let waited = random.below(1_000) * random.below(3) * random.below(200);
            now += Duration::from_micros(waited);
            if receiver.frame(now, &field).is_ok() {
                sequence = match field[address_bytes] >> 4 {
                    2 => (sequence + 1) & 0xF,
                    _ => 1,
                };
            }
            let _ = sender.frame(now, &field);
            let _ = sender.start(&field);
            receiver.set_paused(random.below(4) == 0);
            outcomes.record(&mut receiver, now, &case);
            poll_sender(&mut sender, now, &mut random);
        }
    }
    let Outcomes { received, failed } = outcomes;
    assert!(
        received > 1_000 && failed > 1_000,
        "seed {seed:#x}: {received} {failed}"
    );
}
