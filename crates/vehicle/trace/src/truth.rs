//! The ground truth of messages that ECUs take: each is its sender's, or forged.
//!
//! The attacked protocol cannot tell if an attack worked: one that takes a forgery calls it
//! authentic. So the truth follows from the identities that frames carry, which no ECU reads.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{self, EcuIndex, EventSink};

use super::outcome::DeliveryOutcome;
use super::tracker::{Tracker, Truth};
use super::{CheckOutcome, Fact, JudgedFact, TraceSink, ValueSource, VehicleEvent};
use waywarden_vehicle_file::VehicleFile;

/// Number of messages of a stream, of those handed to an ECU's program, that are remembered.
const REMEMBERED: usize = 256;

/// Follows the messages of a run.
#[derive(Debug, Default)]
pub struct GroundTruth {
    tracker: Tracker,
    /// By ECU and stream: what its program was handed since the boot.
    taken: Vec<BTreeMap<usize, TakenMessages>>,
}

/// The messages of a stream that an ECU's program was handed.
#[derive(Clone, Debug, Default)]
struct TakenMessages {
    last: VecDeque<Truth>,
    /// Number of messages before those.
    before: u64,
}

/// A sink that adds the truth to what it passes on.
pub struct JudgingSink<'a> {
    /// Ground truth of the run.
    pub truth: &'a mut GroundTruth,
    /// Sink that takes the judged events.
    pub next: &'a mut dyn TraceSink,
}

impl EventSink<Fact> for JudgingSink<'_> {
    fn record(&mut self, at: Time, event: &trace::TraceEvent<'_, Fact>) {
        match event.without_remark() {
            Some(event) => {
                self.truth.follow(at, &event);
                self.next.record(at, &event);
            }
            None => {
                if let &trace::TraceEvent::Noted { ecu, remark } = event {
                    let judged = JudgedFact {
                        truth: self.truth.judge(at, ecu, remark),
                        fact: remark,
                    };
                    let remark = &judged;
                    self.next.record(at, &VehicleEvent::Noted { ecu, remark });
                }
            }
        }
    }
}

impl GroundTruth {
    /// Follows the messages of a vehicle, in a run of so many ECUs.
    #[must_use]
    pub fn new(file: &VehicleFile, ecus: usize) -> Self {
        GroundTruth {
            tracker: Tracker::new(file, ecus),
            taken: vec![BTreeMap::new(); ecus],
        }
    }

    /// Returns the release times of a stream's instances, in order.
    #[must_use]
    pub fn releases(&self, stream: usize) -> &[Time] {
        self.tracker.releases(stream)
    }

    /// Returns the outcome of each instance of a stream at one of its receivers, in order; both by
    /// their places in the vehicle file. Once the run is over, what has not ended is under way.
    pub fn outcomes(
        &self,
        stream: usize,
        receiver: usize,
    ) -> impl Iterator<Item = DeliveryOutcome> + '_ {
        self.tracker.outcomes(stream, receiver)
    }

    /// Returns how often an instance of a stream that a receiver had came to it again.
    #[must_use]
    pub fn repeated(&self, stream: usize, receiver: usize) -> u64 {
        self.tracker.repeated(stream, receiver)
    }

    fn follow(&mut self, at: Time, event: &VehicleEvent<'_>) {
        if let VehicleEvent::Boot { ecu, .. } = event
            && let Some(taken) = self.taken.get_mut(ecu.0)
        {
            taken.clear();
        }
        self.tracker.follow(at, event);
    }

    fn judge(&mut self, at: Time, ecu: EcuIndex, fact: &Fact) -> Option<Truth> {
        if let Fact::Displayed {
            source: Some(source),
            ..
        } = fact
        {
            return Some(self.source(ecu, *source));
        }
        let truth = self.tracker.note(at, ecu, fact)?;
        if let Fact::Taken { stream, .. }
        | Fact::Checked {
            stream,
            outcome: CheckOutcome::Authentic(_),
            ..
        } = fact
            && let Some(taken) = self.taken.get_mut(ecu.0)
        {
            taken.entry(*stream).or_default().add(truth);
        }
        Some(truth)
    }

    /// Returns the truth of a message that something shows.
    fn source(&self, ecu: EcuIndex, source: ValueSource) -> Truth {
        let forged = Truth::Forged { by: None };
        let ValueSource::Message { stream, number } = source else {
            return forged;
        };
        let taken = self.taken.get(ecu.0).and_then(|own| own.get(&stream));
        taken.and_then(|own| own.get(number)).unwrap_or(forged)
    }
}

impl TakenMessages {
    fn add(&mut self, truth: Truth) {
        if self.last.len() == REMEMBERED {
            self.last.pop_front();
            self.before += 1;
        }
        self.last.push_back(truth);
    }

    fn get(&self, number: u64) -> Option<Truth> {
        let place = usize::try_from(number.checked_sub(self.before)?).ok()?;
        self.last.get(place).copied()
    }
}
