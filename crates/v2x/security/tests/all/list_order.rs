//! Revocation lists in any order: what one of them revoked stays revoked.

use waywarden_testkit_v2x::world::{Holder, MessageContents, NOW, Spec, crl, now, written};
use waywarden_v2x_security::revocation::LinkageStatus;
use waywarden_v2x_security::{ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, CrlSeries, HashBasedRevocationInfo, HashedId3, HashedId8, HashedId10, IValue,
    Time32, Time64, ToBeSignedHashIdCrl, TypeSpecificCrlContents,
};

use crate::linked_lists::{Craca, List, Revoked, at, holder};

/// Expiry of every certificate on a list.
const EXPIRY: u32 = NOW + 50_000;

/// A list by hash that is to be signed.
#[derive(Clone, Copy)]
pub(crate) struct HashList<'h> {
    pub(crate) is_full: bool,
    pub(crate) serial: u32,
    pub(crate) issued: u32,
    pub(crate) revoked: &'h [HashedId10],
}

impl HashList<'_> {
    pub(crate) fn sign(&self, craca: HashedId8, signer: &Holder) -> Vec<u8> {
        let entries = self.revoked.iter().map(|&id| HashBasedRevocationInfo {
            id,
            expiry: Time32(EXPIRY),
            unknown: Default::default(),
        });
        let entries: Vec<_> = entries.collect();
        let list = ToBeSignedHashIdCrl {
            crl_serial: self.serial,
            entries: SequenceOf::new(&entries).unwrap(),
            unknown: Default::default(),
        };
        let contents = CrlContents {
            contents: match self.is_full {
                true => TypeSpecificCrlContents::FullHash(list),
                false => TypeSpecificCrlContents::DeltaHash(list),
            },
            ..crl(self.issued, self.issued + 600, craca, &[])
        };
        let message = MessageContents {
            psid: 256,
            made: None,
            payload: &written(&contents),
            ..MessageContents::new()
        };
        message.sign(signer)
    }
}

/// A station whose certificate names the CRACA.
pub(crate) fn station(seed: u8, craca: &Craca) -> Holder {
    let spec = Spec {
        craca: craca.short(),
        ..Spec::station(seed)
    };
    Holder::issue(&spec, Some(&craca.root))
}

pub(crate) fn id_10(holder: &Holder) -> HashedId10 {
    let (digest, _) = holder.digest();
    HashedId10(digest[22..].try_into().unwrap())
}

pub(crate) fn verdict(verifier: &mut Verifier, signer: &Holder) -> Result<(), ResultCode> {
    let context = ReceptionContext::at(Time64(now().0 + 20_000_000));
    let message = MessageContents::new().sign(signer);
    let verified = verifier.verify(&message, &context);
    verified.map(drop).map_err(|refusal| refusal.code)
}

const REVOKED: Result<(), ResultCode> = Err(ResultCode::ChainCertificateRevoked);

/// All orders of three.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// A full list, a delta list that revokes a car, a later one that revokes a bus.
#[test]
fn delta_lists_by_hash_revoke_in_any_order() {
    let craca = Craca::new(1);
    let (car, bus, other) = (station(3, &craca), station(4, &craca), station(5, &craca));
    let (car_id, bus_id) = ([id_10(&car)], [id_10(&bus)]);
    let list = |serial, issued, revoked| HashList {
        is_full: serial == 1,
        serial,
        issued,
        revoked,
    };
    let lists = [
        list(1, NOW, &[][..]),
        list(2, NOW + 5, &car_id),
        list(3, NOW + 10, &bus_id),
    ];
    let lists = lists.map(|list| list.sign(craca.id(), &craca.signer));
    for order in ORDERS {
        let mut verifier = craca.verifier();
        for number in order {
            let applied = verifier.apply_crl(&lists[number], &at());
            assert!(applied.is_ok(), "{order:?}, list {number}: {applied:?}");
        }
        assert_eq!(verdict(&mut verifier, &car), REVOKED, "car, {order:?}");
        assert_eq!(verdict(&mut verifier, &bus), REVOKED, "bus, {order:?}");
        assert_eq!(verdict(&mut verifier, &other), Ok(()), "{order:?}");
    }
}

/// The status of a holder's certificate in a period, after all lists were expanded for it.
fn status(verifier: &mut Verifier, craca: &Craca, one: &Revoked, period: u16) -> LinkageStatus {
    let revocations = verifier.revocations_mut();
    revocations.expand(IValue(period)).unwrap();
    let linkage = one.linkage(7, period, 3);
    revocations.linked(HashedId3(craca.short()), CrlSeries(0), &linkage)
}

/// Two delta lists of one second with one number, and other holders.
#[test]
fn delta_lists_with_one_number_both_revoke() {
    let mut random = waywarden_testkit::Random::of_test("one_number");
    let craca = Craca::new(1);
    let revoked = [(); 2].map(|()| holder(&mut random));
    let mut verifier = craca.verifier();
    for one in revoked {
        let list = List {
            is_full: false,
            ..List::full(craca.id(), 7, vec![one])
        };
        let list = list.sign(&craca.signer);
        verifier.apply_crl(&list, &at()).unwrap();
    }
    for one in &revoked {
        let status = status(&mut verifier, &craca, one, 9);
        assert_eq!(status, LinkageStatus::Revoked);
    }
}

