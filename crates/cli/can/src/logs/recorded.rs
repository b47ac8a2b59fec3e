//! Messages of a recording, with what is left out reported.

use std::path::Path;

use waywarden_can::Id;
use waywarden_can_log::{BusChoiceError, RecordedMessages, Recording};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;

use super::damage::{LogReadingOptions, SkippedDamage};
use super::input;

/// The channel of a recording that is the bus of a message matrix.
pub struct RecordedBus<'a> {
    /// Name of the channel; without it the one that has most of the known identifiers.
    pub channel: Option<&'a str>,
    /// Returns true for an identifier of the matrix.
    pub is_known: &'a dyn Fn(Id) -> bool,
}

/// Reads a channel of a recording of any format. Remote frames and error frames are no messages.
/// Reports what is left out, and the channel if it was to be chosen.
///
/// # Errors
/// For the first fault unless it is to be skipped, for a log without a line that can be read, and
/// for one of several channels of which none is the bus for certain.
pub fn recording(
    path: &Path,
    reading: LogReadingOptions,
    bus: &RecordedBus<'_>,
) -> Result<RecordedMessages, Failure> {
    let mut reader = input::open(path)?;
    let mut skipped = SkippedDamage::new(path, Some(reading));
    let mut records = 0;
    let recording = Recording::read(|| {
        loop {
            match reader.next() {
                Some(Ok(record)) => {
                    records += 1;
                    return Ok(Some(record));
                }
                Some(Err(error)) => skipped.skip(&error)?,
                None => return Ok::<_, Failure>(None),
            }
        }
    })?;
    skipped.finish(&reader, records)?;
    let shown = path.display();
    for left_out in recording.left_out() {
        messages::note(format_args!("{shown}: {left_out}"));
    }
    let chosen = recording.of_bus(reader.channels(), bus.channel, bus.is_known);
    let (messages, choice) = chosen.map_err(|error| {
        let remedy = match error {
            BusChoiceError::NoSuchChannel { .. } => "--channel takes one of these",
            BusChoiceError::Ambiguous { .. } => "name it with --channel",
        };
        let among = error.among();
        Failure::new(plain_lines(&format!("{shown}: {error}; {remedy}: {among}")))
    })?;
    if let (Some(channel), Some(among)) = (choice.channel, choice.among) {
        messages::note(plain_lines(&format!(
            "{shown}: channel {channel} is taken, which has most of the identifiers: {among}; \
             --channel takes another"
        )));
    }
    Ok(messages)
}
