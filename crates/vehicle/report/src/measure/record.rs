//! Effect of each event of the trace on the measurement.

use waywarden_can::node::BusState;
use waywarden_can::{Frame, Id};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::json::state_name;
use waywarden_can_sim::trace::{EcuIndex, Serial};

use super::figures::{IdFigures, add_to_window};
use super::{Measure, displays, span};
use waywarden_vehicle_trace::{
    CheckOutcome, Fact, GroupKeyEvent, JudgedFact, MessageIdentity, TraceSink, Truth, VehicleEvent,
};

impl Measure {
    /// Notes the time of a request, and counts a message that leaves its sender.
    fn requested(&mut self, at: Time, ecu: EcuIndex, serial: Serial, frame: &Frame) {
        self.requested.add(serial, Some(at));
        let Some(message) = MessageIdentity::of(frame.message()).genuine() else {
            return;
        };
        let watched = self.watched.get(message.stream);
        let Some(figures) = self.streams.get_mut(message.stream) else {
            return;
        };
        let is_sender = watched.is_some_and(|watched| watched.sender == ecu);
        if is_sender && figures.newest.is_none_or(|newest| newest < message.number) {
            figures.newest = Some(message.number);
            figures.requested += 1;
        }
    }

    fn sent(&mut self, at: Time, event: &VehicleEvent<'_>) {
        let &VehicleEvent::Sent {
            bus,
            ecu,
            serial,
            started,
            frame,
        } = event
        else {
            return;
        };
        self.ecus[ecu.0].sent += 1;
        let figures = &mut self.buses[bus.0];
        let busy = at.since(started).get() + self.intermission[bus.0];
        figures.frames += 1;
        figures.busy += busy;
        add_to_window(&mut figures.windows, at, busy);
        let is_key = self.keys.sent(at, (bus, ecu), frame, busy);
        self.purposes.sent((bus, ecu), frame, (busy, is_key));
        let counted = self.counted_as(frame.id());
        let (_, id) = self.ids[bus.0]
            .or_insert_with(acceptance_key(counted), || (counted, IdFigures::default()));
        id.frames += 1;
        if let Some(last) = id.last.replace(at) {
            id.gaps.add(span(last, at));
        }
        if let Some(requested) = self.requested.take(serial) {
            id.latency.add(span(requested, at));
        }
    }
}

impl Measure {
    /// Applies a node's report.
    fn noted(&mut self, at: Time, ecu: EcuIndex, judged: &JudgedFact<'_>) {
        let truth = judged.truth;
        match judged.fact {
            Fact::GroupKey { group, event } => {
                let ecus = &self.ecus;
                let computed = |ecu: EcuIndex| ecus[ecu.0].computing();
                self.keys
                    .add_group_event(at, (*group, ecu), event, computed);
                if matches!(event, GroupKeyEvent::InUse { .. }) {
                    self.first_messages.has_group_key(at, *group, ecu);
                }
            }
            Fact::Authorization { network, event } => {
                let ecus = &self.ecus;
                let computed = |ecu: EcuIndex| ecus[ecu.0].computing();
                self.keys
                    .add_network_event(at, (*network, ecu), event, computed);
                self.receipts.add_event(*network, ecu, event);
                self.first_messages.add_event(at, (*network, ecu), event);
            }
            &Fact::HandedIn { stream, .. } => {
                self.checking.handed_in(stream, ecu);
                self.first_messages.handed_in(at, (stream, ecu));
            }
            Fact::Checked {
                authentication,
                stream,
                outcome,
                ..
            } => self.checked(at, (*authentication, *stream, ecu), (outcome, truth)),
            Fact::Taken { .. }
            | Fact::Protected { .. }
            | Fact::Skipped { .. }
            | Fact::Withheld { .. } => self.message_noted(at, ecu, judged),
            Fact::Displayed {
                module,
                value,
                source,
            } => {
                let source = (*source, truth);
                displays::showed(&mut self.displays, (at, ecu.0), (module, value), source);
            }
            Fact::Intruded { attacker, .. }
            | Fact::Suppressed { attacker, .. }
            | Fact::Modified { attacker, .. }
            | Fact::Impersonated { attacker, .. } => {
                *self.attacker_actions.entry(*attacker).or_default() += 1;
            }
            Fact::Overrun { .. } => self.ecus[ecu.0].overruns += 1,
            &Fact::Executed {
                instructions,
                time,
                waits,
            } => self.executed(at, ecu, (instructions, time, waits)),
            Fact::ImageFailed { why } => self.ecus[ecu.0].image.fail(at, why),
            Fact::Released { .. }
            | Fact::Sampled { .. }
            | Fact::Dropped { .. }
            | Fact::Discarded { .. }
            | Fact::KeyPressed { .. }
            | Fact::CallRefused { .. } => {}
        }
    }

