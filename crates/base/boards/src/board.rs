//! A board: its characteristics and its figures, and the cost of an operation on it.

use std::collections::BTreeMap;

use thiserror::Error;
use waywarden_work::{Algorithm, Duration, Operation, OperationKind};

use crate::{BoardFigure, BoardSecurityModule, Cost, Provenance};

/// A kind of ECU hardware, with the costs of operations on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) characteristics: Characteristics,
    /// Figures for one message length come before those for any.
    pub(crate) figures: BTreeMap<(OperationKind, Algorithm), Vec<BoardFigure>>,
    pub(crate) fallback: Option<BoardFigure>,
    pub(crate) security_module: Option<BoardSecurityModule>,
    /// True if cryptography is computed on the module as far as that offers it.
    pub(crate) uses_module: bool,
    pub(crate) stated: Vec<Stated>,
}

/// Hardware of a board. `None` where the source does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Characteristics {
    /// Processor architecture, in the source's words.
    pub architecture: String,
    /// Cores that run tasks; at least 1.
    pub cores: u32,
    /// Clock that the figures in cycles are counted at, in hertz.
    pub clock_hz: u64,
    /// Program memory in bytes.
    pub flash_bytes: Option<u64>,
    /// Working memory in bytes.
    pub ram_bytes: Option<u64>,
    /// Data flash or EEPROM in bytes.
    pub eeprom_bytes: Option<u64>,
    /// True if the CAN controller supports CAN FD.
    pub can_fd: Option<bool>,
    /// Source of these figures.
    pub provenance: Provenance,
    /// Remarks for the reader.
    pub note: Option<String>,
}

/// A number a source states about the board that is no operation's cost: a protocol's total, a
/// step of a protocol run, an overhead in per cent.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// Key in BIBLIOGRAPHY.toml.
    pub key: String,
    /// Table, figure or section.
    pub place: String,
    /// Row of the table.
    pub item: String,
    /// Column, where the table has more than one for this board.
    pub column: Option<String>,
    /// The number as printed.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// Remarks for the reader.
    pub note: Option<String>,
}

/// A board has no security module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "board `{board}` has no security module; add a [security_module] to the board's file, or \
     choose one of: {known}",
    known = with_module().join(", ")
)]
pub struct NoModule {
    /// The board.
    pub board: String,
}

fn with_module() -> Vec<&'static str> {
    let all = Board::builtin_names();
    let has = |name: &&str| Board::builtin(name).is_some_and(|one| one.security_module.is_some());
    all.filter(has).collect()
}

/// A board has no figure for an operation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "board `{board}` has no figure for {kind} with {algorithm} over {bytes} bytes{others}; \
     add one to the board's file:\n  [[figure]]\n  operation = \"{kind}\"\n  \
     algorithm = \"{algorithm}\"\n  duration = \"... us\"   # or cycles = ...\n  \
     assumed = \"...\"        # or paper, measured, scaled",
    kind = .operation.kind, algorithm = .operation.algorithm, bytes = .operation.bytes,
    others = OtherLengths(.lengths))]
pub struct NoFigure {
    /// The board.
    pub board: String,
    /// The operation.
    pub operation: Operation,
    /// Message lengths in bytes for which the board does have a figure.
    pub lengths: Vec<u32>,
}

/// Prints the lengths there are figures for, if any.
struct OtherLengths<'a>(&'a [u32]);

impl std::fmt::Display for OtherLengths<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some((first, rest)) = self.0.split_first() else {
            return Ok(());
        };
        write!(f, " (it has one for {first}")?;
        rest.iter().try_for_each(|length| write!(f, ", {length}"))?;
        f.write_str(" bytes only)")
    }
}

impl Board {
    /// Returns the name vehicle files use.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the board's full name.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the characteristics of the hardware.
    #[must_use]
    pub const fn characteristics(&self) -> &Characteristics {
        &self.characteristics
    }

    /// Returns the cost of `operation` on one core of this board.
    ///
    /// A figure for exactly this message length goes before one for any length, and the board
    /// file's own figures go before those scaled from a base table.
    ///
    /// # Errors
    /// [`NoFigure`] if there is none at all.
    pub fn cost(&self, operation: &Operation) -> Result<Cost<'_>, NoFigure> {
        let figures = self.figures_of(operation.kind, operation.algorithm);
        let fits =
            |figure: &&BoardFigure| figure.bytes.is_none_or(|bytes| bytes == operation.bytes);
        match figures.iter().find(fits).or(self.fallback.as_ref()) {
            Some(figure) => Ok(Cost {
                duration: figure.amount.duration(operation.bytes),
                provenance: &figure.provenance,
            }),
            None => Err(NoFigure {
                board: self.name.clone(),
                operation: *operation,
                lengths: figures.iter().filter_map(|figure| figure.bytes).collect(),
            }),
        }
    }

    /// Returns its hardware security module, if it has one.
    #[must_use]
    pub const fn security_module(&self) -> Option<&BoardSecurityModule> {
        self.security_module.as_ref()
    }

    /// Returns the same board with cryptography on its security module.
    ///
    /// # Errors
    /// [`NoModule`] if it has none.
    pub fn with_module_in_use(mut self) -> Result<Board, NoModule> {
        if self.security_module.is_none() {
            return Err(NoModule { board: self.name });
        }
        self.uses_module = true;
        Ok(self)
    }

    /// Returns the security module if cryptography is computed on it.
    #[must_use]
    pub fn module_in_use(&self) -> Option<&BoardSecurityModule> {
        self.security_module.as_ref().filter(|_| self.uses_module)
    }

    /// Returns how long the security module computes at `operation`; `None` if a core does it,
    /// because no module is in use or it does not offer that operation.
    #[must_use]
    pub fn module_cost(&self, operation: &Operation) -> Option<Cost<'_>> {
        self.module_in_use()?.cost(operation)
    }

    /// Returns how long it takes until the result of `operation` is there while nothing else is
    /// computed: on a core, or with a call of the security module in use and its computing.
    ///
    /// # Errors
    /// [`NoFigure`] if there is no figure for it, or none for the call.
    pub fn response(&self, operation: &Operation) -> Result<Duration, NoFigure> {
        match self.module_cost(operation) {
            None => Ok(self.cost(operation)?.duration),
            Some(computing) => {
                let call = self.cost(&BoardSecurityModule::call(operation))?;
                Ok(call.duration + computing.duration)
            }
        }
    }

    /// Returns every figure with its operation, by kind and algorithm.
    pub fn figures(&self) -> impl Iterator<Item = (OperationKind, Algorithm, &BoardFigure)> {
        let pairs = self.figures.iter();
        pairs.flat_map(|(&(kind, algorithm), figures)| {
            figures.iter().map(move |figure| (kind, algorithm, figure))
        })
    }

    /// Returns the figures for one kind and algorithm, those for one message length first.
    #[must_use]
    pub fn figures_of(&self, kind: OperationKind, algorithm: Algorithm) -> &[BoardFigure] {
        self.figures
            .get(&(kind, algorithm))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the cost of operations without a figure of their own, if the board states one.
    #[must_use]
    pub const fn fallback(&self) -> Option<&BoardFigure> {
        self.fallback.as_ref()
    }

    /// Returns the numbers that sources state about the board besides operation costs.
    #[must_use]
    pub fn stated(&self) -> &[Stated] {
        &self.stated
    }
}
