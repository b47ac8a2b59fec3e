//! Authentication of messages, in vehicles and in logs.

use waywarden_work::Duration;

use super::shared_keys::{EXTENDED, ID, STREAM, key, table_key, tables, times};
use super::{Key, Kinds, Table, TableForm, TableRule, Value};
use crate::Thing;

/// Limit on entries for streams in one table.
const STREAMS_MAX: usize = 256;

/// No oftener: each announcement restarts all counters of messages.
const ANNOUNCE_MIN: Duration = Duration::from_millis(10);

/// The highest data id under a key that several streams share: the one above is for the keys of
/// 29-bit identifiers.
const SHARED_DATA_ID_MAX: i64 = 0xFFFE;

const SCHEME: Key = key(
    "scheme",
    Value::Word(&["vatican", "leia", "secoc"]),
    "Protocol; other keys depend on it.",
)
.required()
.needed("\"vatican\", \"leia\" or \"secoc\"")
.detail(
    "vatiCAN and LeiA send a tag in a second frame, for classic CAN; SecOC sends freshness and \
     code behind the payload in one frame, classic or CAN FD.",
);

const AUTHENTICATION_NAME: Key =
    key("name", Value::Name, "Its name.").follows("`authentication-1`, counted");

const IN_PLACE: &str = "keys in place when the car starts";

/// The keys of vehicles that all protocols share.
const OF_VEHICLE: &[Key] = &[
    AUTHENTICATION_NAME,
    key(
        "key_store",
        Value::Word(&["software", "module"]),
        "Place of the keys: the software's memory, or a protected module.",
    )
    .text("software")
    .was("vault")
    .detail(
        "An attacker that runs code on the ECU has those in memory; a module holds them with the \
         code that uses them.",
    ),
    key(
        "protect",
        Value::Names(Thing::Stream),
        "Streams that it protects, up to 256; each in one `protect` only.",
    )
    .required()
    .detail(
        "Those of vatiCAN and LeiA have 11-bit identifiers; SecOC's may have 29 (`extended = \
         true`), but no gateway verifies those.",
    ),
    key(
        "unchecked",
        Value::Names(Thing::Ecu),
        "Receivers without keys: they take messages as they are.",
    )
    .follows("none")
    .detail("Not with LeiA, whose frames have 29-bit identifiers."),
    key(
        "group",
        Value::Reference(Thing::KeyGroup),
        "The `[[keys]]` whose group key these streams come under.",
    )
    .follows(IN_PLACE)
    .detail("With hardened profiles, and `key_store = \"software\"`."),
    key(
        "subgroup",
        Value::Any(&[Value::Text, Value::Names(Thing::Ecu)]),
        "Subgroup of `group` whose key it is instead: all its ECUs, or one of the group's \
         `networks`.",
    )
    .follows("the whole group"),
    key(
        "before_first_key",
        Value::Word(&["withhold", "retained"]),
        "With `group`: behaviour of an ECU from its boot until the group has agreed on a key.",
    )
    .text("withhold")
    .detail(
        "`\"withhold\"`: it sends and checks none of these streams; `\"retained\"`: it goes on \
         with the last key that it confirmed, which it keeps through resets and trips.",
    ),
    key(
        "granted_by",
        Value::Reference(Thing::SecurityModule),
        "The `[[keys]]` of the scheme `lasan` whose security module grants a key for each of \
         these streams.",
    )
    .follows(IN_PLACE)
    .detail(
        "And one for the announcements of freshness; in place of `group`, with hardened profiles \
         and `key_store = \"software\"`.",
    ),
];

/// The keys of logs that all protocols share.
const OF_LOG: &[Key] = &[
    AUTHENTICATION_NAME,
    key(
        "protect",
        Value::Any(&[Value::Word(&["all"]), MESSAGES]),
        "Messages that it protects, or all.",
    )
    .required()
    .needed("\"all\", or a list such as [0x280, 0x470]"),
    key("except", MESSAGES, "Messages that it leaves out of all.").follows("none"),
    key("channel", Value::Text, "Channel of the log.").follows("all"),
    key("key", Value::Bytes, "The key: 16 bytes in hexadecimal.")
        .needed("16 bytes in hexadecimal, or a `key_file` with them"),
    key(
        "key_file",
        Value::Text,
        "A file with the key, relative to this file.",
    ),
];

