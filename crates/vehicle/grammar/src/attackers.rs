//! Attackers.

use super::events::KEY_BUS;
use super::shared_keys::{
    BRS, BUS, DATA, ECU, ECUS_OR_ALL, EVENT, EXTENDED, FORMAT, ID, KEY_FRAMES, LENGTH, ONE_STREAM,
    PERIOD, POSITIVE, PROBABILITY, SENDERS_BUS, STREAM, key,
};
use super::{Key, Kinds, Table, TableRule, Value};
use crate::Thing;

const DELAY: Key = key(
    "delay",
    POSITIVE,
    "Time until the frames come again, within the window.",
)
.required()
.needed("how much later the frames come again, such as \"200ms\"");

const REORDER: Key = key(
    "reorder",
    Value::Whole(1, 1_024),
    "Size of the groups that it shuffles; 1 keeps the order.",
)
.whole(1);

const HOLD: Key = key(
    "hold",
    POSITIVE,
    "Time after `from` for which it listens, before it uses what it kept.",
)
.text("50ms");

const GATEWAY: Key = key("gateway", Value::Reference(Thing::Ecu), "The gateway.").required();

const FORWARDED: Key = key(
    "streams",
    Value::Names(Thing::Stream),
    "Streams that it forwards.",
)
.required();

const GATEWAY_BUS: Key = key(
    "bus",
    Value::Reference(Thing::Bus),
    "Bus on which the gateway sends.",
)
.follows("all");

const SET: Key = key("set", Value::Bytes, "New bytes; or else a mask in `xor`.")
    .needed("the new bytes in hexadecimal, or `xor` with a mask");

const XOR: Key = key("xor", Value::Bytes, "A mask; or else new bytes in `set`.");

const fn first_byte(most: i64) -> Key {
    key("at", Value::Whole(0, most), "First byte that is changed.").whole(0)
}

const EDIT: &[TableRule] = &[TableRule::ExactlyOne(&[&["set"], &["xor"]])];

static SPOOF_STREAM: Table = Table {
    summary: "Sends frames under a stream's identifier.",
    shared: EVENT,
    keys: &[
        STREAM,
        SENDERS_BUS.follows("the sender's"),
        DATA.text("random"),
        key("period", PERIOD, "Time between two forged frames.").follows("the stream's"),
    ],
    ..Table::PLAIN
};

static SPOOF_ID: Table = Table {
    summary: "Sends frames under an identifier.",
    shared: EVENT,
    keys: &[
        ID.required(),
        EXTENDED,
        BUS.needed("the bus it happens on"),
        FORMAT,
        BRS,
        LENGTH,
        DATA,
        key("period", PERIOD, "Time between two forged frames.")
            .required()
            .needed("the time between two forged frames, such as \"10ms\""),
    ],
    rules: &[TableRule::LengthOrBytes],
    ..Table::PLAIN
};

static REPLAY: Table = Table {
    summary: "Records frames, those of a stream with their tags, and sends them again.",
    shared: EVENT,
    keys: &[
        ONE_STREAM,
        ID.follows("all frames of `bus`"),
        EXTENDED,
        SENDERS_BUS,
        DELAY,
        REORDER,
    ],
    rules: &[
        TableRule::AtLeastOne(&[&["stream"], &["bus"]]),
        TableRule::NotBoth(&["stream", "id"]),
    ],
    ..Table::PLAIN
};

static REPLAY_KEYS: Table = Table {
    summary: "Records frames of a key protocol, and sends them again.",
    shared: EVENT,
    keys: &[KEY_FRAMES, KEY_BUS, DELAY, REORDER],
    ..Table::PLAIN
};

static FORGE: Table = Table {
    summary: "Hears a stream, has no key of it, and sends what fits the moment.",
    shared: EVENT,
    keys: &[
        key(
            "trick",
            Value::Word(&[
                "messages",
                "data-before-tag",
                "bare-tag",
                "epoch-jump",
                "complaint",
                "reorder",
                "counter-jump",
                "other-counter",
            ]),
            "Weakness that it uses.",
        )
        .required()
        .needed("what it does, such as \"messages\"")
        .detail("See below."),
        key(
            "burst",
            Value::Whole(1, 1_000),
            "Number of forgeries after each message.",
        )
        .whole(1),
        HOLD.detail("Of the tricks that keep messages."),
        STREAM.needed("the stream it is about"),
        EXTENDED,
        SENDERS_BUS.follows("the sender's"),
    ],
    ..Table::PLAIN
};

static RELAY: Table = Table {
    summary: "Sends on one bus what it hears on another.",
    shared: EVENT,
    keys: &[
        key("source", Value::Reference(Thing::Bus), "Bus that it hears.")
            .required()
            .needed("the bus it hears"),
        key("bus", Value::Reference(Thing::Bus), "Bus that it sends on.")
            .required()
            .needed("the bus it sends on"),
    ],
    ..Table::PLAIN
};

