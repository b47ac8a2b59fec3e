//! SecOC's streams of a recording: frames with a code in them, and messages whose code has a
//! cryptographic PDU of its own.

use waywarden_can::Frame;
use waywarden_can_auth::event::Payload;
use waywarden_can_auth::paired::CANDIDATES;
use waywarden_can_auth::vault::VaultError;
use waywarden_can_log::Record;

use super::FreshnessReport;
use super::epochs::KnownEpochs;
use super::judge::{Claim, Judgement, Settled};
use super::pending::{PendingRecord, PendingRecords};
use super::stream::{CheckedStream, PairedFrameKind, secoc_receiver};
use crate::plan::{AuthenticationPlan, StreamMatch};
use crate::records::with_frame;
use crate::secured_frame;
use crate::stream_state::StreamReceiver;
use crate::verdict::FrameVerdict;

/// What a frame is judged by.
#[derive(Clone, Copy)]
pub(super) struct JudgedAt {
    pub(super) epochs: KnownEpochs,
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
    ) -> Result<(), VaultError> {
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
            let horizon = at.epochs.horizon();
            report.expected = only.profile().value_expected(judge.last(), &horizon);
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
    ) -> Result<Option<u64>, VaultError> {
        let (Some(StreamReceiver::SeparateSecoc(receiver)), Some(judge)) =
            (self.receivers.first(), &mut self.judge)
        else {
            return Ok(None);
        };
        let stream = *receiver.stream();
        if kind == PairedFrameKind::Message {
            let Some(payload) = stream.carried(frame) else {
                self.refuse(record, pending);
                return Ok(None);
            };
            let payload = Payload::new(payload);
            if self.untagged.len() >= CANDIDATES {
                self.drop_first(FrameVerdict::Missing, pending);
            }
            let waiting = PendingRecord::waiting(record, self.row, Some(*record));
            let number = pending.push(waiting.or_else(FrameVerdict::Missing));
            self.await_tag(number, payload, frame.id());
            return Ok(Some(number));
        }
        let row = self.row;
        let judged = |verdict| PendingRecord::judged(record, row, verdict, None);
        let Some(received) = stream.trailer(frame) else {
            pending.push(judged(FrameVerdict::WrongTag));
            return Ok(None);
        };
        if self.untagged.is_empty() {
            pending.push(judged(FrameVerdict::TagWithoutData));
            return Ok(None);
        }
        let payloads = stream.payloads();
        // The newest first, as a receiver has them.
        let claims = self.untagged.iter().rev().map(|own| Claim {
            stream: *payloads,
            payload: own.payload.as_bytes(),
            received,
        });
        let claims: Vec<Claim<'_>> = claims.collect();
        let newest = claims.len() - 1;
        let mut report = FreshnessReport {
            verified: None,
            expected: stream
                .profile()
                .value_expected(judge.last(), &at.epochs.horizon()),
            received: Some(received),
        };
        let mut settled = Vec::new();
        let judgement = judge.judge(&claims, &at.epochs, &mut self.keys, &mut settled)?;
        let next = match judgement {
            Judgement::Authentic { claim, at } => {
                report.verified = Some(at).filter(|at| at.message.is_some());
                self.settle_at(newest - claim, pending);
                judged(FrameVerdict::Authentic)
            }
            Judgement::Possible { claim } if at.waits => {
                let message = self.untagged.remove(newest - claim);
                let waiting = PendingRecord::waiting(record, self.row, None);
                let number = pending.push(waiting.with_freshness(report));
                let records = message.iter().map(|own| own.number).chain([number]);
                judge.wait(&records.collect::<Vec<_>>());
                settle(settled, pending);
                return Ok(None);
            }
            Judgement::Possible { .. } => judged(FrameVerdict::OutOfStep),
            Judgement::Refused(verdict) => judged(verdict),
        };
        settle(settled, pending);
        pending.push(next.with_freshness(report));
        Ok(None)
    }
}

fn settle(settled: Vec<Settled>, pending: &mut PendingRecords) {
    for (number, verdict, verified) in settled {
        pending.settle(number, verdict, verified);
    }
}
