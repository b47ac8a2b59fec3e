//! Polygons, whose sides are arcs of great circles.

use alloc::vec::Vec;

use libm::{asin, ceil, fabs, fmax, fmin, sqrt};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{Latitude, TwoDLocation};

use super::circle::Cap;
use super::fault::RegionFault;
use super::plane::{self, Point, Side};
use super::rectangle::Span;
use super::sphere::{
    POLE, TURN, UNIT, Vector, angle, check_place, cross, dot, east_of, eastward, minus, norm,
    vector,
};

/// Most corners of a polygon; the standard asks for eight \[1609.2 §6.4\].
pub(super) const CORNERS_MAX: usize = 48;
/// Most comparisons of sides for regions in a polygon: all pairs of two polygons, in 12 µs.
pub(super) const PAIRS_MAX: usize = CORNERS_MAX * CORNERS_MAX;

/// A place so near to a side lies on it, in radians: 0.6 µm, 150 times what rounding takes. Other
/// places than those of the same meridian are farther, except some within 370 m of a pole.
const NEAR: f64 = 1e-13;
/// Least distance between the sides of one polygon, so that they do not cross: more than rounding
/// errors, and less than a tenth of a microdegree.
const GAP_OWN: f64 = 1e-11;
/// The same for two polygons: also more than the error of a point that counts as on a side.
const GAP: f64 = 1e-9;
/// Least distance between a circle and a side, in radians: 0.6 m.
const GAP_CIRCLE: f64 = 1e-7;
/// The cosine of 80 degrees: corners are at most so far from their middle. So the polygon lies in
/// half a sphere, which says where its inside is, and the projection stretches less than 34 times.
const LOWEST: f64 = 0.173_648_177_666_930_33;
/// Most by which a side may extend beyond its computed ends and vertex towards a pole, in tenths of
/// a microdegree: at the poles the arc sine loses half of the digits.
const UNITS: i64 = 32;
/// Nearer to a pole than this, longitudes say little: 0.1 degrees.
const POLAR: i64 = POLE - 1_000_000;

/// A polygon whose corners lie in half a sphere. Its sides may cross.
#[derive(Clone, Debug)]
pub(super) struct Polygon {
    places: Vec<TwoDLocation>,
    corners: Vec<Vector>,
    frame: Frame,
    sides: Vec<Side>,
}

pub(super) fn in_polygon(corners: &SequenceOf<'_, TwoDLocation, 3>, place: &TwoDLocation) -> bool {
    Polygon::read(corners).is_ok_and(|polygon| polygon.contains(vector(place)))
}

impl Polygon {
    pub(super) fn read(corners: &SequenceOf<'_, TwoDLocation, 3>) -> Result<Self, RegionFault> {
        // Fewer than three are not read.
        if corners.len() > CORNERS_MAX {
            return Err(RegionFault::TooManyCorners);
        }
        let places: Vec<TwoDLocation> = corners.iter().flatten().collect();
        places.iter().try_for_each(check_place)?;
        let corners: Vec<Vector> = places.iter().map(vector).collect();
        let frame = Frame::over(&corners).ok_or(RegionFault::PolygonTooLarge)?;
        let sides = frame.sides(&corners).ok_or(RegionFault::PolygonTooLarge)?;
        Ok(Self {
            places,
            corners,
            frame,
            sides,
        })
    }

