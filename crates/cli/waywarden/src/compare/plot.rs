//! The Pareto front in characters: what a variant costs in latency and in load.

use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_lab::compare::VariantRow;

const WIDTH: usize = 72;
const HEIGHT: usize = 16;

/// A point: from 0 to 1 in both directions, and what stands there.
struct Point {
    across: f64,
    up: f64,
    label: String,
}

/// Draws variants by the load of the busiest bus, to the right, and the worst latency as a share of
/// its deadline, upwards: by their rank if they are on the front, `base` for the baseline, a dot
/// for all others. Nothing is drawn of fewer than two.
pub(super) fn plot(rows: &[VariantRow]) -> Option<String> {
    let shown: Vec<(&VariantRow, f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((row, row.figures.load, row.figures.worst_share?)))
        .collect();
    if shown.len() < 2 {
        return None;
    }
    let (right, top) = (
        Axis::new(shown.iter().map(|one| one.1)),
        Axis::new(shown.iter().map(|one| one.2)),
    );
    let point = |(row, load, share): &(&VariantRow, f64, f64)| Point {
        across: right.place(*load),
        up: top.place(*share),
        label: match row.rank {
            None => "base".to_owned(),
            Some(rank) if row.pareto => rank.to_string(),
            Some(_) => "·".to_owned(),
        },
    };
    let mut cells = vec![vec![' '; WIDTH]; HEIGHT];
    // The best ones are written last, so that nothing hides them.
    for point in shown.iter().rev().map(point) {
        write(&mut cells, &point);
    }
    let mut text = format!(
        "worst latency as a share of its deadline, {} to {}\n",
        percent(top.low),
        percent(top.high)
    );
    for line in cells {
        let line: String = line.into_iter().collect();
        text += &format!("│{}\n", line.trim_end());
    }
    text += &format!("└{}\n", "─".repeat(WIDTH));
    text += &format!(
        " load of the busiest bus, {} to {}; numbers are ranks of variants on the Pareto front\n",
        percent(right.low),
        percent(right.high)
    );
    Some(text)
}

/// The range of a figure.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64> + Clone) -> Self {
        Axis {
            low: values.clone().fold(f64::INFINITY, f64::min),
            high: values.fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Returns the place of a value, from 0 to 1; the middle if all values are the same.
    fn place(&self, value: f64) -> f64 {
        let range = self.high - self.low;
        match range > 0.0 {
            true => (value - self.low) / range,
            false => 0.5,
        }
    }
}

fn write(cells: &mut [Vec<char>], point: &Point) {
    let label: Vec<char> = point.label.chars().collect();
    let room = (WIDTH - label.len()) as f64;
    let column = (point.across * room).round() as usize;
    let line = HEIGHT - 1 - (point.up * (HEIGHT - 1) as f64).round() as usize;
    for (cell, character) in cells[line][column..].iter_mut().zip(label) {
        *cell = character;
    }
}
