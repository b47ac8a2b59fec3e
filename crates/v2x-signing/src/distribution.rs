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
//! their headers, as [`SendingProfile::of`] has them, and not for basic safety messages, whose
//! certificates come twice a second by themselves.
//!
//! Two stations whose authorities do not know each other can only verify each other after one of
//! them has answered a request that it cannot verify. So requests are heard before they verify, and
//! what they buy is bounded here: each certificate is given at most once in a while, after a random
//! pause, and not if others gave it meanwhile.
//!
//! ETSI's messages carry requests and certificates in their own header (`inlineP2pcdRequest`,
//! `requestedCertificate`). In America a message asks by `p2pcdLearningRequest`, and the answer is
//! a message of its own, `Ieee1609dot2Peer2PeerPDU`: [`CertificateDistribution::take_response`].

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::store::{CertificateStore, Verified};
use waywarden_v2x_security::{Accepted, Refusal, ResultCode, Verifier};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId3, HashedId8, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data,
    Ieee1609Dot2Peer2PeerPdu, IssuerIdentifier, Peer2PeerContent, SignedData, SignerIdentifier,
    Time64, Version1,
};

use crate::profile::{CertificateExchange, SendingProfile};
use crate::seed::Seed;
use crate::throttle::Throttle;
use crate::written::written;

/// A certificate that is missing.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    since: Time64,
    /// When it was last asked for.
    asked: Option<Time64>,
}

/// A certificate that others miss.
#[derive(Clone, Debug)]
struct Answer {
    certificate: Arc<Verified>,
    due: Time64,
    /// How many others gave it since it was asked for.
    given_by_others: u8,
}

/// What a message of one's own carries for others.
#[derive(Clone, Debug, Default)]
pub struct Additions {
    /// For `inlineP2pcdRequest`, or one for `p2pcdLearningRequest`.
    pub requests: Vec<HashedId3>,
    /// For `requestedCertificate`.
    pub certificate: Option<Arc<Verified>>,
    /// The signer's own certificate is to be in the message: a receiver needs it.
    pub with_own_certificate: bool,
}

/// What a station asks and answers. Its memory is bounded by [`Throttle::requests_max`].
#[derive(Clone, Debug, Default)]
pub struct CertificateDistribution {
    throttle: Throttle,
    /// By the whole identifier: a certificate that another station made to share its last three
    /// bytes neither takes its place nor counts as its arrival.
    wanted: BTreeMap<HashedId8, Wanted>,
    answers: BTreeMap<HashedId3, Answer>,
    /// When each certificate was given last.
    given: BTreeMap<HashedId3, Time64>,
    own_is_wanted: bool,
    /// The last message carried the own certificate in place of an answer.
    own_yields: bool,
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

    /// Takes note of a received message and of the verifier's verdict on it: asks for what it
    /// lacks, no longer asks for what the verifier knows by now, hears what the message asks, and
    /// learns the certificate that it brings, if that was asked for and verifies. `own` is the
    /// certificate that the station signs with. Returns the certificate that was learnt: messages
    /// that were refused for want of it can be verified now.
    ///
    /// Bounded: at most one signature, for a certificate that was asked for, and `requests_max`
    /// look-ups for requests of either side.
    pub fn observe(
        &mut self,
        verifier: &mut Verifier,
        own: &Verified,
        message: &[u8],
        verdict: Result<&Accepted<'_>, &Refusal>,
        (now, seed): (Time64, &Seed),
    ) -> Option<Arc<Verified>> {
        let message: Ieee1609Dot2Data<'_> = parse(message).ok()?;
        let Ieee1609Dot2Content::Signed(data) = &message.content else {
            return None;
        };
        self.forget_old(now);
        let header = &data.tbs_data.header_info;
        let asks_in_header =
            SendingProfile::of(header.psid).exchange == CertificateExchange::Inline;
        let is_unknown = match verdict {
            Ok(accepted) => accepted.signer_is_new,
            Err(refusal) => self.want_missing(refusal, data, verifier.store(), (now, seed)),
        };
        self.own_is_wanted |= is_unknown && asks_in_header;
        self.stop_asking(verifier.store());
        self.hear_requests(header, verifier.store(), own, (now, seed));
        let brought = header.requested_certificate.as_ref()?.view().ok()?;
        self.learn(&brought, verifier)
    }

