//! The stations that a frame may reach, by the places of all.

use std::collections::HashMap;

use super::place::{PlanePoint, VehiclePosition};

/// Stations with their positions, in the order of their numbers.
type Positions = Vec<(usize, VehiclePosition)>;

/// The stations on the road, in cells as wide as the range of a frame.
///
/// Each cell in which a station is has the list of the stations in it and in the eight around it: a
/// station is in nine lists at most. Lists are filled in the order of the numbers, so that stations
/// are visited in the same order as without cells.
#[derive(Clone, Debug)]
pub(super) struct Neighbours {
    /// Greatest range of a frame, in metres.
    range_m: f64,
    all: Positions,
    /// Empty if all stations are within three cells by three: then a list would be that of all.
    cells: HashMap<(i64, i64), Positions>,
}

/// Below this, in metres, cells are no narrower: there would be a list for each station.
const LEAST_CELL_M: f64 = 50.0;

impl Neighbours {
    /// Takes how far a frame reaches at most, in metres.
    pub(super) fn new(range_m: f64) -> Self {
        Self {
            range_m: range_m.max(LEAST_CELL_M),
            all: Vec::new(),
            cells: HashMap::new(),
        }
    }

    /// Puts all stations where they are now, in the order of their numbers.
    pub(super) fn place(&mut self, present: impl Iterator<Item = (usize, VehiclePosition)>) {
        self.all.clear();
        self.all.extend(present);
        self.cells.clear();
        if !self.is_wide() {
            return;
        }
        for (_, position) in &self.all {
            self.cells.entry(self.cell(&position.place)).or_default();
        }
        for one in &self.all {
            let (x, y) = self.cell(&one.1.place);
            for cell in (x - 1..=x + 1).flat_map(|x| (y - 1..=y + 1).map(move |y| (x, y))) {
                if let Some(list) = self.cells.get_mut(&cell) {
                    list.push(*one);
                }
            }
        }
    }

    /// Returns the stations that a frame may reach from the place of one of them.
    pub(super) fn around(&self, place: &PlanePoint) -> &[(usize, VehiclePosition)] {
        let list = match self.cells.is_empty() {
            true => None,
            false => self.cells.get(&self.cell(place)),
        };
        list.unwrap_or(&self.all)
    }

    /// Returns true if the stations are farther apart than three cells, at places that are numbers.
    fn is_wide(&self) -> bool {
        let places = self.all.iter().map(|(_, position)| position.place);
        let mut bounds = [f64::INFINITY, f64::NEG_INFINITY].map(|edge| (edge, edge));
        for PlanePoint { x_m, y_m } in places {
            if !x_m.is_finite() || !y_m.is_finite() {
                return false;
            }
            bounds[0] = (bounds[0].0.min(x_m), bounds[0].1.min(y_m));
            bounds[1] = (bounds[1].0.max(x_m), bounds[1].1.max(y_m));
        }
        let span = (bounds[1].0 - bounds[0].0).max(bounds[1].1 - bounds[0].1);
        span > 3.0 * self.range_m
    }

    /// The conversion saturates at 32 bits: the cells there are wider, and none is left out.
    fn cell(&self, place: &PlanePoint) -> (i64, i64) {
        let cell = |metres: f64| i64::from((metres / self.range_m).floor() as i32);
        (cell(place.x_m), cell(place.y_m))
    }
}

#[cfg(test)]
mod tests {
    use waywarden_random::Random;

    use super::*;

    #[test]
    fn no_station_within_range_is_left_out_and_the_order_stays() {
        let mut random = Random::new(3);
        let mut metres = |most: u64| random.below(most * 10) as f64 / 10.0 - most as f64 / 2.0;
        let mut neighbours = Neighbours::new(700.0);
        for side in [1_000, 2_500, 20_000] {
            let all: Positions = (0..400)
                .map(|number| {
                    let (x_m, y_m) = (metres(side), metres(side));
                    (3 * number, PlanePoint { x_m, y_m }.into())
                })
                .collect();
            neighbours.place(all.iter().copied());
            let mut visited = 0;
            for (_, from) in &all {
                let around = neighbours.around(&from.place);
                assert!(around.is_sorted_by_key(|(number, _)| *number));
                visited += around.len();
                let is_near = |(_, to): &&(usize, VehiclePosition)| {
                    from.place.distance_m(&to.place) <= neighbours.range_m
                };
                let near = all.iter().filter(is_near);
                assert!(near.eq(around.iter().filter(is_near)));
            }
            let is_wide = side == 20_000 || side == 2_500;
            assert_eq!(visited < 400 * 400, is_wide, "{side}");
        }
    }

    #[test]
    fn places_that_are_no_numbers_or_far_out_are_in_one_list_or_the_other() {
        let mut neighbours = Neighbours::new(100.0);
        let at = |x_m: f64| VehiclePosition::from(PlanePoint { x_m, y_m: 0.0 });
        for far in [f64::NAN, f64::INFINITY, 1e300, -1e300] {
            neighbours.place([(0, at(0.0)), (1, at(far))].into_iter());
            let others = neighbours.around(&at(far).place);
            assert!(others.iter().any(|(number, _)| *number == 1), "{far}");
        }
    }
}
