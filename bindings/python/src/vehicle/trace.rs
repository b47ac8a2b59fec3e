//! The trace of a run as a table: the fields of `waywarden run --trace`, under the same names.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use serde_json::{Map, Value};
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_report::lines::TraceLines;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};

use crate::arrow::Table;
use crate::error::Failure;

/// Rows of a batch.
const BATCH: usize = 1 << 16;

/// Columns of text, in order behind `t`.
const TEXTS: [&str; 7] = ["event", "bus", "ecu", "frame", "kind", "by", "text"];

/// Gathers the trace in columns.
pub(super) struct TraceTable {
    lines: TraceLines,
    line: Vec<u8>,
    times: Float64Builder,
    serials: UInt64Builder,
    texts: [StringBuilder; TEXTS.len()],
    details: StringBuilder,
    rows: usize,
    schema: Arc<Schema>,
    batches: Vec<RecordBatch>,
    fault: Option<String>,
}

impl TraceTable {
    pub(super) fn new(lines: TraceLines) -> Self {
        let mut fields = vec![Field::new("t", DataType::Float64, false)];
        fields.extend(TEXTS.map(|name| Field::new(name, DataType::Utf8, true)));
        fields.push(Field::new("serial", DataType::UInt64, true));
        fields.push(Field::new("details", DataType::Utf8, true));
        TraceTable {
            lines,
            line: Vec::new(),
            times: Float64Builder::new(),
            serials: UInt64Builder::new(),
            texts: std::array::from_fn(|_| StringBuilder::new()),
            details: StringBuilder::new(),
            rows: 0,
            schema: Arc::new(Schema::new(fields)),
            batches: Vec::new(),
            fault: None,
        }
    }

    pub(super) fn finish(mut self) -> PyResult<Table> {
        self.flush();
        match self.fault {
            Some(fault) => Err(Failure::new("SimulationError", fault).into()),
            None => Ok(Table::new(self.schema, self.batches)),
        }
    }

    fn add(&mut self, mut fields: Map<String, Value>) {
        let time = fields.remove("t").and_then(|time| time.as_f64());
        self.times.append_value(time.unwrap_or(f64::NAN));
        let serial = fields.remove("serial");
        self.serials
            .append_option(serial.and_then(|value| value.as_u64()));
        for (name, column) in TEXTS.iter().zip(&mut self.texts) {
            match fields.remove(*name) {
                Some(Value::String(text)) => column.append_value(text),
                Some(other) => column.append_value(other.to_string()),
                None => column.append_null(),
            }
        }
        let details = (!fields.is_empty()).then(|| Value::Object(fields).to_string());
        self.details.append_option(details);
        self.rows += 1;
        if self.rows == BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.times.finish())];
        for text in &mut self.texts {
            columns.push(Arc::new(text.finish()));
        }
        columns.push(Arc::new(self.serials.finish()));
        columns.push(Arc::new(self.details.finish()));
        if self.rows > 0 {
            match RecordBatch::try_new(Arc::clone(&self.schema), columns) {
                Ok(batch) => self.batches.push(batch),
                Err(error) => self.fault = Some(error.to_string()),
            }
        }
        self.rows = 0;
    }
}

impl TraceSink for TraceTable {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        if self.fault.is_some() {
            return;
        }
        self.line.clear();
        self.lines.append(&mut self.line, at, event);
        if self.line.is_empty() {
            return;
        }
        match serde_json::from_slice(&self.line) {
            Ok(fields) => self.add(fields),
            Err(error) => self.fault = Some(error.to_string()),
        }
    }
}
