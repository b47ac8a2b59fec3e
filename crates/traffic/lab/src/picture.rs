//! The data of a run's page: numbers over time, and the receptions of one vehicle at one moment.

use std::collections::BTreeSet;

use crate::radio::{PlanePoint, VehiclePosition};
use crate::run_log::{ReceivedMessage, RunLog, Transmitter, WindowSummary};

/// Limit on the points of a line.
const POINTS_MAX: usize = 600;

/// Initial width of a cell of the roads, in metres, and limit on the number of cells.
const CELL_M: f64 = 8.0;
const CELLS_MAX: usize = 30_000;

/// For how long after the moment messages are gathered, in ns: each vehicle sends one.
const MOMENT_NS: u64 = 100_000_000;

/// A piece of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Span {
    /// End of the span, in s from the begin of the run.
    pub(crate) end_s: f64,
    pub(crate) windows: u32,
    pub(crate) vehicles: u64,
    pub(crate) received: u64,
    pub(crate) most: u32,
}

/// All vehicles at a moment, and whom one of them heard within 100 ms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Moment {
    pub(crate) time_ns: u64,
    pub(crate) vehicles: Vec<(usize, PlanePoint)>,
    /// The vehicle that listens: one with many others around.
    pub(crate) listener: usize,
    /// Whom it heard, and with which power in mW.
    pub(crate) heard: Vec<(usize, f64)>,
}

/// Gathers what a page shows of a run. The memory is bounded, however long the run is.
#[derive(Clone, Debug)]
pub struct RunPicture {
    /// Windows, so many to a span.
    pub(crate) spans: Vec<Span>,
    windows_per_span: u32,
    /// Cells in which vehicles were, by their numbers from west to east and from south to north.
    pub(crate) cells: BTreeSet<(i32, i32)>,
    pub(crate) cell_m: f64,
    /// The moment with the most vehicles.
    pub(crate) moment: Moment,
}

impl Default for RunPicture {
    fn default() -> Self {
        Self {
            spans: Vec::new(),
            windows_per_span: 1,
            cells: BTreeSet::new(),
            cell_m: CELL_M,
            moment: Moment::default(),
        }
    }
}

impl RunPicture {
    fn cell(&self, place: &PlanePoint) -> (i32, i32) {
        // The conversion saturates.
        let cell = |metres: f64| (metres / self.cell_m).floor() as i32;
        (cell(place.x_m), cell(place.y_m))
    }

    /// Makes cells twice as wide until there are few enough.
    fn bound_cells(&mut self) {
        while self.cells.len() > CELLS_MAX {
            self.cell_m *= 2.0;
            let all = self.cells.iter();
            self.cells = all
                .map(|(x, y)| (x.div_euclid(2), y.div_euclid(2)))
                .collect();
        }
    }

    /// Makes spans twice as long, once there are too many.
    fn bound_spans(&mut self) {
        if self.spans.len() < 2 * POINTS_MAX {
            return;
        }
        self.windows_per_span *= 2;
        let pairs = self.spans.chunks(2).map(|pair| {
            let mut both = Span::default();
            for span in pair {
                both.end_s = span.end_s;
                both.windows += span.windows;
                both.vehicles += span.vehicles;
                both.received += span.received;
                both.most = both.most.max(span.most);
            }
            both
        });
        self.spans = pairs.collect();
    }
}

/// Number of vehicles whose neighbours are counted, and the radius of the count, in metres.
const ASKED: usize = 32;
const AROUND_M: f64 = 300.0;

/// Returns the vehicle, of some, that has the most others around it; the first one of several.
fn listener(vehicles: &[(usize, PlanePoint)]) -> usize {
    let around = |middle: &PlanePoint| {
        let near = vehicles
            .iter()
            .filter(|(_, place)| place.distance_m(middle) <= AROUND_M);
        near.count()
    };
    let asked = vehicles
        .iter()
        .step_by(vehicles.len().div_ceil(ASKED).max(1));
    let best = asked.map(|(number, place)| (around(place), *number));
    let best = best.reduce(|best, other| if other.0 > best.0 { other } else { best });
    best.map_or(0, |(_, number)| number)
}

