//! Messages verified together, and tables of keys: the verdicts are those of one after the other.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{
    Capacity, IncomingMessage, Profiles, ReceptionContext, ResultCode, Verifier,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

type Verdicts = Vec<Result<(), ResultCode>>;

fn verifier(root: &Holder) -> Verifier {
    verifier_of(root, Capacity::DEFAULT)
}

fn verifier_of(root: &Holder, capacity: Capacity) -> Verifier {
    let profile = SecurityProfile {
        past: None,
        future: None,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = Verifier::new(capacity).with_profiles(Profiles::all(profile));
    verifier.add_trust_anchor(&root.certificate).unwrap();
    verifier
}

fn one_by_one(verifier: &mut Verifier, messages: &[Vec<u8>]) -> Verdicts {
    let here = ReceptionContext::at(now());
    messages
        .iter()
        .map(|message| {
            let verdict = verifier.verify(message, &here);
            verdict.map(drop).map_err(|refusal| refusal.code)
        })
        .collect()
}

fn together(verifier: &mut Verifier, messages: &[Vec<u8>]) -> Verdicts {
    let received: Vec<IncomingMessage<'_, '_>> = messages
        .iter()
        .map(|message| IncomingMessage {
            message,
            context: ReceptionContext::at(now()),
        })
        .collect();
    let verdicts = verifier.verify_many(&received);
    let codes = verdicts.into_iter();
    codes
        .map(|verdict| verdict.map(drop).map_err(|refusal| refusal.code))
        .collect()
}

/// Of each sender: a message with the certificate, then some that name it only; one is damaged, one
/// comes twice, one is cut off, and one names a certificate that no message carries.
fn traffic(root: &Holder, rounds: u64) -> Vec<Vec<u8>> {
    let senders = [20, 21, 22].map(|seed| Holder::issue(&Spec::station(seed), Some(root)));
    let stranger = Holder::issue(&Spec::station(23), Some(root));
    let message = |after, named| MessageContents {
        made: Some(Time64(now().0 + after)),
        named,
        ..MessageContents::new()
    };
    let mut messages = Vec::new();
    for after in 0..rounds {
        for sender in &senders {
            messages.push(match after {
                0 => message(after, Named::Certificates(&[])).sign(sender),
                _ => message(after, Named::Digest).sign(sender),
            });
        }
    }
    let mut damaged = messages[4].clone();
    *damaged.last_mut().unwrap() ^= 1;
    messages.insert(5, damaged);
    messages.push(messages[2].clone());
    messages.push(messages[1][..40].to_vec());
    messages.push(message(0, Named::Digest).sign(&stranger));
    messages
}

#[test]
fn together_is_as_one_by_one() {
    let root = Holder::issue(&Spec::authority(1), None);
    let messages = traffic(&root, 6);
    let expected = one_by_one(&mut verifier(&root), &messages);
    assert_eq!(together(&mut verifier(&root), &messages), expected);
    let tail = &expected[expected.len() - 3..];
    assert_eq!(expected[5], Err(ResultCode::CryptoVerificationFailure));
    assert_eq!(tail[0], Err(ResultCode::RelevanceReplayedSpdu));
    assert!(tail[1].is_err());
    assert_eq!(tail[2], Err(ResultCode::ParsingCertificateNotFound));
    let accepted = expected.iter().filter(|verdict| verdict.is_ok()).count();
    assert_eq!(accepted, expected.len() - 4);
    assert_eq!(together(&mut verifier(&root), &[]), []);
}

#[test]
fn tables_change_no_verdict() {
    let root = Holder::issue(&Spec::authority(1), None);
    let messages = traffic(&root, 40);
    let mut without = verifier_of(
        &root,
        Capacity {
            table_bytes: 0,
            ..Capacity::DEFAULT
        },
    );
    let mut with = verifier(&root);
    assert_eq!(
        one_by_one(&mut with, &messages),
        one_by_one(&mut without, &messages)
    );
    assert_eq!((without.tables().senders, without.tables().used), (0, 0));
    assert_eq!(with.tables().senders, 3);
    let kept = with.tables().used;
    let station = Holder::issue(&Spec::station(20), Some(&root));
    with.forget_certificate(station.id());
    assert_eq!(with.tables().senders, 2);
    assert!(with.tables().used < kept);
}
