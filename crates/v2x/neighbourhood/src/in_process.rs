//! The security services in the process of the station: no socket, no thread.

use std::time::{Duration, Instant};

use waywarden_v2x_payload::{SignedPayload, check, check_accepted};
use waywarden_v2x_security::region::Borders;
use waywarden_v2x_security::{Accepted, IncomingMessage, Refusal, StartTime, Verifier};
use waywarden_v2x_signing::{MessageSigner, SendingProfile, Statement};
use waywarden_v2x_station::StationMessage;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Ieee1609Dot2Content, Psid, Time64};

use crate::security::{
    IdentitySource, NoCertificate, NotSigned, ReceptionVerdict, SecurityServices, StationIdentity,
    Timings,
};
use crate::seeds::EndlessSeeds;

/// Use of certificates by a station that signs \[ECQV-CITS §IV\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CertificateUse {
    /// It signs many messages with one certificate.
    #[default]
    DirectSender,
    /// It takes a new certificate for each message.
    FullSender,
}

/// Signs with a [`MessageSigner`] and verifies with a [`Verifier`], both of this station alone.
pub struct InProcess {
    role: CertificateUse,
    source: Box<dyn IdentitySource>,
    sender: MessageSigner,
    identity: StationIdentity,
    verifier: Verifier,
    /// Start of the station, if the verifier has one.
    start: Option<StartTime>,
    checks_payload: bool,
    seeds: EndlessSeeds,
    timings: Timings,
}

impl InProcess {
    /// Signs with the certificates of a source, the first of which is taken now, and verifies with
    /// the verifier. `seed` is 32 bytes of a random generator.
    ///
    /// # Errors
    /// [`NoCertificate`] of the source.
    pub fn new(
        role: CertificateUse,
        mut source: Box<dyn IdentitySource>,
        verifier: Verifier,
        now: Time64,
        seed: [u8; 32],
    ) -> Result<Self, NoCertificate> {
        let mut timings = Timings::default();
        let identity = timed(&mut timings, &mut *source, now)?;
        let mut services = Self {
            role,
            source,
            sender: MessageSigner::new(identity.credential.clone()),
            identity,
            start: verifier.start().map(StartTime::new),
            verifier,
            checks_payload: true,
            seeds: EndlessSeeds::new(seed),
            timings,
        };
        services.learn_own();
        Ok(services)
    }

    /// Knows its own certificate, as long as it signs many messages with it: what comes in its name
    /// is then found to be forged, and nothing is asked of others for it.
    fn learn_own(&mut self) {
        if self.role == CertificateUse::DirectSender {
            let own = self.identity.credential.certificate();
            // Of an authority that it does not know itself, messages are refused as before.
            let _ = self.verifier.learn_certificate(own.bytes());
        }
    }

    /// Changes how the sender's messages are made, before the first one.
    #[must_use]
    pub fn with_sender(mut self, change: impl FnOnce(MessageSigner) -> MessageSigner) -> Self {
        self.sender = change(self.sender);
        self
    }

    /// Accepts messages whatever their payloads say beside the certificate of their signer.
    #[must_use]
    pub fn without_payload_check(mut self) -> Self {
        self.checks_payload = false;
        self
    }

    /// Returns the verifier.
    #[must_use]
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    fn observe(
        &mut self,
        received: &IncomingMessage<'_, '_>,
        verdict: &Result<Accepted<'_>, Refusal>,
    ) {
        let now = received.context.now;
        let seed = self.seeds.next();
        // What it learns helps the next message of the sender; they come ten times a second.
        let (message, verdict) = (received.message, verdict.as_ref());
        let _ = self
            .sender
            .observe(&mut self.verifier, message, verdict, (now, &seed));
    }
}

/// Takes the next certificate, with how long that takes.
fn timed(
    timings: &mut Timings,
    source: &mut dyn IdentitySource,
    now: Time64,
) -> Result<StationIdentity, NoCertificate> {
    let begun = Instant::now();
    let identity = source.next(now)?;
    Timings::push(&mut timings.certificate, begun.elapsed());
    Ok(identity)
}

