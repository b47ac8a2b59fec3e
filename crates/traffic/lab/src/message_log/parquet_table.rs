//! Rows as Parquet, in row groups of a bounded size.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::column::{Column, Kind, Value};

/// Number of rows in every group but the last: some 5 MB.
const GROUP_ROWS: usize = 1 << 17;

/// A table that is written.
pub(super) struct ParquetTable<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Values>,
    rows: usize,
    texts: Texts,
}

/// The values of a column that wait for their group.
enum Values {
    Double(Vec<f64>),
    Float(Vec<f32>),
    Count(Vec<i64>),
    Text(Vec<ByteArray>),
    Boolean(Vec<bool>),
}

/// Each text once: columns repeat few of them.
#[derive(Default)]
struct Texts {
    known: HashMap<String, ByteArray>,
}

/// Limit on remembered texts.
const TEXTS_MAX: usize = 1 << 16;

impl Texts {
    fn get(&mut self, text: &str) -> ByteArray {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        if self.known.len() >= TEXTS_MAX {
            self.known.clear();
        }
        let bytes = ByteArray::from(text);
        self.known.insert(text.to_owned(), bytes.clone());
        bytes
    }
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

fn field(column: &Column) -> Result<Type, ParquetError> {
    let physical = match column.kind {
        Kind::Seconds => Physical::DOUBLE,
        Kind::Number => Physical::FLOAT,
        Kind::Count => Physical::INT64,
        Kind::Text => Physical::BYTE_ARRAY,
        Kind::Boolean => Physical::BOOLEAN,
    };
    Type::primitive_type_builder(column.name, physical)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type((column.kind == Kind::Text).then_some(LogicalType::String))
        .build()
}

impl<W: Write + Send> ParquetTable<W> {
    pub(super) fn new(out: W, columns: &[Column]) -> io::Result<Self> {
        let fields = columns.iter().map(|column| field(column).map(Arc::new));
        let fields = fields.collect::<Result<_, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("messages").with_fields(fields);
        let schema = schema.build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(Default::default()))
            .set_created_by(concat!("waywarden ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties));
        Ok(Self {
            file: file.map_err(failed)?,
            columns: columns
                .iter()
                .map(|column| Values::of(column.kind))
                .collect(),
            rows: 0,
            texts: Texts::default(),
        })
    }

    pub(super) fn row(&mut self, values: &[Value<'_>]) -> io::Result<()> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(*value, &mut self.texts);
        }
        self.rows += 1;
        match self.rows < GROUP_ROWS {
            true => Ok(()),
            false => self.group().map_err(failed),
        }
    }

    /// Writes the rows that wait.
    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let Some((mut writer, values)) = group.next_column()?.zip(columns.next()) {
            values.write(&mut writer)?;
            writer.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.rows > 0 {
            self.group().map_err(failed)?;
        }
        self.file.close().map_err(failed).map(drop)
    }
}

impl Values {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Seconds => Self::Double(Vec::new()),
            Kind::Number => Self::Float(Vec::new()),
            Kind::Count => Self::Count(Vec::new()),
            Kind::Text => Self::Text(Vec::new()),
            Kind::Boolean => Self::Boolean(Vec::new()),
        }
    }

    /// Takes a value of its kind; another one would be a row of another table.
    fn push(&mut self, value: Value<'_>, texts: &mut Texts) {
        match (self, value) {
            (Self::Double(all), Value::Seconds(seconds)) => all.push(seconds),
            (Self::Float(all), Value::Number(number)) => all.push(number),
            (Self::Count(all), Value::Count(count)) => all.push(count as i64),
            (Self::Text(all), Value::Text(text)) => all.push(texts.get(text)),
            (Self::Boolean(all), Value::Boolean(is_so)) => all.push(is_so),
            _ => debug_assert!(false, "a value of another kind"),
        }
    }

    /// Writes all values, and forgets them.
    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Result<usize, ParquetError> {
        match self {
            Self::Double(values) => write::<DoubleType>(writer, values),
            Self::Float(values) => write::<FloatType>(writer, values),
            Self::Count(values) => write::<Int64Type>(writer, values),
            Self::Text(values) => write::<ByteArrayType>(writer, values),
            Self::Boolean(values) => write::<BoolType>(writer, values),
        }
    }
}

fn write<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
) -> Result<usize, ParquetError> {
    let written = writer.typed::<T>().write_batch(values, None, None);
    values.clear();
    written
}
