//! The outputs of a check: messages, verdicts and signals, written as the log is read.

use std::path::Path;
use std::rc::Rc;

use waywarden_can_auth_log::{CheckedRecord, FrameVerdict, StreamCounts};
use waywarden_can_dbc::SignalMatrix;
use waywarden_can_log::Channels;
use waywarden_command_line::exit::Failure;

use super::CheckCommand;
use super::verdicts::VerdictWriter;
use crate::logs::{LogWriter, WrittenLogFormat};
use crate::signals::{SignalLayout, SignalTable};

/// The outputs of a check, written as the log is read.
pub(super) struct Outputs<'a> {
    check: &'a CheckCommand,
    messages: Option<LogWriter>,
    verdicts: Option<VerdictWriter>,
    signals: Option<SignalTable>,
}

impl<'a> Outputs<'a> {
    pub(super) fn create(
        check: &'a CheckCommand,
        matrix: Option<Rc<SignalMatrix>>,
    ) -> Result<Self, Failure> {
        let messages =
            |path: &Path| LogWriter::create(path, WrittenLogFormat::Candump, Some(check.digits));
        let (lines, format) = check.lines();
        let verdicts = |path: &Path| VerdictWriter::create(path, format);
        let signals = check
            .signals
            .as_deref()
            .zip(matrix)
            .map(|(path, matrix)| SignalTable::create(path, matrix, SignalLayout::Rows));
        Ok(Outputs {
            check,
            signals: signals.transpose()?,
            messages: check.out.as_deref().map(messages).transpose()?,
            verdicts: lines.map(verdicts).transpose()?,
        })
    }

    /// Has times count from 1970 in a log whose records count from a date.
    pub(super) fn set_start(&mut self, date_ns: Option<u64>) {
        let Some(date_ns) = date_ns else {
            return;
        };
        if let Some(messages) = &mut self.messages {
            messages.set_start(date_ns);
        }
        if let Some(signals) = &mut self.signals {
            signals.set_start(date_ns);
        }
    }

    pub(super) fn write(
        &mut self,
        checked: &CheckedRecord,
        channels: &Channels,
        streams: &[StreamCounts],
    ) -> Result<(), Failure> {
        if let Some(messages) = &mut self.messages {
            let kept = match self.check.keep {
                true => Some(&checked.record),
                false => checked.plain.as_ref(),
            };
            if let Some(record) = kept {
                let written = messages.write(record, channels);
                written.map_err(Failure::writing)?;
            }
        }
        if let Some(verdicts) = &mut self.verdicts {
            verdicts.write(checked, channels, streams)?;
        }
        // Messages of no stream are as they were, but nothing says that they are authentic.
        if let (Some(signals), Some(plain)) = (&mut self.signals, &checked.plain)
            && checked.verdict == FrameVerdict::Authentic
        {
            signals.write(plain, channels).map_err(Failure::writing)?;
        }
        Ok(())
    }

    /// Hands on what was written so far.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        if let Some(messages) = &mut self.messages {
            messages.flush().map_err(Failure::writing)?;
        }
        if let Some(signals) = &mut self.signals {
            signals.flush().map_err(Failure::writing)?;
        }
        self.verdicts.as_mut().map_or(Ok(()), VerdictWriter::flush)
    }

    pub(super) fn finish(self) -> Result<(), Failure> {
        self.messages.map(LogWriter::finish).transpose()?;
        self.verdicts.map(VerdictWriter::finish).transpose()?;
        self.signals.map(SignalTable::finish).transpose()?;
        Ok(())
    }
}
