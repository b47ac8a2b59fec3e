//! CSV for programs: the columns are the fields of JSON documents, under the same names.

use std::fmt;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::document::generated;
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
    let mut columns = Columns::of::<T>();
    let rows: Vec<Fields> = rows.into_iter().map(fields).collect::<Result<_, _>>()?;
    if let Some(first) = rows.first() {
        columns.arrange(first);
    }
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(&columns.names)?;
    for row in &rows {
        writer.write_record(columns.cells(row))?;
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
        writer.write_record(&self.columns.names)?;
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
            writer.write_record(self.columns.cells(&fields(row)?))?;
        }
        writer.flush()
    }
}

/// The columns of rows.
#[derive(Clone, Debug, Default)]
struct Columns {
    names: Vec<String>,
}

impl Columns {
    /// Takes every field that fits into a cell.
    fn of<T: JsonSchema>() -> Self {
        let schema = generated::<T>();
        let mut columns = Columns::default();
        columns.collect(schema.as_value(), schema.as_value(), "");
        columns
    }

    /// Takes the fields of an object; those of objects within it get its name and a dot before.
    fn collect(&mut self, whole: &Value, schema: &Value, prefix: &str) {
        let properties = schema["properties"].as_object();
        // What is always written is listed in the order of its declaration.
        let required = schema["required"].as_array().into_iter().flatten();
        let required = required.filter_map(Value::as_str);
        let all = properties.into_iter().flatten();
        for name in required.chain(all.map(|(name, _)| name.as_str())) {
            let (own, path) = (&schema["properties"][name], format!("{prefix}{name}"));
            match fits_a_cell(whole, own) {
                true if self.names.contains(&path) => {}
                true => self.names.push(path),
                false => self.collect(whole, own, &format!("{path}.")),
            }
        }
        // A variant of an enumeration may have a tag of its own beside what it refers to.
        if let Some(other) = reference(whole, schema) {
            self.collect(whole, other, prefix);
        }
        for branches in ["oneOf", "anyOf", "allOf"] {
            for branch in schema[branches].as_array().into_iter().flatten() {
                self.collect(whole, branch, prefix);
            }
        }
    }

    /// Returns the cells of a row.
    fn cells(&self, row: &Fields) -> Vec<String> {
        let field = |name: &String| row.0.iter().find(|(own, _)| own == name);
        let cells = self.names.iter().map(|name| match field(name) {
            None => String::new(),
            Some((_, value)) => text(value),
        });
        cells.collect()
    }

    /// Puts the columns in the order in which a row is written.
    fn arrange(&mut self, row: &Fields) {
        let place = |name: &String| row.0.iter().position(|(own, _)| own == name);
        self.names
            .sort_by_key(|name| place(name).unwrap_or(usize::MAX));
    }
}

/// Returns true if values of a schema are scalars, or lists of them.
fn fits_a_cell(whole: &Value, schema: &Value) -> bool {
    if is_scalar(whole, schema) {
        return true;
    }
    let schema = referred(whole, schema);
    let is_list = types(schema).any(|one| one == "array");
    is_list && is_scalar(whole, &schema["items"])
}

fn is_scalar(whole: &Value, schema: &Value) -> bool {
    let schema = referred(whole, schema);
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return true;
    }
    let parts = schema.get("anyOf").or_else(|| schema.get("oneOf"));
    if let Some(parts) = parts.and_then(Value::as_array) {
        return parts.iter().all(|part| is_scalar(whole, part));
    }
    let mut types = types(schema).peekable();
    types.peek().is_some() && types.all(|one| !matches!(one, "array" | "object"))
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let own = &schema["type"];
    let several = own.as_array().into_iter().flatten();
    own.as_str()
        .into_iter()
        .chain(several.filter_map(Value::as_str))
}

fn referred<'a>(whole: &'a Value, schema: &'a Value) -> &'a Value {
    reference(whole, schema).unwrap_or(schema)
}

/// Returns what a schema refers to.
fn reference<'a>(whole: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let text = schema["$ref"].as_str()?;
    whole.pointer(text.strip_prefix('#')?)
}

/// The fields of a row, in the order in which they are written.
struct Fields(Vec<(String, Value)>);

fn fields(row: &impl Serialize) -> serde_json::Result<Fields> {
    serde_json::from_str(&serde_json::to_string(row)?)
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    flatten(name, value, &mut fields);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Adds a field, or the fields of an object with its name and a dot before.
fn flatten(name: String, value: Value, fields: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(inner) => {
            for (own, value) in inner {
                flatten(format!("{name}.{own}"), value, fields);
            }
        }
        value => fields.push((name, value)),
    }
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
