//! Parts of a vehicle: buses, ECUs, streams, routes and recorded logs.

use waywarden_can::node::Ports;
use waywarden_work::Duration;

use super::ecu_tables::{ACCEPTED, QUEUE, TASKS, WAITING};
use super::shared_keys::{
    ANY_TIME, BRS, DATA, EVENT_NAME, EXTENDED, FORMAT, FROM, ID, LENGTH, NAME, PERIOD, POSITIVE,
    UNTIL, key, table_key, tables, times,
};
use super::{Table, TableForm, Value};
use crate::TableRule;
use crate::Thing;

/// The slowest bit rate of CAN, that a transceiver's dominant time-out allows, in bits per second.
pub const BIT_RATE_MIN: u32 = 5_000;

/// The fastest nominal bit rate of CAN, in bits per second.
pub const NOMINAL_BIT_RATE_MAX: u32 = 1_000_000;

/// The fastest bit rate of a data phase (ISO 11898-2 with signal improvement), in bits per second.
pub const DATA_BIT_RATE_MAX: u32 = 8_000_000;

/// Limit on the duration of a run: a day.
pub const RUN_MAX: Duration = Duration::from_millis(24 * 3_600 * 1_000);

/// No controller can sample earlier or later than this.
pub const SAMPLE_POINTS: std::ops::RangeInclusive<f64> = 0.5..=0.95;

const SAMPLE_POINT: Value = Value::Share(*SAMPLE_POINTS.start(), *SAMPLE_POINTS.end());

/// Limit on further identifiers that an ECU accepts.
pub const ACCEPTED_MAX: usize = 4_096;

/// ISO 11898-1 tolerates clocks that are 1.58 % off; twice that is a broken oscillator.
pub(super) const CLOCK_PPM: Value = Value::Whole(-30_000, 30_000);

pub(super) static VEHICLE: Table = Table {
    name: "vehicle",
    summary: "Name and settings of the vehicle.",
    keys: &[
        key("name", Value::Text, "Name of the vehicle in reports.").required(),
        key("description", Value::Text, "A sentence about the vehicle.").text(""),
        key(
            "seed",
            Value::Whole(0, i64::MAX),
            "Seed of every random choice.",
        )
        .whole(0)
        .detail("The same file and seed give the same trace; `--seed` overrides it."),
        key("duration", times(None, Some(RUN_MAX)), "Duration of a run.").text("10s"),
        key(
            "board",
            Value::Reference(Thing::Board),
            "Board of every ECU that names none, as in `[[ecu]]`.",
        )
        .text("ideal")
        .detail("On `\"ideal\"` all work takes no time."),
    ],
    ..Table::PLAIN
};

pub(super) static BUS: Table = Table {
    name: "bus",
    summary: "A CAN bus.",
    keys: &[
        NAME,
        key(
            "bitrate",
            Value::BitRate(BIT_RATE_MIN, NOMINAL_BIT_RATE_MAX),
            "Nominal bit rate.",
        )
        .required(),
        key(
            "data_bitrate",
            Value::BitRate(BIT_RATE_MIN, DATA_BIT_RATE_MAX),
            "Bit rate of the data phase; makes the bus CAN FD.",
        )
        .follows("none: classic CAN"),
        key(
            "sample_point",
            SAMPLE_POINT,
            "Sample point of the nominal bit.",
        )
        .follows("`\"87.5%\"` up to 500k, `\"80%\"` up to 800k, `\"75%\"` above"),
        key(
            "fd",
            Value::Word(&["iso", "non-iso"]),
            "CAN FD frame format; makes the bus CAN FD too.",
        )
        .text("iso")
        .detail("`\"non-iso\"` is the format before ISO 11898-1:2015."),
        key(
            "data_sample_point",
            SAMPLE_POINT,
            "Sample point of the data phase.",
        )
        .follows("the same rule"),
    ],
    ..Table::PLAIN
};

/// The boards of microcontrollers that images run on.
pub const MACHINES: &[&str] = &["mps2-an386", "mps2-an505", "cortex-r5f"];

/// The slowest clock of a microcontroller, in hertz.
pub const CLOCK_MIN: u32 = 100_000;

