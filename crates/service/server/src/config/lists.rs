//! Lists where tables are expected: serde would take the values of a list for those of the table's
//! keys, in their order.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

/// The keys that are lists of tables.
const LISTS: [&str; 4] = ["access", "signer", "decryption", "recording"];

/// Finds a list where a table is expected: what is wrong, and where in the text. Of a text that is
/// no TOML it finds none.
pub(super) fn misplaced_list(text: &str) -> Option<(String, Range<usize>)> {
    let file = DeTable::parse(text).ok()?;
    file.get_ref().iter().find_map(|(key, value)| {
        let key = key.get_ref().as_ref();
        match value.get_ref() {
            DeValue::Array(entries) if LISTS.contains(&key) => {
                let mut entries = entries.iter();
                let list = entries.find(|entry| entry.get_ref().is_array())?;
                let problem = format!("{key}: expected tables [[{key}]], found a list in it");
                Some((problem, list.span()))
            }
            DeValue::Array(_) => {
                let problem = format!("{key}: expected one table [{key}], found a list");
                Some((problem, value.span()))
            }
            DeValue::Table(table) if key == "time" => {
                let position = table.get("position")?;
                let problem = "position: expected a table such as { latitude = 48.1, longitude = \
                               11.6 }, found a list";
                let is_list = position.get_ref().is_array();
                is_list.then(|| (problem.to_owned(), position.span()))
            }
            _ => None,
        }
    })
}
