//! Areas around the receiver \[ECQV-CITS §VI\], and which places lie in them.
//!
//! Places are integers in tenths of a microdegree and areas are integers in metres, so every
//! number computed from them is finite. Distances are chords of the WGS 84 ellipsoid at height 0:
//! less than 1 µm short at 1 km, 0.3 m short at 65 km, everywhere on Earth.

use core::f64::consts::PI;

use libm::{atan2, cos, fabs, sin};
use waywarden_v2x_wire::ieee1609dot2::TwoDLocation;

use waywarden_v2x_security::region::{
    Vector, dot, geocentric, is_place, minus, norm, north_and_east,
};

const DEGREE: f64 = PI / 180.0;

/// An area around the receiver. Its border belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReceiverArea {
    /// All places within a distance \[ECQV-CITS §VI-A\].
    Circle {
        /// Radius in metres.
        radius_m: u16,
    },
    /// An ellipse with the receiver in its centre \[ECQV-CITS §VI-B\].
    Ellipse {
        /// Reach to the left and to the right, in metres: the paper's *a*.
        side_m: u16,
        /// Reach ahead and behind, in metres: the paper's *b*.
        ahead_m: u16,
    },
    /// A sector of a circle ahead of the receiver \[ECQV-CITS §VI-C\].
    Sector {
        /// Radius in metres.
        radius_m: u16,
        /// The aperture, half of it on each side of the heading: the paper's *α*. 360 and more is
        /// the whole circle.
        aperture_degrees: u16,
    },
}

/// Position and heading of the receiver, prepared for many messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ego {
    origin: Vector,
    /// The directions ahead and to the right; `None`: the heading is not known.
    axes: Option<(Vector, Vector)>,
}

/// Position of a place relative to the receiver, in metres.
struct Relative {
    distance: f64,
    ahead_and_right: Option<(f64, f64)>,
}

impl Ego {
    /// Takes a position and a heading, in hundredths of a degree clockwise from north, modulo
    /// 36,000. Returns `None` for a position that is unknown or out of range.
    ///
    /// At a standstill a satellite receiver gives no heading: pass the last one, or `None`.
    #[must_use]
    pub fn new(position: TwoDLocation, heading_centidegrees: Option<u16>) -> Option<Self> {
        if !is_place(&position) {
            return None;
        }
        let (north, east) = north_and_east(&position);
        let axes = heading_centidegrees.map(|heading| {
            let heading = f64::from(heading) / 100.0 * DEGREE;
            let (sine, cosine) = (sin(heading), cos(heading));
            let turned = |along_north: f64, along_east: f64| {
                [0, 1, 2].map(|axis| along_north * north[axis] + along_east * east[axis])
            };
            (turned(cosine, sine), turned(-sine, cosine))
        });
        Some(Self {
            origin: geocentric(&position),
            axes,
        })
    }

    /// Returns how far a place is, in metres.
    pub(super) fn distance_m(&self, place: &TwoDLocation) -> f64 {
        self.relative(place).distance
    }

    fn relative(&self, place: &TwoDLocation) -> Relative {
        let way = minus(geocentric(place), self.origin);
        let ahead_and_right = self
            .axes
            .map(|(ahead, right)| (dot(way, ahead), dot(way, right)));
        Relative {
            distance: norm(way),
            ahead_and_right,
        }
    }
}

impl ReceiverArea {
    /// Returns whether a place lies in the area. Without a heading each direction may be ahead:
    /// then it is whether the place lies in the area for any heading.
    ///
    /// A place that is unknown or out of range lies in no area.
    #[must_use]
    pub fn contains(&self, ego: &Ego, place: &TwoDLocation) -> bool {
        if !is_place(place) {
            return false;
        }
        let Relative {
            distance,
            ahead_and_right,
        } = ego.relative(place);
        // Excludes the far side of the Earth too, where the tangent plane says nothing.
        if distance > f64::from(self.reach_m()) {
            return false;
        }
        match (*self, ahead_and_right) {
            (Self::Circle { .. }, _) | (_, None) => true,
            (Self::Ellipse { side_m, ahead_m }, Some((ahead, right))) => {
                let (side, front) = (f64::from(side_m), f64::from(ahead_m));
                let (x, y) = (right * front, ahead * side);
                // Without the first two an axis of no length would be an endless one.
                fabs(right) <= side
                    && fabs(ahead) <= front
                    && x * x + y * y <= side * front * side * front
            }
            (
                Self::Sector {
                    aperture_degrees, ..
                },
                Some((ahead, right)),
            ) => {
                let half = f64::from(aperture_degrees) / 2.0 * DEGREE;
                distance == 0.0 || fabs(atan2(right, ahead)) <= half
            }
        }
    }

    /// Returns how far the area reaches, in metres.
    #[must_use]
    pub fn reach_m(&self) -> u16 {
        match *self {
            Self::Circle { radius_m } | Self::Sector { radius_m, .. } => radius_m,
            Self::Ellipse { side_m, ahead_m } => side_m.max(ahead_m),
        }
    }
}
