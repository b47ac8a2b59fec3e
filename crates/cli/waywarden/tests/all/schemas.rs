//! `waywarden schema`, and whether what commands print is as their schemas say.

mod documents;

use std::collections::BTreeSet;

use serde_json::Value;

use self::documents::{DOCUMENTS, MEASURED_HERE};
use crate::bench::MEASURED;
use crate::demo::REPORT;
use crate::support::{corpus, json, waywarden, workspace};

/// Schemas whose documents other tests check, because they need a PKI, a log or a trace.
const ELSEWHERE: &[&str] = &[
    "auth-verdict-line",
    "authentication",
    "board-file",
    "bus-bits-table",
    "bus-load-line",
    "pki",
    "pki-certificate",
    "pki-key",
    "pki-profile",
    "pki-trust",
    "service",
    "station-line",
    "trace-line",
    "traffic-merge",
    "traffic-run",
    "traffic-scenario",
    "traffic-sweep",
    "vehicle",
    "verify-line",
    "verify-scheduled",
    "verify-scheduled-line",
];

/// Returns the schema of a name, as the command prints it.
pub(crate) fn schema(name: &str) -> Value {
    json(waywarden().args(["schema", name]))
}

/// Fields for people, whose values are sentences; also every `..._text` and `..._cause`.
/// docs/data.md lists them.
const SENTENCES: &[&str] = &[
    "answer",
    "assumptions",
    "cause",
    "conclusion",
    "keys",
    "meaning",
    "message",
    "no_bound",
    "open",
    "origin",
    "path",
    "protocol",
    "reason",
    "report",
    "shows",
    "stopped_attacks",
    "summary",
    "text",
    "title",
    "what",
    "why",
];

/// Fields with names that files or papers give, with ASN.1's types, with frames as candump has
/// them, and with what other programs read: a file, arguments, a program of jq.
const NAMES: &[&str] = &[
    "arguments",
    "authors",
    "board",
    "cell",
    "frame",
    "hardware",
    "jq",
    "kind",
    "module",
    "paper",
    "place",
    "published",
    "security_module",
    "stream",
    "type",
    "vehicle",
];

/// Finds values that should be codes and have a blank, with their fields.
fn blanks(document: &Value, field: &str, found: &mut BTreeSet<String>) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                blanks(value, name, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|one| blanks(one, field, found)),
        Value::String(text) if text.contains(' ') => {
            let is_sentence = field.ends_with("_text") || field.ends_with("_cause");
            if !is_sentence && !SENTENCES.contains(&field) && !NAMES.contains(&field) {
                found.insert(format!("{field}: {text}"));
            }
        }
        _ => {}
    }
}

/// Checks a document against the schema of a name.
pub(crate) fn check(name: &str, document: &Value) {
    let validator = jsonschema::draft202012::new(&schema(name)).unwrap();
    let errors = validator.iter_errors(document);
    let errors: Vec<String> = errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {}", errors.join("\n"));
}