    /// Its corners differ, and its sides meet nowhere else.
    pub(super) fn check_simple(&self) -> Result<(), RegionFault> {
        let mut places: Vec<(i32, i32)> = self.places.iter().map(identity).collect();
        places.sort_unstable();
        if places.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(RegionFault::RepeatedCorner);
        }
        match plane::is_simple(&self.sides, GAP_OWN) && !self.has_overlapping_parallels() {
            true => Ok(()),
            false => Err(RegionFault::CrossingSides),
        }
    }

    /// Returns true if sides between places of one latitude overlap for an issuer that takes them
    /// as parts of the parallel. As arcs they bulge differently, and metres are between them.
    fn has_overlapping_parallels(&self) -> bool {
        let next = self.places.iter().cycle().skip(1);
        let level = self.places.iter().zip(next).filter_map(|(one, other)| {
            let way = east_of(one, other);
            let west = if way < 0 { other } else { one };
            let is_level = one.latitude == other.latitude;
            is_level.then_some((one.latitude, i64::from(west.longitude.0), way.abs()))
        });
        let level: Vec<Level> = level.collect();
        let overlap = |(one, west, width): &Level, (other, start, length): &Level| {
            one == other && (eastward(*west, *start) < *width || eastward(*start, *west) < *length)
        };
        let mut rest = &level[..];
        while let [first, others @ ..] = rest {
            if others.iter().any(|other| overlap(first, other)) {
                return true;
            }
            rest = others;
        }
        false
    }

    pub(super) fn corners(&self) -> &[Vector] {
        &self.corners
    }

    /// The sides as arcs.
    fn arcs(&self) -> impl Iterator<Item = (Vector, Vector)> {
        let next = self.corners.iter().cycle().skip(1);
        self.corners.iter().copied().zip(next.copied())
    }

    fn contains(&self, point: Vector) -> bool {
        let Some(flat) = self.frame.project(point) else {
            return false;
        };
        self.arcs().any(|(from, to)| is_on(point, from, to))
            || plane::winding(&self.sides, flat) != 0
    }

    /// Returns true if a closed line of arcs, with its inside, certainly lies in the polygon; false
    /// also if that takes more than the `pairs` comparisons that are left.
    pub(super) fn encloses(&self, line: &[Vector], pairs: &mut usize) -> bool {
        let Some(left) = pairs.checked_sub(line.len() * self.sides.len()) else {
            return false;
        };
        *pairs = left;
        let line = self.frame.sides(line);
        line.is_some_and(|line| plane::encloses(&self.sides, &line, GAP))
    }

    /// Returns true if a cap certainly lies in it: its centre does, and no side is near.
    pub(super) fn covers_cap(&self, cap: &Cap) -> bool {
        let centre = self.frame.project(cap.centre);
        centre.is_some_and(|centre| plane::winding(&self.sides, centre) != 0)
            && self
                .arcs()
                .all(|(from, to)| distance_least(cap.centre, from, to) > cap.angle + GAP_CIRCLE)
    }

    /// A rectangle in which it lies; none where a side spans half a turn or nearly so, and may pass
    /// a pole on either side. If it has a pole inside, or comes near to one, all longitudes.
    pub(super) fn bounds(&self) -> Option<Span> {
        let first = self.places.first()?;
        let (mut south, mut north) = (i64::from(first.latitude.0), i64::from(first.latitude.0));
        let (mut west, mut east, mut at) = (0, 0, 0);
        let next = self.places.iter().cycle().skip(1);
        for ((from, to), (one, other)) in self.arcs().zip(self.places.iter().zip(next)) {
            let way = east_of(one, other);
            if way.abs() > TURN / 2 - TURN / 360 {
                return None;
            }
            at += way;
            (west, east) = (at.min(west), at.max(east));
            let latitude = i64::from(one.latitude.0);
            let vertex = vertex(from, to).unwrap_or(latitude);
            south = south.min(latitude).min(vertex);
            north = north.max(latitude).max(vertex);
        }
        let is_around_pole = at != 0;
        let is_northern = self.frame.up[2] > 0.0;
        if north > POLAR || (is_around_pole && is_northern) {
            north = POLE;
        }
        if south < -POLAR || (is_around_pole && !is_northern) {
            south = -POLE;
        }
        let has_all = is_around_pole || north == POLE || south == -POLE;
        let first = i64::from(first.longitude.0);
        let (west, width) = match has_all || east - west >= TURN {
            true => (0, TURN),
            false => (first + west, east - west),
        };
        Some(Span {
            south,
            north,
            west,
            width,
        })
    }
}

/// Returns the coordinates of a corner, with one longitude for each pole.
fn identity(place: &TwoDLocation) -> (i32, i32) {
    let is_pole = i64::from(place.latitude.0).abs() == POLE;
    let longitude = if is_pole { 0 } else { place.longitude.0 };
    (place.latitude.0, longitude)
}

/// A part of a parallel: its latitude, its west, how far it goes to the east.
type Level = (Latitude, i64, i64);

