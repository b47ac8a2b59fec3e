//! A list that revokes 100,000 vehicles with 20 pseudonyms a week by linkage values: how long it
//! takes to expand, what memory it takes, how long a look-up takes, and a million look-ups against
//! a set that is computed value by value.
//!
//! ```text
//! cargo bench -p waywarden-v2x-security --bench revocation [-- VEHICLES]
//! ```
//!
//! Times are those of a clock, since threads share the work: run it on an idle machine.

use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use waywarden_testkit::Random;
use waywarden_testkit_v2x::world::{
    Holder, ISSUER_IS_CRACA, MessageContents, NOW, Spec, crl, now, written,
};
use waywarden_v2x_security::linkage::{later_seed, value_of_seeds};
use waywarden_v2x_security::revocation::{ExpansionPart, LinkageStatus, RevocationExpansion};
use waywarden_v2x_security::{MessageSource, ReceptionContext, Revocations, Verifier};
use waywarden_v2x_wire::coer::{SequenceOf, UnknownAdditions};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlSeries, HashedId3, HashedId8, IMaxGroup, IValue, IndividualRevocation, JMaxGroup, LaGroup,
    LaId, LinkageData, LinkageSeed, LinkageValue, ToBeSignedLinkageValueCrl,
    TypeSpecificCrlContents,
};

/// Pseudonyms a week.
const PSEUDONYMS: u8 = 20;
/// First week of the list.
const FIRST: u16 = 600;
/// Number of look-ups.
const PROBES: usize = 1_000_000;
const AUTHORITIES: (LaId, LaId) = (LaId([0x8E, 0x09]), LaId([0x59, 0xCE]));

type Seeds = (LinkageSeed, LinkageSeed);

fn main() {
    let mut words = std::env::args().skip(1);
    let vehicles = words.find_map(|word| word.parse().ok()).unwrap_or(100_000);
    let mut random = Random::of_test("revocation");
    let mut seed = || LinkageSeed(random.array());
    let seeds: Vec<Seeds> = (0..vehicles).map(|_| (seed(), seed())).collect();
    let (mut verifier, craca) = verifier(&seeds);
    println!("list applied: peak memory {:.1} MB", peak_megabytes());
    for (period, threads) in [(FIRST, 1), (FIRST, 2), (FIRST + 52, 1), (FIRST + 52, 2)] {
        expand(verifier.revocations(), period, threads, "from the list");
    }
    let revocations = verifier.revocations_mut();
    revocations.expand(IValue(FIRST + 52)).unwrap();
    let next = FIRST + 53;
    for threads in [1, 2] {
        expand(revocations, next, threads, "one period on");
    }
    revocations.expand(IValue(next)).unwrap();
    println!(
        "two periods in force: tables and seeds {:.1} MB, peak memory {:.1} MB",
        revocations.linkage_memory() as f64 / 1e6,
        peak_megabytes()
    );
    look_up(revocations, craca, &seeds, next);
}

/// A verifier with the list.
fn verifier(seeds: &[Seeds]) -> (Verifier, HashedId3) {
    let root = Holder::issue(&Spec::authority(1), None);
    let spec = Spec {
        app: &[(256, Some(ISSUER_IS_CRACA))],
        ..Spec::station(2)
    };
    let signer = Holder::issue(&spec, Some(&root));
    let message = MessageContents {
        psid: 256,
        made: None,
        payload: &list(root.id(), seeds),
        ..MessageContents::new()
    };
    let message = message.sign(&signer);
    let mut verifier = Verifier::default();
    verifier.add_trust_anchor(&root.certificate).unwrap();
    let context = ReceptionContext {
        source: MessageSource::File,
        ..ReceptionContext::at(now())
    };
    let start = Instant::now();
    let applied = verifier.apply_crl(&message, &context).unwrap();
    let (took, bytes) = (start.elapsed(), message.len());
    println!(
        "{bytes} bytes, verified and read in {took:.1?}: {:?}",
        applied.revokes
    );
    let [.., a, b, c] = root.id().0;
    (verifier, HashedId3([a, b, c]))
}

