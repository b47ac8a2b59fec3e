//! FCD as Parquet: the columns of the CSV form, one row a vehicle. Memory is that of some pages.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, FileReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::ColumnDescriptor;

use super::delimited::{ID, TIME, X, Y};
use super::rows::{Grouping, Row};
use super::{Names, Partial, TimeStep};
use crate::error::{Location, ReadError, TrackCause, value};
use crate::local::turned;
use crate::number::{is_heading, is_speed};

/// Number of rows that are decoded together.
const BATCH: usize = 4_096;

/// The longest name of a vehicle, in bytes.
const NAME_MAX: usize = 1 << 12;

/// The columns that are read: time, position, height, speed, angle.
const NUMBERS: [&str; 6] = [TIME, X, Y, "vehicle_z", "vehicle_speed", "vehicle_angle"];

/// Number of these columns, the first ones, that every file has.
const NEEDED: usize = 3;

pub(super) struct Steps {
    rows: Rows,
    grouping: Grouping,
}

/// The rows of a file.
struct Rows {
    file: Box<dyn FileReader>,
    /// Column of the names, and columns of the numbers.
    id: usize,
    numbers: [Option<usize>; NUMBERS.len()],
    group: usize,
    readers: Option<Readers>,
    batch: Batch,
    row: u64,
}

/// The columns of a row group.
struct Readers {
    id: ColumnReader,
    numbers: [Option<ColumnReader>; NUMBERS.len()],
    left: usize,
}

/// Rows that are decoded.
#[derive(Default)]
struct Batch {
    ids: Vec<Option<String>>,
    numbers: [Vec<Option<f64>>; NUMBERS.len()],
    at: usize,
}

fn damaged(error: &ParquetError) -> TrackCause {
    TrackCause::Parquet(error.to_string())
}

/// Refuses places of columns that the library would panic on.
fn check_places(file: &impl FileReader) -> Result<(), TrackCause> {
    let groups = file.metadata().row_groups().iter();
    for column in groups.flat_map(RowGroupMetaData::columns) {
        let begin = column.dictionary_page_offset();
        let begin = begin.unwrap_or_else(|| column.data_page_offset());
        if !matches!(
            column.compression(),
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_)
        ) {
            let codec = column.compression();
            let why =
                format!("compression {codec} is not read; write it with zstd, snappy or none");
            return Err(TrackCause::Parquet(why));
        }
        if begin < 0 || column.compressed_size() < 0 {
            return Err(TrackCause::Parquet(
                "a column begins before the file".to_owned(),
            ));
        }
    }
    Ok(())
}

/// Names the kind of a column whose numbers mean something else than they say: decimals, times.
fn unread_kind(column: &ColumnDescriptor) -> Option<String> {
    let is_known = matches!(
        column.logical_type_ref(),
        None | Some(LogicalType::String | LogicalType::Integer { .. })
    );
    let is_plain = matches!(
        column.converted_type(),
        ConvertedType::NONE
            | ConvertedType::UTF8
            | ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64
    );
    let kind = || format!("{} as {}", column.converted_type(), column.physical_type());
    (!is_known || !is_plain).then(kind)
}

/// Lets the library decode. It panics on some damaged pages, which is a refusal like another one.
fn decode<T>(decode: impl FnOnce() -> Result<T, TrackCause>) -> Result<T, TrackCause> {
    let result = catch_unwind(AssertUnwindSafe(decode));
    result.unwrap_or_else(|_| Err(TrackCause::Parquet("it is damaged".to_owned())))
}

impl Steps {
    pub(super) fn new(input: impl ChunkReader + 'static) -> Result<Self, ReadError> {
        let rows = decode(|| Rows::new(input)).map_err(|cause| ReadError {
            location: Location::Row(0),
            cause,
        })?;
        Ok(Self {
            rows,
            grouping: Grouping::default(),
        })
    }

