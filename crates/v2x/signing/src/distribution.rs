//! Certificates from station to station \[1609.2 §8\], \[TS 103 097 §7.1.1\]: ask for those that
//! are missing, answer who asks, learn what verifies.
//!
//! A certificate is asked for until the verifier knows it, however it came. One in a message that
//! was refused does not count: an attacker can put another station's certificate into a message
//! that does not verify, and must not end the requests for it by that.
//!
//! The own certificate goes into the next message after a request for it, and after a CAM of a
//! ticket that was not known \[TS 103 097 §7.1.1\]: its station may be new, and lack it.
//!
//! `Choice:` a ticket is unknown if the verifier did not know its certificate when the CAM came,
//! whether the CAM names it or brings it. The profile's words fit both, and a station that comes
//! into reach begins with a CAM that brings it. The rule holds for all applications that ask in
//! their headers, as [`SendingProfile::of`](crate::SendingProfile::of) has them, and not for basic
//! safety messages, whose certificates come twice a second by themselves.
//!
//! Two stations whose authorities do not know each other can only verify each other after one of
//! them has answered a request that it cannot verify. So requests are heard before they verify, and
//! what they buy is bounded here: each certificate is given at most once in a while, after a random
//! pause, and not if others gave it meanwhile.
//!
//! ETSI's messages carry requests and certificates in their own header (`inlineP2pcdRequest`,
//! `requestedCertificate`). In America a message asks by `p2pcdLearningRequest`, and the answer is
//! a message of its own, `Ieee1609dot2Peer2PeerPDU`: [`CertificateDistribution::take_response`].

mod attempts;
mod missing;
mod observation;
mod own;

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_v2x_security::store::{CertificateStore, Verified};
use waywarden_v2x_security::{Accepted, Refusal, Verifier};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId3, HashedId8, HeaderInfo, Ieee1609Dot2Peer2PeerPdu, Peer2PeerContent, Time64, Version1,
};

use self::attempts::Attempts;
use self::missing::MissingCertificates;
pub use self::observation::{Observation, OfferOutcome, OfferedCertificate};
pub use self::own::OwnCertificates;
use crate::profile::CertificateExchange;
use crate::seed::Seed;
use crate::throttle::Throttle;
use crate::written::written;

/// A certificate that others miss.
#[derive(Clone, Debug)]
struct Answer {
    certificate: Arc<Verified>,
    due: Time64,
    /// Number of other stations that gave it since it was requested.
    given_by_others: u8,
}

/// Parts of a message of this station that are for other stations.
#[derive(Clone, Debug, Default)]
pub struct MessageAdditions {
    /// For `inlineP2pcdRequest`, or one for `p2pcdLearningRequest`.
    pub requests: Vec<HashedId3>,
    /// For `requestedCertificate`.
    pub certificate: Option<Arc<Verified>>,
    /// The signer's own certificate is to be in the message: a receiver needs it.
    pub with_own_certificate: bool,
}

/// Requests and answers of a station: one for each radio, however many certificates it signs
/// with. Its memory is bounded by [`Throttle::requests_max`], beside the own certificates.
///
/// A message costs at most one signature, and [`hear`](Self::hear) leaves that to the caller, who
/// need not hold a lock for it. What the message names is looked up; nothing is searched that grows
/// with the own certificates or the known ones.
#[derive(Clone, Debug, Default)]
pub struct CertificateDistribution {
    throttle: Throttle,
    own: OwnCertificates,
    missing: MissingCertificates,
    answers: BTreeMap<HashedId3, Answer>,
    /// Time at which each certificate was given last.
    given: BTreeMap<HashedId3, Time64>,
    /// Certificates that were offered and tried, so that the same bytes cost one signature.
    attempts: Attempts,
    /// Changes of the known certificates when the missing ones were last compared with them.
    seen_changes: Option<u64>,
    draws: u32,
}

impl CertificateDistribution {
    /// Asks and answers so much.
    #[must_use]
    pub fn new(throttle: Throttle) -> Self {
        Self {
            throttle,
            ..Self::default()
        }
    }

    /// Signs with these certificates from now on; returns those of before.
    pub fn set_own(&mut self, own: OwnCertificates) -> OwnCertificates {
        core::mem::replace(&mut self.own, own)
    }

    /// Tries certificates again that were wrong: other authorities may be known now.
    pub fn forget_attempts(&mut self) {
        self.attempts = Attempts::default();
    }