fn list(craca: HashedId8, seeds: &[Seeds]) -> Vec<u8> {
    let none = UnknownAdditions::default;
    let holder = |&(seed_1, seed_2): &Seeds| IndividualRevocation {
        seed_1,
        seed_2,
        unknown: none(),
    };
    let holders: Vec<IndividualRevocation<'_>> = seeds.iter().map(holder).collect();
    let by_period = [IMaxGroup {
        i_max: u16::MAX,
        contents: SequenceOf::new(&holders).unwrap(),
        single_seed: None,
        unknown: none(),
    }];
    let by_authority = [LaGroup {
        la_1: AUTHORITIES.0,
        la_2: AUTHORITIES.1,
        contents: SequenceOf::new(&by_period).unwrap(),
        unknown: none(),
    }];
    let individual = [JMaxGroup {
        j_max: PSEUDONYMS,
        contents: SequenceOf::new(&by_authority).unwrap(),
        unknown: none(),
    }];
    let mut list = crl(NOW - 60, NOW + 600, craca, &[]);
    list.contents = TypeSpecificCrlContents::FullLinked(ToBeSignedLinkageValueCrl {
        i_rev: IValue(FIRST),
        index_within_i: 0,
        individual: Some(SequenceOf::new(&individual).unwrap()),
        groups: None,
        groups_single_seed: None,
        unknown: none(),
    });
    written(&list)
}

/// Expands a period on so many threads, three times, and prints the shortest time.
fn expand(revocations: &Revocations, period: u16, threads: usize, from: &str) {
    let name = revocations.unexpanded(IValue(period)).next().unwrap();
    let runs: Vec<(Duration, Duration)> = (0..3)
        .map(|_| {
            let mut revocations = revocations.clone();
            let start = Instant::now();
            let expansion = revocations.expansion(name, IValue(period)).unwrap();
            let parts = run(&expansion, threads);
            let computed = start.elapsed();
            revocations.install(&expansion, parts).unwrap();
            (start.elapsed(), computed)
        })
        .collect();
    let (whole, computed) = runs.into_iter().min().unwrap();
    let expansion = revocations.expansion(name, IValue(period)).unwrap();
    println!(
        "period {period}, {from}: {} hashes, {} values: {whole:.1?} on {threads} threads \
         ({computed:.1?} without the table)",
        expansion.hashes(),
        expansion.values()
    );
}

fn run(
    expansion: &RevocationExpansion,
    threads: usize,
) -> Vec<waywarden_v2x_security::revocation::ExpandedPart> {
    let parts = Mutex::new(expansion.parts());
    let next = || parts.lock().unwrap().pop();
    let work = || -> Vec<_> {
        let parts = std::iter::from_fn(next);
        parts.map(|part: ExpansionPart| part.run()).collect()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|one| one.join().unwrap())
            .collect()
    })
}

/// A million look-ups, half of them of revoked values.
fn look_up(revocations: &Revocations, craca: HashedId3, seeds: &[Seeds], period: u16) {
    let mut all = HashSet::new();
    let mut values = Vec::new();
    for (first, second) in seeds {
        let (la_1, la_2) = AUTHORITIES;
        let first = later_seed(la_1, first, period - FIRST);
        let second = later_seed(la_2, second, period - FIRST);
        for j in 0..=u32::from(PSEUDONYMS) {
            let value = value_of_seeds(AUTHORITIES, (&first, &second), j);
            all.insert(value.0);
            values.push(value);
        }
    }
    let mut random = Random::of_test("look_up");
    let linkage = |value| LinkageData {
        period: IValue(period),
        value,
        group: None,
    };
    let probes: Vec<LinkageData> = (0..PROBES)
        .map(|at| match at % 2 {
            0 => values[random.index(values.len())],
            _ => LinkageValue(random.array()),
        })
        .map(linkage)
        .collect();
    let start = Instant::now();
    for probe in &probes {
        black_box(revocations.linked(craca, CrlSeries(0), black_box(probe)));
    }
    let each = start.elapsed().as_secs_f64() * 1e9 / PROBES as f64;
    let mut slowest: Vec<Duration> = probes
        .iter()
        .map(|probe| {
            let start = Instant::now();
            black_box(revocations.linked(craca, CrlSeries(0), black_box(probe)));
            start.elapsed()
        })
        .collect();
    slowest.sort_unstable();
    let (mut false_accepts, mut false_rejects) = (0, 0);
    for probe in &probes {
        let is_revoked = all.contains(&probe.value.0);
        match revocations.linked(craca, CrlSeries(0), probe) {
            LinkageStatus::Revoked if !is_revoked => false_rejects += 1,
            LinkageStatus::NotRevoked if is_revoked => false_accepts += 1,
            LinkageStatus::NotExpanded => panic!("the period is expanded"),
            _ => {}
        }
    }
    println!(
        "{PROBES} look-ups: {each:.0} ns each; with the clock's own time, median {:?}, 99.9 % {:?}",
        slowest[PROBES / 2],
        slowest[PROBES / 1_000 * 999]
    );
    println!("revoked and accepted: {false_accepts}; not revoked and refused: {false_rejects}");
}

/// The most memory that the process took (Linux).
fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) / 1e3
}
