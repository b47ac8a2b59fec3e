//! Protects the messages of a log: record by record, each channel a bus of its own.
//!
//! The tag of a message that has a frame of its own follows the message at once, with the same
//! time: when it would have left depends on how busy the bus was and on which ECU computed it, and
//! a log that is made up here should not look as if that had been measured.

mod announcements;
mod channel;
mod frame_format;

use std::sync::Arc;

use waywarden_can::Format;
use waywarden_can_log::{Channel, Channels, Record};

use self::channel::ProtectedChannel;
use crate::error::{LOG_STREAMS_MAX, ProtectLogError, ProtectStreamError};
use crate::plan::{AuthenticationPlan, StreamMatch};

/// Protects one log.
///
/// Hand each record in, in the order of the log; write what comes out in its place.
pub struct LogProtector {
    plan: Arc<AuthenticationPlan>,
    channels: Vec<ProtectedChannel>,
    streams: usize,
    protected: u64,
    unprotected: u64,
}

impl LogProtector {
    /// Begins a log.
    #[must_use]
    pub fn new(plan: Arc<AuthenticationPlan>) -> Self {
        LogProtector {
            plan,
            channels: Vec::new(),
            streams: 0,
            protected: 0,
            unprotected: 0,
        }
    }

    /// Protects a record: appends its replacement to `out`, in order. This is due announcements,
    /// the message or the secured frame, its tag; or the record as it is.
    ///
    /// `channels` are those of the log so far, the same ones in each call.
    ///
    /// # Errors
    /// [`ProtectLogError`]. The log cannot be protected then; `out` may have announcements.
    pub fn protect(
        &mut self,
        record: &Record,
        channels: &Channels,
        out: &mut Vec<Record>,
    ) -> Result<(), ProtectLogError> {
        let at = self.channel(record.channel, channels)?;
        let (plan, channel) = (&*self.plan, self.channels.get_mut(at));
        let channel = channel.ok_or(ProtectLogError::ForeignChannel)?;
        channel.advance(record.at_ns);
        channel.announce(record, out)?;
        let Some(frame) = record.entry.frame() else {
            out.push(*record);
            return Ok(());
        };
        let stream = plan.stream_of_plain(channel.bus(), frame);
        let is_known = |stream: &StreamMatch<'_>| channel.has_stream(stream.id);
        let is_new = !stream.as_ref().is_some_and(is_known);
        // A remote frame has nothing to be protected, and is the tag of no message.
        if is_new && frame.format() != Format::Remote {
            channel.note_identifier(plan, frame, stream.as_ref())?;
        }
        let Some(stream) = stream else {
            self.unprotected += 1;
            out.push(*record);
            return Ok(());
        };
        let named = |cause: ProtectStreamError| ProtectLogError::Stream {
            stream: stream.title(),
            cause,
        };
        if is_new {
            if self.streams == LOG_STREAMS_MAX {
                return Err(named(ProtectStreamError::TooManyStreams));
            }
            self.streams += 1;
            channel.add_stream(plan, &stream, frame).map_err(named)?;
        }
        channel
            .protect(plan, &stream, (record, frame), out)
            .map_err(named)?;
        self.protected += 1;
        Ok(())
    }

    /// Returns how many messages are protected.
    #[must_use]
    pub const fn protected(&self) -> u64 {
        self.protected
    }

    /// Returns of how many streams, over all channels, messages are protected.
    #[must_use]
    pub const fn streams(&self) -> usize {
        self.streams
    }

    /// Returns how many frames are left as they are; error frames are not counted.
    #[must_use]
    pub const fn unprotected(&self) -> u64 {
        self.unprotected
    }

    fn channel(&mut self, channel: Channel, channels: &Channels) -> Result<usize, ProtectLogError> {
        // Channels are numbered in the order in which they come.
        for (_, name) in channels.iter().skip(self.channels.len()) {
            let bus = self.plan.bus(name)?;
            self.channels.push(ProtectedChannel::new(&self.plan, bus)?);
        }
        Ok(channel.index())
    }
}
