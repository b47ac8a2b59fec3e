//! The requirements of a run.

use super::shared_keys::{ECUS_OR_ALL, POSITIVE, SHARE, key};
use super::{Table, Value};

const LOADS: &str = "a table of shares by name such as { default = \"60%\" }";

pub(super) static REQUIRE: Table = Table {
    name: "require",
    summary: "Requirements of a run.",
    keys: &[
        key(
            "startup",
            POSITIVE,
            "Longest time from power-on until every stream has reached all of its receivers once.",
        )
        .detail(
            "The report's `start_up_ms`; the time until all keys are in place (`keys_ms`) has the \
             next two.",
        ),
        key(
            "group_key_within",
            POSITIVE,
            "Longest time from power-on until all ECUs of a group have its first key.",
        )
        .detail("For each group."),
        key(
            "authorized_within",
            POSITIVE,
            "Longest time from power-on until all ECUs of a security module are authenticated and \
             have the keys of their streams.",
        )
        .was("authorised_within")
        .detail(
            "Of the streams whose windows have begun by then, for each security module; a stream \
             whose window is over before they have its key misses it.",
        ),
        key(
            "authentic_within",
            Value::Any(&[POSITIVE, Value::ByName(&POSITIVE)]),
            "Longest time until every receiver that checks has accepted a first authentic message \
             of each authenticated stream.",
        )
        .example(
            "a duration such as \"500ms\", or a table by stream such as { default = \"500ms\" }",
        )
        .detail(
            "From power-on, and from each later boot of its sender or receiver. A duration for \
             all streams, with one verdict; or a table by stream with a verdict for each. Missed \
             by a stream of which no message is accepted, with what the receiver waited for; a \
             boot shortly before the end of the run does not count. Streams that a security \
             module protects belong to it, but for those with `windows` and those of retired \
             ECUs. [start-up.md](start-up.md) measures the same by situation.",
        ),
        key(
            "bus_load",
            Value::ByName(&SHARE),
            "Highest load over the run, by bus.",
        )
        .example(LOADS),
        key(
            "cpu_load",
            Value::ByName(&SHARE),
            "Highest load over the run, by ECU: a share of its cores.",
        )
        .example(LOADS)
        .detail("Without its hardware security module."),
        key(
            "latency",
            Value::ByName(&Value::Any(&[Value::Word(&["deadline"]), POSITIVE])),
            "Longest time from release to reception, by stream, at each receiver; \"deadline\" is \
             the stream's own.",
        )
        .example(
            "a table of durations by stream such as { default = \"deadline\", EngineSpeed = \
             \"5ms\" }",
        )
        .detail(
            "Met if each instance whose bound lies within the run arrived at each receiver in \
             time: what does not arrive misses it, whatever the reason, and the table names the \
             reasons. See [outcomes](report.md#outcomes-of-messages). Only the sender's own \
             messages count, each once: not what an attacker makes up or repeats. `default` \
             leaves out streams without receivers; to name one is an error.",
        ),
        key(
            "loss",
            Value::ByName(&Value::Any(&[Value::Count, SHARE])),
            "Messages of a stream that need not arrive at a receiver for `latency` to be met, by \
             stream: a number in a run, or a share of those that are due.",
        )
        .example(
            "a table of numbers or shares by stream such as { default = 0, EngineSpeed = \"1%\" }",
        ),
        key(
            "loss_allowed",
            Value::List(&Value::Word(&["startup", "faults"]), usize::MAX),
            "Reasons for which messages need not arrive.",
        )
        .detail(
            "`\"startup\"` for those between a boot of the sender or receiver and the first that \
             arrives after it; `\"faults\"` for those that a fault or absence keeps away which \
             the file declares: resets, open buses, ECUs that have not started, and ECUs that a \
             security module lets have no key.",
        ),
        key(
            "undeceived",
            ECUS_OR_ALL,
            "ECUs that must not take a message that its sender did not send.",
        )
        .detail(
            "What was sent is known to the run, not to a protocol: a message that was changed on \
             its way or sent again counts, too. So do deceptions in the exchange of keys: a \
             member of a group that answers an order which the orchestrator did not give, or uses \
             a key that the orchestrator does not have; an ECU or a security module that has a \
             session with an attacker; a security module that grants a key once more for a \
             request that its sender did not make.",
        ),
    ],
    ..Table::PLAIN
};
