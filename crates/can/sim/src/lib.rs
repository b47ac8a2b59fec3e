//! A deterministic simulator of vehicles on exact CAN and CAN FD buses.
//!
//! Give it buses, ECUs with boards and nodes, and a seed ([`config::Config`]); run it
//! ([`Simulation`]); read what happened ([`trace::TraceEvent`]). The same configuration and
//! seed give the same trace, byte by byte. Nothing here opens a file or reads a clock.
#![forbid(unsafe_code)]

pub mod bitwise;
pub mod clock;
pub mod config;
pub mod confinement;
pub mod controller;
pub mod cpu;
pub mod engine;
pub mod interferer;
pub mod json;
pub mod live;
pub mod observed;
pub use waywarden_random as random;
pub mod remarks;
mod simulation;
pub mod trace;

pub use config::Config;
pub use engine::SimulationError;
pub use simulation::{MembershipError, Simulation};
