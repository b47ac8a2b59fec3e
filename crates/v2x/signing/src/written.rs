//! Values as bytes.

use alloc::vec;
use alloc::vec::Vec;

use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::coer::{CoerEncode, emit, length};

/// Returns a value, encoded.
///
/// # Errors
/// A value that the type does not have.
pub fn written<T: CoerEncode>(value: &T) -> Result<Vec<u8>, EmitError> {
    let mut buffer = vec![0; length(value)?];
    emit(value, &mut buffer)?;
    Ok(buffer)
}
