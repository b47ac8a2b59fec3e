//! Messages verified together are judged as one after the other, whatever their order: over random
//! mixtures of certificates, digests, chains, copies and damage, with stores of every size.

use waywarden_ecverify::SignatureVerifier;
use waywarden_testkit::{Random, first_seed, seeds};
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now, written};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{
    Capacity, IncomingMessage, Lookahead, Profiles, Reason, ReceptionContext, Refusal, Refused,
    Verifier, verify_certificate_signature, verify_in_rounds,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CurvePoint, EcdsaSignature, HashedId8, Signature, Time64,
};

/// Certificates that messages of a mixture are signed with.
struct Signers {
    root: Holder,
    /// Under the root; the second one is implicit.
    authorities: [Holder; 2],
    /// Stations and the authority that issued each; `None`: the root.
    stations: Vec<(Holder, Option<usize>)>,
}

impl Signers {
    fn new() -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = |seed, implicit| {
            let spec = Spec {
                implicit,
                ..Spec::authority(seed)
            };
            Holder::issue(&spec, Some(&root))
        };
        let authorities = [authority(2, false), authority(3, true)];
        let station = |number: usize| {
            let spec = Spec {
                implicit: number % 2 == 1,
                ..Spec::station(10 + number as u8)
            };
            let above = [None, Some(0), Some(0), Some(1)][number % 4];
            let issuer = above.map_or(&root, |above: usize| &authorities[above]);
            (Holder::issue(&spec, Some(issuer)), above)
        };
        let stations = (0..12).map(station).collect();
        Self {
            root,
            authorities,
            stations,
        }
    }

    /// A message of some station: which, how it names its certificate, and what it says are drawn.
    fn message(&self, random: &mut Random) -> Vec<u8> {
        let (station, above) = &self.stations[random.index(self.stations.len())];
        let above: Vec<&Holder> = above.iter().map(|&at| &self.authorities[at]).collect();
        let message = MessageContents {
            made: Some(Time64(now().0 + random.below(4))),
            named: match random.index(5) {
                0 | 1 => Named::Digest,
                2 => Named::Certificates(&[]),
                _ => Named::Certificates(&above),
            },
            ..MessageContents::new()
        };
        message.sign(station)
    }

    /// Messages, some of them copies, in another form, damaged or cut short.
    fn mixture(&self, random: &mut Random) -> Vec<Vec<u8>> {
        let mut messages: Vec<Vec<u8>> = Vec::new();
        for _ in 0..1 + random.index(24) {
            let mut message = match messages.len() {
                0 => self.message(random),
                count if random.once_in(6) => messages[random.index(count)].clone(),
                _ => self.message(random),
            };
            match random.index(12) {
                0 if !message.is_empty() => {
                    let bit = random.index(message.len() * 8);
                    message[bit / 8] ^= 1 << (bit % 8);
                }
                1 => message.truncate(random.index(message.len() + 1)),
                // The octet that says in which form the signature is.
                2 if message.len() > 65 => {
                    let at = message.len() - 65;
                    message[at] = [0x80, 0x82, 0x83][random.index(3)];
                }
                _ => {}
            }
            messages.push(message);
        }
        messages
    }

    /// A verifier that knows the root and perhaps authorities, with room for few or many.
    fn verifier(&self, choice: u64) -> Verifier {
        let (certificates, messages) = [(2, 4), (3, 64), (64, 3), (256, 256)][choice as usize % 4];
        let profile = SecurityProfile {
            nonce_form: waywarden_v2x_security::profile::AcceptedNonceForm::Any,
            ..SecurityProfile::DEFAULT
        };
        let mut verifier = Verifier::new(Capacity {
            certificates,
            messages,
            ..Capacity::DEFAULT
        })
        .with_profiles(Profiles::all(profile));
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        for (at, authority) in self.authorities.iter().enumerate() {
            if choice >> (2 + at) & 1 == 1 {
                verifier.add_certificate(&authority.certificate).unwrap();
            }
        }
        verifier
    }
}

type Outcome = Result<HashedId8, Refusal>;

/// Returns the state of a verifier after a mixture, as far as it shows in the verdicts on later
/// messages.
fn knowledge(verifier: &Verifier, signers: &Signers) -> (Vec<bool>, usize, usize, usize) {
    let known = |holder: &Holder| verifier.store().find(holder.id()).is_some();
    let stations = signers.stations.iter().map(|(station, _)| known(station));
    let all = signers.authorities.iter().map(known).chain(stations);
    let (held, replays) = (verifier.store().held(), verifier.replays().len());
    (all.collect(), held, replays, verifier.store().memory())
}