/// The fastest clock of a microcontroller, in hertz.
pub const CLOCK_MAX: u32 = 2_000_000_000;

pub(super) static ECU: Table = Table {
    name: "ecu",
    summary: "An electronic control unit.",
    keys: &[
        NAME,
        key(
            "board",
            Value::Reference(Thing::Board),
            "Board whose costs its work has: a built-in one, or the path of a board file.",
        )
        .follows("that of `[vehicle]`")
        .detail(
            "See [boards.md](boards.md). The path is relative to the vehicle file, and has a `/` \
             or ends in `.toml`.",
        ),
        key(
            "ports",
            Value::List(&Value::Reference(Thing::Bus), Ports::MAX as usize),
            "Buses that it is on, at least one; the first is port 0.",
        )
        .required(),
        key(
            "firmware",
            Value::Text,
            "Image that runs on an emulated microcontroller in place of simulated software: the \
             path of an ELF file.",
        )
        .detail("See [firmware.md](firmware.md). The path is relative to the vehicle file."),
        key(
            "machine",
            Value::Word(MACHINES),
            "Emulated microcontroller board that the image runs on.",
        )
        .follows("`\"mps2-an386\"` with `firmware`"),
        key(
            "clock",
            Value::Frequency(CLOCK_MIN, CLOCK_MAX),
            "Clock rate of the microcontroller, of which an instruction takes one cycle; \
             `firmware` needs it.",
        ),
        key(
            "receive_mailbox",
            Value::Whole(1, 64),
            "Number of received frames that wait while the image computes; one more is lost.",
        )
        .follows("3 with `firmware`"),
        key(
            "cores",
            Value::Whole(1, 64),
            "Number of the board's cores that it uses.",
        )
        .follows("the board's own number"),
        key(
            "address",
            Value::Whole(1, 255),
            "Address in key exchanges; unique.",
        )
        .follows("the lowest that is free"),
        table_key("queue", &QUEUE).example("a table such as { order = \"fifo\", length = 32 }"),
        key(
            "receive_queue",
            WAITING,
            "Limit on received frames that wait for the processor, on each port; one more is lost.",
        )
        .whole(64),
        table_key("tasks", &TASKS)
            .example("a table such as { receive = 4, send = 3, mac = 2, crypto = 1 }"),
        key(
            "crypto",
            Value::Word(&["software", "module"]),
            "Engine for cryptography: the cores, or the board's hardware security module.",
        )
        .text("software")
        .detail(
            "Each engine of a module computes one command at a time by the priorities `mac` and \
             `crypto`, and completes what it has begun; what the module does not offer the cores \
             compute. See [boards.md](boards.md#hardware-security-modules).",
        ),
        key(
            "clock_ppm",
            CLOCK_PPM,
            "Error of its clock in millionths; positive is fast.",
        )
        .whole(0),
        key(
            "start",
            ANY_TIME,
            "Time from power-on until its software runs.",
        )
        .text("0ms"),
        key(
            "accept",
            Value::Any(&[
                Value::Word(&["needed", "all"]),
                Value::List(
                    &Value::Any(&[Value::Whole(0, 0x7FF), Value::Table(&ACCEPTED)]),
                    ACCEPTED_MAX,
                ),
            ]),
            "Acceptance filter: the needed frames, all frames, or further identifiers.",
        )
        .text("needed")
        .detail(
            "Needed are those that the ECU receives or routes. Identifiers are as `0x7DF` or \
             `{ id = 0x18DB33F1, extended = true }`.",
        ),
        tables_of("sends", &SENT_STREAM)
            .detail("One a line: the keys of `[[stream]]` without `sender`.")
            .follows("none"),
    ],
    rules: &[
        TableRule::Needs("firmware", "clock"),
        TableRule::Needs("machine", "firmware"),
        TableRule::Needs("clock", "firmware"),
        TableRule::Needs("receive_mailbox", "firmware"),
    ],
    ..Table::PLAIN
};

const fn tables_of(name: &'static str, table: &'static Table) -> super::Key {
    tables(name, TableForm::One(table), crate::STREAMS_MAX)
}

