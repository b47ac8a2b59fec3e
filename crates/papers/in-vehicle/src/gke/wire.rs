//! Exact frame times from the bit model, to hold the paper's against: means over random frames.

use waywarden_can::Frame;
use waywarden_can::bits::FrameLength;
use waywarden_can::timing::{BitRate, BitTiming};
use waywarden_work::Duration;

use waywarden_paper_tables::exact::{lengths, mean, time};

/// Nominal and data bit rates of CAN FD that controllers of the paper's time were run at.
const FD_RATES: [(u32, u32); 6] = [
    (500_000, 1_000_000),
    (500_000, 2_000_000),
    (500_000, 5_000_000),
    (1_000_000, 2_000_000),
    (1_000_000, 5_000_000),
    (1_000_000, 8_000_000),
];

/// A pair of bit rates, and the frame times that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FdTimes {
    /// Bits per second of arbitration, and of data.
    pub(super) rates: (u32, u32),
    /// Frames of 32 and of 64 bytes with their intermission.
    pub(super) frames: [Duration; 2],
}

/// Returns the mean time of a classic frame of 8 bytes with a 29-bit identifier, intermission
/// included, and the least, that of a frame without any stuff bit.
pub(super) fn classic(bit_rate: u32) -> Option<(Duration, Duration)> {
    let timing = BitTiming::classic(BitRate::new(bit_rate).ok()?);
    let lengths = lengths(|id, data| Frame::classic(id, &data[..8]).ok());
    let least = lengths
        .first()
        .map(|length| FrameLength {
            nominal_bits: length.nominal_bits - length.dynamic_stuff_bits,
            ..*length
        })
        .map(|length| time(&length, &timing))?;
    Some((
        mean(&lengths, &timing)?,
        Duration::from_nanos(least / 1_000),
    ))
}

/// Returns the mean times of frames of 32 and of 64 bytes at the given nominal and data bit rates,
/// intermission included; none for rates that no controller has.
pub(super) fn fd((nominal, data): (u32, u32)) -> Option<[Duration; 2]> {
    let timing = BitTiming::fd(BitRate::new(nominal).ok()?, BitRate::new(data).ok()?);
    let frames = |bytes: usize| {
        let lengths = lengths(|id, data| Frame::fd(id, &data[..bytes]).ok());
        mean(&lengths, &timing)
    };
    Some([frames(32)?, frames(64)?])
}

/// Finds the usual bit rates of CAN FD at which frames and `driver` together come nearest to the
/// two printed times.
pub(super) fn nearest_fd(printed: [Duration; 2], driver: Duration) -> Option<FdTimes> {
    let lengths =
        [32, 64].map(|bytes: usize| lengths(|id, data| Frame::fd(id, &data[..bytes]).ok()));
    let all = FD_RATES.iter().filter_map(|&(nominal, data)| {
        let timing = BitTiming::fd(BitRate::new(nominal).ok()?, BitRate::new(data).ok()?);
        let frames = [mean(&lengths[0], &timing)?, mean(&lengths[1], &timing)?];
        let distance: u64 = frames
            .iter()
            .zip(printed)
            .map(|(frame, printed)| (*frame + driver).as_nanos().abs_diff(printed.as_nanos()))
            .sum();
        let rates = (nominal, data);
        Some((distance, FdTimes { rates, frames }))
    });
    all.min_by_key(|(distance, _)| *distance)
        .map(|(_, times)| times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_an_outside_model() {
        // A Python model that agrees with can-utils and CANFDFrameGenerator, over 20,000 frames.
        let (mean, least) = classic(1_000_000).unwrap();
        assert!(mean.as_nanos().abs_diff(135_100) < 300, "{mean}");
        assert_eq!(least, Duration::from_micros(131));
        let times = nearest_fd(
            [Duration::from_micros(200), Duration::from_micros(333)],
            Duration::ZERO,
        )
        .unwrap();
        assert_eq!(times.rates, (1_000_000, 2_000_000));
        for (frame, expected) in times.frames.iter().zip([200_300_u64, 332_800]) {
            assert!(frame.as_nanos().abs_diff(expected) < 300, "{frame}");
        }
    }

    #[test]
    fn no_bit_rate_is_no_answer() {
        assert_eq!(classic(0), None);
    }
}
