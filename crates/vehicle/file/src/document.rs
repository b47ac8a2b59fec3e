//! A vehicle file as a tree of tables and values: read from text, or composed by a program; checked
//! by one set of rules; written as text.
//!
//! What stands in text has its place, so that errors name line and column. What a program composes
//! has none, and goes over no text.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A table. Its entries are in the order of their names; their spans give the order in the text.
pub(crate) type Entries = BTreeMap<Spanned<String>, Spanned<Node>>;

/// A value of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Text(String),
    Integer(Number),
    /// The number as it is written.
    Float(String),
    Boolean(bool),
    /// A date or time as it is written; no key of a vehicle file has one.
    Date(String),
    List(Vec<Spanned<Node>>),
    Table(Entries),
}

/// A whole number: its text, and its value unless it has more than 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) text: String,
    pub(crate) value: Option<i64>,
}

impl Node {
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) const fn as_boolean(&self) -> Option<bool> {
        match self {
            Node::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Spanned<Node>]> {
        match self {
            Node::List(list) => Some(list),
            _ => None,
        }
    }

    pub(crate) const fn as_table(&self) -> Option<&Entries> {
        match self {
            Node::Table(entries) => Some(entries),
            _ => None,
        }
    }
}

/// Takes a table from text that was read.
pub(crate) fn read(table: &DeTable<'_>) -> Entries {
    let entries = table.iter().map(|(key, value)| {
        let name = Spanned::new(key.span(), key.get_ref().to_string());
        (name, read_value(value))
    });
    entries.collect()
}

fn read_value(value: &Spanned<DeValue<'_>>) -> Spanned<Node> {
    let node = match value.get_ref() {
        DeValue::String(text) => Node::Text(text.to_string()),
        DeValue::Integer(number) => Node::Integer(Number {
            text: number.to_string(),
            value: i64::from_str_radix(number.as_str(), number.radix()).ok(),
        }),
        DeValue::Float(number) => Node::Float(number.as_str().to_owned()),
        DeValue::Boolean(value) => Node::Boolean(*value),
        DeValue::Datetime(date) => Node::Date(date.to_string()),
        DeValue::Array(list) => Node::List(list.iter().map(read_value).collect()),
        DeValue::Table(table) => Node::Table(read(table)),
    };
    Spanned::new(value.span(), node)
}

/// Takes a table that a program has composed.
pub(crate) fn composed(table: &toml::Table) -> Entries {
    let entries = table
        .iter()
        .map(|(key, value)| (Spanned::new(0..0, key.clone()), composed_value(value)));
    entries.collect()
}

fn composed_value(value: &toml::Value) -> Spanned<Node> {
    let node = match value {
        toml::Value::String(text) => Node::Text(text.clone()),
        toml::Value::Integer(number) => Node::Integer(Number {
            text: number.to_string(),
            value: Some(*number),
        }),
        toml::Value::Float(number) => Node::Float(number.to_string()),
        toml::Value::Boolean(value) => Node::Boolean(*value),
        toml::Value::Datetime(date) => Node::Date(date.to_string()),
        toml::Value::Array(list) => Node::List(list.iter().map(composed_value).collect()),
        toml::Value::Table(table) => Node::Table(composed(table)),
    };
    Spanned::new(0..0, node)
}
