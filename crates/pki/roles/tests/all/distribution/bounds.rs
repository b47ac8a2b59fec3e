//! Bounds against strangers: waiting answers, repetitions of each answer, and the part of a message
//! that is read.

use std::collections::BTreeMap;

use waywarden_testkit::cases;
use waywarden_v2x_signing::{CertificateDistribution, written};
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Ieee1609Dot2Peer2PeerPdu, Peer2PeerContent, Version1,
};

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::{Authority, Contents};
use waywarden_v2x_security::{ReceptionContext, Verifier};
use waywarden_v2x_signing::{Seed, Throttle};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{Duration, HashedId3, Time64};

use super::{START, Setup, Station, Store, cam, issued_by, request, root_of, station, time};

const AUTHORITIES: usize = 12;

fn id_3(authority: &Authority) -> HashedId3 {
    let [.., one, two, three] = authority.credential().id().0;
    HashedId3([one, two, three])
}

/// A root, authorities below it, a station of the first that knows all of them, and one that asks.
struct Scenario {
    setup: Setup,
    authorities: Vec<Authority>,
    giving: Station,
    asking: Station,
}

impl Scenario {
    fn new(test: &str) -> Self {
        let mut setup = Setup::new(test);
        let Setup { store, seeds, .. } = &mut setup;
        let root = root_of(store, seeds);
        let mut authorities = Vec::new();
        for number in 0..AUTHORITIES {
            // Each has a store of its own: the one of the stations has room for few keys.
            let mut own = Store::new();
            let key = own
                .generate(Curve::P256, Uses::SIGN, &seeds.next())
                .unwrap();
            let public = own.public_key(key).unwrap();
            let contents = Contents::new(START, Duration::Years(3));
            let contents = contents.named(&format!("authority {number}")).issuing_all();
            let certificate = root.issue(store, &contents, &public, seeds).unwrap();
            let chain = [&certificate[..], root.credential().certificate().bytes()];
            authorities.push((Authority::new(&own, key, &chain).unwrap(), own));
        }
        let authority = issued_by(store, seeds, &root, "the stations' authority");
        let mut giving = station(store, seeds, &root, &authority);
        let asking = station(store, seeds, &root, &authority);
        for (authority, _) in &authorities {
            let certificate = authority.credential().certificate().bytes();
            giving.verifier.add_certificate(certificate).unwrap();
        }
        Self {
            setup,
            authorities: authorities.into_iter().map(|(one, _)| one).collect(),
            giving,
            asking,
        }
    }

    /// The giving station hears a message that asks for these.
    fn ask(&mut self, distribution: &mut CertificateDistribution, ids: &[HashedId3], now: Time64) {
        let message = request(&mut self.setup.store, &self.asking, ids, now);
        let own = self.giving.sender.credential().certificate();
        distribution.set_own([own].into_iter().collect());
        let seed = Seed::new(*self.setup.seeds.next());
        let verifier = &mut self.giving.verifier;
        let verdict = verifier.verify(&message, &ReceptionContext::at(now));
        let verdict = verdict.as_ref();
        distribution.observe(verifier, &message, verdict, (now, &seed));
    }
}

/// The answers that are due at a time, by the last bytes of the certificate's hash.
fn responses(distribution: &mut CertificateDistribution, now: Time64) -> Vec<HashedId3> {
    let responses = std::iter::from_fn(|| distribution.take_response(now));
    let id = |response: Vec<u8>| {
        let pdu: Ieee1609Dot2Peer2PeerPdu<'_> = parse(&response).unwrap();
        let Peer2PeerContent::CaCerts(certificates) = pdu.content else {
            panic!("no certificates");
        };
        let all: Vec<Certificate<'_>> = certificates.iter().map(Result::unwrap).collect();
        assert_eq!(all.len(), 1);
        let digest = waywarden_v2x_security::hash::certificate_digest(&all[0]).unwrap();
        let [.., one, two, three] = digest.id_8().0;
        HashedId3([one, two, three])
    };
    responses.map(id).collect()
}

#[test]
fn of_a_long_request_as_many_certificates_are_answered_as_the_bound_says() {
    let mut scenario = Scenario::new("of_a_long_request_as_many_certificates_are_answered");
    let ids: Vec<HashedId3> = scenario.authorities.iter().map(id_3).collect();
    for bound in [1, 3, 8, AUTHORITIES] {
        let throttle = Throttle {
            requests_max: bound,
            ..Throttle::default()
        };
        let mut distribution = CertificateDistribution::new(throttle);
        // More in one message than the bound, and again in another.
        scenario.ask(&mut distribution, &ids, time(0));
        let rest: Vec<HashedId3> = ids.iter().rev().copied().collect();
        scenario.ask(&mut distribution, &rest, time(0));
        let mut answered = responses(&mut distribution, time(3));
        let mut expected = ids[..bound].to_vec();
        answered.sort_unstable();
        expected.sort_unstable();
        assert_eq!(answered, expected, "the first {bound}");
        assert!(responses(&mut distribution, time(100)).is_empty());
    }
}

