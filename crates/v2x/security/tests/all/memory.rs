//! Memory of a verifier: replays, within bounds that no sender can exhaust for others, and keys
//! that were computed once.

use waywarden_ecverify::JobKey;
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Capacity, Profiles, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::ieee1609dot2::Time64;

const MESSAGES: usize = 64;

fn root() -> Holder {
    Holder::issue(&Spec::authority(1), None)
}

/// A verifier that remembers few messages and `certificates` certificates.
fn verifier(root: &Holder, certificates: usize) -> Verifier {
    let profile = SecurityProfile {
        past: None,
        future: None,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = Verifier::new(Capacity {
        certificates,
        messages: MESSAGES,
        ..Capacity::DEFAULT
    })
    .with_profiles(Profiles::all(profile));
    verifier.add_trust_anchor(&root.certificate).unwrap();
    verifier
}

fn said(holder: &Holder, psid: u64, after: u64) -> Vec<u8> {
    let message = MessageContents {
        psid,
        made: Some(Time64(now().0 + after)),
        ..MessageContents::new()
    };
    message.sign(holder)
}

fn verdict(verifier: &mut Verifier, message: &[u8]) -> Result<(), ResultCode> {
    let verdict = verifier.verify(message, &ReceptionContext::at(now()));
    verdict.map(drop).map_err(|refusal| refusal.code)
}

/// One sender sends more than fits, all of it valid and dated later than what others send: their
/// messages are accepted as before, and no message is accepted twice.
#[test]
fn a_flood_of_one_sender_silences_no_other_sender() {
    const REPLAYED: Result<(), ResultCode> = Err(ResultCode::RelevanceReplayedSpdu);
    let root = root();
    let [loud, quiet, late] =
        [10, 11, 12].map(|seed| Holder::issue(&Spec::station(seed), Some(&root)));
    let mut verifier = verifier(&root, 16);
    let before = said(&quiet, 36, 100);
    assert_eq!(verdict(&mut verifier, &before), Ok(()));
    let flood = 3 * MESSAGES as u64;
    let flooded: Vec<_> = (0..flood).map(|at| said(&loud, 36, 1_000 + at)).collect();
    for message in &flooded {
        assert_eq!(verdict(&mut verifier, message), Ok(()));
    }
    assert_eq!(verifier.replays().len(), MESSAGES);
    // Others: who spoke before, one who did not, and another application of the loud one itself.
    for message in [
        said(&quiet, 36, 101),
        said(&quiet, 36, 99),
        said(&late, 36, 1),
        said(&loud, 37, 1),
    ] {
        assert_eq!(verdict(&mut verifier, &message), Ok(()));
        assert_eq!(verdict(&mut verifier, &message), REPLAYED);
    }
    assert_eq!(verdict(&mut verifier, &before), REPLAYED);
    for message in &flooded {
        assert_eq!(verdict(&mut verifier, message), REPLAYED);
    }
    assert_eq!(verifier.replays().len(), MESSAGES);
}

/// More senders than messages fit: the one that was silent for longest is forgotten, and nothing
/// comes back for that.
#[test]
fn more_senders_than_fit_open_no_way_for_replays() {
    let root = root();
    let senders: Vec<_> = (0..2 * MESSAGES as u64)
        .map(|at| {
            let spec = Spec::station(20 + at as u8);
            (Holder::issue(&spec, Some(&root)), at)
        })
        .collect();
    let mut verifier = verifier(&root, 256);
    for (sender, at) in &senders {
        assert_eq!(verdict(&mut verifier, &said(sender, 36, *at)), Ok(()));
    }
    assert_eq!(verifier.replays().len(), MESSAGES);
    for (sender, at) in &senders {
        assert!(verdict(&mut verifier, &said(sender, 36, *at)).is_err());
    }
    // Each is heard again as soon as it says something later than those who were forgotten.
    for (sender, at) in &senders {
        let next = said(sender, 36, 1_000 + *at);
        assert_eq!(verdict(&mut verifier, &next), Ok(()));
    }
}

/// The key of an implicit certificate in the store is computed once, when it is added.
#[test]
fn the_key_of_a_kept_implicit_certificate_is_computed_once() {
    let root = root();
    let spec = Spec {
        implicit: true,
        ..Spec::station(30)
    };
    let station = Holder::issue(&spec, Some(&root));
    let mut verifier = verifier(&root, 16);
    verifier.add_certificate(&station.certificate).unwrap();
    let context = ReceptionContext::at(now());
    let is_computed = |verifier: &Verifier, message: &[u8]| {
        let prepared = verifier.prepare(message, &context).unwrap();
        let job = prepared.job().unwrap();
        matches!(job.key, JobKey::Explicit(_))
    };
    assert!(is_computed(&verifier, &said(&station, 36, 0)));
    let mut wrong = said(&station, 36, 0);
    *wrong.last_mut().unwrap() ^= 1;
    assert!(verdict(&mut verifier, &wrong).is_err());
    assert_eq!(verdict(&mut verifier, &said(&station, 36, 0)), Ok(()));
    assert!(is_computed(&verifier, &said(&station, 36, 1)));
    assert_eq!(verdict(&mut verifier, &said(&station, 36, 1)), Ok(()));
    assert_eq!(verifier.store().held(), 0);
}

/// An issuer that is held no more is in memory as long as one whom it issued to is.
#[test]
fn memory_counts_issuers_that_went() {
    let root = root();
    let authority = Holder::issue(&Spec::authority(2), Some(&root));
    let station = Holder::issue(&Spec::station(40), Some(&authority));
    let other = Holder::issue(&Spec::station(41), Some(&root));
    let mut verifier = verifier(&root, 2);
    let above = [&authority];
    let message = MessageContents {
        named: Named::Certificates(&above),
        ..MessageContents::new()
    };
    assert_eq!(verdict(&mut verifier, &message.sign(&station)), Ok(()));
    let before = verifier.store().memory();
    assert_eq!(verdict(&mut verifier, &said(&other, 36, 0)), Ok(()));
    assert!(verifier.store().find(authority.id()).is_none());
    assert!(verifier.store().find(station.id()).is_some());
    assert_eq!(verifier.store().held(), 2);
    assert!(verifier.store().memory() >= before + other.certificate.len());
}
