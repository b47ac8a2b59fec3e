//! The security module's side of an authentication in `hardened` and `compact`: a
//! registration, an answer, a proof.

mod presented;

use waywarden_work::Instant;

use super::super::certificate::{CertificateError, SubjectRole};
use super::super::credential::{self, Presented, by_certificate};
use super::super::event::{HandshakeFailure, ModuleEvent};
use super::super::identifier::LasanKind;
use super::super::inbox::{Assembly, Piece};
use super::super::length::{NONCE_LENGTH, PROOF_LENGTH};
use super::super::name::NetworkTime;
use super::super::outbox::{Content, Kept};
use super::super::profile::{Credentials, LasanProfile};
use super::super::session::Session;
use super::super::settings::{PARTIES_MAX, PartyDirectory};
use super::super::suites::LasanSuite;
use super::super::transcript::{self, Digest, Named};
use super::roster::Registrant;
use super::{Later, SecurityModule};
use waywarden_key_roles::Storage;
use waywarden_key_roles::Transport;
use waywarden_key_suites::{Meter, RecordedOperations, Secret};

use presented::{key_length, presented_key};

/// An authentication under way.
pub(super) struct Handshake<'a, S: LasanSuite> {
    /// The ECU, by its place in the roster.
    pub(super) ecu: Option<usize>,
    pub(super) since: Instant,
    /// Time of reception of the registration: not of its processing, since a slow processor may
    /// serve others first, and the ECU counts from when it began to send it.
    registered: Instant,
    nonce: [u8; NONCE_LENGTH],
    /// The end of the certificates on which the session will rest; and the digest of the ECU's key.
    rests_until: NetworkTime,
    key_digest: Digest,
    pub(super) phase: Phase<S>,
    pub(super) credential: Assembly<Storage<'a, u8>>,
    pub(super) register: Assembly<Storage<'a, u8>>,
    /// The answer, and behind it as published the module's own offer.
    pub(super) outgoing: Storage<'a, u8>,
    pub(super) lengths: [usize; 2],
}

/// The phase of a handshake.
pub(super) enum Phase<S: LasanSuite> {
    /// The registration is waited for.
    Awaited,
    /// The registration is genuine, or in `compact` as good as can be known yet.
    Verified(Digest),
    /// The ECU's proof is waited for.
    Answered(Answered),
    /// As published: the certificate is good.
    Certified,
    /// As published with a key encapsulation: the ECU's answer is waited for.
    Offered(Secret, S::Pending),
}

/// The state that a handshake keeps until the ECU has proved itself.
pub(super) struct Answered {
    pub(super) session: Session,
    /// The key of the ECU's proof and what it is over; none as published, where the session says.
    pub(super) expected: Option<(Secret, Digest)>,
}

