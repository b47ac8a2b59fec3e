//! What each event of the trace changes in the measurement.

use waywarden_can::node::BusState;
use waywarden_can::{Frame, Id};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::json::state_name;
use waywarden_can_sim::trace::{BusIndex, EcuIndex, Serial};
use waywarden_work::Duration;

use super::figures::{IdFigures, Step, Worst, add_to_window};
use super::window::Track;
use super::{Measure, Source, displays, span};
use waywarden_vehicle_trace::{
    CheckOutcome, Event, Fact, GroupKeyEvent, JudgedFact, TraceSink, Truth, is_attackers_token,
};

impl Measure {
    fn requested(&mut self, at: Time, event: &Event<'_>) {
        let &Event::Requested {
            ecu,
            bus,
            serial,
            token,
            cause,
            frame,
        } = event
        else {
            return;
        };
        let counted = self.counted_as(frame.id());
        let waited = std::mem::take(&mut self.waited[ecu.0]);
        let before = cause.and_then(|cause| self.window.track(cause)).copied();
        let key = (bus.0, acceptance_key(counted));
        let source = self.sources[ecu.0].get(&key).copied();
        let Source { own, relayed } = source.unwrap_or_default();
        let is_attackers =
            is_attackers_token(token) || own.is_some_and(|stream| self.is_forged(stream));
        let is_warning = self.is_warning(ecu, bus, frame);
        let relayed = relayed.filter(|_| !is_warning && !is_attackers);
        let (stream, origin, previous) = match (own, before) {
            _ if is_warning || is_attackers => (None, at, None),
            // When it was released is known when the verdict is told.
            _ if relayed.is_some() => (relayed, at, cause.or(Some(serial))),
            // An own message may leave while a frame of another stream is handled, when the
            // processor comes to its tag. That frame is not what it says again.
            (Some(stream), _) => (Some(stream), before_by(at, waited), None),
            // An attacker reacts to frames as a gateway does, and has no route.
            (None, Some(before)) => match before.stream {
                Some(stream) if self.is_forwarded(stream, &before, (ecu, bus), counted) => {
                    (Some(stream), before.origin, cause)
                }
                _ => (None, at, None),
            },
            (None, None) => (None, at, None),
        };
        if let Some(stream) = stream.filter(|_| previous.is_none()) {
            self.streams[stream].requested += 1;
        }
        self.window
            .open(serial, Track::new(stream, origin, previous, (ecu, bus), at));
        if let Some(stream) = relayed {
            self.checking.sent_on(stream, serial);
            self.relay(stream);
        }
    }

    /// Whether a frame is what a gateway says that refused a message.
    fn is_warning(&self, ecu: EcuIndex, bus: BusIndex, frame: &Frame) -> bool {
        let mut warnings = self.warnings.iter();
        warnings.any(|(gateway, to, one)| (*gateway, *to, one) == (ecu.0, bus.0, frame))
    }

    /// Whether an attacker on the sender's ECU had the message of a stream protected that leaves
    /// now. Of streams without a tag, the token of the request shows it.
    fn is_forged(&self, stream: usize) -> bool {
        self.checking.is_tagged(stream) && self.is_last_forged[stream]
    }

    fn is_forwarded(
        &self,
        stream: usize,
        before: &Track,
        to: (EcuIndex, BusIndex),
        counted: Id,
    ) -> bool {
        self.watched[stream].is_forwarded(before.bus, to, counted)
    }

    /// Writes into what a gateway verified and sent on when it was released.
    fn relay(&mut self, stream: usize) {
        while let Some((serial, origin)) = self.checking.relayed(stream) {
            self.window.change(serial, |track| track.origin = origin);
        }
    }

