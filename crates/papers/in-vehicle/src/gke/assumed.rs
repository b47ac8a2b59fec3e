//! Frame times and bit rates: the paper's, and those that follow from other assumptions.

use super::data::Run;
use super::model::{FrameTimes, GkeBus};
use super::study::{GkeStudy, missing_frames, printed_time, run_frames};
use super::wire;
use waywarden_paper_tables::{Assumptions, PaperError, Unit};

/// Bit rate of the printed times of classic frames, in bit/s.
const STATED_RATE: u32 = 1_000_000;

/// Board of the paper that another one can take the place of: that of most claims on groups.
pub(super) const REPLACED: &str = "tc297";

impl GkeStudy {
    /// Replaces assumptions: the board stands for TC297, the bit rates for those of every bus.
    /// Frame times then follow from exact frames and driver calls.
    ///
    /// # Errors
    /// [`PaperError::BitRate`] and [`PaperError::SlowData`] for bit rates that no bus has, others
    /// if the built-in data are at fault.
    pub fn assuming(mut self, assumed: &Assumptions) -> Result<Self, PaperError> {
        if assumed.is_empty() {
            return Ok(self);
        }
        let fitted = self.data.run.iter().map(|run| {
            let rates = self.wire_times(run)?.rates;
            Ok::<_, PaperError>((run_frames(run)?, rates))
        });
        self.fitted_rates = fitted.collect::<Result<_, _>>()?;
        let nominal = self.fitted_rates.iter().map(|(_, rates)| rates.0).max();
        assumed.on_can("gke", nominal.unwrap_or_default())?;
        if let Some(board) = &assumed.board {
            self.boards.insert(REPLACED.to_owned(), board.clone());
            self.is_replaced = true;
        }
        self.bit_rates = [assumed.bit_rate, assumed.data_bit_rate];
        Ok(self)
    }

    /// Returns the bit rate that replaces a printed one of a classic bus.
    pub(super) const fn classic_rate(&self) -> Option<u32> {
        self.bit_rates[0]
    }

    /// Replaces bit rates of CAN FD, as far as they are assumed otherwise.
    pub(super) fn fd_rates(&self, (nominal, data): (u32, u32)) -> (u32, u32) {
        let [own_nominal, own_data] = self.bit_rates;
        (own_nominal.unwrap_or(nominal), own_data.unwrap_or(data))
    }

    /// Returns T_snd32 and T_snd64: as printed, or for other bit rates and boards.
    ///
    /// # Errors
    /// [`PaperError::Missing`] for a board the paper has none for.
    pub fn frame_times(&self, board: &str, bus: GkeBus) -> Result<FrameTimes, PaperError> {
        let printed = self.printed_frame_times(board, bus)?;
        let is_other = self.is_replaced && board == REPLACED;
        match bus {
            GkeBus::Can => match self.classic_rate() {
                Some(rate) => Ok(printed.at(u64::from(STATED_RATE), u64::from(rate))),
                None => Ok(printed),
            },
            GkeBus::CanFd if is_other || self.bit_rates != [None; 2] => {
                let rates = self.fd_rates(self.rates(&printed)?);
                let frames = wire::fd(rates).ok_or_else(|| missing_frames("these bit rates"))?;
                let driver = self.driver(&[board.to_owned(), board.to_owned()])?;
                Ok(FrameTimes {
                    snd32: frames[0] + driver,
                    snd64: frames[1] + driver,
                })
            }
            GkeBus::CanFd => Ok(printed),
        }
    }

    /// Returns T_snd32 and T_snd64 as printed.
    pub(super) fn printed_frame_times(
        &self,
        board: &str,
        bus: GkeBus,
    ) -> Result<FrameTimes, PaperError> {
        let mut rows = self.data.frame_times.iter();
        let row = rows.find(|row| row.bus == bus && row.boards.iter().any(|name| name == board));
        let row = row.ok_or_else(|| PaperError::Missing {
            key: "gke",
            what: format!("frame times of {board} on {bus}"),
        })?;
        Ok(FrameTimes {
            snd32: printed_time(&row.snd32, Unit::Microseconds),
            snd64: printed_time(&row.snd64, Unit::Microseconds),
        })
    }

    /// Returns the bit rates that a run's frame times fit best, and exact frame times there.
    pub(super) fn wire_times(&self, run: &Run) -> Result<wire::FdTimes, PaperError> {
        let frames = run_frames(run)?;
        wire::nearest_fd([frames.snd32, frames.snd64], self.driver(&run.boards)?)
            .ok_or_else(|| missing_frames("CAN FD"))
    }

    /// Returns the bit rates of the run that has these frame times.
    pub(super) fn rates(&self, times: &FrameTimes) -> Result<(u32, u32), PaperError> {
        if let Some((_, rates)) = self.fitted_rates.iter().find(|(own, _)| own == times) {
            return Ok(*rates);
        }
        for run in &self.data.run {
            if run_frames(run)? == *times {
                return Ok(self.wire_times(run)?.rates);
            }
        }
        Err(missing_frames("a bus with such frame times"))
    }
}
