//! Hostile bytes and floods: nothing altered is accepted, nothing panics, nothing grows without
//! bound.

use waywarden_v2x_security::hash::{HashFunction, certificate_digest, hash_canonical};
use waywarden_v2x_security::profile::{NonceForm, SecurityProfile};
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode, Verifier};

use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CurvePoint, Elevation, Ieee1609Dot2Content, Ieee1609Dot2Data, Latitude, Longitude,
    Psid, Signature, SignedData, SignerIdentifier, ThreeDLocation, Time32, Time64,
};

use crate::world::{Holder, Message, Named, Spec, now};

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

    /// With the profiles that are shipped.
    fn verifier(&self) -> Verifier {
        self.verifier_with(Profiles::default())
    }

    fn verifier_with(&self, profiles: Profiles) -> Verifier {
        let mut verifier = Verifier::new(256, 1_024).with_profiles(profiles);
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier
            .add_certificate(&self.authority.certificate)
            .unwrap();
        verifier
    }
}

/// Applications whose messages are signed with a point, and those where the x-coordinate alone will
/// do, each with a place where it may have one.
const APPLICATIONS: [u64; 4] = [36, 32, 37, 135];

/// A hundred messages of explicit and implicit certificates, each of another content, in four
/// applications.
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
            psid: APPLICATIONS[at % APPLICATIONS.len()],
            // A CAM has its place in the payload.
            place: (APPLICATIONS[at % APPLICATIONS.len()] != 36).then_some(ThreeDLocation {
                latitude: Latitude(435_551_000),
                longitude: Longitude(103_036_000),
                elevation: Elevation(4_100),
            }),
            payload: &payload,
            ..Message::new()
        };
        // Every application with every station.
        message.sign(&stations[(at + at / stations.len()) % stations.len()])
    };
    (0..100).map(sign).collect()
}

fn signed(message: &[u8]) -> SignedData<'_> {
    let data: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    match data.content {
        Ieee1609Dot2Content::Signed(signed) => signed,
        other => panic!("{other:?}"),
    }
}

/// The x-coordinate of `r`, whether it is all that is there, and `s`.
fn signature<'m>(signed: &SignedData<'m>) -> (&'m [u8; 32], bool, &'m [u8; 32]) {
    let Signature::EcdsaNistP256(own) = signed.signature else {
        panic!("{:?}", signed.signature);
    };
    match own.r {
        CurvePoint::XOnly(x) => (x, true, own.s),
        CurvePoint::CompressedY0(x) | CurvePoint::CompressedY1(x) => (x, false, own.s),
        other => panic!("{other:?}"),
    }
}

/// Where the choice of form stands: before `r` and `s` at the end.
fn choice(message: &[u8]) -> usize {
    message.len() - 65
}

/// Two messages say the same, under the same signature and the same certificate, of which one
/// signature has another form.
fn assert_same_signature(one: &[u8], other: &[u8]) {
    let (left, right) = (signed(one), signed(other));
    assert_eq!(left.tbs_data.bytes(), right.tbs_data.bytes());
    let digest = |data: &SignedData<'_>| hash_canonical(HashFunction::Sha256, &*data.tbs_data);
    assert_eq!(digest(&left), digest(&right));
    let ((r, _, s), (other_r, _, other_s)) = (signature(&left), signature(&right));
    assert_eq!((r, s), (other_r, other_s));
    let signer = |data: &SignedData<'_>| match data.signer {
        SignerIdentifier::Certificate(list) => {
            certificate_digest(&list.iter().next().unwrap().unwrap())
        }
        _ => None,
    };
    assert_eq!(signer(&left), signer(&right));
    let differ = one.iter().zip(other).filter(|(a, b)| a != b);
    let differ: Vec<(&u8, &u8)> = differ.collect();
    let is_choice = |octet: &u8| [0x80, 0x82, 0x83].contains(octet);
    assert!(matches!(differ[..], [(a, b)] if is_choice(a) && is_choice(b)));
    assert_eq!(one.len(), other.len());
}

/// Whether two messages differ in the form of their own signature, not in that of a certificate.
fn differ_in_own_form(one: &[u8], other: &[u8]) -> bool {
    signature(&signed(one)).1 != signature(&signed(other)).1
}

/// Whichever of two messages came first, the other one is a replay.
fn assert_replays(world: &World, one: &[u8], other: &[u8]) {
    let at = ReceptionContext::at(now());
    for (first, second) in [(one, other), (other, one)] {
        let mut verifier = world.verifier();
        assert!(verifier.verify(first, &at).is_ok());
        let refusal = verifier.verify(second, &at).unwrap_err();
        assert_eq!(refusal.code, ResultCode::RelevanceReplayedSpdu);
        assert_eq!(verifier.replays().len(), 1);
    }
}

