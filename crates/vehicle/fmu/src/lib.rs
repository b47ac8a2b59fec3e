//! The buses of a vehicle file as a bus simulation of FMI-LS-BUS 1.0 [FMI-LS-BUS].
//!
//! Nodes of other people's simulations are mailboxes of a [`LiveNetwork`], beside the ECUs and
//! attackers of the file. Nothing here knows FMI's C functions: `bindings/fmi` has them, and
//! `waywarden fmu` writes the unit. Read [FMI-LS-BUS §4] first.
//!
//! [`LiveNetwork`]: waywarden_can_sim::live::LiveNetwork
#![forbid(unsafe_code)]

pub mod description;
pub mod operation;
pub mod terminals;
pub mod unit;
pub mod variables;

pub use operation::Operation;
pub use terminals::{Choices, Terminals};
pub use unit::{Interval, Reached, Unit, UnitError};
