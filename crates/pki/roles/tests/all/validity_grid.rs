//! Validity periods on a grid: whatever is asked for.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, cases, each_seed};
use waywarden_v2x_pki::ValidityGrid;
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid, Time32, Time64, ValidityPeriod};

use crate::support::{START, World};

fn seconds(duration: Duration) -> u64 {
    duration.microseconds() / 1_000_000
}

fn end(period: ValidityPeriod) -> u64 {
    u64::from(period.start.0) + seconds(period.duration)
}

fn duration(random: &mut Random) -> Duration {
    let count = match random.once_in(2) {
        true => random.below(400) as u16,
        false => random.u64() as u16,
    };
    match random.below(6) {
        0 => Duration::Seconds(count),
        1 => Duration::Minutes(count),
        2 => Duration::SixtyHours(count % 1_000),
        3 => Duration::Years(count % 100),
        4 => Duration::Milliseconds(count),
        _ => Duration::Hours(count),
    }
}

fn grid(random: &mut Random) -> ValidityGrid {
    let cells = [
        Duration::Hours(168),
        Duration::Hours(24),
        Duration::Hours(36),
        Duration::Minutes(10),
        Duration::Seconds(7),
        Duration::Years(1),
    ];
    ValidityGrid::new(cells[random.index(cells.len())]).unwrap()
}

#[test]
fn known_periods() {
    let week = ValidityGrid::WEEK;
    let monday = Period(1_160).start().unwrap().0;
    for (start, asked, begins, lasts) in [
        (monday, Duration::Hours(168), monday, Duration::Hours(168)),
        (
            monday + 604_799,
            Duration::Hours(168),
            monday,
            Duration::Hours(168),
        ),
        (
            monday + 1,
            Duration::Minutes(10_080),
            monday,
            Duration::Hours(168),
        ),
        (
            monday + 1,
            Duration::Hours(400),
            monday,
            Duration::Hours(336),
        ),
        (
            monday + 1,
            Duration::Years(3),
            monday,
            Duration::Hours(156 * 168),
        ),
        (
            monday + 90_000,
            Duration::Hours(30),
            monday + 86_400,
            Duration::Hours(24),
        ),
        (
            monday + 3_700,
            Duration::Minutes(90),
            monday + 3_600,
            Duration::Hours(1),
        ),
        (
            monday + 61,
            Duration::Seconds(90),
            monday + 60,
            Duration::Minutes(1),
        ),
        (
            monday + 7,
            Duration::Seconds(3),
            monday + 7,
            Duration::Seconds(3),
        ),
    ] {
        let period = week.period(Time32(start), asked);
        assert_eq!(
            (period.start.0, period.duration),
            (begins, lasts),
            "{start} {asked:?}"
        );
    }
    assert_eq!(ValidityGrid::default(), week);
    assert_eq!(ValidityGrid::new(Duration::Seconds(0)), None);
    assert_eq!(ValidityGrid::new(Duration::Milliseconds(1_500)), None);
    let second = ValidityGrid::new(Duration::Seconds(1)).unwrap();
    let exact = second.period(Time32(monday + 7), Duration::Years(3));
    assert_eq!(
        (exact.start.0, exact.duration),
        (monday + 7, Duration::Years(3))
    );
}

/// Of two that ask within one cell for as long, neither is told from the other; a period is never
/// longer than asked for, holds its own time of asking, and is on the grid when asked for again.
#[test]
fn periods_of_one_cell_are_the_same() {
    each_seed(40, |seed| {
        let mut random = Random::new(seed);
        for _ in 0..cases(200) {
            let (grid, asked) = (grid(&mut random), duration(&mut random));
            let start = random.u64() as u32;
            let period = grid.period(Time32(start), asked);
            let what = format!("{grid:?} {start} {asked:?} {period:?}, seed {seed}");
            assert!(seconds(period.duration) <= seconds(asked), "{what}");
            assert!(period.start.0 <= start, "{what}");
            let begins = u64::from(period.start.0);
            let cell = match seconds(asked) {
                0 => 1,
                asked if asked >= grid.seconds() => grid.seconds(),
                asked => [86_400, 3_600, 60, 1]
                    .into_iter()
                    .find(|unit| *unit <= asked)
                    .unwrap(),
            };
            assert_eq!(begins % cell, 0, "{what}");
            assert!(u64::from(start) < begins + cell, "{what}");
            let other = begins + random.below(cell);
            if let Ok(other) = u32::try_from(other) {
                assert_eq!(grid.period(Time32(other), asked), period, "{what} {other}");
            }
            // A request for now, up to a minute earlier, is for a cell with now in it.
            let now = start.max(60);
            let asked_for = Time32(now - random.below(60) as u32);
            let at = grid.requested(Time32(now), asked_for, asked);
            let held = grid.period(at, asked);
            assert!(held.start.0 <= now, "{what} {held:?} at {now}");
            let is_on_grid = grid.period(asked_for, asked).start == asked_for;
            let is_held = u64::from(now) < end(held) || seconds(asked) == 0;
            assert!(is_held || is_on_grid, "{what} {held:?} at {now}");
            let again = grid.period(period.start, period.duration);
            assert_eq!(again.start, period.start, "{what} {again:?}");
            assert!(end(again) <= end(period), "{what} {again:?}");
        }
    });
}

/// An issuer whose certificate begins within a cell cuts the period for all alike, and what renews
/// a certificate that was cut is as long as if it had not been.
#[test]
fn an_issuer_that_begins_within_a_cell_cuts_all_periods_alike() {
    let mut random = Random::of_test("an_issuer_that_begins_within_a_cell_cuts_all_periods_alike");
    let world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let (issuer, _) = world.authority.credential().certificate().validity();
    let grid = ValidityGrid::WEEK;
    let cell = grid.cell_start(START).0;
    assert!(
        cell < START.0,
        "the issuer of the test begins within a cell"
    );
    for hours in [168, 336, 7 * 168] {
        let asked = Duration::Hours(hours);
        let left = cell + 604_800 - START.0;
        let of = |start| grid.period_below(issuer, Time32(start), asked);
        let first = of(START.0);
        assert_eq!(first.start, START);
        let whole = u64::from(cell) + seconds(asked);
        // Minutes, or hours beyond 45 days, are as close as a duration comes.
        assert!(
            end(first) <= whole && whole < end(first) + 3_600,
            "{first:?}"
        );
        for _ in 0..20 {
            assert_eq!(of(cell + random.below(604_800) as u32), first);
            assert_eq!(of(START.0 + random.below(left.into()) as u32), first);
        }
        assert_eq!(grid.renewed(issuer, first), asked, "{first:?}");
        let next = of(cell + 604_800 + 5);
        assert_eq!(next, grid.period(Time32(cell + 604_805), asked));
        assert_eq!(grid.renewed(issuer, next), asked);
    }
    // A time before the cell of the issuer is not cut: the issuer does not cover it.
    let early = grid.period_below(issuer, Time32(cell - 5), Duration::Hours(168));
    assert_eq!(early.start, Time32(cell - 604_800));
    assert_eq!(issuer, Time64(u64::from(START.0) * 1_000_000));
    for seconds in [1, 600, 604_800, 31_556_952] {
        assert_eq!(
            ValidityGrid::of_seconds(seconds).unwrap().seconds(),
            seconds
        );
    }
    for seconds in [0, 65_537, u64::MAX] {
        assert_eq!(ValidityGrid::of_seconds(seconds), None);
    }
}
