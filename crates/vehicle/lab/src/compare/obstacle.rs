//! Reasons why a scheme cannot protect a stream, each with its remedy.

use std::collections::BTreeSet;

use waywarden_vehicle_file::{Problem, StreamIndex, VehicleFile};

/// Reason why a scheme cannot protect a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The reason, naming the stream.
    pub found: String,
    /// The remedy.
    pub remedy: String,
}

/// Streams that a scheme protects, and those that it cannot protect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Laid {
    /// The streams with tags.
    pub(crate) covered: BTreeSet<StreamIndex>,
    /// Those of them that become CAN FD for that.
    pub(crate) widened: BTreeSet<StreamIndex>,
    /// The others of those to protect, each with the reason.
    pub(crate) left_out: Vec<(StreamIndex, Obstacle)>,
}

/// Limit on the reasons that a text names; the rest is counted.
const NAMED_MAX: usize = 3;

impl Obstacle {
    pub(super) fn new(found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Obstacle {
            found: found.into(),
            remedy: remedy.into(),
        }
    }
}

impl From<&Problem> for Obstacle {
    fn from(problem: &Problem) -> Self {
        match problem {
            Problem::Relation { found, remedy } => Obstacle::new(found, *remedy),
            other => Obstacle::new(other.to_string(), ""),
        }
    }
}

impl Laid {
    /// Notes a reason for each stream; the first reason of a stream stays.
    pub(super) fn leave_out(
        &mut self,
        file: &VehicleFile,
        streams: impl IntoIterator<Item = StreamIndex>,
        reason: impl Fn(&str) -> Obstacle,
    ) {
        for at in streams {
            if self.left_out.iter().all(|(one, _)| *one != at) {
                let name = file.stream(at).name.value.as_str();
                self.left_out.push((at, reason(name)));
            }
        }
    }
}

/// Says why a scheme can carry none of the streams to protect: reasons with the same remedy
/// together.
pub(crate) fn none_carried(scheme: &str, streams: usize, laid: &Laid) -> String {
    let mut text = match streams {
        1 => format!("{scheme} cannot carry the stream to protect"),
        _ => format!("{scheme} can carry none of the {streams} streams to protect"),
    };
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for (_, Obstacle { found, remedy }) in &laid.left_out {
        match groups.iter_mut().find(|group| group.0 == remedy) {
            Some(group) => group.1.push(found),
            None => groups.push((remedy, vec![found])),
        }
    }
    for (remedy, found) in groups {
        let named: Vec<&str> = found.iter().take(NAMED_MAX).copied().collect();
        text += &format!(": {}", named.join(", "));
        if let Some(more @ 1..) = found.len().checked_sub(NAMED_MAX) {
            text += &format!(" and {more} more likewise");
        }
        if !remedy.is_empty() {
            text += &format!("; {remedy}");
        }
    }
    text
}
