//! Axes with ticks and labels.

use waywarden_report_page::{Page, Percent, step};
use waywarden_vehicle_file::formatting::span;

/// A logarithmic axis of milliseconds, from one power of ten to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logarithmic {
    first: i32,
    last: i32,
}

impl Logarithmic {
    /// Makes an axis on which both milliseconds have a place.
    pub(super) fn covering(least: f64, greatest: f64) -> Self {
        let power = |value: f64| value.clamp(1e-6, 1e9).log10();
        let first = power(least).floor() as i32;
        Logarithmic {
            first,
            last: (power(greatest).ceil() as i32).max(first + 1),
        }
    }

    pub(super) fn at(&self, ms: f64) -> f64 {
        let place = ms.max(1e-9).log10() - f64::from(self.first);
        (place / f64::from(self.last - self.first)).clamp(0.0, 1.0)
    }

    /// Returns powers of ten, as many as have room on the narrowest screens: place and label.
    pub(super) fn decades(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        let step = (self.last - self.first) as usize / DECADES_MAX + 1;
        (self.first..=self.last).step_by(step).map(|power| {
            let ms = 10_f64.powi(power);
            (self.at(ms), span(ms))
        })
    }
}

/// Side of a plot on which an axis has its labels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
}

/// Draws an axis of time: lines from `top` to `bottom`, and labels on one side. The stretch is in
/// seconds.
pub(super) fn time(page: &mut Page, (from, to): (f64, f64), (top, bottom): (f64, f64), side: Side) {
    let (factor, unit) = if to >= 1.0 { (1.0, "s") } else { (1e3, "ms") };
    let (from, to) = (from * factor, to * factor);
    let steps_max = if side == Side::Above {
        WIDE_STEPS_MAX
    } else {
        STEPS_MAX
    };
    let step = step(to - from, f64::from(steps_max));
    let digits = (-step.log10().floor()).max(0.0) as usize;
    // No more steps lie in the stretch, because of how a step is chosen.
    let ticks = (0..=steps_max).map(|tick| ((from / step).ceil() + f64::from(tick)) * step);
    for tick in ticks.take_while(|tick| *tick <= to + step * 1e-6) {
        let x = (tick - from) / (to - from);
        page.line("grid", (x, top), (x, bottom));
        let class = match x {
            x if x < 0.04 => "tick",
            x if x > 0.96 => "tick end",
            _ => "tick middle",
        };
        let y = if side == Side::Above {
            top - 5.0
        } else {
            bottom + 15.0
        };
        page.label(class, (x, 0), y, &format!("{tick:.digits$} {unit}"));
    }
    if side == Side::Above {
        finer(page, (from, to), (top, bottom), (step, unit));
    }
}

/// The number of intervals of a logarithmic axis whose labels do not overprint each other.
const DECADES_MAX: usize = 6;

/// Number of finer ticks for each, and the zoom from which on they are shown.
const FINER: f64 = 5.0;
const FINER_ZOOM: u32 = 4;

/// Draws the ticks between those that are always there, to be shown by the zoom.
fn finer(
    page: &mut Page,
    (from, to): (f64, f64),
    (top, bottom): (f64, f64),
    (step, unit): (f64, &str),
) {
    let step = step / FINER;
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let first = (from / step).ceil() as u64;
    for tick in first..=(to / step + 1e-6) as u64 {
        if tick.is_multiple_of(FINER as u64) {
            continue;
        }
        let at = tick as f64 * step;
        let x = Percent((at - from) / (to - from));
        page.put(format_args!(
            "<line class=\"grid\" data-zoom=\"{FINER_ZOOM}\" x1=\"{x}\" y1=\"{top:.1}\" x2=\"{x}\" \
             y2=\"{bottom:.1}\" />\n<text class=\"tick middle\" data-zoom=\"{FINER_ZOOM}\" \
             x=\"{x}\" y=\"{:.1}\">{at:.digits$} {unit}</text>\n",
            top - 5.0
        ));
    }
}

/// Limit on the steps of an axis of time: below a plot that may be narrow, and above the time line,
/// which never is.
const STEPS_MAX: u32 = 4;
const WIDE_STEPS_MAX: u32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis_has_a_place_for_everything() {
        let axis = Logarithmic::covering(0.3, 20.0);
        assert_eq!(axis.at(0.1), 0.0);
        assert_eq!(axis.at(100.0), 1.0);
        assert_eq!(axis.at(0.0), 0.0);
        let labels: Vec<String> = axis.decades().map(|(_, label)| label).collect();
        assert_eq!(labels, ["100 \u{b5}s", "1 ms", "10 ms", "100 ms"]);
        for last in 2..9 {
            let axis = Logarithmic { first: -6, last };
            assert!(axis.decades().count() <= DECADES_MAX + 1, "{last}");
        }
    }
}
