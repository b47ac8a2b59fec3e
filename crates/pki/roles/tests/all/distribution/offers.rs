//! One note of requests for many own certificates, and certificates that are offered: each verified
//! once, with the verifier unchanged until its signature is valid.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::{Authority, Contents, IssueGroup, PermissionRange};
use waywarden_v2x_security::{Limits, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_signing::{
    CertificateDistribution, CertificateExchange, Observation, OfferOutcome, PayloadToSign, Seed,
    SignerForm, UnsignedMessage, sign, written,
};
use waywarden_v2x_wire::coer::{NestedEncoding, SequenceOf, parse};
use waywarden_v2x_wire::hash::certificate_digest;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Duration, EndEntityType, HashedId8, HeaderInfo, Ieee1609Dot2Peer2PeerPdu,
    Peer2PeerContent, Psid, Version1,
};

use super::{START, Setup, Station, Store, cam, issued_by, request, root_of, station, time};
use crate::support::deterministic;

/// A message with this certificate in its header, which claims to be signed by the certificate.
fn bringing(store: &mut Store, station: &Station, certificate: &[u8]) -> Vec<u8> {
    let view: Certificate<'_> = parse(certificate).unwrap();
    let header = HeaderInfo {
        generation_time: Some(time(0)),
        requested_certificate: Some(NestedEncoding::Value(&view)),
        ..HeaderInfo::new(Psid(36))
    };
    let message = UnsignedMessage {
        payload: PayloadToSign::Data(b"where a vehicle is"),
        header,
    };
    let options = deterministic(SignerForm::Digest);
    let mut message = sign(store, station.sender.credential(), &message, &options).unwrap();
    let HashedId8(own) = station.sender.credential().id();
    let at = message.windows(8).position(|window| window == own).unwrap();
    let HashedId8(claimed) = certificate_digest(&view).unwrap().id_8();
    message[at..at + 8].copy_from_slice(&claimed);
    message
}

/// Takes note of a message as a service does. Returns what became of a certificate that was worth
/// verifying.
fn hear(
    distribution: &mut CertificateDistribution,
    verifier: &mut Verifier,
    message: &[u8],
) -> Option<OfferOutcome> {
    let refusal = verifier.verify(message, &ReceptionContext::at(time(0)));
    let refusal = refusal.unwrap_err();
    assert_eq!(refusal.code, ResultCode::ParsingCertificateNotFound);
    let observation = Observation::of(message, Err(&refusal)).unwrap();
    let seed = Seed::new([3; 32]);
    let offered = distribution.hear(verifier.store(), &observation, (time(0), &seed))?;
    let prepared = offered.prepare(verifier);
    let learnt = prepared.and_then(|mut prepared| {
        assert!(!prepared.is_verified());
        prepared.verify();
        verifier.learn_prepared(prepared)
    });
    let outcome = OfferOutcome::from(&learnt);
    distribution.conclude(offered, outcome);
    Some(outcome)
}

/// A root, an authority below it that a station lacks, and that station.
fn lacking(setup: &mut Setup) -> (Authority, Authority, Station) {
    let Setup { store, seeds, .. } = setup;
    let root = root_of(store, seeds);
    let unknown = issued_by(store, seeds, &root, "unknown");
    let known = issued_by(store, seeds, &root, "known");
    let station = station(store, seeds, &root, &known);
    (root, unknown, station)
}

#[test]
fn forged_certificate_is_verified_once_and_does_not_stand_for_the_genuine_one() {
    let mut setup = Setup::new("forged_certificate_is_verified_once");
    let (_, unknown, mut own) = lacking(&mut setup);
    let mut distribution = CertificateDistribution::default();
    let genuine = unknown.credential().certificate().bytes().to_vec();
    let mut forged = genuine.clone();
    *forged.last_mut().unwrap() ^= 1;
    let store = &mut setup.store;
    let lie = bringing(store, &own, &forged);
    let truth = bringing(store, &own, &genuine);
    let verifier = &mut own.verifier;
    assert_eq!(
        hear(&mut distribution, verifier, &lie),
        Some(OfferOutcome::Wrong)
    );
    assert_eq!(hear(&mut distribution, verifier, &lie), None);
    assert_eq!(verifier.store().held(), 0);
    assert_eq!(
        hear(&mut distribution, verifier, &truth),
        Some(OfferOutcome::Learnt)
    );
    let id = unknown.credential().id();
    assert!(verifier.store().find(id).is_some());
    assert!(!distribution.wanted().any(|wanted| wanted == id.id_3()));
    // With other authorities known it is tried again.
    distribution.forget_attempts();
    assert_eq!(
        hear(&mut distribution, verifier, &lie),
        Some(OfferOutcome::Wrong)
    );
}