    pub(super) fn rows(&self) -> u64 {
        let rows = self.rows.file.metadata().file_metadata().num_rows();
        u64::try_from(rows).unwrap_or(0)
    }

    /// The next time step, if there is one, and where it ends.
    pub(super) fn next(
        &mut self,
        names: &mut Names,
    ) -> Result<(Location, Option<TimeStep>), ReadError> {
        let step = self.grouping.next(|| self.rows.next(names))?;
        Ok(step.unwrap_or((Location::Row(self.rows.row), None)))
    }
}

impl Rows {
    fn new(input: impl ChunkReader + 'static) -> Result<Self, TrackCause> {
        let file = SerializedFileReader::new(input).map_err(|error| damaged(&error))?;
        check_places(&file)?;
        let schema = file.metadata().file_metadata().schema_descr();
        let find =
            |name: &str| (0..schema.num_columns()).find(|at| schema.column(*at).name() == name);
        let needed = |name: &'static str| {
            let inside = "the file";
            find(name).ok_or(TrackCause::Missing { inside, name })
        };
        let id = needed(ID)?;
        let numbers = NUMBERS.map(find);
        for name in &NUMBERS[..NEEDED] {
            needed(name)?;
        }
        for at in numbers.iter().flatten().chain([&id]) {
            let column = schema.column(*at);
            let is_text = column.physical_type() == Type::BYTE_ARRAY;
            let is_number = matches!(
                column.physical_type(),
                Type::DOUBLE | Type::FLOAT | Type::INT32 | Type::INT64
            );
            if column.max_rep_level() > 0 || column.max_def_level() > 1 {
                return Err(value(column.name(), "a list", "a plain column"));
            }
            if let Some(kind) = unread_kind(&column) {
                return Err(value(column.name(), &kind, "a plain number"));
            }
            match *at == id {
                true if !is_text => return Err(value(ID, "a number", "text")),
                false if !is_number => return Err(value(column.name(), "text", "a number")),
                _ => {}
            }
        }
        Ok(Self {
            id,
            numbers,
            file: Box::new(file),
            group: 0,
            readers: None,
            batch: Batch::default(),
            row: 0,
        })
    }

    fn next(&mut self, names: &mut Names) -> Result<Option<Row>, ReadError> {
        while self.batch.at >= self.batch.ids.len() {
            let location = Location::Row(self.row + 1);
            let filled = decode(|| self.fill());
            if !filled.map_err(|cause| ReadError { location, cause })? {
                return Ok(None);
            }
        }
        self.row += 1;
        let location = Location::Row(self.row);
        let row = self.batch.row(location, names);
        self.batch.at += 1;
        row.map(Some).map_err(|cause| ReadError { location, cause })
    }

    /// Decodes the next rows; returns whether there are some.
    fn fill(&mut self) -> Result<bool, TrackCause> {
        loop {
            if let Some(readers) = self.readers.as_mut().filter(|readers| readers.left > 0) {
                self.batch = readers.batch()?;
                return Ok(true);
            }
            if self.group >= self.file.num_row_groups() {
                return Ok(false);
            }
            let group = self.file.get_row_group(self.group);
            let group = group.map_err(|error| damaged(&error))?;
            self.group += 1;
            let column = |at| group.get_column_reader(at).map_err(|error| damaged(&error));
            let mut numbers = [const { None }; NUMBERS.len()];
            for (reader, at) in numbers.iter_mut().zip(self.numbers) {
                *reader = at.map(column).transpose()?;
            }
            self.readers = Some(Readers {
                id: column(self.id)?,
                numbers,
                left: usize::try_from(group.metadata().num_rows()).unwrap_or(0),
            });
        }
    }
}

