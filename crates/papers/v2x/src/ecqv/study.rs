//! The study: the paper's data and boards, and its cells in their order.

use super::claims_data::Claims;
use super::data::Data;
use super::machine::Machine;
use super::quantity::EcqvMeasured;
use super::text_data::TextData;
use super::traffic_data::TrafficData;
use waywarden_paper_tables::{Cell, PaperError};

/// The paper's data and the boards.
#[derive(Clone, Debug)]
pub struct EcqvStudy {
    pub(super) data: Data,
    pub(super) traffic: TrafficData,
    pub(super) text: TextData,
    pub(super) claims: Claims,
    /// The paper's boards, in its order.
    pub(super) boards: Vec<Machine>,
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
            data,
        })
    }

    /// Returns every cell. Those of the machine at hand are there only if it was measured.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn cells(&self, measured: &EcqvMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        let host = Machine::of_host(measured);
        let machines: Vec<&Machine> = self.boards.iter().chain(&host).collect();
        let mut cells = Vec::new();
        self.hardware(&mut cells, host.as_ref())?;
        self.table_1(&mut cells)?;
        self.cores(&mut cells);
        self.scenarios(&mut cells);
        self.table_2(&mut cells)?;
        self.table_3(&mut cells)?;
        self.traffic(&mut cells, host.as_ref())?;
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
