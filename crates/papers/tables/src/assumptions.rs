//! Assumptions of a paper that a caller replaces: its board, its bit rates.

use waywarden_boards::Board;
use waywarden_can::timing::BitRate;
use waywarden_vehicle_grammar::{BIT_RATE_MIN, DATA_BIT_RATE_MAX, NOMINAL_BIT_RATE_MAX};

use crate::PaperError;

/// Replacements of what a paper assumes; none by default.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// Board in place of the paper's.
    pub board: Option<Board>,
    /// Nominal bit rate, or that of a radio channel, in bit/s.
    pub bit_rate: Option<u32>,
    /// Data bit rate of CAN FD, in bit/s.
    pub data_bit_rate: Option<u32>,
}

impl Assumptions {
    /// Returns true if nothing is replaced.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.board.is_none() && self.bit_rate.is_none() && self.data_bit_rate.is_none()
    }

    /// Words what is replaced, as options of a command line.
    #[must_use]
    pub fn words(&self) -> String {
        let board = self
            .board
            .as_ref()
            .map(|board| format!("--board {}", board.name()));
        let rate = self
            .bit_rate
            .map(|rate| format!("--bitrate {}", written(rate)));
        let data = self
            .data_bit_rate
            .map(|rate| format!("--data-bitrate {}", written(rate)));
        let all = [board, rate, data].into_iter().flatten();
        all.collect::<Vec<_>>().join(" ")
    }

    /// Words what is replaced, as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("With {} in place of what the paper assumes.", self.words())
    }

    /// Refuses bit rates that no bus of CAN has, with the bounds of vehicle files, and a data bit
    /// rate below the nominal one: `nominal` is the paper's highest on CAN FD, in bit/s.
    ///
    /// # Errors
    /// [`PaperError::BitRate`] and [`PaperError::SlowData`].
    pub fn on_can(&self, key: &'static str, nominal: u32) -> Result<(), PaperError> {
        for (option, rate, highest) in [
            ("--bitrate", self.bit_rate, NOMINAL_BIT_RATE_MAX),
            ("--data-bitrate", self.data_bit_rate, DATA_BIT_RATE_MAX),
        ] {
            let outside = rate.filter(|rate| !(BIT_RATE_MIN..=highest).contains(rate));
            if let Some(rate) = outside {
                return Err(PaperError::BitRate {
                    key,
                    option,
                    rate: written(rate),
                    medium: "CAN",
                    range: format!("{} to {}", written(BIT_RATE_MIN), written(highest)),
                });
            }
        }
        let nominal = self.bit_rate.unwrap_or(nominal);
        match self.data_bit_rate.filter(|data| *data < nominal) {
            Some(data) => Err(PaperError::SlowData {
                key,
                data: written(data),
                nominal: written(nominal),
            }),
            None => Ok(()),
        }
    }

    /// Refuses a bit rate for a paper whose numbers have none.
    ///
    /// # Errors
    /// [`PaperError::NotAssumed`] if one is given.
    pub fn without_bit_rate(&self, key: &'static str, why: &'static str) -> Result<(), PaperError> {
        let option = "--bitrate";
        match self.bit_rate {
            Some(_) => Err(PaperError::NotAssumed { key, option, why }),
            None => Ok(()),
        }
    }

    /// Refuses a data bit rate for a paper without CAN FD.
    ///
    /// # Errors
    /// [`PaperError::NotAssumed`] if one is given.
    pub fn without_data_bit_rate(&self, key: &'static str) -> Result<(), PaperError> {
        let (option, why) = ("--data-bitrate", "no frame in it is CAN FD");
        match self.data_bit_rate {
            Some(_) => Err(PaperError::NotAssumed { key, option, why }),
            None => Ok(()),
        }
    }
}

/// Writes a bit rate in bit/s as the options take it: `500k`.
#[must_use]
pub fn written(rate: u32) -> String {
    BitRate::new(rate).map_or_else(|_| rate.to_string(), |rate| rate.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_rates_that_no_bus_has_are_refused() {
        let refused = |bit_rate: Option<u32>, data_bit_rate: Option<u32>| {
            let assumed = Assumptions {
                board: None,
                bit_rate,
                data_bit_rate,
            };
            let refused = assumed.on_can("lasan", 500_000).err();
            refused.map(|refused| refused.to_string())
        };
        for fitting in [
            (None, None),
            (Some(5_000), None),
            (Some(1_000_000), Some(1_000_000)),
            (None, Some(500_000)),
            (Some(5_000), Some(8_000_000)),
        ] {
            assert_eq!(refused(fitting.0, fitting.1), None, "{fitting:?}");
        }
        for (nominal, data, expected) in [
            (
                Some(0),
                None,
                "papers lasan: --bitrate 0: CAN has bit rates of 5k to 1M; give",
            ),
            (Some(4_999), None, "--bitrate 4.999k: CAN has"),
            (Some(1_000_001), None, "--bitrate 1.000001M: CAN has"),
            (Some(u32::MAX), Some(1), "--bitrate 4294.967295M: CAN has"),
            (
                None,
                Some(1),
                "--data-bitrate 1: CAN has bit rates of 5k to 8M; give",
            ),
            (None, Some(8_000_001), "--data-bitrate 8.000001M: CAN has"),
            (
                None,
                Some(499_999),
                "--data-bitrate 499.999k is below the nominal bit rate of 500k",
            ),
            (
                Some(1_000_000),
                Some(999_999),
                "or a --bitrate of at most 999.999k",
            ),
        ] {
            let refused = refused(nominal, data).unwrap();
            assert!(refused.contains(expected), "{refused}");
        }
    }
}
