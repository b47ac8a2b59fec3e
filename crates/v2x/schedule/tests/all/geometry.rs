//! Areas against known places, against an oracle, and at the ends of the Earth.

use waywarden_testkit::{Random, cases};
use waywarden_v2x_schedule::{
    Bounds, Criterion, DropCause, Ego, Features, Policy, Queue, ReceiverArea,
};
use waywarden_v2x_wire::ieee1609dot2::TwoDLocation;

use super::geodesic::inverse;
use super::{NOW, area, at, modena};

const CIRCLE: ReceiverArea = ReceiverArea::Circle { radius_m: 150 };
const ELLIPSE: ReceiverArea = ReceiverArea::Ellipse {
    side_m: 25,
    ahead_m: 150,
};
const SECTOR: ReceiverArea = ReceiverArea::Sector {
    radius_m: 150,
    aperture_degrees: 90,
};

/// A place so many metres north and east of Modena, to 0.1 %.
fn off(north_m: f64, east_m: f64) -> TwoDLocation {
    let place = modena();
    let north = north_m / 0.011_113;
    let east = east_m / 0.007_932;
    at(
        place.latitude.0 + north as i32,
        place.longitude.0 + east as i32,
    )
}

#[test]
fn places_around_a_vehicle_that_heads_north_and_east() {
    let expected = [
        // North, east; heading north: circle, ellipse, sector; heading east: ellipse, sector.
        ((0.0, 0.0), [true, true, true, true, true]),
        ((149.0, 0.0), [true, true, true, false, false]),
        ((-149.0, 0.0), [true, true, false, false, false]),
        ((0.0, 24.8), [true, true, false, true, true]),
        ((0.0, 149.0), [true, false, false, true, true]),
        ((0.0, -149.0), [true, false, false, true, false]),
        ((151.0, 0.0), [false, false, false, false, false]),
        ((100.0, 98.0), [true, false, true, false, false]),
        ((98.0, 100.0), [true, false, false, false, true]),
        ((120.0, 12.0), [true, true, true, false, false]),
        ((120.0, 17.0), [true, false, true, false, false]),
        ((110.0, 110.0), [false, false, false, false, false]),
    ];
    let [north, east] = [0, 9_000].map(|heading| Ego::new(modena(), Some(heading)).unwrap());
    for ((north_m, east_m), expected) in expected {
        let place = off(north_m, east_m);
        let found = [
            CIRCLE.contains(&north, &place),
            ELLIPSE.contains(&north, &place),
            SECTOR.contains(&north, &place),
            ELLIPSE.contains(&east, &place),
            SECTOR.contains(&east, &place),
        ];
        assert_eq!(found, expected, "{north_m} m north, {east_m} m east");
        assert_eq!(CIRCLE.contains(&east, &place), expected[0]);
    }
}

#[test]
fn without_a_heading_all_directions_are_ahead() {
    let ego = Ego::new(modena(), None).unwrap();
    for (north_m, east_m) in [(149.0, 0.0), (0.0, 149.0), (-149.0, 0.0), (0.0, -149.0)] {
        for area in [CIRCLE, ELLIPSE, SECTOR] {
            assert!(area.contains(&ego, &off(north_m, east_m)));
            assert!(!area.contains(&ego, &off(north_m * 1.02, east_m * 1.02)));
        }
    }
}

/// Returns the margin of a place within an area, in metres, by its distance and azimuth; negative
/// outside.
fn oracle_margin(
    area: &ReceiverArea,
    heading: Option<f64>,
    (distance, azimuth): (f64, f64),
) -> f64 {
    let Some(heading) = heading else {
        return f64::from(area.reach_m()) - distance;
    };
    let off = (azimuth - heading).to_degrees().rem_euclid(360.0);
    let off = off.min(360.0 - off);
    match *area {
        ReceiverArea::Circle { radius_m } => f64::from(radius_m) - distance,
        ReceiverArea::Ellipse { side_m, ahead_m } => {
            // The radius of an ellipse in a direction.
            let (sine, cosine) = off.to_radians().sin_cos();
            let (x, y) = (sine / f64::from(side_m), cosine / f64::from(ahead_m));
            1.0 / x.hypot(y) - distance
        }
        ReceiverArea::Sector {
            radius_m,
            aperture_degrees,
        } => {
            let aside = (f64::from(aperture_degrees) / 2.0 - off).to_radians() * distance;
            // No place is beside a whole circle.
            let aside = if aperture_degrees >= 360 {
                f64::MAX
            } else {
                aside
            };
            aside.min(f64::from(radius_m) - distance)
        }
    }
}

