//! Observation of an attack in a run: accepted messages with their times, and the frame that
//! decided.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::Id;
use waywarden_can::node::BusState;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{EcuIndex, Serial};

use super::Evidence;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_report::prose::Prose;
use waywarden_vehicle_trace::{CheckOutcome, Fact, JudgedFact, TraceSink, VehicleEvent};

/// Watches one run.
pub(super) struct Observer {
    names: Vec<String>,
    /// ECUs under observation: the receiver, a gateway, and the ECU behind that.
    receiver: usize,
    gateway: Option<usize>,
    display: Option<usize>,
    /// The bus behind the gateway.
    private: Option<usize>,
    message: Id,
    is_plain: bool,
    /// The frames of attackers.
    theirs: BTreeSet<Serial>,
    /// By ECU: true if the last frame was an attacker's, and the last frame that was.
    last: BTreeMap<usize, (bool, Option<String>)>,
    /// The frame on the bus.
    current: String,
    /// Times at which the receiver accepted a message of the sender's.
    pub(super) genuine: Vec<Time>,
    /// Messages taken that the sender did not send.
    pub(super) forged: u64,
    /// Messages taken of which the attacker's frame was the last part.
    pub(super) completed: u64,
    /// Frames forwarded by the gateway that are no authentic message.
    pub(super) leaked: u64,
    /// First evidence of each of these.
    forgery: Option<Evidence>,
    completion: Option<Evidence>,
    leak: Option<Evidence>,
    refusal: Option<Evidence>,
    /// The first that was refused after the attack began, from any sender.
    remark: Option<Evidence>,
    /// The first action of the attacker; `was_heard` is true if an observed ECU heard any of them.
    action: Option<String>,
    was_heard: bool,
    /// The interferer's last action.
    strike: Option<String>,
    prose: Prose,
}

impl Observer {
    /// Watches a car of [`super::attacked_car`].
    pub(super) fn new(file: &VehicleFile) -> Self {
        let place = |name: &str| file.ecus.iter().position(|ecu| ecu.name.value == name);
        let mut buses = file.buses.iter();
        let names = file.ecus.iter().map(|ecu| ecu.name.value.clone());
        Observer {
            names: names.collect(),
            receiver: place("receiver").unwrap_or(usize::MAX),
            gateway: place("gateway"),
            display: place("display"),
            private: buses.position(|bus| bus.name.value == "private"),
            message: file.streams[0].id.value,
            is_plain: file.authentications.is_empty(),
            theirs: BTreeSet::new(),
            last: BTreeMap::new(),
            current: String::new(),
            genuine: Vec::new(),
            forged: 0,
            completed: 0,
            leaked: 0,
            forgery: None,
            completion: None,
            leak: None,
            refusal: None,
            remark: None,
            action: None,
            was_heard: false,
            strike: None,
            prose: Prose::of(file),
        }
    }

    /// Returns the evidence of a forgery, of a message that the attacker completed, or of a leak.
    pub(super) fn of_success(&self) -> Option<Evidence> {
        let any = self.forgery.as_ref().or(self.completion.as_ref());
        any.or(self.leak.as_ref()).cloned()
    }

    /// Returns what shows that the attack got nowhere.
    pub(super) fn of_failure(&self) -> Evidence {
        let any = self.refusal.as_ref().or(self.remark.as_ref());
        any.cloned().unwrap_or_else(|| Evidence {
            frame: self.action.clone().unwrap_or_default(),
            answer: match self.was_heard {
                true => "nothing comes of it".to_owned(),
                false => "no acceptance filter lets it in".to_owned(),
            },
        })
    }

    fn is_watched(&self, ecu: EcuIndex) -> bool {
        let others = [self.gateway, self.display];
        ecu.0 == self.receiver || others.contains(&Some(ecu.0))
    }

    fn delivered(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let &VehicleEvent::Delivered {
            ecu, serial, frame, ..
        } = event
        else {
            return;
        };
        if !self.is_watched(ecu) {
            return;
        }
        let is_theirs = self.theirs.contains(&serial);
        let (last, text) = self.last.entry(ecu.0).or_default();
        *last = is_theirs;
        if is_theirs {
            *text = Some(format!("{} {frame}", moment(at)));
            self.was_heard = true;
        }
        if self.is_plain && ecu.0 == self.receiver && frame.id() == self.message {
            self.genuine.push(at);
            if is_theirs {
                self.complete(at, ecu, "taken");
            }
        }
    }

    fn complete(&mut self, at: Time, ecu: EcuIndex, what: &str) {
        self.completed += 1;
        let evidence = self.evidence(at, ecu, what);
        self.completion = self.completion.take().or(Some(evidence));
    }