    /// Takes note of a received message and of the verifier's verdict on it: asks for what it
    /// lacks, no longer asks for what the verifier knows by now, hears what the message asks, and
    /// learns the certificate that it brings, if that was asked for and verifies. Returns the
    /// certificate that was learnt: messages that were refused for want of it can be verified now.
    ///
    /// Bounded: at most one signature, for a certificate that was asked for and not tried before,
    /// and `requests_max` look-ups for requests of either side.
    pub fn observe(
        &mut self,
        verifier: &mut Verifier,
        message: &[u8],
        verdict: Result<&Accepted<'_>, &Refusal>,
        now: (Time64, &Seed),
    ) -> Option<Arc<Verified>> {
        let observation = Observation::of(message, verdict)?;
        let offered = self.hear(verifier.store(), &observation, now)?;
        self.learn(verifier, offered).ok()
    }

    /// Does what [`observe`](Self::observe) does, but for verifying and learning: returns the
    /// certificate that is worth it. [`OfferedCertificate::prepare`] gives its signature, and
    /// [`conclude`](Self::conclude) takes the outcome. In between the same bytes are not returned
    /// again. Verifies nothing; at most `requests_max` look-ups for requests of either side.
    pub fn hear<'o, 'm>(
        &mut self,
        known: &CertificateStore,
        observation: &'o Observation<'m>,
        (now, seed): (Time64, &Seed),
    ) -> Option<&'o OfferedCertificate<'m>> {
        self.forget_old(now);
        if let Some(missing) = observation.missing {
            let most = self.throttle.requests_max;
            self.missing.want(missing, known, most, (now, seed));
        }
        if observation.is_of_unknown_station() {
            self.own.met_unknown_station();
        }
        if self.seen_changes.replace(known.changes()) != Some(known.changes()) {
            self.missing.forget_known(known);
        }
        self.hear_requests(&observation.header, known, (now, seed));
        let offered = observation.brought.as_ref()?;
        self.is_worth_verifying(offered).then_some(offered)
    }

    /// Takes what became of a certificate that [`hear`](Self::hear) returned.
    pub fn conclude(&mut self, offered: &OfferedCertificate<'_>, outcome: OfferOutcome) {
        match outcome {
            OfferOutcome::Learnt => {
                self.missing.remove(offered.id());
                self.attempts.forget(&offered.whole);
            }
            OfferOutcome::Wrong => {}
            OfferOutcome::Undecided => self.attempts.forget(&offered.whole),
        }
    }

