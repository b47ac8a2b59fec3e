//! The probability of guessing a code within a year, and the attack rate behind it.
//!
//! The rate is what the bus carries if all its time is the attacker's, whatever the load of the
//! row: an attacker with an urgent identifier displaces the messages of others. So a busier bus is
//! never the safer one.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can::Id;
use waywarden_can_auth::paired::CANDIDATES;
use waywarden_vehicle_bound::shortest_frame;
use waywarden_vehicle_file::formatting::{percent, short};
use waywarden_vehicle_file::{BusIndex, FrameFormat, Protection, StreamIndex, VehicleFile};

/// A year of 365 days, in seconds.
pub const YEAR_SECONDS: f64 = 365.0 * 86_400.0;

/// Bytes of an announcement of freshness: it fills a classic frame.
const ANNOUNCEMENT_BYTES: u8 = 8;
/// Limit on the bits of its code, which shares that frame with both counters.
const ANNOUNCEMENT_BITS: u8 = 28;

/// An attacker that guesses codes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Guess {
    /// Message that is forged: of those protected the one that is guessed first.
    pub stream: String,
    /// Bus of the attacker.
    pub bus: String,
    /// Forged messages per second: those of the setting, else as many as the bus carries one after
    /// the other, in the shortest frames that have a code, and nothing besides.
    pub per_second: f64,
    /// Codes that a receiver compares with one forged message: freshness values that it tries,
    /// times the messages that wait for their code.
    pub attempts: u32,
    /// Bits of the code.
    pub code_bits: u8,
    /// Probability that at least one forged message is accepted within a year of 365 days.
    pub in_a_year: f64,
    /// Mean time until the first one is accepted.
    pub mean_seconds: f64,
    /// The same probability for announcements of freshness, where there are any: an accepted one
    /// stops receivers for good.
    pub announcement_in_a_year: Option<f64>,
}

/// Prints a probability: as a percentage, or as a power of ten if it is small.
#[must_use]
pub fn guessed(probability: f64) -> String {
    match probability {
        p if p <= 0.0 => "0".to_owned(),
        p if p < 0.001 => format!("{p:.1e}"),
        p => percent(p),
    }
}

/// Prints the mean time until a code is guessed.
#[must_use]
pub fn mean_time(seconds: f64) -> String {
    match seconds {
        s if s >= 1e4 * YEAR_SECONDS => format!("{:.1e} years", s / YEAR_SECONDS),
        s if s >= YEAR_SECONDS => format!("{:.1} years", s / YEAR_SECONDS),
        s if s >= 86_400.0 => format!("{:.1} days", s / 86_400.0),
        s if s >= 3_600.0 => format!("{:.1} h", s / 3_600.0),
        s if s >= 60.0 => format!("{:.1} min", s / 60.0),
        s => format!("{s:.1} s"),
    }
}

/// Prints a number of forged messages per second, however small.
pub(super) fn rate(per_second: f64) -> String {
    match per_second {
        rate if rate < 0.01 => format!("{rate:.1e}"),
        rate => short(rate),
    }
}

/// Prints the same with its noun.
pub(super) fn forged_messages(per_second: f64) -> String {
    match rate(per_second) {
        one if one == "1" => "1 forged message".to_owned(),
        number => format!("{number} forged messages"),
    }
}

/// Returns the probability of at least one success within a year, and the mean time to the first.
fn success(per_second: f64, attempts: f64, bits: u8) -> (f64, f64) {
    let each = attempts / f64::from(bits).exp2();
    let each_second = per_second * each;
    // Success is a Poisson process: 1 - exp(-x), exact also for small x.
    (-(-each_second * YEAR_SECONDS).exp_m1(), 1.0 / each_second)
}

impl Guess {
    /// Finds the message whose code is guessed first; none if no message has a code.
    pub(super) fn of(file: &VehicleFile, rate: Option<f64>) -> Option<Self> {
        let mut worst: Option<Guess> = None;
        for (index, table) in file.authentications.iter().enumerate() {
            let Some((code_bits, values)) = code(file, index) else {
                continue;
            };
            for at in &table.streams {
                let stream = file.stream(*at);
                for carried in &stream.carried {
                    let most = || forged(file, *at, carried.bus);
                    let Some(per_second) = rate.or_else(most) else {
                        continue;
                    };
                    let waiting = match stream.protection {
                        Protection::Separate { .. } => CANDIDATES as u32,
                        _ => 1,
                    };
                    let attempts = values * waiting;
                    let (in_a_year, mean_seconds) =
                        success(per_second, f64::from(attempts), code_bits);
                    if worst
                        .as_ref()
                        .is_none_or(|one| mean_seconds < one.mean_seconds)
                    {
                        worst = Some(Guess {
                            stream: stream.name.value.clone(),
                            bus: file.bus(carried.bus).name.value.clone(),
                            per_second,
                            attempts,
                            code_bits,
                            in_a_year,
                            mean_seconds,
                            announcement_in_a_year: None,
                        });
                    }
                }
            }
        }
        let announcement = announcement(file, rate);
        worst.map(|worst| Guess {
            announcement_in_a_year: announcement,
            ..worst
        })
    }
}

