//! Cost of an unverified message: its number of signatures, counted, and its greatest size. The
//! time for it is measured by `waywarden bench verify`.

use waywarden_ecverify::{SignatureRefusal, Verdict};
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::{
    Limits, MessageSource, Reason, ReceptionContext, ResultCode, Verifier,
};

/// A root, authorities each under the one before, and a station under the last one.
fn chain(length: usize, implicit: bool) -> (Holder, Vec<Holder>, Holder) {
    let root = Holder::issue(&Spec::authority(1), None);
    let mut authorities: Vec<Holder> = Vec::new();
    for number in 0..length {
        let spec = Spec {
            implicit,
            ..Spec::authority(10 + number as u8)
        };
        let next = Holder::issue(&spec, Some(authorities.last().unwrap_or(&root)));
        authorities.push(next);
    }
    let issuer = authorities.last().unwrap_or(&root);
    let station = Holder::issue(&Spec::station(3), Some(issuer));
    (root, authorities, station)
}

fn verifier(root: &Holder, limits: Limits) -> Verifier {
    let mut verifier = Verifier::default().with_limits(limits);
    verifier.add_trust_anchor(&root.certificate).unwrap();
    verifier
}

fn with_chain(authorities: &[Holder], station: &Holder) -> Vec<u8> {
    let above: Vec<&Holder> = authorities.iter().rev().collect();
    let message = MessageContents {
        named: Named::Certificates(&above),
        ..MessageContents::new()
    };
    message.sign(station)
}

/// Returns the number of signatures up to the first refusal, if the first `valid` are valid.
fn signatures(verifier: &Verifier, message: &[u8], valid: usize) -> usize {
    let mut prepared = verifier
        .prepare(message, &ReceptionContext::at(now()))
        .unwrap();
    for count in 0.. {
        if prepared.job().is_none() {
            return count;
        }
        let verdict = match count < valid {
            true => Verdict::Valid,
            false => Verdict::Refused(SignatureRefusal::Equation),
        };
        let _ = prepared.record(verdict);
    }
    unreachable!("jobs end")
}

/// The signatures of a chain are verified from the top, and none below a wrong one.
#[test]
fn work_ends_at_the_first_wrong_signature() {
    let limits = Limits {
        signatures: 9,
        work: u32::MAX,
        ..Limits::DEFAULT
    };
    for length in 0..6 {
        let (root, authorities, station) = chain(length, false);
        let message = with_chain(&authorities, &station);
        let verifier = verifier(&root, limits);
        for valid in 0..=length {
            assert_eq!(signatures(&verifier, &message, valid), valid + 1);
        }
        assert_eq!(signatures(&verifier, &message, 99), length + 2);
    }
}

/// A message from a radio may bring so many certificates that are not known; one from a file more.
#[test]
fn a_message_has_no_more_signatures_than_its_limit() {
    for length in 0..6 {
        let (root, authorities, station) = chain(length, false);
        let message = with_chain(&authorities, &station);
        for most in 2..8 {
            let limits = Limits {
                signatures: most,
                work: u32::MAX,
                ..Limits::DEFAULT
            };
            let verdict = verifier(&root, limits)
                .verify(&message, &ReceptionContext::at(now()))
                .map(drop)
                .map_err(|refusal| refusal.code);
            let expected = match length + 2 <= most {
                true => Ok(()),
                false => Err(ResultCode::ChainWasTooLongForImplementation),
            };
            assert_eq!(verdict, expected, "{length} authorities, {most} signatures");
        }
        let file = ReceptionContext {
            source: MessageSource::File,
            ..ReceptionContext::at(now())
        };
        let mut verifier = verifier(&root, Limits::DEFAULT);
        assert!(verifier.verify(&message, &file).is_ok());
    }
}

