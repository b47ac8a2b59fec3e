//! The security module's side as published \[LASAN, testbed\]: it checks that a certificate is
//! genuine, and shares a key with any node that sent it.

use super::super::certificate::{self, Expected, SubjectRole};
use super::super::event::HandshakeFailure;
use super::super::identifier::LasanKind;
use super::super::outbox::{Content, Kept};
use super::super::session::{Sealed, Session, names};
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::handshake::{Answered, Phase};
use super::{Later, SecurityModule};
use waywarden_key_suites::Secret;

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    /// A certificate comes in: no ECU was invited, so there has to be room.
    pub(super) fn open_as_published(&mut self, index: usize) {
        if self.handshake_of(index).is_some() {
            return;
        }
        let now = self.now;
        let free = self.handshakes.iter_mut().find(|one| one.ecu.is_none());
        if let Some(handshake) = free {
            handshake.begin(index, now, Default::default());
        }
    }

    pub(super) fn step_as_published(&mut self, at: usize, index: usize) -> Option<Later<S>> {
        // No ECU asks again for what finds no place: an answer, and an offer or a confirmation.
        if self.station.outbox.room() < 2 {
            return None;
        }
        match &self.handshakes[at].phase {
            Phase::Awaited => self.check_certificate(at, index),
            Phase::Certified => self.answer_offer(at, index),
            Phase::Offered(..) => self.finish_agreement(at, index),
            _ => None,
        }
    }

    fn check_certificate(&mut self, at: usize, index: usize) -> Option<Later<S>> {
        let registrant = self.roster.of(index)?;
        let handshake = &self.handshakes[at];
        handshake.credential.complete()?;
        let expected = Expected {
            profile: self.directory.settings().profile,
            subject: registrant.name,
            role: SubjectRole::Ecu,
            key_length: self.suite.sizes().public_key,
            authority: self.directory.authority(),
            time: None,
        };
        let meter = &mut self.station.worker.meter;
        let verified =
            certificate::verify(&self.suite, meter, handshake.credential.bytes(), &expected);
        // The key that it certifies is never used.
        Some(match verified {
            Ok(_) => Later::Certified(at),
            Err(error) => Later::Failed(at, HandshakeFailure::Certificate(error)),
        })
    }

    /// Answers the ECU's offer; with a key encapsulation makes another in the other direction.
    fn answer_offer(&mut self, at: usize, index: usize) -> Option<Later<S>> {
        // Drawn once the offer is whole: what is drawn must not depend on how often this is asked.
        self.handshakes[at].register.complete()?;
        let randoms = [self.station.entropy.draw(), self.station.entropy.draw()];
        let handshake = &mut self.handshakes[at];
        let meter = &mut self.station.worker.meter;
        let offer = handshake.register.bytes();
        let out = &mut handshake.outgoing;
        let answered = self.suite.answer(meter, offer, &randoms[0], out);
        handshake.register.clear();
        let secret = match answered {
            Ok(secret) => secret,
            Err(error) => return Some(Later::Failed(at, HandshakeFailure::Agreement(error))),
        };
        let sizes = self.suite.sizes();
        handshake.lengths = [sizes.answer, 0];
        if sizes.contributory {
            debug_assert!(self.roster.of(index).is_some());
            return Some(Later::Answering(at, secret, None));
        }
        let own = handshake.outgoing.get_mut(sizes.answer..)?;
        let pending = self.suite.offer(meter, &randoms[1], own)?;
        handshake.lengths[1] = sizes.offer;
        Some(Later::Answering(at, secret, Some(pending)))
    }

    pub(super) fn settle_answering(
        &mut self,
        at: usize,
        secret: Secret,
        pending: Option<S::Pending>,
    ) {
        self.send_handshake(at, LasanKind::Answer, Kept::Handshake(at as u8));
        match pending {
            Some(pending) => {
                self.send_handshake(at, LasanKind::ModuleOffer, Kept::Offer(at as u8));
                self.handshakes[at].phase = Phase::Offered(secret, pending);
            }
            None => self.later = self.confirm(at, secret.duplicate(), secret),
        }
    }

    /// The ECU's answer to the security module's offer.
    fn finish_agreement(&mut self, at: usize, _index: usize) -> Option<Later<S>> {
        let handshake = &mut self.handshakes[at];
        handshake.register.complete()?;
        let Phase::Offered(first, pending) = &handshake.phase else {
            return None;
        };
        let meter = &mut self.station.worker.meter;
        let bytes = handshake.register.bytes();
        let finished = self.suite.finish(meter, pending, bytes);
        let first = first.duplicate();
        handshake.register.clear();
        match finished {
            Ok(second) => self.confirm(at, second, first),
            Err(error) => Some(Later::Failed(at, HandshakeFailure::Agreement(error))),
        }
    }

    /// Confirms: the security module under the key of its own offer, the ECU under that of its.
    fn confirm(&mut self, at: usize, seals: Secret, opens: Secret) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let registrant = self.roster.of(self.handshakes[at].ecu?)?;
        let module = self.directory.find(self.station.me)?.name;
        let (ecu, both_names) = (registrant.name, names(registrant.name, module));
        let header =
            self.station
                .header(settings, LasanKind::ModuleConfirmation, registrant.address);
        let mut session = Session::published(seals, opens, ecu, module);
        let sealed = self.station.seal(&mut session, &header, &both_names)?;
        let expected = None;
        let answered = Answered { session, expected };
        Some(Later::Confirming(at, answered, sealed))
    }

    pub(super) fn settle_confirming(&mut self, at: usize, answered: Answered, sealed: Sealed) {
        let index = self.handshakes[at].ecu;
        let Some(registrant) = index.and_then(|index| self.roster.of(index)) else {
            return;
        };
        let settings = self.directory.settings();
        let header =
            self.station
                .header(settings, LasanKind::ModuleConfirmation, registrant.address);
        let (bytes, length) = sealed;
        self.station
            .outbox
            .push(header, Content::Short(bytes, length));
        self.handshakes[at].phase = Phase::Answered(answered);
    }

    /// The ECU's confirmation, which says both names and nothing else.
    pub(super) fn take_proof_as_published(&mut self, index: usize) -> Option<Later<S>> {
        let at = self.handshake_of(index)?;
        let module = self.directory.find(self.station.me)?.name;
        let registrant = self.roster.of_mut(index)?;
        let expected = names(registrant.name, module);
        let settings = self.directory.settings();
        let header = self
            .station
            .header(settings, LasanKind::EcuConfirmation, registrant.address);
        let Phase::Answered(answered) = &mut self.handshakes[at].phase else {
            return None;
        };
        let meter = &mut self.station.worker.meter;
        let bytes = registrant.short.bytes_mut();
        let opened = answered.session.open(meter, &header, bytes);
        Some(match opened {
            Ok(both_names) if *both_names == expected => Later::Authenticated(at, None),
            _ => Later::Failed(at, HandshakeFailure::Proof),
        })
    }
}
