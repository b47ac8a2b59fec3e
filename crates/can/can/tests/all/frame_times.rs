//! Mean bits and times of frames with random content, against those of the model that made the
//! corpus (`docs/can-bits.md` has the table).

use waywarden_can::bits::{FdVariant, frame_length};
use waywarden_can::timing::{BitRate, BitTiming, duration};
use waywarden_can::{Frame, Id};

const FRAMES: u32 = 4_000;
const SEED: u64 = 0x5EED_0010;

/// Frames with a random identifier and `bytes` random bytes of data, the same at every call.
fn random_frames(bytes: usize, extended: bool, fd: bool) -> impl Iterator<Item = Frame> {
    let mut state = SEED;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state >> 16
    };
    (0..FRAMES).map(move |_| {
        let raw = random();
        let id = match extended {
            true => Id::extended(raw as u32 & 0x1FFF_FFFF),
            false => Id::standard(raw as u16 & 0x7FF),
        };
        let data: Vec<u8> = (0..bytes).map(|_| random() as u8).collect();
        match fd {
            true => Frame::fd(id.unwrap(), &data),
            false => Frame::classic(id.unwrap(), &data),
        }
        .unwrap()
    })
}

#[test]
fn fd_frames_of_random_data_last_as_long_on_average_as_in_the_model() {
    for (bytes, nominal, data, mean_us) in [
        (32, 500_000, 2_000_000, 243.4),
        (32, 1_000_000, 2_000_000, 197.3),
        (32, 500_000, 5_000_000, 152.7),
        (32, 1_000_000, 5_000_000, 106.6),
        (32, 1_000_000, 8_000_000, 83.9),
        (64, 500_000, 2_000_000, 375.9),
        (64, 1_000_000, 2_000_000, 329.8),
        (64, 500_000, 5_000_000, 205.7),
        (64, 1_000_000, 5_000_000, 159.6),
        (64, 1_000_000, 8_000_000, 117.0),
    ] {
        let timing = BitTiming::fd(BitRate::constant(nominal), BitRate::constant(data));
        let total: u64 = random_frames(bytes, true, true)
            .map(|frame| duration(&frame_length(&frame, FdVariant::Iso), &timing).get())
            .sum();
        let ours_us = total as f64 / f64::from(FRAMES) / 1e6;
        let place = format!("{bytes} B at {nominal}/{data}: {ours_us} us, seed {SEED:#x}");
        assert!((ours_us - mean_us).abs() < 0.3, "{place}");
    }
}

/// Eight bytes with intermission: the model saw 114.3 and 135.1 bits on average.
#[test]
fn classic_frames_of_random_data_are_as_long_on_average_as_in_the_model() {
    for (extended, mean_bits, fewest, most) in [(false, 114.3, 111, 135), (true, 135.1, 131, 160)] {
        let bits: Vec<u16> = random_frames(8, extended, false)
            .map(|frame| frame_length(&frame, FdVariant::Iso).total_bits() + 3)
            .collect();
        let mean = bits.iter().map(|&bits| f64::from(bits)).sum::<f64>() / f64::from(FRAMES);
        assert!((mean - mean_bits).abs() < 0.15, "{mean}, seed {SEED:#x}");
        assert!(bits.iter().all(|bits| (fewest..=most).contains(bits)));
    }
}