#[test]
fn any_mixture_is_judged_as_one_by_one() {
    let signers = Signers::new();
    let (mut accepted, mut refused) = (0, 0);
    let first = first_seed(0);
    println!("WAYWARDEN_SEED={first}");
    for seed in first..first + seeds(60) {
        let mut random = Random::new(seed);
        let choice = random.below(16);
        let context = |at: usize| ReceptionContext::at(Time64(now().0 + at as u64));
        let (mut single, mut together) = (signers.verifier(choice), signers.verifier(choice));
        for round in 0..3 {
            let messages = signers.mixture(&mut random);
            let one_by_one: Vec<Outcome> = messages
                .iter()
                .enumerate()
                .map(|(at, message)| Ok(single.verify(message, &context(at))?.signer.id()))
                .collect();
            let received: Vec<IncomingMessage<'_, '_>> = messages
                .iter()
                .enumerate()
                .map(|(at, message)| IncomingMessage {
                    message,
                    context: context(at),
                })
                .collect();
            let verdicts = together.verify_many(&received).into_iter();
            let at_once: Vec<Outcome> = verdicts.map(|one| Ok(one?.signer.id())).collect();
            assert_eq!(at_once, one_by_one, "seed {seed}, round {round}");
            let (left, right) = (knowledge(&together, &signers), knowledge(&single, &signers));
            assert_eq!(left, right, "seed {seed}, round {round}");
            accepted += one_by_one.iter().filter(|one| one.is_ok()).count();
            refused += one_by_one.iter().filter(|one| one.is_err()).count();
        }
    }
    println!("{accepted} accepted, {refused} refused, each as one by one");
    assert!(accepted > 100 && refused > 100);
}

/// The certificate of the first message serves those behind it, even through a chain of messages
/// each of which brings what the next one needs.
#[test]
fn a_certificate_serves_later_messages_of_its_batch() {
    let signers = Signers::new();
    let (station, _) = &signers.stations[1];
    let above = [&signers.authorities[0]];
    let message = |after, named| {
        let message = MessageContents {
            made: Some(Time64(now().0 + after)),
            named,
            ..MessageContents::new()
        };
        message.sign(station)
    };
    let other = &signers.stations[2].0;
    let second = MessageContents {
        named: Named::Certificates(&[]),
        ..MessageContents::new()
    };
    let third = MessageContents {
        made: Some(Time64(now().0 + 1)),
        named: Named::Digest,
        ..MessageContents::new()
    };
    let messages = [
        message(0, Named::Digest),
        message(1, Named::Certificates(&above)),
        message(2, Named::Digest),
        second.sign(other),
        third.sign(other),
    ];
    let received = messages.each_ref().map(|message| IncomingMessage {
        message,
        context: ReceptionContext::at(now()),
    });
    let mut verifier = signers.verifier(3);
    let verdicts = verifier.verify_many(&received);
    let accepted = verdicts.iter().map(Result::is_ok).collect::<Vec<_>>();
    assert_eq!(accepted, [false, true, true, true, true]);
}

/// Verdict on a message; if it is refused, with the verdict on its signatures.
type Explained = Result<HashedId8, Refused>;

fn explained(verifier: &mut Verifier, one: &IncomingMessage<'_, '_>) -> Explained {
    match verifier.verify(one.message, &one.context) {
        Ok(accepted) => Ok(accepted.signer.id()),
        Err(refusal) => Err(Refused {
            refusal,
            signatures_valid: match verifier.verify_signatures(one.message, &one.context) {
                Ok(()) => Some(true),
                Err(refusal) if matches!(refusal.reason, Reason::Signature(_)) => Some(false),
                Err(_) => None,
            },
        }),
    }
}

/// Messages of one batch, looked ahead: perhaps again, perhaps with signatures left to verify.
fn look_ahead<'m, 'c>(
    verifier: &Verifier,
    batch: &[IncomingMessage<'m, 'c>],
    signatures: &mut SignatureVerifier,
    random: &mut Random,
) -> Vec<Lookahead<'m, 'c>> {
    let all = batch.iter().cloned();
    let mut ahead: Vec<_> = all.map(|one| verifier.look_ahead(one, true)).collect();
    if !random.once_in(4) {
        verify_in_rounds(&mut ahead, |jobs, verdicts| {
            signatures.verify_many(jobs, verdicts);
        });
    }
    ahead
}

