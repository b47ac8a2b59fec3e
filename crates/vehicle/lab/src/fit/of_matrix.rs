//! The vehicle of a fit, made of a message matrix and of a recording of its bus.

use std::collections::HashMap;

use waywarden_can::Id;
use waywarden_can_log::RecordedMessages;
use waywarden_vehicle_file::matrix::{DbcOptions, MessageMatrix, to_vehicle_toml};

use super::{FitVehicle, RecordedStream};

/// Limit on messages that are named; the rest is counted.
const NAMED_MAX: usize = 5;

/// A vehicle file of a message matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixVehicle {
    /// Text of the vehicle file.
    pub text: String,
    /// Messages that have no period, neither in the matrix nor in the recording nor by assumption.
    pub without_period: Vec<String>,
    /// Number of messages of the matrix.
    pub messages: usize,
}

impl MatrixVehicle {
    /// Makes the vehicle file; `options` have the periods of the recording.
    #[must_use]
    pub fn of(matrix: &MessageMatrix, options: &DbcOptions) -> Self {
        let without = matrix.messages().filter(|message| {
            let is_timed = message.cycle_time.is_some() || message.minimum_distance.is_some();
            let is_recorded = options.observed.contains_key(&message.id);
            options.assumed.is_none() && !is_timed && !is_recorded
        });
        MatrixVehicle {
            text: to_vehicle_toml(matrix, options),
            without_period: without.map(|message| message.name.clone()).collect(),
            messages: matrix.messages().count(),
        }
    }

    /// Returns true if no message has a period, so that there is nothing to fit.
    #[must_use]
    pub fn is_without_periods(&self) -> bool {
        !self.without_period.is_empty() && self.without_period.len() == self.messages
    }

    /// Names messages without a period; none if all have one.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let without = &self.without_period;
        if without.is_empty() {
            return None;
        }
        let first: Vec<&str> = without.iter().take(NAMED_MAX).map(String::as_str).collect();
        let more = match without.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let have = if without.len() == 1 { "has" } else { "have" };
        let (count, all, first) = (without.len(), self.messages, first.join(", "));
        Some(format!(
            "{count} of {all} messages {have} no period: {first}{more}"
        ))
    }
}

impl RecordedStream {
    /// Returns the messages of a recording as a fit takes them.
    #[must_use]
    pub fn of(recording: &RecordedMessages) -> HashMap<Id, RecordedStream> {
        let all = recording.lengths.iter();
        let of = |(id, length): (&Id, &u8)| {
            let period = recording.periods.get(id).copied();
            let length = *length;
            (*id, RecordedStream { period, length })
        };
        all.map(of).collect()
    }
}

impl FitVehicle {
    /// Says how many recorded identifiers no message has: they are load, too. None if there is no
    /// such identifier.
    #[must_use]
    pub fn unknown_frames(&self, recording: &RecordedMessages) -> Option<String> {
        let streams = &self.file().streams;
        let is_known = |id: &Id| streams.iter().any(|stream| stream.id.value == *id);
        match recording.lengths.keys().filter(|id| !is_known(id)).count() {
            0 => None,
            1 => Some(
                "1 identifier of the log belongs to no message: its load is not counted".to_owned(),
            ),
            number => Some(format!(
                "{number} identifiers of the log belong to no message: their load is not counted"
            )),
        }
    }
}
