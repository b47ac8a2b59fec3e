//! Vehicle files of DBC files: one bus, an ECU a node, a stream a message.
//!
//! The matrix itself, and how it is read, is in `waywarden-can-dbc`, all of which stands here
//! too.

mod period;
mod write;

#[cfg(test)]
mod tests;

pub use waywarden_can_dbc::{
    DbcError, LENGTH_MAX, Matrix, Message, MessageFormat, NotUnderstood, ReadOptions, SendType,
    Skipped, TEXT_MAX, UNDERSTOOD, decode, import, import_with, observed_periods,
};
pub use write::{BIT_RATE, DATA_BIT_RATE, Options, to_vehicle_toml};