impl SecurityServices for InProcess {
    fn sign(&mut self, message: &StationMessage, now: Time64) -> Result<Vec<u8>, NotSigned> {
        if self.role == CertificateUse::FullSender {
            let changed = self.change_certificate(now);
            changed.map_err(|error| NotSigned(error.to_string()))?;
        }
        let begun = Instant::now();
        let statement = Statement {
            psid: message.psid,
            payload: &message.payload,
            location: Some(message.location),
        };
        let seed = self.seeds.next();
        let store = &mut *self.identity.store;
        let signed = self.sender.send(store, &statement, now, &seed);
        let signed = signed.map_err(|error| NotSigned(error.to_string()))?;
        Timings::push(&mut self.timings.sign, begun.elapsed());
        Ok(signed)
    }

    fn verify(&mut self, received: &[IncomingMessage<'_, '_>]) -> Vec<ReceptionVerdict> {
        let begun = Instant::now();
        let verdicts = self.verifier.verify_many(received);
        Timings::push(&mut self.timings.verify, (begun.elapsed(), received.len()));
        for (received, verdict) in received.iter().zip(&verdicts) {
            self.observe(received, verdict);
        }
        let borders = self.checks_payload.then(|| self.verifier.borders());
        let verdicts = verdicts.into_iter();
        verdicts.map(|one| verdict(one, borders)).collect()
    }

    fn change_certificate(&mut self, now: Time64) -> Result<HashedId8, NoCertificate> {
        self.identity = timed(&mut self.timings, &mut *self.source, now)?;
        let credential = self.identity.credential.clone();
        let id = credential.id();
        self.sender.change_credential(credential);
        self.learn_own();
        Ok(id)
    }

    fn observe_clock(&mut self, elapsed: Duration, now: Time64, is_trusted: bool) {
        let start = self.start.as_mut();
        let changed = start.and_then(|start| start.observe(elapsed, now, is_trusted));
        if changed.is_some() {
            self.verifier.set_start(changed);
        }
    }

    fn certificate(&self) -> Option<HashedId8> {
        Some(self.identity.credential.id())
    }

    fn valid_until(&self) -> Option<Time64> {
        let (_, end) = self.identity.credential.certificate().validity();
        // A full sender takes another one for each message anyway.
        (self.role == CertificateUse::DirectSender).then_some(end)
    }

    fn objection(&self, psid: Psid, message: &[u8]) -> Option<String> {
        let credential = &self.identity.credential;
        if !credential.permits(psid) {
            return Some("its appPermissions do not have the application".to_owned());
        }
        let certificate = credential.certificate();
        let own = certificate.view().ok()?.to_be_signed.app_permissions?;
        let own = own.iter().flatten().find(|one| one.psid == psid)?;
        let signed = SignedPayload {
            psid,
            payload: Some(message),
            ssp: own.ssp,
            region: certificate.region(),
            has_generation_location: SendingProfile::of(psid).with_location,
        };
        check(&signed, self.verifier.borders()).failure_text()
    }

    fn timings(&self) -> &Timings {
        &self.timings
    }
}

fn verdict(
    verdict: Result<Accepted<'_>, Refusal>,
    borders: Option<&dyn Borders>,
) -> ReceptionVerdict {
    match verdict {
        Ok(accepted) => {
            let check = borders.map(|borders| check_accepted(&accepted, borders));
            if let Some(check) = check.as_ref().filter(|check| !check.failures.is_empty()) {
                return ReceptionVerdict::PayloadRefused {
                    reason: check.to_string(),
                };
            }
            ReceptionVerdict::Accepted {
                signer: accepted.signer.id(),
                psid: accepted.data.tbs_data.header_info.psid,
                payload: payload(&accepted).unwrap_or_default().to_vec(),
                payload_check: check.map(|check| check.name()),
            }
        }
        Err(refusal) => ReceptionVerdict::Refused {
            code: refusal.code,
            reason: refusal.to_string(),
        },
    }
}

fn payload<'m>(accepted: &Accepted<'m>) -> Option<&'m [u8]> {
    let data = accepted.data.tbs_data.payload.data.as_ref()?;
    match data.view().ok()?.content {
        Ieee1609Dot2Content::Unsecured(payload) => Some(payload),
        _ => None,
    }
}
