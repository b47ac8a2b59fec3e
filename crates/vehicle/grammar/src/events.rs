//! Programs of ECUs, disturbances on the wire, and faults.

use super::matrix::CLOCK_PPM;
use super::shared_keys::{
    ANY_TIME, BUS, ECU, EVENT, EXTENDED, ID, KEY_FRAMES, ONE_STREAM, PERIOD, POSITIVE, PROBABILITY,
    SENDERS_BUS, SHARE, key, tables,
};
use super::{Key, Kinds, Table, TableForm, TableRule, Value};
use crate::Thing;

/// Limit on pressed keys.
const PRESSES_MAX: usize = 4_096;

static PRESS: Table = Table {
    name: "press",
    summary: "Keys that are pressed.",
    keys: &[
        key("at", ANY_TIME, "Time from power-on.").required(),
        key(
            "key",
            Value::Word(&["2", "3", "5", "6", "D"]),
            "The key: 2 slower, 3 faster, 5 left, 6 right, D hazard lights.",
        )
        .required()
        .needed("\"2\" slower, \"3\" faster, \"5\" left, \"6\" right, \"D\" hazard"),
        key("held", POSITIVE, "Duration for which it is held.").text("200ms"),
    ],
    ..Table::PLAIN
};

const fn stream(name: &'static str, summary: &'static str) -> Key {
    key(name, Value::Reference(Thing::Stream), summary).required()
}

const RPM: Key = stream("rpm", "Stream of the engine speed, 8 bytes.");
const INDICATORS: Key = stream("indicators", "Stream of the indicators, 8 bytes.");
const PROGRAM_ECU: &[Key] = &[key(
    "ecu",
    Value::Reference(Thing::Ecu),
    "The ECU; one program for each.",
)
.required()];

pub(super) static SOFTWARE: Kinds = Kinds {
    name: "software",
    summary: "A program of the test bench of [VULCAN].",
    word: key(
        "program",
        Value::Word(&["central-unit", "wheel", "instrument-cluster"]),
        "The program.",
    )
    .required()
    .needed("\"central-unit\", \"wheel\" or \"instrument-cluster\""),
    tables: &[
        (
            &["central-unit"],
            &Table {
                summary: "Reads a keypad and controls wheels and clusters.",
                shared: PROGRAM_ECU,
                keys: &[
                    stream("left", "Stream of the left wheel, 1 byte."),
                    stream("right", "Stream of the right wheel, 1 byte."),
                    RPM,
                    INDICATORS,
                    tables("keypad", TableForm::One(&PRESS), PRESSES_MAX).follows("nothing"),
                ],
                ..Table::PLAIN
            },
        ),
        (
            &["wheel"],
            &Table {
                summary: "Shows a speed with two digits, and `bAd` when a message was refused.",
                shared: PROGRAM_ECU,
                keys: &[stream("shows", "Stream that it shows, 1 byte.")],
                ..Table::PLAIN
            },
        ),
        (
            &["instrument-cluster"],
            &Table {
                summary: "Shows engine speed, arrows and a warning lamp, which goes off 500 ms \
                          after the last warning.",
                shared: PROGRAM_ECU,
                keys: &[RPM, INDICATORS],
                ..Table::PLAIN
            },
        ),
    ],
};

/// Rules of frames that are chosen by a stream, or by identifier and bus.
const AIMED: &[TableRule] = &[TableRule::ExactlyOne(&[&["stream"], &["id", "bus"]])];

const RATE: Key = key("rate", SHARE, "Probability of an error in one bit.").required();

/// The word of the kind that key frames can be the target of.
const OVERWRITE: &str = "error-passive-overwrite";

const OVERWRITTEN: Key =
    key("data", Value::Data, "Payload that is written over them.").text("zero");

