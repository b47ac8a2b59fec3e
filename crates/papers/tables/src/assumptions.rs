//! Assumptions of a paper that a caller replaces: its board, its bit rates.

use waywarden_boards::Board;

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
        let rate = self.bit_rate.map(|rate| format!("--bitrate {rate}"));
        let data = self
            .data_bit_rate
            .map(|rate| format!("--data-bitrate {rate}"));
        let all = [board, rate, data].into_iter().flatten();
        all.collect::<Vec<_>>().join(" ")
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
