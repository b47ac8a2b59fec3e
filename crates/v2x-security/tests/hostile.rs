//! Hostile bytes and floods: nothing altered is accepted, nothing panics, nothing grows without
//! bound.

mod world;

use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::profile::{NonceForm, SecurityProfile};
use waywarden_v2x_security::{Circumstances, Profiles, ResultCode, Verifier};

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Time32, Time64};

use world::{Holder, Message, Named, Spec, now};

/// A root, an authority under it, and a verifier that knows the root.
struct World {
    root: Holder,
    authority: Holder,
}

impl World {
    fn new() -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = Holder::issue(&Spec::authority(2), Some(&root));
        Self { root, authority }
    }

    /// Signatures come as points, as those of the messages here do: the x-coordinate alone would be
    /// the same signature in other bytes.
    fn verifier(&self) -> Verifier {
        let profile = SecurityProfile {
            nonce_form: NonceForm::Point,
            ..SecurityProfile::DEFAULT
        };
        let mut verifier = Verifier::new(256, 1_024).with_profiles(Profiles::all(profile));
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier
            .add_certificate(&self.authority.certificate)
            .unwrap();
        verifier
    }
}

/// A hundred messages of explicit and implicit certificates, each of another content.
fn hundred(world: &World) -> Vec<Vec<u8>> {
    // Several, so that the points of certificates' signatures have even and odd y-coordinates.
    let stations: Vec<Holder> = (0..8)
        .map(|number| {
            let implicit = number % 2 == 1;
            let spec = Spec {
                implicit,
                ..Spec::station(10 + number)
            };
            Holder::issue(&spec, Some(&world.authority))
        })
        .collect();
    let sign = |at: usize| {
        let payload = vec![at as u8; 1 + at % 40];
        let message = Message {
            payload: &payload,
            ..Message::new()
        };
        message.sign(&stations[at % stations.len()])
    };
    (0..100).map(sign).collect()
}

/// Flips every bit of a few messages, and in each of the others as many as go round all places.
#[test]
fn no_message_with_a_flipped_bit_is_accepted() {
    let world = World::new();
    let at = Circumstances::at(now());
    let mut flipped = 0;
    for (number, message) in hundred(&world).iter().enumerate() {
        assert!(
            world.verifier().verify(message, &at).is_ok(),
            "message {number}"
        );
        let verifier = world.verifier();
        let step = if number < 8 { 1 } else { 61 };
        for bit in (number % step..message.len() * 8).step_by(step) {
            let mut other = message.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            flipped += 1;
            // A copy that knows the signer already, and one that does not.
            let mut fresh = world.verifier();
            assert!(
                fresh.verify(&other, &at).is_err(),
                "message {number}, bit {bit}"
            );
        }
        drop(verifier);
    }
    println!("{flipped} bits flipped");
}

#[test]
fn no_message_cut_short_is_accepted() {
    let world = World::new();
    let at = Circumstances::at(now());
    for message in hundred(&world).iter().take(10) {
        let verifier = world.verifier();
        for length in 0..message.len() {
            let refusal = verifier.prepare(&message[..length], &at).unwrap_err();
            assert_eq!(refusal.code, ResultCode::ParsingInvalidInput);
        }
    }
}

