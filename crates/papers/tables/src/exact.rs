//! Exact frame times from the bit model: means over random frames, to hold printed times against.

use waywarden_can::bits::{FdVariant, FrameLength, frame_length};
use waywarden_can::timing::{BitTiming, duration};
use waywarden_can::{ExtendedId, Frame};
use waywarden_random::split_mix;
use waywarden_work::Duration;

/// Number of frames in a mean. Its standard error is below a tenth of a bit.
const FRAMES: u32 = 1_000;

/// Seed of the random frames: any value does.
const SEED: u64 = 0x6b65_7973;

/// Counts the bits of random frames, each made of an identifier and 64 bytes.
pub fn lengths(frame: impl Fn(ExtendedId, &[u8; 64]) -> Option<Frame>) -> Vec<FrameLength> {
    let mut state = SEED;
    let frames = (0..FRAMES).filter_map(|_| {
        let id = ExtendedId::new(split_mix(&mut state) as u32 & ExtendedId::MAX).ok()?;
        let mut data = [0; 64];
        for chunk in data.chunks_exact_mut(8) {
            chunk.copy_from_slice(&split_mix(&mut state).to_le_bytes());
        }
        frame(id, &data)
    });
    frames
        .map(|frame| frame_length(&frame, FdVariant::Iso))
        .collect()
}

/// Returns the mean time with intermission; none of no frames.
pub fn mean(lengths: &[FrameLength], timing: &BitTiming) -> Option<Duration> {
    let sum: u64 = lengths.iter().map(|length| time(length, timing)).sum();
    let count = u64::try_from(lengths.len()).ok()?;
    Some(Duration::from_nanos(sum.checked_div(count)? / 1_000))
}

/// Returns frame and intermission in picoseconds.
pub fn time(length: &FrameLength, timing: &BitTiming) -> u64 {
    (duration(length, timing) + timing.intermission()).get()
}
