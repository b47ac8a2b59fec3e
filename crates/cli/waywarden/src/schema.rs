//! `waywarden schema`: the JSON Schema of a file or of what a command prints for programs.

use std::io::{self, Write};

use schemars::Schema;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::table::Rows;
#[cfg(feature = "papers")]
use waywarden_command_papers::{bench, papers};

use crate::{auth, boards, bus, check, compare, demo, fit, keys, run, start_up};

/// Print the JSON Schema of a file that you write, or of what a command prints for programs.
///
/// Without a name, list them. Editors complete and check files with a schema: save it, and name it
/// in the first line of a TOML file as `#:schema PATH`. Each document names its schema in its first
/// field.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaCommand {
    /// Name of the schema, such as run.
    name: Option<String>,
}

impl SchemaCommand {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        let all = all();
        let Some(name) = &self.name else {
            listed(&all).print(&mut out)?;
            return Ok(Answer::Yes);
        };
        let Some(schema) = all.iter().find(|one| one.name == name) else {
            let names: Vec<&str> = all.iter().map(|one| one.name).collect();
            return Err(Failure::new(format_args!(
                "there is no schema {name:?}; there are: {}",
                names.join(", ")
            )));
        };
        serde_json::to_writer_pretty(&mut out, &schema.to_json()).map_err(io::Error::from)?;
        writeln!(out)?;
        Ok(Answer::Yes)
    }
}

/// Returns every schema, in the order in which they are listed.
fn all() -> Vec<DocumentSchema> {
    let single = [
        check::SCHEMA,
        compare::SCHEMA,
        fit::SCHEMA,
        start_up::SCHEMA,
        keys::SCHEMA,
        demo::SCHEMA,
        #[cfg(feature = "papers")]
        bench::SCHEMA,
    ];
    let mut all = WRITTEN.to_vec();
    all.extend(run::SCHEMAS);
    all.extend(single);
    all.extend(bus::schemas());
    all.extend(auth::schemas());
    all.extend(boards::SCHEMAS);
    #[cfg(feature = "papers")]
    all.extend(papers::SCHEMAS);
    all.extend(waywarden_command_v2x::schemas());
    #[cfg(feature = "pki")]
    all.extend(waywarden_command_pki::schemas());
    #[cfg(feature = "traffic")]
    all.extend(waywarden_command_traffic::schemas());
    #[cfg(feature = "traffic")]
    all.push(crate::road::SCHEMA);
    all
}

/// Schemas of the files that users write, and of the trace; most are written by hand.
const WRITTEN: &[DocumentSchema] = &[
    DocumentSchema::written("vehicle", 1, "a vehicle file", |_, _| {
        waywarden_vehicle_file::schema::vehicle()
    }),
    DocumentSchema::written("authentication", 1, "how a log is protected", |_, _| {
        waywarden_vehicle_file::schema::authentication()
    }),
    DocumentSchema::written("board-file", 1, "a board file", |_, _| {
        of_file(waywarden_boards::SCHEMA)
    }),
    #[cfg(all(unix, feature = "v2x"))]
    DocumentSchema::written(
        "service",
        1,
        "the configuration of the V2X security service",
        |_, _| of_file(waywarden_v2x_service::config::SCHEMA),
    ),
    #[cfg(feature = "traffic")]
    DocumentSchema::written("traffic-scenario", 1, "a traffic scenario", |_, _| {
        of_file(waywarden_command_traffic::SCENARIO_SCHEMA)
    }),
    DocumentSchema::written(
        "trace-line",
        1,
        "waywarden run FILE --trace FILE.jsonl",
        |_, _| of_file(waywarden_vehicle_report::lines::LINE_SCHEMA),
    ),
];

/// Takes a schema that is written by hand; each is valid JSON, which a test checks.
fn of_file(text: &str) -> Schema {
    let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    Schema::try_from(value).unwrap_or_default()
}

fn listed(all: &[DocumentSchema]) -> Rows {
    let row = |one: &DocumentSchema| vec![one.name.to_owned(), one.printed_by.to_owned()];
    Rows {
        headers: vec!["schema", "of what"],
        rows: all.iter().map(row).collect(),
        numbers: 0..0,
    }
}
