//! Records in the order of the log, while one of them waits for its tag.

use std::collections::VecDeque;

use waywarden_can_auth::secoc::FreshnessValue;
use waywarden_can_log::Record;
use waywarden_work::{Duration, Instant};

use super::{CheckedRecord, FreshnessReport};
use crate::summary::StreamCounts;
use crate::verdict::FrameVerdict;

/// Limit on records that wait. Where more would, the oldest message is given up.
pub(super) const PENDING_MAX: usize = 1 << 16;

/// Records that wait for a verdict, theirs or that of one before them.
#[derive(Default)]
pub(super) struct PendingRecords {
    entries: VecDeque<PendingRecord>,
    /// Number of records that have left.
    gone: u64,
    /// The latest time so far: it does not go back where the log's does.
    now: Instant,
    /// The longest time that a record waits; none waits for as long as it takes.
    longest: Option<Duration>,
    /// Number of records that were given up and whose tags came later.
    late: u64,
}

/// A record with its results so far.
pub(super) struct PendingRecord {
    pub(super) record: Record,
    /// The index of its counts; none if it is not counted.
    pub(super) row: Option<usize>,
    pub(super) verdict: Option<FrameVerdict>,
    pub(super) plain: Option<Record>,
    pub(super) freshness: Option<FreshnessReport>,
    /// The verdict if the record waits for a frame that never comes.
    pub(super) fallback: FrameVerdict,
    /// The latest time of the log when the record came.
    since: Instant,
}

impl PendingRecords {
    /// Bounds the time that a record waits.
    pub(super) fn wait_at_most(&mut self, longest: Duration) {
        self.longest = Some(longest);
    }

    /// Goes on to the time of a record.
    pub(super) fn advance(&mut self, at_ns: u64) {
        self.now = self.now.max(Instant::from_nanos(at_ns));
    }

    /// Returns how many records were given up whose tags came later.
    pub(super) const fn late(&self) -> u64 {
        self.late
    }

    /// Adds a record; returns its number.
    pub(super) fn push(&mut self, mut waiting: PendingRecord) -> u64 {
        waiting.since = self.now;
        self.entries.push_back(waiting);
        self.gone + self.entries.len() as u64 - 1
    }

    /// Judges a record that waits; one that was given up keeps its verdict.
    pub(super) fn judge(&mut self, number: u64, verdict: FrameVerdict) {
        self.late += u64::from(number < self.gone && verdict == FrameVerdict::Authentic);
        let at = number.checked_sub(self.gone).map(|at| at as usize);
        let waiting = at.and_then(|at| self.entries.get_mut(at));
        if let Some(waiting) = waiting {
            waiting.verdict.get_or_insert(verdict);
            if verdict != FrameVerdict::Authentic {
                waiting.plain = None;
            }
        }
    }

    /// Judges a record that waits, with the value that it was verified with.
    pub(super) fn settle(
        &mut self,
        number: u64,
        verdict: FrameVerdict,
        verified: Option<FreshnessValue>,
    ) {
        self.judge(number, verdict);
        let at = number.checked_sub(self.gone).map(|at| at as usize);
        let waiting = at.and_then(|at| self.entries.get_mut(at));
        if let Some(report) = waiting.and_then(|waiting| waiting.freshness.as_mut()) {
            report.verified = verified;
        }
    }

    /// Gives up the oldest message if too many records wait.
    pub(super) fn bound(&mut self) {
        if self.entries.len() > PENDING_MAX {
            let oldest = self.entries.front();
            let fallback = oldest.map_or(FrameVerdict::Missing, |oldest| oldest.fallback);
            self.judge(self.gone, fallback);
        }
    }

    /// Gives up all that still waits.
    pub(super) fn end(&mut self) {
        for waiting in &mut self.entries {
            if waiting.verdict.is_none() {
                waiting.verdict = Some(waiting.fallback);
                waiting.plain = None;
            }
        }
    }

    /// Hands out what is judged, up to the first that is not, and counts it. A record that has
    /// waited for too long, after `quiet` without a frame, is given up.
    pub(super) fn hand_out(
        &mut self,
        quiet: Duration,
        counts: &mut [StreamCounts],
        out: &mut Vec<CheckedRecord>,
    ) {
        let (now, longest) = (self.now + quiet, self.longest);
        while let Some(waiting) = self.entries.front_mut() {
            let is_over = longest.is_some_and(|longest| waiting.since + longest <= now);
            let verdict = match waiting.verdict {
                Some(verdict) => verdict,
                None if is_over => {
                    waiting.plain = None;
                    waiting.fallback
                }
                None => return,
            };
            if let Some(row) = waiting.row.and_then(|row| counts.get_mut(row)) {
                row.count(verdict);
            }
            out.push(CheckedRecord {
                record: waiting.record,
                verdict,
                plain: waiting.plain,
                stream: waiting.row,
                freshness: waiting.freshness,
            });
            self.entries.pop_front();
            self.gone += 1;
        }
    }
}

impl PendingRecord {
    /// A record of no stream, which goes on as it is.
    pub(super) fn of_none(record: &Record, row: Option<usize>) -> Self {
        PendingRecord {
            record: *record,
            row,
            verdict: Some(FrameVerdict::UnknownId),
            plain: Some(*record),
            freshness: None,
            fallback: FrameVerdict::UnknownId,
            since: Instant::ZERO,
        }
    }

    /// A record that waits for frames that follow; out of step if they do not come.
    pub(super) fn waiting(record: &Record, row: usize, plain: Option<Record>) -> Self {
        PendingRecord {
            record: *record,
            row: Some(row),
            verdict: None,
            plain,
            freshness: None,
            fallback: FrameVerdict::OutOfStep,
            since: Instant::ZERO,
        }
    }

    /// The same with another verdict if nothing comes.
    pub(super) fn or_else(self, fallback: FrameVerdict) -> Self {
        PendingRecord { fallback, ..self }
    }

    pub(super) fn judged(
        record: &Record,
        row: usize,
        verdict: FrameVerdict,
        plain: Option<Record>,
    ) -> Self {
        let is_authentic = verdict == FrameVerdict::Authentic;
        PendingRecord {
            record: *record,
            row: Some(row),
            verdict: Some(verdict),
            plain: plain.filter(|_| is_authentic),
            freshness: None,
            fallback: verdict,
            since: Instant::ZERO,
        }
    }

    /// Adds the freshness at SecOC's receiver.
    pub(super) fn with_freshness(self, freshness: FreshnessReport) -> Self {
        PendingRecord {
            freshness: Some(freshness),
            ..self
        }
    }
}