pub(super) static INTERFERER: Kinds = Kinds {
    name: "interferer",
    summary: "A disturbance on the wire, below the level of frames.",
    word: key(
        "kind",
        Value::Word(&[
            "bit-errors",
            "receiver-local",
            "bus-off",
            OVERWRITE,
            "babbling",
            "double-receive",
            "janus",
        ]),
        "Kind of disturbance; other keys depend on it.",
    )
    .required()
    .needed("a word such as \"spoof\", \"bit-errors\" or \"reset\""),
    tables: &[
        (
            &["bit-errors"],
            &Table {
                summary: "Flips each bit for all nodes with a probability.",
                shared: EVENT,
                keys: &[BUS, RATE],
                ..Table::PLAIN
            },
        ),
        (
            &["receiver-local"],
            &Table {
                summary: "Flips each bit for one receiver only.",
                shared: EVENT,
                keys: &[BUS, ECU, RATE],
                ..Table::PLAIN
            },
        ),
        (
            &["bus-off"],
            &Table {
                summary: "Destroys the sender's frames until it is bus-off.",
                shared: EVENT,
                keys: &[ONE_STREAM, ID, EXTENDED, SENDERS_BUS],
                rules: AIMED,
                ..Table::PLAIN
            },
        ),
        (
            &[OVERWRITE],
            &Table {
                summary: "Drives the sender error-passive, then overwrites its frames, which it \
                          cannot destroy then.",
                shared: EVENT,
                keys: &[ONE_STREAM, ID, EXTENDED, SENDERS_BUS, OVERWRITTEN],
                rules: AIMED,
                ..Table::PLAIN
            },
        ),
        (
            &[OVERWRITE],
            &Table {
                summary: "Overwrites each frame of a key protocol once.",
                shared: EVENT,
                keys: &[KEY_FRAMES, KEY_BUS, OVERWRITTEN],
                ..Table::PLAIN
            },
        ),
        (
            &["babbling"],
            &Table {
                summary: "Holds the bus dominant again and again.",
                shared: EVENT,
                keys: &[
                    BUS,
                    key("period", PERIOD, "Time from burst to burst.")
                        .required()
                        .needed("the time from burst to burst, such as \"5ms\""),
                    key("bits", Value::Whole(1, 100_000), "Bit times in a burst.").whole(6),
                ],
                ..Table::PLAIN
            },
        ),
        (
            &["double-receive"],
            &Table {
                summary: "Disturbs the last bit of end-of-frame at the sender, so that receivers \
                          get the frame twice.",
                shared: EVENT,
                keys: &[ONE_STREAM, ID, EXTENDED, SENDERS_BUS, PROBABILITY],
                rules: &[
                    TableRule::AtLeastOne(&[&["stream"], &["bus"]]),
                    TableRule::NotBoth(&["stream", "id"]),
                ],
                ..Table::PLAIN
            },
        ),
        (
            &["janus"],
            &Table {
                summary: "Lets some receivers sample another payload than the rest, in frames \
                          where both payloads have as many bits on the wire, stuff bits \
                          included; it leaves other frames alone.",
                shared: EVENT,
                keys: &[
                    ONE_STREAM,
                    ID,
                    EXTENDED,
                    SENDERS_BUS,
                    key("data", Value::Bytes, "The other payload.").required(),
                    key(
                        "receivers",
                        Value::Names(Thing::Ecu),
                        "ECUs that sample it.",
                    )
                    .required(),
                ],
                rules: AIMED,
                ..Table::PLAIN
            },
        ),
    ],
};

/// The bus of frames of a key protocol.
pub(super) const KEY_BUS: Key = key(
    "bus",
    Value::Reference(Thing::Bus),
    "Bus on which the frames are recorded or overwritten.",
)
.follows("the first of the `[[keys]]`");

pub(super) static FAULT: Kinds = Kinds {
    name: "fault",
    summary: "A fault of an ECU.",
    word: key(
        "kind",
        Value::Word(&["reset", "replaced", "clock-drift", "bus-open"]),
        "Kind of fault; other keys depend on it.",
    )
    .required()
    .needed("a word such as \"spoof\", \"bit-errors\" or \"reset\""),
    tables: &[
        (
            &["reset"],
            &Table {
                summary: "Holds a running ECU in reset, then boots it at `until`, or at once; \
                          only what it retained survives.",
                shared: EVENT,
                keys: &[ECU],
                ..Table::PLAIN
            },
        ),
        (
            &["replaced"],
            &Table {
                summary: "Puts a new part in the place of the ECU: nothing that was retained is \
                          in it.",
                shared: EVENT,
                keys: &[ECU],
                ..Table::PLAIN
            },
        ),
        (
            &["clock-drift"],
            &Table {
                summary: "Lets its clock run faster.",
                shared: EVENT,
                keys: &[
                    ECU,
                    key("ppm", CLOCK_PPM, "Millionths, besides its `clock_ppm`.")
                        .required()
                        .needed("how much faster the clock runs, in millionths, such as 200"),
                ],
                ..Table::PLAIN
            },
        ),
        (
            &["bus-open"],
            &Table {
                summary: "Cuts it off from a bus.",
                shared: EVENT,
                keys: &[
                    ECU,
                    key("bus", Value::Reference(Thing::Bus), "The bus.")
                        .follows("all of its buses"),
                ],
                ..Table::PLAIN
            },
        ),
    ],
};
