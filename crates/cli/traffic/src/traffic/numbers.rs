//! The numbers of a summary, each by its name.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// One number of a summary.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Figure {
    /// Name of the number: the names of the fields on the way to it, with / between them.
    figure: String,
    value: f64,
}

/// Returns each number of a summary.
///
/// # Errors
/// As JSON has them.
pub(super) fn figures(summary: &impl Serialize) -> serde_json::Result<Vec<Figure>> {
    let mut all = BTreeMap::new();
    gather("", &serde_json::to_value(summary)?, &mut all);
    let rows = all.into_iter().flat_map(|(figure, values)| {
        values.into_iter().map(move |value| Figure {
            figure: figure.clone(),
            value,
        })
    });
    Ok(rows.collect())
}

/// Gathers each number of a summary under the names on the way to it. An element of a list is named
/// by the words in it, or else by its first number.
pub(super) fn gather(name: &str, value: &Value, into: &mut BTreeMap<String, Vec<f64>>) {
    let within = |key: &str| match name {
        "" => key.to_owned(),
        _ => format!("{name}/{key}"),
    };
    match value {
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            into.entry(name.to_owned()).or_default().push(number);
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                gather(&within(key), value, into);
            }
        }
        Value::Array(elements) => {
            for element in elements {
                gather(&within(&named(element)), element, into);
            }
        }
        _ => {}
    }
}

fn named(element: &Value) -> String {
    let Some(fields) = element.as_object() else {
        return String::new();
    };
    let words: Vec<&str> = fields.values().filter_map(Value::as_str).collect();
    match words.is_empty() {
        true => fields
            .values()
            .next()
            .map_or_else(String::new, Value::to_string),
        false => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_named_by_what_is_beside_them() {
        let summary = serde_json::json!({
            "sent": 3,
            "bins": [{"from": 50.0, "share": 0.5}],
            "verified": [{"board": "a53", "policy": "fifo", "share": 1.0}],
        });
        let mut all = BTreeMap::new();
        gather("", &summary, &mut all);
        let names: Vec<_> = all.keys().map(String::as_str).collect();
        let expected = [
            "bins/50.0/from",
            "bins/50.0/share",
            "sent",
            "verified/a53 fifo/share",
        ];
        assert_eq!(names, expected);
    }
}
