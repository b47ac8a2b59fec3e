//! The JSON Schemas (draft 2020-12) of the files, for editors: made from the grammar by which they
//! are read.
//!
//! A schema says what one table may have, by its kind: keys, types, words, ranges. What depends on
//! another table, such as the name of an ECU, is only seen when the file is read.

use schemars::Schema;
use serde_json::{Map, Value as Json, json};

use crate::{
    AUTHENTICATION_FILE, FILE, Key, Kinds, Preset, Table, TableForm, TableRule, Value, range,
};

/// Payloads that have no length of their own.
const PAYLOADS: [&str; 3] = ["counter", "random", "zero"];

/// Makes the schema of vehicle files.
#[must_use]
pub fn vehicle() -> Schema {
    of_file("vehicle", &FILE)
}

/// Makes the schema of files with the protection of a log's messages.
#[must_use]
pub fn authentication() -> Schema {
    of_file("authentication", &AUTHENTICATION_FILE)
}

fn of_file(name: &str, file: &'static Table) -> Schema {
    let mut definitions = Definitions::default();
    let mut root = definitions.object(file, None);
    let head = [
        ("$schema", schemars::consts::meta_schemas::DRAFT2020_12),
        ("$id", &format!("urn:waywarden:{name}:1")),
        ("title", &format!("waywarden {name}")),
    ];
    for (key, value) in head {
        root.insert(key.to_owned(), value.into());
    }
    root.insert("$defs".to_owned(), Json::Object(definitions.made));
    Schema::from(root)
}

/// The definitions to which a schema refers, as far as they are made.
#[derive(Default)]
struct Definitions {
    made: Map<String, Json>,
}

