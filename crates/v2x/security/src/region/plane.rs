//! Polygons in a plane. The projection from the middle of the sphere makes arcs of great circles
//! straight, so that what holds of sides there holds on the sphere.

use alloc::vec::Vec;

use libm::sqrt;

pub(super) type Point = [f64; 2];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// A side, its direction's left, and the box in which it lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    from: Point,
    to: Point,
    left: Point,
    low: Point,
    high: Point,
}

impl Side {
    fn new(from: Point, to: Point) -> Self {
        let way = minus(to, from);
        let length = sqrt(dot(way, way));
        // A side without a length has no left; nothing is apart from it by its line.
        let unit = if length > 0.0 { 1.0 / length } else { 0.0 };
        Self {
            from,
            to,
            left: [-way[1] * unit, way[0] * unit],
            low: [from[0].min(to[0]), from[1].min(to[1])],
            high: [from[0].max(to[0]), from[1].max(to[1])],
        }
    }

    /// Returns the signed distance of a point from the side's line; left is positive.
    fn height(&self, point: Point) -> f64 {
        dot(self.left, minus(point, self.from))
    }

    fn is_between(&self, one: Point, other: Point) -> bool {
        (self.from == one && self.to == other) || (self.from == other && self.to == one)
    }

    /// Returns true if two sides are certainly farther apart than a gap: their boxes are, or one
    /// lies on one side of the other's line. Sides that cross fail all of these.
    fn is_apart(&self, other: &Self, gap: f64) -> bool {
        let beside = |axis: usize| {
            self.low[axis] > other.high[axis] + gap || other.low[axis] > self.high[axis] + gap
        };
        let on_one_side = |one: f64, two: f64| one.min(two) > gap || one.max(two) < -gap;
        beside(0)
            || beside(1)
            || on_one_side(self.height(other.from), self.height(other.to))
            || on_one_side(other.height(self.from), other.height(self.to))
    }
}

/// The sides of a polygon, from each corner to the next.
pub(super) fn sides(corners: &[Point]) -> Vec<Side> {
    let next = corners.iter().cycle().skip(1);
    corners
        .iter()
        .zip(next)
        .map(|(from, to)| Side::new(*from, *to))
        .collect()
}

/// Returns true if no two sides cross or come nearer than a gap, except neighbours where they meet:
/// the next one must not fold back.
pub(super) fn is_simple(sides: &[Side], gap: f64) -> bool {
    let count = sides.len();
    sides.iter().enumerate().all(|(at, side)| {
        let next = &sides[(at + 1) % count];
        let folds_back = side.height(next.to).abs() <= gap
            && dot(minus(side.to, side.from), minus(next.to, next.from)) < 0.0;
        // The last side meets the first one.
        let end = if at == 0 { count - 1 } else { count };
        let others = sides.get(at + 2..end).unwrap_or(&[]);
        !folds_back && others.iter().all(|other| side.is_apart(other, gap))
    })
}

/// Returns the winding number of the sides around a point; counterclockwise is positive.
pub(super) fn winding(sides: &[Side], point: Point) -> i32 {
    let turns = sides.iter().map(
        |side| match (side.from[1] <= point[1], side.to[1] <= point[1]) {
            (true, false) if side.height(point) > 0.0 => 1,
            (false, true) if side.height(point) < 0.0 => -1,
            _ => 0,
        },
    );
    turns.sum()
}

/// Returns true if a closed line, with its inside, certainly lies in a simple polygon.
///
/// Each side of the line is a side of the polygon, or is farther from the polygon's sides than the
/// gap except at corners that it shares, where it has to leave into the polygon.
pub(super) fn encloses(polygon: &[Side], line: &[Side], gap: f64) -> bool {
    let area: f64 = polygon
        .iter()
        .map(|side| side.from[0] * side.to[1] - side.from[1] * side.to[0])
        .sum();
    let inward = if area > 0.0 { 1.0 } else { -1.0 };
    let mut shares_corner = false;
    for side in line {
        if polygon.iter().any(|own| own.is_between(side.from, side.to)) {
            shares_corner = true;
            continue;
        }
        for (at, own) in polygon.iter().enumerate() {
            let last = &polygon[(at + polygon.len() - 1) % polygon.len()];
            let is_clear = match (shared(side, own.from), shared(side, own.to)) {
                (Some(end), _) => {
                    shares_corner = true;
                    leaves_inward(last, own, end, inward, gap)
                }
                // The line of this side was looked at from the corner, or will be.
                (None, Some(_)) => true,
                (None, None) => side.is_apart(own, gap),
            };
            if !is_clear {
                return false;
            }
        }
    }
    let Some(first) = line.first() else {
        return false;
    };
    // All of the line is on one side of the polygon's boundary: that of any of its points.
    shares_corner || winding(polygon, first.from) != 0
}

/// The other end of a side that has an end at a corner.
fn shared(side: &Side, corner: Point) -> Option<Point> {
    match (side.from == corner, side.to == corner) {
        (true, _) => Some(side.to),
        (_, true) => Some(side.from),
        _ => None,
    }
}

/// Returns true if the way from the corner between two sides to `end` goes into the polygon, and
/// `end` is off the lines of both sides.
fn leaves_inward(last: &Side, next: &Side, end: Point, inward: f64, gap: f64) -> bool {
    let (of_last, of_next) = (inward * last.height(end), inward * next.height(end));
    let is_convex = inward * last.height(next.to) > 0.0;
    let is_inward = match is_convex {
        true => of_last > 0.0 && of_next > 0.0,
        false => of_last > 0.0 || of_next > 0.0,
    };
    is_inward && of_last.abs() > gap && of_next.abs() > gap
}