impl<'a, S: LasanSuite> Handshake<'a, S> {
    /// None is under way. Each place is for a long message.
    pub(super) fn new([credential, register, outgoing]: [Storage<'a, u8>; 3]) -> Self {
        Handshake {
            ecu: None,
            since: Instant::ZERO,
            registered: Instant::ZERO,
            nonce: [0; NONCE_LENGTH],
            rests_until: NetworkTime::MAX,
            key_digest: [0; 32],
            phase: Phase::Awaited,
            credential: Assembly::new(credential),
            register: Assembly::new(register),
            outgoing,
            lengths: [0; 2],
        }
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.free();
        (self.since, self.registered) = (Instant::ZERO, Instant::ZERO);
        self.lengths = [0; 2];
    }

    pub(super) fn begin(&mut self, index: usize, now: Instant, nonce: [u8; NONCE_LENGTH]) {
        self.free();
        (self.ecu, self.since, self.nonce) = (Some(index), now, nonce);
        self.rests_until = NetworkTime::MAX;
    }

    pub(super) fn free(&mut self) {
        self.ecu = None;
        self.phase = Phase::Awaited;
        self.credential.clear();
        self.register.clear();
    }

    pub(super) fn take(
        &mut self,
        now: Instant,
        (transport, numbered): (Transport, bool),
        piece: &Piece<'_>,
    ) {
        if piece.kind == LasanKind::Certificate {
            return self.credential.take(transport, numbered, piece);
        }
        let lacked = self.register.complete().is_none();
        self.register.take(transport, numbered, piece);
        if lacked && self.register.complete().is_some() {
            self.registered = now;
        }
    }

    pub(super) fn verified(&mut self, register: Digest) {
        self.phase = Phase::Verified(register);
    }

    pub(super) fn certified(&mut self) {
        self.phase = Phase::Certified;
    }

    pub(super) fn first_outgoing(&self) -> &[u8] {
        self.outgoing.get(..self.lengths[0]).unwrap_or(&[])
    }

    pub(super) fn second_outgoing(&self) -> &[u8] {
        let [first, second] = self.lengths;
        self.outgoing.get(first..first + second).unwrap_or(&[])
    }
}

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    /// Takes the next step of an authentication.
    pub(super) fn step_handshakes(&mut self) -> Option<Later<S>> {
        let published = self.directory.settings().profile.is_as_published();
        // The handshake that began first is first: on a slow processor the others would be late
        // before they are looked at, for one that is done makes room for another.
        let (mut order, places) = ([0_u8; PARTIES_MAX], self.handshakes.len());
        let order = &mut order[..places];
        (0..)
            .zip(order.iter_mut())
            .for_each(|(at, place)| *place = at);
        order.sort_unstable_by_key(|&at| (self.handshakes[usize::from(at)].since, at));
        for at in order.iter().map(|&at| usize::from(at)) {
            let Some(index) = self.handshakes[at].ecu else {
                continue;
            };
            let later = match (published, &self.handshakes[at].phase) {
                (true, _) => self.step_as_published(at, index),
                (false, Phase::Awaited) => self.verify(at, index),
                (false, Phase::Verified(_)) => self.answer(at, index),
                (false, _) => None,
            };
            if later.is_some() {
                return later;
            }
        }
        None
    }

    /// Checks a registration that is complete: who it is, and in `hardened` its signature.
    fn verify(&mut self, at: usize, index: usize) -> Option<Later<S>> {
        let settings = self.directory.settings();
        let handshake = &self.handshakes[at];
        let presented = match settings.credentials {
            Credentials::Keys => None,
            _ => Some(handshake.credential.complete()?),
        };
        handshake.register.complete()?;
        debug_assert_ne!(presented, Some(LasanKind::Register));
        let registrant = self.roster.of(index)?;
        let mut meter = RecordedOperations::new();
        let known = self.ecu_key(&mut meter, registrant, &handshake.credential);
        let own = self.own_validity();
        let (key, rests_until) = match known.and_then(|(key, last)| Ok((key, last.min(own?)))) {
            Ok(known) => known,
            Err(failure) => {
                meter
                    .drain()
                    .for_each(|done| self.station.worker.meter.record(done));
                return Some(Later::Failed(at, failure));
            }
        };
        let digest = transcript::key_digest(&mut meter, key);
        let named = Named {
            address: registrant.address,
            name: registrant.name,
            key: &digest,
        };
        let (answer, signature) = handshake
            .register
            .bytes()
            .split_at_checked(self.suite.sizes().answer)?;
        let nonce = &handshake.nonce;
        let register = transcript::register(&mut meter, &self.startup_digest, named, nonce, answer);
        let verified = match (registrant.may_have(&digest), settings.profile) {
            (false, _) => Err(HandshakeFailure::Key),
            (true, LasanProfile::Hardened) => {
                let verified = self.suite.verify(&mut meter, key, &register, signature);
                verified.map_err(HandshakeFailure::Signature)
            }
            (true, _) => Ok(()),
        };
        meter
            .drain()
            .for_each(|done| self.station.worker.meter.record(done));
        let handshake = &mut self.handshakes[at];
        (handshake.rests_until, handshake.key_digest) = (rests_until, digest);
        Some(match verified {
            Ok(()) => Later::Verified(at, register),
            Err(failure) => Later::Failed(at, failure),
        })
    }

