//! The study: the paper's data and boards, and its cells in their order.

use super::claims_data::Claims;
use super::data::{Data, KEY};
use super::machine::Machine;
use super::quantity::{EcqvMeasured, OPERATIONS};
use super::text_data::TextData;
use super::traffic_data::TrafficData;
use waywarden_paper_tables::{Assumptions, Cell, CellRun, PaperError, written};
use waywarden_work::Algorithm;

/// The paper's data and the boards.
#[derive(Clone, Debug)]
pub struct EcqvStudy {
    pub(super) data: Data,
    pub(super) traffic: TrafficData,
    pub(super) text: TextData,
    pub(super) claims: Claims,
    /// The paper's boards, in its order.
    pub(super) boards: Vec<Machine>,
    /// Another board beside them.
    pub(super) other: Option<Machine>,
}

impl EcqvStudy {
    /// Reads the data and the boards.
    ///
    /// # Errors
    /// [`PaperError::Data`], [`PaperError::Board`] and [`PaperError::NoFigure`] if the built-in
    /// files are at fault.
    pub fn load() -> Result<Self, PaperError> {
        let data = Data::load()?;
        let boards = data.board.iter().map(Machine::of_board);
        Ok(EcqvStudy {
            boards: boards.collect::<Result<_, _>>()?,
            traffic: TrafficData::load()?,
            text: TextData::load()?,
            claims: Claims::load()?,
            other: None,
            data,
        })
    }

    /// Replaces assumptions: sets a board beside the paper's six, and the channel's bit rate.
    ///
    /// # Errors
    /// [`PaperError::NotAssumed`] for a data bit rate, [`PaperError::BitRate`] for a bit rate that
    /// is no whole Mbit/s, [`PaperError::NoFigure`] for a board without P-256,
    /// [`PaperError::NoTime`] for one on which an operation takes no time.
    pub fn assuming(mut self, assumed: &Assumptions) -> Result<Self, PaperError> {
        const MEGABIT: u32 = 1_000_000;
        assumed.without_data_bit_rate(KEY)?;
        if let Some(board) = &assumed.board {
            let other = Machine::of_any_board(board, board.name())?;
            if let Some(kind) = other.without_time() {
                return Err(PaperError::NoTime {
                    key: KEY,
                    assumed: format!("--board {}", board.name()),
                    what: format!("{kind} with {}", Algorithm::P256),
                    such_as: "m4",
                });
            }
            self.other = Some(other);
        }
        if let Some(rate) = assumed.bit_rate {
            if rate % MEGABIT != 0 || rate == 0 {
                return Err(PaperError::BitRate {
                    key: KEY,
                    option: "--bitrate",
                    rate: written(rate),
                    medium: "the channel of section V-D",
                    range: "whole Mbit/s, such as 6M or 12M".to_owned(),
                });
            }
            self.text.messages.megabits = rate / MEGABIT;
        }
        Ok(self)
    }

    /// Returns the board's figure that a cell of Table I is; none for a number of another table.
    #[must_use]
    pub fn run_of(&self, place: &str, name: &str) -> Option<CellRun> {
        let (row, board) = name.split_once(", ").filter(|_| place == "Table I")?;
        let (kind, _) = OPERATIONS.iter().find(|(_, name)| *name == row)?;
        let column = self.data.board.iter().find(|column| column.name == board)?;
        let (operation, algorithm) = (kind.name(), Algorithm::P256.name());
        Some(CellRun::figure(&column.board, operation, algorithm, 0.001))
    }

    /// Returns every cell. Those of the machine at hand are there only if it was measured.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn cells(&self, measured: &EcqvMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        let host = Machine::of_host(measured);
        let boards = self.boards.iter().chain(&self.other);
        let machines: Vec<&Machine> = boards.chain(&host).collect();
        let mut cells = Vec::new();
        self.hardware(&mut cells, host.as_ref())?;
        self.algorithms(&mut cells);
        self.table_1(&mut cells)?;
        self.cores(&mut cells);
        self.scenarios(&mut cells);
        self.table_2(&mut cells)?;
        self.table_3(&mut cells)?;
        let beside: Vec<&Machine> = self.other.iter().chain(&host).collect();
        self.traffic(&mut cells, &beside)?;
        self.ranges(&mut cells)?;
        self.limits(&mut cells)?;
        self.claims(&mut cells)?;
        self.certificates(&mut cells)?;
        self.encoded(&mut cells, measured);
        self.shares(&mut cells)?;
        Self::verification(&mut cells, &machines)?;
        Self::flow(&mut cells, &machines)?;
        self.by_scenario(&mut cells, &machines)?;
        if host.is_some() {
            self.beside(&mut cells, &machines)?;
        }
        Ok(cells)
    }
}
