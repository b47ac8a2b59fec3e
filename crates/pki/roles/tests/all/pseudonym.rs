//! Batches of pseudonym certificates: what each role makes, opens, refuses and can link.

mod hostile;
mod knowledge;
mod scms;
mod unlinkable;

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki::pseudonym::{CertificatePosition, Period};
use waywarden_v2x_security::ReceptionContext;
use waywarden_v2x_security::linkage::value_of_seeds;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, CrlSeries, HashedId3, Ieee1609Dot2Content, Ieee1609Dot2Data, Time64,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{EeRaInterfacePdu, ScmsContent, ScmsPdu};

use scms::{FIRST, Scms};

#[test]
fn positions_are_named_as_files_are() {
    let position = |i, j| CertificatePosition { i: Period(i), j }.to_string();
    assert_eq!(position(0x8E, 0), "8E_0");
    assert_eq!(position(0x4AB, 19), "4AB_13");
}

#[test]
fn periods_are_weeks_that_certificates_can_name() {
    for i in [0, 1, 1_000, Period::LAST.0] {
        let period = Period(i);
        let start = Time64(u64::from(period.start().unwrap().0) * 1_000_000);
        assert_eq!(Period::at(start), Some(period));
        let before = start.0.checked_sub(1).map(|time| Period::at(Time64(time)));
        assert_eq!(before.flatten(), i.checked_sub(1).map(Period));
    }
    assert_eq!(Period(Period::LAST.0 + 1).start(), None);
    assert_eq!(Period::at(Time64(u64::MAX)), None);
}

/// A year: 20 certificates for each of 52 weeks. Each is opened by its owner, and signs a message
/// that a receiver accepts.
#[test]
fn each_certificate_of_a_year_signs_for_its_owner() {
    let mut random = Random::of_test("each_certificate_of_a_year_signs_for_its_owner");
    let mut scms = Scms::new(&mut random, 1);
    let weeks = cases(52) as u16;
    let mut signed = 0;
    for week in 0..weeks.min(52) {
        let i = Period(FIRST.0 + week);
        for (vehicle, position, response) in scms.week(i, 0..20) {
            let pseudonym = scms.open(vehicle, position, &response).unwrap();
            let now = Time64(u64::from(i.start().unwrap().0) * 1_000_000 + 5_000_000);
            let message = scms.signed(&pseudonym, now);
            let mut receiver = scms.receiver();
            let accepted = receiver.verify(&message, &ReceptionContext::at(now));
            assert!(accepted.is_ok(), "{position}: {:?}", accepted.err());
            scms.store.retire_key(pseudonym.key);
            signed += 1;
        }
    }
    println!("{signed} certificates, each with its key and a message");
}

#[test]
fn certificates_of_many_holders_come_back_to_their_owners() {
    let mut random = Random::of_test("certificates_of_many_holders_come_back_to_their_owners");
    for _ in 0..cases(3) {
        let vehicles = 2 + random.index(4);
        let mut scms = Scms::new(&mut random, vehicles);
        let collected = scms.week(FIRST, 0..4);
        assert_eq!(collected.len(), 4 * vehicles);
        for (owner, position, response) in &collected {
            for vehicle in 0..vehicles {
                let opened = scms.open(vehicle, *position, response);
                assert_eq!(opened.is_ok(), vehicle == *owner);
                if let Ok(pseudonym) = opened {
                    scms.store.retire_key(pseudonym.key);
                }
            }
            // Nor by its owner in another place.
            let j = position.j + 1;
            assert!(
                scms.open(*owner, CertificatePosition { j, ..*position }, response)
                    .is_err()
            );
        }
        let owners: Vec<usize> = collected.iter().map(|one| one.0).collect();
        assert!(!owners.is_sorted(), "mixed: {owners:?}");
    }
}

#[test]
fn certificates_say_what_was_asked_for_and_who_revokes() {
    let mut random = Random::of_test("certificates_say_what_was_asked_for_and_who_revokes");
    let mut scms = Scms::new(&mut random, 1);
    let i = Period(FIRST.0 + 3);
    for (vehicle, position, response) in scms.week(i, 2..5) {
        let pseudonym = scms.open(vehicle, position, &response).unwrap();
        let view: Certificate<'_> = parse(&pseudonym.certificate).unwrap();
        let own = &view.to_be_signed;
        let CertificateId::LinkageData(linkage) = own.id else {
            panic!("{:?}", own.id);
        };
        assert_eq!((linkage.period.0, linkage.group), (i.0, None));
        assert_eq!(Some(own.validity_period.start), i.start());
        assert_eq!(
            (own.craca_id, own.crl_series),
            (HashedId3([7, 8, 9]), CrlSeries(4))
        );
        assert!(own.encryption_key.is_none());
        // The value is that of both seeds, which a revocation list would publish.
        let requests = scms
            .ra
            .linkage_requests(scms.vehicles[0].id, i, 0..1)
            .unwrap();
        let seeds = [0, 1].map(|at| {
            let request = &requests[at];
            scms.las[at].seed(request.chain, request.first, i).unwrap()
        });
        let ids = (scms.las[0].id(), scms.las[1].id());
        let expected = value_of_seeds(ids, (&seeds[0], &seeds[1]), u32::from(position.j));
        assert_eq!(linkage.value, expected);
    }
}

#[test]
fn requests_are_acknowledged_under_the_authoritys_signature() {
    let mut random = Random::of_test("requests_are_acknowledged_under_the_authoritys_signature");
    let scms = Scms::new(&mut random, 1);
    let message: Ieee1609Dot2Data<'_> = parse(&scms.vehicles[0].acknowledgement).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = message.content else {
        panic!("not signed");
    };
    let payload = signed.tbs_data.payload.data.unwrap().view().unwrap();
    let Ieee1609Dot2Content::Unsecured(payload) = payload.content else {
        panic!("no payload");
    };
    let ScmsContent::EeRa(EeRaInterfacePdu::CertAck(ack)) =
        parse::<ScmsPdu<'_>>(payload).unwrap().content
    else {
        panic!("no acknowledgement");
    };
    assert_eq!(ack.request_hash, scms.vehicles[0].id);
    assert_eq!(ack.first_i.map(|i| i.0), Some(FIRST.0));
    let mut receiver = scms.receiver();
    let now = Time64(u64::from(scms::NOW.0) * 1_000_000);
    assert!(
        receiver
            .verify(
                &scms.vehicles[0].acknowledgement,
                &ReceptionContext::at(now)
            )
            .is_ok()
    );
}