/// As threads do it: each batch is looked ahead while the verifier has come to some earlier one,
/// and perhaps once more later.
#[test]
fn messages_looked_ahead_at_any_time_are_judged_as_one_by_one() {
    let signers = Signers::new();
    let (mut accepted, mut whole, mut broken) = (0, 0, 0);
    let first = first_seed(0);
    println!("WAYWARDEN_SEED={first}");
    for seed in first..first + seeds(60) {
        let mut random = Random::new(seed);
        let choice = random.below(16);
        let (mut single, mut together) = (signers.verifier(choice), signers.verifier(choice));
        let messages: Vec<Vec<Vec<u8>>> = (0..4).map(|_| signers.mixture(&mut random)).collect();
        let mut context = || {
            let hours = [0, 0, 0, 0, 2, 40][random.index(6)];
            ReceptionContext::at(Time64(now().0 + hours * 3_600_000_000 + random.below(9)))
        };
        let batches: Vec<Vec<IncomingMessage<'_, '_>>> = messages
            .iter()
            .map(|batch| {
                let mut received = |message| IncomingMessage {
                    message,
                    context: context(),
                };
                batch.iter().map(|one| received(&one[..])).collect()
            })
            .collect();
        let mut signatures = SignatureVerifier::with_table_bytes(1 << 16);
        let mut waiting = std::collections::VecDeque::new();
        for batch in batches.iter().map(Some).chain([None; 3]) {
            if let Some(batch) = batch {
                waiting.push_back((
                    batch,
                    look_ahead(&together, batch, &mut signatures, &mut random),
                ));
            }
            let due = match batch {
                Some(_) => random.index(waiting.len() + 1),
                None => waiting.len(),
            };
            for (batch, mut ahead) in waiting.drain(..due) {
                if random.once_in(2) && together.look_ahead_again(&mut ahead) {
                    verify_in_rounds(&mut ahead, |jobs, verdicts| {
                        signatures.verify_many(jobs, verdicts);
                    });
                }
                for (at, (ahead, one)) in ahead.into_iter().zip(batch).enumerate() {
                    let expected = explained(&mut single, one);
                    let verdict = together.verify_ahead(ahead);
                    let verdict = verdict.map(|accepted| accepted.signer.id());
                    assert_eq!(verdict, expected, "seed {seed}, message {at}");
                    match expected {
                        Ok(_) => accepted += 1,
                        Err(refused) if refused.signatures_valid == Some(true) => whole += 1,
                        Err(_) => broken += 1,
                    }
                }
                let (left, right) = (knowledge(&together, &signers), knowledge(&single, &signers));
                assert_eq!(left, right, "seed {seed}");
            }
        }
    }
    println!("{accepted} accepted, {whole} refused and whole, {broken} broken, as one by one");
    assert!(accepted > 100 && whole > 100 && broken > 100);
}

/// The same certificate with the point R of its signature in place of R's x-coordinate.
fn with_nonce_as_point(holder: &Holder, issuer: &Holder) -> Holder {
    let view: Certificate<'_> = parse(&holder.certificate).unwrap();
    let Some(Signature::EcdsaNistP256(own)) = view.signature else {
        panic!("another signature than the world makes");
    };
    let CurvePoint::XOnly(x) = own.r else {
        panic!("another form than the world makes");
    };
    let forms = [CurvePoint::CompressedY0(x), CurvePoint::CompressedY1(x)].map(|r| {
        let signature = Some(Signature::EcdsaNistP256(EcdsaSignature { r, ..own }));
        written(&Certificate::new(CertificateBase { signature, ..*view }).unwrap())
    });
    let issuer = parse(&issuer.certificate).unwrap();
    let is_valid =
        |form: &Vec<u8>| verify_certificate_signature(&parse(form).unwrap(), Some(&issuer)).is_ok();
    Holder {
        certificate: forms.into_iter().find(is_valid).unwrap(),
        key: holder.key,
    }
}

/// The store learns from the authority's own message in which form its certificate may come; the
/// message behind it brings that form.
#[test]
fn what_an_earlier_message_adds_to_a_known_certificate_counts_for_the_next() {
    let root = Holder::issue(&Spec::authority(1), None);
    let spec = Spec {
        app: Spec::station(2).app,
        ..Spec::authority(2)
    };
    let authority = Holder::issue(&spec, Some(&root));
    let station = Holder::issue(&Spec::station(3), Some(&authority));
    let said = with_nonce_as_point(&authority, &root);
    let by = |after, signer: &Holder, named| {
        let message = MessageContents {
            made: Some(Time64(now().0 + after)),
            named,
            ..MessageContents::new()
        };
        message.sign(signer)
    };
    let messages = [
        by(0, &said, Named::Certificates(&[])),
        by(1, &station, Named::Certificates(&[&said])),
    ];
    let received = messages.each_ref().map(|message| IncomingMessage {
        message,
        context: ReceptionContext::at(now()),
    });
    let verifier = || {
        let mut verifier = Verifier::default();
        verifier.add_trust_anchor(&root.certificate).unwrap();
        verifier.add_certificate(&authority.certificate).unwrap();
        verifier
    };
    let mut single = verifier();
    let expected = received
        .each_ref()
        .map(|one| explained(&mut single, one).is_ok());
    assert_eq!(expected, [true, true]);
    let verdicts = verifier().verify_many(&received);
    assert_eq!(
        verdicts.iter().map(Result::is_ok).collect::<Vec<_>>(),
        expected
    );
}
