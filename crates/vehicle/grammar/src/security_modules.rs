//! Security modules that grant keys.

use waywarden_work::Duration;

use super::key_protocols::{GIVES_WAY, IDENTIFIERS, KEYS_NAME, RENEWAL, START, TRANSPORT, turns};
use super::shared_keys::{ANY_TIME, FROM, POSITIVE, STREAM, UNTIL, key, times};
use super::{Table, TableForm, Value};
use crate::Thing;

/// Default lifetime of a stream's key.
pub const STREAM_KEY: Duration = Duration::from_millis(10 * 60 * 1_000);

/// Shortest lifetime of a stream's key: in its last quarter the next one is requested, granted to
/// all, and acknowledged, which takes some frames of each.
pub const STREAM_KEY_MIN: Duration = Duration::from_millis(100);

/// Limit on streams that a security module protects.
pub const PROTECTED_MAX: usize = 256;

/// The longest pause between two frames: a message of hundreds of frames is still sent in a minute.
pub const PACING_MAX: Duration = Duration::from_millis(100);

static WINDOW: Table = Table {
    name: "window",
    summary: "Times at which a protected stream may be sent, in whole milliseconds.",
    keys: &[STREAM, FROM, UNTIL],
    ..Table::PLAIN
};

pub(super) static LASAN_NETWORK: Table = Table {
    name: "lasan_network",
    summary: "A security module that authenticates and authorizes ECUs (LASAN).",
    keys: &[
        KEYS_NAME.follows("`keys-1`, counted with the groups"),
        key("suite", Value::Reference(Thing::Suite), "Algorithms.")
            .text("p256")
            .detail(
                "Or `\"fourq\"`, `\"ml-kem-768+ml-dsa-44\"`, `\"ml-kem-768+ml-dsa-65\"`, \
                 `\"ml-kem-512+fn-dsa-512\"`, `\"ml-kem-768+fn-dsa-1024\"`, \
                 `\"x25519-ml-kem-768+ml-dsa-65\"`.",
            ),
        key(
            "profile",
            Value::Word(&["hardened", "compact", "as-published"]),
            "Messages.",
        )
        .text("hardened")
        .detail(
            "`\"compact\"`: an ECU authenticates without a signature, which with post-quantum \
             suites is less computing, and fewer bytes except with `ml-kem-512+fn-dsa-512`; \
             `\"as-published\"`: the testbed's messages with their weaknesses, for comparison.",
        ),
        key(
            "credentials",
            Value::Word(&["certificates", "digests", "keys"]),
            "Form in which nodes know keys.",
        )
        .follows("`\"certificates\"`; `\"keys\"` with `\"compact\"`")
        .detail(
            "By certificates, by enrolled digests, or by enrolled keys that no node has to send. \
             As published only the first.",
        ),
        key(
            "security_module",
            Value::Reference(Thing::Ecu),
            "ECU that is the root of trust.",
        )
        .required(),
        key(
            "buses",
            Value::Names(Thing::Bus),
            "Buses that carry its frames, one of the security module's among them.",
        )
        .follows("those of the security module")
        .detail(
            "Security modules share a bus only with \
             [`identifiers`](#identifiers-of-key-frames) of their own; a group and a security \
             module share one without.",
        ),
        TRANSPORT,
        IDENTIFIERS.follows("29 bits with 0xB in bits 24 to 27"),
        key(
            "gateway",
            Value::Reference(Thing::Ecu),
            "ECU on all of several buses that forwards key frames.",
        )
        .follows("the security module")
        .detail(
            "It brings a message to the bus of the ECU that it is for, and the security module's \
             start-up message and beacons to all; it does so in order, one frame at a time in \
             each controller, whatever its `queue` says.",
        ),
        key(
            "pacing",
            times(None, Some(PACING_MAX)),
            "Least time from one frame of an ECU to its next.",
        )
        .follows("none: as fast as the bus takes them")
        .detail("The paper's testbed has `\"0.5ms\"`."),
        key(
            "members",
            Value::Names(Thing::Ecu),
            "ECUs that authenticate to it, up to 126; addresses are 1 to 127.",
        )
        .follows("all other ECUs on its buses"),
        GIVES_WAY,
        START,
        key(
            "renewal",
            RENEWAL,
            "Time between two epochs, in each of which all ECUs are authenticated again.",
        )
        .follows("none")
        .detail(
            "One waits as long as ECUs are still being authenticated in the last. `run` warns of \
             a time below the security module's computing time for one epoch.",
        ),
        key(
            "stream_key",
            times(Some(STREAM_KEY_MIN), None),
            "Lifetime of a stream's key; ECUs ask for a new one before its end.",
        )
        .follows("`\"10min\"`, or what these frames take")
        .detail(
            "No protected stream may have more than 65,536 frames in it. It has to be enough for \
             the next key to arrive in time on these boards and buses, also while other ECUs are \
             authenticated: four of the security module's answers and twice a registration's time \
             on the bus, some 2 s with P-256 on TC297 and 13 s on M3 for three ECUs. An error has \
             the least value. `run` warns of a key that a stream's period makes too short for \
             this, and of an ECU whose protected streams take more than all of its time.",
        ),
        key(
            "valid_from",
            ANY_TIME,
            "Beginning of the validity of certificates, in whole milliseconds.",
        )
        .follows("always"),
        key(
            "valid_until",
            POSITIVE,
            "End of the validity of certificates, in whole milliseconds; not before `start`.",
        )
        .follows("always"),
        key(
            "protect",
            Value::Names(Thing::Stream),
            "Streams that it protects with keys of their own: encrypted and authenticated, CAN FD \
             only.",
        )
        .follows("none")
        .detail("Up to 256, and 64 for each ECU."),
        key(
            "windows",
            Value::Tables(TableForm::One(&WINDOW), PROTECTED_MAX),
            WINDOW.summary,
        )
        .follows("always")
        .detail("One that is shorter than an authentication may take is warned of."),
        turns("retire", "ECUs that the workshop removes from the roster."),
        turns("enrol", "ECUs that it adds again later, as in `retire`.").detail(
            "An ECU that was added again is authenticated at its next boot, or in the next epoch.",
        ),
        turns("replace", "ECUs that get a new part, as in `retire`.").detail(
            "At that time it boots with another key and an empty memory; the security module \
             enrols it, and keeps the old part out. With `credentials = \"certificates\"` the \
             module refuses the keys by which the ECU has been authenticated. If there are none, \
             or three parts are refused already, it reports `not-replaced`, and the old part's \
             certificate stays valid. As published no part is refused. Not with `credentials = \
             \"keys\"`, because the new key would have to be known before.",
        ),
    ],
    ..Table::PLAIN
};