#[test]
fn every_document_is_as_its_schema_says() {
    let page = std::fs::read_to_string(workspace().join("docs/data.md")).unwrap();
    for field in SENTENCES {
        assert!(
            page.contains(&format!("`{field}`")),
            "docs/data.md: {field}"
        );
    }
    let mut found = BTreeSet::new();
    for (name, command) in DOCUMENTS {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.extend(["--format", "json"]);
        let document = match *command {
            "demo" => REPORT.clone(),
            MEASURED_HERE => MEASURED.clone(),
            _ => json(waywarden().args(&words)),
        };
        assert_eq!(
            document["schema"],
            format!("waywarden/{name}/1"),
            "{command}"
        );
        assert_eq!(document["tool_version"], env!("CARGO_PKG_VERSION"));
        check(name, &document);
        blanks(&document, name, &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn lines_are_as_their_schemas_say() {
    let lines = |words: &str| {
        let output = waywarden().args(words.split(' ')).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(lines.len() > 3, "{words}");
        lines
    };
    let verify = "verify examples/v2x/messages.hex --trust examples/v2x/trust --at generation \
                  --format jsonl";
    for line in lines(verify) {
        check("verify-line", &line);
    }
    let station = "station --stations 3 --virtual-time --duration 2s --format json";
    let station = lines(station);
    assert_eq!(station.last().unwrap()["event"], "summary");
    for line in station.iter().step_by(7).chain(station.last()) {
        check("station-line", line);
    }
    let folder = tempfile::tempdir().unwrap();
    let verdicts = folder.path().join("verdicts.jsonl");
    let mut command = waywarden();
    command.args("auth check examples/drive.log --config examples/auth.toml --verdicts".split(' '));
    command.arg(&verdicts).output().unwrap();
    let text = std::fs::read_to_string(&verdicts).unwrap();
    let some = text.lines().step_by(29);
    for line in some {
        check("auth-verdict-line", &serde_json::from_str(line).unwrap());
    }
    let log = folder.path().join("four.log");
    let frames = (1..5).map(|second| format!("({second}.000000) can0 123#11\n"));
    std::fs::write(&log, frames.collect::<String>()).unwrap();
    for line in lines(&format!(
        "bus load {} --bitrate 500k --lines",
        log.display()
    )) {
        check("bus-load-line", &line);
    }
}

#[test]
fn traces_are_as_their_schema_says() {
    let validator = jsonschema::draft202012::new(&schema("trace-line")).unwrap();
    let mut seen = BTreeSet::new();
    for words in [
        "run examples/compact-car-attack.toml --duration 500ms --trace -",
        "run crates/cli/waywarden/src/init/vehicle.toml --duration 1s --trace -",
        "run examples/trailer.toml --duration 500ms --trace -",
        "run examples/hardware-security-module.toml --duration 500ms --trace -",
        "run examples/attacks/keys/lasan-overheard-certificate.toml --trace -",
    ] {
        let output = waywarden().args(words.split(' ')).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let event = line["event"].as_str().unwrap().to_owned();
            // Of the many of one kind a part is checked; of the rare ones each.
            let is_new = seen.insert((words, event.clone(), line["kind"].to_string()));
            if is_new
                || line["t"]
                    .as_f64()
                    .is_some_and(|t| (t as u64).is_multiple_of(17))
            {
                assert!(validator.is_valid(&line), "{words}: {line}");
            }
        }
    }
    let events: BTreeSet<&str> = seen.iter().map(|(_, event, _)| event.as_str()).collect();
    assert!(events.len() >= 12, "{events:?}");
}

#[test]
fn every_schema_is_valid_and_its_documents_are_checked() {
    let output = waywarden().arg("schema").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let names = listed.lines().filter_map(|line| {
        let mut cells = line.split(['│', '┆']).map(str::trim).skip(1);
        cells
            .next()
            .filter(|name| !name.is_empty() && *name != "schema")
    });
    let names: BTreeSet<&str> = names.collect();
    assert!(names.len() > 25, "{listed}");
    for name in &names {
        let schema = schema(name);
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        let id = schema["$id"].as_str().unwrap();
        assert_eq!(id, format!("urn:waywarden:{name}:1"));
    }
    let checked = DOCUMENTS.iter().map(|(name, _)| *name);
    let checked: BTreeSet<&str> = checked.chain(ELSEWHERE.iter().copied()).collect();
    assert_eq!(names, checked);
}

#[test]
fn schema_refuses_a_document_with_a_field_of_another_type() {
    let mut document = json(waywarden().args(["bus", "bits", "123#11", "--format", "json"]));
    check("bus-bits", &document);
    document["id"] = "123".into();
    let validator = jsonschema::draft202012::new(&schema("bus-bits")).unwrap();
    assert!(!validator.is_valid(&document));
}

#[test]
fn unknown_schema_is_named_with_those_that_there_are() {
    let output = waywarden().args(["schema", "ran"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("no schema \"ran\"") && error.contains("bus-load"),
        "{error}"
    );
}

/// Reads a TOML file as JSON.
fn document(path: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    let table: toml::Table = text.parse().unwrap();
    serde_json::to_value(table).unwrap()
}

#[test]
fn files_are_as_their_schemas_say() {
    for (name, path) in [
        ("authentication", "examples/auth.toml"),
        ("pki-profile", "crates/cli/waywarden/src/init/pki.toml"),
        ("service", "crates/cli/waywarden/src/init/station.toml"),
        ("traffic-scenario", "examples/traffic/campus/scenario.toml"),
    ] {
        check(name, &document(&workspace().join(path)));
    }
    let mut boards = 0;
    for entry in std::fs::read_dir(workspace().join("crates/base/boards/data")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            check("board-file", &document(&path));
            boards += 1;
        }
    }
    assert!(boards > 15, "{boards}");
    let folder = tempfile::tempdir().unwrap();
    let measured = folder.path().join("host.toml");
    let mut bench = waywarden();
    bench
        .args(["bench", "board", "--quick", "-o"])
        .arg(&measured);
    bench.assert().success();
    check("board-file", &document(&measured));
}

#[test]
fn board_file_with_two_origins_is_refused_by_schema_and_reader() {
    let path = workspace().join("crates/base/boards/data/tc297.toml");
    let mut board = document(&path);
    let validator = jsonschema::draft202012::new(&schema("board-file")).unwrap();
    assert!(validator.is_valid(&board));
    board["characteristics"]["assumed"] = "as well".into();
    assert!(!validator.is_valid(&board));
}

#[test]
fn frame_tables_of_the_corpus_are_as_their_schema_says() {
    let Some(table) = corpus("can/frame_bits.csv") else {
        return;
    };
    let mut command = waywarden();
    command.args(["bus", "bits", "--format", "json", "--csv"]);
    check("bus-bits-table", &json(command.arg(table)));
}
