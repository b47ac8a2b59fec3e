//! Authentication of an ECU in `hardened` and `compact`: start-up message, turn, registration,
//! proof.

use waywarden_can::node::{Port, Token};
use waywarden_work::{Duration, Instant, Meter};

use super::super::certificate::CertificateError;
use super::super::credential::own_digest;
use super::super::event::{EcuEvent, HandshakeFailure};
use super::super::identifier::{GOES_OVER, LACKS_KEY, LACKS_STARTUP, LACKS_TURN, LasanKind};
use super::super::length::{NONCE_LENGTH, STARTUP_FIELDS};
use super::super::name::NetworkTime;
use super::super::outbox::{Content, Kept};
use super::super::profile::{Credentials, LasanProfile};
use super::super::session::Session;
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::super::transcript::{self, Digest, Named};
use super::{LasanEcu, Later, PROOF_LENGTH, Prepared, Repeat, Stage, TRIES_MAX};

impl<S: LasanSuite, D: PartyDirectory> LasanEcu<'_, S, D> {
    pub(super) fn step_hardened(&mut self) -> Option<Later<S>> {
        if let Some(kind) = self.short.complete() {
            if self.outgoing_is_busy() && kind == LasanKind::Invite {
                return None;
            }
            let later = self.take_short(kind);
            self.short.clear();
            if later.is_some() {
                return later;
            }
        }
        if let Some(kind) = self.inbound[0].complete() {
            let later = match kind {
                LasanKind::ModuleCertificate => self.take_credential(),
                _ => self.take_confirmation(),
            };
            self.inbound[0].clear();
            if later.is_some() {
                return later;
            }
        }
        if self.inbound[1].complete().is_some() && !self.outgoing_is_busy() {
            let later = self.take_startup();
            self.inbound[1].clear();
            return later;
        }
        if self.repeat.is_due(self.now) {
            self.repeat();
        }
        None
    }

    /// Returns true if the registration is still being sent, so that nothing may be written over
    /// it.
    pub(super) fn outgoing_is_busy(&self) -> bool {
        self.station.outbox.holds(Kept::Handshake(0))
    }

    fn take_short(&mut self, kind: LasanKind) -> Option<Later<S>> {
        match kind {
            LasanKind::Beacon => {
                let epoch = *self.short.bytes().first_chunk()?;
                self.take_beacon(u64::from_be_bytes(epoch));
                None
            }
            LasanKind::Invite => self.register(),
            _ => self.open_short(kind),
        }
    }

    /// Takes a beacon: an ECU lacks a session. Any node can send one: it causes only a question,
    /// and not a frequent one. An ECU without a start-up message asks anyway.
    fn take_beacon(&mut self, epoch: u64) {
        if matches!(self.stage, Stage::Idle) || self.now < self.deaf_until {
            return;
        }
        if epoch > self.epoch {
            self.say_hello(LACKS_STARTUP);
        } else if epoch < self.epoch || self.next_request().is_some() {
            // Who will ask for a stream sees whether it is answered.
            return;
        } else if let Stage::Authenticated { shared, .. } = &mut self.stage {
            // It may be this one, whose session was forgotten: it proves itself once more.
            if core::mem::replace(shared, false) {
                self.repeat = Repeat::from(self.now);
            }
        }
        self.deaf_until = self.now + self.directory.settings().timing.patience;
    }

    fn take_credential(&mut self) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let wanted = settings.credentials != Credentials::Keys && self.module_validity.is_none();
        wanted.then(|| self.verify_module())
    }

    /// Checks the start-up message, and answers its offer.
    fn take_startup(&mut self) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let bytes = self.inbound[1].bytes();
        let (fields, rest) = bytes.split_at_checked(STARTUP_FIELDS)?;
        let (offer, signature) = rest.split_at_checked(self.suite.sizes().offer)?;
        let epoch = u64::from_be_bytes(*fields.first_chunk()?);
        let time = NetworkTime(u64::from_be_bytes(*fields.last_chunk()?));
        let lacking = matches!(self.stage, Stage::Idle);
        if epoch < self.epoch || (epoch == self.epoch && !lacking) {
            // The one that this ECU has already, or a replay.
            return (epoch < self.epoch).then_some(Later::Refused(HandshakeFailure::Epoch));
        }
        let module = self.directory.find(settings.security_module)?;
        let Some(key) = self.module_key() else {
            self.repeat = Repeat::from(self.now);
            return None;
        };
        let mut meter = waywarden_key_suites::RecordedOperations::new();
        let key_digest = transcript::key_digest(&mut meter, key);
        let named = Named {
            address: module.address,
            name: module.name,
            key: &key_digest,
        };
        let startup = transcript::startup(
            &mut meter,
            self.suite.identifier(),
            settings.profile,
            named,
            fields,
            offer,
        );
        let verified = self.suite.verify(&mut meter, key, &startup, signature);
        // Who has an old key of the security module may say that it is earlier.
        let latest = time.max(self.clock.time(self.now));
        let checked = verified
            .map_err(HandshakeFailure::Signature)
            .and_then(|()| {
                let valid = self
                    .module_validity
                    .map_or(Ok(()), |validity| validity.check(latest));
                valid.map_err(HandshakeFailure::Certificate)
            });
        if matches!(checked, Err(HandshakeFailure::Certificate(_))) {
            // There may be another one.
            self.module_validity = None;
        }
        let answered = checked.and_then(|()| {
            let random = self.station.entropy.draw();
            let answered = self
                .suite
                .answer(&mut meter, offer, &random, &mut self.outgoing);
            answered.map_err(HandshakeFailure::Agreement)
        });
        meter
            .drain()
            .for_each(|done| self.station.worker.meter.record(done));
        let secret = match answered {
            Ok(secret) => secret,
            Err(failure) => return Some(Later::Refused(failure)),
        };
        self.outgoing_length = self.suite.sizes().answer;
        let prepared = Prepared { startup, secret };
        Some(Later::Started {
            epoch,
            time,
            prepared,
        })
    }

    pub(super) fn settle_started(&mut self, epoch: u64, time: NetworkTime, prepared: Prepared) {
        if self.is_authenticated() {
            self.events.push(EcuEvent::SessionLost);
        }
        self.clock.learn(time, self.now);
        self.retain |= epoch > self.epoch;
        self.epoch = epoch;
        self.stage = Stage::Ready(prepared);
        self.repeat = Repeat::from(self.now);
    }

    /// Makes the registration for a turn.
    fn register(&mut self) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let pause = settings.timing.answer;
        let (Stage::Ready(prepared) | Stage::Registered { prepared, .. }) = &self.stage else {
            return None;
        };
        // Anybody can invite: that does not make an ECU sign without end.
        if let Stage::Registered { since, .. } = &self.stage
            && self.now < *since + pause
        {
            return None;
        }
        let (nonce, flags) = self.short.bytes().split_first_chunk::<NONCE_LENGTH>()?;
        let meter = &mut self.station.worker.meter;
        let own = own_digest(meter, &self.directory, self.station.me);
        let named = Named {
            address: self.station.me,
            name: self.directory.find(self.station.me)?.name,
            key: &own,
        };
        let sizes = self.suite.sizes();
        let (answer, rest) = self.outgoing.split_at_mut_checked(sizes.answer)?;
        let register = transcript::register(meter, &prepared.startup, named, nonce, answer);
        self.outgoing_length = sizes.answer;
        if settings.profile == LasanProfile::Hardened {
            let key = &self.signing_key;
            self.outgoing_length += self.suite.sign(meter, key, &register, rest)?;
        }
        let presents = *flags.first()? != 0 && settings.credentials != Credentials::Keys;
        Some(Later::Registered { register, presents })
    }

    pub(super) fn settle_registered(&mut self, register: Digest, presents: bool) {
        let stage = core::mem::replace(&mut self.stage, Stage::Idle);
        let (Stage::Ready(prepared) | Stage::Registered { prepared, .. }) = stage else {
            self.stage = stage;
            return;
        };
        self.stage = Stage::Registered {
            prepared,
            register,
            since: self.now,
        };
        self.repeat = Repeat::NEVER;
        if presents {
            self.push(LasanKind::Certificate, Content::Kept(Kept::Credential));
        }
        self.push(LasanKind::Register, Content::Kept(Kept::Handshake(0)));
    }

    /// Checks the security module's proof.
    fn take_confirmation(&mut self) -> Option<Later<S>> {
        let Stage::Registered {
            prepared,
            register,
            since,
        } = &self.stage
        else {
            return None;
        };
        let bytes = self.inbound[0].bytes();
        let (challenge, proof) = bytes.split_at_checked(bytes.len() - PROOF_LENGTH)?;
        let meter = &mut self.station.worker.meter;
        let agreed = transcript::agreed(meter, register, challenge);
        let mut second = None;
        if self.directory.settings().profile == LasanProfile::Compact {
            let pending = self.suite.pending(meter, &self.secret);
            match self.suite.finish(meter, &pending, challenge) {
                Ok(secret) => second = Some(secret),
                Err(error) => return Some(Later::Refused(HandshakeFailure::Agreement(error))),
            }
        }
        let keys = transcript::keys(meter, &agreed, &prepared.secret, second.as_ref());
        if transcript::verify_proof(meter, &keys.proofs[0], &agreed, proof).is_err() {
            return Some(Later::Refused(HandshakeFailure::Proof));
        }
        let proof = transcript::proof(meter, &keys.proofs[1], &agreed);
        Some(Later::Confirmed {
            session: Session::of_ecu(keys, *since),
            proof,
        })
    }

    pub(super) fn settle_confirmed(&mut self, session: Session, proof: [u8; PROOF_LENGTH]) {
        if !matches!(self.stage, Stage::Registered { .. }) {
            return;
        }
        let certified = self.module_validity;
        self.stage = Stage::Authenticated {
            session,
            rests_until: certified.map_or(NetworkTime::MAX, |validity| validity.last),
            proof: Some(proof),
            shared: false,
        };
        self.session_end = None;
        let epoch = self.epoch;
        self.events.push(EcuEvent::Authenticated { epoch });
        self.repeat = Repeat::from(self.now);
        self.wants.begin(self.now);
    }

    /// Says hello, or proves once more that it has the key.
    fn repeat(&mut self) {
        let timing = self.directory.settings().timing;
        if let Stage::Authenticated { proof, shared, .. } = &self.stage {
            if let (Some(proof), false) = (*proof, *shared) {
                if self.repeat.tries >= TRIES_MAX {
                    return self.lose_session();
                }
                let header = self.station.header(
                    self.directory.settings(),
                    LasanKind::EcuConfirmation,
                    self.module(),
                );
                self.station.outbox.push_short(header, &proof);
                return self.repeat.tried(self.now, timing.answer, timing.patience);
            }
            self.repeat = Repeat::NEVER;
            return;
        }
        let lacks = match &self.stage {
            Stage::Ready(_) if self.streams.has_any() => GOES_OVER,
            Stage::Ready(_) => LACKS_TURN,
            _ if self.module_key().is_none() => LACKS_KEY,
            _ => LACKS_STARTUP,
        };
        self.say_hello(lacks);
        self.repeat.tried(self.now, timing.answer, timing.patience);
    }

    fn say_hello(&mut self, lacks: u8) {
        let (settings, module) = (self.directory.settings(), self.module());
        let header = self.station.header(settings, LasanKind::Hello, module);
        self.station.outbox.push_short(header, &[lacks]);
    }

    /// The security module has shown that it has this session, and said when it is over: so many
    /// milliseconds after the registration, or 0 if that is not to be foreseen.
    pub(super) fn settle_session(&mut self, end: u32) {
        if let Stage::Authenticated {
            session, shared, ..
        } = &mut self.stage
            && !core::mem::replace(shared, true)
        {
            let offset = Duration::from_millis(u64::from(end));
            self.session_end = session.at(offset).filter(|_| end > 0);
            self.repeat = Repeat::NEVER;
        }
    }

    /// Returns the end of the session: the first end of a certificate on which it rests. The
    /// security module, which knows the time, reports it; this ECU applies its own time, too.
    pub(super) fn session_end(&self) -> Option<Instant> {
        let Stage::Authenticated { rests_until, .. } = &self.stage else {
            return None;
        };
        let known = self.clock.end_of(*rests_until);
        known.into_iter().chain(self.session_end).min()
    }

    fn check_session(&mut self) {
        if self.session_end().is_none_or(|end| self.now < end) {
            return;
        }
        let expired = HandshakeFailure::Certificate(CertificateError::Expired);
        self.events.push(EcuEvent::Failed(expired));
        // What is over stays so after a reset.
        self.retain = true;
        self.streams.end(self.now);
        self.lose_session();
    }

    /// The security module does not answer in this session: begin again. Stream keys stay until
    /// their time is over.
    pub(super) fn lose_session(&mut self) {
        self.events.push(EcuEvent::SessionLost);
        self.stage = Stage::Idle;
        self.repeat = Repeat::from(self.now);
    }

    pub(super) fn time_out(&mut self) {
        let timing = self.directory.settings().timing;
        if let Stage::Registered { since, .. } = &self.stage
            && *since + timing.authentication <= self.now
            && !self.outgoing_is_busy()
        {
            let stage = core::mem::replace(&mut self.stage, Stage::Idle);
            if let Stage::Registered { prepared, .. } = stage {
                self.stage = Stage::Ready(prepared);
            }
            self.events
                .push(EcuEvent::Failed(HandshakeFailure::Timeout));
            self.repeat = Repeat::from(self.now);
        }
        self.check_session();
        while let Some(stream) = self.streams.expire(self.now) {
            self.events.push(EcuEvent::Expired(stream));
            self.wants.ask_again(stream, self.now);
        }
    }

    pub(super) fn take_answer(&mut self, frame: (Port, Token, bool)) {
        let settings = self.directory.settings();
        let (directory, me) = (&self.directory, self.station.me);
        let (outgoing, length) = (&self.outgoing, self.outgoing_length);
        let kept = |kept| super::kept_bytes(directory, me, outgoing, length, kept).len();
        self.station.answered(self.now, frame, settings, kept);
    }
}
