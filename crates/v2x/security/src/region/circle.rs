//! Circles. Their distance is not quite that of a sphere; between two caps of the sphere, one that
//! it covers and one that covers it, all that is said of a circle is certain.

use libm::{asin, ceil, fabs, fmin, sin};
use waywarden_v2x_wire::ieee1609dot2::{CircularRegion, TwoDLocation};

use super::fault::RegionFault;
use super::rectangle::Span;
use super::sphere::{
    POLE, TURN, UNIT, Vector, angle, check_place, distance, is_known, point, radii, vector,
};

/// Radians that stand for rounding: 6 mm, a million times what sines and square roots lose.
const MARGIN: f64 = 1e-9;
/// Tenths of a microdegree for the same, where a quotient of small numbers is rounded.
const UNITS: i64 = 16;

pub(super) fn in_circle(circle: &CircularRegion, place: &TwoDLocation) -> bool {
    is_known(&circle.center) && distance(&circle.center, place) <= f64::from(circle.radius)
}

/// The points within an angle of a centre. The angle is less than a quarter of a turn, so that an
/// arc between two points of it lies in it. A negative angle has no points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cap {
    pub(super) centre: Vector,
    pub(super) angle: f64,
}

impl Cap {
    pub(super) fn contains(&self, point: Vector) -> bool {
        angle(self.centre, point) <= self.angle
    }
}

/// A circle that may be the region of a certificate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle(CircularRegion);

impl Circle {
    pub(super) fn read(circle: &CircularRegion) -> Result<Self, RegionFault> {
        check_place(&circle.center)?;
        match circle.radius {
            0 => Err(RegionFault::NoRadius),
            _ => Ok(Self(*circle)),
        }
    }

    fn latitude(&self) -> f64 {
        f64::from(self.0.center.latitude.0) * UNIT
    }

    /// The angles of a cap in which it lies and of one that lies in it. A distance is an angle
    /// times a radius between the two radii of curvature in the middle between both places, which
    /// is not farther from the circle's centre in latitude than `reach`.
    fn angles(&self) -> (f64, f64) {
        let radius = f64::from(self.0.radius);
        let (shortest, _) = radii(0.0);
        let reach = radius / shortest;
        let latitude = fabs(self.latitude());
        let (meridian, _) = radii(if latitude > reach {
            latitude - reach
        } else {
            0.0
        });
        let (_, vertical) = radii(fmin(latitude + reach, core::f64::consts::FRAC_PI_2));
        (radius / meridian + MARGIN, radius / vertical - MARGIN)
    }

    /// A cap in which the circle lies.
    pub(super) fn around(&self) -> Cap {
        let centre = vector(&self.0.center);
        Cap {
            centre,
            angle: self.angles().0,
        }
    }

    /// A cap that lies in the circle.
    pub(super) fn inside(&self) -> Cap {
        let centre = vector(&self.0.center);
        Cap {
            centre,
            angle: self.angles().1,
        }
    }

    pub(super) fn is_in(&self, outer: &Self) -> bool {
        if self.0.center == outer.0.center {
            return self.0.radius <= outer.0.radius;
        }
        let (own, cap) = (self.around(), outer.inside());
        angle(own.centre, cap.centre) + own.angle <= cap.angle
    }

    /// A rectangle in which it lies: of all longitudes, if it reaches a pole or nearly so.
    pub(super) fn bounds(&self) -> Span {
        let own = self.around().angle;
        let latitude = i64::from(self.0.center.latitude.0);
        let longitude = i64::from(self.0.center.longitude.0);
        let reach = ceil(own / UNIT) as i64 + UNITS;
        let (west, width) = if latitude.abs() + reach < POLE - 1_000 {
            let east = asin(sin(own) / libm::cos(self.latitude()));
            let east = ceil(east / UNIT) as i64 + UNITS;
            (longitude - east, 2 * east)
        } else {
            (0, TURN)
        };
        Span {
            south: (latitude - reach).max(-POLE),
            north: (latitude + reach).min(POLE),
            west,
            width,
        }
    }

    /// Returns true if a rectangle lies in the circle. Distances along a parallel grow up to the
    /// meridian opposite to the centre; arcs of meridians lie in the cap if their ends do.
    pub(super) fn covers_span(&self, span: &Span) -> bool {
        let cap = self.inside();
        let opposite = i64::from(self.0.center.longitude.0) + TURN / 2;
        let east = span.west + span.width;
        let has_opposite = span.has_longitude(opposite);
        let longitudes = [
            Some(span.west),
            Some(east),
            has_opposite.then_some(opposite),
        ];
        longitudes.into_iter().flatten().all(|longitude| {
            [span.south, span.north].into_iter().all(|latitude| {
                cap.contains(point(latitude as f64 * UNIT, longitude as f64 * UNIT))
            })
        })
    }
}
