//! Vehicle files of DBC files: one bus, an ECU a node, a stream a message.
//!
//! The matrix itself, and how it is read, is in `waywarden-can-dbc`, all of which stands here
//! too. [`mod@crate::matrix`] writes the vehicle files of all formats.

#[cfg(test)]
mod tests;

pub use waywarden_can_dbc::{
    DbcError, DbcMessage, LENGTH_MAX, Matrix, MessageFormat, NotUnderstood, ReadOptions, SendType,
    SkippedStatement, TEXT_MAX, UNDERSTOOD, decode, import, import_with,
};

pub use crate::matrix::{BIT_RATE, DATA_BIT_RATE, DbcOptions};

/// Returns a vehicle file with the matrix of a DBC file on one bus: see
/// [`crate::matrix::to_vehicle_toml`].
#[must_use]
pub fn to_vehicle_toml(matrix: &Matrix, options: &DbcOptions) -> String {
    crate::matrix::to_vehicle_toml(&matrix.clone().into(), options)
}
