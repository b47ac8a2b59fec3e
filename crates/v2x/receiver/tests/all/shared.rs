//! One receiver, many threads: what one of them learns holds for all, and nothing depends on which.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use waywarden_testkit_v2x::world::{Holder, MessageContents, NOW, Named, Spec, now, signed_crl};
use waywarden_v2x_input::certificates::{SignerKeys, Trust};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time::At;
use waywarden_v2x_receiver::{Receiver, ReceiverSettings, Reception, Verdict};
use waywarden_v2x_wire::ieee1609dot2::{HashBasedRevocationInfo, HashedId10, Psid, Time32, Time64};

const THREADS: usize = 4;

struct World {
    authority: Holder,
    root: Holder,
}

impl World {
    fn new() -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = Holder::issue(&Spec::authority(2), Some(&root));
        Self { authority, root }
    }

    fn station(&self, seed: u8) -> Holder {
        Holder::issue(&Spec::station(seed), Some(&self.authority))
    }

    fn receiver(&self) -> Receiver {
        let settings = ReceiverSettings {
            at: At::Generation,
            threads: 2,
            ..ReceiverSettings::default()
        };
        let mut verifier = settings.verifier();
        verifier.add_trust_anchor(&self.root.certificate).unwrap();
        verifier
            .add_certificate(&self.authority.certificate)
            .unwrap();
        Receiver::new(&settings, verifier, Trust::default(), SignerKeys::default())
    }
}

fn message(station: &Holder, number: u64, named: Named<'_>) -> InputRecord {
    let payload = format!("message {number} of a station");
    let contents = MessageContents {
        psid: 32,
        made: Some(Time64(now().0 + number * 1_000)),
        payload: payload.as_bytes(),
        named,
        ..MessageContents::new()
    };
    InputRecord::of(format!("message {number}"), contents.sign(station))
}

fn verify(receiver: &Receiver, record: &InputRecord) -> Verdict {
    let verdict = receiver.verify(record, &Reception::default());
    verdict.expect("no frame of other traffic")
}

#[test]
fn message_that_many_threads_take_at_once_is_accepted_once() {
    let world = World::new();
    let station = world.station(10);
    let receiver = world.receiver();
    let messages: Vec<InputRecord> = (0..40)
        .map(|number| message(&station, number, Named::Certificates(&[])))
        .collect();
    let accepted: Vec<AtomicUsize> = messages.iter().map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for (message, accepted) in messages.iter().zip(&accepted) {
                    let verdict = verify(&receiver, message);
                    accepted.fetch_add(usize::from(verdict.accepted), Ordering::Relaxed);
                    let expected = verdict.accepted || verdict.verdict.contains("Replay");
                    assert!(expected, "{verdict:?}");
                }
            });
        }
    });
    let counts: Vec<usize> = accepted
        .iter()
        .map(|one| one.load(Ordering::Relaxed))
        .collect();
    assert!(counts.iter().all(|count| *count == 1), "{counts:?}");
}

#[test]
fn verdicts_of_many_are_those_of_one_after_the_other_whatever_the_threads() {
    let world = World::new();
    let mut records = Vec::new();
    for number in 0..1_200_u64 {
        let station = world.station(10 + (number % 30) as u8);
        // Named by digest before the certificate comes, and after.
        let named = match number / 30 % 7 {
            3 => Named::Certificates(&[]),
            _ => Named::Digest,
        };
        let mut record = message(&station, number, named);
        match number % 11 {
            // A wrong signature, a cut message, a replay.
            1 => *record.bytes.last_mut().unwrap() ^= 1,
            2 => record.bytes.truncate(40),
            3 => record.bytes.clone_from(&records.last().map_or_else(
                || record.bytes.clone(),
                |last: &InputRecord| last.bytes.clone(),
            )),
            _ => {}
        }
        records.push(record);
    }
    let json = |verdict: &Verdict| verdict.to_json().unwrap();
    let receiver = world.receiver();
    let alone: Vec<String> = records
        .iter()
        .map(|one| json(&verify(&receiver, one)))
        .collect();
    for threads in [1, 2, 5] {
        let receiver = world.receiver();
        let many = receiver.verify_many(records.clone(), &Reception::default(), threads);
        let many: Vec<String> = many.iter().flatten().map(json).collect();
        assert_eq!(many.len(), alone.len());
        for (at, (many, alone)) in many.iter().zip(&alone).enumerate() {
            assert_eq!(many, alone, "{threads} threads, message {at}");
        }
    }
}

