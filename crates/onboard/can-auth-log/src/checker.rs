//! Checks the frames of a protected log, and gives back the messages as they were.
//!
//! Each stream is checked by itself, with the frames of its own identifiers: that a receiver as
//! published takes whatever comes next for the tag is its ECU's trouble, not the log's.
//!
//! The verdict on a message whose tag has a frame of its own is known when the tag was there, or
//! should have been. Until then it waits, and all behind it, so that the log keeps its order.

mod allowance;
mod announcements;
mod channel;
mod epochs;
mod judge;
mod paired;
mod pending;
mod secured;
mod stream;
mod survey;

use std::sync::Arc;

use waywarden_can_auth::secoc::{FreshnessValue, Trailer};
use waywarden_can_log::{Channel, Channels, Record};
use waywarden_work::Duration;

use self::channel::CheckedChannel;

use self::pending::{PendingRecord, PendingRecords};
pub use self::survey::{Hindsight, LogSurvey};
use crate::error::{CheckLogError, LOG_STREAMS_MAX};
use crate::judging::Judging;
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
    /// The record as it was before it was protected; none for tags and announcements, and for
    /// records that are not authentic.
    pub plain: Option<Record>,
    /// The stream that the frame belongs to, as an index into [`LogChecker::streams`] and
    /// [`CheckSummary::streams`]; none for a record without a frame.
    pub stream: Option<usize>,
    /// Freshness of the frame at SecOC's receiver; none of other frames.
    pub freshness: Option<FreshnessReport>,
}

/// Freshness of a frame as known to a receiver of SecOC. It never has the code that the receiver
/// would have taken, which would make forging easy for a reader of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FreshnessReport {
    /// The freshness value under which the frame is authentic; of an announcement its epoch.
    pub verified: Option<FreshnessValue>,
    /// The lowest one that the receiver would have taken in the newest epoch that it knew before
    /// the frame; of an announcement the epoch after the last one announced.
    pub expected: Option<FreshnessValue>,
    /// Freshness and code in the frame; none while the receiver does not know where they are, or if
    /// the frame does not have the stream's form.
    pub received: Option<Trailer>,
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
    judging: Judging,
    hindsight: Hindsight,
}

impl LogChecker {
    /// Begins a log that is judged while it comes: a verdict on a SecOC frame never waits, and
    /// follows from the frames before it alone.
    #[must_use]
    pub fn new(plan: Arc<AuthenticationPlan>) -> Self {
        Self::begin(plan, Judging::Live, Hindsight::default())
    }

    /// Begins a log that can be judged with hindsight: a verdict may wait for the frames that
    /// follow. `hindsight` is what a [`LogSurvey`] found in the same log; it matters to plans that
    /// [have announcements](AuthenticationPlan::has_announcements).
    #[must_use]
    pub fn with_hindsight(plan: Arc<AuthenticationPlan>, hindsight: Hindsight) -> Self {
        Self::begin(plan, Judging::Log, hindsight)
    }

    /// Begins a log that is judged as a receiver would have: it starts with the log, in step with
    /// the senders, and retains what a receiver does.
    #[must_use]
    pub fn as_ecu(plan: Arc<AuthenticationPlan>) -> Self {
        Self::begin(plan, Judging::Ecu, Hindsight::default())
    }

    fn begin(plan: Arc<AuthenticationPlan>, judging: Judging, hindsight: Hindsight) -> Self {
        LogChecker {
            judging,
            hindsight,
            plan,
            channels: Vec::new(),
            counts: Vec::new(),
            pending: PendingRecords::default(),
        }
    }

    /// Gives up messages that have waited for their tags for `longest`, by the log's time or after
    /// a [silence](LogChecker::silence): for a bus that is followed, whose verdicts have to come.
    /// A tag that comes later and is right changes no verdict, and is counted as
    /// [late](LogChecker::late).
    #[must_use]
    pub fn waiting_at_most(mut self, longest: Duration) -> Self {
        self.pending.wait_at_most(longest);
        self
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
            ..
        } = self;
        let channel = channels.get_mut(at);
        let channel = channel.ok_or(CheckLogError::ForeignChannel)?;
        channel.advance(record.at_ns, pending);
        pending.advance(record.at_ns);
        match record.entry.frame() {
            None => {
                pending.push(PendingRecord::of_none(record, None));
            }
            Some(frame) => {
                channel.overhear(frame);
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
        pending.hand_out(Duration::ZERO, counts, out);
        Ok(())
    }

    /// Appends the records to `out` whose wait is over `quiet` after the last record, if nothing
    /// came since.
    pub fn silence(&mut self, quiet: Duration, out: &mut Vec<CheckedRecord>) {
        self.pending.hand_out(quiet, &mut self.counts, out);
    }

    /// Returns how many messages were given up whose tags were right and came later.
    #[must_use]
    pub const fn late(&self) -> u64 {
        self.pending.late()
    }

    /// Returns the streams that appeared so far, with the verdicts that are known.
    #[must_use]
    pub fn streams(&self) -> &[StreamCounts] {
        &self.counts
    }

    /// Ends the log: messages that still wait for their tags count as without.
    #[must_use]
    pub fn finish(mut self, out: &mut Vec<CheckedRecord>) -> CheckSummary {
        self.pending.end();
        self.pending.hand_out(Duration::ZERO, &mut self.counts, out);
        for channel in &self.channels {
            channel.report_first_counters(&mut self.counts);
        }
        let is_second = self.judging == Judging::Log && self.plan.has_announcements();
        CheckSummary::new(self.counts, self.judging, 1 + u8::from(is_second))
    }

    fn channel(&mut self, channel: Channel, channels: &Channels) -> Result<usize, CheckLogError> {
        for (_, name) in channels.iter().skip(self.channels.len()) {
            let bus = self.plan.bus(name)?;
            let announced = self.hindsight.of_channel(self.channels.len());
            let known = (self.judging, announced);
            let channel = CheckedChannel::new(&self.plan, (name, bus), known, &mut self.counts)?;
            self.channels.push(channel);
        }
        Ok(channel.index())
    }
}