/// A place up to one and a half times `reach` metres from another, a third of them near `reach`.
fn near(random: &mut Random, from: &TwoDLocation, reach: f64) -> TwoDLocation {
    let share = |random: &mut Random| random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
    let (least, most) = match random.once_in(3) {
        true => (0.995 * reach, 1.005 * reach),
        false => (0.0, 1.5 * reach + 1.0),
    };
    let (distance, azimuth) = (
        least + share(random) * (most - least),
        share(random) * core::f64::consts::TAU,
    );
    let cosine = (f64::from(from.latitude.0) / 1e7).to_radians().cos();
    let latitude = f64::from(from.latitude.0) + azimuth.cos() * distance / 0.011_113;
    let longitude = azimuth.sin() * distance / (0.011_132 * cosine.max(1e-9));
    let longitude = i64::from(from.longitude.0) + longitude as i64;
    let longitude = (longitude + 1_799_999_999).rem_euclid(3_600_000_000) - 1_799_999_999;
    at(
        latitude.clamp(-9e8, 9e8) as i32,
        i32::try_from(longitude).unwrap(),
    )
}

/// Draws the place of a vehicle: anywhere, near a pole, at the antimeridian, at the equator.
fn anywhere(random: &mut Random) -> TwoDLocation {
    let latitude = random.below(1_800_000_001) as i64 - 900_000_000;
    let longitude = random.below(3_600_000_000) as i64 - 1_799_999_999;
    let close = random.below(20_000) as i64;
    let (latitude, longitude) = match random.index(6) {
        0 => (900_000_000 - close, longitude),
        1 => (close - 900_000_000, longitude),
        2 => (latitude, 1_800_000_000 - close),
        3 => (close - 10_000, close - 10_000),
        _ => (latitude, longitude),
    };
    at(latitude as i32, longitude as i32)
}

/// Every area agrees with the geodesics of the ellipsoid, but for places within 1 mm of a border.
#[test]
fn areas_agree_with_geodesics_on_random_placements() {
    let mut random = Random::of_test("areas_agree_with_geodesics_on_random_placements");
    let (mut inside, mut close, total) = (0, 0, cases(10_000));
    for case in 0..total {
        let area = area(&mut random);
        let place = anywhere(&mut random);
        let heading = (!random.once_in(10)).then(|| random.below(36_000) as u16);
        let ego = Ego::new(place, heading).unwrap();
        let other = near(&mut random, &place, f64::from(area.reach_m()));
        let radians = heading.map(|heading| (f64::from(heading) / 100.0).to_radians());
        let margin = oracle_margin(&area, radians, inverse(&place, &other));
        if margin.abs() < 1e-3 {
            close += 1;
            continue;
        }
        let found = area.contains(&ego, &other);
        assert_eq!(
            found,
            margin > 0.0,
            "case {case}: {area:?}, {place:?} heading {heading:?}, {other:?}, {margin} m inside"
        );
        inside += usize::from(found);
    }
    println!("{total} placements, {inside} inside, {close} within 1 mm of the border");
    assert!(close * 50 < total, "{close} of {total} are not compared");
    assert!(
        inside * 5 > total && inside * 5 < total * 4,
        "{inside} of {total}"
    );
}

