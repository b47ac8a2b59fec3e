//! A value with its kind, and the units it is printed in. Times are whole nanoseconds until then.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use waywarden_report_page::short;
use waywarden_work::Duration;

/// Result of a formula or of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// A span of time.
    Time(Duration),
    /// A count, a ratio, a share in per cent.
    Number(f64),
}

/// The unit a paper prints a value in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema, Deserialize)]
pub enum Unit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// A ratio.
    #[serde(rename = "times")]
    Times,
    /// Frames on the bus.
    #[serde(rename = "frames")]
    Frames,
    /// Hundredths.
    #[serde(rename = "%")]
    Percent,
    /// Bytes.
    #[serde(rename = "B")]
    Bytes,
    /// Bits: of security, of a message.
    #[serde(rename = "bit")]
    Bits,
    /// Cycles of a board's clock.
    #[serde(rename = "cycles")]
    Cycles,
    /// Centimetres.
    #[serde(rename = "cm")]
    Centimetres,
    /// A category of NIST's, 1 to 5, or 0 for none.
    #[serde(rename = "category")]
    Category,
    /// Signed messages with an implicit certificate.
    #[serde(rename = "messages")]
    Messages,
    /// Signatures under a known key.
    #[serde(rename = "signatures")]
    Signatures,
    /// Metres.
    #[serde(rename = "m")]
    Metres,
    /// A yes or no, such as done in time: 1 or 0.
    #[serde(rename = "1 = yes")]
    Applicable,
    /// Events a second.
    #[serde(rename = "1/s")]
    PerSecond,
    /// Vehicles in reach.
    #[serde(rename = "vehicles")]
    Vehicles,
    /// Number of items.
    #[serde(rename = "count")]
    Count,
}

impl Unit {
    /// Returns the unit's name as tables print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
            Unit::Times => "times",
            Unit::Frames => "frames",
            Unit::Percent => "%",
            Unit::Bytes => "B",
            Unit::Bits => "bit",
            Unit::Cycles => "cycles",
            Unit::Centimetres => "cm",
            Unit::Category => "category",
            Unit::Messages => "messages",
            Unit::Signatures => "signatures",
            Unit::Metres => "m",
            Unit::Applicable => "1 = yes",
            Unit::PerSecond => "1/s",
            Unit::Vehicles => "vehicles",
            Unit::Count => "count",
        }
    }

    /// Returns how many nanoseconds, bytes or pieces the unit has.
    pub const fn size(self) -> f64 {
        match self {
            Unit::Seconds => 1e9,
            Unit::Milliseconds => 1e6,
            Unit::Microseconds => 1e3,
            Unit::Times
            | Unit::Frames
            | Unit::Percent
            | Unit::Bytes
            | Unit::Bits
            | Unit::Cycles
            | Unit::Centimetres
            | Unit::Category
            | Unit::Messages
            | Unit::Signatures
            | Unit::Metres
            | Unit::Applicable
            | Unit::PerSecond
            | Unit::Vehicles
            | Unit::Count => 1.0,
        }
    }
}

impl Amount {
    /// Returns the number in this unit, to the ninth decimal: what is beyond is rounding noise of
    /// binary fractions.
    #[must_use]
    pub fn in_unit(self, unit: Unit) -> f64 {
        let number = match self {
            Amount::Time(time) => time.as_nanos() as f64 / unit.size(),
            Amount::Number(number) => number / unit.size(),
        };
        (number * 1e9).round() / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_one_number_in_each_unit() {
        let time = Amount::Time(Duration::from_nanos(232_767_000));
        assert_eq!(time.in_unit(Unit::Milliseconds), 232.767);
        assert_eq!(time.in_unit(Unit::Seconds), 0.232_767);
        assert_eq!(time.in_unit(Unit::Microseconds), 232_767.0);
        assert_eq!(
            Amount::Number(1.0 / 3.0).in_unit(Unit::Times),
            0.333_333_333
        );
    }
}