/// The keys of a stream whose sender is known.
const SENT: &[super::Key] = &[
    NAME,
    ID.required().needed("an identifier such as 0x1A0"),
    EXTENDED,
    key(
        "bus",
        Value::Reference(Thing::Bus),
        "Bus on which it is sent.",
    )
    .follows("the sender's, if it has only one port"),
    FORMAT,
    BRS,
    LENGTH,
    DATA,
    key("period", PERIOD, "Time between two instances.").required(),
    key(
        "offset",
        Value::Any(&[Value::Word(&["unknown"]), ANY_TIME]),
        "Time from the sender's start to the first instance.",
    )
    .text("0ms")
    .detail("`\"unknown\"` if only the period is known, see below."),
    key(
        "jitter",
        ANY_TIME,
        "Limit on the random time by which each instance is late, below the period.",
    )
    .text("0ms"),
    key(
        "deadline",
        POSITIVE,
        "Longest time from release at the sender to reception.",
    )
    .follows("the period"),
    key(
        "receivers",
        Value::Names(Thing::Ecu),
        "ECUs that receive it; latency is measured at each.",
    )
    .follows("none"),
];

pub(super) static SENT_STREAM: Table = Table {
    name: "sent_stream",
    summary: "A message that the ECU sends periodically.",
    shared: SENT,
    keys: &[],
    rules: &[TableRule::LengthOrBytes],
};

pub(super) static STREAM: Table = Table {
    name: "stream",
    summary: "A message that an ECU sends periodically.",
    shared: SENT,
    keys: &[key("sender", Value::Reference(Thing::Ecu), "ECU that sends it.").required()],
    rules: &[TableRule::LengthOrBytes],
};

static WARNING: Table = Table {
    name: "warning",
    summary: "Frame that the gateway sends to `to` when it refused a message.",
    keys: &[
        ID.required().needed("an identifier such as 0x470"),
        EXTENDED,
        key("data", Value::Bytes, "Payload, up to 8 bytes.").required(),
        key("pace", POSITIVE, "Least time between two.").text("100ms"),
    ],
    ..Table::PLAIN
};

pub(super) static ROUTE: Table = Table {
    name: "route",
    summary: "Messages that a gateway forwards from one bus to another.",
    keys: &[
        key(
            "gateway",
            Value::Reference(Thing::Ecu),
            "ECU with a port on both.",
        )
        .required(),
        key("from", Value::Reference(Thing::Bus), "Bus it takes from.").required(),
        key("to", Value::Reference(Thing::Bus), "Bus it puts on.").required(),
        key(
            "streams",
            Value::Any(&[Value::Word(&["all"]), Value::Names(Thing::Stream)]),
            "Streams it forwards, or all that are sent on `from`.",
        )
        .required()
        .detail("A stream that another route brought there is named."),
        key(
            "verify",
            Value::Flag,
            "True if only messages with right tags pass.",
        )
        .flag(false)
        .detail(
            "They go on without their tags, so ECUs behind the gateway need no keys. All streams \
             of the route are in the `protect` of an `[[authentication]]`.",
        ),
        table_key("warning", &WARNING)
            .example("a table such as { id = 0x7A0, data = \"01\" }")
            .follows("nothing"),
    ],
    ..Table::PLAIN
};

pub(super) static REPLAY: Table = Table {
    name: "replay",
    summary: "A recorded log that is played onto buses.",
    keys: &[
        EVENT_NAME,
        key(
            "log",
            Value::Text,
            "Path of the log, relative to the vehicle file.",
        )
        .required()
        .detail("See [log-formats.md](log-formats.md)."),
        key(
            "channels",
            Value::ByName(&Value::Reference(Thing::Bus)),
            "Bus of each channel of the log; other channels are left out.",
        )
        .required()
        .needed("which bus each channel goes to: { can0 = \"powertrain\" }")
        .example("a table such as { can0 = \"drive\" }"),
        key(
            "pace",
            Value::Word(&["recorded", "fast"]),
            "Speed: with the log's gaps, or as fast as the bus takes it.",
        )
        .text("recorded")
        .detail(
            "With `\"recorded\"` frames of one instant compete by priority; `\"fast\"` sends in \
             the log's order.",
        ),
        key("loop", Value::Flag, "True if it starts again at its end.").flag(false),
        FROM,
        UNTIL,
    ],
    ..Table::PLAIN
};
