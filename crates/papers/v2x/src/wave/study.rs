//! The study: the paper's data and boards, and its cells in their order.

use waywarden_boards::Board;
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::data::{Column, Data, KEY};
use super::ours;
use super::quantity::WaveMeasured;
use waywarden_paper_tables::{Amount, Assumptions, Cell, CellRun, Class, PaperError, Unit};

/// The paper's data and the boards.
#[derive(Clone, Debug)]
pub struct WaveStudy {
    pub(super) data: Data,
    /// The paper's computers, in its order.
    pub(super) machines: Vec<Machine>,
    /// Name of another board beside them, and its times on P-256.
    pub(super) other: Option<(String, Times)>,
}

/// A computer of the paper's by its times, in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) column: Column,
    pub(super) p256: Times,
    pub(super) p224: Times,
    /// Of a CAM in the security service.
    pub(super) service: Times,
}

/// Times to sign and to verify, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) sign: f64,
    pub(super) verify: f64,
    pub(super) class: Class,
}

impl WaveStudy {
    /// Reads the data and the boards.
    ///
    /// # Errors
    /// [`PaperError::Data`], [`PaperError::Board`], [`PaperError::Missing`] and
    /// [`PaperError::NoFigure`] if the built-in files are at fault.
    pub fn load() -> Result<Self, PaperError> {
        let data = Data::load()?;
        let machines = data.board.iter().map(Machine::of);
        Ok(WaveStudy {
            machines: machines.collect::<Result<_, _>>()?,
            other: None,
            data,
        })
    }

    /// Replaces assumptions: sets a board beside the paper's two computers.
    ///
    /// # Errors
    /// [`PaperError::NotAssumed`] for bit rates, [`PaperError::NoFigure`] for a board without
    /// P-256.
    pub fn assuming(mut self, assumed: &Assumptions) -> Result<Self, PaperError> {
        assumed.without_bit_rate(KEY, "its numbers are times of computers, and no channel's")?;
        assumed.without_data_bit_rate(KEY)?;
        if let Some(board) = &assumed.board {
            self.other = Some((board.name().to_owned(), alone(board, Algorithm::P256)?));
        }
        Ok(self)
    }

    /// Returns the board's figure that a time of Table 2 is; none for another number.
    #[must_use]
    pub fn run_of(&self, name: &str) -> Option<CellRun> {
        let mut machines = self.machines.iter();
        machines.find_map(|machine| {
            let column = &machine.column;
            let rest = name.strip_prefix(&format!("{}, ", column.name))?;
            let (curve, what) = rest.split_once(", ")?;
            let algorithm = match curve {
                "P-256" => Algorithm::P256,
                "P-224" => Algorithm::P224,
                _ => return None,
            };
            let kind = match what {
                "sign" => OperationKind::Sign,
                "verify" => OperationKind::Verify,
                _ => return None,
            };
            Some(CellRun::figure(
                &column.board,
                kind.name(),
                algorithm.name(),
                0.001,
            ))
        })
    }

    /// Returns every cell. Those of the machine at hand are there only if it was measured.
    #[must_use]
    pub fn cells(&self, measured: &WaveMeasured<'_>) -> Vec<Cell> {
        let mut cells = vec![self.caption()];
        cells.extend(self.data.curve.iter().map(Self::curve));
        cells.extend(self.certificates());
        cells.extend(self.machines.iter().flat_map(Machine::table_2));
        let rate = f64::from(self.data.method.rate_hz);
        let served = self.machines.iter();
        cells.extend(served.flat_map(|machine| machine.section_5(rate)));
        cells.extend(self.named_figure());
        cells.extend(self.other_board(rate));
        cells.extend(ours::host(measured, rate));
        cells
    }
}

impl Machine {
    fn of(column: &Column) -> Result<Self, PaperError> {
        let board = Board::builtin(&column.board).ok_or_else(|| PaperError::Board {
            key: KEY,
            board: column.board.clone(),
        })?;
        Ok(Machine {
            column: column.clone(),
            p256: alone(&board, Algorithm::P256)?,
            p224: alone(&board, Algorithm::P224)?,
            service: Times {
                sign: stated(&board, "sign a CAM")?,
                verify: stated(&board, "verify a CAM")?,
                class: Class::Input,
            },
        })
    }
}

/// The figures of a board: OpenSSL alone.
fn alone(board: &Board, algorithm: Algorithm) -> Result<Times, PaperError> {
    let sign = board.cost(&Operation::new(OperationKind::Sign, algorithm, 0))?;
    let verify = board.cost(&Operation::new(OperationKind::Verify, algorithm, 0))?;
    let millis = |time| Amount::Time(time).in_unit(Unit::Milliseconds);
    Ok(Times {
        sign: millis(sign.duration),
        verify: millis(verify.duration),
        class: Class::of_figure(sign.provenance, KEY),
    })
}

/// Returns another figure that the paper states of a board.
fn stated(board: &Board, item: &str) -> Result<f64, PaperError> {
    let mut own = board.stated().iter();
    let stated = own.find(|one| one.key.eq_ignore_ascii_case(KEY) && one.item == item);
    let missing = || PaperError::Missing {
        key: KEY,
        what: format!("{item} on {}", board.name()),
    };
    Ok(stated.ok_or_else(missing)?.value)
}