/// Returns the bits of a table's codes, and the freshness values that a receiver tries.
fn code(file: &VehicleFile, table: usize) -> Option<(u8, u32)> {
    match &file.authentications.get(table)?.protocol {
        waywarden_vehicle_file::AuthenticationProtocol::Secoc(secoc) => {
            let profile = &secoc.profile;
            Some((profile.mac_bits(), u32::from(profile.attempts())))
        }
        _ => None,
    }
}

/// Returns how many forged messages of a stream a bus carries in a second: frames with the code, as
/// short as they can be.
fn forged(file: &VehicleFile, at: StreamIndex, bus: BusIndex) -> Option<f64> {
    let stream = file.stream(at);
    let frame = match stream.protection {
        Protection::Separate { id, bytes } => {
            (id, stream.format, frame_bytes(stream.format, bytes)?)
        }
        _ => (stream.id.value, stream.format, stream.wire_length()),
    };
    per_second(file, bus, frame)
}

fn per_second(
    file: &VehicleFile,
    bus: BusIndex,
    (id, format, bytes): (Id, FrameFormat, u8),
) -> Option<f64> {
    let picoseconds = shortest_frame(file.bus(bus), id, format, bytes)?;
    Some(1e12 / picoseconds as f64)
}

/// Returns the length of the frame of a payload.
fn frame_bytes(format: FrameFormat, bytes: u8) -> Option<u8> {
    Protection::Trailer(0).wire_length(bytes, format)
}

/// Returns the probability that an announcement of freshness is guessed within a year.
fn announcement(file: &VehicleFile, rate: Option<f64>) -> Option<f64> {
    let mut worst: Option<f64> = None;
    for (index, table) in file.authentications.iter().enumerate() {
        let (Some(master), Some((bits, _))) = (table.freshness_master(), code(file, index)) else {
            continue;
        };
        for bus in &master.buses {
            let frame = (
                Id::Standard(master.id),
                FrameFormat::Classic,
                ANNOUNCEMENT_BYTES,
            );
            let most = || per_second(file, *bus, frame);
            let Some(per_second) = rate.or_else(most) else {
                continue;
            };
            let (in_a_year, _) = success(per_second, 1.0, bits.min(ANNOUNCEMENT_BITS));
            worst = Some(worst.map_or(in_a_year, |one| one.max(in_a_year)));
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_rates_are_not_rounded_to_zero() {
        let texts = [4_505.4, 10.0, 1.0, 0.1, 0.01, 0.000_3].map(rate);
        assert_eq!(texts, ["4505", "10", "1", "0.1", "0.01", "3.0e-4"]);
        assert_eq!(forged_messages(1.0), "1 forged message");
        assert_eq!(forged_messages(0.1), "0.1 forged messages");
    }

    #[test]
    fn a_code_of_24_bits_is_guessed_within_the_hour_and_one_of_64_in_no_lifetime() {
        // docs/protocols/secoc.md: 4,400 frames a second, two attempts.
        let (in_a_year, mean) = success(4_400.0, 2.0, 24);
        assert!((mean / 60.0 - 31.8).abs() < 0.1, "{mean}");
        assert!(in_a_year > 1.0 - 1e-12);
        let (in_a_year, mean) = success(4_400.0, 2.0, 64);
        assert!((in_a_year / 1.504e-8 - 1.0).abs() < 1e-3, "{in_a_year}");
        assert!(mean > 1e15);
        assert_eq!(mean_time(mean), "6.6e7 years");
        // One frame in 10 ms, 28 bits, 4 attempts: 7.8 days.
        let (_, mean) = success(100.0, 4.0, 28);
        assert!((mean / 86_400.0 - 7.77).abs() < 0.01, "{mean}");
        assert_eq!(mean_time(mean), "7.8 days");
    }
}
