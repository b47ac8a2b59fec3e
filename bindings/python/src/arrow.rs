//! Class `Table`: rows by column, handed to other libraries by the Arrow C data interface.

mod frame;
mod html;
mod json;
mod stream;
mod values;

use arrow_array::RecordBatch;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

pub(crate) use stream::capsule;

use crate::error::{Failure, excerpt, missing};
use waywarden_documents::table::Table as Rows;

/// A table by column.
///
/// Polars, pandas 3 with pyarrow, DuckDB and pyarrow take it as it is, by the Arrow C stream
/// interface and without a copy: ``polars.DataFrame(table)``. `to_pandas` and `to_dict` need no
/// pyarrow. Tables are immutable.
#[pyclass(module = "waywarden.can", frozen)]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    rows: usize,
}

impl Table {
    /// Takes batches of one schema.
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        Table {
            schema,
            batches,
            rows,
        }
    }

    fn index(&self, name: &str) -> PyResult<usize> {
        self.schema.index_of(name).map_err(|_| {
            let names = self.column_names().join(", ");
            missing(
                format_args!("no column {}", excerpt(name)),
                "this table",
                &names,
            )
        })
    }

    /// Returns the table as a notebook shows it.
    pub(crate) fn html(&self, py: Python<'_>) -> PyResult<String> {
        html::table(py, &self.schema, &self.batches, self.rows)
    }

    fn list<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for batch in &self.batches {
            values::append(&list, batch.column(index))?;
            py.check_signals()?;
        }
        Ok(list)
    }
}

#[pymethods]
impl Table {
    /// Names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// Types of the columns by name, in Arrow's words, such as ``uint64``, ``utf8`` or ``double``.
    #[getter]
    fn column_types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for field in self.schema.fields() {
            types.set_item(field.name(), type_name(field.data_type()))?;
        }
        Ok(types)
    }

    /// Returns the values of a column, None where a row has no value.
    ///
    /// Raises
    /// ------
    /// MissingError
    ///     For a name that is no column.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        self.list(py, self.index(name)?)
    }

    /// Returns all columns: a dict of lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (index, field) in self.schema.fields().iter().enumerate() {
            columns.set_item(field.name(), self.list(py, index)?)?;
        }
        Ok(columns)
    }

    /// Returns a ``pandas.DataFrame``; pandas is imported here, and pyarrow is not needed.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let pandas = library(py, "pandas")?;
        let numpy = py.import("numpy")?;
        let columns = PyDict::new(py);
        for (index, field) in self.schema.fields().iter().enumerate() {
            let arrays = self.batches.iter().map(|batch| batch.column(index));
            let values = match frame::bytes(arrays, field.data_type(), self.rows) {
                Some((kind, bytes)) => frame::array(&numpy, kind, &bytes)?,
                None => self.list(py, index)?.into_any(),
            };
            columns.set_item(field.name(), values)?;
        }
        pandas.call_method1("DataFrame", (columns,))
    }

    /// Returns a ``polars.DataFrame``; polars is imported here.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        library(slf.py(), "polars")?.call_method1("DataFrame", (slf,))
    }

    /// The Arrow C stream interface, for libraries that read tables by it. The table has one form:
    /// a requested schema is not looked at.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        capsule(py, self.schema.clone(), Box::new(batches))
    }

    /// The Arrow C schema interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(fault)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __len__(&self) -> usize {
        self.rows
    }

    fn __repr__(&self) -> String {
        let names = self.column_names().join(", ");
        format!("Table({} rows: {names})", self.rows)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        self.html(py)
    }
}

/// Imports a library that this package does without.
fn library<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).inspect_err(|error| {
        let remedy = format!("install it (pip install {name}), or use Table.to_dict()");
        // Exceptions have no notes in Python 3.10, where the error stands alone.
        let _ = error.value(py).call_method1("add_note", (remedy,));
    })
}

/// Makes a table of rows of a report.
pub(crate) fn table(rows: serde_json::Result<Rows>) -> PyResult<Table> {
    let rows = rows.map_err(|error| Failure::new("Error", error))?;
    json::of_rows(&rows).map_err(fault)
}

/// The error of a table that cannot be made; its columns would be at odds.
fn fault(error: ArrowError) -> PyErr {
    Failure::new("Error", error).into()
}

fn type_name(kind: &DataType) -> String {
    match kind {
        DataType::List(field) => format!("list<{}>", type_name(field.data_type())),
        DataType::Float64 => "double".to_owned(),
        DataType::Boolean => "bool".to_owned(),
        other => format!("{other}").to_ascii_lowercase(),
    }
}