/// In the exclusive mode what is verified is what the evaluation in \[ECQV-CITS §VI\] counts: the
/// messages from inside, for each of its areas.
#[test]
fn exclusive_policies_verify_what_the_paper_counts() {
    let mut random = Random::of_test("exclusive_policies_verify_what_the_paper_counts");
    let heading = 4_500;
    let sides = [50, 150, 250, 300, 1_000];
    let circles = sides.map(|radius_m| ReceiverArea::Circle { radius_m });
    let ellipses = sides.map(|ahead_m| ReceiverArea::Ellipse {
        side_m: 25,
        ahead_m,
    });
    let sector = |radius_m| {
        [90, 135, 180].map(|aperture_degrees| ReceiverArea::Sector {
            radius_m,
            aperture_degrees,
        })
    };
    let areas = [&circles[..], &ellipses, &sector(50), &sector(300)].concat();
    for area in areas {
        let policy = Policy::from(Criterion::Area(area)).exclusive();
        let mut queue = Queue::new(policy, Bounds::DEFAULT);
        queue.set_ego(Ego::new(modena(), Some(heading)));
        let mut inside = 0;
        for number in 0..500 {
            let place = near(&mut random, &modena(), 300.0);
            let azimuth = (f64::from(heading) / 100.0).to_radians();
            let way = inverse(&modena(), &place);
            inside += usize::from(oracle_margin(&area, Some(azimuth), way) >= 0.0);
            let features = Features {
                position: Some(place),
                ..Features::default()
            };
            queue.push(number, &features, NOW);
        }
        let verified = std::iter::from_fn(|| queue.pop(NOW)).count();
        println!("{policy}: {verified} of 500");
        assert_eq!(verified, inside, "{policy}");
        let outside = queue.counters().dropped(DropCause::Outside);
        assert_eq!(verified + outside as usize, 500);
    }
}

/// No place and no size gives anything but an answer, and an area that grows loses no place.
#[test]
fn extreme_places_and_sizes_have_an_answer() {
    let latitudes = [
        -900_000_000,
        -899_999_999,
        -1,
        0,
        1,
        899_999_999,
        900_000_000,
    ];
    let longitudes = [
        -1_799_999_999,
        -1,
        0,
        1,
        900_000_000,
        1_799_999_999,
        1_800_000_000,
    ];
    let sizes = [0, 1, 25, 359, 360, 361, u16::MAX];
    let mut places = Vec::new();
    for latitude in latitudes {
        places.extend(longitudes.map(|longitude| at(latitude, longitude)));
    }
    for own in &places {
        let ego = Ego::new(*own, Some(u16::MAX)).unwrap();
        for other in &places {
            let distance = chord_at_least(own, other);
            for (one, two) in sizes
                .into_iter()
                .flat_map(|one| sizes.map(|two| (one, two)))
            {
                for area in [
                    ReceiverArea::Circle { radius_m: one },
                    ReceiverArea::Ellipse {
                        side_m: one,
                        ahead_m: two,
                    },
                    ReceiverArea::Sector {
                        radius_m: one,
                        aperture_degrees: two,
                    },
                ] {
                    let is_inside = area.contains(&ego, other);
                    assert!(!is_inside || distance <= f64::from(area.reach_m()) + 1.0);
                    assert!(is_inside || own != other, "{area:?} has no centre");
                }
            }
        }
    }
}

/// A length that the chord between two places is not shorter than: that of a smaller sphere.
fn chord_at_least(one: &TwoDLocation, other: &TwoDLocation) -> f64 {
    let point = |place: &TwoDLocation| {
        let (north, across) = (f64::from(place.latitude.0) / 1e7).to_radians().sin_cos();
        let (east, prime) = (f64::from(place.longitude.0) / 1e7).to_radians().sin_cos();
        [across * prime, across * east, north]
    };
    let (one, other) = (point(one), point(other));
    let square: f64 = one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
    6_300_000.0 * square.sqrt()
}

#[test]
fn places_that_are_none_lie_in_no_area() {
    let ego = Ego::new(modena(), None).unwrap();
    let none = [
        at(900_000_001, 0),
        at(0, 1_800_000_001),
        at(i32::MIN, i32::MIN),
        at(i32::MAX, i32::MAX),
        at(900_000_001, 1_800_000_001),
    ];
    for place in none {
        assert!(Ego::new(place, Some(0)).is_none());
        assert!(!ReceiverArea::Circle { radius_m: u16::MAX }.contains(&ego, &place));
    }
}
