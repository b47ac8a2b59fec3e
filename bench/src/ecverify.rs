//! Verifying on elliptic curves, against the libraries that people verify with.
//!
//! Everyone gets the same signatures, made once by RustCrypto: the digest of a message of 32 bytes,
//! r and s as integers. A peer holds keys and signatures parsed beforehand, in the form that its
//! fastest way of verifying takes; ours takes the bytes each time. An implicit certificate comes as
//! its reconstruction value, compressed, and the hash e; the authority's key is there already, on
//! both sides. No peer rebuilds keys: its composition is decompress, e P, add, verify. Each
//! operation checks its result.
//!
//! Ours is a `SignatureVerifier`: it has a table of the authority's key after the first flight, and
//! in the cases `known-sender` of each sender's. Elsewhere jobs name no sender, so that every key
//! is new.
//!
//! A case in whose name is `fresh` puts 128 jobs of different keys to
//! [`SignatureVerifier::verify_many`]; peers have no such door and verify one by one. One in whose
//! name is `portable` is a lone message, for which no kernel but the portable one starts.

mod aws_lc;
mod material;
mod openssl;
mod ring;
mod rustcrypto;

use waywarden_ecverify::{
    Curve, EncodedPoint, EncodedSignature, Job, JobKey, SenderId, SignatureRefusal,
    SignatureVerifier, Verdict,
};

use crate::race::{Case, Contestant};
use material::{Implicit, Signed};

/// Jobs in flight.
const FLIGHT: usize = 128;
/// Bytes of tables: enough for 2,000 senders.
const MEMORY: usize = 16 << 20;
/// Signatures that a contestant rotates through: two flights.
const POOL: usize = 2 * FLIGHT;

impl Signed {
    fn job(&self, curve: Curve) -> Job<'_> {
        let (x, y) = self.public[1..].split_at(self.r.len());
        Job {
            curve,
            digest: &self.digest,
            signature: EncodedSignature {
                r: EncodedPoint::XOnly(&self.r),
                s: &self.s,
            },
            key: JobKey::Explicit(EncodedPoint::Uncompressed { x, y }),
            sender: None,
        }
    }
}

impl Implicit {
    fn job(&self) -> Job<'_> {
        let point = |bytes| EncodedPoint::from_sec1(bytes).expect("the form of a point");
        Job {
            key: JobKey::Implicit {
                e: &self.e,
                reconstruction: point(&self.reconstruction),
                ca: point(&self.ca),
            },
            ..self.signed.job(Curve::P256)
        }
    }
}

/// One job after the other.
fn one<T: 'static>(inputs: Vec<T>, job: impl Fn(&T) -> Job<'_> + 'static) -> Contestant {
    let mut verifier = SignatureVerifier::with_table_bytes(MEMORY);
    Contestant::new("waywarden", inputs, move |input| {
        let verdict: Result<(), SignatureRefusal> = verifier.verify(&job(input));
        assert_eq!(verdict, Ok(()));
    })
}

/// [`FLIGHT`] at a time.
fn many<T: 'static>(mut inputs: Vec<T>, job: impl Fn(&T) -> Job<'_> + 'static) -> Contestant {
    let mut flights = Vec::new();
    while inputs.len() >= FLIGHT {
        flights.push(inputs.split_off(inputs.len() - FLIGHT));
    }
    let mut verifier = SignatureVerifier::with_table_bytes(MEMORY);
    Contestant::with_items("waywarden", FLIGHT as u32, flights, move |flight| {
        let jobs: Vec<Job<'_>> = flight.iter().map(&job).collect();
        verify_all(&mut verifier, &jobs);
    })
}

fn verify_all(verifier: &mut SignatureVerifier, jobs: &[Job<'_>]) {
    let mut verdicts = vec![Verdict::Refused(SignatureRefusal::Equation); jobs.len()];
    verifier.verify_many(jobs, &mut verdicts);
    assert!(verdicts.iter().all(|verdict| verdict.is_valid()));
}

fn named_job((sender, signed): &(SenderId, Signed)) -> Job<'_> {
    Job {
        sender: Some(*sender),
        ..signed.job(Curve::P256)
    }
}

