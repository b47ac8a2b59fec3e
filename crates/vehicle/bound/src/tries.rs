//! Number of codes that a receiver computes for one message.

use std::collections::BTreeMap;

use waywarden_can_auth::paired::{CANDIDATES, WireForm};
use waywarden_response_time::NoBound;
use waywarden_vehicle_file::{
    Authentication, AuthenticationProtocol, Protection, StreamIndex, VehicleFile,
};

use crate::timing::at_least;

/// Numbers of codes that receivers compute for one message, by stream.
#[derive(Clone, Debug)]
pub(crate) struct Tries {
    every_attempt: bool,
    /// Of streams with tags in frames of their own whose messages may come before the tag of the
    /// one before.
    overtaken: BTreeMap<StreamIndex, u64>,
}

impl Tries {
    /// Counts every attempt that a receiver may make, or what genuine messages in order need.
    pub(crate) const fn new(every_attempt: bool) -> Self {
        Tries {
            every_attempt,
            overtaken: BTreeMap::new(),
        }
    }

    /// Returns how many codes a receiver computes for a message of a stream.
    pub(crate) fn of(&self, table: &Authentication, stream: StreamIndex) -> u64 {
        // A tag of LeiA says of which message it is.
        let messages = match self.every_attempt {
            true => CANDIDATES as u64,
            false => self.overtaken.get(&stream).copied().unwrap_or(1),
        };
        let AuthenticationProtocol::Secoc(secoc) = &table.protocol else {
            return messages;
        };
        let values = u64::from(match self.every_attempt {
            true => secoc.profile.attempts(),
            false => secoc.profile.attempts_in_order(),
        });
        match table.is_separate() {
            true => values * messages,
            false => values,
        }
    }

    /// Counts more where messages may come before the tag of the one before, which is then compared
    /// with these messages first; true if there are any.
    ///
    /// What is counted is right if it bounds what follows from it: until the first message that
    /// takes more, all before it were within the bounds.
    pub(crate) fn raise(
        &mut self,
        file: &VehicleFile,
        bounds: impl Iterator<Item = (StreamIndex, Result<u64, NoBound>)>,
    ) -> bool {
        if self.every_attempt {
            return false;
        }
        let mut is_raised = false;
        for (index, bound) in bounds {
            let stream = file.stream(index);
            let names_no_message = matches!(
                stream.protection,
                Protection::Paired(WireForm::Vatican) | Protection::Separate { .. }
            );
            if !names_no_message {
                continue;
            }
            let ppm = file.ecu(stream.sender).clock_ppm;
            let period = at_least(stream.period, ppm).max(1);
            let jitter = stream.jitter.as_nanos() * 1_000;
            let needed = bound.map_or(CANDIDATES as u64, |latest| {
                (1 + (latest + 2 * jitter) / period).min(CANDIDATES as u64)
            });
            let known = self.overtaken.entry(index).or_insert(1);
            is_raised |= needed > *known;
            *known = needed.max(*known);
        }
        is_raised
    }
}
