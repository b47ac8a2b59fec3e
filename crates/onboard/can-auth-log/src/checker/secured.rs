//! SecOC's streams of a recording: frames with a code in them, and messages whose code has a
//! cryptographic PDU of its own.

use waywarden_can::Frame;
use waywarden_can_auth::event::CanPayload;
use waywarden_can_auth::key_store::KeyStoreError;
use waywarden_can_auth::paired::{CANDIDATES, TAG_WITHIN};
use waywarden_can_auth::secoc::SeparateStream;
use waywarden_can_log::Record;
use waywarden_work::Instant;

use super::FreshnessReport;
use super::epochs::KnownEpochs;
use super::judge::{Claim, Judgement, Settled};
use super::pending::{PendingRecord, PendingRecords};
use super::stream::{CheckedStream, EarlyCode, PairedFrameKind, secoc_receiver};
use crate::plan::{AuthenticationPlan, StreamMatch};
use crate::records::with_frame;
use crate::secured_frame;
use crate::stream_state::StreamReceiver;
use crate::verdict::FrameVerdict;

/// Context in which a frame is judged.
#[derive(Clone, Copy)]
pub(super) struct JudgedAt {
    pub(super) epochs: KnownEpochs,
    /// The log's time.
    pub(super) now: Instant,
    /// True if a verdict may wait for frames that follow.
    pub(super) waits: bool,
}

