//! Keys that several kinds of table share.

use waywarden_work::Duration;

use super::{Key, Preset, Table, TableForm, TableRule, Times, Value};
use crate::Thing;

/// Names a key that may be left out; the summary is a sentence.
pub(super) const fn key(name: &'static str, value: Value, summary: &'static str) -> Key {
    Key {
        name,
        value,
        preset: Preset::Absent,
        summary,
        detail: "",
        needed: "",
        example: "",
        was: "",
    }
}

/// Names a table within a table, whose summary is that of the table.
pub(super) const fn table_key(name: &'static str, table: &'static Table) -> Key {
    key(name, Value::Table(table), table.summary)
}

/// Names a list of tables, whose summary is that of the tables.
pub(super) const fn tables(name: &'static str, form: TableForm, most: usize) -> Key {
    let summary = match form {
        TableForm::One(table) => table.summary,
        TableForm::Kinds(kinds) => kinds.summary,
    };
    key(name, Value::Tables(form, most), summary)
}

/// A duration, zero included.
pub(super) const ANY_TIME: Value = Value::Duration(Times {
    is_zero_allowed: true,
    least: None,
    most: None,
});

/// A duration above zero.
pub(super) const POSITIVE: Value = times(None, None);

/// The time from one event to the next: shorter than any frame, so that a bus can be overloaded,
/// and long enough that a run comes to its end.
pub(super) const PERIOD: Value = times(Some(Duration::from_micros(1)), None);

/// A duration above zero within bounds.
pub(super) const fn times(least: Option<Duration>, most: Option<Duration>) -> Value {
    Value::Duration(Times {
        is_zero_allowed: false,
        least,
        most,
    })
}

/// Any share.
pub(super) const SHARE: Value = Value::Share(0.0, 1.0);

/// Names of ECUs, or all of them.
pub(super) const ECUS_OR_ALL: Value =
    Value::Any(&[Value::Word(&["all"]), Value::Names(Thing::Ecu)]);

pub(super) const NAME: Key = key("name", Value::Name, "Its name.").required();

/// The name of an event in a trace.
pub(super) const EVENT_NAME: Key = key("name", Value::Name, "Its name in the trace.")
    .follows("its kind of table and number, such as `attacker-1`");

pub(super) const FROM: Key = key("from", ANY_TIME, "Beginning, from power-on.").text("0ms");

pub(super) const UNTIL: Key =
    key("until", POSITIVE, "End, from power-on.").follows("the end of the run");

pub(super) const OPTIONAL: Key = key(
    "optional",
    Value::Flag,
    "True if a run in which it never acts may meet its requirements.",
)
.flag(false);

/// The keys of everything that happens in a run.
pub(super) const EVENT: &[Key] = &[EVENT_NAME, FROM, UNTIL, OPTIONAL];

pub(super) const ID: Key = key(
    "id",
    Value::Identifier,
    "CAN identifier: up to 0x7FF, or to 0x1FFFFFFF with `extended = true`.",
);

pub(super) const EXTENDED: Key = key(
    "extended",
    Value::Flag,
    "True if the identifier has 29 bits.",
)
.flag(false);

pub(super) const FORMAT: Key = key(
    "format",
    Value::Word(&["classic", "fd"]),
    "Frame format: classic CAN or CAN FD.",
)
.follows("`\"fd\"` on a CAN FD bus, else `\"classic\"`");

pub(super) const BRS: Key = key(
    "brs",
    Value::Flag,
    "True if a CAN FD frame switches to the data bit rate.",
)
.flag(true);

pub(super) const LENGTH: Key = key(
    "length",
    Value::Whole(0, 64),
    "Payload in bytes: 0 to 8; with CAN FD also 12, 16, 20, 24, 32, 48 and 64.",
)
.follows("the length of `data`, if it has bytes; else required")
.needed("the payload in bytes, such as 8");

pub(super) const DATA: Key = key("data", Value::Data, "Payload.").text("counter").detail(
    "`\"counter\"` is the number of the instance, little endian; else `\"random\"`, \
         `\"zero\"`, or the bytes in hexadecimal.",
);

pub(super) const BUS: Key = key("bus", Value::Reference(Thing::Bus), "The bus.").required();

pub(super) const SENDERS_BUS: Key = key(
    "bus",
    Value::Reference(Thing::Bus),
    "A bus that carries the frames.",
)
.follows("the sender's, with `stream`; else required")
.needed("the bus it happens on");

pub(super) const ECU: Key = key("ecu", Value::Reference(Thing::Ecu), "The ECU.").required();

pub(super) const STREAM: Key =
    key("stream", Value::Reference(Thing::Stream), "The stream.").required();

/// A stream that may be chosen in place of an identifier.
pub(super) const ONE_STREAM: Key = key(
    "stream",
    Value::Reference(Thing::Stream),
    "The stream whose frames they are, in place of `id`.",
)
.needed("the stream it is about, or else an `id`");

pub(super) const PROBABILITY: Key = key(
    "probability",
    SHARE,
    "Probability that a frame is affected.",
)
.text("100%");

/// Frames of a key protocol, at which an attacker aims.
pub static KEY_FRAMES_TABLE: Table = Table {
    name: "key_frames",
    summary: "Frames of a key protocol.",
    keys: &[
        key(
            "occurrence",
            Value::Whole(1, 1 << 32),
            "Number of the message among these, counted from 1 while the attacker acts.",
        )
        .detail("Each bus counts for itself.")
        .follows("each"),
        key(
            "participants",
            Value::Names(Thing::Ecu),
            "ECUs that the identifier must have.",
        )
        .detail("As first or second participant of the exchange, or as source or target.")
        .follows("any"),
        key(
            "keys",
            Value::Reference(Thing::KeyGroup),
            "The `[[keys]]` whose frames they are.",
        )
        .follows("the only one")
        .needed("the name of the [[keys]] whose frames they are"),
        key(
            "steps",
            Value::Names(Thing::KeyStep),
            "Steps of a group's exchange.",
        )
        .detail(
            "By their names in [gke.md](protocols/gke.md#frames), such as `\"orchestration\"` or \
             `\"share-a\"`; of both profiles.",
        )
        .follows("all"),
        key(
            "result",
            Value::Any(&[Value::Word(&["group"]), Value::Names(Thing::Ecu)]),
            "Result of a group's exchange: the whole group, or one logical ECU by all of its ECUs.",
        )
        .follows("any"),
        key(
            "messages",
            Value::Names(Thing::KeyMessage),
            "Messages of a security module.",
        )
        .detail("By their names in [lasan.md](protocols/lasan.md#messages), such as `\"request\"`.")
        .follows("all"),
    ],
    rules: &[TableRule::DependOnOthers],
    ..Table::PLAIN
};

pub(super) const KEY_FRAMES: Key = table_key("key_frames", &KEY_FRAMES_TABLE)
    .required()
    .example("a table such as { keys = \"drive\", steps = [\"share-b\"] }");
