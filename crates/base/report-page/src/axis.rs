//! Linear axes with ticks.

use crate::page::Page;

/// A linear axis from 0 to an end.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    /// Its end, above zero.
    pub end: f64,
    /// Values at the ticks, from 0 on.
    pub ticks: Vec<f64>,
}

impl Linear {
    /// Takes ticks at multiples of 1, 2 or 5 times a power of ten, six at most.
    #[must_use]
    pub fn up_to(end: f64) -> Self {
        let end = positive(end);
        let step = step(end, 5.0);
        let ticks = (0..=5).map(|tick| f64::from(tick) * step);
        Linear {
            end,
            ticks: ticks.filter(|tick| *tick <= end * 1.000_001).collect(),
        }
    }

    /// The same, with the end moved up to a tick.
    #[must_use]
    pub fn covering(end: f64) -> Self {
        let end = positive(end);
        let step = step(end, 5.0);
        Linear::up_to((end / step - 1e-9).ceil() * step)
    }

    /// Returns the place of a value as a share of the axis.
    #[must_use]
    pub fn at(&self, value: f64) -> f64 {
        value / self.end
    }

    /// Draws the ticks of a horizontal axis: lines from `top` to `bottom` in pixels, and above them
    /// what `label` makes of their values.
    pub fn draw(&self, page: &mut Page, (top, bottom): (f64, f64), label: impl Fn(f64) -> String) {
        for &tick in &self.ticks {
            let x = self.at(tick);
            page.line("grid", (x, top), (x, bottom));
            let class = match x {
                0.0 => "tick",
                x if x > 0.97 => "tick end",
                _ => "tick middle",
            };
            page.label(class, (x, 0), top - 4.0, &label(tick));
        }
    }
}

fn positive(value: f64) -> f64 {
    match value.is_finite() && value > 0.0 {
        true => value,
        false => 1.0,
    }
}

/// Returns the least 1, 2 or 5 times a power of ten of which `count` reach `length`.
#[must_use]
pub fn step(length: f64, count: f64) -> f64 {
    let length = positive(length);
    let power = 10_f64.powf((length / count).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps
        .into_iter()
        .find(|step| step * count >= length * 0.999_999)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        for end in [0.03, 0.6, 1.0, 5.0, 7.3, 16.0, 24.0 * 3_600.0] {
            let axis = Linear::up_to(end);
            assert!(
                (3..=6).contains(&axis.ticks.len()),
                "{end}: {:?}",
                axis.ticks
            );
            assert!(axis.ticks.iter().all(|tick| *tick <= end * 1.001));
        }
        assert_eq!(Linear::covering(0.31).end, 0.4);
        assert_eq!(Linear::up_to(f64::NAN).end, 1.0);
    }
}
