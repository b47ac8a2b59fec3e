//! CSV for programs: the columns are the fields of JSON documents, under the same names.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use waywarden_documents::table::{Columns, Fields, Table, fields};

use crate::terminal::plain;

/// Separator of a list's entries in one cell.
const LIST_SEPARATOR: &str = "; ";

/// Prints rows as CSV with a header, which is there even if no row is.
///
/// Numbers have all their digits; a field without a value is an empty cell; the entries of a list
/// are separated by `"; "`; a field of an object within the row has its name and a dot before.
/// Fields that are tables themselves are left out.
///
/// # Errors
/// As the output has them.
pub fn print_csv<'a, T: Serialize + JsonSchema + 'a>(
    out: &mut impl Write,
    rows: impl IntoIterator<Item = &'a T>,
) -> io::Result<()> {
    print_table(out, &Table::of(rows)?)
}

/// Prints a table, as [`print_csv`] does.
///
/// # Errors
/// As the output has them.
pub fn print_table(out: &mut impl Write, table: &Table) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(table.names())?;
    for row in 0..table.rows {
        writer.write_record(table.columns.iter().map(|one| text(&one.values[row])))?;
    }
    writer.flush()
}

/// CSV that is printed row by row, as rows come.
#[derive(Clone, Debug)]
pub struct CsvColumns {
    columns: Columns,
}

impl CsvColumns {
    /// Takes the columns of rows of a type.
    #[must_use]
    pub fn of<T: JsonSchema>() -> Self {
        CsvColumns {
            columns: Columns::of::<T>(),
        }
    }

    /// Prints the header.
    ///
    /// # Errors
    /// As the output has them.
    pub fn print_header(&self, out: &mut impl Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(self.columns.iter().map(|(name, _)| name))?;
        writer.flush()
    }

    /// Prints rows.
    ///
    /// # Errors
    /// As the output has them.
    pub fn print_rows<'a, T: Serialize + 'a>(
        &self,
        out: &mut impl Write,
        rows: impl IntoIterator<Item = &'a T>,
    ) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        for row in rows {
            writer.write_record(cells(&self.columns, &fields(row)?))?;
        }
        writer.flush()
    }
}

/// Returns the cells of a row.
fn cells(columns: &Columns, row: &Fields) -> Vec<String> {
    let cells = columns.iter().map(|(name, _)| text(&row.value(name)));
    cells.collect()
}

/// Returns what stands in a cell. No text of others acts on a terminal.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain(text).into_owned(),
        Value::Array(entries) => {
            let entries: Vec<String> = entries.iter().map(text_of_entry).collect();
            entries.join(LIST_SEPARATOR)
        }
        other => other.to_string(),
    }
}

fn text_of_entry(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text).into_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum State {
        ErrorActive,
        BusOff,
    }

    #[derive(Serialize, JsonSchema)]
    struct Inner {
        z: u8,
        a: u64,
    }

    #[derive(Clone, Copy, Serialize, JsonSchema)]
    #[serde(tag = "verdict", rename_all = "kebab-case")]
    enum Verdict {
        Works { taken: u8 },
        Refused,
    }

    #[derive(Serialize, JsonSchema)]
    struct Row {
        name: String,
        #[serde(flatten)]
        inner: Inner,
        share: Option<f64>,
        state: Option<State>,
        buses: Vec<String>,
        tables: Vec<Inner>,
        nested: Option<Inner>,
        #[serde(flatten)]
        verdict: Verdict,
        #[serde(skip_serializing_if = "Option::is_none")]
        remark: Option<String>,
    }

    fn row(share: Option<f64>, state: Option<State>, buses: &[&str], remark: Option<&str>) -> Row {
        let nested = share.map(|_| Inner { z: 2, a: 3 });
        let verdict = match share {
            Some(_) => Verdict::Works { taken: 4 },
            None => Verdict::Refused,
        };
        Row {
            nested,
            verdict,
            name: "a, \"b\"".to_owned(),
            inner: Inner { z: 1, a: u64::MAX },
            share,
            state,
            buses: buses.iter().map(|&name| name.to_owned()).collect(),
            tables: Vec::new(),
            remark: remark.map(str::to_owned),
        }
    }

    fn printed(rows: &[Row]) -> String {
        let mut text = Vec::new();
        print_csv(&mut text, rows).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn columns_are_the_fields_in_their_order_and_numbers_keep_their_digits() {
        let rows = [
            row(
                Some(0.012_345_678_9),
                Some(State::BusOff),
                &["a", "b"],
                None,
            ),
            row(None, Some(State::ErrorActive), &[], Some("late")),
            row(None, None, &["a"], None),
        ];
        let expected = "name,z,a,share,state,buses,nested.a,nested.z,verdict,taken,remark\n\
            \"a, \"\"b\"\"\",1,18446744073709551615,0.0123456789,bus-off,a; b,3,2,works,4,\n\
            \"a, \"\"b\"\"\",1,18446744073709551615,,error-active,,,,refused,,late\n\
            \"a, \"\"b\"\"\",1,18446744073709551615,,,a,,,refused,,\n";
        assert_eq!(printed(&rows), expected);
    }

    #[test]
    fn table_without_rows_has_the_same_columns() {
        let sorted = |text: &str| {
            let header = text.lines().next().unwrap();
            let mut names: Vec<String> = header.split(',').map(str::to_owned).collect();
            names.sort();
            names
        };
        let one = printed(&[row(None, None, &[], None)]);
        assert_eq!(sorted(&printed(&[])), sorted(&one));
    }
}
