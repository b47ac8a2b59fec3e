//! Keys that groups and security modules share.

use waywarden_work::Duration;

use super::shared_keys::{ANY_TIME, EXTENDED, key, table_key, times};
use super::{Key, Table, TableForm, Value};
use crate::Thing;

/// Limit on removals and readmissions of a group, and on changes of one kind by the workshop.
const CHANGES_MAX: usize = 1_024;

/// The shortest time from one agreement or epoch to the next: hardly any board is through in it.
const RENEWAL_MIN: Duration = Duration::from_millis(10);

pub(super) const KEYS_NAME: Key =
    key("name", Value::Name, "Its name.").follows("`keys-1`, counted");

/// Identifiers of key frames.
pub static IDENTIFIERS_TABLE: Table = Table {
    name: "key_identifiers",
    summary: "Identifiers that have the bits of a base where a mask has ones. The protocol's \
              fields take the other bits.",
    keys: &[
        key(
            "base",
            Value::Identifier,
            "Bits that all identifiers have; zeros where the mask has zeros.",
        )
        .required(),
        key(
            "mask",
            Value::Identifier,
            "Ones where identifiers have the bits of `base`.",
        )
        .required()
        .detail("As in an acceptance filter; the fields take the others."),
        EXTENDED,
    ],
    ..Table::PLAIN
};

pub(super) const IDENTIFIERS: Key = table_key("identifiers", &IDENTIFIERS_TABLE)
    .example("a table such as { base = 0x03000000, mask = 0x03000000, extended = true }");

pub(super) const TRANSPORT: Key = key(
    "transport",
    Value::Word(&["classic", "fd"]),
    "Frame format of its messages: 8 or 64 bytes a frame.",
)
.follows("`\"fd\"` if all its buses are CAN FD");

pub(super) const GIVES_WAY: Key = key(
    "gives_way",
    Value::Flag,
    "True if its frames lose arbitration to application traffic.",
)
.flag(false);

pub(super) const RENEWAL: Value = times(Some(RENEWAL_MIN), None);

pub(super) const START: Key = key(
    "start",
    ANY_TIME,
    "Time from power-on until the first agreement or epoch begins.",
)
.follows(
    "when the last of its ECUs is up, and 200 bits of its slowest bus later, when all are \
     listening",
);

static TURN: Table = Table {
    name: "turn",
    summary: "An ECU, and a time from power-on.",
    keys: &[
        key("ecu", Value::Reference(Thing::Ecu), "The ECU.").required(),
        key("at", ANY_TIME, "Time from power-on.").required(),
    ],
    ..Table::PLAIN
};

pub(super) const fn turns(name: &'static str, summary: &'static str) -> Key {
    key(
        name,
        Value::Tables(TableForm::One(&TURN), CHANGES_MAX),
        summary,
    )
    .follows("none")
}
