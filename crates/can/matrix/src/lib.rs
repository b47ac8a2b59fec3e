//! Message matrices of vehicles: who sends which frame, how long it is, who hears it, how often,
//! and how it is protected.
//!
//! [`read`] takes an AUTOSAR system description (ARXML), a KCD file, a PEAK symbol file (SYM) or a
//! DBC file, tells them apart by their content, and returns one [`MessageMatrix`] for all of them.
//! `waywarden-vehicle-file` writes a vehicle file of it.
//!
//! A part that no bus can carry costs only itself: [`MessageMatrix::skipped`] lists such parts with
//! their lines. What a format states and the model does not hold is in the remarks.

#![forbid(unsafe_code)]

mod arxml;
mod dbc;
mod error;
mod format;
pub mod j1939;
mod kcd;
mod model;
mod number;
mod sym;
mod text;
mod xml;

pub use error::{MatrixError, SkippedPart};
pub use format::MatrixFormat;
pub use model::{
    AuthenticatorPlace, ByteOrder, Cluster, MatrixMessage, MatrixSignal, MessageKind,
    MessageMatrix, SecuredPdu, Selection,
};
pub use text::decode;
pub use waywarden_can_dbc::{LENGTH_MAX, MessageFormat, ReadOptions, Rewritten, SendType};

/// The longest file that is read, in bytes.
pub const TEXT_MAX: usize = 256 << 20;

/// Limit on the elements of an XML file that are kept.
pub const ELEMENTS_MAX: usize = 4_000_000;

/// Limit on the depth of elements within each other.
pub const DEPTH_MAX: usize = 128;

/// Reads a message matrix of any format.
///
/// # Errors
/// [`MatrixError`] for a file that is too long, of no known format, or not what its format demands.
pub fn read(bytes: &[u8], options: ReadOptions) -> Result<MessageMatrix, MatrixError> {
    if bytes.len() > TEXT_MAX {
        return Err(MatrixError::TooLong { found: bytes.len() });
    }
    let text = decode(bytes);
    match MatrixFormat::of_text(&text) {
        Some(MatrixFormat::Arxml) => arxml::read(&text),
        Some(MatrixFormat::Kcd) => kcd::read(&text),
        Some(MatrixFormat::Sym) => sym::read(&text),
        None if text.trim_start().starts_with('<') => Err(MatrixError::Format {
            root: text::excerpt(format::root_name(&text).unwrap_or_default()),
        }),
        Some(MatrixFormat::Dbc) | None => dbc::read(&text, options),
    }
}
