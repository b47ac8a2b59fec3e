//! The columns of rows: which fields of a JSON schema fit into a cell, and of what type they are.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::ColumnType;
use crate::document::generated;

/// The columns of rows.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    columns: Vec<(String, ColumnType)>,
}

impl Columns {
    /// Takes every field that fits into a cell.
    #[must_use]
    pub fn of<T: JsonSchema>() -> Self {
        let schema = generated::<T>();
        let mut columns = Columns::default();
        columns.collect(schema.as_value(), schema.as_value(), "");
        columns
    }

    /// Takes the fields of an object; those of objects within it get its name and a dot before.
    fn collect(&mut self, whole: &Value, schema: &Value, prefix: &str) {
        let properties = schema["properties"].as_object();
        // Fields that are always written are listed in the order of their declaration.
        let required = schema["required"].as_array().into_iter().flatten();
        let required = required.filter_map(Value::as_str);
        let all = properties.into_iter().flatten();
        for name in required.chain(all.map(|(name, _)| name.as_str())) {
            let (own, path) = (&schema["properties"][name], format!("{prefix}{name}"));
            match cell_type(whole, own) {
                Some(kind) => self.add(path, kind),
                None => self.collect(whole, own, &format!("{path}.")),
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

    /// Adds a column; a field that is of two types in two variants of its row is text.
    fn add(&mut self, name: String, kind: ColumnType) {
        match self.columns.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) if *own != kind => *own = either(*own, kind),
            Some(_) => {}
            None => self.columns.push((name, kind)),
        }
    }

    /// Returns the name and type of each column.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ColumnType)> {
        self.columns
            .iter()
            .map(|(name, kind)| (name.as_str(), *kind))
    }

    /// Puts the columns in the order in which a row is written.
    pub fn arrange(&mut self, row: &Fields) {
        let place = |name: &String| row.0.iter().position(|(own, _)| own == name);
        self.columns
            .sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    }
}

/// Returns the type of values that fit into a cell: scalars, and lists of them.
fn cell_type(whole: &Value, schema: &Value) -> Option<ColumnType> {
    if let Some(scalar) = scalar_type(whole, schema) {
        return Some(scalar);
    }
    let schema = referred(whole, schema);
    let is_list = types(schema).any(|one| one == "array");
    let entry = scalar_type(whole, &schema["items"]).filter(|_| is_list)?;
    Some(match entry {
        ColumnType::Unsigned | ColumnType::Signed | ColumnType::Number => ColumnType::NumberList,
        _ => ColumnType::TextList,
    })
}

fn scalar_type(whole: &Value, schema: &Value) -> Option<ColumnType> {
    let schema = referred(whole, schema);
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return Some(ColumnType::Text);
    }
    let parts = schema.get("anyOf").or_else(|| schema.get("oneOf"));
    if let Some(parts) = parts.and_then(Value::as_array) {
        return of_all(parts.iter().filter_map(|part| match is_null(part) {
            true => None,
            false => Some(scalar_type(whole, part)),
        }));
    }
    of_all(types(schema).filter(|one| *one != "null").map(|one| {
        Some(match one {
            "array" | "object" => return None,
            "boolean" => ColumnType::Boolean,
            "integer" if schema["minimum"].as_f64().is_some_and(|least| least >= 0.0) => {
                ColumnType::Unsigned
            }
            "integer" => ColumnType::Signed,
            "number" => ColumnType::Number,
            _ => ColumnType::Text,
        })
    }))
}

/// Returns the type that holds values of all, if each is a scalar.
fn of_all(mut types: impl Iterator<Item = Option<ColumnType>>) -> Option<ColumnType> {
    let first = types.next()??;
    types.try_fold(first, |own, kind| Some(either(own, kind?)))
}

/// Returns the type that holds values of both.
fn either(one: ColumnType, other: ColumnType) -> ColumnType {
    use ColumnType::{Number, Signed, Text, Unsigned};

    match (one, other) {
        _ if one == other => one,
        (Unsigned, Signed) | (Signed, Unsigned) => Signed,
        (Unsigned | Signed | Number, Unsigned | Signed | Number) => Number,
        _ => Text,
    }
}

fn is_null(schema: &Value) -> bool {
    let mut all = types(schema).peekable();
    all.peek().is_some() && all.all(|one| one == "null")
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
#[derive(Clone, Debug, PartialEq)]
pub struct Fields(Vec<(String, Value)>);

/// Returns the fields of a row; those of objects within it have its name and a dot before.
///
/// # Errors
/// A row that does not serialise as an object.
pub fn fields(row: &impl Serialize) -> serde_json::Result<Fields> {
    serde_json::from_str(&serde_json::to_string(row)?)
}

impl Fields {
    /// Returns the value of a field; null if the row has none of that name.
    #[must_use]
    pub fn value(&self, name: &str) -> Value {
        let field = self.0.iter().find(|(own, _)| own == name);
        field.map_or(Value::Null, |(_, value)| value.clone())
    }
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