/// Signed bytes that are not canonical count twice, and an implicit key more: beyond four
/// signatures on P-256, a message of an unknown signer is refused, and of a known one verified.
#[test]
fn a_message_costs_no_more_work_than_its_limit() {
    let (root, authorities, _) = chain(1, false);
    let implicit = Spec {
        implicit: true,
        ..Spec::station(3)
    };
    let station = Holder::issue(&implicit, authorities.last());
    let message = with_chain(&authorities, &station);
    // One signature of the authority's certificate, and 1.3 for the implicit key.
    for (work, is_allowed) in [(229, false), (230, true), (400, true)] {
        let limits = Limits {
            work,
            ..Limits::DEFAULT
        };
        let verdict = verifier(&root, limits).verify(&message, &ReceptionContext::at(now()));
        assert_eq!(verdict.is_ok(), is_allowed, "{work}");
    }
    let limits = Limits {
        work: 0,
        ..Limits::DEFAULT
    };
    let mut verifier = verifier(&root, limits);
    verifier
        .add_certificate(&authorities[0].certificate)
        .unwrap();
    verifier.add_certificate(&station.certificate).unwrap();
    assert!(
        verifier
            .verify(&message, &ReceptionContext::at(now()))
            .is_ok()
    );
}

/// An implicit certificate has no signature to stop at: unless the receiver says otherwise, one
/// that is not known issues nothing.
#[test]
fn unknown_implicit_issuers_are_refused_unless_allowed() {
    let (root, authorities, station) = chain(1, true);
    let message = with_chain(&authorities, &station);
    let allowed = Limits {
        unknown_implicit_issuers: true,
        ..Limits::DEFAULT
    };
    let verdict = |limits| {
        let mut verifier = verifier(&root, limits);
        let verdict = verifier.verify(&message, &ReceptionContext::at(now()));
        verdict.map(drop).map_err(|refusal| refusal.code)
    };
    let missing = ResultCode::ChainNotEnoughInformationToConstructChain;
    assert_eq!(verdict(Limits::DEFAULT), Err(missing));
    assert_eq!(verdict(allowed), Ok(()));
    // The refusal says that the certificate is there, and how it would be taken.
    let mut verifier = verifier(&root, Limits::DEFAULT);
    let refusal = verifier.verify(&message, &ReceptionContext::at(now()));
    let refusal = refusal.unwrap_err();
    let text = refusal.to_string();
    for part in [
        "issuer: certificate ",
        "is in the message alone, and implicit",
        "make it known beforehand",
        "--unknown-implicit-issuers",
        "Limits::unknown_implicit_issuers",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let issuer = authorities[0].id();
    assert_eq!(refusal.reason.missing(), Some(issuer), "{text}");
    // Without the certificate in the message there is nothing to allow.
    let alone = with_chain(&[], &station);
    let refusal = verifier
        .verify(&alone, &ReceptionContext::at(now()))
        .unwrap_err();
    assert_eq!(refusal.reason, Reason::Missing(issuer));
}

/// Sizes end where the limit says, whatever is in the message; lists have a limit of their own.
#[test]
fn a_message_is_no_longer_than_its_limit() {
    let (root, _, station) = chain(0, false);
    let message = |psid, length: usize| {
        let payload = vec![7; length];
        let message = MessageContents {
            psid,
            made: None,
            payload: &payload,
            ..MessageContents::new()
        };
        message.sign(&station)
    };
    let code = |message: &[u8], source| {
        let context = ReceptionContext {
            source,
            ..ReceptionContext::at(now())
        };
        let mut verifier = verifier(&root, Limits::DEFAULT);
        verifier.verify(message, &context).unwrap_err()
    };
    let around = message(135, 1_000).len() - 1_000;
    let too_long = "longer than the receiver's limit";
    for (psid, length, source, is_read) in [
        (135, 2_302 - around, MessageSource::Radio, true),
        (135, 2_303 - around, MessageSource::Radio, false),
        (135, 200_000, MessageSource::Radio, false),
        (135, 200_000, MessageSource::File, true),
        (135, 17 << 20, MessageSource::File, false),
        (256, 200_000, MessageSource::Radio, true),
        (622, 200_000, MessageSource::Radio, true),
        (624, 200_000, MessageSource::Radio, true),
        (624, 17 << 20, MessageSource::Radio, false),
        (623, 200_000, MessageSource::Radio, false),
    ] {
        let refusal = code(&message(psid, length), source).to_string();
        assert_eq!(
            !refusal.contains(too_long),
            is_read,
            "{psid} {length}: {refusal}"
        );
    }
    // What is no payload counts as in any message.
    let mut stuffed = message(256, 10);
    let end = stuffed.len();
    stuffed.extend(vec![0; 200_000]);
    assert!(
        code(&stuffed, MessageSource::Radio)
            .to_string()
            .contains(too_long)
    );
    assert!(
        !code(&stuffed[..end], MessageSource::Radio)
            .to_string()
            .contains(too_long)
    );
}
