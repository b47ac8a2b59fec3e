//! JSON documents for programs: each names its schema and the version of the tool that printed it.

use std::io::{self, Write};
use std::marker::PhantomData;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// The version of the tool, as each document has it.
pub const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

/// A kind of document: what it is called, and what is in it.
///
/// The version changes when a field is renamed, removed, or means something else. Programs should
/// ignore fields that they do not know; new ones come without a new version.
#[derive(Clone, Copy, Debug)]
pub struct DocumentFormat<T> {
    name: &'static str,
    version: u32,
    printed_by: &'static str,
    content: PhantomData<fn() -> T>,
}

/// A document as it is printed.
#[derive(Serialize, JsonSchema)]
struct Document<T> {
    /// The kind of document and the version of its form; `waywarden schema` prints the schema.
    schema: String,
    /// The version of waywarden that printed it.
    tool_version: &'static str,
    /// Content of the document.
    #[serde(flatten)]
    content: T,
}

/// The content of a document that is a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Listed<T> {
    /// The entries, in the order in which tables show them.
    pub rows: Vec<T>,
}

/// The schema of a kind of document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentSchema {
    /// Name of the schema for `waywarden schema`.
    pub name: &'static str,
    /// The command that prints such documents.
    pub printed_by: &'static str,
    /// Makes the schema.
    pub make: fn(&'static str, u32) -> Schema,
    version: u32,
}

impl<T: Serialize + JsonSchema> DocumentFormat<T> {
    /// Names a kind of document that a command prints.
    #[must_use]
    pub const fn new(name: &'static str, version: u32, printed_by: &'static str) -> Self {
        DocumentFormat {
            name,
            version,
            printed_by,
            content: PhantomData,
        }
    }

    /// Prints a document.
    ///
    /// # Errors
    /// As the output has them.
    pub fn print(&self, out: &mut impl Write, content: &T) -> io::Result<()> {
        let document = Document {
            schema: identifier(self.name, self.version),
            tool_version: TOOL_VERSION,
            content,
        };
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)
    }

    /// Writes the beginning of a document whose fields the caller writes, each after a comma.
    ///
    /// # Errors
    /// As the output has them.
    pub fn begin(&self, out: &mut impl Write) -> io::Result<()> {
        let schema = identifier(self.name, self.version);
        write!(
            out,
            "{{\n  \"schema\": \"{schema}\",\n  \"tool_version\": \"{TOOL_VERSION}\""
        )
    }

    /// Returns what the field `schema` of these documents says.
    #[must_use]
    pub fn identifier(&self) -> String {
        identifier(self.name, self.version)
    }

    /// Returns its schema.
    #[must_use]
    pub const fn schema(&self) -> DocumentSchema {
        DocumentSchema {
            name: self.name,
            printed_by: self.printed_by,
            make: document_schema::<T>,
            version: self.version,
        }
    }
}

impl DocumentSchema {
    /// Makes the JSON Schema (draft 2020-12).
    #[must_use]
    pub fn to_json(self) -> Schema {
        (self.make)(self.name, self.version)
    }
}

impl<T> Listed<T> {
    /// Takes the entries.
    #[must_use]
    pub const fn new(rows: Vec<T>) -> Self {
        Listed { rows }
    }
}

/// Returns what the field `schema` of a document says.
#[must_use]
pub fn identifier(name: &str, version: u32) -> String {
    format!("waywarden/{name}/{version}")
}

/// Makes the schema of lines, of which each is a value by itself.
#[must_use]
pub fn line_schema<T: JsonSchema>(name: &'static str, version: u32) -> Schema {
    let mut schema = generated::<T>();
    describe(&mut schema, name, version);
    schema
}

/// Makes the schema of a file that users write, which may leave out what has a default.
#[must_use]
pub fn file_schema<T: JsonSchema>(name: &'static str, version: u32) -> Schema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let settings = settings.with_transform(RecursiveTransform(one_paragraph));
    let settings = settings.with_transform(RecursiveTransform(without_null));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    describe(&mut schema, name, version);
    schema
}

