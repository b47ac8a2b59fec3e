//! Periods and offsets of streams: those that a matrix states, else those that a log shows.

use std::collections::HashMap;
use std::fmt::{self, Write as _};

use waywarden_can::Id;
use waywarden_work::Duration;

use waywarden_can_matrix::j1939::parameter_group;
use waywarden_can_matrix::{MatrixFormat, MatrixMessage};

/// The source of a stream's period.
pub(super) enum Period {
    Stated(Duration),
    Fast(Duration),
    Observed(Duration),
    /// The shortest time between two messages that are sent on events.
    AtMost(Duration),
    Assumed(Duration),
    Unknown,
}

impl Period {
    /// Returns the period of a message: the stated one, else the observed, else the assumed one.
    pub(super) fn of(
        message: &MatrixMessage,
        takes_fast: bool,
        (seen, groups): (&HashMap<Id, Duration>, &HashMap<u32, Duration>),
        assumed: Option<Duration>,
    ) -> Self {
        let fast = message.fast_cycle_time.filter(|_| takes_fast);
        let stated = message.cycle_time.map(Period::Stated);
        fast.map(Period::Fast)
            .or(stated)
            .or_else(|| observed(message, seen, groups).map(Period::Observed))
            .or_else(|| message.minimum_distance.map(Period::AtMost))
            .or(assumed.map(Period::Assumed))
            .unwrap_or(Period::Unknown)
    }

    /// Writes the period and the offset of a stream.
    pub(super) fn write(
        &self,
        text: &mut String,
        mark: &str,
        (start_delay, format): (Option<Duration>, MatrixFormat),
    ) -> fmt::Result {
        let (period, remark) = match self {
            Period::Stated(period) => (period, ""),
            Period::Fast(period) => (period, " # while it is active"),
            Period::Observed(period) => (period, " # as observed"),
            Period::AtMost(period) => (period, " # sent on events, no more often than this"),
            Period::Assumed(period) => (period, " # assumed"),
            Period::Unknown => {
                let label = format.label();
                return writeln!(text, "{mark}period = \"?\" # not in the {label} file");
            }
        };
        writeln!(text, "{mark}period = \"{}\"{remark}", quantity(*period))?;
        match start_delay {
            Some(delay) => writeln!(text, "{mark}offset = \"{}\"", quantity(delay)),
            None => writeln!(text, "{mark}offset = \"unknown\""),
        }
    }
}

/// Returns the observed period of a message. One of SAE J1939 with the null address is found under
/// each source address; the shortest period counts.
fn observed(
    message: &MatrixMessage,
    seen: &HashMap<Id, Duration>,
    groups: &HashMap<u32, Duration>,
) -> Option<Duration> {
    let own = seen.get(&message.id).copied();
    if own.is_some() || !message.is_of_any_source() {
        return own;
    }
    groups.get(&parameter_group(message.id)?).copied()
}

/// Writes a duration in the largest unit that needs no fraction.
fn quantity(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    match nanos {
        _ if nanos.is_multiple_of(1_000_000) => format!("{}ms", nanos / 1_000_000),
        _ if nanos.is_multiple_of(1_000) => format!("{}us", nanos / 1_000),
        _ => format!("{nanos}ns"),
    }
}