/// Senders that all have tables already, heard in turn, [`FLIGHT`] at a time.
fn known(senders: usize) -> Contestant {
    let all = material::signed(Curve::P256, senders);
    let named: Vec<(SenderId, Signed)> = (0..).map(SenderId).zip(all).collect();
    let mut verifier = SignatureVerifier::with_table_bytes(MEMORY);
    // Tables are not built at every opportunity.
    while verifier.memory().senders < senders {
        let jobs: Vec<Job<'_>> = named.iter().map(named_job).collect();
        verify_all(&mut verifier, &jobs);
    }
    let mut next = 0;
    Contestant::with_items("waywarden", FLIGHT as u32, vec![()], move |()| {
        let flight = named.iter().cycle().skip(next).take(FLIGHT);
        let jobs: Vec<Job<'_>> = flight.map(named_job).collect();
        next = (next + FLIGHT) % named.len();
        verify_all(&mut verifier, &jobs);
    })
}

fn explicit_peers(curve: Curve) -> Vec<Contestant> {
    let mut peers = vec![openssl::verify(curve)];
    peers.extend(aws_lc::verify(curve));
    peers.extend(ring::verify(curve));
    peers.push(rustcrypto::verify(curve));
    peers
}

fn implicit_peers() -> Vec<Contestant> {
    vec![openssl::receive(), aws_lc::receive(), rustcrypto::receive()]
}

/// A lone message on `curve`.
fn portable(name: &'static str, curve: Curve) -> Case {
    Case {
        name,
        what: "one signature, the key explicit",
        ours: one(material::signed(curve, POOL), move |one| one.job(curve)),
        peers: explicit_peers(curve),
    }
}

/// Many messages on `curve`.
fn fresh(name: &'static str, curve: Curve) -> Case {
    Case {
        name,
        what: "128 signatures of 128 keys at once, peers one by one; figures are per signature",
        ours: many(material::signed(curve, POOL), move |one| one.job(curve)),
        peers: explicit_peers(curve),
    }
}

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    vec![
        fresh("p256-fresh", Curve::P256),
        Case {
            name: "implicit-fresh",
            what: "128 messages under implicit certificates of one authority at once: rebuild and \
                   verify, peers one by one; figures are per message",
            ours: many(material::implicit(POOL), Implicit::job),
            peers: implicit_peers(),
        },
        fresh("bp256-fresh", Curve::BrainpoolP256r1),
        Case {
            name: "known-sender",
            what: "128 signatures at once of 256 senders in turn, all heard before; peers one by \
                   one; figures are per signature",
            ours: known(256),
            peers: explicit_peers(Curve::P256),
        },
        Case {
            name: "known-sender-2000",
            what: "the same of 2,000 senders",
            ours: known(2000),
            peers: vec![openssl::verify(Curve::P256)],
        },
        portable("p256-portable", Curve::P256),
        Case {
            name: "implicit-portable",
            what: "one message under an implicit certificate: rebuild and verify",
            ours: one(material::implicit(POOL), Implicit::job),
            peers: implicit_peers(),
        },
        portable("p384-portable", Curve::P384),
        portable("bp384-portable", Curve::BrainpoolP384r1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contestant_works() {
        // Each asserts its own result.
        for row in crate::race::run(cases(), 3).unwrap() {
            assert!(row.ratio.is_finite() && row.ratio > 0.0, "{row:?}");
        }
    }

    #[test]
    fn keys_differ() {
        for curve in Curve::ALL {
            let mut keys: Vec<_> = material::signed(curve, POOL)
                .into_iter()
                .map(|one| one.public)
                .collect();
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), POOL);
        }
    }
}
