//! Composes vehicles as the tables of a vehicle file.

use toml::{Table, Value};
use waywarden_vehicle_file::{FileErrors, VehicleFile};
use waywarden_work::Duration;

/// Returns a table with these entries.
pub(crate) fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    let entries = entries.into_iter();
    entries
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

/// Adds a table to a list of tables such as `[[ecu]]`, and begins the list with the first.
pub(crate) fn add(vehicle: &mut Table, list: &str, table: Table) {
    let list = vehicle
        .entry(list)
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.push(Value::Table(table));
    }
}

/// Sets an entry of a table.
pub(crate) fn set(table: &mut Table, key: &str, value: impl Into<Value>) {
    table.insert(key.to_owned(), value.into());
}

/// Returns a seed as vehicle files have it: a signed number, so up to [`i64::MAX`].
pub(crate) fn seed(seed: u64) -> Value {
    Value::Integer(seed.min(i64::MAX.unsigned_abs()).cast_signed())
}

/// Returns a list of names.
pub(crate) fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Value {
    Value::Array(names.into_iter().map(Value::from).collect())
}

/// Returns a time in milliseconds as vehicle files have it.
pub(crate) fn millis(time: u64) -> Value {
    Value::String(format!("{time}ms"))
}

/// Returns a time in nanoseconds as vehicle files have it.
pub(crate) fn nanos(time: Duration) -> Value {
    Value::String(format!("{}ns", time.as_nanos()))
}

/// Returns the tables of an array of tables.
pub(crate) fn tables<'a>(table: &'a mut Table, key: &str) -> impl Iterator<Item = &'a mut Table> {
    let array = table.get_mut(key).and_then(Value::as_array_mut);
    array.into_iter().flatten().filter_map(Value::as_table_mut)
}

/// Returns the first thing that is wrong with a composed vehicle; its place would be one in a text
/// that no user has.
pub(crate) fn reason(errors: &FileErrors) -> String {
    let listed = errors.listed();
    let first = listed.first().map(|error| error.problem.to_string());
    let more = listed.len().saturating_sub(1) + errors.omitted();
    match (first, more) {
        (None, _) => String::new(),
        (Some(first), 0) => first,
        (Some(first), more) => format!("{first} (and {more} more)"),
    }
}

/// Changes the table of a stream, wherever the vehicle has it.
pub(crate) fn change_stream(vehicle: &mut Table, name: &str, change: impl Fn(&mut Table)) {
    let apply = |stream: &mut Table| {
        if stream.get("name").and_then(Value::as_str) == Some(name) {
            change(stream);
        }
    };
    tables(vehicle, "stream").for_each(apply);
    for ecu in tables(vehicle, "ecu") {
        tables(ecu, "sends").for_each(apply);
    }
}

/// Replaces ECU images by simulated software in a vehicle and in its table. A composed vehicle has
/// roles and attackers that an image has no part in.
pub(crate) fn simulate_images(file: &mut VehicleFile, table: &mut Table) {
    file.simulate_images();
    for ecu in tables(table, "ecu") {
        for key in ["firmware", "machine", "clock", "receive_mailbox"] {
            ecu.remove(key);
        }
    }
}