/// The bits to flip in a message: all of a few messages, and in each of the others as many as go
/// round all places.
fn bits(number: usize, message: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let step = if number < 4 { 1 } else { 61 };
    (number % step..message.len() * 8).step_by(step)
}

fn flip(message: &[u8], bit: usize) -> Vec<u8> {
    let mut other = message.to_vec();
    other[bit / 8] ^= 1 << (bit % 8);
    other
}

/// With the profiles that are shipped: one bit of the octet that says in which form `r` comes gives
/// the same signature on the same bytes in its other form, where both are taken: of messages in
/// some applications, of certificates everywhere. Such a copy is a replay of what it is a copy of.
/// Nothing else is accepted.
#[test]
fn a_flipped_bit_is_refused_or_another_form_of_the_same_signature() {
    let world = World::new();
    let at = ReceptionContext::at(now());
    let (mut flipped, mut forms) = (0, 0);
    for (number, message) in hundred(&world).iter().enumerate() {
        let mut verifier = world.verifier();
        assert!(verifier.verify(message, &at).is_ok(), "message {number}");
        let psid = signed(message).tbs_data.header_info.psid;
        let is_any = verifier.profiles().of(psid).nonce_form == NonceForm::Any;
        assert_eq!(is_any, [36, 37].contains(&psid.0));
        // One that knows the signer already, and one that does not, for what is refused changes
        // nothing.
        let mut fresh = world.verifier();
        for bit in bits(number, message) {
            let other = flip(message, bit);
            flipped += 1;
            assert!(verifier.verify(&other, &at).is_err());
            if fresh.verify(&other, &at).is_err() {
                continue;
            }
            fresh = world.verifier();
            let is_own = differ_in_own_form(message, &other);
            assert!(is_any || !is_own, "message {number}, bit {bit}");
            assert_same_signature(message, &other);
            assert_replays(&world, message, &other);
            forms += 1;
        }
    }
    println!("{flipped} bits flipped, {forms} of them the form of a signature");
    assert!(forms > 0);
}

/// The same from the other side: messages that come with the x-coordinate alone.
#[test]
fn a_signature_is_the_same_in_either_form() {
    let world = World::new();
    let mut seen = [0; 3];
    for message in hundred(&world).iter().step_by(2) {
        let even = message[choice(message)] == 0x82;
        let mut other = message.clone();
        other[choice(message)] = 0x80;
        assert_same_signature(message, &other);
        assert_replays(&world, message, &other);
        seen[usize::from(even)] += 1;
        // Of the bits of its choice only that to the right point gives another form.
        for bit in 0..8 {
            let third = flip(&other, choice(message) * 8 + bit);
            let at = ReceptionContext::at(now());
            let is_accepted = world.verifier().verify(&third, &at).is_ok();
            assert_eq!(is_accepted, third == *message);
            seen[2] += usize::from(is_accepted);
        }
    }
    println!("{seen:?}");
    assert!(seen.into_iter().all(|count| count > 0));
}

#[test]
fn profiles_demand_points_but_those_of_europe_and_of_lists() {
    let any = [
        36, 37, 137, 138, 139, 140, 141, 256, 622, 623, 624, 638, 639,
    ];
    let profiles = Profiles::default();
    for psid in (0..1_000).chain([u64::MAX]) {
        let expected = match any.contains(&psid) {
            true => NonceForm::Any,
            false => NonceForm::Point,
        };
        assert_eq!(profiles.of(Psid(psid)).nonce_form, expected, "{psid}");
    }
    let strict = profiles.with_nonce_form(NonceForm::XOnly);
    let is_strict = |psid| strict.of(Psid(psid)).nonce_form == NonceForm::XOnly;
    assert!((0..1_000).all(is_strict));
}

/// Where points are demanded of messages, and x-coordinates of certificates, no bit of a message
/// can be another one.
#[test]
fn with_points_demanded_no_flipped_bit_is_accepted() {
    let world = World::new();
    let at = ReceptionContext::at(now());
    let mut flipped = 0;
    for (number, message) in hundred(&world).iter().enumerate().skip(4) {
        let psid = signed(message).tbs_data.header_info.psid;
        let mut profiles = Profiles::default().with_nonce_form(NonceForm::Point);
        let profile = SecurityProfile {
            certificate_nonce_form: NonceForm::XOnly,
            ..*profiles.of(psid)
        };
        profiles.set(psid, profile);
        let mut verifier = world.verifier_with(profiles);
        let form = (0..8).map(|bit| choice(message) * 8 + bit);
        for bit in bits(number, message).chain(form) {
            flipped += 1;
            let other = flip(message, bit);
            let verdict = verifier.verify(&other, &at);
            assert!(verdict.is_err(), "message {number}, bit {bit}");
        }
        let mut other = message.clone();
        other[choice(message)] = 0x80;
        let refusal = verifier.verify(&other, &at).unwrap_err();
        let words = "spduParsingInvalidInput: rSig: an x-coordinate, where a point is demanded";
        assert_eq!(refusal.to_string(), words);
        assert!(verifier.verify(message, &at).is_ok());
    }
    println!("{flipped} bits flipped");
}