#[test]
fn certificate_whose_issuer_is_unknown_is_tried_again_later() {
    let mut setup = Setup::new("certificate_whose_issuer_is_unknown_is_tried_again_later");
    let (root, unknown, own) = lacking(&mut setup);
    let certificate = unknown.credential().certificate().bytes().to_vec();
    let message = bringing(&mut setup.store, &own, &certificate);
    let mut distribution = CertificateDistribution::default();
    let mut verifier = Verifier::default();
    for _ in 0..2 {
        let outcome = hear(&mut distribution, &mut verifier, &message);
        assert_eq!(outcome, Some(OfferOutcome::Undecided));
    }
    let anchor = root.credential().certificate().bytes();
    verifier.add_trust_anchor(anchor).unwrap();
    let outcome = hear(&mut distribution, &mut verifier, &message);
    assert_eq!(outcome, Some(OfferOutcome::Learnt));
}

#[test]
fn certificate_is_not_learnt_unverified_or_once_its_issuer_is_gone() {
    let mut setup = Setup::new("certificate_is_not_learnt_unverified_or_once_its_issuer_is_gone");
    let (_, unknown, mut own) = lacking(&mut setup);
    let certificate = unknown.credential().certificate().bytes();
    let verifier = &mut own.verifier;
    let prepared = verifier.prepare_certificate(certificate).unwrap();
    let refusal = verifier.learn_prepared(prepared).unwrap_err();
    assert_eq!(refusal.code, ResultCode::CryptoVerificationFailure);
    let mut prepared = verifier.prepare_certificate(certificate).unwrap();
    prepared.verify();
    let mut other = Verifier::default();
    let refusal = other.learn_prepared(prepared).unwrap_err();
    assert_eq!(
        refusal.code,
        ResultCode::ChainNotEnoughInformationToConstructChain
    );
    assert_eq!((verifier.store().held(), other.store().held()), (0, 0));
}

#[test]
fn implicit_certificate_that_comes_alone_is_not_learnt() {
    let mut setup = Setup::new("implicit_certificate_that_comes_alone_is_not_learnt");
    let Setup { store, seeds, .. } = &mut setup;
    let uses = Uses::SIGN | Uses::ISSUE_IMPLICIT;
    let key = store.generate(Curve::P256, uses, &seeds.next()).unwrap();
    let contents = Contents::new(START, Duration::Years(10))
        .named("root")
        .issuing_all();
    let root = Authority::root(store, key, &contents, seeds).unwrap();
    let root = root.with_implicit_key(key);
    let own = issued_by(store, seeds, &root, "known");
    let mut own = station(store, seeds, &root, &own);
    let mut contents = Contents::new(START, Duration::Years(3)).named("implicit");
    contents.issues.push(IssueGroup {
        applications: Some(vec![(Psid(36), PermissionRange::All)]),
        min_chain_length: 1,
        chain_length_range: 0,
        ee_type: EndEntityType::APP,
    });
    let request = waywarden_v2x_keys::ecqv::request(store, Curve::P256, &seeds.next()).unwrap();
    let implicit = root.issue_implicit(store, &contents, &request.public, seeds);
    let implicit = implicit.unwrap().certificate;
    let message = bringing(store, &own, &implicit);
    let mut distribution = CertificateDistribution::default();
    let verifier = &mut own.verifier;
    let refusal = verifier.verify(&message, &ReceptionContext::at(time(0)));
    let refusal = refusal.unwrap_err();
    let seed = Seed::new([3; 32]);
    let verdict = Err(&refusal);
    let learnt = distribution.observe(verifier, &message, verdict, (time(0), &seed));
    assert!(learnt.is_none());
    assert_eq!(verifier.store().held(), 0);
    // As the verifier's limits say of issuers that it does not know.
    let limits = Limits {
        unknown_implicit_issuers: true,
        ..Limits::DEFAULT
    };
    let mut verifier = Verifier::default().with_limits(limits);
    verifier
        .add_trust_anchor(root.credential().certificate().bytes())
        .unwrap();
    let learnt = distribution.observe(&mut verifier, &message, verdict, (time(0), &seed));
    assert!(learnt.is_some());
}

