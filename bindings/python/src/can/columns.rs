//! Records of a log as columns.

use std::sync::Arc;

use arrow_array::builder::{
    BinaryBuilder, BooleanBuilder, StringBuilder, UInt8Builder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use waywarden_can::{Format, Frame};
use waywarden_can_log::{Channels, Direction, LogEntry, Record};

/// Columns of truths, in order between `id` and `dlc`.
const TRUTHS: [&str; 6] = ["extended", "remote", "fd", "brs", "esi", "error"];

/// Gathers records.
pub(super) struct Columns {
    schema: SchemaRef,
    rows: usize,
    times: UInt64Builder,
    channels: StringBuilder,
    ids: UInt32Builder,
    truths: [BooleanBuilder; TRUTHS.len()],
    codes: UInt8Builder,
    data: BinaryBuilder,
    directions: StringBuilder,
}

/// Returns the columns of a log.
pub(super) fn schema() -> SchemaRef {
    let column = |name: &str, kind| Field::new(name, kind, false);
    let mut fields = vec![
        column("time_ns", DataType::UInt64),
        column("channel", DataType::Utf8),
        column("id", DataType::UInt32),
    ];
    fields.extend(TRUTHS.map(|name| column(name, DataType::Boolean)));
    fields.push(column("dlc", DataType::UInt8));
    fields.push(column("data", DataType::Binary));
    fields.push(Field::new("direction", DataType::Utf8, true));
    Arc::new(Schema::new(fields))
}

impl Columns {
    pub(super) fn new() -> Self {
        Columns {
            schema: schema(),
            rows: 0,
            times: UInt64Builder::new(),
            channels: StringBuilder::new(),
            ids: UInt32Builder::new(),
            truths: std::array::from_fn(|_| BooleanBuilder::new()),
            codes: UInt8Builder::new(),
            data: BinaryBuilder::new(),
            directions: StringBuilder::new(),
        }
    }

    /// Returns the number of records since the last batch.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a record, whose time counts from `start_ns` on.
    pub(super) fn add(&mut self, record: &Record, channels: &Channels, start_ns: u64) {
        self.rows += 1;
        self.times
            .append_value(record.at_ns.saturating_add(start_ns));
        self.channels.append_value(channels.name(record.channel));
        match &record.entry {
            LogEntry::Frame { frame, direction } => self.add_frame(frame, *direction),
            LogEntry::ErrorFrame(error) => {
                self.ids.append_value(error.class);
                self.add_truths([false, false, false, false, false, true]);
                self.codes.append_value(8);
                self.data.append_value(error.data);
                self.directions.append_null();
            }
        }
    }

    fn add_frame(&mut self, frame: &Frame, direction: Option<Direction>) {
        self.ids.append_value(frame.id().raw());
        let (mut brs, mut esi) = (false, false);
        if let Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } = frame.format()
        {
            (brs, esi) = (bit_rate_switch, error_state_indicator);
        }
        self.add_truths([
            frame.id().is_extended(),
            frame.format() == Format::Remote,
            frame.is_fd(),
            brs,
            esi,
            false,
        ]);
        self.codes.append_value(frame.dlc());
        self.data.append_value(frame.data());
        self.directions
            .append_option(direction.map(|one| match one {
                Direction::Rx => "rx",
                Direction::Tx => "tx",
            }));
    }

    fn add_truths(&mut self, truths: [bool; TRUTHS.len()]) {
        for (column, truth) in self.truths.iter_mut().zip(truths) {
            column.append_value(truth);
        }
    }

    /// Takes the records since the last batch.
    pub(super) fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        self.rows = 0;
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.times.finish()),
            Arc::new(self.channels.finish()),
            Arc::new(self.ids.finish()),
        ];
        for truth in &mut self.truths {
            columns.push(Arc::new(truth.finish()));
        }
        columns.push(Arc::new(self.codes.finish()));
        columns.push(Arc::new(self.data.finish()));
        columns.push(Arc::new(self.directions.finish()));
        RecordBatch::try_new(Arc::clone(&self.schema), columns)
    }
}
