//! Tables within `[[ecu]]`: its queue, the priorities of its tasks, its acceptance filter.

use super::shared_keys::{EXTENDED, ID, key};
use super::{Table, Value};

/// Frames that wait on a port.
pub(super) const WAITING: Value = Value::Whole(1, 4_096);

const PRIORITY: Value = Value::Whole(0, 255);

pub(super) static QUEUE: Table = Table {
    name: "queue",
    summary: "Frames that wait to be sent on each port.",
    keys: &[
        key(
            "order",
            Value::Word(&["fifo", "priority"]),
            "The waiting frame that competes for the bus: the oldest or the most urgent.",
        )
        .text("priority"),
        key("length", WAITING, "Limit on waiting frames.").whole(32),
    ],
    ..Table::PLAIN
};

pub(super) static TASKS: Table = Table {
    name: "tasks",
    summary: "Priorities of tasks; the higher one pre-empts the lower one.",
    keys: &[
        key("receive", PRIORITY, "Reception of frames.").whole(4),
        key("send", PRIORITY, "Transmission of frames.").whole(3),
        key("mac", PRIORITY, "Tags and ciphers of messages.").whole(2),
        key(
            "crypto",
            PRIORITY,
            "Signatures, key agreement and all other computation.",
        )
        .whole(1),
    ],
    ..Table::PLAIN
};

pub(super) static ACCEPTED: Table = Table {
    name: "accepted",
    summary: "An identifier.",
    keys: &[ID.required(), EXTENDED],
    ..Table::PLAIN
};
