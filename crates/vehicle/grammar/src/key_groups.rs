//! Groups of ECUs that agree on a key.

use super::key_protocols::{GIVES_WAY, IDENTIFIERS, KEYS_NAME, RENEWAL, START, TRANSPORT, turns};
use super::shared_keys::{ANY_TIME, NAME, key};
use super::{Table, TableForm, Value};
use crate::Thing;

/// Limit on networks of a group: each has at least one of 127 members.
const NETWORKS_MAX: usize = 127;

static NETWORK: Table = Table {
    name: "network",
    summary: "Networks that the group is merged of, each with a key of its own; in place of \
              `members`.",
    keys: &[
        NAME,
        key("members", Value::Names(Thing::Ecu), "Its ECUs.")
            .required()
            .needed("the ECUs of this network, such as [\"brakes\"]"),
        key("joins", ANY_TIME, "Time at which it joins the others.").follows("from the start"),
    ],
    ..Table::PLAIN
};

pub(super) static KEY_GROUP: Table = Table {
    name: "key_group",
    summary: "ECUs that agree on a key.",
    keys: &[
        KEYS_NAME,
        key(
            "odd_levels",
            Value::Word(&["skipped", "promoted"]),
            "Treatment of the last entry of a level with an odd number of entries.",
        )
        .text("skipped")
        .detail(
            "`\"skipped\"`: it joins the next level unchanged; `\"promoted\"`: it becomes a \
             logical ECU by one more order.",
        ),
        key("suite", Value::Word(&["fourq", "p256"]), "Algorithms.")
            .text("fourq")
            .detail("FourQ and SchnorrQ, or ECDH and ECDSA."),
        key(
            "profile",
            Value::Word(&["hardened", "as-published"]),
            "Messages: hardened, or the paper's.",
        )
        .text("hardened")
        .detail("Those as published have their weaknesses, for comparison."),
        key(
            "orchestration",
            Value::Word(&["each", "signed-ahead", "once"]),
            "Messages that start the exchanges.",
        )
        .text("each")
        .detail(
            "`\"each\"`: a signed message before each exchange; `\"signed-ahead\"`: all of them \
             signed before the first is sent; `\"once\"`: one message for all, only in the tree \
             without the orchestrator.",
        ),
        key(
            "pace",
            Value::Word(&["as-ready", "by-level"]),
            "Earliest begin of an exchange.",
        )
        .text("as-ready")
        .detail(
            "`\"as-ready\"`: when those below it are through; `\"by-level\"`: when their whole \
             level is.",
        ),
        key(
            "orchestrator",
            Value::Reference(Thing::Ecu),
            "ECU that orders the exchanges.",
        )
        .required(),
        key(
            "buses",
            Value::Names(Thing::Bus),
            "Buses that carry its frames, one of the orchestrator's among them.",
        )
        .follows("those of the orchestrator")
        .detail(
            "Groups share a bus only with [`identifiers`](#identifiers-of-key-frames) of their \
             own.",
        ),
        TRANSPORT,
        IDENTIFIERS.follows("29 bits, all for the fields"),
        key(
            "gateway",
            Value::Reference(Thing::Ecu),
            "ECU on all of several buses that forwards key frames.",
        )
        .follows("the orchestrator"),
        key(
            "networks",
            Value::Tables(TableForm::One(&NETWORK), NETWORKS_MAX),
            NETWORK.summary,
        )
        .follows("none")
        .detail("See below."),
        key(
            "members",
            Value::Names(Thing::Ecu),
            "The other ECUs of the group.",
        )
        .follows("all ECUs on its buses"),
        START,
        GIVES_WAY.detail("Frames of a renewal do in any case."),
        key(
            "hold_streams",
            Value::Flag,
            "True if the streams of its ECUs begin only with its first key.",
        )
        .flag(false)
        .detail("Each at its offset from then."),
        key(
            "renewal",
            RENEWAL,
            "Time between two agreements while driving.",
        )
        .follows("none")
        .detail(
            "It begins when all ECUs have acknowledged the last key or are excluded. `run` warns \
             of a time below the computing time of the slowest ECU for one key.",
        ),
        turns("remove", "ECUs that leave the group."),
        turns("readmit", "ECUs that come back, as in `remove`."),
    ],
    ..Table::PLAIN
};
