//! Reports of ECUs and the security module on authentication and authorization.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_group_keys::Address;
use waywarden_lasan::{CertificateError, EcuEvent, HandshakeFailure, ModuleEvent, StreamId};
use waywarden_vehicle_trace::AuthorizationEvent;

use super::GrantedKeyFigures;
use crate::measure::{NetworkFigures, span};

impl NetworkFigures {
    /// Applies the report of an ECU or security module; `computed` returns an ECU's computing time.
    /// Returns true if the security module granted a key that was not requested.
    pub(crate) fn add_event(
        &mut self,
        at: Time,
        ecu: EcuIndex,
        event: &AuthorizationEvent,
        computed: impl Fn(EcuIndex) -> u64,
    ) -> bool {
        match event {
            AuthorizationEvent::Ecu(event) => self.add_ecu_event(at, ecu, event, computed),
            AuthorizationEvent::Module(event) => self.add_module_event(at, event, computed),
            AuthorizationEvent::SharesSession { .. }
            | AuthorizationEvent::NotReplaced { .. }
            | AuthorizationEvent::Refused(_) => return false,
        }
        self.complete_streams(at);
        let all = self.parties.iter().skip(1);
        let mut all = all.filter(|party| !party.retired);
        let awaited = self.keys.iter().filter(|stream| stream.from <= at);
        let mut awaited = awaited.filter(|stream| !self.is_stream_left_out(stream));
        if self.complete.is_none()
            && self.started.is_some()
            && all.all(|party| party.first.is_some())
            && awaited.all(|stream| stream.complete.is_some())
        {
            self.complete = Some(at);
            for party in &mut self.parties {
                party.absent = party.retired;
            }
        }
        match event {
            AuthorizationEvent::Module(ModuleEvent::Granted {
                stream,
                ecu,
                generation,
            }) => self.grants_unasked(*stream, *ecu, *generation),
            _ => false,
        }
    }

    /// Returns true if a sender was granted a key again that it had not requested again.
    fn grants_unasked(&mut self, stream: StreamId, ecu: Address, generation: u32) -> bool {
        let mut parties = self.parties.iter();
        let party = parties.find(|party| party.address == ecu);
        let mut streams = self.keys.iter();
        let sends = |one: &GrantedKeyFigures| {
            one.id == stream && party.is_some_and(|party| party.ecu == one.sender)
        };
        streams.any(sends) && self.requests.granted(stream, ecu, generation)
    }

    fn add_ecu_event(
        &mut self,
        at: Time,
        ecu: EcuIndex,
        event: &EcuEvent,
        computed: impl Fn(EcuIndex) -> u64,
    ) {
        match event {
            EcuEvent::Authenticated { .. } => {
                let party = self.parties.iter().position(|one| one.ecu == ecu);
                self.said(party, 0, at, computed);
            }
            EcuEvent::Failed(_) => {
                if let Some(party) = self.parties.iter_mut().find(|one| one.ecu == ecu) {
                    party.failed += 1;
                }
            }
            EcuEvent::Granted { stream, .. } => {
                let mut streams = self.keys.iter_mut();
                if let Some(stream) = streams.find(|one| one.id == *stream) {
                    stream.granted(at, ecu);
                }
            }
            _ => {}
        }
    }

    fn add_module_event(
        &mut self,
        at: Time,
        event: &ModuleEvent,
        computed: impl Fn(EcuIndex) -> u64,
    ) {
        let with_address = |address: Address| {
            let mut parties = self.parties.iter();
            parties.position(|one| one.address == address)
        };
        match event {
            ModuleEvent::Started { .. } => {
                self.started = self.started.or(Some(at));
                (self.epochs, self.epoch_began) = (self.epochs + 1, at);
                self.count(|life| &mut life.epochs);
                for party in &mut self.parties {
                    (party.said, party.in_epoch) = ([false; 2], false);
                }
            }
            ModuleEvent::Authenticated(ecu) => {
                let party = with_address(*ecu);
                self.said(party, 1, at, computed);
            }
            ModuleEvent::Failed { ecu, failure } => {
                let party = with_address(*ecu).and_then(|at| self.parties.get_mut(at));
                if let Some(party) = party.filter(|party| party.first.is_some()) {
                    party.cut_off |=
                        *failure == HandshakeFailure::Certificate(CertificateError::Expired);
                }
                self.failed += 1;
                self.count(|life| &mut life.failed);
            }
            ModuleEvent::Refused { .. } => {
                self.refused += 1;
                self.count(|life| &mut life.refused);
            }
            ModuleEvent::Granted { .. } => self.count(|life| &mut life.grants),
            ModuleEvent::Retired(ecu) | ModuleEvent::Enrolled(ecu) => {
                let party = with_address(*ecu);
                if let Some(party) = party.and_then(|at| self.parties.get_mut(at)) {
                    party.retired = matches!(event, ModuleEvent::Retired(_));
                    party.said = [false; 2];
                }
            }
            ModuleEvent::Keyed { stream, .. } | ModuleEvent::Revoked(stream) => {
                if matches!(event, ModuleEvent::Keyed { .. }) {
                    self.count(|life| &mut life.keys);
                }
                let mut streams = self.keys.iter_mut();
                if let Some(figures) = streams.find(|one| one.id == *stream) {
                    match event {
                        ModuleEvent::Keyed { .. } => figures.keys += 1,
                        _ => figures.revoked += 1,
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes that one side holds the other for authenticated.
    pub(super) fn said(
        &mut self,
        party: Option<usize>,
        side: usize,
        at: Time,
        computed: impl Fn(EcuIndex) -> u64,
    ) {
        let began = self.epoch_began;
        let Some(party) = party.and_then(|at| self.parties.get_mut(at)) else {
            return;
        };
        party.said[side] = true;
        if party.said != [true; 2] {
            return;
        }
        // The next session of this epoch, after a reset or in the workshop, is said again.
        party.said = [false; 2];
        party.sessions += 1;
        party.cut_off = false;
        if party.first.is_none() {
            party.first = Some(at);
            party.until_first = Some((computed(party.ecu), party.communication));
        }
        if !std::mem::replace(&mut party.in_epoch, true) {
            party.longest = party.longest.max(Some(span(began, at)));
        }
        self.count(|life| &mut life.sessions);
    }
}
