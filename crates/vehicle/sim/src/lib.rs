//! From a vehicle file to a simulation: every ECU becomes a node on a board, every bus exact bits,
//! every attacker a node or a part of one.
//!
//! [`mod@lower`] makes the simulation; [`nodes`] are what its ECUs and attackers are made of, with
//! the [`programs`] that they run. What happens, the nodes report as facts of
//! [`waywarden_vehicle_trace`]; no node reads them, and none knows who does. [`log_keys`]
//! has the keys by which a log of it is checked.
#![forbid(unsafe_code)]

pub mod log_keys;
pub mod lower;
pub mod nodes;
pub mod programs;
