//! The trace of a live network: into mailboxes, and into the figures of each bus.

use waywarden_can::Id;
use waywarden_can::node::BusState;
use waywarden_can::timing::Picoseconds;

use super::mailbox::{LiveEvent, Mailbox, Requested};
use super::{LiveBus, MailboxId};
use crate::clock::Time;
use crate::trace::{BusIndex, Serial, TraceEvent};

/// Figures of a bus since the start of its network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusStatistics {
    /// Frames that were sent and acknowledged.
    pub frames: u64,
    /// Time that these frames took, intermissions included.
    pub busy: Picoseconds,
    /// Arbitrations that a controller lost: one for each start of frame at which another won.
    pub arbitrations_lost: u64,
    /// Error flags: one for each controller that sent one.
    pub error_flags: u64,
}

impl BusStatistics {
    /// Returns the share of the time that frames took, 0 to 1; 0 at time zero.
    #[must_use]
    pub fn load(&self, now: Time) -> f64 {
        match now.as_picos() {
            0 => 0.0,
            now => (self.busy.get() as f64 / now as f64).min(1.0),
        }
    }
}

/// The last frame on the wire of a bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireState {
    /// Its identifier; none before the first start of frame.
    pub frame: Option<Id>,
    /// Time at which the first controller detected an error in it.
    pub first_error: Option<Time>,
}

/// A sink that sorts the trace by mailbox and bus.
pub(super) struct Recorder {
    /// By ECU; none for those that are no mailboxes.
    mailboxes: Vec<Option<(u64, Mailbox)>>,
    statistics: Vec<BusStatistics>,
    wires: Vec<WireState>,
    delivered: u64,
    /// By bus.
    intermission: Vec<Picoseconds>,
}

impl Recorder {
    pub(super) fn new(buses: &[LiveBus]) -> Self {
        Recorder {
            mailboxes: Vec::new(),
            statistics: vec![BusStatistics::default(); buses.len()],
            wires: vec![WireState::default(); buses.len()],
            delivered: 0,
            intermission: buses.iter().map(|bus| bus.timing.intermission()).collect(),
        }
    }

    pub(super) fn put(&mut self, id: MailboxId, mailbox: Mailbox) {
        if self.mailboxes.len() <= id.ecu {
            self.mailboxes.resize_with(id.ecu + 1, || None);
        }
        self.mailboxes[id.ecu] = Some((id.number, mailbox));
    }

    pub(super) fn remove(&mut self, ecu: usize) {
        if let Some(place) = self.mailboxes.get_mut(ecu) {
            *place = None;
        }
    }

    /// Ends a mailbox for its program; returns false if it has left.
    pub(super) fn retire(&mut self, id: MailboxId) -> bool {
        if self.mailbox(id).is_none() {
            return false;
        }
        if let Some((number, mailbox)) = self.mailboxes.get_mut(id.ecu).and_then(Option::as_mut) {
            // No mailbox that joins has it.
            *number = 0;
            mailbox.close();
        }
        true
    }

    /// Returns true if frames of an ECU are still to be sent.
    pub(super) fn waiting_of(&self, ecu: usize) -> bool {
        let place = self.mailboxes.get(ecu).and_then(Option::as_ref);
        place.is_some_and(|(_, mailbox)| mailbox.waiting() > 0)
    }

    pub(super) fn mailbox(&self, id: MailboxId) -> Option<&Mailbox> {
        let place = self.mailboxes.get(id.ecu)?.as_ref();
        place
            .filter(|(number, _)| *number == id.number)
            .map(|(_, mailbox)| mailbox)
    }

    pub(super) fn mailbox_mut(&mut self, id: MailboxId) -> Option<&mut Mailbox> {
        let place = self.mailboxes.get_mut(id.ecu)?.as_mut();
        place
            .filter(|(number, _)| *number == id.number)
            .map(|(_, mailbox)| mailbox)
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered
    }

    fn put_event(&mut self, ecu: usize, at: Time, event: LiveEvent) {
        if let Some(mailbox) = self.of(ecu) {
            mailbox.put(at, event);
            self.delivered += 1;
        }
    }

    pub(super) fn statistics(&self, bus: BusIndex) -> BusStatistics {
        self.statistics.get(bus.0).copied().unwrap_or_default()
    }

    pub(super) fn wire(&self, bus: BusIndex) -> WireState {
        self.wires.get(bus.0).copied().unwrap_or_default()
    }

