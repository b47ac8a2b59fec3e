//! `waywarden verify --policy`: a receiver with less time than messages, on a clock of its own.
//!
//! Messages arrive when the capture says, or at a rate; one verifier takes the next message of the
//! queue whenever it is free. Nothing depends on how fast this machine is.

mod arguments;
mod print;
mod timeline;

pub(super) use self::print::SCHEMAS;
use std::io::{BufWriter, Write};

use waywarden_v2x_receiver::{Receiver as SharedReceiver, Reception, Verdict};
use waywarden_v2x_schedule::{Criterion, Features, Policy, Queue};
use waywarden_v2x_wire::detect::FoundSpdu;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Time64};

pub(super) use self::arguments::Scheduling;
use self::print::{Handling, Output, Row, Totals};
use self::timeline::{Decision, Outcome, Timeline};
use super::summary::{Summary, Tally};
use super::{VerifyCommand, WRITTEN, progress};
use waywarden_command_line::answers;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain;
use waywarden_v2x_input::record::{InputRecord, NoMessage};
use waywarden_v2x_input::records;
use waywarden_v2x_input::time::{self, At};
use waywarden_v2x_input::unread::StopReason;

/// Bytes of all messages that wait: a thousand packets of 64 KiB. Real ones have hundreds of bytes.
const WAITING_BYTES_MAX: usize = 64 << 20;
/// Nanoseconds of a second.
const SECOND_NS: u64 = 1_000_000_000;

/// Verifies the files as such a receiver would.
pub(super) fn execute(verify: &VerifyCommand, policy: Policy) -> Result<Answer, Failure> {
    let scheduling = &verify.scheduling;
    let has_area = |one: Criterion| matches!(one, Criterion::Area(_));
    if policy.criteria().any(has_area) && scheduling.ego.is_none() {
        return Err(Failure::new(format_args!(
            "--policy {policy}: an area is around the receiver; give --ego LAT,LON[,HEADING]"
        )));
    }
    let mut summary = Summary::default();
    let bar = verify.bar();
    let shared = verify.receiver(&mut summary, &bar)?;
    let out = BufWriter::with_capacity(WRITTEN, answers::out());
    let mut queue = Queue::new(policy, scheduling.bounds());
    queue.set_ego(scheduling.ego);
    let mut receiver = Receiver {
        shared: &shared,
        scheduling,
        policy,
        timeline: Timeline::new(queue, scheduling.service_ns()),
        arrived: 0,
        waiting_bytes: 0,
        newest_verified: 0,
        summary,
        totals: Totals::new(policy, scheduling),
        output: Output::new(verify.format, out),
    };
    for path in &verify.files {
        match records::watched(
            path,
            |input| progress::watch(&bar, input),
            |record| receiver.take(record).map_err(StopReason::Failed),
        ) {
            Ok(file) => receiver.summary.take(file),
            Err(StopReason::Unread(unread)) => receiver.summary.errors.extend([unread]),
            Err(StopReason::Failed(failure)) => return Err(failure),
        }
    }
    receiver.advance(None)?;
    bar.finish_and_clear();
    receiver.summary.warnings.extend(shared.notes());
    receiver.finish(verify)
}

/// The receiver, and what came of the messages so far.
struct Receiver<'r, W: Write> {
    shared: &'r SharedReceiver,
    scheduling: &'r Scheduling,
    policy: Policy,
    timeline: Timeline<Waiting>,
    /// Number of messages that have arrived.
    arrived: u64,
    waiting_bytes: usize,
    /// The highest number of a message that was verified.
    newest_verified: u64,
    summary: Summary,
    totals: Totals,
    output: Output<W>,
}

/// A message that waits.
struct Waiting {
    record: InputRecord,
    /// In the order of arrival, from 1.
    number: u64,
    features: Features,
    row: Row,
}

