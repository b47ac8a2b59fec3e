//! Where certificates are valid \[1609.2 §6.4\]: is a point in a region, and a region in another?
//!
//! Positions are taken as points of a sphere: the sides of polygons are arcs of great circles,
//! which differ from the ellipsoid's geodesics by metres in a hundred kilometres. Distances are
//! those of the sphere that fits the ellipsoid at the place, true to a thousandth up to the 65 km
//! that a circle may have.
//!
//! Whether one region lies in another is answered "yes" only where that is certain.

use libm::{atan2, cos, fabs, sin, sqrt};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CircularRegion, GeographicRegion, IdentifiedRegion, LATITUDE_UNKNOWN, LONGITUDE_UNKNOWN,
    RectangularRegion, TwoDLocation, UnCountryId,
};

/// Radians in a tenth of a microdegree.
const UNIT: f64 = core::f64::consts::PI / 1_800_000_000.0;
/// The ellipsoid of WGS 84: its larger half axis in metres, and its first eccentricity squared.
const AXIS: f64 = 6_378_137.0;
const ECCENTRICITY_SQUARED: f64 = 6.694_379_990_14e-3;

/// Knows the borders of countries.
pub trait Borders {
    /// Whether a place is in a country, one of its regions, or one of that region's parts; `None`
    /// if this border is not known.
    fn contains(
        &self,
        country: UnCountryId,
        region: Option<u8>,
        part: Option<u16>,
        place: &TwoDLocation,
    ) -> Option<bool>;
}

/// Knows no border.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBorders;

impl Borders for NoBorders {
    fn contains(
        &self,
        _: UnCountryId,
        _: Option<u8>,
        _: Option<u16>,
        _: &TwoDLocation,
    ) -> Option<bool> {
        None
    }
}

/// Whether a latitude and a longitude are known.
#[must_use]
pub fn is_known(place: &TwoDLocation) -> bool {
    place.latitude.0 != LATITUDE_UNKNOWN && place.longitude.0 != LONGITUDE_UNKNOWN
}

/// Returns the distance of two places, in metres; for places some hundred kilometres apart.
#[must_use]
pub fn distance(one: &TwoDLocation, other: &TwoDLocation) -> f64 {
    let (a, b) = (vector(one), vector(other));
    let angle = atan2(norm(cross(a, b)), dot(a, b));
    // The radius of the sphere that fits best between them.
    let middle = f64::from(one.latitude.0 / 2 + other.latitude.0 / 2) * UNIT;
    let bulge = 1.0 - ECCENTRICITY_SQUARED * sin(middle) * sin(middle);
    let meridian = AXIS * (1.0 - ECCENTRICITY_SQUARED) / (bulge * sqrt(bulge));
    let vertical = AXIS / sqrt(bulge);
    let north = f64::from(other.latitude.0) - f64::from(one.latitude.0);
    let east = east_of(one, other) * cos(middle);
    let length = north * north + east * east;
    let share = if length > 0.0 {
        north * north / length
    } else {
        0.0
    };
    angle * (share * meridian + (1.0 - share) * vertical)
}

/// Whether a place is in a region; `None` where that depends on borders that are not known.
pub fn contains(
    region: &GeographicRegion<'_>,
    place: &TwoDLocation,
    borders: &dyn Borders,
) -> Option<bool> {
    match region {
        GeographicRegion::Circular(circle) => Some(in_circle(circle, place)),
        GeographicRegion::Rectangular(rectangles) => {
            let mut rectangles = rectangles.iter().flatten();
            Some(rectangles.any(|one| in_rectangle(&one, place)))
        }
        GeographicRegion::Polygonal(corners) => Some(in_polygon(corners, place)),
        GeographicRegion::Identified(regions) => {
            let answers = regions.iter().flatten();
            let answers = answers.map(|one| in_identified(&one, place, borders));
            any(answers)
        }
    }
}