    fn of(&mut self, ecu: usize) -> Option<&mut Mailbox> {
        let place = self.mailboxes.get_mut(ecu)?.as_mut();
        place.map(|(_, mailbox)| mailbox)
    }

    pub(super) fn take(&mut self, at: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Received { ecu, frame, .. } => {
                self.put_event(ecu.0, at, LiveEvent::Received(*frame));
            }
            TraceEvent::Requested {
                ecu,
                serial,
                token,
                frame,
                ..
            } => {
                if let Some(mailbox) = self.of(ecu.0) {
                    mailbox.requested.push(Requested {
                        serial,
                        token,
                        frame: *frame,
                    });
                }
            }
            TraceEvent::Withdrawn { ecu, serial, .. } => {
                if let Some(mailbox) = self.of(ecu.0) {
                    mailbox.settle(serial);
                }
            }
            TraceEvent::Started {
                bus, ecu, frame, ..
            } => {
                self.wires[bus.0] = WireState {
                    frame: Some(frame.id()),
                    first_error: None,
                };
                if let Some(mailbox) = self.of(ecu.0) {
                    mailbox.sending = true;
                }
            }
            TraceEvent::Sent {
                bus,
                ecu,
                serial,
                started,
                frame,
            } => {
                let figures = &mut self.statistics[bus.0];
                figures.frames += 1;
                figures.busy += at.since(started) + self.intermission[bus.0];
                if let Some(mailbox) = self.of(ecu.0) {
                    mailbox.sending = false;
                    mailbox.settle(serial);
                    if mailbox.hears_itself {
                        self.put_event(ecu.0, at, LiveEvent::Sent(*frame));
                    }
                }
            }
            TraceEvent::ArbitrationLost { bus, ecu, serial } => {
                self.statistics[bus.0].arbitrations_lost += 1;
                self.take_loss(at, ecu.0, serial);
            }
            TraceEvent::ErrorFlag { bus, ecu, .. } => {
                self.statistics[bus.0].error_flags += 1;
                self.take_flag(at, ecu.0);
            }
            _ => self.take_fault(at, event),
        }
    }

    fn take_loss(&mut self, at: Time, ecu: usize, serial: Serial) {
        let Some(mailbox) = self.of(ecu) else {
            return;
        };
        mailbox.sending = false;
        mailbox.arbitrations_lost += 1;
        if !mailbox.hears_arbitration {
            return;
        }
        let lost = mailbox.requested.iter().find(|one| one.serial == serial);
        if let Some(&Requested { token, frame, .. }) = lost {
            self.put_event(ecu, at, LiveEvent::ArbitrationLost { frame, token });
        }
    }

    /// A flag that no error came before was asked for.
    fn take_flag(&mut self, at: Time, ecu: usize) {
        let Some(mailbox) = self.of(ecu) else {
            return;
        };
        mailbox.sending = false;
        if !std::mem::take(&mut mailbox.signals_error) && mailbox.hears_itself {
            let (tec, rec) = (mailbox.tec, mailbox.rec);
            self.put_event(ecu, at, LiveEvent::ErrorFlag { tec, rec });
        }
    }

    fn take_fault(&mut self, at: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Error {
                bus,
                ecu,
                kind,
                place,
            } => {
                self.wires[bus.0].first_error.get_or_insert(at);
                let Some(mailbox) = self.of(ecu.0) else {
                    return;
                };
                let sending = std::mem::take(&mut mailbox.sending);
                mailbox.signals_error = true;
                if mailbox.hears_errors {
                    let (tec, rec) = (mailbox.tec, mailbox.rec);
                    let error = LiveEvent::Error {
                        kind,
                        place,
                        sending,
                        tec,
                        rec,
                    };
                    self.put_event(ecu.0, at, error);
                }
            }
            TraceEvent::Counters { ecu, tec, rec, .. } => {
                if let Some(mailbox) = self.of(ecu.0) {
                    (mailbox.tec, mailbox.rec) = (tec, rec);
                }
            }
            TraceEvent::State { ecu, state, .. } => {
                let Some(mailbox) = self.of(ecu.0) else {
                    return;
                };
                mailbox.state = state;
                mailbox.signals_error &= state != BusState::Off;
                if mailbox.hears_errors {
                    let (tec, rec) = (mailbox.tec, mailbox.rec);
                    self.put_event(ecu.0, at, LiveEvent::State { state, tec, rec });
                }
            }
            _ => {}
        }
    }
}
