//! Rectangles between parallels and meridians, in whole tenths of a microdegree.

use alloc::vec::Vec;

use libm::{atan, ceil, cos, tan};
use waywarden_v2x_wire::ieee1609dot2::{Latitude, Longitude, RectangularRegion, TwoDLocation};

use super::fault::RegionFault;
use super::sphere::{POLE, TURN, UNIT, Vector, check_place, eastward, point};

/// Most steps of the check that rectangles together cover others, 15 µs: enough for one rectangle
/// that 64 others overlap, each in one piece.
pub(super) const STEPS_MAX: usize = 10_000;
/// Cost of finding and sorting a piece of a rectangle, in steps.
const STEPS_PIECE: usize = 16;
/// Most arcs for a parallel.
const ARCS_MAX: i64 = 8;

/// The area between two parallels, from `west` over `width` to the east: at most a whole turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) south: i64,
    pub(super) north: i64,
    pub(super) west: i64,
    pub(super) width: i64,
}

pub(super) fn in_rectangle(rectangle: &RectangularRegion, place: &TwoDLocation) -> bool {
    Span::read(rectangle).is_ok_and(|span| span.contains(place))
}

impl Span {
    pub(super) fn read(rectangle: &RectangularRegion) -> Result<Self, RegionFault> {
        let (north_west, south_east) = (&rectangle.north_west, &rectangle.south_east);
        check_place(north_west)?;
        check_place(south_east)?;
        let west = i64::from(north_west.longitude.0);
        let span = Self {
            south: south_east.latitude.0.into(),
            north: north_west.latitude.0.into(),
            west,
            width: eastward(west, south_east.longitude.0.into()),
        };
        match (span.north - span.south, span.width) {
            (..0, _) => Err(RegionFault::SwappedLatitudes),
            (0, _) => Err(RegionFault::NoHeight),
            (_, 0) => Err(RegionFault::NoWidth),
            _ => Ok(span),
        }
    }

    /// As certificates have it; `None` for a whole turn, which has no two longitudes.
    pub(super) fn rectangle(&self) -> Option<RectangularRegion> {
        let units = |number: i64| i32::try_from(number).ok();
        let place = |latitude: i64, longitude: i64| {
            Some(TwoDLocation {
                latitude: Latitude(units(latitude)?),
                longitude: Longitude(units(longitude)?),
            })
        };
        // From -180 degrees, which is left out, to 180.
        let within = |longitude: i64| (longitude + TURN / 2 - 1).rem_euclid(TURN) - TURN / 2 + 1;
        let east = within(self.west + self.width);
        let is_turn = self.width >= TURN;
        (!is_turn).then_some(RectangularRegion {
            north_west: place(self.north, within(self.west))?,
            south_east: place(self.south, east)?,
        })
    }

    /// A pole has every longitude.
    fn contains(&self, place: &TwoDLocation) -> bool {
        let latitude = i64::from(place.latitude.0);
        (self.south..=self.north).contains(&latitude)
            && (latitude.abs() == POLE || self.has_longitude(place.longitude.0.into()))
    }

    pub(super) fn has_longitude(&self, longitude: i64) -> bool {
        self.width == TURN || eastward(self.west, longitude) <= self.width
    }

    fn covers(&self, other: &Self) -> bool {
        self.south <= other.south
            && other.north <= self.north
            && eastward(self.west, other.west) + other.width <= self.width
    }

    /// Returns true if others together cover it; false also if that takes more than the `steps`
    /// left. Between two parallels at which one of them begins or ends, those in between have to
    /// follow each other from its west to its east.
    pub(super) fn is_covered(&self, others: &[Self], steps: &mut usize) -> bool {
        if others.iter().any(|one| one.covers(self)) {
            return true;
        }
        let mut pieces: Vec<Piece> = others.iter().flat_map(|one| one.pieces_of(self)).collect();
        pieces.sort_unstable_by_key(|piece| piece.from);
        let ends = pieces.iter().flat_map(|piece| [piece.south, piece.north]);
        let mut parallels: Vec<i64> = ends.chain([self.south, self.north]).collect();
        parallels.sort_unstable();
        parallels.dedup();
        let Some(left) = steps.checked_sub(pieces.len() * (parallels.len() + STEPS_PIECE)) else {
            return false;
        };
        *steps = left;
        parallels.windows(2).all(|band| {
            let mut reach = 0;
            for piece in &pieces {
                if piece.south <= band[0] && band[1] <= piece.north && piece.from <= reach {
                    reach = reach.max(piece.to);
                }
            }
            reach >= self.width
        })
    }

    /// Returns the overlap with another span: two pieces, if it begins within that span and enters
    /// it again from the other side.
    fn pieces_of(&self, whole: &Self) -> impl Iterator<Item = Piece> {
        let offset = eastward(whole.west, self.west);
        let (south, north) = (self.south.max(whole.south), self.north.min(whole.north));
        let (own, width) = (self.width, whole.width);
        [offset, offset - TURN]
            .into_iter()
            .filter_map(move |start| {
                let (from, to) = (start.max(0), (start + own).min(width));
                let piece = Piece {
                    south,
                    north,
                    from,
                    to,
                };
                (south < north && from < to).then_some(piece)
            })
    }

    /// A polygon in which it lies, as the points of its corners. An arc between two points of a
    /// parallel bulges towards the pole. On the side of the pole that is outward; on the other side
    /// the corners are moved away from the pole until the arcs touch the parallel in their middles:
    /// `tan(corner) = tan(parallel)·cos(half the arc)`.
    pub(super) fn outline(&self) -> Vec<Vector> {
        let width = self.width as f64 * UNIT;
        // One for each degree: it is 120 m off at 45 degrees.
        let count = (ceil(width.to_degrees()) as i64).clamp(1, ARCS_MAX);
        let step = width / count as f64;
        let parallel = |latitude: i64, is_outward: bool| {
            let latitude = latitude as f64 * UNIT;
            match is_outward {
                true => latitude,
                false => atan(tan(latitude) * cos(step / 2.0)),
            }
        };
        let south = parallel(self.south, self.south <= 0);
        let north = parallel(self.north, self.north >= 0);
        let west = self.west as f64 * UNIT;
        let at = |latitude, arc: i64| point(latitude, west + arc as f64 * step);
        // A pole is one corner.
        let last = |latitude: i64| if latitude.abs() == POLE { 0 } else { count };
        let along_south = (0..=last(self.south)).map(|arc| at(south, arc));
        let along_north = (0..=last(self.north)).rev().map(|arc| at(north, arc));
        along_south.chain(along_north).collect()
    }
}

/// A part of a rectangle that another one covers, its longitudes counted from the rectangle's west.
#[derive(Clone, Copy, Debug)]
struct Piece {
    south: i64,
    north: i64,
    from: i64,
    to: i64,
}