const MESSAGES: Value = Value::List(&Value::Message, usize::MAX);

const TWO_FRAMES: &[Key] = &[
    key(
        "profile",
        Value::Word(&["hardened", "as-published"]),
        "Messages: hardened, or as published with their weaknesses, for comparison.",
    )
    .text("hardened"),
    key(
        "mac",
        Value::Word(&["aes-128-cmac", "spongent-mac", "siphash", "hmac-sha-256"]),
        "Message authentication code.",
    )
    .follows("`\"aes-128-cmac\"`; as published `\"spongent-mac\"`"),
];

const PROFILE: Key = key(
    "profile",
    Value::Word(&[
        "production",
        "toyota",
        "jaspar",
        "autosar-1",
        "autosar-2",
        "autosar-2-as-published",
    ]),
    "Bits of freshness value and authenticator that travel.",
)
.text("production")
.detail(
    "`\"production\"`, also called `\"toyota\"`: that maker's format, 4 bits of freshness and 28 \
     of code; `\"jaspar\"`: AUTOSAR's profile 3; `\"autosar-1\"`: 8 and 24; `\"autosar-2\"`: 0 and \
     24, freshness synchronised; `\"autosar-2-as-published\"`: no freshness at all.",
);

const fn of_profile(name: &'static str, value: Value, summary: &'static str) -> Key {
    key(name, value, summary).follows("the profile's")
}

const MAC_BITS: Key = of_profile(
    "mac_bits",
    Value::Whole(8, 128),
    "Bits of the authenticator that travel; fewer than 24, which can be guessed, to judge a system \
     that has them.",
);

const FRESHNESS_BITS: Key = of_profile(
    "freshness_bits",
    Value::Whole(0, 64),
    "Bits of the freshness value that travel.",
);

const ATTEMPTS: Key = of_profile(
    "attempts",
    Value::Whole(1, 8),
    "Freshness values that a receiver tries.",
);

static FRESHNESS_TABLE: Table = Table {
    name: "freshness",
    summary: "Bits of the parts of the freshness value; without `trip` and `reset` nothing is \
              synchronised.",
    keys: &[
        key("trip", Value::Whole(0, 24), "Trip counter.").whole(0),
        key("reset", Value::Whole(0, 24), "Reset counter.").whole(0),
        key("message", Value::Whole(0, 64), "Message counter.").whole(0),
        key("flag", Value::Whole(0, 2), "Reset flag.").whole(0),
    ],
    ..Table::PLAIN
};

const FRESHNESS: Key = table_key("freshness", &FRESHNESS_TABLE)
    .follows("the profile's")
    .example("a table such as { trip = 16, reset = 20, message = 8, flag = 2 }");

const ANNOUNCE: Key = key(
    "announce",
    times(Some(ANNOUNCE_MIN), None),
    "Time between two announcements of the freshness master.",
)
.text("100ms");

const ANNOUNCE_ID: Key = key(
    "announce_id",
    Value::Whole(0, 0x7FF),
    "Identifier of the announcements, such as 0x00F.",
)
.whole(waywarden_can_auth::secoc::PRODUCTION_ID as i64);

static AREA: Table = Table {
    name: "area",
    summary: "Streams of which only a part is authenticated, in bytes; any node can change the \
              rest.",
    keys: &[
        STREAM,
        key("offset", Value::Whole(0, 63), "First byte.").whole(0),
        key("length", Value::Whole(1, 64), "Number of bytes.")
            .required()
            .needed("how many bytes are authenticated, such as 4"),
    ],
    ..Table::PLAIN
};

static DATA_ID: Table = Table {
    name: "data_id",
    summary: "Streams whose data id is another than their identifier.",
    keys: &[STREAM, data_id(0xFFFF)],
    ..Table::PLAIN
};

static LOG_DATA_ID: Table = Table {
    name: "data_id",
    summary: "Messages whose data id is another than their identifier.",
    keys: &[
        key("stream", Value::Message, "The message.")
            .required()
            .needed("a message of `protect`, such as 0x280"),
        data_id(SHARED_DATA_ID_MAX),
    ],
    ..Table::PLAIN
};

