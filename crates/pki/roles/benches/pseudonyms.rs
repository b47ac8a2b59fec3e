//! Pseudonym certificates issued on one core, beside the sum of what their primitives cost.
//!
//! ```text
//! cargo bench -p waywarden-v2x-pki --bench pseudonyms [-- CERTIFICATES]
//! ```
//!
//! All roles run in one thread: prelinkage values of both linkage authorities, key expansion of the
//! registration authority, and issuing, encrypting and signing by the pseudonym authority. The
//! primitives of one certificate are two cocoon keys, an implicit certificate (ECQV), a key of
//! AES-128 encrypted (ECIES), and a signature. The two are measured in turn, so that a machine that
//! is busy slows both.

#[path = "../tests/all/pseudonym/scms.rs"]
#[allow(dead_code, reason = "a part of it is needed")]
mod scms;

use std::time::{Duration, Instant};

use waywarden_testkit::Random;
use waywarden_v2x_keys::butterfly::{ExpansionFunction, Purpose, cocoon_key};
use waywarden_v2x_keys::ecqv::{self, Issuer};
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, Uses, ecies};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{PsidSsp, ToBeSignedCertificate};
use waywarden_v2x_wire::ieee1609dot2dot1::{AcaRaInterfacePdu, ScmsContent, ScmsPdu};

use scms::{BSM, CURVE, FIRST, Scms};

/// Certificates of one holder and week.
const PER_WEEK: u8 = 20;
const VEHICLES: usize = 5;
const CERTIFICATES: usize = 5_000;

/// The time of each primitive, and how often it was measured.
struct Primitives {
    rounds: u32,
    times: [(&'static str, Duration); 4],
}

fn timed<T>(total: &mut Duration, run: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = run();
    *total += begun.elapsed();
    done
}

impl Primitives {
    /// Does each of them so often.
    fn measure(&mut self, scms: &mut Scms, times: u32) {
        let own = scms.pca.authority().credential().clone();
        let Scms { store, seeds, .. } = scms;
        let store = &mut store.0;
        let holder = store.generate(CURVE, Uses::EXPAND, &seeds.next()).unwrap();
        let public = store.public_key(holder).unwrap();
        let expansion = ExpansionFunction::new(Purpose::Signing, &[7; 16]);
        let issuer = Issuer {
            public: store.public_key(own.key()).unwrap(),
            digest: *own.digest(),
        };
        let permissions = [PsidSsp {
            psid: BSM,
            ssp: None,
        }];
        let view = own.certificate().view().unwrap();
        let contents = ToBeSignedCertificate {
            app_permissions: SequenceOf::new(&permissions),
            cert_issue_permissions: None,
            ..*view.to_be_signed
        };
        let [expand, issue, encrypt, sign] = &mut self.times;
        let mut buffer = [0; 512];
        for round in 0..times {
            let cocoon = timed(&mut expand.1, || {
                let f = expansion.f(0, round);
                let _ = cocoon_key(&public, &f).unwrap();
                cocoon_key(&public, &f).unwrap()
            });
            let seed = seeds.next();
            timed(&mut issue.1, || {
                let buffer = &mut buffer;
                ecqv::issue(store, own.key(), &issuer, &cocoon, contents, &seed, buffer)
                    .map(|issued| issued.r)
                    .unwrap()
            });
            timed(&mut encrypt.1, || {
                ecies::encrypt(store, &cocoon, &[1; 16], &[2; 32], &seed).unwrap()
            });
            timed(&mut sign.1, || {
                let nonce = Nonce::Hedged { entropy: &seed };
                store
                    .sign(own.key(), &[3; 32], nonce, NonceForm::Point)
                    .unwrap()
            });
        }
        store.retire(holder).unwrap();
        self.rounds += times;
    }
}

fn main() {
    let count = std::env::args().find_map(|word| word.parse().ok());
    let count: usize = count.unwrap_or(CERTIFICATES);
    let mut scms = Scms::new(&mut Random::new(1), VEHICLES);
    let mut primitives = Primitives {
        rounds: 0,
        times: [
            ("two cocoon keys", Duration::ZERO),
            ("ECQV, issued", Duration::ZERO),
            ("ECIES, encrypted", Duration::ZERO),
            ("ECDSA, signed", Duration::ZERO),
        ],
    };
    let (mut issued, mut bytes, mut elapsed) = (0, 0, Duration::ZERO);
    let mut week = 0;
    while issued < count {
        primitives.measure(&mut scms, 20);
        let i = Period(FIRST.0 + week % 52);
        week += 1;
        let collected = timed(&mut elapsed, || scms.week(i, 0..PER_WEEK));
        issued += collected.len();
        bytes += collected.iter().map(|one| one.2.len()).sum::<usize>();
    }
    check(&mut scms);
    let each = elapsed.as_secs_f64() / issued as f64;
    let mut sum = 0.0;
    for (name, time) in primitives.times {
        let time = time.as_secs_f64() / f64::from(primitives.rounds);
        println!("{name:<20} {:8.1} us", time * 1e6);
        sum += time;
    }
    println!("{:<20} {:8.1} us", "sum", sum * 1e6);
    println!(
        "{:<20} {:8.1} us, {:.0} a second",
        "one certificate",
        each * 1e6,
        1.0 / each
    );
    println!(
        "{issued} certificates, {} bytes each; {:.2} of the rate of the primitives",
        bytes / issued,
        sum / each
    );
}

/// Checks that the timed step is the stated one: a request to the pseudonym authority, and its
/// answer.
fn check(scms: &mut Scms) {
    let request = scms.requests(FIRST, 0..1).remove(0);
    let answer = scms.answer(&request).unwrap();
    let ScmsContent::AcaRa(AcaRaInterfacePdu::CertResponse(_)) =
        parse::<ScmsPdu<'_>>(&answer).unwrap().content
    else {
        panic!("no answer");
    };
}