#[test]
fn revoked_certificate_is_refused_by_every_thread_after_the_list() {
    let world = World::new();
    let craca = world.root.id();
    let spec = Spec {
        craca: craca.0[5..].try_into().unwrap(),
        ..Spec::station(10)
    };
    let station = Holder::issue(&spec, Some(&world.authority));
    let receiver = world.receiver();
    assert!(verify(&receiver, &message(&station, 0, Named::Certificates(&[]))).accepted);
    let signer = Holder::issue(
        &Spec {
            app: &[(256, Some(waywarden_testkit_v2x::world::ISSUER_IS_CRACA))],
            ..Spec::station(20)
        },
        Some(&world.root),
    );
    let digest = station.digest().0;
    let entries = [HashBasedRevocationInfo {
        id: HashedId10(digest[22..].try_into().unwrap()),
        expiry: Time32(NOW + 100_000),
        unknown: Default::default(),
    }];
    let list = signed_crl(&signer, (NOW - 10, NOW + 10_000), craca, &entries);
    receiver.apply_crl(&list, now()).unwrap();
    thread::scope(|scope| {
        for thread in 1..=THREADS as u64 {
            let (receiver, station) = (&receiver, &station);
            scope.spawn(move || {
                let verdict = verify(receiver, &message(station, thread, Named::Digest));
                assert!(!verdict.accepted);
                assert!(verdict.verdict.contains("Revoked"), "{}", verdict.verdict);
            });
        }
    });
}

#[test]
fn application_that_the_caller_expects_has_to_be_that_of_the_message() {
    let world = World::new();
    let station = world.station(10);
    let record = message(&station, 0, Named::Certificates(&[]));
    let receiver = world.receiver();
    let of = |psid| Reception {
        psid: Some(Psid(psid)),
        ..Reception::default()
    };
    let verdict = receiver.verify(&record, &of(36)).unwrap();
    assert!(
        !verdict.accepted && verdict.payload.is_none(),
        "{verdict:?}"
    );
    let verdict = receiver.verify(&record, &of(32)).unwrap();
    assert_eq!(
        verdict.payload.as_deref(),
        Some(&b"message 0 of a station"[..])
    );
}

#[test]
fn message_of_megabytes_is_judged_as_a_short_one() {
    let world = World::new();
    let station = world.station(10);
    let receiver = world.receiver();
    let payload = vec![0x5A; 3 << 20];
    for length in [2_000, 2_400, payload.len()] {
        let contents = MessageContents {
            psid: 32,
            made: Some(Time64(now().0 + length as u64)),
            payload: &payload[..length],
            named: Named::Certificates(&[]),
            ..MessageContents::new()
        };
        let bytes = contents.sign(&station);
        let place = format!("{length} bytes");
        let mut changed = bytes.clone();
        changed[length / 2] ^= 1;
        assert!(!verify(&receiver, &InputRecord::of(place.clone(), changed)).accepted);
        let record = InputRecord::of(place.clone(), bytes);
        let verdict = verify(&receiver, &record);
        assert!(verdict.accepted, "{place}: {verdict:?}");
        assert_eq!(verdict.payload.as_deref(), Some(&payload[..length]));
        let again = verify(&receiver, &record);
        assert!(again.verdict.contains("Replay"), "{place}: {again:?}");
    }
}

#[test]
fn certificate_of_many_kilobytes_is_refused_before_it_is_hashed() {
    let world = World::new();
    let app: Vec<(u64, Option<&'static [u8]>)> = (256..30_000).map(|psid| (psid, None)).collect();
    let spec = Spec {
        app: Vec::leak(app),
        ..Spec::station(10)
    };
    let station = Holder::issue(&spec, Some(&world.authority));
    let receiver = world.receiver();
    let record = message(&station, 0, Named::Certificates(&[]));
    assert!(record.bytes.len() > 64 << 10);
    for record in [
        record,
        InputRecord::of("certificate".to_owned(), station.certificate),
    ] {
        let verdict = verify(&receiver, &record);
        let reason = verdict.reason.as_deref().unwrap_or_default();
        assert!(reason.contains("65,536 bytes"), "{verdict:?}");
        assert!(verdict.parsed && !verdict.accepted && verdict.signature_valid.is_none());
    }
    assert_eq!(receiver.remembered(), (0, 0));
}
