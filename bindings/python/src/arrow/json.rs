//! Tables of reports as Arrow: the columns that CSV and JSON have, under the same names.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use serde_json::Value;
use waywarden_documents::table::{self, Column, ColumnType};

use super::Table;

/// Makes a table of one of a report.
pub(crate) fn of_rows(rows: &table::Table) -> Result<Table, ArrowError> {
    let fields = rows.columns.iter();
    let fields = fields.map(|one| Field::new(&one.name, data_type(one.kind), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = rows.columns.iter().map(array).collect();
    // A row type without a field that fits into a cell has no column to count rows by.
    let batches = match rows.columns.is_empty() {
        true => Vec::new(),
        false => vec![RecordBatch::try_new(Arc::clone(&schema), columns)?],
    };
    Ok(Table::new(schema, batches))
}

fn data_type(kind: ColumnType) -> DataType {
    let list = |of| DataType::List(Arc::new(Field::new("item", of, true)));
    match kind {
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Unsigned => DataType::UInt64,
        ColumnType::Signed => DataType::Int64,
        ColumnType::Number => DataType::Float64,
        ColumnType::Text => DataType::Utf8,
        ColumnType::TextList => list(DataType::Utf8),
        ColumnType::NumberList => list(DataType::Float64),
    }
}

fn array(column: &Column) -> ArrayRef {
    let values = column.values.iter();
    match column.kind {
        ColumnType::Boolean => {
            let mut builder = BooleanBuilder::new();
            values.for_each(|value| builder.append_option(value.as_bool()));
            Arc::new(builder.finish())
        }
        ColumnType::Unsigned => {
            let mut builder = UInt64Builder::new();
            values.for_each(|value| builder.append_option(value.as_u64()));
            Arc::new(builder.finish())
        }
        ColumnType::Signed => {
            let mut builder = Int64Builder::new();
            values.for_each(|value| builder.append_option(value.as_i64()));
            Arc::new(builder.finish())
        }
        ColumnType::Number => {
            let mut builder = Float64Builder::new();
            values.for_each(|value| builder.append_option(value.as_f64()));
            Arc::new(builder.finish())
        }
        ColumnType::Text => {
            let mut builder = StringBuilder::new();
            values.for_each(|value| builder.append_option(text(value)));
            Arc::new(builder.finish())
        }
        ColumnType::TextList => {
            let mut builder = ListBuilder::new(StringBuilder::new());
            for value in values {
                let entries = value.as_array();
                let texts = entries.into_iter().flatten();
                texts.for_each(|entry| builder.values().append_option(text(entry)));
                builder.append(entries.is_some());
            }
            Arc::new(builder.finish())
        }
        ColumnType::NumberList => {
            let mut builder = ListBuilder::new(Float64Builder::new());
            for value in values {
                let entries = value.as_array();
                let numbers = entries.into_iter().flatten();
                numbers.for_each(|entry| builder.values().append_option(entry.as_f64()));
                builder.append(entries.is_some());
            }
            Arc::new(builder.finish())
        }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