#[test]
fn an_answer_that_is_not_sent_is_forgotten() {
    let mut scenario = Scenario::new("an_answer_that_is_not_sent_is_forgotten");
    let ids = [id_3(&scenario.authorities[0])];
    let lifetime = Throttle::default().request_lifetime;
    let pause = Throttle::default().max_response_backoff;
    for (wait, expected) in [(lifetime - 1, 1), (lifetime + pause, 0)] {
        let mut distribution = CertificateDistribution::default();
        scenario.ask(&mut distribution, &ids, time(0));
        let late = Time64(time(0).0 + wait);
        assert_eq!(responses(&mut distribution, late).len(), expected);
    }
}

#[test]
fn of_a_long_answer_as_many_certificates_are_read_as_the_bound_says() {
    let mut scenario = Scenario::new("of_a_long_answer_as_many_certificates_are_read");
    let Setup { store, seeds, .. } = &mut scenario.setup;
    // A stranger, whose authority the asking station lacks.
    let root = root_of(store, seeds);
    let wanted = issued_by(store, seeds, &root, "wanted");
    let mut stranger = station(store, seeds, &root, &wanted);
    let lacking = cam(store, seeds, &mut stranger, time(0));
    let anchor = root.credential().certificate().bytes();
    for (before, learnt) in [(0, 1), (1, 1), (2, 0), (5, 0)] {
        let throttle = Throttle {
            requests_max: 2,
            ..Throttle::default()
        };
        let mut distribution = CertificateDistribution::new(throttle);
        let mut verifier = Verifier::default();
        verifier.add_trust_anchor(anchor).unwrap();
        let refusal = verifier.verify(&lacking, &ReceptionContext::at(time(0)));
        let refusal = refusal.unwrap_err();
        let seed = Seed::new([1; 32]);
        let now = (time(0), &seed);
        distribution.observe(&mut verifier, &lacking, Err(&refusal), now);
        assert_eq!(distribution.wanted().count(), 1);
        let others = scenario.authorities[..before].iter().chain([&wanted]);
        let views = others.map(|one| one.credential().certificate().view().unwrap());
        let views: Vec<Certificate<'_>> = views.collect();
        let pdu = written(&Ieee1609Dot2Peer2PeerPdu {
            version: Version1,
            content: Peer2PeerContent::CaCerts(SequenceOf::new(&views).unwrap()),
        });
        let all = distribution.observe_response(&mut verifier, &pdu.unwrap());
        assert_eq!(all.len(), learnt, "behind {before} others");
    }
}

#[test]
fn whatever_is_asked_few_answers_wait_and_each_is_given_once_in_a_while() {
    let test = "whatever_is_asked_few_answers_wait_and_each_is_given_once_in_a_while";
    let mut scenario = Scenario::new(test);
    let mut random = Random::of_test(test);
    let known: Vec<HashedId3> = scenario.authorities.iter().map(id_3).collect();
    for _ in 0..cases(10) {
        let throttle = Throttle {
            requests_max: 1 + random.index(8),
            response_active_timeout: random.below(600_000),
            max_response_backoff: random.below(400_000),
            ..Throttle::default()
        };
        let mut distribution = CertificateDistribution::new(throttle);
        let mut now = time(0);
        let mut given: BTreeMap<HashedId3, Time64> = BTreeMap::new();
        for _ in 0..40 {
            now.0 += random.below(200_000);
            let ids: Vec<HashedId3> = (0..1 + random.index(2 * AUTHORITIES))
                .map(|_| match random.once_in(4) {
                    true => HashedId3(random.array()),
                    false => known[random.index(AUTHORITIES)],
                })
                .collect();
            scenario.ask(&mut distribution, &ids, now);
            // All that waits is due by then.
            let due = Time64(now.0 + throttle.max_response_backoff);
            let waiting = responses(&mut distribution.clone(), due);
            assert!(waiting.len() <= throttle.requests_max, "{waiting:?}");
            assert!(distribution.wanted().count() <= throttle.requests_max);
            for id in responses(&mut distribution, now) {
                assert!(known.contains(&id));
                if let Some(last) = given.insert(id, now) {
                    let pause = now.0 - last.0;
                    assert!(
                        pause >= throttle.response_active_timeout,
                        "after {pause} us"
                    );
                }
            }
        }
        assert!(!given.is_empty(), "{throttle:?}");
    }
}