impl Readers {
    fn batch(&mut self) -> Result<Batch, TrackCause> {
        let count = self.left.min(BATCH);
        let mut batch = Batch::default();
        let ColumnReader::ByteArrayColumnReader(reader) = &mut self.id else {
            return Err(value(ID, "a number", "text"));
        };
        batch.ids = column(reader, count, |bytes| {
            let bytes = bytes.data();
            let name = std::str::from_utf8(&bytes[..bytes.len().min(NAME_MAX)]);
            match name {
                Ok(name) if bytes.len() <= NAME_MAX => Ok(Some(name.to_owned())),
                Ok(name) => Err(value(ID, name, "a name of at most 4,096 bytes")),
                Err(_) => Err(value(ID, &String::from_utf8_lossy(bytes), "UTF-8")),
            }
        })?;
        for ((numbers, reader), name) in
            batch.numbers.iter_mut().zip(&mut self.numbers).zip(NUMBERS)
        {
            let some = |number: f64| Ok(Some(number));
            *numbers = match reader {
                None => Vec::new(),
                Some(ColumnReader::DoubleColumnReader(reader)) => {
                    column(reader, count, |n| some(*n))?
                }
                Some(ColumnReader::FloatColumnReader(reader)) => {
                    column(reader, count, |n| some(f64::from(*n)))?
                }
                Some(ColumnReader::Int32ColumnReader(reader)) => {
                    column(reader, count, |n| some(f64::from(*n)))?
                }
                Some(ColumnReader::Int64ColumnReader(reader)) => {
                    column(reader, count, |n| some(*n as f64))?
                }
                Some(_) => return Err(value(name, "text", "a number")),
            };
        }
        self.left -= count;
        Ok(batch)
    }
}

/// Decodes so many rows of a column; a null is `None`.
fn column<T: DataType, V>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    convert: impl Fn(&T::T) -> Result<Option<V>, TrackCause>,
) -> Result<Vec<Option<V>>, TrackCause> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let mut read = 0;
    while read < count {
        let more = reader.read_records(count - read, Some(&mut levels), None, &mut values);
        let (records, _, _) = more.map_err(|error| damaged(&error))?;
        if records == 0 {
            return Err(TrackCause::Parquet(
                "a column ends before the others".to_owned(),
            ));
        }
        read += records;
    }
    let mut values = values.iter();
    // Without levels no row is null.
    if levels.is_empty() {
        return values.map(convert).collect();
    }
    let each = levels.iter().map(|level| match level {
        0 => Ok(None),
        _ => values.next().map_or(Ok(None), &convert),
    });
    each.collect()
}

impl Batch {
    fn row(&mut self, location: Location, names: &mut Names) -> Result<Row, TrackCause> {
        let at = self.at;
        let number = |which: usize, is_right: fn(f64) -> bool, expected| {
            let number = self.numbers[which].get(at).copied().flatten();
            match number {
                Some(number) if !is_right(number) => {
                    Err(value(NUMBERS[which], &number.to_string(), expected))
                }
                number => Ok(number),
            }
        };
        let time = number(0, f64::is_finite, "a number")?;
        let inside = "the row";
        let time_s = time.ok_or(TrackCause::Missing { inside, name: TIME })?;
        let (x, y) = (
            number(1, f64::is_finite, "a number")?,
            number(2, f64::is_finite, "a number")?,
        );
        // Of an empty time step only the time is there.
        let id = self.ids.get(at).and_then(Option::as_deref);
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            if x.is_some() || y.is_some() {
                return Err(TrackCause::Missing { inside, name: ID });
            }
            return Ok(Row {
                location,
                time_s,
                vehicle: None,
            });
        };
        let partial = Partial {
            number: Some(names.number(id, time_s)?),
            x,
            y,
            z: number(3, f64::is_finite, "a number")?,
            speed_m_s: number(4, is_speed, "a speed from 0 to 1,000")?,
            heading_degrees: number(5, is_heading, "degrees from -720 to 720")?.map(turned),
        };
        Ok(Row {
            location,
            time_s,
            vehicle: Some(partial.complete(inside, [ID, X, Y])?),
        })
    }
}
