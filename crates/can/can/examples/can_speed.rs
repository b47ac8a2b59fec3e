//! Prints how long counting the bits of a frame takes:
//! `cargo run --profile dist -p waywarden-can --example can_speed`.

use std::hint::black_box;
use std::time::Instant;

use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitRate, BitTiming, duration};
use waywarden_can::{Frame, Id};

/// All different, so that branch prediction and caches learn nothing from repetition.
const FRAMES: usize = 4_096;
const ROUNDS: usize = 15;

fn main() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut frames = |bytes: usize, extended: bool, fd: bool| -> Vec<Frame> {
        let frame = |_| {
            let id = match extended {
                true => Id::extended(random() as u32 & 0x1FFF_FFFF),
                false => Id::standard(random() as u16 & 0x7FF),
            };
            let id = id.expect("masked to its width");
            let data: Vec<u8> = (0..bytes).map(|_| random() as u8).collect();
            let frame = if fd {
                Frame::fd(id, &data)
            } else {
                Frame::classic(id, &data)
            };
            frame.expect("a length that fits")
        };
        (0..FRAMES).map(frame).collect()
    };
    let cases = [
        ("classic 11-bit 0 B", frames(0, false, false)),
        ("classic 11-bit 8 B", frames(8, false, false)),
        ("classic 29-bit 8 B", frames(8, true, false)),
        ("FD 11-bit 8 B", frames(8, false, true)),
        ("FD 29-bit 64 B", frames(64, true, true)),
    ];
    let timing = BitTiming::fd(BitRate::constant(500_000), BitRate::constant(2_000_000));
    for (name, frames) in &cases {
        let count = best(frames, |frame| {
            u64::from(frame_length(frame, FdVariant::Iso).total_bits())
        });
        let timed = best(frames, |frame| {
            duration(&frame_length(frame, FdVariant::Iso), &timing).get()
        });
        println!("{name:20} frame_length {count:5.1} ns   with duration {timed:5.1} ns");
    }
}

/// Returns the nanoseconds a frame of the fastest round: the one that was least disturbed.
fn best(frames: &[Frame], work: impl Fn(&Frame) -> u64) -> f64 {
    let round = |_| {
        let start = Instant::now();
        let sum: u64 = frames.iter().map(|frame| work(black_box(frame))).sum();
        black_box(sum);
        start.elapsed().as_nanos() as f64 / frames.len() as f64
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}
