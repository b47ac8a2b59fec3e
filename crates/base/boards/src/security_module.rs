//! A hardware security module: a processor of its own beside a board's cores, with its own figures.

use std::collections::BTreeMap;

use waywarden_work::{Algorithm, Operation, OperationKind};

use crate::{BoardFigure, Cost, Provenance};

/// A processor on a board that computes with keys which its cores cannot read.
///
/// It has one or more engines that work side by side; each computes one command at a time. A
/// command that it has no figure for runs on a core.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardSecurityModule {
    pub(crate) name: String,
    pub(crate) architecture: String,
    pub(crate) clock_hz: u64,
    pub(crate) provenance: Provenance,
    pub(crate) note: Option<String>,
    /// None means one engine for everything.
    pub(crate) engines: Vec<ModuleEngine>,
    pub(crate) figures: BTreeMap<(OperationKind, Algorithm), BoardFigure>,
}

/// A part of a security module that computes beside the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleEngine {
    /// Its name in its maker's words, such as `PKA`.
    pub name: String,
    /// The algorithms it computes.
    pub algorithms: Vec<Algorithm>,
}

impl BoardSecurityModule {
    /// The most engines that a module may have.
    pub const ENGINES_MAX: usize = 4;

    /// Returns the work of a core for one command, as an operation that the board itself has a
    /// figure for: it hands in the command and fetches the result.
    #[must_use]
    pub const fn call(of: &Operation) -> Operation {
        Operation::new(
            OperationKind::ModuleCall,
            Algorithm::SecurityModule,
            of.bytes,
        )
    }

    /// Returns its name in its maker's words, such as `HSM`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its processor and accelerators, in the source's words.
    #[must_use]
    pub fn architecture(&self) -> &str {
        &self.architecture
    }

    /// Returns the clock, in hertz, at which its figures in cycles are counted.
    #[must_use]
    pub const fn clock_hz(&self) -> u64 {
        self.clock_hz
    }

    /// Returns the source of name, architecture and clock.
    #[must_use]
    pub const fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Returns remarks for the reader.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Returns its engines; none where one computes everything.
    #[must_use]
    pub fn engines(&self) -> &[ModuleEngine] {
        &self.engines
    }

    /// Returns which engine computes with an algorithm, counted from 0.
    #[must_use]
    pub fn engine(&self, algorithm: Algorithm) -> u8 {
        let has = |engine: &ModuleEngine| engine.algorithms.contains(&algorithm);
        // At most four.
        self.engines.iter().position(has).unwrap_or(0) as u8
    }

    /// Returns every figure with its operation, by kind and algorithm.
    pub fn figures(&self) -> impl Iterator<Item = (OperationKind, Algorithm, &BoardFigure)> {
        let pairs = self.figures.iter();
        pairs.map(|(&(kind, algorithm), figure)| (kind, algorithm, figure))
    }

    /// Returns how long the module computes at `operation`, the call of a core apart; `None` if it
    /// does not offer it.
    #[must_use]
    pub fn cost(&self, operation: &Operation) -> Option<Cost<'_>> {
        let figure = self.figures.get(&(operation.kind, operation.algorithm))?;
        Some(Cost {
            duration: figure.amount.duration(operation.bytes),
            provenance: &figure.provenance,
        })
    }
}
