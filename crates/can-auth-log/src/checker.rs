//! Checks the frames of a protected log, and gives back the messages as they were.
//!
//! Each stream is checked by itself, with the frames of its own identifiers: that a receiver as
//! published takes whatever comes next for the tag is its ECU's trouble, not the log's.
//!
//! The verdict on a message whose tag has a frame of its own is known when the tag was there, or
//! should have been. Until then it waits, and all behind it, so that the log keeps its order.

mod announcements;
mod channel;
mod pending;
mod stream;

use std::sync::Arc;

use waywarden_can_log::{Channel, Channels, Record};

use self::channel::CheckedChannel;
use self::pending::{PendingRecord, PendingRecords};
use crate::error::{CheckLogError, LOG_STREAMS_MAX};
use crate::plan::AuthenticationPlan;
use crate::summary::{CheckSummary, StreamCounts};
use crate::verdict::FrameVerdict;

/// A record with its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedRecord {
    /// The record as it is in the log.
    pub record: Record,
    /// The verdict on its frame.
    pub verdict: FrameVerdict,
    /// The record as it was before it was protected; none for tags and announcements, and for what
    /// is not authentic.
    pub plain: Option<Record>,
}

/// Checks one log.
///
/// Hand each record in, in the order of the log, and end with [`LogChecker::finish`]: a record may
/// wait for its verdict, at most 65,536 of them.
pub struct LogChecker {
    plan: Arc<AuthenticationPlan>,
    channels: Vec<CheckedChannel>,
    counts: Vec<StreamCounts>,
    pending: PendingRecords,
}

impl LogChecker {
    /// Begins a log, which has to be from the start of its senders on: receivers begin in step with
    /// them.
    #[must_use]
    pub fn new(plan: Arc<AuthenticationPlan>) -> Self {
        LogChecker {
            plan,
            channels: Vec::new(),
            counts: Vec::new(),
            pending: PendingRecords::default(),
        }
    }

    /// Checks a record: appends the records whose verdicts are known by then to `out`, in the order
    /// of the log.
    ///
    /// `channels` are those of the log so far, the same ones in each call.
    ///
    /// # Errors
    /// [`CheckLogError`]. The log cannot be checked then.
    pub fn check(
        &mut self,
        record: &Record,
        channels: &Channels,
        out: &mut Vec<CheckedRecord>,
    ) -> Result<(), CheckLogError> {
        let at = self.channel(record.channel, channels)?;
        let LogChecker {
            plan,
            channels,
            counts,
            pending,
        } = self;
        let channel = channels.get_mut(at);
        let channel = channel.ok_or(CheckLogError::ForeignChannel)?;
        channel.advance(record.at_ns, pending);
        match record.entry.frame() {
            None => {
                pending.push(PendingRecord::of_none(record, None));
            }
            Some(frame) => {
                let is_full = counts.len() >= LOG_STREAMS_MAX;
                let known = channel.announced(frame, record, pending)?
                    || channel.message(plan, frame, (record, is_full), counts, pending)?;
                if !known {
                    let row = channel.unknown(counts);
                    pending.push(PendingRecord::of_none(record, Some(row)));
                }
            }
        }
        pending.bound();
        pending.hand_out(counts, out);
        Ok(())
    }

    /// Ends the log: what still waits for its tag is missing it.
    #[must_use]
    pub fn finish(mut self, out: &mut Vec<CheckedRecord>) -> CheckSummary {
        self.pending.end();
        self.pending.hand_out(&mut self.counts, out);
        CheckSummary::new(self.counts)
    }

    fn channel(&mut self, channel: Channel, channels: &Channels) -> Result<usize, CheckLogError> {
        for (_, name) in channels.iter().skip(self.channels.len()) {
            let bus = self.plan.bus(name)?;
            let channel = CheckedChannel::new(&self.plan, name, bus, &mut self.counts)?;
            self.channels.push(channel);
        }
        Ok(channel.index())
    }
}
