//! Turns of ECUs: invitations in rotation, pauses after failures, and the end of handshakes that
//! take too long.

use waywarden_work::Instant;

use super::super::certificate::CertificateError;
use super::super::event::{HandshakeFailure, ModuleEvent};
use super::super::identifier::LasanKind;
use super::super::length::NONCE_LENGTH;
use super::super::outbox::Kept;
use super::super::profile::Credentials;
use super::super::settings::PartyDirectory;
use super::super::suites::LasanSuite;
use super::{SecurityModule, Start};

/// The most strikes that are counted: from there on the pause does not grow.
const STRIKES_MAX: u8 = 16;

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'_, S, D> {
    /// Gives turns to those who asked for one, as long as there is room.
    pub(super) fn invite(&mut self) {
        let settings = self.directory.settings();
        if settings.profile.is_as_published() || self.start != Start::Running {
            return;
        }
        for _ in 0..self.handshakes.len() {
            let sending = |at: usize| self.station.outbox.holds(Kept::Handshake(at as u8));
            let mut places = self.handshakes.iter().enumerate();
            let place = places.position(|(at, one)| one.ecu.is_none() && !sending(at));
            let (Some(place), true) = (place, self.station.outbox.room() >= 2) else {
                return;
            };
            let Some(index) = self.next_to_invite() else {
                return;
            };
            let mut nonce = [0; NONCE_LENGTH];
            let random = self.station.entropy.draw();
            nonce.copy_from_slice(&random.as_bytes()[..NONCE_LENGTH]);
            self.handshakes[place].begin(index, self.now, nonce);
            self.turn = (index + 1) % self.roster.len();
            let Some(registrant) = self.roster.of_mut(index) else {
                return;
            };
            registrant.wants_turn = false;
            let target = registrant.address;
            let settings = self.directory.settings();
            let header = self.station.header(settings, LasanKind::Invite, target);
            let mut message = [0; NONCE_LENGTH + 1];
            message[..NONCE_LENGTH].copy_from_slice(&nonce);
            message[NONCE_LENGTH] = u8::from(settings.credentials != Credentials::Keys);
            self.station.outbox.push_short(header, &message);
        }
    }

    /// Returns who is next, going round, so that an ECU that asks again and again does not keep
    /// others out.
    fn next_to_invite(&self) -> Option<usize> {
        let mut turns = (0..self.roster.len()).map(|turn| (self.turn + turn) % self.roster.len());
        turns.find(|&index| {
            let one = self.roster.of(index);
            one.is_some_and(|one| one.wants_turn && one.not_before <= self.now)
                && self.handshake_of(index).is_none()
        })
    }

    /// Returns the time from which an ECU that had to wait may be invited.
    pub(super) fn next_turn(&self) -> Option<Instant> {
        let free =
            self.start == Start::Running && self.handshakes.iter().any(|one| one.ecu.is_none());
        let waiting = self.roster.iter().filter(|(_, one)| one.wants_turn);
        let times = waiting.map(|(_, one)| one.not_before);
        times.filter(|&at| free && at > self.now).min()
    }

    pub(super) fn settle_failed(&mut self, at: usize, failure: HandshakeFailure) {
        let Some(index) = self.handshakes[at].ecu else {
            return;
        };
        self.handshakes[at].free();
        let strikes = self.roster.of(index).map_or(0, |one| one.strikes);
        let pause = self.pause(strikes);
        if let Some(registrant) = self.roster.of_mut(index) {
            registrant.strikes = (strikes + 1).min(STRIKES_MAX);
            registrant.not_before = self.now + pause;
            let ecu = registrant.address;
            self.events.push(ModuleEvent::Failed { ecu, failure });
        }
    }

    /// Ends the sessions that rest on a certificate which is over.
    fn check_sessions(&mut self) {
        for index in 0..self.roster.len() {
            let Some(registrant) = self.roster.of(index) else {
                continue;
            };
            let (ecu, end) = (registrant.address, registrant.session_end);
            if end <= self.now {
                self.forget_ecu(index, ecu);
                let failure = HandshakeFailure::Certificate(CertificateError::Expired);
                self.events.push(ModuleEvent::Failed { ecu, failure });
            }
        }
    }

    /// Returns the time of the next end of a session by the end of a certificate.
    pub(super) fn next_session_end(&self) -> Option<Instant> {
        let ends = self.roster.iter().map(|(_, one)| one.session_end);
        ends.min().filter(|&end| end < Instant::MAX)
    }

    pub(super) fn time_out(&mut self) {
        let patience = self.directory.settings().timing.authentication;
        for at in 0..self.handshakes.len() {
            let handshake = &self.handshakes[at];
            let begun = handshake.since.max(self.held_up);
            let late = handshake.ecu.is_some() && begun + patience <= self.now;
            // What its work comes to is waited for.
            if late && self.later.is_none() {
                self.settle_failed(at, HandshakeFailure::Timeout);
            }
        }
        self.check_sessions();
        self.check_windows();
    }
}
