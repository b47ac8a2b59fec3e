//! A vehicle composed of objects of Python: nested dicts and lists as the tables of a file.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use toml::{Table, Value};
use waywarden_vehicle_file::FileErrors;

use crate::error::{Failure, excerpt};

/// The deepest nesting; vehicle files have four levels.
const DEPTH_MAX: usize = 16;

/// The most values; a vehicle file of the greatest size has fewer.
const VALUES_MAX: usize = 4_000_000;

/// Reads a mapping as the table of a vehicle file.
pub(super) fn table(mapping: &Bound<'_, PyMapping>) -> PyResult<Table> {
    let mut left = VALUES_MAX;
    entries(mapping, &Path::ROOT, &mut left)
}

/// The way to a value, for messages.
struct Path<'a> {
    above: Option<&'a Path<'a>>,
    key: String,
    depth: usize,
}

impl Path<'_> {
    const ROOT: Path<'static> = Path {
        above: None,
        key: String::new(),
        depth: 0,
    };

    fn below<'a>(&'a self, key: String) -> Path<'a> {
        Path {
            above: Some(self),
            key,
            depth: self.depth + 1,
        }
    }

    fn text(&self) -> String {
        let above = self.above.map(Path::text).unwrap_or_default();
        match above.is_empty() || self.key.starts_with('[') {
            true => above + &self.key,
            false => format!("{above}.{}", self.key),
        }
    }

    fn refuse(&self, found: &str, remedy: &str) -> PyErr {
        let path = self.text();
        let place = if path.is_empty() { "vehicle" } else { &path };
        Failure::new("VehicleError", format_args!("{place}: {found}; {remedy}"))
            .place(place)
            .remedy(remedy)
            .into()
    }
}

fn entries(mapping: &Bound<'_, PyMapping>, path: &Path<'_>, left: &mut usize) -> PyResult<Table> {
    let mut table = Table::new();
    for item in mapping.items()?.iter() {
        let (key, found): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let Ok(key) = key.extract::<String>() else {
            let kind = kind(&key);
            return Err(path.refuse(&format!("a key is {kind}"), "keys are text"));
        };
        let below = path.below(key.clone());
        let read = value(&found, &below, left)?;
        table.insert(key, read);
    }
    Ok(table)
}

fn value(found: &Bound<'_, PyAny>, path: &Path<'_>, left: &mut usize) -> PyResult<Value> {
    if path.depth > DEPTH_MAX {
        let remedy = "a vehicle has tables, lists of tables, and values in them";
        return Err(path.refuse("nested too deeply", remedy));
    }
    *left = left.checked_sub(1).ok_or_else(|| {
        let most = format!("more than {VALUES_MAX} values");
        path.refuse(&most, "describe one vehicle")
    })?;
    // Bool first: it is an int of Python's.
    if let Ok(truth) = found.cast::<PyBool>() {
        return Ok(Value::Boolean(truth.is_true()));
    }
    if let Ok(text) = found.cast::<PyString>() {
        let text = text.to_str().map_err(|_| {
            path.refuse(
                "text with a lone surrogate",
                "give text that has a form in UTF-8",
            )
        })?;
        return Ok(Value::String(text.to_owned()));
    }
    if found.is_instance_of::<PyInt>() {
        let number = found.extract::<i64>().map_err(|_| {
            path.refuse(
                "a number beyond 64 bits",
                "give one from -2**63 to 2**63 - 1",
            )
        })?;
        return Ok(Value::Integer(number));
    }
    if let Ok(number) = found.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(mapping) = found.cast::<PyMapping>() {
        return entries(mapping, path, left).map(Value::Table);
    }
    if found.is_instance_of::<PyList>() || found.is_instance_of::<PyTuple>() {
        let mut list = Vec::new();
        for (at, entry) in found.try_iter()?.enumerate() {
            let below = path.below(format!("[{at}]"));
            list.push(value(&entry?, &below, left)?);
        }
        return Ok(Value::Array(list));
    }
    let remedy = match found.is_none() {
        true => "leave the key out to have its default",
        false => "give text, numbers, booleans, lists and dicts of them",
    };
    Err(path.refuse(&format!("{} is no value of a vehicle", kind(found)), remedy))
}

fn kind(found: &Bound<'_, PyAny>) -> String {
    let name = found.get_type().qualname();
    name.map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// Returns a text that is no path: the likeliest mistake, of which TOML's errors say nothing.
pub(super) fn no_path(text: &str) -> Result<String, Failure> {
    if text.trim().is_empty() || text.contains(['\n', '=', '[']) {
        return Ok(text.to_owned());
    }
    let remedy = "Vehicle.from_file reads a file";
    let why = format_args!("{}: no text of a vehicle file; {remedy}", excerpt(text));
    Err(Failure::new("VehicleError", why).remedy(remedy))
}

/// Returns true if this is a mapping, and no text.
pub(super) fn is_mapping(found: &Bound<'_, PyAny>) -> bool {
    found.is_instance_of::<PyDict>() || found.cast::<PyMapping>().is_ok()
}

/// Returns everything that is wrong with composed objects; they have no places in a text.
pub(super) fn faults(errors: &FileErrors) -> Failure {
    let listed = errors.listed().iter();
    let problems = listed.map(|error| format!("{}: {}", error.file, error.problem));
    let problems: Vec<String> = problems.collect();
    let more = match errors.omitted() {
        0 => String::new(),
        more => format!("\nand {more} more"),
    };
    Failure::new("VehicleError", problems.join("\n") + &more).problems(problems)
}