    /// Learns from an answer that came as a message of its own, `Ieee1609dot2Peer2PeerPDU`; returns
    /// the certificates that were learnt. Bounded: at most one signature for each certificate that
    /// was asked for.
    pub fn observe_response(&mut self, verifier: &mut Verifier, pdu: &[u8]) -> Vec<Arc<Verified>> {
        let Ok(pdu) = parse::<Ieee1609Dot2Peer2PeerPdu<'_>>(pdu) else {
            return Vec::new();
        };
        let Peer2PeerContent::CaCerts(certificates) = &pdu.content else {
            return Vec::new();
        };
        let certificates = certificates
            .iter()
            .take(self.throttle.requests_max)
            .flatten();
        let learnt = certificates.filter_map(|one| self.learn(&one, verifier));
        learnt.collect()
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

    /// Asks for what a refused message lacks. Returns true if it lacks a certificate.
    fn want_missing(
        &mut self,
        refusal: &Refusal,
        data: &SignedData<'_>,
        known: &CertificateStore,
        (now, seed): (Time64, &Seed),
    ) -> bool {
        let missing = match (refusal.code, &data.signer) {
            (ResultCode::ParsingCertificateNotFound, SignerIdentifier::Digest(id)) => Some(*id),
            (
                ResultCode::ChainNotEnoughInformationToConstructChain,
                SignerIdentifier::Certificate(chain),
            ) => chain.iter().flatten().last().and_then(|last| issuer(&last)),
            _ => None,
        };
        let Some(missing) = missing else {
            return false;
        };
        // Another message of the same batch may have brought it.
        if self.wanted.contains_key(&missing) || known.find(missing).is_some() {
            return true;
        }
        if self.wanted.len() >= self.throttle.requests_max {
            self.make_room(seed);
        }
        let since = now;
        self.wanted.insert(missing, Wanted { since, asked: None });
        true
    }

    /// Asks no longer for what is known by now.
    fn stop_asking(&mut self, known: &CertificateStore) {
        self.wanted.retain(|id, _| known.find(*id).is_none());
    }

    /// Forgets a certificate that is missing: the one that was asked for longest ago, or else any,
    /// so that an attacker cannot keep the places taken with hashes that belong to no certificate.
    fn make_room(&mut self, seed: &Seed) {
        let asked = self
            .wanted
            .iter()
            .filter_map(|(id, one)| Some((one.asked?, *id)));
        let longest_ago = asked.min().map(|(_, id)| id);
        let any = || {
            let draw = u64::from_be_bytes(*seed.derive("missing certificate", 0));
            let at = draw % (self.wanted.len() as u64).max(1);
            self.wanted.keys().nth(at as usize).copied()
        };
        if let Some(id) = longest_ago.or_else(any) {
            self.wanted.remove(&id);
        }
    }

