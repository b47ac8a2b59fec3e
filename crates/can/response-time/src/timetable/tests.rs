//! Demands of timetables: known answers, and windows of random timetables.

use super::*;
use waywarden_testkit::{Random, each_seed};

const fn known(offset: u64, period: u64, jitter: u64, frame: u64) -> (ReleasePhase, Rival) {
    let phase = ReleasePhase {
        clock: 0,
        ppm: 0,
        offset,
        period,
    };
    let rival = Rival {
        period,
        jitter,
        frame,
    };
    (phase, rival)
}

const US: u64 = 1_000_000;

#[test]
fn messages_that_never_come_together_do_not_add_up() {
    let apart = [
        known(0, 10_000 * US, 0, 250 * US),
        known(5_000 * US, 10_000 * US, 0, 250 * US),
    ];
    let timetable = Timetable::new(apart.into()).ok().unwrap();
    assert_eq!(timetable.demand(1_000 * US), Some(250 * US));
    assert_eq!(timetable.demand(5_001 * US), Some(500 * US));
    let together = [
        known(0, 10_000 * US, 0, 250 * US),
        known(0, 10_000 * US, 0, 250 * US),
    ];
    let timetable = Timetable::new(together.into()).ok().unwrap();
    assert_eq!(timetable.demand(1_000 * US), Some(500 * US));
}

#[test]
fn jitter_brings_messages_together() {
    let late = [
        known(0, 10_000 * US, 4_500 * US, 7),
        known(5_000 * US, 10_000 * US, 0, 9),
    ];
    let timetable = Timetable::new(late.into()).ok().unwrap();
    assert_eq!(timetable.demand(400 * US), Some(9));
    assert_eq!(timetable.demand(600 * US), Some(16));
}

#[test]
fn one_message_and_a_timetable_that_repeats_too_late_count_message_by_message() {
    assert!(Timetable::new(vec![known(0, 10, 0, 1)]).is_err());
    let primes = vec![known(0, 1_009, 0, 1), known(0, 1_013, 0, 1)];
    assert_eq!(
        Timetable::new(primes).err().map(|rivals| rivals.len()),
        Some(2)
    );
}

/// Counts arrivals of random timetables in random windows.
#[test]
fn no_window_has_more_than_the_demand() {
    each_seed(300, |seed| {
        let mut random = Random::new(seed);
        let ppm = random.below(2_000) as i64 - 1_000;
        let own: Vec<(ReleasePhase, Rival)> = (0..2 + random.below(4))
            .map(|_| {
                let period = [5, 10, 20, 25, 50][random.below(5) as usize] * 100_000 * US;
                let offset = random.below(60) * 50_000 * US;
                let jitter = [0, 0, 3_000_000, 700_000][random.below(4) as usize] * US;
                let (mut phase, rival) = known(offset, period, jitter, 1 + random.below(9));
                phase.ppm = ppm as i32;
                (phase, rival)
            })
            .collect();
        let true_time =
            |clock: u64| (u128::from(clock) * 1_000_000 / (1_000_000 + ppm) as u128) as u64;
        // Of the rivals one by one, the shortest period counts.
        let shorter = own.iter().map(|(phase, rival)| {
            let period = true_time(phase.period);
            (
                *phase,
                Rival {
                    period,
                    jitter: rival.jitter,
                    frame: rival.frame,
                },
            )
        });
        let timetable = Timetable::new(shorter.collect()).ok().unwrap();
        let mut arrivals: Vec<(u64, u64)> = Vec::new();
        for (phase, rival) in &own {
            for instance in 0..120 {
                let nominal = true_time(phase.offset + instance * phase.period);
                let late =
                    [0, rival.jitter, random.below(rival.jitter + 1)][random.below(3) as usize];
                arrivals.push((nominal + late, rival.frame));
            }
        }
        for _ in 0..40 {
            let (from, _) = arrivals[random.below(arrivals.len() as u64) as usize];
            let window = 1 + random.below(6_000_000 * US);
            let inside = arrivals
                .iter()
                .filter(|(at, _)| (from..from + window).contains(at));
            let seen: u64 = inside.map(|(_, frame)| frame).sum();
            let demand = timetable.demand(window).unwrap();
            assert!(seen <= demand, "{seen} > {demand} in {window} from {from}");
            let separate: u64 = timetable
                .rivals()
                .map(|one| one.number(window).unwrap() * one.frame)
                .sum();
            assert!(demand <= separate);
        }
    });
}