    /// Returns until when the security module's own certificate holds.
    fn own_validity(&self) -> Result<NetworkTime, HandshakeFailure> {
        let validity = credential::own_validity(&self.directory, self.station.me);
        let time = self.directory.settings().time(self.now);
        let valid = validity.check(time).map_err(HandshakeFailure::Certificate);
        valid.map(|()| validity.last)
    }

    /// Completes the agreement and makes the answer.
    fn answer(&mut self, at: usize, index: usize) -> Option<Later<S>> {
        let compact = self.directory.settings().profile == LasanProfile::Compact;
        let random = self.station.entropy.draw();
        let registrant = self.roster.of(index)?;
        let handshake = &mut self.handshakes[at];
        let Phase::Verified(register) = &handshake.phase else {
            return None;
        };
        let register = *register;
        let meter = &mut self.station.worker.meter;
        let sizes = self.suite.sizes();
        let answer = handshake.register.bytes().get(..sizes.answer)?;
        let secret = match self.suite.finish(meter, self.pending.as_ref()?, answer) {
            Ok(secret) => secret,
            Err(error) => return Some(Later::Failed(at, HandshakeFailure::Agreement(error))),
        };
        let (mut challenge, mut length) = (None, 0);
        if compact {
            // It was checked when the registration was, and nothing has changed since.
            let credential = handshake.credential.bytes();
            let key = presented_key(&self.directory, sizes, registrant.address, credential);
            let out = &mut handshake.outgoing;
            match self.suite.answer(meter, key, &random, out) {
                Ok(secret) => challenge = Some(secret),
                Err(error) => return Some(Later::Failed(at, HandshakeFailure::Agreement(error))),
            }
            length = sizes.answer;
        }
        let (sent, rest) = handshake.outgoing.split_at_mut_checked(length)?;
        let agreed = transcript::agreed(meter, &register, sent);
        let keys = transcript::keys(meter, &agreed, &secret, challenge.as_ref());
        let proof = transcript::proof(meter, &keys.proofs[0], &agreed);
        rest.get_mut(..PROOF_LENGTH)?.copy_from_slice(&proof);
        handshake.lengths = [length + PROOF_LENGTH, 0];
        let expected = Some((keys.proofs[1].duplicate(), agreed));
        let session = Session::of_module(keys, handshake.registered);
        Some(Later::Answered(at, Answered { session, expected }))
    }

    pub(super) fn settle_answered(&mut self, at: usize, answered: Answered) {
        self.handshakes[at].phase = Phase::Answered(answered);
        self.send_handshake(at, LasanKind::ModuleConfirmation, Kept::Handshake(at as u8));
    }

    pub(super) fn send_handshake(&mut self, at: usize, kind: LasanKind, kept: Kept) {
        let index = self.handshakes[at].ecu;
        let registrant = index.and_then(|index| self.roster.of(index));
        if let Some(registrant) = registrant {
            let settings = self.directory.settings();
            let header = self.station.header(settings, kind, registrant.address);
            self.station.outbox.push(header, Content::Kept(kept));
        }
    }

    /// Checks an ECU's proof that it has the key.
    pub(super) fn take_proof(&mut self, index: usize) -> Option<Later<S>> {
        if self.directory.settings().profile.is_as_published() {
            return self.take_proof_as_published(index);
        }
        let registrant = self.roster.of(index)?;
        let received = registrant.short.bytes();
        if registrant.proof.is_some_and(|proof| proof == *received) {
            // It did not receive the acknowledgement of its proof.
            return self.acknowledge(index);
        }
        let at = self.handshake_of(index)?;
        let Phase::Answered(answered) = &self.handshakes[at].phase else {
            return None;
        };
        let (key, agreed) = answered.expected.as_ref()?;
        let meter = &mut self.station.worker.meter;
        let proved = transcript::verify_proof(meter, key, agreed, received);
        Some(match proved {
            Ok(()) => Later::Authenticated(at, received.try_into().ok()),
            Err(_) => Later::Failed(at, HandshakeFailure::Proof),
        })
    }