/// Some answer is yes; or none is known to be; or all are no.
fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(false);
    for answer in answers {
        match answer {
            Some(true) => return Some(true),
            Some(false) => {}
            None => all = None,
        }
    }
    all
}

fn in_identified(
    region: &IdentifiedRegion<'_>,
    place: &TwoDLocation,
    borders: &dyn Borders,
) -> Option<bool> {
    match region {
        IdentifiedRegion::CountryOnly(country) => borders.contains(*country, None, None, place),
        IdentifiedRegion::CountryAndRegions(own) => {
            let regions = own.regions.iter().flatten();
            any(regions.map(|region| borders.contains(own.country, Some(region), None, place)))
        }
        IdentifiedRegion::CountryAndSubregions(own) => {
            let regions = own.regions.iter().flatten();
            any(regions.map(|region| {
                let parts = region.subregions.iter().flatten();
                any(parts.map(|part| {
                    borders.contains(own.country, Some(region.region), Some(part), place)
                }))
            }))
        }
    }
}

fn in_circle(circle: &CircularRegion, place: &TwoDLocation) -> bool {
    is_known(&circle.center) && distance(&circle.center, place) <= f64::from(circle.radius)
}

/// A rectangle without an area is none \[1609.2 §6.4\].
fn is_valid(rectangle: &RectangularRegion) -> bool {
    let (north_west, south_east) = (&rectangle.north_west, &rectangle.south_east);
    is_known(north_west)
        && is_known(south_east)
        && north_west.latitude > south_east.latitude
        && north_west.longitude != south_east.longitude
}

fn in_rectangle(rectangle: &RectangularRegion, place: &TwoDLocation) -> bool {
    let (north_west, south_east) = (&rectangle.north_west, &rectangle.south_east);
    let width = eastward(north_west.longitude.0, south_east.longitude.0);
    is_valid(rectangle)
        && (south_east.latitude..=north_west.latitude).contains(&place.latitude)
        && eastward(north_west.longitude.0, place.longitude.0) <= width
}

/// How far one has to go east, in tenths of a microdegree: 0 to less than the whole way round.
fn eastward(from: i32, to: i32) -> i64 {
    (i64::from(to) - i64::from(from)).rem_euclid(3_600_000_000)
}

/// How far east one place is of another, the shorter way; west is negative.
fn east_of(from: &TwoDLocation, to: &TwoDLocation) -> f64 {
    let way = eastward(from.longitude.0, to.longitude.0);
    (if way > 1_800_000_000 {
        way - 3_600_000_000
    } else {
        way
    }) as f64
}

type Vector = [f64; 3];

