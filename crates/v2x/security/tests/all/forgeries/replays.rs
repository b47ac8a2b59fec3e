//! Messages that come again: at once, later, after much else, and when the clock was set back.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, now};
use waywarden_v2x_security::ResultCode::RelevanceReplayedSpdu;
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Capacity, Profiles, ReceptionContext, Verifier};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::build::{Draft, HERE, Pki, above_ground, at_now, kept, plain};
use super::table::Family;

#[test]
fn messages_that_come_again_are_refused() {
    family().check();
}

pub(crate) fn family() -> Family {
    let mut family = Family::new("replay");
    let pki = Pki::plain();
    applications(&mut family, &pki);
    times(&mut family, &pki);
    floods(&mut family, &pki);
    forgotten(&mut family, &pki);
    family
}

fn at(microseconds: i64) -> ReceptionContext<'static> {
    ReceptionContext::at(Time64(now().0.saturating_add_signed(microseconds)))
}

fn accept(verifier: &mut Verifier, message: &[u8]) {
    verifier.verify(message, &at_now()).unwrap();
}

fn applications(family: &mut Family, pki: &Pki) {
    let implicit = Draft::station(4).implicit();
    let implicit = implicit.issued_by(Some(&pki.holders[1]));
    let other = Draft {
        app: kept(vec![plain(999), plain(135)]),
        ..Draft::station(5)
    };
    let other = other.issued_by(Some(&pki.holders[1]));
    let cases: [(&str, u64, &Holder); 6] = [
        ("BSM", 32, pki.station()),
        ("CAM", 36, pki.station()),
        ("DENM", 37, pki.station()),
        ("another application", 135, pki.station()),
        ("an application without a profile", 999, &other),
        ("an implicit certificate", 135, &implicit),
    ];
    for (name, psid, signer) in cases {
        let message = |payload| MessageContents {
            psid,
            payload,
            place: above_ground(HERE).filter(|_| psid == 37),
            ..MessageContents::new()
        };
        let first = message(b"first").sign(signer);
        let mut verifier = pki.knowing();
        accept(&mut verifier, &first);
        let honest = message(b"second").sign(signer);
        let name = format!("the same again, {name}");
        family.pair(&name, RelevanceReplayedSpdu, &mut verifier, &first, &honest);
    }
    // The same content is no replay under another certificate.
    let message = MessageContents::new();
    let mut verifier = pki.knowing();
    accept(&mut verifier, &message.sign(pki.station()));
    family.honest(
        "the same content of another signer",
        &mut verifier,
        &message.sign(&implicit),
    );
    let digest = MessageContents {
        named: Named::Digest,
        ..message
    };
    let honest = MessageContents {
        payload: b"by digest",
        ..digest
    };
    family.pair(
        "the same again, by digest",
        RelevanceReplayedSpdu,
        &mut verifier,
        &digest.sign(pki.station()),
        &honest.sign(pki.station()),
    );
}

/// The same again at other times.
fn times(family: &mut Family, pki: &Pki) {
    let station = pki.station();
    let message = |payload| MessageContents {
        payload,
        ..MessageContents::new()
    };
    let first = message(b"first").sign(station);
    let honest = message(b"second").sign(station);
    for (name, later) in [
        ("a microsecond later", 1),
        ("two seconds later", 2_000_000),
        ("as late as the profile takes it", 600_000_000),
        ("with the clock set back", -2_000_000),
    ] {
        let mut verifier = pki.knowing();
        accept(&mut verifier, &first);
        family.row(
            &format!("the same {name}"),
            RelevanceReplayedSpdu,
            &mut verifier,
            (&first, &at(later)),
            Some((&honest, &at(later))),
        );
    }
    let mut verifier = pki.knowing();
    accept(&mut verifier, &first);
    let mut broken = first.clone();
    *broken.last_mut().unwrap() ^= 1;
    assert!(verifier.verify(&broken, &at_now()).is_err());
    let name = "the same after a broken copy";
    family.pair(name, RelevanceReplayedSpdu, &mut verifier, &first, &honest);
}