    /// The attacker's last frame at an ECU, and what the ECU said.
    fn evidence(&self, at: Time, ecu: EcuIndex, said: &str) -> Evidence {
        let frame = self.last.get(&ecu.0).and_then(|(_, frame)| frame.clone());
        let frame = frame.or(self.strike.clone()).or(self.action.clone());
        Evidence {
            frame: frame.unwrap_or_default(),
            answer: format!("{} {}: {said}", moment(at), self.names[ecu.0]),
        }
    }

    fn noted(&mut self, at: Time, ecu: EcuIndex, judged: &JudgedFact<'_>) {
        if !self.is_watched(ecu) {
            return;
        }
        let said = || self.prose.text(judged).unwrap_or_default();
        let outcome = match judged.fact {
            Fact::Taken { .. } if judged.is_forged() => {
                // It was taken for genuine when it came.
                if ecu.0 == self.receiver {
                    self.genuine.pop();
                }
                let said = said();
                return self.deceived(at, ecu, &said);
            }
            Fact::Checked { outcome, .. } => outcome,
            _ => return,
        };
        let said = said();
        let completed = self.last.get(&ecu.0).is_some_and(|(theirs, _)| *theirs);
        match outcome {
            CheckOutcome::Authentic(_) if judged.is_forged() => {
                if Some(ecu.0) != self.gateway {
                    self.deceived(at, ecu, &said);
                } else {
                    self.refused(at, ecu, (&said, completed));
                }
            }
            CheckOutcome::Authentic(_) if ecu.0 == self.receiver => {
                self.genuine.push(at);
                if completed {
                    self.complete(at, ecu, &said);
                }
            }
            CheckOutcome::Authentic(_) | CheckOutcome::Resynced => {}
            _ => self.refused(at, ecu, (&said, completed)),
        }
    }

    /// Notes a refusal, which tells of the attack once that has begun.
    fn refused(&mut self, at: Time, ecu: EcuIndex, (said, completed): (&str, bool)) {
        if !self.has_begun() {
            return;
        }
        let evidence = self.evidence(at, ecu, said);
        // What follows an attacker's frame is its doing; on the wire whatever follows is.
        let kept = match completed || self.strike.is_some() {
            true => &mut self.refusal,
            false => &mut self.remark,
        };
        kept.get_or_insert(evidence);
    }

    fn deceived(&mut self, at: Time, ecu: EcuIndex, said: &str) {
        self.forged += 1;
        if self.forgery.is_none() {
            self.forgery = Some(self.evidence(at, ecu, said));
        }
    }

    const fn has_begun(&self) -> bool {
        self.action.is_some() || self.strike.is_some()
    }

    fn sent(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let &VehicleEvent::Sent {
            bus, ecu, frame, ..
        } = event
        else {
            return;
        };
        if ecu.0 >= self.names.len() && self.action.is_none() {
            self.action = Some(format!("{} {frame}", moment(at)));
        }
        let behind = self.private == Some(bus.0) && self.gateway == Some(ecu.0);
        if behind && frame.id() != self.message {
            self.leaked += 1;
            if self.leak.is_none() {
                self.leak = Some(self.evidence(at, ecu, &format!("lets {frame} pass")));
            }
        }
    }
}

impl TraceSink for Observer {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        match *event {
            // Those who are no part of the car come behind its ECUs.
            VehicleEvent::Requested { ecu, serial, .. } if ecu.0 >= self.names.len() => {
                self.theirs.insert(serial);
            }
            VehicleEvent::Started { frame, .. } => self.current = frame.to_string(),
            VehicleEvent::Delivered { .. } => self.delivered(at, event),
            VehicleEvent::Sent { .. } => self.sent(at, event),
            VehicleEvent::Interfered { place, .. } => {
                let strike = format!(
                    "{} {} destroyed at bit {}",
                    moment(at),
                    self.current,
                    place.bit
                );
                self.action = self.action.take().or(Some(strike.clone()));
                self.strike = Some(strike);
            }
            VehicleEvent::State {
                ecu,
                state: BusState::Off,
                ..
            } if self.strike.is_some() && self.refusal.is_none() => {
                let name = self.names.get(ecu.0).map_or("attacker", String::as_str);
                self.refusal = Some(Evidence {
                    frame: self.strike.clone().unwrap_or_default(),
                    answer: format!("{} {name}: bus-off", moment(at)),
                });
            }
            VehicleEvent::Noted { ecu, remark } => self.noted(at, ecu, remark),
            _ => {}
        }
    }
}

/// A point in time as people read it, in milliseconds.
fn moment(at: Time) -> String {
    format!("{:.3} ms", at.as_picos() as f64 / 1e9)
}