    /// Learns from an answer that came as a message of its own, `Ieee1609dot2Peer2PeerPDU`; returns
    /// the certificates that were learnt. Bounded: at most one signature for each certificate that
    /// was asked for, and what follows a wrong one is not read.
    pub fn observe_response(&mut self, verifier: &mut Verifier, pdu: &[u8]) -> Vec<Arc<Verified>> {
        let Ok(pdu) = parse::<Ieee1609Dot2Peer2PeerPdu<'_>>(pdu) else {
            return Vec::new();
        };
        let Peer2PeerContent::CaCerts(certificates) = &pdu.content else {
            return Vec::new();
        };
        let certificates = certificates.iter().flatten();
        let certificates = certificates.take(self.throttle.requests_max);
        let mut learnt = Vec::new();
        for offered in certificates.filter_map(|one| OfferedCertificate::of(&one)) {
            if !self.is_worth_verifying(&offered) {
                continue;
            }
            match self.learn(verifier, &offered) {
                Ok(certificate) => learnt.push(certificate),
                Err(OfferOutcome::Wrong) => break,
                Err(_) => {}
            }
        }
        learnt
    }

    /// Returns the answer that is due, as a message of its own: an `Ieee1609dot2Peer2PeerPDU` with
    /// one certificate.
    pub fn take_response(&mut self, now: Time64) -> Option<Vec<u8>> {
        self.forget_old(now);
        let certificate = self.due_answer(now)?;
        let certificates = [certificate.view().ok()?];
        let pdu = Ieee1609Dot2Peer2PeerPdu {
            version: Version1,
            content: Peer2PeerContent::CaCerts(SequenceOf::new(&certificates)?),
        };
        written(&pdu).ok()
    }

    /// Hears what a message asks for: this station's certificate, or one above it.
    fn hear_requests(
        &mut self,
        header: &HeaderInfo<'_>,
        known: &CertificateStore,
        (now, seed): (Time64, &Seed),
    ) {
        let inline = header.inline_p2pcd_request.iter().flatten().flatten();
        let asked = inline.chain(header.p2pcd_learning_request);
        for id in asked.take(self.throttle.requests_max) {
            if self.own.ask(id) {
                continue;
            }
            // Authorities alone are given: one above an own certificate, or another that is kept. A
            // trust anchor is nothing that a stranger can give.
            let mut kept = known.kept_by_ending(id);
            let kept = kept.find(|one| one.issuer().is_some());
            let Some(certificate) = self.own.issuer(id).or(kept) else {
                continue;
            };
            let timeout = self.throttle.response_active_timeout;
            let is_active = |given: &Time64| now.0 < given.0.saturating_add(timeout);
            let is_full = self.answers.len() >= self.throttle.requests_max;
            if is_full || self.given.get(&id).is_some_and(is_active) {
                continue;
            }
            self.draws = self.draws.wrapping_add(1);
            let pause = u64::from_be_bytes(*seed.derive("response backoff", self.draws));
            let pause = pause % self.throttle.max_response_backoff.max(1);
            self.answers.entry(id).or_insert_with(|| Answer {
                certificate: Arc::clone(certificate),
                due: Time64(now.0.saturating_add(pause)),
                given_by_others: 0,
            });
        }
    }

    /// Takes note that others gave a certificate. Returns true if it was asked for, and was not
    /// tried before.
    fn is_worth_verifying(&mut self, offered: &OfferedCertificate<'_>) -> bool {
        let ending = offered.digest.id_3();
        // All of the hash: another certificate with the same last bytes is made in seconds.
        if let Some(answer) = self.answers.get_mut(&ending)
            && *answer.certificate.digest() == offered.digest
        {
            answer.given_by_others = answer.given_by_others.saturating_add(1);
            if answer.given_by_others >= self.throttle.response_count_threshold {
                self.answers.remove(&ending);
            }
        }
        self.missing.has(offered.id()) && self.attempts.begin(offered.whole)
    }

    /// Verifies and learns a certificate.
    fn learn(
        &mut self,
        verifier: &mut Verifier,
        offered: &OfferedCertificate<'_>,
    ) -> Result<Arc<Verified>, OfferOutcome> {
        let learnt = offered.prepare(verifier).and_then(|mut prepared| {
            prepared.verify();
            verifier.learn_prepared(prepared)
        });
        let outcome = OfferOutcome::from(&learnt);
        self.conclude(offered, outcome);
        learnt.map_err(|_| outcome)
    }

    /// Returns what the next message carries, which is signed now with the certificate `own`.
    /// `own_is_due` says that it carries that by the rule of its application. One's own certificate
    /// and another do not go into one message: then the other one goes with the next, whose own
    /// yields. Where answers are messages of their own, `exchange` says so and the message brings
    /// none.
    pub fn take(
        &mut self,
        own: HashedId8,
        now: Time64,
        exchange: CertificateExchange,
        own_is_due: bool,
    ) -> MessageAdditions {
        if exchange == CertificateExchange::None {
            return MessageAdditions {
                with_own_certificate: own_is_due,
                ..MessageAdditions::default()
            };
        }
        self.forget_old(now);
        let again = self.throttle.request_active_timeout;
        let most = match exchange {
            CertificateExchange::Separate => 1,
            _ => usize::MAX,
        };
        let requests = self.missing.ask(now, again, most);
        let with_own = own_is_due || self.own.is_wanted(own);
        let yields = self.own.yields(own);
        let is_inline = exchange == CertificateExchange::Inline;
        if is_inline && with_own && !yields && self.has_due_answer(now) {
            self.own.set_yields(own, true);
        } else if is_inline
            && (yields || !with_own)
            && let Some(certificate) = self.due_answer(now)
        {
            self.own.set_yields(own, false);
            return MessageAdditions {
                requests,
                certificate: Some(certificate),
                with_own_certificate: false,
            };
        }
        if with_own {
            self.own.show(own);
        }
        MessageAdditions {
            requests,
            certificate: None,
            with_own_certificate: with_own,
        }
    }

    fn has_due_answer(&self, now: Time64) -> bool {
        self.answers.values().any(|answer| answer.due <= now)
    }

    fn due_answer(&mut self, now: Time64) -> Option<Arc<Verified>> {
        let due = self.answers.iter().find(|(_, answer)| answer.due <= now);
        let id = *due?.0;
        let answer = self.answers.remove(&id)?;
        self.given.insert(id, now);
        Some(answer.certificate)
    }

    /// Returns the missing certificates.
    pub fn wanted(&self) -> impl Iterator<Item = HashedId3> {
        self.missing.endings()
    }

    fn forget_old(&mut self, now: Time64) {
        let Throttle {
            request_lifetime,
            response_active_timeout,
            ..
        } = self.throttle;
        let is_young = |since: Time64, most: u64| now.0.saturating_sub(since.0) < most;
        self.missing.forget_old(now, request_lifetime);
        self.given
            .retain(|_, given| is_young(*given, response_active_timeout));
        self.answers
            .retain(|_, answer| is_young(answer.due, request_lifetime));
    }
}