#[test]
fn answer_is_read_up_to_its_first_wrong_certificate() {
    let mut setup = Setup::new("answer_is_read_up_to_its_first_wrong_certificate");
    let (_, unknown, mut own) = lacking(&mut setup);
    let genuine = unknown.credential().certificate().bytes().to_vec();
    let mut forged = genuine.clone();
    *forged.last_mut().unwrap() ^= 1;
    let mut distribution = CertificateDistribution::default();
    let store = &mut setup.store;
    let messages = [&forged, &genuine].map(|one| {
        let message = bringing(store, &own, one);
        let verdict = own
            .verifier
            .verify(&message, &ReceptionContext::at(time(0)));
        let refusal = verdict.unwrap_err();
        (message, refusal)
    });
    // Both are missing; neither came yet.
    for (message, refusal) in &messages {
        let seed = Seed::new([3; 32]);
        let observed = Observation::of(message, Err(refusal)).unwrap();
        if let Some(offered) = distribution.hear(own.verifier.store(), &observed, (time(0), &seed))
        {
            distribution.conclude(offered, OfferOutcome::Undecided);
        }
    }
    let views: Vec<Certificate<'_>> = [&forged, &genuine].map(|one| parse(one).unwrap()).to_vec();
    let pdu = written(&Ieee1609Dot2Peer2PeerPdu {
        version: Version1,
        content: Peer2PeerContent::CaCerts(SequenceOf::new(&views).unwrap()),
    });
    let pdu = pdu.unwrap();
    let learnt = distribution.observe_response(&mut own.verifier, &pdu);
    assert!(learnt.is_empty());
    // The wrong one is known now, and the next answer is read behind it.
    let learnt = distribution.observe_response(&mut own.verifier, &pdu);
    assert_eq!(learnt.len(), 1);
}

#[test]
fn request_shows_the_certificate_that_was_asked_for_and_an_unknown_station_sees_each() {
    let mut setup = Setup::new("request_shows_the_certificate_that_was_asked_for");
    let Setup { store, seeds, .. } = &mut setup;
    let root = root_of(store, seeds);
    let authority = issued_by(store, seeds, &root, "authority");
    let mut own: Vec<Station> = (0..3)
        .map(|_| station(store, seeds, &root, &authority))
        .collect();
    let mut other = station(store, seeds, &root, &authority);
    let ids: Vec<HashedId8> = own.iter().map(|one| one.sender.credential().id()).collect();
    let mut distribution = CertificateDistribution::default();
    distribution.set_own(
        own.iter()
            .map(|one| one.sender.credential().certificate())
            .collect(),
    );
    let verifier = &mut own[0].verifier;
    // Its certificate is known, so that it is no unknown station.
    let known = other.sender.credential().certificate().bytes();
    verifier.learn_certificate(known).unwrap();
    let shown = |distribution: &mut CertificateDistribution| -> Vec<bool> {
        let take = |id: &HashedId8| {
            let taken = distribution.take(*id, time(1), CertificateExchange::Inline, false);
            taken.with_own_certificate
        };
        ids.iter().map(take).collect()
    };
    let seed = Seed::new([3; 32]);
    let asking = request(store, &other, &[ids[1].id_3()], time(0));
    let accepted = verifier.verify(&asking, &ReceptionContext::at(time(0)));
    distribution.observe(verifier, &asking, accepted.as_ref(), (time(0), &seed));
    assert_eq!(shown(&mut distribution), [false, true, false]);
    assert_eq!(shown(&mut distribution), [false; 3]);
    // An unknown station: each certificate is shown once.
    cam(store, seeds, &mut other, time(1));
    let mut unknown = cam(store, seeds, &mut other, time(2));
    let HashedId8(id) = other.sender.credential().id();
    let at = unknown.windows(8).position(|window| window == id).unwrap();
    unknown[at] ^= 1;
    let refusal = verifier.verify(&unknown, &ReceptionContext::at(time(2)));
    distribution.observe(verifier, &unknown, refusal.as_ref(), (time(2), &seed));
    assert_eq!(shown(&mut distribution), [true; 3]);
    assert_eq!(shown(&mut distribution), [false; 3]);
}

/// Forged, genuine and repeated certificates in any order: bytes are verified once at most, what is
/// learnt is genuine, and a genuine one that comes is learnt whatever came before.
fn offers_are_tried_once(seed: u64) {
    let mut setup = Setup::of(Random::new(seed));
    let (_, unknown, mut own) = lacking(&mut setup);
    let genuine = unknown.credential().certificate().bytes().to_vec();
    let mut distribution = CertificateDistribution::default();
    let mut tried = std::collections::BTreeSet::new();
    let verifier = &mut own.verifier;
    let store = &mut setup.store;
    let signer = &own.sender;
    let station = Station {
        sender: signer.clone(),
        verifier: Verifier::default(),
    };
    for _ in 0..12 {
        let mut certificate = genuine.clone();
        let is_forged = !setup.random.once_in(6);
        if is_forged {
            let end = certificate.len();
            certificate[end - 1 - setup.random.index(3)] ^= 1 << setup.random.index(3);
        }
        let message = bringing(store, &station, &certificate);
        let outcome = hear(&mut distribution, verifier, &message);
        let expected = match (is_forged, tried.insert(certificate)) {
            (true, true) => Some(OfferOutcome::Wrong),
            (true, false) => None,
            (false, _) => Some(OfferOutcome::Learnt),
        };
        assert_eq!(outcome, expected, "seed {seed}");
        if !is_forged {
            return;
        }
        assert_eq!(verifier.store().held(), 0, "seed {seed}");
    }
}

#[test]
fn offered_certificates_are_verified_once_in_any_order() {
    each_seed(60, offers_are_tried_once);
}