static FLOOD: Table = Table {
    summary: "Keeps the bus busy.",
    shared: EVENT,
    keys: &[
        BUS,
        ID.whole(0).detail("`0x000` always wins."),
        EXTENDED,
        key(
            "rate",
            Value::FrameRate,
            "Frames a second; full: always another one waiting.",
        )
        .text("full"),
        FORMAT,
        BRS,
        LENGTH.follows("8, if `data` is left out too"),
        DATA.follows("zeros, if `length` is left out too"),
    ],
    rules: &[TableRule::LengthOrBytesWith("data")],
    ..Table::PLAIN
};

static REGISTER: Table = Table {
    summary: "Registers with a security module in the names of its ECUs, one after the other, \
              with what it has overheard of each.",
    shared: EVENT,
    keys: &[
        key(
            "bus",
            Value::Reference(Thing::Bus),
            "Bus of the security module.",
        )
        .required(),
        key(
            "ecus",
            Value::Names(Thing::Ecu),
            "ECUs in whose names it registers.",
        )
        .follows("all members"),
        key("period", PERIOD, "Time from one attempt to the next.")
            .required()
            .needed("the time from one registration to the next, such as \"1ms\""),
    ],
    ..Table::PLAIN
};

static MASQUERADE: Table = Table {
    summary: "Plays an ECU, or the security module, in the messages of `scheme = \"lasan\"`, with \
              a secret of its own and what is public: the certificate, and the security module's \
              messages to all. Cut the genuine one off by a `[[fault]]`, or both answer.",
    shared: EVENT,
    keys: &[
        key(
            "bus",
            Value::Reference(Thing::Bus),
            "Bus of the security module.",
        )
        .required(),
        key("ecu", Value::Reference(Thing::Ecu), "ECU that it plays.").required(),
        HOLD,
        key(
            "certificate",
            Value::Word(&["overheard", "of-an-ecu"]),
            "Certificate that it shows.",
        )
        .text("overheard")
        .detail(
            "`\"of-an-ecu\"`, for the security module: the authority issued it one with that name \
             for an ECU.",
        ),
    ],
    ..Table::PLAIN
};

static MAN_IN_THE_MIDDLE: Table = Table {
    summary: "A gateway that is neither security module nor member plays the security module and \
              an ECU behind it to each other.",
    shared: EVENT,
    keys: &[GATEWAY, ECU],
    ..Table::PLAIN
};

static SUPPRESS: Table = Table {
    summary: "A gateway drops messages that it should forward.",
    shared: EVENT,
    keys: &[GATEWAY, FORWARDED, PROBABILITY],
    ..Table::PLAIN
};

static SUPPRESS_KEYS: Table = Table {
    summary: "A gateway drops frames of a key protocol.",
    shared: EVENT,
    keys: &[GATEWAY, KEY_FRAMES, GATEWAY_BUS, PROBABILITY],
    ..Table::PLAIN
};

static MODIFY: Table = Table {
    summary: "A gateway changes messages that it forwards.",
    shared: EVENT,
    keys: &[GATEWAY, FORWARDED, PROBABILITY, first_byte(63), SET, XOR],
    rules: EDIT,
    ..Table::PLAIN
};

static MODIFY_KEYS: Table = Table {
    summary: "A gateway changes frames of a key protocol.",
    shared: EVENT,
    keys: &[
        GATEWAY,
        KEY_FRAMES,
        GATEWAY_BUS,
        PROBABILITY,
        // The longest messages have fewer bytes.
        first_byte(8_191).detail("Of the message."),
        SET,
        XOR,
    ],
    rules: EDIT,
    ..Table::PLAIN
};

static COMPROMISE: Table = Table {
    summary: "Runs code on ECUs, beside their protected modules, with the keys that their \
              programs may use.",
    shared: EVENT,
    keys: &[
        key("period", PERIOD, "Time between two turns.").text("10ms"),
        key("ecus", ECUS_OR_ALL, "The ECUs, or all.").required(),
    ],
    ..Table::PLAIN
};

pub(super) static ATTACKER: Kinds = Kinds {
    name: "attacker",
    summary: "An attacker.",
    word: key(
        "kind",
        Value::Word(&[
            "spoof",
            "replay",
            "forge",
            "relay",
            "flood",
            "register",
            "masquerade",
            "man-in-the-middle",
            "suppress",
            "modify",
            "compromise",
        ]),
        "Kind of attack; other keys depend on it.",
    )
    .required()
    .needed("a word such as \"spoof\", \"bit-errors\" or \"reset\""),
    tables: &[
        (&["spoof"], &SPOOF_STREAM),
        (&["spoof"], &SPOOF_ID),
        (&["replay"], &REPLAY),
        (&["replay"], &REPLAY_KEYS),
        (&["forge"], &FORGE),
        (&["relay"], &RELAY),
        (&["flood"], &FLOOD),
        (&["register"], &REGISTER),
        (&["masquerade"], &MASQUERADE),
        (&["man-in-the-middle"], &MAN_IN_THE_MIDDLE),
        (&["suppress"], &SUPPRESS),
        (&["suppress"], &SUPPRESS_KEYS),
        (&["modify"], &MODIFY),
        (&["modify"], &MODIFY_KEYS),
        (&["compromise"], &COMPROMISE),
    ],
};