/// A small memory, knowing root and authority.
fn small(pki: &Pki) -> Verifier {
    let mut verifier = Verifier::new(Capacity {
        certificates: 2,
        messages: 4,
        ..Capacity::DEFAULT
    });
    verifier.add_trust_anchor(&pki.root().certificate).unwrap();
    verifier
        .add_certificate(&pki.holders[1].certificate)
        .unwrap();
    verifier
}

/// The same again when it was pushed out of a small memory.
fn floods(family: &mut Family, pki: &Pki) {
    let station = pki.station();
    let message = |number: u64| MessageContents {
        made: Some(Time64(now().0 + number)),
        ..MessageContents::new()
    };
    let authority = &pki.holders[1];
    let stranger = Draft::station(9).issued_by(Some(authority));
    let first = message(0).sign(station);
    let flood = |verifier: &mut Verifier, holder: &Holder, count: u64| {
        for number in 1..=count {
            accept(verifier, &message(number).sign(holder));
        }
    };
    let last = message(1_000).sign(station);

    let mut verifier = small(pki);
    accept(&mut verifier, &first);
    flood(&mut verifier, station, 8);
    let name = "the same after eight others of its signer";
    family.pair(name, RelevanceReplayedSpdu, &mut verifier, &first, &last);

    let mut verifier = small(pki);
    accept(&mut verifier, &first);
    flood(&mut verifier, &stranger, 8);
    let name = "the same after eight of a stranger";
    family.pair(name, RelevanceReplayedSpdu, &mut verifier, &first, &last);

    let mut verifier = small(pki);
    accept(&mut verifier, &first);
    for seed in 10..18 {
        let holder = Draft::station(seed).issued_by(Some(authority));
        accept(&mut verifier, &message(u64::from(seed)).sign(&holder));
    }
    let name = "the same after eight strangers";
    family.pair(name, RelevanceReplayedSpdu, &mut verifier, &first, &last);
    assert!(verifier.store().find(stranger.id()).is_none());

    let mut verifier = small(pki);
    flood(&mut verifier, station, 8);
    let name = "one that may have been pushed out";
    family.pair(
        name,
        RelevanceReplayedSpdu,
        &mut verifier,
        &message(2).sign(station),
        &last,
    );
}

/// The same again after old messages and certificates were forgotten.
fn forgotten(family: &mut Family, pki: &Pki) {
    let station = pki.station();
    let profile = SecurityProfile {
        past: None,
        ..SecurityProfile::DEFAULT
    };
    let verifier = || pki.knowing().with_profiles(Profiles::all(profile));
    let message = |number: u64| MessageContents {
        made: Some(Time64(now().0 + number)),
        ..MessageContents::new()
    };
    let first = message(0).sign(station);
    let hour = 3_600_000_000;
    for (name, later) in [("an hour", hour), ("ten minutes and a little", 600_000_001)] {
        let mut verifier = verifier();
        accept(&mut verifier, &first);
        verifier.forget_old(at(later).now);
        let honest = message(later as u64).sign(station);
        family.row(
            &format!("the same, forgotten after {name}"),
            RelevanceReplayedSpdu,
            &mut verifier,
            (&first, &at(later)),
            Some((&honest, &at(later))),
        );
    }
    let mut old = verifier();
    old.forget_old(at(hour).now);
    family.row(
        "one that is older than what is remembered",
        RelevanceReplayedSpdu,
        &mut old,
        (&first, &at(hour)),
        Some((&message(hour as u64).sign(station), &at(hour))),
    );
    let mut unknown = verifier();
    accept(&mut unknown, &first);
    unknown.forget_certificate(station.id());
    let honest = message(1).sign(station);
    let name = "the same, its certificate forgotten";
    family.pair(name, RelevanceReplayedSpdu, &mut unknown, &first, &honest);
}
