//! A table of signals as Parquet, in row groups of a bounded size.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use waywarden_can::Id;
use waywarden_command_line::files::OutputFile;

use super::{FrameColumns, SignalLayout};

/// Number of cells with a value in every row group but the last: some 60 MB.
///
/// The file keeps a description of each column of each row group until its end, also of columns
/// without a value. With a column for each signal there are thousands of them, so that groups have
/// to be large for memory not to grow with the log.
const CELLS_MAX: usize = 1 << 22;

/// Number of rows in a group at most, which is how many levels a column without values has.
const ROWS_MAX: usize = 1 << 20;

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
    file: SerializedFileWriter<OutputFile>,
    columns: Vec<Column>,
    rows: usize,
    /// Cells with a value in the rows that wait.
    cells: usize,
    /// For each row 1 if the column at hand has a value in it.
    levels: Vec<i16>,
}

/// The values of a column that wait for their group.
enum Column {
    Whole(Vec<i64>),
    /// Texts, and each of them once: they are names of the matrix and of channels.
    Text(Vec<ByteArray>, HashMap<String, ByteArray>),
    Number(Vec<f64>),
    /// The values that there are, and the row of each.
    Optional(Vec<f64>, Vec<u32>),
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
        output: OutputFile,
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
            // Each would be kept for each column of each row group.
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .set_created_by(concat!("waywarden ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties));
        Ok(ParquetTable {
            file: file.map_err(failed)?,
            columns,
            rows: 0,
            cells: 0,
            levels: Vec::new(),
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
        self.columns[6].number(value, self.rows);
        self.columns[7].text(unit);
        self.columns[8].text(label);
        self.end(4)
    }

    /// Adds a row of a frame, whose signals have columns from `first` on.
    pub(super) fn frame(
        &mut self,
        frame: &FrameColumns<'_>,
        first: usize,
        values: impl Iterator<Item = Option<f64>>,
    ) -> io::Result<()> {
        self.begin(frame);
        let from = FRAME.len() + first;
        let mut cells = 0;
        for (column, value) in self.columns[from..].iter_mut().zip(values) {
            if let Some(value) = value {
                column.number(value, self.rows);
                cells += 1;
            }
        }
        self.end(cells)
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

    /// Ends a row with so many cells behind those of the frame.
    fn end(&mut self, cells: usize) -> io::Result<()> {
        self.rows += 1;
        self.cells += FRAME.len() + cells;
        match self.rows < ROWS_MAX && self.cells < CELLS_MAX {
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
                Column::Text(values, _) => {
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
                Column::Optional(values, rows) => {
                    self.levels.clear();
                    self.levels.resize(self.rows, 0);
                    for row in rows.drain(..) {
                        self.levels[row as usize] = 1;
                    }
                    let levels = Some(self.levels.as_slice());
                    let typed = writer.typed::<DoubleType>();
                    typed.write_batch(values, levels, None)?;
                    values.clear();
                }
            }
            writer.close()?;
        }
        group.close()?;
        (self.rows, self.cells) = (0, 0);
        Ok(())
    }

    /// Writes the rest and returns the output.
    pub(super) fn finish(mut self) -> io::Result<OutputFile> {
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
            _ => Column::Text(Vec::new(), HashMap::new()),
        }
    }

    fn whole(&mut self, value: i64) {
        if let Column::Whole(values) = self {
            values.push(value);
        }
    }

    fn text(&mut self, value: &str) {
        if let Column::Text(values, known) = self {
            let text = match known.get(value) {
                Some(text) => text.clone(),
                None => {
                    let text = ByteArray::from(value);
                    known.insert(value.to_owned(), text.clone());
                    text
                }
            };
            values.push(text);
        }
    }

    fn number(&mut self, value: f64, row: usize) {
        match self {
            Column::Number(values) => values.push(value),
            Column::Optional(values, rows) => {
                values.push(value);
                // Below ROWS_MAX.
                rows.push(row as u32);
            }
            Column::Whole(_) | Column::Text(..) => {}
        }
    }
}
