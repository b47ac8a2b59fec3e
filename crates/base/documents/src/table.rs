//! Tables by column: names and types from the JSON schema of a row, values from the rows.

mod columns;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use columns::{Columns, Fields, fields};

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// True or false.
    Boolean,
    /// Whole numbers from 0 on.
    Unsigned,
    /// Whole numbers.
    Signed,
    /// Numbers.
    Number,
    /// Text.
    Text,
    /// Lists of text.
    TextList,
    /// Lists of numbers.
    NumberList,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name, as the field has in JSON; a field of an object within the row has the object's name
    /// and a dot before.
    pub name: String,
    /// Type of its values.
    pub kind: ColumnType,
    /// One value for each row; null where the row has none.
    pub values: Vec<Value>,
}

/// A table by column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Number of rows.
    pub rows: usize,
    /// Columns, in the order in which a row is written.
    pub columns: Vec<Column>,
}

impl Table {
    /// Takes rows. Fields that are tables themselves are left out.
    ///
    /// # Errors
    /// A row that does not serialise as an object.
    pub fn of<'a, T: Serialize + JsonSchema + 'a>(
        rows: impl IntoIterator<Item = &'a T>,
    ) -> serde_json::Result<Table> {
        let mut columns = Columns::of::<T>();
        let rows: Vec<Fields> = rows.into_iter().map(fields).collect::<Result<_, _>>()?;
        if let Some(first) = rows.first() {
            columns.arrange(first);
        }
        Ok(Self::of_fields(&columns, &rows))
    }

    /// Takes rows whose fields are read; `columns` are those of their type.
    #[must_use]
    pub fn of_fields(columns: &Columns, rows: &[Fields]) -> Table {
        let columns = columns.iter().map(|(name, kind)| Column {
            name: name.to_owned(),
            kind,
            values: rows.iter().map(|row| row.value(name)).collect(),
        });
        Table {
            rows: rows.len(),
            columns: columns.collect(),
        }
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }
}

#[cfg(test)]
mod tests;
