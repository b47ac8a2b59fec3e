//! Columns of numbers as arrays of numpy: one copy, no object for each value.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// Returns numpy's name of the type and the bytes of a column; none of one that is no numbers, or
/// has rows without a value.
pub(super) fn bytes<'a>(
    arrays: impl Iterator<Item = &'a ArrayRef>,
    kind: &DataType,
    rows: usize,
) -> Option<(&'static str, Vec<u8>)> {
    match kind {
        DataType::Boolean => booleans(arrays, rows).map(|bytes| ("bool", bytes)),
        DataType::UInt8 => whole::<UInt8Type>(arrays, rows).map(|bytes| ("u1", bytes)),
        DataType::UInt16 => whole::<UInt16Type>(arrays, rows).map(|bytes| ("u2", bytes)),
        DataType::UInt32 => whole::<UInt32Type>(arrays, rows).map(|bytes| ("u4", bytes)),
        DataType::UInt64 => whole::<UInt64Type>(arrays, rows).map(|bytes| ("u8", bytes)),
        DataType::Int64 => whole::<Int64Type>(arrays, rows).map(|bytes| ("i8", bytes)),
        DataType::Float64 => whole::<Float64Type>(arrays, rows).map(|bytes| ("f8", bytes)),
        _ => None,
    }
}

/// Returns a numpy array over these bytes.
pub(super) fn array<'py>(
    numpy: &Bound<'py, PyModule>,
    kind: &str,
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    // A bytearray, as a frame over immutable bytes could not be written to.
    let bytes = PyByteArray::new(numpy.py(), bytes);
    numpy.call_method1("frombuffer", (bytes, kind))
}

fn whole<'a, T: ArrowPrimitiveType>(
    arrays: impl Iterator<Item = &'a ArrayRef>,
    rows: usize,
) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(rows * size_of::<T::Native>());
    for array in arrays {
        if array.null_count() > 0 {
            return None;
        }
        bytes.extend_from_slice(array.as_primitive::<T>().values().inner().as_slice());
    }
    Some(bytes)
}

fn booleans<'a>(arrays: impl Iterator<Item = &'a ArrayRef>, rows: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(rows);
    for array in arrays {
        if array.null_count() > 0 {
            return None;
        }
        bytes.extend(array.as_boolean().values().iter().map(u8::from));
    }
    Some(bytes)
}
