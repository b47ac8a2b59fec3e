//! The rate of one thread and of two over one receiver: messages of 100 stations, each verified
//! once, one by one and in batches. Prints the ratio of the rates by a clock, so both cores have to
//! be quiet.
//!
//! ```text
//! cargo run --release -p waywarden-v2x-receiver --example threads -- 20000
//! ```

use std::time::Instant;

use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_input::certificates::{SignerKeys, Trust};
use waywarden_v2x_input::record::InputRecord;
use waywarden_v2x_input::time::At;
use waywarden_v2x_receiver::{Receiver, ReceiverSettings, Reception};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// Stations that send in turn; half of them have implicit certificates.
const STATIONS: u8 = 100;
/// Of so many messages of a station one has the certificate.
const CERTIFICATE_EVERY: usize = 10;
/// Runs, of which the fastest counts.
const RUNS: usize = 3;

fn main() {
    let count = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let count: usize = count.unwrap_or(20_000);
    let root = Holder::issue(&Spec::authority(1), None);
    let authority = Holder::issue(&Spec::authority(2), Some(&root));
    let records = messages(count, &authority);
    let receiver = || receiver(&root, &authority);
    let rate = |name: &str, run: &dyn Fn(&Receiver)| {
        let best = (0..RUNS).map(|_| {
            let receiver = receiver();
            let start = Instant::now();
            run(&receiver);
            start.elapsed().as_secs_f64()
        });
        let rate = count as f64 / best.fold(f64::INFINITY, f64::min);
        println!("{name}: {rate:.0} messages a second");
        rate
    };
    let alone = rate("one by one, 1 thread", &|receiver| {
        each(receiver, &records, 1);
    });
    let both = rate("one by one, 2 threads", &|receiver| {
        each(receiver, &records, 2);
    });
    println!("  ratio {:.2}", both / alone);
    let many = |threads| {
        let records = &records;
        move |receiver: &Receiver| {
            let verdicts = receiver.verify_many(records.clone(), &Reception::default(), threads);
            assert!(verdicts.iter().flatten().all(|verdict| verdict.accepted));
        }
    };
    let alone = rate("together, 1 thread", &many(1));
    let both = rate("together, 2 threads", &many(2));
    println!("  ratio {:.2}", both / alone);
}

/// Verifies every message on threads of which each has the messages of some stations.
fn each(receiver: &Receiver, records: &[InputRecord], threads: usize) {
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let own = |at: &usize| (at % usize::from(STATIONS)) % threads == thread;
                for at in (0..records.len()).filter(own) {
                    let verdict = receiver.verify(&records[at], &Reception::default());
                    assert!(verdict.is_some_and(|verdict| verdict.accepted));
                }
            });
        }
    });
}

fn messages(count: usize, authority: &Holder) -> Vec<InputRecord> {
    let station = |number: u8| {
        let spec = Spec {
            implicit: number % 2 == 1,
            ..Spec::station(10 + number)
        };
        Holder::issue(&spec, Some(authority))
    };
    let stations: Vec<Holder> = (0..STATIONS).map(station).collect();
    let message = |number: usize| {
        let payload = format!("message {number} of a station that tells where it is");
        let contents = MessageContents {
            psid: 32,
            made: Some(Time64(now().0 + number as u64 * 1_000)),
            payload: payload.as_bytes(),
            named: match (number / stations.len()) % CERTIFICATE_EVERY {
                0 => Named::Certificates(&[]),
                _ => Named::Digest,
            },
            ..MessageContents::new()
        };
        let bytes = contents.sign(&stations[number % stations.len()]);
        InputRecord::of(format!("message {number}"), bytes)
    };
    (0..count).map(message).collect()
}

fn receiver(root: &Holder, authority: &Holder) -> Receiver {
    let settings = ReceiverSettings {
        at: At::Generation,
        threads: 2,
        ..ReceiverSettings::default()
    };
    let mut verifier = settings.verifier();
    verifier.add_trust_anchor(&root.certificate).unwrap();
    verifier.add_certificate(&authority.certificate).unwrap();
    Receiver::new(&settings, verifier, Trust::default(), SignerKeys::default())
}
