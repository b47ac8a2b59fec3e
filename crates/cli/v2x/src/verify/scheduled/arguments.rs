//! The options of a receiver with a policy.

use waywarden_v2x_schedule::{Bounds, Ego, Policy};
use waywarden_v2x_wire::ieee1609dot2::TwoDLocation;

use super::SECOND_NS;
use waywarden_pki_folder::region::location;

/// A message each microsecond.
const RATE_MAX: i64 = 1_000_000;
/// The longest queue.
const QUEUE_MAX: i64 = 65_536;

/// Options for a receiver that cannot verify all messages: policy, position and capacity.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "A receiver that cannot verify everything")]
pub(in super::super) struct Scheduling {
    /// Simulate a receiver with this policy: fifo, class, deadline, safety, circle:150m,
    /// ellipse:25x300m or sector:300m:90deg; several separated by commas, the most important first,
    /// and `exclusive` at the end to verify nothing from outside. Each message is reported as
    /// verified, as deferred (verified after one that arrived later) or as dropped, with the cause.
    ///
    /// The time is simulated, so the answer is the same on each machine. Certificates, and what
    /// cannot be read, take no place in the queue.
    #[arg(long, requires = "capacity", conflicts_with = "jobs")]
    pub(in super::super) policy: Option<Policy>,
    /// Position of the receiver, in degrees north and east, and its heading in degrees clockwise
    /// from north.
    #[arg(long, value_name = "LAT,LON[,HEADING]", requires = "policy", value_parser = ego)]
    #[arg(allow_hyphen_values = true)]
    pub(super) ego: Option<Ego>,
    /// Number of messages that the receiver can verify in a second.
    #[arg(long, value_name = "PER_SECOND", requires = "policy")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=RATE_MAX))]
    capacity: Option<u32>,
    /// Number of messages that arrive in a second. Without the option they arrive when they were
    /// captured.
    #[arg(long, value_name = "PER_SECOND", requires = "policy")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=RATE_MAX))]
    pub(super) rate: Option<u32>,
    /// Longest queue, in messages [default: 1024].
    #[arg(long, value_name = "N", requires = "policy")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=QUEUE_MAX))]
    queue: Option<u32>,
}

impl Scheduling {
    /// Returns the bounds of the queue.
    pub(super) fn bounds(&self) -> Bounds {
        let default = Bounds::DEFAULT;
        let messages = self.queue.map(|queue| queue as usize);
        Bounds {
            messages: messages.unwrap_or(default.messages),
            verification_us: self.service_ns().div_ceil(1_000),
            known_sender_us: self.service_ns().div_ceil(1_000),
            ..default
        }
    }

    /// Returns how many messages can be verified in a second.
    pub(super) fn capacity(&self) -> u32 {
        // The parser demands it with a policy.
        self.capacity.unwrap_or(1)
    }

    /// Returns how long one verification takes.
    pub(super) fn service_ns(&self) -> u64 {
        SECOND_NS / u64::from(self.capacity())
    }
}

/// Reads where the receiver is and its heading.
fn ego(text: &str) -> Result<Ego, String> {
    let wrong =
        || format!("{text:?}: give LATITUDE,LONGITUDE, and ,HEADING from 0 to 360 if known");
    let (place, heading) = match text.match_indices(',').nth(1) {
        Some((at, _)) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let place = location(place).map_err(|_| wrong())?;
    let heading = heading.map(|heading| {
        let degrees = heading.trim().parse::<f64>().ok();
        let degrees = degrees.filter(|degrees| (0.0..=360.0).contains(degrees));
        degrees.map(|degrees| (degrees * 100.0).round() as u16)
    });
    let heading = match heading {
        Some(None) => return Err(wrong()),
        Some(heading) => heading,
        None => None,
    };
    let position = TwoDLocation {
        latitude: place.latitude,
        longitude: place.longitude,
    };
    Ego::new(position, heading).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ego_is_a_place_and_perhaps_a_heading() {
        for text in [
            "44.6,10.9",
            "-44.6,-10.9,0",
            "0,0,359.99",
            "1,2, 90.5",
            "1,2,360",
        ] {
            assert!(ego(text).is_ok(), "{text}");
        }
        assert_ne!(ego("1,2"), ego("1,2,0"));
        for text in [
            "", "1", "91,0", "1,181", "1,2,-1", "1,2,361", "1,2,nan", "1,2,3,4", "x,y",
        ] {
            assert!(ego(text).is_err(), "{text}");
        }
    }
}