fn vector(place: &TwoDLocation) -> Vector {
    let latitude = f64::from(place.latitude.0) * UNIT;
    let longitude = f64::from(place.longitude.0) * UNIT;
    [
        cos(latitude) * cos(longitude),
        cos(latitude) * sin(longitude),
        sin(latitude),
    ]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn norm(a: Vector) -> f64 {
    sqrt(dot(a, a))
}

/// Winds around the place once, or not at all. Seen from the place, sides are straight lines: the
/// projection from the middle of the sphere makes them so. A place that is a quarter of the Earth
/// away from a corner is outside.
fn in_polygon(corners: &SequenceOf<'_, TwoDLocation, 3>, place: &TwoDLocation) -> bool {
    let own = vector(place);
    // The place's horizon, east and north.
    let longitude = f64::from(place.longitude.0) * UNIT;
    let east = [-sin(longitude), cos(longitude), 0.0];
    let north = cross(own, east);
    let project = |corner: TwoDLocation| {
        let corner = vector(&corner);
        let height = dot(corner, own);
        (height > 1e-9).then(|| [dot(corner, east) / height, dot(corner, north) / height])
    };
    let mut corners = corners.iter().flatten().map(project);
    let Some(Some(first)) = corners.next() else {
        return false;
    };
    let mut winding = 0;
    let mut last = first;
    for corner in corners.chain([Some(first)]) {
        let Some(corner) = corner else {
            return false;
        };
        let side = last[0] * corner[1] - last[1] * corner[0];
        let between = last[0] * corner[0] + last[1] * corner[1];
        // On the boundary, to a centimetre: that is in.
        let length = sqrt(
            (corner[0] - last[0]) * (corner[0] - last[0])
                + (corner[1] - last[1]) * (corner[1] - last[1]),
        );
        let near = 1e-9;
        if fabs(side) <= near * length.max(near) && between <= near * near {
            return true;
        }
        match (last[1] <= 0.0, corner[1] <= 0.0) {
            (true, false) if side > 0.0 => winding += 1,
            (false, true) if side < 0.0 => winding -= 1,
            _ => {}
        }
        last = corner;
    }
    winding != 0
}

/// Whether all of a region is certainly in another one.
pub(crate) fn is_within(inner: &GeographicRegion<'_>, outer: &GeographicRegion<'_>) -> bool {
    use GeographicRegion::{Circular, Identified, Polygonal, Rectangular};
    match (inner, outer) {
        (Identified(inner), Identified(outer)) => inner.iter().flatten().all(|one| {
            let mut outer = outer.iter().flatten();
            outer.any(|other| identified_in(&one, &other))
        }),
        (Identified(_), _) | (_, Identified(_)) => false,
        // The same words mean the same.
        _ if inner == outer => true,
        (Circular(inner), Circular(outer)) => {
            let between = distance(&inner.center, &outer.center);
            between + f64::from(inner.radius) <= f64::from(outer.radius)
        }
        (Rectangular(inner), _) => inner.iter().flatten().all(|one| rectangle_in(&one, outer)),
        (Circular(inner), _) => around(inner).is_some_and(|around| rectangle_in(&around, outer)),
        (Polygonal(corners), _) => {
            bounds(corners).is_some_and(|around| rectangle_in(&around, outer))
        }
    }
}

fn identified_in(inner: &IdentifiedRegion<'_>, outer: &IdentifiedRegion<'_>) -> bool {
    use IdentifiedRegion::{CountryAndRegions, CountryAndSubregions, CountryOnly};
    let country = |region: &IdentifiedRegion<'_>| match region {
        CountryOnly(country) => *country,
        CountryAndRegions(own) => own.country,
        CountryAndSubregions(own) => own.country,
    };
    if country(inner) != country(outer) {
        return false;
    }
    let has = |regions: &SequenceOf<'_, u8>, region: u8| {
        regions.iter().flatten().any(|one| one == region)
    };
    match (inner, outer) {
        (_, CountryOnly(_)) => true,
        (CountryOnly(_), _) => false,
        (CountryAndRegions(inner), CountryAndRegions(outer)) => inner
            .regions
            .iter()
            .flatten()
            .all(|one| has(&outer.regions, one)),
        (CountryAndSubregions(inner), CountryAndRegions(outer)) => {
            let mut regions = inner.regions.iter().flatten();
            regions.all(|one| has(&outer.regions, one.region))
        }
        (CountryAndRegions(_), CountryAndSubregions(_)) => false,
        (CountryAndSubregions(inner), CountryAndSubregions(outer)) => {
            inner.regions.iter().flatten().all(|one| {
                outer.regions.iter().flatten().any(|other| {
                    let has = |part| other.subregions.iter().flatten().any(|own| own == part);
                    one.region == other.region && one.subregions.iter().flatten().all(has)
                })
            })
        }
    }
}

