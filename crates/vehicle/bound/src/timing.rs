//! Times of a vehicle in picoseconds: clocks, bit times, frames. Rounding is upward.

use waywarden_can::Id;
use waywarden_can::bits::{FdVariant, FrameLength};
use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint, duration};
use waywarden_response_time::{
    FrameKind, extended_fd, shortest_length, worst_case_extended, worst_case_length,
};
use waywarden_vehicle_file::{BitRatePhase, Bus, FrameFormat};
use waywarden_work::Duration;

/// The timing of a bus.
pub(crate) struct BusTimes {
    timing: BitTiming,
    variant: FdVariant,
}

/// The longest and the shortest frame of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameTimes {
    /// With its intermission.
    pub(crate) longest: u64,
    /// Up to its acceptance, one bit before its end.
    pub(crate) shortest: u64,
}

impl BusTimes {
    pub(crate) fn of(bus: &Bus) -> Option<Self> {
        let phase = |phase: &BitRatePhase| {
            let rate = BitRate::new(phase.bit_rate).ok()?;
            let point = SamplePoint::from_permille((phase.sample_point * 1e3).round() as u16);
            Some(PhaseTiming::new(rate, point.ok()?))
        };
        let data = match &bus.fd {
            Some(fd) => Some(phase(&fd.data)?),
            None => None,
        };
        Some(BusTimes {
            timing: BitTiming {
                nominal: phase(&bus.nominal)?,
                data,
            },
            variant: match &bus.fd {
                Some(fd) if !fd.iso => FdVariant::NonIso,
                _ => FdVariant::Iso,
            },
        })
    }

    pub(crate) fn bit(&self) -> u64 {
        self.timing.nominal.bit().get()
    }

    /// Returns the times of a frame with one identifier.
    pub(crate) fn frame(&self, id: Id, format: FrameFormat, bytes: u8) -> FrameTimes {
        let kind = match format {
            FrameFormat::Classic => FrameKind::Classic,
            FrameFormat::Fd { bit_rate_switch } => FrameKind::Fd {
                bit_rate_switch,
                variant: self.variant,
            },
        };
        self.times(
            &worst_case_length(id, kind, bytes),
            &shortest_length(id, kind, bytes),
        )
    }

    /// Returns the times of a classic frame whose 29-bit identifier changes.
    pub(crate) fn extended(&self, bytes: u8) -> FrameTimes {
        let longest = worst_case_extended(bytes);
        let shortest = FrameLength {
            nominal_bits: longest.nominal_bits - longest.dynamic_stuff_bits,
            ..longest
        };
        self.times(&longest, &shortest)
    }

    /// Returns the times of a frame of a key exchange.
    pub(crate) fn key_frame(&self, is_fd: bool, bytes: u8) -> FrameTimes {
        if !is_fd {
            return self.extended(bytes);
        }
        let [longest, shortest] = extended_fd(self.variant, bytes);
        self.times(&longest, &shortest)
    }

    fn times(&self, longest: &FrameLength, shortest: &FrameLength) -> FrameTimes {
        let longest = duration(longest, &self.timing) + self.timing.intermission();
        let shortest = duration(shortest, &self.timing) - self.timing.nominal.bit();
        FrameTimes {
            longest: longest.get(),
            shortest: shortest.get(),
        }
    }
}

/// Returns the shortest time in picoseconds that a frame takes on a bus, with its intermission: an
/// attacker sends no more of them than fit. None for a bus without valid bit rates.
#[must_use]
pub fn shortest_frame(bus: &Bus, id: Id, format: FrameFormat, bytes: u8) -> Option<u64> {
    let times = BusTimes::of(bus)?;
    let up_to_acceptance = times.frame(id, format, bytes).shortest;
    Some(up_to_acceptance + times.bit() + times.timing.intermission().get())
}

/// Returns the shortest true time of a span on a clock that is `ppm` fast, in picoseconds.
pub(crate) fn at_least(span: Duration, ppm: i32) -> u64 {
    scaled(span, ppm) as u64
}

/// Returns the longest true time of a span, with a nanosecond for each end of it.
pub(crate) fn at_most(span: Duration, ppm: i32) -> u64 {
    match span.as_nanos() {
        0 => 0,
        _ => scaled(span, ppm) as u64 + 2_001,
    }
}

/// Returns how long a span of true time in picoseconds is at least on a clock that is `ppm` fast.
pub(crate) fn on_clock(span: u64, ppm: i32) -> u64 {
    let rate = (1_000_000 + i64::from(ppm)).max(0) as u128;
    (u128::from(span) * rate / 1_000_000) as u64
}

fn scaled(span: Duration, ppm: i32) -> u128 {
    // Parts per million are above -30,001.
    let rate = (1_000_000 + i64::from(ppm)).max(1) as u128;
    u128::from(span.as_nanos()) * 1_000 * 1_000_000 / rate
}
