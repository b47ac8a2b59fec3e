//! Messages verified together, against the same messages one by one: `Verifier::verify_many` may
//! never be the slower way.
//!
//! A turn takes all messages of a case from the beginning, by a receiver that knows the
//! authorities alone: what is learned on the way, certificates and tables of keys, is part of the
//! time. Each tenth message of a station has its certificate. Cases are named by the stations that
//! send in turn, by how many messages come together, and by the lanes of the processor that are
//! used: on a processor with vectors all of them, and one as on others.

use anyhow::{Result, ensure};
use waywarden_ecverify::{Curve, lanes, use_vectors};
use waywarden_testkit_v2x::world::{Holder, MessageContents, Named, Spec, now};
use waywarden_v2x_security::{Capacity, IncomingMessage, ReceptionContext, Verifier};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::clock::thread_time;
use crate::race::{Case, Contestant};

/// Messages that come together.
const TOGETHER: [usize; 4] = [1, 8, 64, 256];
/// Messages of a case, a second for each thousand.
const MESSAGES: u64 = 512;
/// Of so many messages of a station one has the certificate.
const CERTIFICATE_EVERY: u64 = 10;

/// Stations of a case.
#[derive(Clone, Copy)]
struct Stations {
    name: &'static str,
    count: u8,
    implicit: bool,
    messages: u64,
}

const STATIONS: [Stations; 4] = [
    Stations {
        name: "1 sender",
        count: 1,
        implicit: false,
        messages: MESSAGES,
    },
    Stations {
        name: "50 senders",
        count: 50,
        implicit: false,
        messages: MESSAGES,
    },
    Stations {
        name: "50 implicit",
        count: 50,
        implicit: true,
        messages: MESSAGES,
    },
    // Each message with a certificate of its own: two signatures.
    Stations {
        name: "all fresh",
        count: 240,
        implicit: false,
        messages: 240,
    },
];

/// Messages and whom a receiver has to know.
struct Traffic {
    root: Holder,
    authority: Holder,
    messages: Vec<(Vec<u8>, Time64)>,
}

impl Traffic {
    fn new(stations: Stations) -> Self {
        let root = Holder::issue(&Spec::authority(1), None);
        let authority = Holder::issue(&Spec::authority(2), Some(&root));
        let station = |number| {
            let spec = Spec {
                implicit: stations.implicit,
                ..Spec::station(10 + number)
            };
            Holder::issue(&spec, Some(&authority))
        };
        let holders: Vec<Holder> = (0..stations.count).map(station).collect();
        let message = |number: u64| {
            let made = Time64(now().0 + number * 1_000);
            let turn = number / u64::from(stations.count);
            let message = MessageContents {
                psid: 32,
                made: Some(made),
                payload: &number.to_be_bytes(),
                named: match turn % CERTIFICATE_EVERY {
                    0 => Named::Certificates(&[]),
                    _ => Named::Digest,
                },
                ..MessageContents::new()
            };
            let holder = &holders[number as usize % holders.len()];
            (message.sign(holder), made)
        };
        let messages = (0..stations.messages).map(message).collect();
        Self {
            root,
            authority,
            messages,
        }
    }

    /// Nanoseconds for each message, so many at a time, or by single calls.
    fn time(&self, vectors: bool, together: Option<usize>) -> Result<f64> {
        let mut verifier = Verifier::new(Capacity::DEFAULT);
        verifier.add_trust_anchor(&self.root.certificate)?;
        verifier.add_certificate(&self.authority.certificate)?;
        let received = self.messages.iter().map(|(message, made)| IncomingMessage {
            message,
            context: ReceptionContext::at(*made),
        });
        let received: Vec<IncomingMessage<'_, '_>> = received.collect();
        use_vectors(vectors);
        let start = thread_time();
        let valid = match together {
            Some(count) => received
                .chunks(count)
                .flat_map(|some| verifier.verify_many(some))
                .filter(Result::is_ok)
                .count(),
            None => received
                .iter()
                .filter(|one| verifier.verify(one.message, &one.context).is_ok())
                .count(),
        };
        let spent = thread_time().saturating_sub(start);
        use_vectors(true);
        ensure!(valid == received.len(), "a message is refused");
        Ok(spent.as_nanos() as f64 / received.len() as f64)
    }
}

fn case(stations: Stations, vectors: bool, together: usize) -> Case {
    let used = if vectors { lanes(Curve::P256) } else { 1 };
    let name = format!("{} by {together}, lanes {used}", stations.name);
    let contestant = |name, together| {
        let traffic = Traffic::new(stations);
        Contestant::timed(name, move || traffic.time(vectors, together))
    };
    Case {
        // There are few, for as long as the program runs.
        name: name.leak(),
        what: "messages verified together, by a receiver that knows the authorities alone, \
               against single calls; figures are per message",
        ours: contestant("waywarden", Some(together)),
        peers: vec![contestant("one by one", None)],
    }
}

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    let vectors: &[bool] = match lanes(Curve::P256) {
        1 => &[false],
        _ => &[false, true],
    };
    let mut cases = Vec::new();
    for vectors in vectors {
        for stations in STATIONS {
            cases.extend(TOGETHER.map(|together| case(stations, *vectors, together)));
        }
    }
    cases
}
