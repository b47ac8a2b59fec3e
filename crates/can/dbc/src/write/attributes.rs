//! Attributes: definitions, defaults and values.

use std::fmt::{self, Write as _};

use can_dbc::{
    AttributeDefault, AttributeDefinition, AttributeValue, AttributeValueForRelationType,
    AttributeValueType, Dbc, NumericValue,
};

use super::{Names, bound};

/// Writes definitions and defaults.
pub(super) fn definitions(text: &mut String, dbc: &Dbc) -> fmt::Result {
    for definition in &dbc.attribute_definitions {
        let (object, name, kind) = match definition {
            AttributeDefinition::Message(name, kind) => ("BO_ ", name, kind),
            AttributeDefinition::Node(name, kind) => ("BU_ ", name, kind),
            AttributeDefinition::Signal(name, kind) => ("SG_ ", name, kind),
            AttributeDefinition::EnvironmentVariable(name, kind) => ("EV_ ", name, kind),
            AttributeDefinition::Plain(name, kind) => ("", name, kind),
        };
        writeln!(text, "BA_DEF_ {object} \"{name}\" {};", type_of(kind))?;
    }
    for definition in &dbc.relation_attribute_definitions {
        let (relation, name, kind) = match definition {
            AttributeDefinition::Signal(name, kind) => ("BU_SG_REL_", name, kind),
            AttributeDefinition::EnvironmentVariable(name, kind) => ("BU_EV_REL_", name, kind),
            AttributeDefinition::Message(name, kind)
            | AttributeDefinition::Node(name, kind)
            | AttributeDefinition::Plain(name, kind) => ("BU_BO_REL_", name, kind),
        };
        writeln!(
            text,
            "BA_DEF_REL_ {relation}  \"{name}\" {};",
            type_of(kind)
        )?;
    }
    defaults(text, "BA_DEF_DEF_", &dbc.attribute_defaults)?;
    defaults(text, "BA_DEF_DEF_REL_", &dbc.relation_attribute_defaults)
}

fn defaults(text: &mut String, word: &str, defaults: &[AttributeDefault]) -> fmt::Result {
    for default in defaults {
        writeln!(
            text,
            "{word}  \"{}\" {};",
            default.name,
            value(&default.value)
        )?;
    }
    Ok(())
}

/// Writes the values of all objects.
pub(super) fn values(text: &mut String, dbc: &Dbc, names: &Names<'_>) -> fmt::Result {
    for one in &dbc.attribute_values_database {
        writeln!(text, "BA_ \"{}\" {};", one.name, value(&one.value))?;
    }
    for one in &dbc.attribute_values_node {
        let (node, value) = (&one.node_name, value(&one.value));
        writeln!(text, "BA_ \"{}\" BU_ {node} {value};", one.name)?;
    }
    for one in &dbc.attribute_values_message {
        let (id, value) = (names.id(one.message_id), value(&one.value));
        writeln!(text, "BA_ \"{}\" BO_ {id} {value};", one.name)?;
    }
    for one in &dbc.attribute_values_signal {
        let (id, value) = (names.id(one.message_id), value(&one.value));
        let signal = &one.signal_name;
        writeln!(text, "BA_ \"{}\" SG_ {id} {signal} {value};", one.name)?;
    }
    for one in &dbc.attribute_values_env {
        let (variable, value) = (&one.variable_name, value(&one.value));
        writeln!(text, "BA_ \"{}\" EV_ {variable} {value};", one.name)?;
    }
    for one in &dbc.relation_attribute_values {
        match &one.details {
            AttributeValueForRelationType::NodeToSignal {
                node_name,
                message_id,
                signal_name,
                value: own,
            } => {
                let (id, value) = (names.id(*message_id), value(own));
                writeln!(
                    text,
                    "BA_REL_ \"{}\" BU_SG_REL_ {node_name} SG_ {id} {signal_name} {value};",
                    one.name
                )?;
            }
            AttributeValueForRelationType::NodeToMessage {
                node_name,
                message_id,
                value: own,
            } => {
                let (id, value) = (names.id(*message_id), value(own));
                writeln!(
                    text,
                    "BA_REL_ \"{}\" BU_BO_REL_ {node_name} {id} {value};",
                    one.name
                )?;
            }
        }
    }
    Ok(())
}

fn type_of(kind: &AttributeValueType) -> String {
    match kind {
        AttributeValueType::Int(least, most) => format!("INT {} {}", bound(least), bound(most)),
        AttributeValueType::Hex(least, most) => format!("HEX {} {}", bound(least), bound(most)),
        AttributeValueType::Float(least, most) => {
            format!("FLOAT {} {}", bound(least), bound(most))
        }
        AttributeValueType::String => "STRING ".to_owned(),
        AttributeValueType::Enum(words) => {
            let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("ENUM  {}", words.join(","))
        }
    }
}

fn value(value: &AttributeValue) -> String {
    match value {
        AttributeValue::Uint(number) => number.to_string(),
        AttributeValue::Int(number) => number.to_string(),
        AttributeValue::Double(number) => bound(&NumericValue::Double(*number)),
        AttributeValue::String(text) => format!("\"{text}\""),
    }
}