    pub(super) fn settle_authenticated(&mut self, at: usize, proof: Option<[u8; PROOF_LENGTH]>) {
        let handshake = &mut self.handshakes[at];
        let Some(index) = handshake.ecu else {
            return;
        };
        let (settings, key_digest) = (self.directory.settings(), handshake.key_digest);
        let session_end = settings.end_of(handshake.rests_until);
        if session_end <= self.now {
            let expired = HandshakeFailure::Certificate(CertificateError::Expired);
            return self.settle_failed(at, expired);
        }
        let phase = core::mem::replace(&mut handshake.phase, Phase::Awaited);
        let registering = handshake.registered.since(handshake.since);
        handshake.free();
        let (Phase::Answered(answered), Some(registrant)) = (phase, self.roster.of_mut(index))
        else {
            return;
        };
        let goes_over = registrant.session.is_some() && registrant.epoch != self.epoch;
        // A session of the epoch before may be that of an ECU which has been reset since: only the
        // ECU knows. As published it does not say.
        let published = settings.profile.is_as_published();
        let goes_on = registrant.has_keys || (published && goes_over);
        if goes_over {
            self.settled_at = self.now + settings.timing.authentication;
        }
        registrant.forget();
        registrant.proof = proof;
        registrant.session = Some(answered.session);
        (registrant.session_end, registrant.registering) = (session_end, registering);
        registrant.epoch = self.epoch;
        (registrant.strikes, registrant.not_before) = (0, self.now);
        let address = registrant.address;
        if !settings.profile.is_as_published() {
            self.roster.note_key(index, &key_digest);
        }
        self.events.push(ModuleEvent::Authenticated(address));
        self.join_streams(address, goes_on);
        self.later = self.acknowledge(index);
    }

    /// Shows an ECU that it has been believed, and says when the session is over, which it may have
    /// no other means to know.
    fn acknowledge(&mut self, index: usize) -> Option<Later<S>> {
        let settings = self.directory.settings();
        if settings.profile.is_as_published() {
            return None;
        }
        let registrant = self.roster.of_mut(index)?;
        let header = self
            .station
            .header(settings, LasanKind::Acknowledge, registrant.address);
        let session_end = registrant.session_end;
        let session = registrant.session.as_mut()?;
        let end = session.offset(session_end);
        let millis = end.map_or(0, |end| (end.as_nanos() / 1_000_000).max(1));
        let mut lifetime = [0; 8];
        lifetime[4..].copy_from_slice(&u32::try_from(millis).unwrap_or(0).to_be_bytes());
        let sealed = self.station.seal(session, &header, &lifetime)?;
        Some(Later::Send(header, sealed))
    }

    /// Returns the key that an ECU has to be proved by, and until when it does.
    fn ecu_key<'b>(
        &'b self,
        meter: &mut impl Meter,
        registrant: &Registrant,
        credential: &'b Assembly<Storage<'_, u8>>,
    ) -> Result<(&'b [u8], NetworkTime), HandshakeFailure> {
        let (settings, sizes) = (self.directory.settings(), self.suite.sizes());
        let bytes = credential.bytes();
        if !by_certificate(settings) {
            let shown = presented_key(&self.directory, sizes, registrant.address, bytes);
            return Ok((shown, NetworkTime::MAX));
        }
        let presented = Presented {
            name: registrant.name,
            role: SubjectRole::Ecu,
            key_length: key_length(settings.profile, sizes),
            authority: self.directory.authority(),
            time: Some(settings.time(self.now)),
            enrolled: &[],
        };
        let known = credential::key(&self.suite, meter, settings, bytes, &presented);
        known.map(|(key, validity)| (key, validity.last))
    }
}
