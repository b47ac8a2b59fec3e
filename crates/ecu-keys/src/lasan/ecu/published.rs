//! How an ECU authenticates itself as published \[LASAN, testbed\]: it shows a certificate that it
//! never proves to be its own, and shares a key with any node that sent the start-up message.

use super::super::event::{EcuEvent, Failure};
use super::super::identifier::Kind;
use super::super::name::Time;
use super::super::outbox::{Content, Kept};
use super::super::session::{Sealed, Session, names};
use super::super::settings::Directory;
use super::super::suites::{self, Suite};
use super::super::transcript::PUBLISHED_STARTUP;
use super::{Ecu, Later, Stage};
use crate::suite::{KeyAgreement, Secret};

impl<S: Suite, D: Directory, const W: usize> Ecu<S, D, W> {
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
                Kind::ModuleCertificate => idle.then(|| self.verify_module()),
                Kind::Answer => self.finish_agreement(),
                _ => self.open_confirmation(),
            };
            self.inbound[0].clear();
            if later.is_some() {
                return later;
            }
        }
        if let Some(kind) = self.inbound[1].complete() {
            // The start-up message can be there before the certificate is verified.
            if kind == Kind::ModuleOffer && matches!(self.stage, Stage::Offered(_)) {
                return None;
            }
            let later = match kind {
                Kind::Startup => self.check_startup(),
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
        let (said, signature) = self.inbound[1].bytes().split_first_chunk()?;
        let meter = &mut self.station.worker.meter;
        let (key, _) = self.module_key.as_ref()?;
        if *said != PUBLISHED_STARTUP {
            return Some(Later::Refused(Failure::Epoch));
        }
        if let Err(error) = suites::verify::<S>(meter, key.as_ref(), said, signature) {
            return Some(Later::Refused(Failure::Signature(error)));
        }
        let random = self.station.entropy.draw();
        let (pending, offer) = S::Agreement::offer(meter, &random);
        self.put_outgoing(offer.as_ref())?;
        Some(Later::Offered(pending))
    }

    fn put_outgoing(&mut self, bytes: &[u8]) -> Option<()> {
        let place = self.outgoing.as_mut().get_mut(..bytes.len())?;
        place.copy_from_slice(bytes);
        self.outgoing_length = bytes.len();
        Some(())
    }

    pub(super) fn settle_offered(&mut self, pending: super::PendingOf<S>) {
        self.stage = Stage::Offered(pending);
        self.push(Kind::Certificate, Content::Kept(Kept::Credential));
        self.push(Kind::Register, Content::Kept(Kept::Handshake(0)));
    }

    /// The security module's answer to this ECU's offer.
    fn finish_agreement(&mut self) -> Option<Later<S>> {
        let Stage::Offered(pending) = &self.stage else {
            return None;
        };
        let meter = &mut self.station.worker.meter;
        let secret = match S::Agreement::finish(meter, pending, self.inbound[0].bytes()) {
            Ok(secret) => secret,
            Err(error) => return Some(Later::Refused(Failure::Agreement(error))),
        };
        if !S::CONTRIBUTORY {
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
        let (answer, second) = match S::Agreement::answer(meter, self.inbound[1].bytes(), &random) {
            Ok(answered) => answered,
            Err(error) => return Some(Later::Refused(Failure::Agreement(error))),
        };
        self.put_outgoing(answer.as_ref())?;
        let session = self.session(first, second)?;
        let answers = true;
        Some(Later::Unconfirmed { session, answers })
    }

    pub(super) fn settle_unconfirmed(&mut self, session: Session, answers: bool) {
        self.stage = Stage::Unconfirmed(session);
        if answers {
            self.push(Kind::FinalAnswer, Content::Kept(Kept::Handshake(0)));
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
        let header = self.station.header(settings, Kind::EcuConfirmation, module);
        let Stage::Unconfirmed(session) = &mut self.stage else {
            return None;
        };
        let bytes = self.inbound[0].bytes_mut();
        let opened = session.open(&mut self.station.worker.meter, &header, bytes);
        if opened.is_err() || opened.is_ok_and(|said| *said != expected) {
            return Some(Later::Refused(Failure::Proof));
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
            rests_until: Time::MAX,
            proof: None,
            shared: true,
        };
        self.push(Kind::EcuConfirmation, Content::Short(bytes, length));
        self.events.push(EcuEvent::Authenticated { epoch: 0 });
        self.wants.begin(self.now);
    }
}
