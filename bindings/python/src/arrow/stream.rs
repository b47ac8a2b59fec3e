//! Batches of rows as a C stream of Arrow.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Batches as they are asked for.
pub(crate) type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

struct Reader {
    schema: SchemaRef,
    batches: Batches,
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next()
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Returns a capsule with a stream of these batches.
pub(crate) fn capsule(
    py: Python<'_>,
    schema: SchemaRef,
    batches: Batches,
) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(Box::new(Reader { schema, batches }));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}
