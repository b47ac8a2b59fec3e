//! Messages of a recorded bus.

use std::path::Path;

use waywarden_can::Id;
use waywarden_can_log::{BusChoiceError, RecordedMessages, Recording};

use super::log_file::LogFile;
use crate::error::Failure;

/// A recording, and the channel of it that is the bus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedBus<'a> {
    pub(crate) log: &'a Path,
    /// Name of the channel; without it the one with most of the known identifiers.
    pub(crate) channel: Option<&'a str>,
    pub(crate) is_strict: bool,
}

impl RecordedBus<'_> {
    /// Reads the messages of the bus, of which `is_known` knows some; adds remarks on what is left
    /// out, and on the channel if the identifiers chose it.
    pub(crate) fn messages(
        &self,
        is_known: &dyn Fn(Id) -> bool,
        remarks: &mut Vec<String>,
    ) -> Result<RecordedMessages, Failure> {
        let mut log = LogFile::open(self.log, self.is_strict)?;
        let recording = Recording::read(|| log.next())?;
        remarks.extend(log.remarks()?);
        let shown = self.log.display();
        remarks.extend(
            recording
                .left_out()
                .iter()
                .map(|one| format!("{shown}: {one}")),
        );
        let chosen = recording.of_bus(log.channels(), self.channel, is_known);
        let (messages, choice) = chosen.map_err(|error| {
            let remedy = match error {
                BusChoiceError::NoSuchChannel { .. } => "channel takes one of these",
                BusChoiceError::Ambiguous { .. } => "name it with channel",
            };
            let among = error.among();
            log.about(format_args!("{error}; {remedy}: {among}"))
                .remedy(remedy)
        })?;
        if let (Some(channel), Some(among)) = (choice.channel, choice.among) {
            remarks.push(format!(
                "{shown}: channel {channel} is taken, which has most of the identifiers: {among}; \
                 channel takes another"
            ));
        }
        Ok(messages)
    }
}
