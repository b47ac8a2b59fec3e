//! Costs of operations on boards, each with its source.
//!
//! A [`Board`] is read from a TOML file: its hardware, figures for operations (a time, or cycles,
//! fixed or growing with the message), each with its [`Provenance`], and optionally a base table to
//! scale everything else from. [`Board::cost`] answers the simulator's question; only an operation
//! without any figure is an error ([`NoFigure`]). A board may have a [`BoardSecurityModule`], which
//! computes beside its cores.
//!
//! The crate reads no files and no clock: built-in boards are compiled in, others come as text.
//! What an operation *is* belongs to `waywarden-work`; how busy a core gets, to the simulator.
//! How to write a board's file: docs/boards.md.
//!
//! ```
//! use waywarden_boards::Board;
//! use waywarden_work::{Algorithm, Operation, OperationKind};
//!
//! let board = Board::builtin("tc297").expect("a built-in board");
//! let cost = board.cost(&Operation::new(OperationKind::Share, Algorithm::FourQ, 0)).unwrap();
//! assert_eq!(cost.duration.to_string(), "1.920 ms");
//! assert_eq!(cost.provenance.to_string(), "paper [GKE] Table IV");
//! ```
#![forbid(unsafe_code)]

mod board;
mod builtin;
mod error;
mod figure;
mod file;
mod memory;
mod parse;
mod provenance;
mod quantity;
mod security_module;

/// The JSON Schema (draft 2020-12) of board files, for editors.
pub const SCHEMA: &str = include_str!("../schemas/board.json");

pub use board::{Board, Characteristics, NoFigure, NoModule, Stated};
pub use error::{BoardError, BoardErrorCause};
pub use figure::{BoardFigure, Cost, CostFormula};
pub use memory::{MemoryNeed, MemoryShortage, NeedKind};
pub use provenance::Provenance;
pub use security_module::{BoardSecurityModule, ModuleEngine};
