//! The path of one message through a run: release, protection, queues, buses, gateways, checks, and
//! its outcome at each receiver.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{BusIndex, EcuIndex, Serial};
use waywarden_vehicle_trace::{
    DeliveryOutcome as Ended, Fact, JudgedFact, Loss, MessageId, MessageIdentity, Tampering,
    TraceSink, VehicleEvent,
};

use crate::RunOutcome;
use crate::prose::{check_outcome, phrase};

/// Number of steps that are kept: an attacker may send a message again without end.
pub const STEPS_MAX: usize = 4_096;

/// Records what happens to one message; a sink of a run.
#[derive(Debug)]
pub struct PathRecorder {
    stream: usize,
    number: u32,
    /// The transmissions that carry it.
    serials: BTreeMap<Serial, BusIndex>,
    steps: Vec<Step>,
    /// Steps that were left out.
    omitted: u64,
}

/// One step, with the places of its ECU and bus.
#[derive(Debug)]
struct Step {
    at: Time,
    ecu: Option<EcuIndex>,
    bus: Option<BusIndex>,
    what: &'static str,
    detail: String,
}

/// The path of one message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MessagePath {
    /// The stream.
    pub stream: String,
    /// The number of the message, counted from 0 over all boots of its sender.
    pub number: u32,
    /// The steps in order of time.
    pub steps: Vec<PathStep>,
    /// Steps that were left out: there were more than 4,096.
    pub omitted: u64,
    /// The outcome at each receiver.
    pub outcomes: Vec<ReceiverOutcome>,
}

/// One step on the path of a message.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PathStep {
    /// Time since power-on.
    pub at_ms: f64,
    /// The step's kind, such as `released`, `requested`, `sent`, `delivered`, `checked`.
    pub what: &'static str,
    /// The ECU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecu: Option<String>,
    /// The bus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bus: Option<String>,
    /// Details in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail_text: String,
}

/// The outcome of a message at one receiver.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReceiverOutcome {
    /// The receiver.
    pub receiver: String,
    /// `delivered`, `refused`, `lost` or `under-way`.
    pub outcome: &'static str,
    /// The reason of a refusal, or the place of a loss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

impl PathRecorder {
    /// Records the path of a message of a stream, by its place in the vehicle file.
    #[must_use]
    pub const fn new(stream: usize, number: u32) -> Self {
        PathRecorder {
            stream,
            number,
            serials: BTreeMap::new(),
            steps: Vec::new(),
            omitted: 0,
        }
    }

    /// Returns the path once the run is over; none if the message was never released.
    #[must_use]
    pub fn finish(self, outcome: &RunOutcome) -> Option<MessagePath> {
        let releases = outcome.truth.releases(self.stream);
        if self.number as usize >= releases.len() {
            return None;
        }
        let (ecus, buses) = (&outcome.names.ecus, &outcome.names.buses);
        let steps = self.steps.into_iter().map(|step| PathStep {
            at_ms: step.at.as_picos() as f64 / 1e9,
            what: step.what,
            ecu: step.ecu.map(|ecu| ecus[ecu.0].clone()),
            bus: step.bus.map(|bus| buses[bus.0].clone()),
            detail_text: step.detail,
        });
        let watched = &outcome.measure.watched[self.stream];
        let receivers = watched.receivers.iter().enumerate();
        let outcomes = receivers.filter_map(|(at, ecu)| {
            let mut ended = outcome.truth.outcomes(self.stream, at);
            let (outcome, why) = code(ended.nth(self.number as usize)?);
            Some(ReceiverOutcome {
                receiver: ecus[ecu.0].clone(),
                outcome,
                why,
            })
        });
        Some(MessagePath {
            stream: watched.name.clone(),
            number: self.number,
            steps: steps.collect(),
            omitted: self.omitted,
            outcomes: outcomes.collect(),
        })
    }

    fn is_it(&self, message: Option<MessageId>) -> bool {
        message.is_some_and(|one| (one.stream, one.number) == (self.stream, self.number))
    }

    fn add(
        &mut self,
        at: Time,
        (ecu, bus): (Option<EcuIndex>, Option<BusIndex>),
        what: &'static str,
        detail: String,
    ) {
        if self.steps.len() == STEPS_MAX {
            self.omitted += 1;
            return;
        }
        self.steps.push(Step {
            at,
            ecu,
            bus,
            what,
            detail,
        });
    }