    fn sent(&mut self, at: Time, event: &Event<'_>) {
        let &Event::Sent {
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
        if let Some(track) = self.window.track_mut(serial) {
            track.sent = at;
            id.latency.add(span(track.requested, at));
        }
    }

    fn delivered(&mut self, at: Time, receiver: EcuIndex, serial: Serial) {
        let Some(&Track {
            stream: Some(stream),
            origin,
            ..
        }) = self.window.track(serial)
        else {
            return;
        };
        let watched = &self.watched[stream];
        let who = watched.receivers.iter().position(|&one| one == receiver);
        let is_checked = who.map_or(watched.is_verified_by(receiver), |who| watched.checked[who]);
        if is_checked && self.streams[stream].complete.is_some() {
            let overdue = self.unsettled.hear((stream, receiver.0), origin, at);
            self.streams[stream].refused += overdue;
        }
        let Some(who) = who else {
            return;
        };
        if watched.checked[who] {
            self.heard.insert((stream, receiver.0), (serial, at));
            return;
        }
        let (step, share) = self.window.longest_step(serial, receiver, at);
        self.arrived(at, (stream, who), origin, (step, share));
    }

    /// Notes that a receiver has a message, and which step took longest.
    fn arrived(
        &mut self,
        at: Time,
        (stream, who): (usize, usize),
        origin: Time,
        (step, share): (Step, Duration),
    ) {
        let watched = &self.watched[stream];
        let receiver = watched.receivers[who];
        let latency = span(origin, at);
        let figures = &mut self.streams[stream];
        figures.delivered += 1;
        figures.late += u64::from(latency > watched.deadline);
        if figures
            .latency
            .greatest()
            .is_none_or(|greatest| latency > greatest)
        {
            figures.worst = Some(Worst {
                at,
                receiver,
                latency,
                step,
                share,
            });
        }
        figures.latency.add(latency);
        if !figures.reached[who] {
            figures.reached[who] = true;
            if figures.reached.iter().all(|&reached| reached) {
                figures.complete = Some(at);
                figures.withheld_before = self.kept_back[stream].withheld;
            }
        }
    }
}

impl Measure {
    /// Takes what a node reports.
    fn noted(&mut self, at: Time, ecu: EcuIndex, judged: &JudgedFact<'_>) {
        let truth = judged.truth;
        match judged.fact {
            Fact::GroupKey { group, event } => {
                let ecus = &self.ecus;
                let computed = |ecu: EcuIndex| ecus[ecu.0].computing();
                self.keys.group_told(at, (*group, ecu), event, computed);
                if matches!(event, GroupKeyEvent::InUse { .. }) {
                    self.first_messages.has_group_key(at, *group, ecu);
                }
            }
            Fact::Authorisation { network, event } => {
                let ecus = &self.ecus;
                let computed = |ecu: EcuIndex| ecus[ecu.0].computing();
                self.keys.network_told(at, (*network, ecu), event, computed);
                self.receipts.told(*network, ecu, event);
                self.first_messages.told(at, (*network, ecu), event);
            }
            Fact::MessageSent(sent) => {
                self.waited[ecu.0] = sent.waited;
                self.is_last_forged[sent.stream] = sent.own.is_none();
            }
            &Fact::HandedIn { stream } => {
                self.checking.handed_in(stream, ecu);
                self.first_messages.handed_in(at, (stream, ecu));
            }
            Fact::Checked {
                authentication,
                stream,
                outcome,
            } => self.checked(at, (*authentication, *stream, ecu), (outcome, truth)),
            Fact::Taken { stream, .. } if judged.is_forged() => {
                self.forgeries.took(at, ecu.0, *stream);
            }
            Fact::Protected { stream, event } => {
                if event.is_refused() {
                    self.forgeries.refused(at, ecu.0, *stream);
                }
                let genuine = matches!(truth, Some(Truth::Genuine(_)));
                self.receipts.count((*stream, ecu), event, genuine);
                let place = (*stream, ecu);
                self.first_messages.protected(at, place, (event, truth));
            }
            Fact::Skipped {
                stream, instances, ..
            } => self.kept_back[*stream].skipped += instances,
            Fact::Withheld { stream, instances } => {
                self.kept_back[*stream].withheld += instances;
                self.first_messages.withheld(*stream, *instances);
            }
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
            Fact::Taken { .. } | Fact::KeyPressed { .. } | Fact::CallRefused { .. } => {}
        }
    }

    /// Takes what came of a message that was checked.
    fn checked(
        &mut self,
        at: Time,
        (table, stream, ecu): (usize, usize, EcuIndex),
        (outcome, truth): (&CheckOutcome, Option<Truth>),
    ) {
        let genuine = match truth {
            Some(Truth::Genuine(genuine)) => Some(genuine),
            Some(Truth::Forged) => {
                self.forgeries.took(at, ecu.0, stream);
                None
            }
            None => None,
        };
        if outcome.is_refused() {
            self.forgeries.refused(at, ecu.0, stream);
        }
        self.first_messages
            .checked(at, (stream, ecu), (outcome, genuine));
        let place = (table, stream, ecu);
        let Some(origin) = self.checking.checked(at, place, outcome, genuine) else {
            return;
        };
        self.relay(stream);
        self.streams[stream].refused += self.unsettled.take((stream, ecu.0), origin);
        let watched = &self.watched[stream];
        let Some(who) = watched.receivers.iter().position(|&one| one == ecu) else {
            return;
        };
        let heard = self.heard.get(&(stream, ecu.0)).copied();
        let way = heard.map(|(serial, heard)| {
            let checking = (Step::Checking(ecu), span(heard, at));
            let way = self.window.longest_step(serial, ecu, heard);
            if way.1 > checking.1 { way } else { checking }
        });
        let way = way.unwrap_or((Step::Checking(ecu), span(origin, at)));
        self.arrived(at, (stream, who), origin, way);
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
    fn record(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            Event::Requested { .. } => self.requested(at, event),
            Event::Sent { .. } => self.sent(at, event),
            Event::Delivered { ecu, serial, .. } => self.delivered(at, ecu, serial),
            Event::Queued { serial, .. } => self.window.change(serial, |track| track.queued = at),
            Event::Started { bus, serial, .. } => {
                self.began[bus.0] = at;
                self.window.change(serial, |track| {
                    track.started = at;
                    track.attempts += 1;
                });
            }
            Event::ArbitrationLost { serial, .. } => {
                self.window.change(serial, |track| track.losses += 1);
            }
            Event::Worked { ecu, slice } => self.worked(ecu, &slice),
            Event::Overrun { ecu, .. } => self.ecus[ecu.0].overruns += 1,
            Event::Withdrawn { ecu, .. } => self.ecus[ecu.0].withdrawn += 1,
            Event::Reset { ecu } => self.keys.reset(ecu),
            Event::Boot { ecu, boots } => {
                self.ecus[ecu.0].boots = boots;
                self.keys.booted(at, ecu);
                self.receipts.booted(ecu);
                if boots > 1 {
                    self.first_messages.booted_again(at, ecu);
                }
            }
            Event::State { ecu, state, .. } => {
                let worst = &mut self.ecus[ecu.0].worst_state;
                if state == BusState::Off || *worst == state_name(BusState::Active) {
                    *worst = state_name(state);
                }
            }
            Event::Error { bus, .. } => self.buses[bus.0].errors += 1,
            Event::Interfered { bus, by, .. } => self.interfered(at, bus, by),
            Event::Noted { ecu, remark } => self.noted(at, ecu, remark),
            _ => {}
        }
    }
}

/// Returns the time this much before a point.
fn before_by(at: Time, duration: Duration) -> Time {
    let picos = duration.as_nanos().saturating_mul(1_000);
    Time::from_picos(at.as_picos().saturating_sub(picos))
}