impl<W: Write> Receiver<'_, W> {
    /// Takes a record: a message goes into the queue, and anything else is judged at once.
    fn take(&mut self, record: InputRecord) -> Result<(), Failure> {
        let arrival = match record.find_on(&self.shared.rules().udp_ports) {
            Ok(found) => {
                let mut features = Features::of(&found);
                if self.scheduling.rate.is_some() {
                    // Its own times are not those at which it arrives.
                    features.generated = None;
                }
                Some((features, self.arrival_ns(&record, &found)?))
            }
            Err(NoMessage::Other | NoMessage::Unread(_) | NoMessage::Unsupported(_)) => None,
        };
        let Some((features, at_ns)) = arrival else {
            return match self.judge(&record) {
                Some(judgement) => self.write(Row::unscheduled(&judgement)),
                None => Ok(()),
            };
        };
        self.advance(Some(at_ns))?;
        self.arrived += 1;
        self.totals.arrived += 1;
        self.waiting_bytes += record.bytes.len();
        if self.waiting_bytes > WAITING_BYTES_MAX {
            return Err(Failure::new(format_args!(
                "{}: more than 64 MiB of messages wait; give a smaller --queue",
                record.place
            )));
        }
        let zone = self
            .policy
            .zone(features.position.as_ref(), self.scheduling.ego.as_ref());
        let at_ns = self.timeline.arrival_ns(at_ns);
        let row = Row::arrived(&record, features.class, zone, at_ns);
        let number = self.arrived;
        let waiting = Waiting {
            record,
            number,
            features,
            row,
        };
        let dropped = self.timeline.arrive(waiting, &features, at_ns);
        self.totals.waiting_max = self.totals.waiting_max.max(self.timeline.waiting());
        dropped.into_iter().try_for_each(|one| self.decide(one))
    }

    /// Returns the arrival time of a message, in nanoseconds after the first one.
    fn arrival_ns(&mut self, record: &InputRecord, found: &FoundSpdu<'_>) -> Result<u64, Failure> {
        if let Some(rate) = self.scheduling.rate {
            let begin = || match self.shared.rules().at {
                At::Time(time) => time,
                At::Capture => record.captured.unwrap_or_else(time::now),
                At::Generation => generation(found).unwrap_or_else(time::now),
                At::Now => time::now(),
            };
            self.timeline.begin(begin);
            let ns = u128::from(self.arrived) * u128::from(SECOND_NS) / u128::from(rate);
            return Ok(u64::try_from(ns).unwrap_or(u64::MAX));
        }
        let captured = record.captured.ok_or_else(|| {
            Failure::new(format_args!(
                "{}: does not say when it arrived, as a capture does; give --rate PER_SECOND",
                record.place
            ))
        })?;
        let begin = self.timeline.begin(|| captured);
        Ok(captured.0.saturating_sub(begin.0).saturating_mul(1_000))
    }

    /// Verifies what the verifier begins before this moment; without one, all that waits.
    fn advance(&mut self, until_ns: Option<u64>) -> Result<(), Failure> {
        while let Some(decided) = self.timeline.next(until_ns) {
            self.decide(decided)?;
        }
        Ok(())
    }

    fn decide(&mut self, decided: Decision<Waiting>) -> Result<(), Failure> {
        let Waiting {
            record,
            number,
            features,
            mut row,
        } = decided.item;
        self.waiting_bytes -= record.bytes.len();
        let wait_ns = decided.at_ns.saturating_sub(row.arrival_ns);
        match decided.outcome {
            Outcome::Dropped(cause) => row.drop_for(cause, wait_ns),
            Outcome::Verified => {
                let handling = match number < self.newest_verified {
                    true => Handling::Deferred,
                    false => Handling::Verified,
                };
                self.newest_verified = self.newest_verified.max(number);
                let judgement = self.judge(&record);
                let is_valid = judgement
                    .as_ref()
                    .is_some_and(|one| one.signature_valid == Some(true));
                self.timeline.learn(&features, decided.at_ns, is_valid);
                row.verify(handling, wait_ns, judgement.as_ref());
            }
        }
        self.write(row)
    }

    /// Judges a record; `None` for a frame of other traffic.
    fn judge(&mut self, record: &InputRecord) -> Option<Verdict> {
        let verdict = [self.shared.verify(record, &Reception::default())];
        self.summary.tally.add(&Tally::of(&verdict));
        verdict.into_iter().flatten().next()
    }

    fn write(&mut self, row: Row) -> Result<(), Failure> {
        self.totals.count(&row);
        Ok(self.output.write(row)?)
    }

    fn finish(mut self, verify: &VerifyCommand) -> Result<Answer, Failure> {
        let summary = &mut self.summary;
        summary
            .warnings
            .extend(verify.undated(summary.tally.undated));
        let more = summary.warnings.more("notes");
        for warning in summary.warnings.items().iter().chain(&more) {
            messages::note(plain(warning));
        }
        self.totals.passed_over = summary.tally.passed_over;
        self.output.finish(&self.totals)?;
        let inputs = self.totals.inputs();
        if inputs > 0 {
            summary.tally.inputs = inputs;
        }
        super::answer(summary)
    }
}

/// Returns the generation time in a message's header.
fn generation(found: &FoundSpdu<'_>) -> Option<Time64> {
    match &found.data.content {
        Ieee1609Dot2Content::Signed(signed) => signed.tbs_data.header_info.generation_time,
        _ => None,
    }
}
