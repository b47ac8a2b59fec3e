//! Signals of a vehicle in its V2X messages, and the request that messages of others cause.

use super::shared_keys::{POSITIVE, key, table_key};
use super::{Key, Table, Thing, Value};

const fn place(least: i64, most: i64, bytes: i64) -> [Key; 3] {
    [
        key(
            "stream",
            Value::Reference(Thing::Stream),
            "Stream of the signal.",
        )
        .required()
        .needed("the stream that carries it"),
        key("at", Value::Whole(0, 63), "Its first byte in the payload.").whole(0),
        key(
            "bytes",
            Value::Whole(least, most),
            "Its length in bytes, big endian; negative values as two's complement.",
        )
        .whole(bytes),
    ]
}

const PER_UNIT: Key = key(
    "per_unit",
    Value::Whole(1, 1_000_000),
    "Raw value of one unit: 100 for hundredths of it.",
)
.whole(100);

const fn number(name: &'static str, summary: &'static str) -> Table {
    const KEYS: &[Key] = &{
        let [stream, at, bytes] = place(1, 4, 2);
        [stream, at, bytes, PER_UNIT]
    };
    Table {
        name,
        summary,
        keys: KEYS,
        ..Table::PLAIN
    }
}

const fn flag(name: &'static str, summary: &'static str) -> Table {
    const KEYS: &[Key] = &place(1, 1, 1);
    Table {
        name,
        summary,
        keys: KEYS,
        ..Table::PLAIN
    }
}

static SPEED: Table = number("v2x_speed", "Speed of the wheels, in m/s.");
static YAW_RATE: Table = number(
    "v2x_yaw_rate",
    "Turn to the left, in degrees a second; without it messages have none.",
);
static BRAKE: Table = flag(
    "v2x_brake",
    "Brake: not zero while the vehicle brakes hard, which DENM tell; without it none is sent.",
);
static REVERSE: Table = flag("v2x_reverse", "Gear: not zero while reverse is engaged.");
static REQUEST: Table = flag(
    "v2x_brake_request",
    "Stream of the ECU by which messages of other vehicles request braking: 1, else 0.",
);

pub(super) static V2X: Table = Table {
    name: "v2x",
    summary: "V2X messages of the vehicle, from and to its buses.",
    keys: &[
        key(
            "ecu",
            Value::Reference(Thing::Ecu),
            "The ECU that sends and verifies messages (telematics).",
        )
        .required()
        .needed("the ECU that sends and verifies messages"),
        table_key("speed", &SPEED)
            .required()
            .needed("the stream of the wheels' speed, such as { stream = \"WheelSpeed\" }")
            .example("a table such as { stream = \"WheelSpeed\", at = 0 }")
            .detail("Messages have what `ecu` accepted last; after three periods without, none."),
        table_key("brake", &BRAKE).example("a table such as { stream = \"Brake\", at = 2 }"),
        table_key("yaw_rate", &YAW_RATE).example("a table such as { stream = \"Yaw\", at = 0 }"),
        table_key("reverse", &REVERSE).example("a table such as { stream = \"Gear\", at = 0 }"),
        table_key("brake_request", &REQUEST)
            .required()
            .needed("a stream that `ecu` sends, such as { stream = \"BrakeRequest\" }")
            .example("a table such as { stream = \"BrakeRequest\", at = 0 }"),
        key(
            "brake_ecu",
            Value::Reference(Thing::Ecu),
            "The receiver of `brake_request` that brakes.",
        )
        .required()
        .needed("the ECU that receives the request"),
        key(
            "hard_braking",
            Value::Whole(1, 20),
            "Deceleration from which on braking is hard, in m/s².",
        )
        .whole(4),
        key(
            "within",
            Value::Whole(1, 10_000),
            "Greatest distance of a vehicle whose hard braking is a request, in metres.",
        )
        .whole(150),
        key("hold", POSITIVE, "Duration of a request after its message.").text("1s"),
        key(
            "signing",
            super::shared_keys::ANY_TIME,
            "Time to sign a message.",
        )
        .follows("the figure of the ECU's board for ECDSA over P-256"),
        key(
            "verification",
            super::shared_keys::ANY_TIME,
            "Time to verify a message.",
        )
        .follows("the figure of the ECU's board for ECDSA over P-256"),
        key(
            "end_to_end",
            POSITIVE,
            "Longest time from a wheel's message to the brake ECU of another vehicle.",
        )
        .detail("A requirement: `waywarden road` judges it over all messages that arrive."),
    ],
    ..Table::PLAIN
};