    /// Adds a step of a transmission that carries the message.
    fn carried(&mut self, at: Time, serial: Serial, ecu: EcuIndex, what: (&'static str, String)) {
        if let Some(&bus) = self.serials.get(&serial) {
            self.add(at, (Some(ecu), Some(bus)), what.0, what.1);
        }
    }

    fn noted(&mut self, at: Time, ecu: EcuIndex, judged: &JudgedFact<'_>) {
        let of = |handle| MessageIdentity::of(handle).message;
        let (message, what, detail) = match *judged.fact {
            Fact::Released { message } => (Some(message), "released", String::new()),
            Fact::Skipped { message, .. } => (Some(message), "skipped", String::new()),
            Fact::Withheld { message } => (Some(message), "withheld", String::new()),
            Fact::Dropped { message, .. } => (of(message), "dropped", String::new()),
            Fact::Overrun { message, .. } => (of(message), "overrun", String::new()),
            Fact::HandedIn { message, .. } => (of(message), "handed-in", String::new()),
            Fact::Discarded { message, .. } => (of(message), "discarded", String::new()),
            Fact::Checked {
                message, outcome, ..
            } => {
                let found = check_outcome(&outcome, judged.is_forged());
                (of(message), "checked", found.to_owned())
            }
            Fact::Taken { ref frame, .. } => (of(frame.message()), "taken", String::new()),
            Fact::Protected { message, event, .. } => {
                (of(message), "opened", format!("{event:?}").to_lowercase())
            }
            Fact::Suppressed { ref frame, .. } => {
                (of(frame.message()), "suppressed", String::new())
            }
            Fact::Modified { ref frame, .. } => (of(frame.message()), "modified", String::new()),
            _ => return,
        };
        if self.is_it(message) {
            self.add(at, (Some(ecu), None), what, phrase(detail));
        }
    }
}

impl TraceSink for PathRecorder {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        match *event {
            VehicleEvent::Requested {
                ecu,
                bus,
                serial,
                frame,
                ..
            } => {
                let identity = MessageIdentity::of(frame.message());
                if self.is_it(identity.message) {
                    self.serials.insert(serial, bus);
                    let by = identity.tampered.map(|by| match by.how {
                        Tampering::Replayed => " sent again by an attacker",
                        Tampering::Modified => " changed by an attacker",
                        Tampering::Forged => " made up by an attacker",
                    });
                    let detail = format!("{frame}{}", by.unwrap_or_default());
                    self.add(at, (Some(ecu), Some(bus)), "requested", detail);
                }
            }
            VehicleEvent::Queued {
                ecu,
                serial,
                waiting,
                ..
            } => self.carried(at, serial, ecu, ("queued", format!("{waiting} waiting"))),
            VehicleEvent::Started { ecu, serial, .. } => {
                self.carried(at, serial, ecu, ("started", String::new()));
            }
            VehicleEvent::ArbitrationLost { ecu, serial, .. } => {
                self.carried(at, serial, ecu, ("arbitration-lost", String::new()));
            }
            VehicleEvent::Sent { ecu, serial, .. } => {
                self.carried(at, serial, ecu, ("sent", String::new()));
            }
            VehicleEvent::Received { ecu, serial, .. } => {
                self.carried(at, serial, ecu, ("received", String::new()));
            }
            VehicleEvent::Delivered { ecu, serial, .. } => {
                self.carried(at, serial, ecu, ("delivered", String::new()));
            }
            VehicleEvent::Overrun { ecu, serial, .. } => {
                self.carried(at, serial, ecu, ("overrun", String::new()));
            }
            VehicleEvent::Withdrawn { ecu, serial, .. } => {
                self.carried(at, serial, ecu, ("withdrawn", String::new()));
            }
            VehicleEvent::Noted { ecu, remark } => self.noted(at, ecu, remark),
            _ => {}
        }
    }
}

/// Returns the code of an outcome, and that of its reason.
const fn code(ended: Ended) -> (&'static str, Option<&'static str>) {
    match ended {
        Ended::UnderWay => ("under-way", None),
        Ended::Delivered => ("delivered", None),
        Ended::Refused(why) => ("refused", Some(why.code())),
        Ended::Lost(Loss { place, .. }) => ("lost", Some(place.code())),
    }
}
