//! A table of signals as Parquet, in row groups of a bounded size.

use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use waywarden_can::Id;
use waywarden_command_line::files::Output;

use super::{FrameColumns, SignalLayout};

/// Number of cells in every row group but the last: some 16 MB.
const CELLS_MAX: usize = 1 << 20;

/// The columns of a frame, in front of those of its signals.
const FRAME: [(&str, Physical); 5] = [
    ("time_ns", Physical::INT64),
    ("channel", Physical::BYTE_ARRAY),
    ("id", Physical::INT64),
    ("extended", Physical::INT64),
    ("message", Physical::BYTE_ARRAY),
];

/// A table that is written.
pub(super) struct ParquetTable {
    file: SerializedFileWriter<Output>,
    columns: Vec<Column>,
    rows: usize,
    rows_max: usize,
}

/// The values of a column that wait for their group.
enum Column {
    Whole(Vec<i64>),
    Text(Vec<ByteArray>),
    Number(Vec<f64>),
    /// The values that there are, and for each row 1 if it has one.
    Optional(Vec<f64>, Vec<i16>),
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

fn field(name: &str, kind: Physical, repetition: Repetition) -> Result<Arc<Type>, ParquetError> {
    let is_text = kind == Physical::BYTE_ARRAY;
    let field = Type::primitive_type_builder(name, kind)
        .with_repetition(repetition)
        .with_logical_type(is_text.then_some(LogicalType::String));
    field.build().map(Arc::new)
}

impl ParquetTable {
    pub(super) fn new(
        output: Output,
        layout: SignalLayout,
        names: &[String],
    ) -> io::Result<ParquetTable> {
        let of_rows = [
            ("signal", Physical::BYTE_ARRAY),
            ("value", Physical::DOUBLE),
            ("unit", Physical::BYTE_ARRAY),
            ("label", Physical::BYTE_ARRAY),
        ];
        let of_rows = match layout {
            SignalLayout::Rows => &of_rows[..],
            SignalLayout::Columns => &[],
        };
        let required = FRAME.iter().chain(of_rows);
        let columns = required.clone().map(|(_, kind)| Column::of(*kind));
        let columns = columns.chain(names.iter().map(|_| Column::Optional(vec![], vec![])));
        let columns: Vec<Column> = columns.collect();
        let fields = required.map(|(name, kind)| field(name, *kind, Repetition::REQUIRED));
        let optional = |name: &String| field(name, Physical::DOUBLE, Repetition::OPTIONAL);
        let fields = fields.chain(names.iter().map(optional));
        let fields = fields.collect::<Result<_, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("signals").with_fields(fields);
        let schema = schema.build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(Default::default()))
            .set_created_by(concat!("waywarden ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties));
        Ok(ParquetTable {
            file: file.map_err(failed)?,
            rows_max: (CELLS_MAX / columns.len()).max(1),
            columns,
            rows: 0,
        })
    }

    /// Adds a row of one signal.
    pub(super) fn signal(
        &mut self,
        frame: &FrameColumns<'_>,
        (name, unit, label): (&str, &str, &str),
        value: f64,
    ) -> io::Result<()> {
        self.begin(frame);
        self.columns[5].text(name);
        self.columns[6].number(Some(value));
        self.columns[7].text(unit);
        self.columns[8].text(label);
        self.end()
    }

    /// Adds a row of a frame, whose signals have columns from `first` on.
    pub(super) fn frame(
        &mut self,
        frame: &FrameColumns<'_>,
        first: usize,
        values: impl ExactSizeIterator<Item = Option<f64>>,
    ) -> io::Result<()> {
        self.begin(frame);
        let from = FRAME.len() + first;
        let end = from + values.len();
        for (column, value) in self.columns[from..].iter_mut().zip(values) {
            column.number(value);
        }
        for column in &mut self.columns[FRAME.len()..from] {
            column.number(None);
        }
        for column in &mut self.columns[end..] {
            column.number(None);
        }
        self.end()
    }

    fn begin(&mut self, frame: &FrameColumns<'_>) {
        let (id, is_extended) = match frame.id {
            Id::Standard(id) => (i64::from(id.raw()), false),
            Id::Extended(id) => (i64::from(id.raw()), true),
        };
        self.columns[0].whole(i64::try_from(frame.time_ns).unwrap_or(i64::MAX));
        self.columns[1].text(frame.channel);
        self.columns[2].whole(id);
        self.columns[3].whole(i64::from(is_extended));
        self.columns[4].text(frame.message);
    }

    fn end(&mut self) -> io::Result<()> {
        self.rows += 1;
        match self.rows < self.rows_max {
            true => Ok(()),
            false => self.group().map_err(failed),
        }
    }

    /// Writes the rows that wait.
    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let Some((mut writer, column)) = group.next_column()?.zip(columns.next()) {
            match column {
                Column::Whole(values) => {
                    writer
                        .typed::<Int64Type>()
                        .write_batch(values, None, None)?;
                    values.clear();
                }
                Column::Text(values) => {
                    writer
                        .typed::<ByteArrayType>()
                        .write_batch(values, None, None)?;
                    values.clear();
                }
                Column::Number(values) => {
                    writer
                        .typed::<DoubleType>()
                        .write_batch(values, None, None)?;
                    values.clear();
                }
                Column::Optional(values, levels) => {
                    writer
                        .typed::<DoubleType>()
                        .write_batch(values, Some(levels), None)?;
                    values.clear();
                    levels.clear();
                }
            }
            writer.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    /// Writes the rest and returns the output.
    pub(super) fn finish(mut self) -> io::Result<Output> {
        if self.rows > 0 {
            self.group().map_err(failed)?;
        }
        self.file.into_inner().map_err(failed)
    }
}

impl Column {
    fn of(kind: Physical) -> Self {
        match kind {
            Physical::INT64 => Column::Whole(Vec::new()),
            Physical::DOUBLE => Column::Number(Vec::new()),
            _ => Column::Text(Vec::new()),
        }
    }

    fn whole(&mut self, value: i64) {
        if let Column::Whole(values) = self {
            values.push(value);
        }
    }

    fn text(&mut self, value: &str) {
        if let Column::Text(values) = self {
            // Neighbours often are the same text, which is then shared.
            match values
                .last()
                .filter(|last| last.data() == value.as_bytes())
                .cloned()
            {
                Some(last) => values.push(last),
                None => values.push(ByteArray::from(value)),
            }
        }
    }

    fn number(&mut self, value: Option<f64>) {
        match (self, value) {
            (Column::Number(values), Some(value)) => values.push(value),
            (Column::Optional(values, levels), value) => {
                levels.push(i16::from(value.is_some()));
                values.extend(value);
            }
            _ => {}
        }
    }
}