    /// Applies a node's report on a message that no role of authentication checks, or that does not
    /// leave.
    fn message_noted(&mut self, at: Time, ecu: EcuIndex, judged: &JudgedFact<'_>) {
        let truth = judged.truth;
        match judged.fact {
            Fact::Taken { stream, .. } => match &truth {
                Some(Truth::Genuine(genuine)) => self.delivered(at, (*stream, ecu), genuine),
                Some(Truth::Forged { by }) => self.forgeries.took(at, (*stream, ecu.0), *by),
                None => {}
            },
            Fact::Protected {
                stream,
                event,
                message,
            } => {
                let is_genuine = MessageIdentity::of(*message).genuine().is_some();
                self.receipts.count((*stream, ecu), event, is_genuine);
                if is_genuine && event.is_kept_out() && !self.receipts.is_to_have(*stream, ecu) {
                    self.streams[*stream].shut_out(Some(ecu));
                }
                match &truth {
                    Some(Truth::Genuine(genuine)) => self.delivered(at, (*stream, ecu), genuine),
                    Some(Truth::Forged { by }) if event.is_refused() => {
                        self.forgeries.refused((*stream, ecu.0), *by);
                    }
                    Some(Truth::Forged { by }) if event.is_authentic() => {
                        self.forgeries.took(at, (*stream, ecu.0), *by);
                    }
                    _ => {}
                }
                let place = (*stream, ecu);
                self.first_messages.protected(at, place, (event, truth));
            }
            Fact::Skipped { message, .. } => self.streams[message.stream].skipped += 1,
            Fact::Withheld { message } => {
                self.streams[message.stream].withheld += 1;
                if !self.receipts.is_to_have(message.stream, ecu) {
                    self.streams[message.stream].shut_out(None);
                }
                self.first_messages.withheld(message.stream);
            }
            _ => {}
        }
    }

    /// Applies the outcome of a message's check.
    fn checked(
        &mut self,
        at: Time,
        (table, stream, ecu): (usize, usize, EcuIndex),
        (outcome, truth): (&CheckOutcome, Option<Truth>),
    ) {
        let genuine = match truth {
            Some(Truth::Genuine(genuine)) => Some(genuine),
            Some(Truth::Forged { by }) if outcome.is_refused() => {
                self.forgeries.refused((stream, ecu.0), by);
                None
            }
            Some(Truth::Forged { by }) if matches!(outcome, CheckOutcome::Authentic(_)) => {
                self.forgeries.took(at, (stream, ecu.0), by);
                None
            }
            _ => None,
        };
        self.first_messages
            .checked(at, (stream, ecu), (outcome, genuine));
        self.checking
            .checked(at, (table, stream, ecu), outcome, genuine);
        if let Some(genuine) = &genuine {
            self.delivered(at, (stream, ecu), genuine);
        }
    }

    /// Returns the identifier under which a frame is counted: frames of one stream that differ in
    /// a counter count as one.
    fn counted_as(&self, id: Id) -> Id {
        match id {
            Id::Extended(own) if self.counted.contains(&own.base()) => {
                Id::extended(own.raw() & !0xFFFF).unwrap_or(id)
            }
            _ => id,
        }
    }
}

impl TraceSink for Measure {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        match *event {
            VehicleEvent::Requested {
                ecu, serial, frame, ..
            } => self.requested(at, ecu, serial, frame),
            VehicleEvent::Sent { .. } => self.sent(at, event),
            VehicleEvent::Started { bus, .. } => self.began[bus.0] = at,
            VehicleEvent::Worked { ecu, slice } => self.worked(ecu, &slice),
            VehicleEvent::Overrun { ecu, .. } => self.ecus[ecu.0].overruns += 1,
            VehicleEvent::Withdrawn { ecu, serial, .. } => {
                self.requested.take(serial);
                self.ecus[ecu.0].withdrawn += 1;
            }
            VehicleEvent::Reset { ecu } => self.keys.reset(ecu),
            VehicleEvent::Boot { ecu, boots } => {
                self.ecus[ecu.0].boots = boots;
                self.boots[ecu.0].push(at);
                self.keys.booted(at, ecu);
                self.receipts.booted(ecu);
                if boots > 1 {
                    self.first_messages.booted_again(at, ecu);
                }
            }
            VehicleEvent::State { ecu, state, .. } => {
                let worst = &mut self.ecus[ecu.0].worst_state;
                if state == BusState::Off || *worst == state_name(BusState::Active) {
                    *worst = state_name(state);
                }
            }
            VehicleEvent::Error { bus, .. } => self.buses[bus.0].errors += 1,
            VehicleEvent::Interfered { bus, by, .. } => self.interfered(at, bus, by),
            VehicleEvent::Noted { ecu, remark } => self.noted(at, ecu, remark),
            _ => {}
        }
    }
}
