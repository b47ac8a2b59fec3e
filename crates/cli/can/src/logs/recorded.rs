//! Messages of a recording: their periods and the lengths of their payloads.

use std::collections::HashMap;
use std::path::Path;

use waywarden_can::Id;
use waywarden_command_line::exit::Failure;
use waywarden_vehicle_file::dbc::observed_periods;
use waywarden_work::Duration;

use super::damage::{Reading, Skipped};
use super::input;

/// Messages of a recording, by identifier.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Periods of those that were seen three times or more.
    pub periods: HashMap<Id, Duration>,
    /// The longest payload of each, in bytes.
    pub lengths: HashMap<Id, u8>,
}

/// Reads a recording of any format, all its channels; what is left out is reported.
///
/// # Errors
/// For the first fault unless it is to be skipped, and for a log without a line that can be read.
pub fn recording(path: &Path, reading: Reading) -> Result<Recording, Failure> {
    let mut reader = input::open(path)?;
    let mut skipped = Skipped::new(path, Some(reading));
    let (mut records, mut fault) = (0, None);
    let mut lengths: HashMap<Id, u8> = HashMap::new();
    let sightings = std::iter::from_fn(|| {
        loop {
            match reader.next()? {
                Ok(record) => {
                    records += 1;
                    let Some(frame) = record.entry.frame() else {
                        continue;
                    };
                    // 64 bytes at most.
                    let length = frame.data().len() as u8;
                    let longest = lengths.entry(frame.id()).or_default();
                    *longest = length.max(*longest);
                    return Some((frame.id(), Duration::from_nanos(record.at_ns)));
                }
                Err(error) => {
                    if let Err(failure) = skipped.skip(&error) {
                        fault = Some(failure);
                        return None;
                    }
                }
            }
        }
    });
    let periods = observed_periods(sightings);
    if let Some(failure) = fault {
        return Err(failure);
    }
    skipped.finish(&reader, records)?;
    Ok(Recording { periods, lengths })
}
