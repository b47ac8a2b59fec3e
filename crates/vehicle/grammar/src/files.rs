//! The files: vehicles, and the protection of a log's messages.

use super::attackers::ATTACKER;
use super::authentication::{AUTHENTICATION, LOG_AUTHENTICATION};
use super::events::{FAULT, INTERFERER, SOFTWARE};
use super::key_groups::KEY_GROUP;
use super::matrix::{BUS, ECU, REPLAY, ROUTE, STREAM, VEHICLE};
use super::requirements::REQUIRE;
use super::security_modules::LASAN_NETWORK;
use super::shared_keys::{key, table_key, tables};
use super::v2x::V2X;
use super::{
    BUSES_MAX, ECUS_MAX, Kinds, OTHERS_MAX, STREAMS_MAX, Table, TableForm, TableRule, Value,
};

/// A vehicle file.
pub static FILE: Table = Table {
    name: "file",
    summary: "A vehicle file: buses, ECUs, messages, security, attackers and requirements \
              (docs/vehicle-file.md).",
    keys: &[
        table_key("vehicle", &VEHICLE)
            .required()
            .needed("a table with at least a `name`")
            .example("a table, headed [vehicle]"),
        tables("bus", TableForm::One(&BUS), BUSES_MAX)
            .required()
            .needed("at least one [[bus]] with `name` and `bitrate`"),
        tables("ecu", TableForm::One(&ECU), ECUS_MAX),
        tables("stream", TableForm::One(&STREAM), STREAMS_MAX),
        tables("route", TableForm::One(&ROUTE), OTHERS_MAX),
        tables("keys", TableForm::Kinds(&KEYS), OTHERS_MAX),
        tables(
            "authentication",
            TableForm::Kinds(&AUTHENTICATION),
            OTHERS_MAX,
        ),
        tables("software", TableForm::Kinds(&SOFTWARE), ECUS_MAX),
        tables("replay", TableForm::One(&REPLAY), OTHERS_MAX),
        tables("attacker", TableForm::Kinds(&ATTACKER), OTHERS_MAX),
        tables("interferer", TableForm::Kinds(&INTERFERER), OTHERS_MAX),
        tables("fault", TableForm::Kinds(&FAULT), OTHERS_MAX),
        table_key("require", &REQUIRE).example("a table, headed [require]"),
        table_key("v2x", &V2X).example("a table, headed [v2x]"),
    ],
    ..Table::PLAIN
};

/// A file with the protection of a log's messages.
pub static AUTHENTICATION_FILE: Table = Table {
    name: "file",
    summary: "Protection of the messages of a log (docs/auth.md).",
    keys: &[tables(
        "authentication",
        TableForm::Kinds(&LOG_AUTHENTICATION),
        OTHERS_MAX,
    )
    .required()
    .needed("at least one [[authentication]] with `scheme`, `protect` and `key`")],
    rules: &[TableRule::NotEmpty("authentication")],
    ..Table::PLAIN
};

/// The word for a security module in `scheme`.
pub const LASAN: &str = "lasan";

/// A protocol by which ECUs get keys.
pub static KEYS: Kinds = Kinds {
    name: "keys",
    summary: "A protocol by which ECUs get keys.",
    word: key(
        "scheme",
        Value::Word(&[
            "tree-with-orchestrator",
            "tree-without-orchestrator",
            "symmetric-distribution",
            LASAN,
        ]),
        "Protocol.",
    )
    .text("tree-with-orchestrator")
    .detail(
        "A tree with the orchestrator has up to 85 members, the other two of a group up to 127; \
         `\"lasan\"` is a security module, see below.",
    ),
    tables: &[
        (
            &[
                "tree-with-orchestrator",
                "tree-without-orchestrator",
                "symmetric-distribution",
            ],
            &KEY_GROUP,
        ),
        (&[LASAN], &LASAN_NETWORK),
    ],
};