/// What came before and comes again with a wrong signature is no replay: it was never said.
#[test]
fn a_replay_is_told_only_of_what_was_signed() {
    let world = World::new();
    let at = ReceptionContext::at(now());
    for message in hundred(&world).iter().take(16) {
        let mut verifier = world.verifier();
        assert!(verifier.verify(message, &at).is_ok());
        // The very same is told before any signature is verified.
        let refusal = verifier.prepare(message, &at).unwrap_err();
        assert_eq!(refusal.code, ResultCode::RelevanceReplayedSpdu);
        let [in_r, in_s] = [40, 1].map(|back| flip(message, (message.len() - back) * 8));
        let parity = flip(message, choice(message) * 8);
        for wrong in [in_r, in_s] {
            let refusal = verifier.verify(&wrong, &at).unwrap_err();
            assert_eq!(refusal.code, ResultCode::CryptoVerificationFailure);
        }
        // 0x83, or the choice of nothing.
        let refusal = verifier.verify(&parity, &at).unwrap_err();
        assert_ne!(refusal.code, ResultCode::RelevanceReplayedSpdu);
        // What is older than anything that is remembered may have come: with a wrong signature it
        // did not.
        verifier.forget_old(Time64(now().0 + 601_000_000));
        let refusal = verifier
            .verify(&flip(message, message.len() * 8 - 1), &at)
            .unwrap_err();
        assert_eq!(refusal.code, ResultCode::CryptoVerificationFailure);
        let refusal = verifier.verify(message, &at).unwrap_err();
        assert_eq!(refusal.code, ResultCode::RelevanceReplayedSpdu);
    }
}

#[test]
fn no_message_cut_short_is_accepted() {
    let world = World::new();
    let at = ReceptionContext::at(now());
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
    let at = ReceptionContext::at(now());
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
        let _ = verifier.verify_signatures(&bytes, &at);
    }
}

/// A flood of distinct senders: caches stay within their bounds, the oldest go, and no message that
/// came before is accepted again, whatever was forgotten.
#[test]
fn floods_fill_no_memory_and_bring_no_replay() {
    let world = World::new();
    let mut verifier = world.verifier();
    let at = ReceptionContext::at(now());
    let first = Holder::issue(&Spec::station(200), Some(&world.authority));
    let early = Message::new().sign(&first);
    assert!(verifier.verify(&early, &at).is_ok());
    let senders: u64 = 1_500;
    for sender in 0..senders {
        let made = Time64(now().0 + 1 + sender);
        let spec = Spec {
            start: crate::world::NOW - 3_600 - sender as u32,
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
        let at = ReceptionContext::at(now());
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
    let at = ReceptionContext::at(now());
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

/// A holder replaces `s` by `n - s` in its own certificate, which has another hash then and a
/// signature that is as valid: it is revoked all the same, at once and when the list comes between
/// the phases.
#[test]
fn the_malleable_counterpart_of_a_revoked_certificate_is_revoked() {
    let world = World::new();
    let own = Holder::issue(&Spec::station(80), Some(&world.authority));
    let mut twin = own.clone();
    let at = twin.certificate.len() - 32;
    let other =
        waywarden_ecverify::negated(waywarden_ecverify::Curve::P256, &own.certificate[at..]);
    twin.certificate[at..].copy_from_slice(&other.unwrap()[..32]);
    assert_ne!(own.id(), twin.id());
    let (first, second) = (Message::new().sign(&own), Message::new().sign(&twin));
    let context = ReceptionContext::at(now());
    for message in [&first, &second] {
        assert!(world.verifier().verify(message, &context).is_ok());
    }
    let certificate: Certificate<'_> = parse(&own.certificate).unwrap();
    let id = certificate_digest(&certificate).unwrap().id_10();
    let mut verifier = world.verifier();
    let prepared = verifier.prepare(&second, &context).unwrap();
    let mut prepared = prepared;
    while prepared.job().is_some() {
        prepared.record(waywarden_ecverify::Verdict::Valid).unwrap();
    }
    verifier.revocations_mut().revoke(id, Time32(u32::MAX));
    let refusal = verifier.commit(prepared).unwrap_err();
    assert_eq!(refusal.code, ResultCode::ChainCertificateRevoked);
    for message in [&first, &second] {
        let refusal = verifier.verify(message, &context).unwrap_err();
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
