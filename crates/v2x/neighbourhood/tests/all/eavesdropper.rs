//! Linkability of two pseudonyms of one station for an attacker that hears everything. It uses the
//! bytes of signed frames, UDP ports, and the times of messages.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use waywarden_testkit::Random;
use waywarden_v2x_neighbourhood::NeighbourhoodEvent;
use waywarden_v2x_neighbourhood::virtual_time::{PlacedStation, run};
use waywarden_v2x_station::MessageService;
use waywarden_v2x_station::pseudonym::ChangeRules;
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, SignerIdentifier};

use crate::road::{Plan, laboratory, settings};

const CHANGES: ChangeRules = ChangeRules {
    period_us: Some(4_000_000),
    distance_m: None,
    spread: 0.2,
    silence_us: 500_000,
    lock_max_us: 0,
};
const STATIONS: usize = 4;
/// So many bits in a row that come again and again before and after a change, and in no other
/// station's frames, name a station.
const BITS: u32 = 48;

/// Frames of a station under one pseudonym.
#[derive(Default)]
struct Pseudonym {
    frames: Vec<Vec<u8>>,
    /// Times at which it sent, in microseconds.
    times: Vec<u64>,
}

/// Each station's pseudonyms, one after the other.
fn overheard(seed: u64, service: MessageService, seconds: u64) -> Vec<Vec<Pseudonym>> {
    let mut random = Random::new(seed);
    let laboratory = laboratory(&mut random, 1);
    let mut places: Vec<PlacedStation> = (0..STATIONS)
        .map(|_| {
            let plan = Plan {
                // All drive together: what messages say of the drive is no name.
                speed: 20.0,
                ..Plan::new(settings(service, CHANGES), 0.0)
            };
            plan.place(&laboratory, &mut random)
        })
        .collect();
    let first = |_| vec![Pseudonym::default()];
    let mut all: Vec<Vec<Pseudonym>> = (0..STATIONS).map(first).collect();
    run(&mut places, Duration::from_secs(seconds), &mut |happened| {
        let own = &mut all[happened.station];
        match happened.event {
            NeighbourhoodEvent::PseudonymChanged { .. } => own.push(Pseudonym::default()),
            NeighbourhoodEvent::Sent { frame, .. } => {
                let pseudonym = own.last_mut().unwrap();
                pseudonym.frames.push(frame.bytes.to_vec());
                pseudonym.times.push(happened.now.time.0);
            }
            _ => {}
        }
    });
    all
}

/// The rows of [`BITS`] bits in frames, with how many frames have each.
fn rows(frames: &[Vec<u8>]) -> HashMap<u64, usize> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for frame in frames {
        let mut own = HashSet::new();
        let mut word = 0_u64;
        for (at, byte) in frame.iter().enumerate() {
            for bit in (0..8).rev() {
                word = (word << 1 | u64::from(byte >> bit & 1)) & ((1 << BITS) - 1);
                if at as u32 * 8 + 8 - bit >= BITS {
                    own.insert(word);
                }
            }
        }
        for row in own {
            *counts.entry(row).or_default() += 1;
        }
    }
    counts
}

/// The rows that stand in a tenth of the frames, and in two at least: names do, and certificates.
/// What the drive changes does not.
fn frequent(counts: &HashMap<u64, usize>, frames: usize) -> BTreeSet<u64> {
    let least = (frames / 10).max(2);
    let all = counts.iter();
    all.filter(|(_, count)| **count >= least)
        .map(|(row, _)| *row)
        .collect()
}

