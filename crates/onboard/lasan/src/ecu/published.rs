//! Authentication of an ECU as published \[LASAN, testbed\]: it shows a certificate that it never
//! proves to be its own, and shares a key with any node that sent the start-up message.

use super::super::event::{EcuEvent, HandshakeFailure};
use super::super::identifier::LasanKind;
use super::super::name::NetworkTime;
use super::super::outbox::{Content, Kept};
use super::super::session::{Sealed, Session, names};
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::super::transcript::PUBLISHED_STARTUP;
use super::{LasanEcu, Later, Stage};
use waywarden_key_suites::Secret;

impl<S: LasanSuite, D: PartyDirectory> LasanEcu<'_, S, D> {
    pub(super) fn step_as_published(&mut self) -> Option<Later<S>> {
        if let Some(kind) = self.short.complete() {
            let later = self.open_short(kind);
            self.short.clear();
            if later.is_some() {
                return later;
            }
        }
        if let Some(kind) = self.inbound[0].complete() {
            let idle = matches!(self.stage, Stage::Idle);
            let later = match kind {
                LasanKind::ModuleCertificate => idle.then(|| self.verify_module()),
                LasanKind::Answer => self.finish_agreement(),
                _ => self.open_confirmation(),
            };
            self.inbound[0].clear();
            if later.is_some() {
                return later;
            }
        }
        if let Some(kind) = self.inbound[1].complete() {
            // The start-up message can be there before the certificate is verified.
            if kind == LasanKind::ModuleOffer && matches!(self.stage, Stage::Offered(_)) {
                return None;
            }
            let later = match kind {
                LasanKind::Startup => self.check_startup(),
                _ => self.answer_offer(),
            };
            self.inbound[1].clear();
            return later;
        }
        None
    }

    /// Checks the start-up message, and makes this ECU's offer.
    fn check_startup(&mut self) -> Option<Later<S>> {
        // Who is authenticated ignores it, as the authors' simulator does.
        if !matches!(self.stage, Stage::Idle) {
            return None;
        }
        let (message, signature) = self.inbound[1].bytes().split_first_chunk()?;
        let meter = &mut self.station.worker.meter;
        self.module_validity?;
        if *message != PUBLISHED_STARTUP {
            return Some(Later::Refused(HandshakeFailure::Epoch));
        }
        let key = self.module_key.get(..self.suite.sizes().public_key)?;
        if let Err(error) = self.suite.verify(meter, key, message, signature) {
            return Some(Later::Refused(HandshakeFailure::Signature(error)));
        }
        let random = self.station.entropy.draw();
        let pending = self.suite.offer(meter, &random, &mut self.outgoing)?;
        self.outgoing_length = self.suite.sizes().offer;
        Some(Later::Offered(pending))
    }

    pub(super) fn settle_offered(&mut self, pending: S::Pending) {
        self.stage = Stage::Offered(pending);
        self.push(LasanKind::Certificate, Content::Kept(Kept::Credential));
        self.push(LasanKind::Register, Content::Kept(Kept::Handshake(0)));
    }

    /// The security module's answer to this ECU's offer.
    fn finish_agreement(&mut self) -> Option<Later<S>> {
        let Stage::Offered(pending) = &self.stage else {
            return None;
        };
        let meter = &mut self.station.worker.meter;
        let secret = match self.suite.finish(meter, pending, self.inbound[0].bytes()) {
            Ok(secret) => secret,
            Err(error) => return Some(Later::Refused(HandshakeFailure::Agreement(error))),
        };
        if !self.suite.sizes().contributory {
            return Some(Later::Halfway(secret));
        }
        let session = self.session(secret.duplicate(), secret)?;
        let answers = false;
        Some(Later::Unconfirmed { session, answers })
    }

    fn session(&self, seals: Secret, opens: Secret) -> Option<Session> {
        let ecu = self.directory.find(self.station.me)?.name;
        let module = self.directory.find(self.module())?.name;
        Some(Session::published(seals, opens, ecu, module))
    }

    /// With a key encapsulation there is one in each direction.
    fn answer_offer(&mut self) -> Option<Later<S>> {
        let Stage::Halfway(first) = &self.stage else {
            return None;
        };
        let first = first.duplicate();
        let random = self.station.entropy.draw();
        let meter = &mut self.station.worker.meter;
        let offer = self.inbound[1].bytes();
        let answered = self.suite.answer(meter, offer, &random, &mut self.outgoing);
        let second = match answered {
            Ok(secret) => secret,
            Err(error) => return Some(Later::Refused(HandshakeFailure::Agreement(error))),
        };
        self.outgoing_length = self.suite.sizes().answer;
        let session = self.session(first, second)?;
        let answers = true;
        Some(Later::Unconfirmed { session, answers })
    }

    pub(super) fn settle_unconfirmed(&mut self, session: Session, answers: bool) {
        self.stage = Stage::Unconfirmed(session);
        if answers {
            self.push(LasanKind::FinalAnswer, Content::Kept(Kept::Handshake(0)));
        }
    }

    /// The security module's confirmation, which says both names and nothing else.
    fn open_confirmation(&mut self) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let module = settings.security_module;
        let expected = names(
            self.directory.find(self.station.me)?.name,
            self.directory.find(module)?.name,
        );
        let header = self
            .station
            .header(settings, LasanKind::EcuConfirmation, module);
        let Stage::Unconfirmed(session) = &mut self.stage else {
            return None;
        };
        let bytes = self.inbound[0].bytes_mut();
        let opened = session.open(&mut self.station.worker.meter, &header, bytes);
        if opened.is_err() || opened.is_ok_and(|names| *names != expected) {
            return Some(Later::Refused(HandshakeFailure::Proof));
        }
        let sealed = self.station.seal(session, &header, &expected);
        Some(Later::ConfirmedAsPublished(sealed))
    }

    pub(super) fn settle_confirmed_as_published(&mut self, sealed: Option<Sealed>) {
        let stage = core::mem::replace(&mut self.stage, Stage::Idle);
        let (Stage::Unconfirmed(session), Some((bytes, length))) = (stage, sealed) else {
            return;
        };
        self.stage = Stage::Authenticated {
            session,
            rests_until: NetworkTime::MAX,
            proof: None,
            shared: true,
        };
        self.push(LasanKind::EcuConfirmation, Content::Short(bytes, length));
        self.events.push(EcuEvent::Authenticated { epoch: 0 });
        self.wants.begin(self.now);
    }
}