impl Definitions {
    /// Makes the schema of a table; `word` is the key that tells it from others, with its words.
    fn object(
        &mut self,
        table: &'static Table,
        word: Option<(&'static Key, &'static [&'static str])>,
    ) -> Map<String, Json> {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        if let Some((key, words)) = word {
            properties.insert(key.name.to_owned(), one_of_words(words));
            let is_preset = words.iter().any(|word| key.preset == Preset::Text(word));
            required.extend((!is_preset).then_some(key.name));
        }
        for key in table.all() {
            properties.insert(key.name.to_owned(), self.key(key));
            required.extend(key.is_required().then_some(key.name));
        }
        let mut object = described("object", table.summary);
        object.insert("properties".to_owned(), Json::Object(properties));
        object.insert("additionalProperties".to_owned(), false.into());
        if !required.is_empty() {
            object.insert("required".to_owned(), required.into());
        }
        for rule in table.rules {
            let Json::Object(condition) = condition(*rule) else {
                continue;
            };
            for (key, value) in condition {
                match (object.get_mut(&key), value) {
                    (Some(Json::Object(before)), Json::Object(more)) => before.extend(more),
                    (_, value) => drop(object.insert(key, value)),
                }
            }
        }
        object
    }

    /// Makes the schema of tables of several kinds.
    fn kinds(&mut self, kinds: &'static Kinds) -> Map<String, Json> {
        let key = &kinds.word;
        let tables = kinds.tables.iter().map(|(words, table)| {
            let object = self.object(table, Some((key, words)));
            match table.name {
                "" => Json::Object(object),
                name => self.define(name, Json::Object(object)),
            }
        });
        let tables: Vec<Json> = tables.collect();
        let mut schema = described("object", kinds.summary);
        let word = Map::from_iter([(key.name.to_owned(), self.key(key))]);
        schema.insert("properties".to_owned(), Json::Object(word));
        if key.is_required() {
            schema.insert("required".to_owned(), json!([key.name]));
        }
        schema.insert("oneOf".to_owned(), tables.into());
        schema
    }

    /// Makes the schema of a key's value, with its meaning and default.
    fn key(&mut self, key: &Key) -> Json {
        let mut schema = self.value(&key.value);
        let mut text = key.summary.to_owned();
        if let Some(range) = range(&key.value) {
            text += &format!(" {}.", capital(&range));
        }
        let default = match key.preset {
            Preset::Required | Preset::Absent | Preset::Text("") => None,
            Preset::Whole(number) => Some(Json::from(number)),
            Preset::Flag(flag) => Some(flag.into()),
            Preset::Text(text) => Some(text.into()),
            Preset::Follows(from) => {
                text += &format!(" Default: {from}.");
                None
            }
        };
        if let Some(default) = default {
            text += &format!(" Default: {}.", default.to_string().trim_matches('"'));
            schema.insert("default".to_owned(), default);
        }
        schema.insert("description".to_owned(), text.into());
        Json::Object(schema)
    }

    fn value(&mut self, value: &Value) -> Map<String, Json> {
        let schema = match value {
            Value::Text | Value::Reference(_) => json!({ "type": "string" }),
            Value::Flag => json!({ "type": "boolean" }),
            Value::Whole(least, most) => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            Value::Count => json!({ "type": "integer", "minimum": 0 }),
            Value::Message => json!({
                "anyOf": [{ "type": "string" }, { "type": "integer" }],
                "description": "A name or an identifier, such as \"EngineSpeed\" or 0x280.",
            }),
            Value::Word(words) => one_of_words(words),
            Value::List(of, most) => self.list(of, *most),
            Value::Table(table) => self.table(table),
            Value::Tables(form, most) => {
                let items = match form {
                    TableForm::One(table) => self.table(table),
                    TableForm::Kinds(kinds) => {
                        let schema = self.kinds(kinds);
                        self.define(kinds.name, Json::Object(schema))
                    }
                };
                json!({ "type": "array", "items": items, "maxItems": most })
            }
            Value::ByName(of) => json!({
                "type": "object",
                "description": "Values by name; `default` is for those not named.",
                "additionalProperties": self.value(of),
            }),
            Value::Any(values) => {
                let all: Vec<_> = values.iter().map(|one| self.value(one)).collect();
                json!({ "anyOf": all })
            }
            quantity => self.quantity(quantity),
        };
        match schema {
            Json::Object(schema) => schema,
            _ => Map::new(),
        }
    }

    fn list(&mut self, of: &Value, most: usize) -> Json {
        let mut list = json!({ "type": "array", "items": self.value(of) });
        if most < usize::MAX {
            list["maxItems"] = most.into();
        }
        list
    }

    fn table(&mut self, table: &'static Table) -> Json {
        let schema = self.object(table, None);
        self.define(table.name, Json::Object(schema))
    }

    /// Refers to a definition, and keeps it if it is the first of its name.
    fn define(&mut self, name: &str, schema: Json) -> Json {
        self.made.entry(name).or_insert(schema);
        json!({ "$ref": format!("#/$defs/{name}") })
    }

    /// Refers to a value with a form of its own.
    fn quantity(&mut self, value: &Value) -> Json {
        let (name, schema) = match value {
            Value::Share(..) => (
                "share",
                json!({
                    "description": "A share such as \"60%\", or a number from 0 to 1.",
                    "anyOf": [
                        { "type": "number", "minimum": 0, "maximum": 1 },
                        { "type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*%\s*$" },
                    ],
                }),
            ),
            Value::Identifier => (
                "identifier",
                json!({
                    "type": "integer",
                    "description": "A CAN identifier.",
                    "minimum": 0,
                    "maximum": waywarden_can::ExtendedId::MAX,
                }),
            ),
            Value::Data => {
                let bytes = self.quantity(&Value::Bytes);
                let text = "\"counter\", \"random\", \"zero\", or bytes in hexadecimal.";
                let forms = json!([one_of_words(&PAYLOADS), bytes]);
                ("data", json!({ "description": text, "anyOf": forms }))
            }
            Value::Names(_) => (
                "names",
                json!({
                    "type": "array",
                    "description": "Names.",
                    "items": { "type": "string" },
                }),
            ),
            text => written(text),
        };
        self.define(name, schema)
    }
}

/// Returns the name and schema of a text with a form of its own.
fn written(value: &Value) -> (&'static str, Json) {
    let (name, text, pattern, examples) = match value {
        Value::Name => {
            let schema = json!({
                "type": "string",
                "description": "Letters, digits, _, - and dots, at most 64 bytes.",
                "minLength": 1,
                "maxLength": crate::NAME_MAX,
                "not": { "const": "default" },
            });
            return ("name", schema);
        }
        Value::Duration(_) => (
            "duration",
            "A number and a unit: ns, us, ms, s, min or h.",
            r"^\s*[0-9]+(\.[0-9]+)?\s*(ns|us|µs|μs|ms|min|s|h)\s*$",
            json!(["10ms", "0.5 s", "2min"]),
        ),
        Value::BitRate(..) => (
            "bit_rate",
            "A number and k or M, or bits per second.",
            r"^\s*[0-9]+(\.[0-9]+)?\s*[kM]?\s*(bit/s|bps)?\s*$",
            json!(["500k", "2M"]),
        ),
        Value::Frequency(..) => (
            "frequency",
            "A number and kHz or MHz, or hertz.",
            r"^\s*[0-9]+(\.[0-9]+)?\s*(k|M)?\s*Hz\s*$",
            json!(["80MHz", "600 MHz"]),
        ),
        Value::FrameRate => (
            "frame_rate",
            "Frames a second, or \"full\".",
            r"^\s*(full|[0-9]+\s*/s)\s*$",
            json!(["2000/s", "full"]),
        ),
        _ => (
            "bytes",
            "1 to 64 bytes in hexadecimal; blanks are allowed.",
            "^ *([0-9A-Fa-f] *[0-9A-Fa-f] *){1,64}$",
            json!(["00 FF"]),
        ),
    };
    let schema = json!({
        "type": "string",
        "description": text,
        "pattern": pattern,
        "examples": examples,
    });
    (name, schema)
}

fn described(kind: &str, text: &str) -> Map<String, Json> {
    Map::from_iter([
        ("type".to_owned(), kind.into()),
        ("description".to_owned(), text.into()),
    ])
}

fn one_of_words(words: &[&str]) -> Json {
    match words {
        [word] => json!({ "const": word }),
        words => json!({ "enum": words }),
    }
}

fn condition(rule: TableRule) -> Json {
    let required = |lists: &[&[&str]]| -> Vec<Json> {
        let lists = lists.iter();
        lists.map(|keys| json!({ "required": keys })).collect()
    };
    match rule {
        TableRule::LengthOrBytes => json!({ "anyOf": [
            { "required": ["length"] },
            { "required": ["data"], "properties": { "data": { "not": { "enum": PAYLOADS } } } },
        ] }),
        TableRule::LengthOrBytesWith(key) => json!({
            "if": { "required": [key] },
            "then": condition(TableRule::LengthOrBytes),
        }),
        TableRule::ExactlyOne(lists) => json!({ "oneOf": required(lists) }),
        TableRule::AtLeastOne(lists) => json!({ "anyOf": required(lists) }),
        TableRule::NotEmpty(key) => {
            json!({ "allOf": [{ "properties": { key: { "minItems": 1 } } }] })
        }
        TableRule::NotBoth(keys) => json!({ "not": { "required": keys } }),
        TableRule::DependOnOthers => Json::Null,
        TableRule::Needs(key, other) => json!({ "dependentRequired": { key: [other] } }),
    }
}

/// Begins a text with a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}