/// The half of the sphere around a polygon's middle, and two directions in the plane that touches
/// it there.
#[derive(Clone, Copy, Debug)]
struct Frame {
    up: Vector,
    axes: [Vector; 2],
}

impl Frame {
    /// None where the corners are all around the sphere.
    fn over(corners: &[Vector]) -> Option<Self> {
        let sum = corners.iter().fold([0.0; 3], |sum, corner| {
            [0, 1, 2].map(|axis| sum[axis] + corner[axis])
        });
        let up = unit(sum)?;
        // Away from the axis to which it is nearest.
        let other = match fabs(up[2]) < 0.8 {
            true => [0.0, 0.0, 1.0],
            false => [1.0, 0.0, 0.0],
        };
        let axis = unit(cross(other, up))?;
        Some(Self {
            up,
            axes: [axis, cross(up, axis)],
        })
    }

    /// Projects a point from the middle of the sphere, if it is not too far away.
    fn project(&self, point: Vector) -> Option<Point> {
        let height = dot(point, self.up);
        (height > LOWEST).then(|| self.axes.map(|axis| dot(point, axis) / height))
    }

    fn sides(&self, corners: &[Vector]) -> Option<Vec<Side>> {
        let flat: Option<Vec<Point>> = corners.iter().map(|corner| self.project(*corner)).collect();
        Some(plane::sides(&flat?))
    }
}

fn unit(a: Vector) -> Option<Vector> {
    let length = norm(a);
    (length > 1e-6).then(|| a.map(|part| part / length))
}

/// Returns true if a point is as near to an arc as [`NEAR`]: to its line between its ends, or to
/// one of its ends. So a point near a line in a polygon is in the polygon, or near its sides. An
/// arc is the same in both directions, to the last bit.
fn is_on(point: Vector, one: Vector, other: Vector) -> bool {
    let (from, to) = if one <= other {
        (one, other)
    } else {
        (other, one)
    };
    let (way, after, before) = (minus(to, from), minus(point, from), minus(point, to));
    if fmin(dot(after, after), dot(before, before)) <= NEAR * NEAR {
        return true;
    }
    let normal = cross(from, way);
    let off = dot(after, normal);
    let is_between = dot(after, way) >= 0.0 && dot(before, way) <= 0.0;
    is_between && off * off <= NEAR * NEAR * dot(normal, normal)
}

/// At least so far a point is from an arc, in radians, but for a hundredth of [`GAP_CIRCLE`]. To
/// the ends of a short arc it is nearly as far; a long one has a plane that is known well.
fn distance_least(point: Vector, from: Vector, to: Vector) -> f64 {
    let ends = fmin(angle(point, from), angle(point, to));
    let normal = cross(from, minus(to, from));
    let is_beside = dot(point, cross(normal, from)) > 0.0 && dot(point, cross(to, normal)) > 0.0;
    if is_beside {
        let sine = fabs(dot(minus(point, from), normal)) / norm(normal);
        fmax(asin(fmin(sine, 1.0)), ends - angle(from, to))
    } else {
        ends
    }
}

/// The latitude of the place where an arc is nearest to a pole, if that is between its ends,
/// rounded towards that pole. The sine of the latitude is `f(t) = f₀·cos t + f₁·sin t` with `t`
/// the angle from the arc's middle, so that its extreme is `√(f₀² + f₁²)`.
fn vertex(from: Vector, to: Vector) -> Option<i64> {
    let middle = dot(from, to);
    let (rise, fall) = (to[2] - middle * from[2], from[2] - middle * to[2]);
    if (rise > 0.0) != (fall > 0.0) || rise == 0.0 || fall == 0.0 {
        return None;
    }
    // Sine and cosine of half the arc.
    let sine = norm(minus(to, from)) / 2.0;
    let cosine = sqrt(1.0 - fmin(sine * sine, 1.0));
    let even = (from[2] + to[2]) / (2.0 * cosine);
    let odd = (to[2] - from[2]) / (2.0 * sine);
    let extreme = fmin(sqrt(even * even + odd * odd), 1.0);
    let units = (ceil(asin(extreme) / UNIT) as i64 + UNITS).min(POLE);
    Some(if rise > 0.0 { units } else { -units })
}