impl RunLog for RunPicture {
    fn placed(
        &mut self,
        time_ns: u64,
        vehicles: &mut dyn Iterator<Item = (usize, VehiclePosition)>,
    ) {
        let vehicles: Vec<(usize, PlanePoint)> =
            vehicles.map(|(number, at)| (number, at.place)).collect();
        for (_, place) in &vehicles {
            let cell = self.cell(place);
            self.cells.insert(cell);
        }
        self.bound_cells();
        if vehicles.len() <= self.moment.vehicles.len() {
            return;
        }
        self.moment = Moment {
            time_ns,
            listener: listener(&vehicles),
            heard: Vec::new(),
            vehicles,
        };
    }

    fn received(&mut self, message: &ReceivedMessage) {
        let moment = &mut self.moment;
        let after_ns = message.time_ns.saturating_sub(moment.time_ns);
        if message.receiver != moment.listener || after_ns > MOMENT_NS {
            return;
        }
        if let Transmitter::Vehicle(sender) = message.sender
            && moment.heard.iter().all(|(known, _)| *known != sender)
        {
            moment.heard.push((sender, message.power_mw));
        }
    }

    fn window_ended(&mut self, window: &WindowSummary) {
        match self.spans.last() {
            Some(last) if last.windows < self.windows_per_span => {}
            _ => {
                self.bound_spans();
                self.spans.push(Span::default());
            }
        }
        if let Some(last) = self.spans.last_mut() {
            last.end_s = window.end_ns as f64 / 1e9;
            last.windows += 1;
            last.vehicles += u64::from(window.vehicles);
            last.received += window.received;
            last.most = last.most.max(window.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_has_a_bounded_picture() {
        let mut picture = RunPicture::default();
        for number in 1..=100_000_u64 {
            picture.window_ended(&WindowSummary {
                end_ns: number * MOMENT_NS,
                vehicles: 2,
                received: 3,
                least: 1,
                most: (number % 7) as u32,
            });
            let place = PlanePoint {
                x_m: number as f64 * 10.0,
                y_m: -5.0,
            };
            let position = VehiclePosition {
                place,
                heading_degrees: None,
            };
            picture.placed(number * MOMENT_NS, &mut std::iter::once((0, position)));
        }
        assert!(picture.spans.len() < 2 * POINTS_MAX && picture.cells.len() <= CELLS_MAX);
        let all = picture.spans.iter();
        let (windows, received) = all.fold((0, 0), |(windows, received), span| {
            (windows + span.windows, received + span.received)
        });
        assert_eq!((windows, received), (100_000, 300_000));
        assert_eq!(picture.spans.last().map(|span| span.end_s), Some(10_000.0));
    }

    #[test]
    fn the_moment_has_the_most_vehicles_and_a_listener_among_them() {
        let mut picture = RunPicture::default();
        let at = |x_m| VehiclePosition {
            place: PlanePoint { x_m, y_m: 0.0 },
            heading_degrees: None,
        };
        let heard = |sender, receiver, time_ns| ReceivedMessage {
            time_ns,
            made_ns: time_ns,
            sender: Transmitter::Vehicle(sender),
            receiver,
            distance_m: 10.0,
            power_mw: 1e-9,
        };
        picture.placed(
            0,
            &mut [(0, at(0.0)), (1, at(290.0)), (2, at(580.0))].into_iter(),
        );
        picture.placed(5, &mut [(0, at(0.0)), (1, at(10.0))].into_iter());
        picture.received(&heard(0, 1, 7));
        picture.received(&heard(0, 1, 8));
        picture.received(&heard(0, 2, 9));
        picture.received(&heard(2, 1, MOMENT_NS + 1));
        assert_eq!(
            (picture.moment.listener, picture.moment.vehicles.len()),
            (1, 3)
        );
        assert_eq!(picture.moment.heard, [(0, 1e-9)]);
    }
}