/// Random changes of many bytes, and random bytes: nothing panics and nothing is accepted.
#[test]
fn fuzz() {
    let world = World::new();
    let at = Circumstances::at(now());
    let seed = std::env::var("WAYWARDEN_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut state: u64 = seed.unwrap_or(0x5eed);
    println!("WAYWARDEN_SEED={state}");
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let rounds = std::env::var("WAYWARDEN_SEEDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok());
    let messages = hundred(&world);
    let verifier = world.verifier();
    for _ in 0..rounds.unwrap_or(2_000_u32) {
        let mut bytes = messages[next() as usize % messages.len()].clone();
        for _ in 0..1 + next() % 6 {
            let place = next() as usize % bytes.len();
            match next() % 3 {
                0 => bytes[place] = next() as u8,
                1 => bytes.truncate(place.max(1)),
                _ => bytes.insert(place, next() as u8),
            }
        }
        let _ = verifier.prepare(&bytes, &at);
        let _ = verifier.verify_certificate(&bytes);
        let _ = verifier.verify_signatures(&bytes, None);
    }
}

/// A flood of distinct senders: caches stay within their bounds, the oldest go, and no message that
/// came before is accepted again, whatever was forgotten.
#[test]
fn floods_fill_no_memory_and_bring_no_replay() {
    let world = World::new();
    let mut verifier = world.verifier();
    let at = Circumstances::at(now());
    let first = Holder::issue(&Spec::station(200), Some(&world.authority));
    let early = Message::new().sign(&first);
    assert!(verifier.verify(&early, &at).is_ok());
    let senders: u64 = 1_500;
    for sender in 0..senders {
        let made = Time64(now().0 + 1 + sender);
        let spec = Spec {
            start: world::NOW - 3_600 - sender as u32,
            ..Spec::station(100)
        };
        let station = Holder::issue(&spec, Some(&world.authority));
        let message = Message {
            made: Some(made),
            ..Message::new()
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
    let named = Message {
        named: Named::Digest,
        ..Message::new()
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
        let at = Circumstances::at(now());
        let message = |payload: &[u8], named| {
            let message = Message {
                payload,
                named,
                ..Message::new()
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
    let at = Circumstances::at(now());
    let mut message = Message::new().sign(&station);
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
    let message = Message {
        made: None,
        ..Message::new()
    }
    .sign(&station);
    let refusal = world
        .verifier()
        .verify(&message, &Circumstances::at(now()))
        .unwrap_err();
    assert_eq!(refusal.code, ResultCode::ParsingGenerationTimeNotAvailable);
    // Where the profile looks at neither, the certificate has to be valid now.
    let profile = SecurityProfile {
        past: None,
        checks_replay: false,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier().with_profiles(Profiles::all(profile));
    assert!(verifier.verify(&message, &Circumstances::at(now())).is_ok());
    let later = Time64(now().0 + 48 * 3_600_000_000);
    let refusal = verifier
        .verify(&message, &Circumstances::at(later))
        .unwrap_err();
    assert_eq!(
        refusal.code,
        ResultCode::ConsistencyExpiredCertificateAtGenerationTime
    );
}

/// A holder replaces `s` by `n - s` in its own certificate, which has another hash then and a
/// signature that is as valid: it is revoked all the same, at once and when the list comes between
/// the phases.
#[test]
fn the_twin_of_a_revoked_certificate_is_revoked() {
    let world = World::new();
    let own = Holder::issue(&Spec::station(80), Some(&world.authority));
    let mut twin = own.clone();
    let at = twin.certificate.len() - 32;
    let other =
        waywarden_ecverify::negated(waywarden_ecverify::Curve::P256, &own.certificate[at..]);
    twin.certificate[at..].copy_from_slice(&other.unwrap()[..32]);
    assert_ne!(own.id(), twin.id());
    let (first, second) = (Message::new().sign(&own), Message::new().sign(&twin));
    let circumstances = Circumstances::at(now());
    for message in [&first, &second] {
        assert!(world.verifier().verify(message, &circumstances).is_ok());
    }
    let certificate: Certificate<'_> = parse(&own.certificate).unwrap();
    let id = certificate_digest(&certificate).unwrap().id_10();
    let mut verifier = world.verifier();
    let prepared = verifier.prepare(&second, &circumstances).unwrap();
    let valid = vec![waywarden_ecverify::Verdict::Valid; prepared.jobs().count()];
    verifier.revocations_mut().revoke(id, Time32(u32::MAX));
    let refusal = verifier.commit(prepared, &valid).unwrap_err();
    assert_eq!(refusal.code, ResultCode::ChainCertificateRevoked);
    for message in [&first, &second] {
        let refusal = verifier.verify(message, &circumstances).unwrap_err();
        assert_eq!(refusal.code, ResultCode::ChainCertificateRevoked);
    }
}

/// What was forgotten because it is old cannot come again.
#[test]
fn what_is_forgotten_is_no_way_in() {
    let world = World::new();
    let profile = SecurityProfile {
        past: None,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = world.verifier().with_profiles(Profiles::all(profile));
    let station = Holder::issue(&Spec::station(81), Some(&world.authority));
    let message = Message::new().sign(&station);
    assert!(verifier.verify(&message, &Circumstances::at(now())).is_ok());
    let later = Time64(now().0 + 3_600_000_000);
    verifier.forget_old(later);
    let refusal = verifier
        .verify(&message, &Circumstances::at(later))
        .unwrap_err();
    assert_eq!(refusal.code, ResultCode::RelevanceReplayedSpdu);
}