#[test]
fn no_bits_of_a_pseudonym_come_back_in_the_next_one() {
    for service in [
        MessageService::CamOverGeoNetworking,
        MessageService::CamOverWsmp,
        MessageService::BsmOverWsmp,
    ] {
        let all = overheard(61, service, 40);
        let counts: Vec<Vec<HashMap<u64, usize>>> = all
            .iter()
            .map(|own| own.iter().map(|one| rows(&one.frames)).collect())
            .collect();
        for (station, own) in all.iter().enumerate() {
            assert!(own.len() >= 6, "{} pseudonyms", own.len());
            let others = counts.iter().enumerate().filter(|(at, _)| *at != station);
            let others: HashSet<u64> = others
                .flat_map(|(_, other)| other.iter().flat_map(HashMap::keys).copied())
                .collect();
            // Within a pseudonym the search finds what names it.
            let frames = &own[0].frames;
            let parts: Vec<_> = frames
                .chunks(frames.len().div_ceil(4))
                .map(|part| frequent(&rows(part), part.len()))
                .collect();
            let names = linking(&parts, &others);
            assert!(names.len() > 100, "{} rows", names.len());
            let own: Vec<_> = own
                .iter()
                .zip(&counts[station])
                .map(|(one, counts)| frequent(counts, one.frames.len()))
                .collect();
            let links = linking(&own, &others);
            assert!(links.is_empty(), "{service:?}, {station}: {links:012x?}");
        }
    }
}

/// Rows that stand in at least every second pseudonym, and in no other station's frames. What two
/// have in common by chance, a third one has not.
fn linking(pseudonyms: &[BTreeSet<u64>], others: &HashSet<u64>) -> Vec<u64> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for row in pseudonyms.iter().flatten() {
        *counts.entry(*row).or_default() += 1;
    }
    let shared = counts
        .into_iter()
        .filter(|(_, count)| count * 2 > pseudonyms.len());
    let shared = shared.map(|(row, _)| row);
    shared.filter(|row| !others.contains(row)).collect()
}

/// The signers of a pseudonym's frames, by hash.
fn signers(pseudonym: &Pseudonym) -> BTreeSet<[u8; 8]> {
    let ids = pseudonym.frames.iter().filter_map(|frame| {
        let found = detect(frame).unwrap();
        let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
            panic!("not signed");
        };
        match signed.signer {
            SignerIdentifier::Digest(id) => Some(id.0),
            _ => None,
        }
    });
    ids.collect()
}

#[test]
fn every_pseudonym_has_a_certificate_and_an_address_of_its_own() {
    let all = overheard(62, MessageService::BsmOverWsmp, 30);
    let (mut certificates, mut addresses) = (BTreeMap::new(), BTreeSet::new());
    let mut count = 0;
    for pseudonym in all.iter().flatten().filter(|one| one.frames.len() > 10) {
        count += 1;
        let own = signers(pseudonym);
        assert_eq!(own.len(), 1);
        *certificates.entry(own).or_insert(0) += 1;
        let senders: BTreeSet<_> = pseudonym.frames.iter().map(|one| &one[6..12]).collect();
        assert_eq!(senders.len(), 1);
        addresses.extend(senders.into_iter().map(<[u8]>::to_vec));
    }
    assert!(count >= 16, "{count} pseudonyms");
    assert_eq!((certificates.len(), addresses.len()), (count, count));
}

/// Messages come ten times a second, at a phase that each pseudonym draws: between two of one
/// station it changes by anything, with no preference. The same holds within the program's steps.
#[test]
fn phase_of_the_messages_is_drawn_again() {
    let all = overheard(63, MessageService::BsmOverWsmp, 90);
    for period in [100_000, 10_000] {
        let phase = |pseudonym: &Pseudonym| pseudonym.times.get(5).map(|time| *time % period);
        let mut turns = Vec::new();
        for own in &all {
            let phases: Vec<u64> = own.iter().map_while(phase).collect();
            let between = phases.windows(2).map(|two| two[1] + period - two[0]);
            turns.extend(between.map(|turn| turn as f64 / period as f64 * std::f64::consts::TAU));
        }
        assert!(turns.len() >= 50, "{} changes", turns.len());
        let (east, north) = turns.iter().fold((0.0, 0.0), |(east, north), turn| {
            (east + turn.cos(), north + turn.sin())
        });
        // The mean direction of n random ones is longer than 3 / sqrt(n) once in 8,000 times.
        let length = f64::hypot(east, north) / turns.len() as f64;
        println!(
            "{} changes, {period} us: mean direction {length:.3}",
            turns.len()
        );
        assert!(length < 3.0 / (turns.len() as f64).sqrt(), "{length}");
    }
}