/// Full lists that leave out what another one revoked, by linkage values: in both orders.
#[test]
fn full_lists_by_linkage_lift_nothing() {
    let mut random = waywarden_testkit::Random::of_test("lift_nothing");
    let craca = Craca::new(1);
    let revoked = [(); 3].map(|()| holder(&mut random));
    let list = |index, count| List {
        issued: NOW + u32::from(index),
        index,
        ..List::full(craca.id(), 7, vec![revoked[count]])
    };
    let lists = [list(0, 0), list(1, 1), list(1, 2)];
    for order in ORDERS {
        let mut verifier = craca.verifier();
        for number in order {
            let _ = verifier.apply_crl(&lists[number].sign(&craca.signer), &at());
        }
        for (number, one) in revoked.iter().enumerate() {
            let status = status(&mut verifier, &craca, one, 9);
            assert_eq!(status, LinkageStatus::Revoked, "{order:?}, list {number}");
        }
    }
}

/// The same by hash.
#[test]
fn full_lists_by_hash_lift_nothing() {
    let craca = Craca::new(1);
    let stations = [3, 4, 5].map(|seed| station(seed, &craca));
    let ids = [0, 1, 2].map(|at: usize| [id_10(&stations[at])]);
    let list = |serial: u32, count: usize| HashList {
        is_full: true,
        serial,
        issued: NOW + serial,
        revoked: &ids[count],
    };
    let lists = [list(1, 0), list(2, 1), list(2, 2)];
    for order in ORDERS {
        let mut verifier = craca.verifier();
        for number in order {
            let list = lists[number].sign(craca.id(), &craca.signer);
            let _ = verifier.apply_crl(&list, &at());
        }
        for (number, one) in stations.iter().enumerate() {
            let verdict = verdict(&mut verifier, one);
            assert_eq!(verdict, REVOKED, "{order:?}, list {number}");
        }
    }
}

/// A clock that was a year ahead, and is right again.
#[test]
fn clock_that_was_ahead_lifts_nothing() {
    let craca = Craca::new(1);
    let car = station(3, &craca);
    let list = HashList {
        is_full: true,
        serial: 1,
        issued: NOW,
        revoked: &[id_10(&car)],
    };
    let mut verifier = craca.verifier();
    let list = list.sign(craca.id(), &craca.signer);
    verifier.apply_crl(&list, &at()).unwrap();
    let year = 366 * 86_400 * 1_000_000;
    verifier.forget_old(Time64(now().0 + year));
    // Nothing of before the clock's error is accepted: that is the replay cache's.
    let status = verifier.revocations();
    assert!(status.has(HashedId3(craca.short()), CrlSeries(0), id_10(&car)));
}

/// A service is configured with one list after the other, each in the place of the one before.
#[test]
fn list_that_is_configured_no_more_still_revokes_after_a_reload() {
    let mut random = waywarden_testkit::Random::of_test("configured_no_more");
    let craca = Craca::new(1);
    let (car, bus) = (station(3, &craca), station(4, &craca));
    let (car_id, bus_id) = ([id_10(&car)], [id_10(&bus)]);
    let vehicles = [(); 2].map(|()| holder(&mut random));
    let mut running = craca.verifier();
    for (number, revoked) in (1..).zip([&car_id, &bus_id]) {
        let mut loaded = craca.verifier();
        let by_hash = HashList {
            is_full: number == 1,
            serial: number,
            issued: NOW + number,
            revoked,
        };
        let linked = List {
            issued: NOW + number,
            index: number as u8,
            is_full: number == 1,
            ..List::full(craca.id(), 7, vec![vehicles[number as usize - 1]])
        };
        for list in [
            by_hash.sign(craca.id(), &craca.signer),
            linked.sign(&craca.signer),
        ] {
            loaded.apply_crl(&list, &at()).unwrap();
        }
        let before = running.revocations();
        let more = loaded.revocations_mut().merge(before).unwrap();
        assert_eq!(more, if number == 1 { 0 } else { 2 });
        loaded.take_over(running);
        running = loaded;
    }
    assert_eq!(verdict(&mut running, &car), REVOKED);
    assert_eq!(verdict(&mut running, &bus), REVOKED);
    for one in &vehicles {
        let status = status(&mut running, &craca, one, 9);
        assert_eq!(status, LinkageStatus::Revoked);
    }
}

/// A full list leaves out what had expired when it was made: a reload with it carries nothing on.
#[test]
fn what_is_over_is_not_carried_over_a_reload() {
    let craca = Craca::new(1);
    let car = station(3, &craca);
    let id = id_10(&car);
    let full = |serial, issued, revoked: &[HashedId10]| {
        let list = HashList {
            is_full: true,
            serial,
            issued,
            revoked,
        };
        let mut verifier = craca.verifier();
        let list = list.sign(craca.id(), &craca.signer);
        let late = ReceptionContext::at(Time64(u64::from(issued) * 1_000_000));
        verifier.apply_crl(&list, &late).unwrap();
        verifier
    };
    let before = full(1, NOW, &[id]);
    for (issued, expected) in [(EXPIRY - 1, 1), (EXPIRY, 0)] {
        let mut next = full(2, issued, &[]);
        let more = next.revocations_mut().merge(before.revocations());
        assert_eq!(more, Ok(expected));
        assert_eq!(next.revocations().len(), expected);
    }
}