impl CheckedStream {
    /// Judges a secured frame.
    pub(super) fn judged(
        &mut self,
        plan: &AuthenticationPlan,
        found: &StreamMatch<'_>,
        (record, frame): (&Record, &Frame),
        at: &JudgedAt,
        pending: &mut PendingRecords,
    ) -> Result<(), KeyStoreError> {
        self.renew_layouts(plan, found, frame);
        let widens = plan.tables[self.table].widens;
        let streams = self.receivers.iter().filter_map(secoc_receiver);
        let streams: Vec<_> = streams.map(|receiver| *receiver.stream()).collect();
        let claims = streams.iter().filter_map(|stream| {
            Some(Claim {
                stream: *stream,
                payload: stream.carried(frame)?,
                received: stream.trailer(frame)?,
            })
        });
        let claims: Vec<Claim<'_>> = claims.collect();
        let Some(judge) = &mut self.judge else {
            return Ok(());
        };
        let mut report = FreshnessReport::default();
        if let [only] = &streams[..] {
            let freshness_state = at.epochs.freshness_state();
            report.expected = only
                .profile()
                .value_expected(judge.last(), &freshness_state);
            report.received = only.trailer(frame);
        }
        let mut settled = Vec::new();
        let judgement = judge.judge(&claims, &at.epochs, &mut self.keys, &mut settled)?;
        let plain = |claim: &Claim<'_>| {
            let frame = secured_frame::plain_frame(found.id, frame, claim.payload, widens)?;
            Some(with_frame(record, frame))
        };
        let judged = |verdict, plain| PendingRecord::judged(record, self.row, verdict, plain);
        let next = match judgement {
            Judgement::Authentic { claim, at } => {
                let claim = &claims[claim];
                report.received = Some(claim.received);
                report.verified = Some(at).filter(|at| at.message.is_some());
                let own = |one: &StreamReceiver| {
                    secoc_receiver(one).is_some_and(|one| *one.stream() == claim.stream)
                };
                self.receivers.retain(own);
                self.is_layout_known = true;
                judged(FrameVerdict::Authentic, plain(claim))
            }
            Judgement::Possible { claim } if at.waits => {
                let record = PendingRecord::waiting(record, self.row, plain(&claims[claim]));
                let number = pending.push(record.with_freshness(report));
                judge.wait(&[number]);
                settle(settled, pending);
                return Ok(());
            }
            Judgement::Possible { .. } => judged(FrameVerdict::OutOfStep, None),
            Judgement::Refused(verdict) => judged(verdict, None),
        };
        settle(settled, pending);
        pending.push(next.with_freshness(report));
        Ok(())
    }

    /// Judges a frame of a stream with cryptographic PDUs. A message that waits for its PDU is
    /// returned by its number.
    pub(super) fn separate(
        &mut self,
        kind: PairedFrameKind,
        (record, frame): (&Record, &Frame),
        at: &JudgedAt,
        pending: &mut PendingRecords,
    ) -> Result<Option<u64>, KeyStoreError> {
        let Some(StreamReceiver::SeparateSecoc(receiver)) = self.receivers.first() else {
            return Ok(None);
        };
        let stream = *receiver.stream();
        self.drop_early(|early| early.until <= at.now, pending);
        if kind != PairedFrameKind::Message {
            self.cryptographic(&stream, (record, frame), at, pending)?;
            return Ok(None);
        }
        let Some(payload) = stream.carried(frame) else {
            self.refuse(record, pending);
            return Ok(None);
        };
        let payload = CanPayload::new(payload);
        if self.untagged.len() >= CANDIDATES {
            self.drop_first(FrameVerdict::Missing, pending);
        }
        let waiting = PendingRecord::waiting(record, self.row, Some(*record));
        let number = pending.push(waiting.or_else(FrameVerdict::Missing));
        self.await_tag(number, payload, frame.id());
        self.overtaken(&stream, at, pending)?;
        Ok(Some(number))
    }

    /// Judges a cryptographic PDU by the messages before it, the newest first, as a receiver has
    /// them.
    fn cryptographic(
        &mut self,
        stream: &SeparateStream,
        (record, frame): (&Record, &Frame),
        at: &JudgedAt,
        pending: &mut PendingRecords,
    ) -> Result<(), KeyStoreError> {
        let row = self.row;
        let judged = |verdict| PendingRecord::judged(record, row, verdict, None);
        let (Some(received), Some(judge)) = (stream.trailer(frame), &mut self.judge) else {
            pending.push(judged(FrameVerdict::WrongTag));
            return Ok(());
        };
        let mut report = FreshnessReport {
            verified: None,
            expected: stream
                .profile()
                .value_expected(judge.last(), &at.epochs.freshness_state()),
            received: Some(received),
        };
        let claims = self.untagged.iter().rev().map(|own| Claim {
            stream: *stream.payloads(),
            payload: own.payload.as_bytes(),
            received,
        });
        let claims: Vec<Claim<'_>> = claims.collect();
        let mut settled = Vec::new();
        let judgement = match claims.is_empty() {
            true => Judgement::Refused(FrameVerdict::TagWithoutData),
            false => judge.judge(&claims, &at.epochs, &mut self.keys, &mut settled)?,
        };
        let place = |claim: usize| claims.len() - 1 - claim;
        let waiting = || PendingRecord::waiting(record, row, None);
        match judgement {
            Judgement::Authentic { claim, at } => {
                report.verified = Some(at).filter(|at| at.message.is_some());
                let place = place(claim);
                self.settle_at(place, pending);
                self.drop_early(|_| true, pending);
                pending.push(judged(FrameVerdict::Authentic).with_freshness(report));
            }
            Judgement::Possible { claim } if at.waits => {
                let message = self.untagged.remove(place(claim));
                let number = pending.push(waiting().with_freshness(report));
                let records = message.iter().map(|own| own.number).chain([number]);
                judge.wait(&records.collect::<Vec<_>>());
            }
            Judgement::Possible { .. } => {
                pending.push(judged(FrameVerdict::OutOfStep).with_freshness(report));
            }
            // It may have overtaken its message on the bus.
            Judgement::Refused(fallback) if at.waits && self.early.len() < CANDIDATES => {
                let record = waiting().or_else(fallback).with_freshness(report);
                let (number, until) = (pending.push(record), at.now + TAG_WITHIN);
                self.early.push_back(EarlyCode {
                    number,
                    received,
                    fallback,
                    until,
                });
            }
            Judgement::Refused(verdict) => {
                pending.push(judged(verdict).with_freshness(report));
            }
        }
        settle(settled, pending);
        Ok(())
    }

    /// Judges the newest message by the cryptographic PDUs that came before it.
    fn overtaken(
        &mut self,
        stream: &SeparateStream,
        at: &JudgedAt,
        pending: &mut PendingRecords,
    ) -> Result<(), KeyStoreError> {
        let (Some(newest), Some(judge)) = (self.untagged.back(), &mut self.judge) else {
            return Ok(());
        };
        if self.early.is_empty() {
            return Ok(());
        }
        let (message, payload) = (newest.number, newest.payload);
        let claims = self.early.iter().map(|early| Claim {
            stream: *stream.payloads(),
            payload: payload.as_bytes(),
            received: early.received,
        });
        let claims: Vec<Claim<'_>> = claims.collect();
        let mut settled = Vec::new();
        let judgement = judge.judge(&claims, &at.epochs, &mut self.keys, &mut settled)?;
        settle(settled, pending);
        match judgement {
            Judgement::Authentic { claim, at } => {
                if let Some(early) = self.early.remove(claim) {
                    let verified = Some(at).filter(|at| at.message.is_some());
                    pending.settle(early.number, FrameVerdict::Authentic, verified);
                }
                self.settle_at(self.untagged.len() - 1, pending);
                let mut before = claim;
                self.drop_early(
                    |_| {
                        let is_before = before > 0;
                        before = before.saturating_sub(1);
                        is_before
                    },
                    pending,
                );
            }
            Judgement::Possible { claim } => {
                let records = self.early.remove(claim).map(|early| early.number);
                let records = records.into_iter().chain([message]);
                judge.wait(&records.collect::<Vec<_>>());
                self.untagged.pop_back();
            }
            Judgement::Refused(_) => {}
        }
        Ok(())
    }

    /// Gives up cryptographic PDUs that no message followed.
    fn drop_early(
        &mut self,
        mut is_over: impl FnMut(&EarlyCode) -> bool,
        pending: &mut PendingRecords,
    ) {
        self.early.retain(|early| {
            let is_over = is_over(early);
            if is_over {
                pending.judge(early.number, early.fallback);
            }
            !is_over
        });
    }
}

fn settle(settled: Vec<Settled>, pending: &mut PendingRecords) {
    for (number, verdict, verified) in settled {
        pending.settle(number, verdict, verified);
    }
}