const fn data_id(most: i64) -> Key {
    key("data_id", Value::Whole(0, most), "The data id.")
        .required()
        .needed("a number of 16 bits, such as 0x1234")
}

static CRYPTOGRAPHIC_PDU: Table = Table {
    name: "cryptographic_pdu",
    summary: "Freshness and code in a PDU of their own, one for each stream of the table.",
    keys: &[
        STREAM,
        ID.required()
            .needed("the identifier of the PDU, such as 0x201"),
        EXTENDED,
    ],
    ..Table::PLAIN
};

static SECOC: Table = Table {
    name: "secoc",
    summary: "SecOC: freshness and code behind the payload.",
    shared: OF_VEHICLE,
    keys: &[
        PROFILE,
        MAC_BITS,
        FRESHNESS_BITS,
        ATTEMPTS,
        FRESHNESS,
        tables("areas", TableForm::One(&AREA), STREAMS_MAX).follows("all of every payload"),
        tables("data_ids", TableForm::One(&DATA_ID), STREAMS_MAX)
            .follows("the identifier of each")
            .detail(
                "AUTOSAR's `SecOCDataId`, the first 16 bits that a code is computed over. Two \
                 streams may have one, for each stream has a key of its own.",
            ),
        tables(
            "cryptographic_pdus",
            TableForm::One(&CRYPTOGRAPHIC_PDU),
            STREAMS_MAX,
        )
        .follows("freshness and code behind the payload")
        .detail(
            "The message itself travels as without SecOC, so it may fill its frame, and an \
                 ECU without keys reads it; the code is over the whole payload (no `areas`). A \
                 receiver keeps four messages for 20 ms until their code comes. Nothing else in \
                 the vehicle has these identifiers; gateways forward them with the messages.",
        ),
        key(
            "master",
            Value::Reference(Thing::Ecu),
            "ECU that announces trip and reset counter, on every bus that carries these streams \
             with their codes.",
        )
        .follows("required with synchronised freshness")
        .needed("the ECU that announces how new messages must be"),
        ANNOUNCE,
        ANNOUNCE_ID,
    ],
    rules: &[
        TableRule::Needs("announce", "master"),
        TableRule::Needs("announce_id", "master"),
    ],
};

static VEHICLE_TWO_FRAMES: Table = Table {
    name: "two_frames",
    summary: "vatiCAN or LeiA: the tag travels in a frame of its own.",
    shared: OF_VEHICLE,
    keys: TWO_FRAMES,
    ..Table::PLAIN
};

pub(super) static AUTHENTICATION: Kinds = Kinds {
    name: "authentication",
    summary: "Authentication of messages.",
    word: SCHEME,
    tables: &[
        (&["secoc"], &SECOC),
        (&["vatican", "leia"], &VEHICLE_TWO_FRAMES),
    ],
};

const ONE_KEY: &[TableRule] = &[TableRule::ExactlyOne(&[&["key"], &["key_file"]])];

static LOG_SECOC: Table = Table {
    name: "secoc",
    summary: SECOC.summary,
    shared: OF_LOG,
    keys: &[
        key(
            "fd",
            Value::Flag,
            "True if messages with a code may become CAN FD frames.",
        )
        .flag(false),
        tables("data_ids", TableForm::One(&LOG_DATA_ID), STREAMS_MAX)
            .follows("the identifier of each"),
        PROFILE,
        MAC_BITS,
        FRESHNESS_BITS,
        ATTEMPTS,
        FRESHNESS,
        ANNOUNCE,
        ANNOUNCE_ID,
    ],
    rules: ONE_KEY,
};

static LOG_TWO_FRAMES: Table = Table {
    name: "two_frames",
    summary: VEHICLE_TWO_FRAMES.summary,
    shared: OF_LOG,
    keys: TWO_FRAMES,
    rules: ONE_KEY,
};

pub(super) static LOG_AUTHENTICATION: Kinds = Kinds {
    name: "authentication",
    summary: "Authentication of a log's messages.",
    word: SCHEME,
    tables: &[
        (&["secoc"], &LOG_SECOC),
        (&["vatican", "leia"], &LOG_TWO_FRAMES),
    ],
};
