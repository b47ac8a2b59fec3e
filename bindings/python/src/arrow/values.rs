//! Values of columns as Python objects.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Float64Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

/// Appends the values of an array to a list.
pub(super) fn append(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    match array.data_type() {
        DataType::Boolean => {
            for value in array.as_boolean() {
                list.append(value)?;
            }
            Ok(())
        }
        DataType::UInt8 => numbers::<UInt8Type>(list, array),
        DataType::UInt16 => numbers::<UInt16Type>(list, array),
        DataType::UInt32 => numbers::<UInt32Type>(list, array),
        DataType::UInt64 => numbers::<UInt64Type>(list, array),
        DataType::Int64 => numbers::<Int64Type>(list, array),
        DataType::Float64 => numbers::<Float64Type>(list, array),
        DataType::Utf8 => texts(list, array),
        DataType::Binary => {
            for value in array.as_binary::<i32>() {
                list.append(value.map(|bytes| PyBytes::new(list.py(), bytes)))?;
            }
            Ok(())
        }
        DataType::List(_) => lists(list, array),
        other => Err(PyTypeError::new_err(format!(
            "a column of type {other} has no form in Python; read it by Arrow"
        ))),
    }
}

fn numbers<T: ArrowPrimitiveType>(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()>
where
    for<'py> T::Native: IntoPyObject<'py>,
    for<'py> PyErr: From<<T::Native as IntoPyObject<'py>>::Error>,
{
    for value in array.as_primitive::<T>() {
        list.append(value)?;
    }
    Ok(())
}

/// Appends texts. Long runs of one text are common: they are one object.
fn texts(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    let mut latest: Option<(&str, Bound<'_, PyString>)> = None;
    for value in array.as_string::<i32>() {
        let Some(text) = value else {
            list.append(list.py().None())?;
            continue;
        };
        match &latest {
            Some((own, object)) if *own == text => list.append(object)?,
            _ => {
                let object = PyString::new(list.py(), text);
                list.append(&object)?;
                latest = Some((text, object));
            }
        }
    }
    Ok(())
}

fn lists(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    let array = array.as_list::<i32>();
    for row in 0..array.len() {
        if array.is_null(row) {
            list.append(list.py().None())?;
            continue;
        }
        let inner = PyList::empty(list.py());
        append(&inner, &array.value(row))?;
        list.append(inner)?;
    }
    Ok(())
}