/// Takes null out of the values of a key that may be left out: TOML has none.
fn without_null(schema: &mut Schema) {
    use serde_json::{Value, json};

    let null = json!({ "type": "null" });
    match schema.get_mut("type") {
        Some(Value::Array(types)) => {
            types.retain(|one| *one != "null");
            if let [only] = &types[..] {
                let only = only.clone();
                schema.insert("type".to_owned(), only);
            }
        }
        _ => {
            let Some(Value::Array(forms)) = schema.get_mut("anyOf") else {
                return;
            };
            forms.retain(|one| *one != null);
            if let [Value::Object(only)] = &forms[..] {
                let only = only.clone();
                schema.remove("anyOf");
                for (key, value) in only {
                    schema.insert(key, value);
                }
            }
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|one| !one.is_null());
    }
}

fn document_schema<T: JsonSchema>(name: &'static str, version: u32) -> Schema {
    let mut schema = generated::<Document<T>>();
    describe(&mut schema, name, version);
    // What the document says, in place of what every document is.
    if let Some(text) = generated::<T>().get("description") {
        schema.insert("description".to_owned(), text.clone());
    }
    let own = schema.pointer_mut("/properties/schema");
    if let Some(own) = own.and_then(serde_json::Value::as_object_mut) {
        own.insert("const".to_owned(), identifier(name, version).into());
    }
    schema
}

fn describe(schema: &mut Schema, name: &str, version: u32) {
    let id = format!("urn:waywarden:{name}:{version}");
    schema.insert("$id".to_owned(), id.into());
    schema.insert("title".to_owned(), format!("waywarden {name}").into());
}

/// Makes a schema of what is written, which has every field that is not left out on purpose.
pub(crate) fn generated<T: JsonSchema + ?Sized>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(one_paragraph));
    settings.into_generator().into_root_schema_for::<T>()
}

/// Joins the lines of a description, which are broken where source text is.
fn one_paragraph(schema: &mut Schema) {
    let Some(text) = schema.get("description").and_then(|text| text.as_str()) else {
        return;
    };
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Links of Rust lead nowhere here, and what is none in Rust is null.
    let joined = joined
        .replace("[`", "`")
        .replace("`]", "`")
        .replace("`None`", "null");
    schema.insert("description".to_owned(), joined.into());
}

impl DocumentSchema {
    /// Names lines that a command prints, each a JSON value by itself.
    #[must_use]
    pub const fn of_lines<T: JsonSchema>(
        name: &'static str,
        version: u32,
        printed_by: &'static str,
    ) -> Self {
        DocumentSchema {
            name,
            printed_by,
            make: line_schema::<T>,
            version,
        }
    }

    /// Names a file that users write.
    #[must_use]
    pub const fn of_files<T: JsonSchema>(
        name: &'static str,
        version: u32,
        printed_by: &'static str,
    ) -> Self {
        DocumentSchema {
            name,
            printed_by,
            make: file_schema::<T>,
            version,
        }
    }

    /// Names a file or document whose schema is written by hand.
    #[must_use]
    pub const fn written(
        name: &'static str,
        version: u32,
        printed_by: &'static str,
        make: fn(&'static str, u32) -> Schema,
    ) -> Self {
        DocumentSchema {
            name,
            printed_by,
            make,
            version,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct Load {
        /// The bus.
        bus: String,
        load: Option<f64>,
    }

    const LOADS: DocumentFormat<Listed<Load>> = DocumentFormat::new("loads", 3, "waywarden loads");

    #[test]
    fn document_names_its_schema_and_the_version_of_the_tool() {
        let load = Load {
            bus: "drive".to_owned(),
            load: None,
        };
        let mut text = Vec::new();
        LOADS.print(&mut text, &Listed::new(vec![load])).unwrap();
        let value: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let expected = serde_json::json!({
            "schema": "waywarden/loads/3",
            "tool_version": TOOL_VERSION,
            "rows": [{ "bus": "drive", "load": null }],
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn schema_demands_what_is_always_written() {
        let schema = LOADS.schema().to_json();
        assert_eq!(
            schema.pointer("/properties/schema/const").unwrap(),
            "waywarden/loads/3"
        );
        let required = schema.pointer("/required").unwrap();
        let required: Vec<_> = required.as_array().unwrap().iter().collect();
        assert_eq!(required, ["schema", "tool_version", "rows"]);
        let of_a_load = schema.pointer("/$defs/Load/required").unwrap();
        assert_eq!(*of_a_load, serde_json::json!(["bus", "load"]));
    }
}
