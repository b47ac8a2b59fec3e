//! Grants and denials on their way: said to each ECU one at a time, and again until it
//! acknowledges.

use waywarden_work::{Duration, Instant};

use super::super::access::StreamId;
use super::super::event::{DenialReason, ModuleEvent};
use super::super::grant::{Denial, Grant, RetryHint};
use super::super::identifier::{LasanHeader, LasanKind};
use super::super::name::NetworkTime;
use super::super::outbox::Content;
use super::super::session::Sealed;
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::access::Line;
use super::{Later, SecurityModule};
use waywarden_key_roles::Address;

/// A message that an ECU has been sent and has not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Delivery {
    content: DeliveryContent,
    /// The generation of the key in a grant: a newer one takes its place at once.
    generation: u32,
    tries: u8,
    /// The time of its next repetition.
    retry: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DeliveryContent {
    Grant(usize),
    Revocation(usize),
    Refusal,
}

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    /// Seals the next grant or denial for an ECU that is not being waited for, and has repeated a
    /// request so often at least.
    pub(super) fn step_deliveries(&mut self, repeated: u8) -> Option<Later<S>> {
        if self.station.outbox.room() < 2 {
            return None;
        }
        for turn in 0..self.roster.len() {
            let index = (self.turn + turn) % self.roster.len();
            let registrant = self.roster.of(index);
            if registrant.is_none_or(|one| one.repeated < repeated) {
                continue;
            }
            let Some((content, tries)) = self.due_content(index) else {
                continue;
            };
            if let Some(later) = self.seal_delivery(index, content, tries) {
                self.turn = (index + 1) % self.roster.len();
                return Some(later);
            }
        }
        None
    }

    /// Returns the message that is due for an ECU, and how often it was sent before.
    fn due_content(&self, index: usize) -> Option<(DeliveryContent, u8)> {
        let registrant = self.roster.of(index)?;
        registrant.session.as_ref()?;
        if let Some(delivery) = &registrant.delivery
            && self.is_awaited(index, delivery)
        {
            let due = delivery.retry <= self.now;
            return due.then_some((delivery.content, delivery.tries));
        }
        if registrant.refusal.is_some() {
            return Some((DeliveryContent::Refusal, 0));
        }
        let ecu = registrant.address;
        for at in 0..self.lines.len() {
            if self.lines[at].denied.contains(ecu) {
                return Some((DeliveryContent::Revocation(at), 0));
            }
            if self.lines[at].owed.contains(ecu) && !self.is_held_back(at, ecu) {
                return Some((DeliveryContent::Grant(at), 0));
            }
        }
        None
    }

    /// Returns true if the message that was sent still has to be acknowledged.
    fn is_awaited(&self, index: usize, delivery: &Delivery) -> bool {
        let Some(registrant) = self.roster.of(index) else {
            return false;
        };
        match delivery.content {
            DeliveryContent::Grant(at) => {
                self.lines[at].generation == delivery.generation
                    && self.lines[at].owed.contains(registrant.address)
            }
            DeliveryContent::Revocation(at) => self.lines[at].denied.contains(registrant.address),
            DeliveryContent::Refusal => registrant.refusal.is_some(),
        }
    }

    /// Returns true if a grant waits for that of another ECU. The sender's waits, a little, for
    /// those of receivers that can answer. A receiver without the key before, as after a reset,
    /// waits for the sender. And no ECU gets a new key while one that has the key before is being
    /// authenticated in a new epoch and cannot be reached.
    fn is_held_back(&self, at: usize, ecu: Address) -> bool {
        let Some(permission) = self.directory.permissions().get(at) else {
            return true;
        };
        let line = &self.lines[at];
        if self.now < self.settled_at(line)
            && permission.holders().iter().any(|one| self.goes_over(one))
        {
            return true;
        }
        if self.now >= self.ordered_until(at) {
            return false;
        }
        let sender = permission.sender;
        if sender == ecu {
            let mut others = line.owed.except(line.fresh).without(ecu).iter();
            others.any(|one| self.is_there(one))
        } else {
            line.fresh.contains(ecu) && line.owed.contains(sender) && self.is_there(sender)
        }
    }

    /// Returns the time until which a new key waits for ECUs that go over to a new epoch. The wait
    /// ends before the key before does.
    fn settled_at(&self, line: &Line) -> Instant {
        let answer = self.directory.settings().timing.answer;
        let ends = line.before.as_nanos().saturating_sub(answer.as_nanos());
        self.settled_at.min(Instant::from_nanos(ends))
    }

    /// Returns the time until which one grant of a new key waits for another. It is one answer time
    /// after the key was made, or after the wait for ECUs that go over. The wait ends before the
    /// key before does.
    fn ordered_until(&self, at: usize) -> Instant {
        let timing = self.directory.settings().timing;
        let line = &self.lines[at];
        let before = |at: Instant, by: Duration| {
            Instant::from_nanos(at.as_nanos().saturating_sub(by.as_nanos()))
        };
        let permission = self.directory.permissions().get(at);
        let waits = permission
            .is_some_and(|permission| permission.holders().iter().any(|one| self.goes_over(one)));
        let free = match waits {
            true => self.settled_at(line),
            false => before(self.settled_at, timing.authentication),
        };
        let ends = before(line.before, timing.answer);
        (line.since + timing.answer).max(ends.min(free + timing.answer))
    }

    /// Returns true if an ECU has a session of an earlier epoch.
    fn goes_over(&self, ecu: Address) -> bool {
        let registrant = self
            .roster
            .position(ecu)
            .and_then(|index| self.roster.of(index));
        registrant.is_some_and(|one| one.session.is_some() && one.lacks(self.epoch))
    }

    /// Returns true if an ECU can answer: one that asks for its turn, or has it, has lost its
    /// session.
    fn is_there(&self, ecu: Address) -> bool {
        let Some(index) = self.roster.position(ecu) else {
            return false;
        };
        let registrant = self.roster.of(index);
        registrant.is_some_and(|one| one.session.is_some() && !one.wants_turn)
            && self.handshake_of(index).is_none()
    }

    fn seal_delivery(
        &mut self,
        index: usize,
        content: DeliveryContent,
        tries: u8,
    ) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let (profile, time) = (settings.profile, settings.time(self.now));
        let registrant = self.roster.of(index)?;
        let (ecu, name) = (registrant.address, registrant.name);
        let generation = match content {
            DeliveryContent::Grant(at) => self.lines[at].generation,
            _ => 0,
        };
        let (kind, (plain, length)) = match content {
            DeliveryContent::Grant(at) => (LasanKind::Grant, self.grant(at, index)?.write(profile)),
            DeliveryContent::Revocation(at) => {
                let stream = self.directory.permissions().get(at)?.stream;
                let denial = self.denial(ecu, stream, DenialReason::Revoked);
                (LasanKind::Deny, denial.write(profile, name, time))
            }
            DeliveryContent::Refusal => {
                let (stream, reason) = registrant.refusal?;
                let denial = self.denial(ecu, stream, reason);
                (LasanKind::Deny, denial.write(profile, name, time))
            }
        };
        let header = self.station.header(settings, kind, ecu);
        let session = self.roster.of_mut(index)?.session.as_mut()?;
        let sealed = self.station.seal(session, &header, &plain[..length])?;
        let tries = tries.saturating_add(1);
        let delivery = Delivery {
            content,
            generation,
            tries,
            retry: self.now + self.pause(tries),
        };
        Some(Later::Deliver(header, sealed, delivery))
    }

    /// Returns a denial with the start of the ECU's next window, so that it does not miss that.
    fn denial(&self, ecu: Address, stream: StreamId, reason: DenialReason) -> Denial {
        let NetworkTime(now) = self.directory.settings().time(self.now);
        let lines = self.directory.permissions().iter();
        let own = lines.filter(|line| line.stream == stream && line.sender == ecu);
        let coming = own.filter(|line| line.until.0 > now);
        let opens = coming.map(|line| line.from.0.saturating_sub(now)).min();
        let retry = opens.map_or(RetryHint::Never, |millis| {
            RetryHint::In(u32::try_from(millis).unwrap_or(u32::MAX))
        });
        Denial {
            stream,
            reason,
            retry,
        }
    }

    fn grant(&self, at: usize, index: usize) -> Option<Grant> {
        let settings = self.directory.settings();
        let permission = self.directory.permissions().get(at)?;
        let line = &self.lines[at];
        let registrant = self.roster.of(index)?;
        let session = registrant.session.as_ref()?;
        // A receiver counts from before its registration had come. So that it does not end the key
        // before the sender does, it gets a later end by as much as that can have been.
        let lenience = match permission.sender == registrant.address {
            true => Duration::ZERO,
            false => registrant.registering,
        };
        let expires = (line.expires + lenience).min(line.latest);
        let end = session.offset(expires.min(registrant.session_end));
        let end = end.unwrap_or(Duration::ZERO);
        let end = end.as_nanos() / 1_000_000;
        Some(Grant {
            stream: permission.stream,
            generation: line.generation,
            sender: permission.sender,
            end: u32::try_from(end).unwrap_or(u32::MAX),
            key: line.key.as_ref()?.duplicate(),
            receiver_name: self.roster.of(index)?.name,
            sender_name: self
                .roster
                .of(self.roster.position(permission.sender)?)?
                .name,
            time: settings.time(self.now),
        })
    }

    pub(super) fn settle_delivery(
        &mut self,
        header: LasanHeader,
        sealed: Sealed,
        delivery: Delivery,
    ) {
        let (bytes, length) = sealed;
        self.station
            .outbox
            .push(header, Content::Short(bytes, length));
        let Some(index) = self.roster.position(header.target) else {
            return;
        };
        let Some(registrant) = self.roster.of_mut(index) else {
            return;
        };
        registrant.delivery = Some(delivery);
        if !self.is_awaited(index, &delivery) {
            // There is a newer key since it was sealed, or it is to have none.
            return;
        }
        if let DeliveryContent::Grant(at) = delivery.content {
            self.lines[at].sent = self.lines[at].sent.with(header.target);
        }
        if self.directory.settings().profile.is_as_published() {
            // No ECU acknowledges anything there.
            self.delivered(index);
        }
    }

    /// An ECU has what it was sent last.
    pub(super) fn settle_acknowledged(&mut self, index: usize, stream: StreamId, generation: u32) {
        let Some(registrant) = self.roster.of(index) else {
            return;
        };
        let permissions = self.directory.permissions();
        let fits = |at: usize| {
            permissions
                .get(at)
                .is_some_and(|line| line.stream == stream)
        };
        let delivery = registrant.delivery.as_ref();
        let acknowledged = delivery.is_some_and(|delivery| match delivery.content {
            DeliveryContent::Grant(at) => {
                fits(at) && delivery.generation == generation && self.is_awaited(index, delivery)
            }
            DeliveryContent::Revocation(at) => fits(at) && generation == 0,
            DeliveryContent::Refusal => registrant.refusal.is_some_and(|(at, _)| at == stream),
        });
        if acknowledged {
            self.delivered(index);
        }
    }

    fn delivered(&mut self, index: usize) {
        let Some(registrant) = self.roster.of_mut(index) else {
            return;
        };
        let ecu = registrant.address;
        registrant.repeated = 0;
        match registrant.delivery.take().map(|delivery| delivery.content) {
            Some(DeliveryContent::Grant(at)) => {
                let line = &mut self.lines[at];
                line.owed = line.owed.without(ecu);
                line.fresh = line.fresh.without(ecu);
                line.granted = line.granted.with(ecu);
                let generation = line.generation;
                if let Some(permission) = self.directory.permissions().get(at) {
                    self.events.push(ModuleEvent::Granted {
                        stream: permission.stream,
                        ecu,
                        generation,
                    });
                }
            }
            Some(DeliveryContent::Revocation(at)) => {
                self.lines[at].denied = self.lines[at].denied.without(ecu);
            }
            Some(DeliveryContent::Refusal) => registrant.refusal = None,
            None => {}
        }
    }

    /// Returns the time of the next repetition or delayed grant.
    pub(super) fn next_delivery(&self) -> Option<Instant> {
        let waiting = self.roster.iter();
        let retry = waiting.filter_map(|(_, one)| one.delivery.map(|delivery| delivery.retry));
        let owing = (0..self.lines.len()).filter(|&at| {
            let line = &self.lines[at];
            line.key.is_some() && !line.owed.is_empty()
        });
        let held_back = owing.map(|at| self.ordered_until(at));
        let going_over = self.lines.iter().filter(|line| !line.owed.is_empty());
        let held_back = held_back.chain(going_over.map(|line| self.settled_at(line)));
        retry.chain(held_back).filter(|&at| at > self.now).min()
    }
}
