//! The loss of a radio's power in buildings.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::place::PlanePoint;

/// Width of a cell of the grid, in metres.
const CELL_M: f64 = 40.0;

/// A building: its corners, and the box around them.
#[derive(Clone, Debug, PartialEq)]
struct Building {
    corners: Vec<PlanePoint>,
    least: PlanePoint,
    most: PlanePoint,
}

/// Buildings on a plane, and what they take from the power of a radio that passes through them:
/// 9 dB for each wall and 0.4 dB for each metre within, as Veins 5.3.1 has it by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buildings {
    buildings: Vec<Building>,
    /// Buildings that may be in a cell, by their numbers.
    cells: HashMap<(i32, i32), Vec<u32>, BuildHasherDefault<CellHasher>>,
}

/// Hashes a cell: a line of sight passes many, and the library's hasher would take a fifth of the
/// time of a run.
#[derive(Clone, Copy, Debug, Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_i32(i32::from(*byte));
        }
    }

    fn write_i32(&mut self, number: i32) {
        // The golden ratio of 2^64; the map takes bits from both ends.
        let mixed = (self.0 ^ u64::from(number as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Loss of a wall, and of a metre within, in dB.
const WALL_DB: f64 = 9.0;
const METRE_DB: f64 = 0.4;

fn cell(metres: f64) -> i32 {
    // Saturates.
    (metres / CELL_M).floor() as i32
}

impl Buildings {
    /// Takes the corners of buildings, in metres to the east and to the north. Outlines of fewer
    /// than three corners, or more than 10 km wide, are left out.
    #[must_use]
    pub fn new(outlines: &[Vec<(f64, f64)>]) -> Self {
        let mut own = Self::default();
        for outline in outlines.iter().filter(|outline| outline.len() >= 3) {
            let corners = outline.iter().map(|&(x_m, y_m)| PlanePoint { x_m, y_m });
            own.add(corners.collect());
        }
        own
    }

    fn add(&mut self, corners: Vec<PlanePoint>) {
        let fold = |pick: fn(&PlanePoint) -> f64, of: fn(f64, f64) -> f64| {
            corners.iter().map(pick).reduce(of).unwrap_or(0.0)
        };
        let least = PlanePoint {
            x_m: fold(|one| one.x_m, f64::min),
            y_m: fold(|one| one.y_m, f64::min),
        };
        let most = PlanePoint {
            x_m: fold(|one| one.x_m, f64::max),
            y_m: fold(|one| one.y_m, f64::max),
        };
        if most.x_m - least.x_m > 10_000.0 || most.y_m - least.y_m > 10_000.0 {
            return;
        }
        let number = self.buildings.len() as u32;
        for x in cell(least.x_m)..=cell(most.x_m) {
            for y in cell(least.y_m)..=cell(most.y_m) {
                self.cells.entry((x, y)).or_default().push(number);
            }
        }
        self.buildings.push(Building {
            corners,
            least,
            most,
        });
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buildings.is_empty()
    }

    /// Returns what is lost on the straight way between two places, in dB, the same in both
    /// directions. Where it is more than a limit it may be any number above it.
    #[must_use]
    pub fn loss_db(&self, from: &PlanePoint, to: &PlanePoint, limit_db: f64) -> f64 {
        let mut loss = 0.0;
        if self.is_empty() {
            return loss;
        }
        // From the west to the east, so that the last digit is the same in both directions.
        let (from, to) = match (from.x_m, from.y_m) <= (to.x_m, to.y_m) {
            true => (from, to),
            false => (to, from),
        };
        let mut seen: Vec<u32> = Vec::new();
        for cell in Cells::new(from, to) {
            let Some(here) = self.cells.get(&cell) else {
                continue;
            };
            for number in here {
                if seen.contains(number) {
                    continue;
                }
                seen.push(*number);
                loss += self.buildings[*number as usize].loss_db(from, to);
            }
            if loss > limit_db {
                break;
            }
        }
        loss
    }
}

impl Building {
    fn loss_db(&self, from: &PlanePoint, to: &PlanePoint) -> f64 {
        let is_beside = from.x_m.max(to.x_m) < self.least.x_m
            || from.x_m.min(to.x_m) > self.most.x_m
            || from.y_m.max(to.y_m) < self.least.y_m
            || from.y_m.min(to.y_m) > self.most.y_m;
        if is_beside {
            return 0.0;
        }
        // Where along the way a wall is crossed, from 0 to 1.
        let mut crossings: Vec<f64> = Vec::new();
        let before = self.corners.iter().cycle().skip(self.corners.len() - 1);
        for (one, other) in before.zip(&self.corners) {
            crossings.extend(crossing((from, to), (one, other)));
        }
        if crossings.is_empty() {
            return 0.0;
        }
        crossings.sort_unstable_by(f64::total_cmp);
        // Seen from the end, an even number of walls is ahead of each place outside: so of an odd
        // number of crossings the way begins or ends within.
        let mut within = 0.0;
        let mut is_inside = self.contains(from);
        let mut last = 0.0;
        for at in crossings.iter().copied().chain([1.0]) {
            if is_inside {
                within += at - last;
            }
            is_inside = !is_inside;
            last = at;
        }
        let length = from.distance_m(to) * within;
        WALL_DB * crossings.len() as f64 + METRE_DB * length
    }

    /// Returns true if a place is within: a line to the west crosses an odd number of walls.
    fn contains(&self, place: &PlanePoint) -> bool {
        let before = self.corners.iter().cycle().skip(self.corners.len() - 1);
        let mut is_inside = false;
        for (one, other) in before.zip(&self.corners) {
            if (one.y_m > place.y_m) != (other.y_m > place.y_m) {
                let share = (place.y_m - one.y_m) / (other.y_m - one.y_m);
                is_inside ^= one.x_m + share * (other.x_m - one.x_m) < place.x_m;
            }
        }
        is_inside
    }
}

/// Returns the share of the way, from 0 to 1, at which it crosses a wall; the end of a wall belongs
/// to the next.
fn crossing(
    (from, to): (&PlanePoint, &PlanePoint),
    (one, other): (&PlanePoint, &PlanePoint),
) -> Option<f64> {
    let way = (to.x_m - from.x_m, to.y_m - from.y_m);
    let wall = (other.x_m - one.x_m, other.y_m - one.y_m);
    let cross = way.0 * wall.1 - way.1 * wall.0;
    if cross == 0.0 {
        return None;
    }
    let between = (one.x_m - from.x_m, one.y_m - from.y_m);
    let along_way = (between.0 * wall.1 - between.1 * wall.0) / cross;
    let along_wall = (between.0 * way.1 - between.1 * way.0) / cross;
    let is_hit = (0.0..=1.0).contains(&along_way) && (0.0..1.0).contains(&along_wall);
    is_hit.then_some(along_way)
}

/// The cells of the grid along a way.
struct Cells {
    cell: (i32, i32),
    step: (i32, i32),
    /// Share of the way up to the next border in each direction, and from one border to the next.
    next: (f64, f64),
    each: (f64, f64),
    left: u32,
}

impl Cells {
    fn new(from: &PlanePoint, to: &PlanePoint) -> Self {
        let axis = |from: f64, to: f64| {
            let (first, last) = (cell(from), cell(to));
            let way = to - from;
            let border = f64::from(first + i32::from(way > 0.0)) * CELL_M;
            let (next, each) = match way == 0.0 {
                true => (f64::INFINITY, f64::INFINITY),
                false => ((border - from) / way, (CELL_M / way).abs()),
            };
            let step = if way > 0.0 { 1 } else { -1 };
            (first, last.abs_diff(first), step, next, each)
        };
        let (x, wide, step_x, next_x, each_x) = axis(from.x_m, to.x_m);
        let (y, high, step_y, next_y, each_y) = axis(from.y_m, to.y_m);
        Self {
            cell: (x, y),
            step: (step_x, step_y),
            next: (next_x, next_y),
            each: (each_x, each_y),
            left: wide.saturating_add(high).saturating_add(1),
        }
    }
}

impl Iterator for Cells {
    type Item = (i32, i32);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let cell = self.cell;
        if self.next.0 < self.next.1 {
            self.next.0 += self.each.0;
            self.cell.0 = cell.0.wrapping_add(self.step.0);
        } else {
            self.next.1 += self.each.1;
            self.cell.1 = cell.1.wrapping_add(self.step.1);
        }
        Some(cell)
    }
}

#[cfg(test)]
mod tests {
    use waywarden_random::Random;

    use super::*;

    fn at(x_m: f64, y_m: f64) -> PlanePoint {
        PlanePoint { x_m, y_m }
    }

    fn square(x: f64, y: f64, side: f64) -> Vec<(f64, f64)> {
        vec![
            (x, y),
            (x + side, y),
            (x + side, y + side),
            (x, y + side),
            (x, y),
        ]
    }

    #[test]
    fn walls_and_metres_within_are_lost() {
        let buildings = Buildings::new(&[square(100.0, -10.0, 20.0), square(300.0, 5.0, 50.0)]);
        for (from, to, expected) in [
            // Two walls and 20 m within.
            ((0.0, 1.0), (200.0, 1.0), 26.0),
            ((200.0, 1.0), (0.0, 1.0), 26.0),
            // One that stands within: one wall and 10 m.
            ((110.0, 0.0), (200.0, 0.0), 13.0),
            // Both stand within: no wall is between them.
            ((105.0, 0.0), (115.0, 0.0), 0.0),
            // Beside, and short of it.
            ((0.0, 11.0), (200.0, 11.0), 0.0),
            ((0.0, 0.0), (99.0, 0.0), 0.0),
            // Both.
            ((0.0, 6.0), (400.0, 6.0), 64.0),
        ] {
            let loss = buildings.loss_db(&at(from.0, from.1), &at(to.0, to.1), f64::INFINITY);
            assert!((loss - expected).abs() < 1e-9, "{from:?} {to:?}: {loss}");
        }
    }

    #[test]
    fn the_grid_misses_no_building() {
        let mut random = Random::new(7);
        let mut number = |most: u64| random.below(most * 10) as f64 / 10.0 - most as f64 / 2.0;
        let outlines: Vec<_> = (0..60)
            .map(|_| square(number(1_000), number(1_000), 5.0 + number(40).abs()))
            .collect();
        let buildings = Buildings::new(&outlines);
        for _ in 0..500 {
            let (from, to) = (
                at(number(1_400), number(1_400)),
                at(number(1_400), number(1_400)),
            );
            let all = buildings.buildings.iter();
            let sum: f64 = all.map(|one| one.loss_db(&from, &to)).sum();
            let loss = buildings.loss_db(&from, &to, f64::INFINITY);
            assert!(
                (loss - sum).abs() < 1e-6,
                "{from:?} {to:?}: {loss}, not {sum}"
            );
            assert_eq!(loss, buildings.loss_db(&to, &from, f64::INFINITY));
        }
    }
}