/// A rectangle around a circle, a hundredth wider; none near the poles.
fn around(circle: &CircularRegion) -> Option<RectangularRegion> {
    let reach = f64::from(circle.radius) * 1.01 + 1.0;
    let latitude = f64::from(circle.center.latitude.0) * UNIT;
    let north = reach / (AXIS * (1.0 - ECCENTRICITY_SQUARED)) / UNIT;
    let east = north / cos(fabs(latitude) + north * UNIT);
    let is_far_from_poles = fabs(latitude) + north * UNIT < 1.5;
    (is_known(&circle.center) && is_far_from_poles).then(|| {
        let mut corners = RectangularRegion {
            north_west: circle.center,
            south_east: circle.center,
        };
        corners.north_west.latitude.0 += north as i32;
        corners.south_east.latitude.0 -= north as i32;
        corners.north_west.longitude.0 = turned(circle.center.longitude.0, -(east as i64));
        corners.south_east.longitude.0 = turned(circle.center.longitude.0, east as i64);
        corners
    })
}

/// A longitude so far to the east, in the range that longitudes have.
fn turned(longitude: i32, east: i64) -> i32 {
    let turned = (i64::from(longitude) + east + 1_799_999_999).rem_euclid(3_600_000_000);
    (turned - 1_799_999_999) as i32
}

/// A rectangle around a polygon whose corners are less than half a degree from each other, so that
/// its sides bulge by less than the margin; none where they are not, or cross the antimeridian.
fn bounds(corners: &SequenceOf<'_, TwoDLocation, 3>) -> Option<RectangularRegion> {
    const MARGIN: i32 = 4_000;
    let mut corners = corners.iter().flatten();
    let first = corners.next()?;
    let mut rectangle = RectangularRegion {
        north_west: first,
        south_east: first,
    };
    for corner in corners {
        let (north_west, south_east) = (&mut rectangle.north_west, &mut rectangle.south_east);
        north_west.latitude = north_west.latitude.max(corner.latitude);
        south_east.latitude = south_east.latitude.min(corner.latitude);
        north_west.longitude = north_west.longitude.min(corner.longitude);
        south_east.longitude = south_east.longitude.max(corner.longitude);
    }
    let (north_west, south_east) = (rectangle.north_west, rectangle.south_east);
    let width = i64::from(south_east.longitude.0) - i64::from(north_west.longitude.0);
    let height = i64::from(north_west.latitude.0) - i64::from(south_east.latitude.0);
    let is_small = (0..5_000_000).contains(&width) && (0..5_000_000).contains(&height);
    rectangle.north_west.latitude.0 = rectangle.north_west.latitude.0.saturating_add(MARGIN);
    rectangle.south_east.latitude.0 = rectangle.south_east.latitude.0.saturating_sub(MARGIN);
    is_small.then_some(rectangle)
}

fn rectangle_in(inner: &RectangularRegion, outer: &GeographicRegion<'_>) -> bool {
    if !is_valid(inner) {
        return false;
    }
    let corners = [
        (inner.north_west.latitude, inner.north_west.longitude),
        (inner.north_west.latitude, inner.south_east.longitude),
        (inner.south_east.latitude, inner.south_east.longitude),
        (inner.south_east.latitude, inner.north_west.longitude),
    ]
    .map(|(latitude, longitude)| TwoDLocation {
        latitude,
        longitude,
    });
    match outer {
        GeographicRegion::Circular(circle) => {
            corners.iter().all(|corner| in_circle(circle, corner))
        }
        GeographicRegion::Rectangular(outer) => {
            let mut outer = outer.iter().flatten();
            outer.any(|outer| {
                let width = eastward(outer.north_west.longitude.0, outer.south_east.longitude.0);
                let west = eastward(outer.north_west.longitude.0, inner.north_west.longitude.0);
                let own = eastward(inner.north_west.longitude.0, inner.south_east.longitude.0);
                is_valid(&outer)
                    && inner.north_west.latitude <= outer.north_west.latitude
                    && inner.south_east.latitude >= outer.south_east.latitude
                    && west + own <= width
            })
        }
        // Sides of a polygon may cut in between corners.
        GeographicRegion::Polygonal(_) | GeographicRegion::Identified(_) => false,
    }
}

#[cfg(test)]
mod tests;
