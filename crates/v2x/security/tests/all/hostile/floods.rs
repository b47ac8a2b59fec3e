//! Memory of the verifier under floods, and its state after refused messages.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::World;

/// A flood of distinct senders: caches stay within their bounds, the oldest go, and no message that
/// came before is accepted again, whatever was forgotten.
#[test]
fn floods_fill_no_memory_and_bring_no_replay() {
    let world = World::new();
    let mut verifier = world.verifier();
    let at = ReceptionContext::at(now());
    let first = Holder::issue(&Spec::station(200), Some(&world.authority));
    let early = MessageContents::new().sign(&first);
    assert!(verifier.verify(&early, &at).is_ok());
    let senders: u64 = 1_500;
    for sender in 0..senders {
        let made = Time64(now().0 + 1 + sender);
        let spec = Spec {
            start: waywarden_testkit_v2x::world::NOW - 3_600 - sender as u32,
            ..Spec::station(100)
        };
        let station = Holder::issue(&spec, Some(&world.authority));
        let message = MessageContents {
            made: Some(made),
            ..MessageContents::new()
        }
        .sign(&station);
        verifier.verify(&message, &at).unwrap();
    }
    println!(
        "{senders} senders: {} certificates in {} bytes, {} messages in at most {} bytes",
        verifier.store().held(),
        verifier.store().memory(),
        verifier.replays().len(),
        verifier.replays().memory_max(),
    );
    assert_eq!(verifier.store().held(), 256);
    assert_eq!(verifier.replays().len(), 1_024);
    assert!(verifier.store().memory() < 256 * 1_024);
    assert!(
        verifier.store().find(first.id()).is_none(),
        "the oldest goes"
    );
    let again = verifier.verify(&early, &at).unwrap_err();
    assert_eq!(again.code, ResultCode::RelevanceReplayedSpdu);
    // Nor in another form of the signature, nor naming its signer otherwise.
    let named = MessageContents {
        named: Named::Digest,
        ..MessageContents::new()
    }
    .sign(&first);
    assert!(verifier.verify(&named, &at).is_err());
}

/// One sender ten times a second: by certificate once, then by digest, and its rebuilt key is kept.
#[test]
fn a_sender_is_known_after_its_first_message() {
    let world = World::new();
    for implicit in [false, true] {
        let mut verifier = world.verifier();
        let station = Holder::issue(
            &Spec {
                implicit,
                ..Spec::station(77)
            },
            Some(&world.authority),
        );
        let at = ReceptionContext::at(now());
        let message = |payload: &[u8], named| {
            let message = MessageContents {
                payload,
                named,
                ..MessageContents::new()
            };
            message.sign(&station)
        };
        let digest = message(b"0", Named::Digest);
        let refusal = verifier.verify(&digest, &at).unwrap_err();
        assert_eq!(refusal.code, ResultCode::ParsingCertificateNotFound);
        let whole = message(b"1", Named::Certificates(&[]));
        assert_eq!(
            verifier.verify(&whole, &at).unwrap().signer.id(),
            station.id()
        );
        assert!(verifier.verify(&digest, &at).is_ok());
        assert!(verifier.verify(&message(b"2", Named::Digest), &at).is_ok());
    }
}

/// Nothing is known of a message whose signature is wrong: neither its certificate nor itself.
#[test]
fn a_refused_message_changes_nothing() {
    let world = World::new();
    let mut verifier = world.verifier();
    let station = Holder::issue(&Spec::station(78), Some(&world.authority));
    let at = ReceptionContext::at(now());
    let mut message = MessageContents::new().sign(&station);
    let last = message.len() - 1;
    message[last] ^= 1;
    assert!(verifier.verify(&message, &at).is_err());
    assert_eq!((verifier.store().held(), verifier.replays().len()), (0, 0));
    message[last] ^= 1;
    assert!(verifier.verify(&message, &at).is_ok());
}

/// Without a generation time neither age nor replay can be told.
#[test]
fn a_message_that_does_not_say_when_is_refused_or_judged_now() {
    let world = World::new();
    let station = Holder::issue(&Spec::station(79), Some(&world.authority));
    let message = MessageContents {
        made: None,
        ..MessageContents::new()
    }
    .sign(&station);
    let refusal = world
        .verifier()
        .verify(&message, &ReceptionContext::at(now()))
        .unwrap_err();
    assert_eq!(refusal.code, ResultCode::ParsingGenerationTimeNotAvailable);
    // Where the profile looks at neither, the certificate has to be valid now.
    let profile = SecurityProfile {
        past: None,
        checks_replay: false,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier().with_profiles(Profiles::all(profile));
    assert!(
        verifier
            .verify(&message, &ReceptionContext::at(now()))
            .is_ok()
    );
    let later = Time64(now().0 + 48 * 3_600_000_000);
    let refusal = verifier
        .verify(&message, &ReceptionContext::at(later))
        .unwrap_err();
    assert_eq!(
        refusal.code,
        ResultCode::ConsistencyExpiredCertificateAtGenerationTime
    );
}

/// Messages that were forgotten because of their age are refused as replays.
#[test]
fn what_is_forgotten_is_no_way_in() {
    let world = World::new();
    let profile = SecurityProfile {
        past: None,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier().with_profiles(Profiles::all(profile));
    let station = Holder::issue(&Spec::station(81), Some(&world.authority));
    let message = MessageContents::new().sign(&station);
    assert!(
        verifier
            .verify(&message, &ReceptionContext::at(now()))
            .is_ok()
    );
    let later = Time64(now().0 + 3_600_000_000);
    verifier.forget_old(later);
    let refusal = verifier
        .verify(&message, &ReceptionContext::at(later))
        .unwrap_err();
    assert_eq!(refusal.code, ResultCode::RelevanceReplayedSpdu);
}
