//! Flipped bits, and the forms in which one signature can be written.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Spec, now};
use waywarden_v2x_security::hash::{HashFunction, certificate_digest, hash_canonical};
use waywarden_v2x_security::profile::{AcceptedNonceForm, SecurityProfile};
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CurvePoint, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Signature, SignedData,
    SignerIdentifier, Time32, Time64,
};

use super::{World, hundred};

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

/// Returns the offset of the signature's choice of form: before `r` and `s` at the end.
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
        let is_any = verifier.profiles().of(psid).nonce_form == AcceptedNonceForm::Any;
        assert!(is_any, "application {psid:?}");
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
fn profiles_take_any_form_unless_one_is_demanded() {
    let profiles = Profiles::default();
    for psid in (0..1_000).chain([2_113_687, u64::MAX]) {
        let form = profiles.of(Psid(psid)).nonce_form;
        assert_eq!(form, AcceptedNonceForm::Any, "{psid}");
    }
    let strict = profiles.with_nonce_form(AcceptedNonceForm::XOnly);
    let is_strict = |psid| strict.of(Psid(psid)).nonce_form == AcceptedNonceForm::XOnly;
    assert!((0..1_000).all(is_strict));
}

/// Messages demand points and certificates x-coordinates: then no message with a flipped bit is
/// accepted.
#[test]
fn with_points_demanded_no_flipped_bit_is_accepted() {
    let world = World::new();
    let at = ReceptionContext::at(now());
    let mut flipped = 0;
    for (number, message) in hundred(&world).iter().enumerate().skip(4) {
        let psid = signed(message).tbs_data.header_info.psid;
        let mut profiles = Profiles::default().with_nonce_form(AcceptedNonceForm::Point);
        let profile = SecurityProfile {
            certificate_nonce_form: AcceptedNonceForm::XOnly,
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

/// A repeated message with a wrong signature is no replay: it was never signed.
#[test]
fn a_replay_is_reported_only_of_what_was_signed() {
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

/// A holder replaces `s` by `n - s` in its own certificate, which has another hash then and a
/// signature that is as valid: it is revoked all the same, at once and when the list comes between
/// the phases.
#[test]
fn the_malleable_counterpart_of_a_revoked_certificate_is_revoked() {
    let world = World::new();
    let own = Holder::issue(&Spec::station(80), Some(&world.authority));
    let mut counterpart = own.clone();
    let at = counterpart.certificate.len() - 32;
    let other =
        waywarden_ecverify::negated(waywarden_ecverify::Curve::P256, &own.certificate[at..]);
    counterpart.certificate[at..].copy_from_slice(&other.unwrap()[..32]);
    assert_ne!(own.id(), counterpart.id());
    let (first, second) = (
        MessageContents::new().sign(&own),
        MessageContents::new().sign(&counterpart),
    );
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