    /// Hears what a message asks for: this station's certificate, or one above it.
    fn hear_requests(
        &mut self,
        header: &HeaderInfo<'_>,
        known: &CertificateStore,
        own: &Verified,
        (now, seed): (Time64, &Seed),
    ) {
        let inline = header.inline_p2pcd_request.iter().flatten().flatten();
        let asked = inline.chain(header.p2pcd_learning_request);
        for id in asked.take(self.throttle.requests_max) {
            if id == id_3(own.id()) {
                self.own_is_wanted = true;
                continue;
            }
            // Authorities alone are given: the one above, or another that is kept. A trust anchor
            // is nothing that a stranger can give.
            let above = own.issuer().into_iter().chain(known.kept());
            let mut above = above.filter(|one| one.issuer().is_some());
            let Some(certificate) = above.find(|one| id_3(one.id()) == id) else {
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

    /// Learns a certificate that was asked for, and takes note that others gave one.
    fn learn(
        &mut self,
        certificate: &Certificate<'_>,
        verifier: &mut Verifier,
    ) -> Option<Arc<Verified>> {
        let bytes = certificate.bytes()?;
        let digest = certificate_digest(certificate)?;
        let id = id_3(digest.id_8());
        // All of the hash: another certificate with the same last bytes is made in seconds.
        if let Some(answer) = self.answers.get_mut(&id)
            && *answer.certificate.digest() == digest
        {
            answer.given_by_others = answer.given_by_others.saturating_add(1);
            if answer.given_by_others >= self.throttle.response_count_threshold {
                self.answers.remove(&id);
            }
        }
        let whole = digest.id_8();
        self.wanted.contains_key(&whole).then_some(())?;
        let learnt = verifier.learn_certificate(bytes).ok()?;
        self.wanted.remove(&whole);
        Some(learnt)
    }

    /// Returns what the next message carries, which is sent now. `own_is_due` says that it carries
    /// the signer's own certificate by the rule of its application. One's own certificate and
    /// another do not go into one message: then the other one goes with the next, whose own yields.
    /// Where answers are messages of their own, `exchange` says so and the message brings none.
    pub fn take(
        &mut self,
        now: Time64,
        exchange: CertificateExchange,
        own_is_due: bool,
    ) -> Additions {
        if exchange == CertificateExchange::None {
            return Additions {
                with_own_certificate: own_is_due,
                ..Additions::default()
            };
        }
        self.forget_old(now);
        let requests = self.due_requests(now, exchange);
        let with_own = own_is_due || self.own_is_wanted;
        let is_inline = exchange == CertificateExchange::Inline;
        if is_inline && with_own && !self.own_yields && self.has_due_answer(now) {
            self.own_yields = true;
        } else if is_inline
            && (self.own_yields || !with_own)
            && let Some(certificate) = self.due_answer(now)
        {
            self.own_yields = false;
            return Additions {
                requests,
                certificate: Some(certificate),
                with_own_certificate: false,
            };
        }
        if with_own {
            self.own_is_wanted = false;
        }
        Additions {
            requests,
            certificate: None,
            with_own_certificate: with_own,
        }
    }

    /// What is asked for now.
    fn due_requests(&mut self, now: Time64, exchange: CertificateExchange) -> Vec<HashedId3> {
        let again = self.throttle.request_active_timeout;
        let is_due = |wanted: &Wanted| match wanted.asked {
            None => true,
            Some(asked) => now.0 >= asked.0.saturating_add(again),
        };
        let due = self.wanted.iter_mut().filter(|(_, wanted)| is_due(wanted));
        let most = match exchange {
            CertificateExchange::Separate => 1,
            _ => usize::MAX,
        };
        let requests = due.take(most).map(|(id, wanted)| {
            wanted.asked = Some(now);
            id_3(*id)
        });
        let mut requests: Vec<_> = requests.collect();
        requests.sort_unstable();
        requests.dedup();
        requests
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

    /// Returns which certificates are missing.
    pub fn wanted(&self) -> impl Iterator<Item = HashedId3> {
        self.wanted.keys().map(|id| id_3(*id))
    }

    fn forget_old(&mut self, now: Time64) {
        let Throttle {
            request_lifetime,
            response_active_timeout,
            ..
        } = self.throttle;
        let is_young = |since: Time64, most: u64| now.0.saturating_sub(since.0) < most;
        self.wanted
            .retain(|_, wanted| is_young(wanted.since, request_lifetime));
        self.given
            .retain(|_, given| is_young(*given, response_active_timeout));
        self.answers
            .retain(|_, answer| is_young(answer.due, request_lifetime));
    }
}

/// The last three bytes, by which certificates are asked for.
fn id_3(id: HashedId8) -> HashedId3 {
    let [.., one, two, three] = id.0;
    HashedId3([one, two, three])
}

/// What a certificate's issuer is called by.
fn issuer(certificate: &Certificate<'_>) -> Option<HashedId8> {
    match certificate.issuer {
        IssuerIdentifier::Sha256AndDigest(id) | IssuerIdentifier::Sha384AndDigest(id) => Some(id),
        IssuerIdentifier::SelfIssued(_) | IssuerIdentifier::Sm3AndDigest(_) => None,
    }
}
