//! The load of each bus over time, with its disturbances.

use super::axis::Side;
use super::disturbance::{self, NumberedDisturbance};
use super::{PageInput, axis};
use crate::recorder::DisturbancesByBus;
use waywarden_report_page::{Escaped, Page, Plot, STRETCHED};
use waywarden_vehicle_file::formatting::{percent, span};
use waywarden_vehicle_report::measure::LOAD_WINDOW;

/// Limit on the steps of a curve; more windows are drawn together.
const STEPS_MAX: usize = 400;

/// Top and height of the curve's area, in pixels.
const TOP: f64 = 18.0;
const HEIGHT: f64 = 100.0;

/// Height of a row of marks below the curve, and distance of the first one from it, in pixels.
const ROW: f64 = 12.0;
const MARGIN: f64 = 6.0;

/// The loads of a stretch of windows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    mean: f64,
    peak: f64,
}

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let explanation = "Share of each 100 ms that frames and their intermissions took. A dashed \
                       line is a required limit. Below the curve: frames that were broken by \
                       errors, struck by interferers, or sent by attackers.";
    page.section("loads", "Bus load over time", explanation);
    page.put("<div class=\"grid\">\n");
    let disturbances: Vec<NumberedDisturbance<'_>> = disturbance::all(source.report).collect();
    for bus in 0..source.report.buses.len() {
        figure(page, source, bus, &disturbances);
    }
    page.put("</div>\n");
    page.end_section();
}

fn figure(
    page: &mut Page,
    source: &PageInput<'_>,
    bus: usize,
    disturbances: &[NumberedDisturbance<'_>],
) {
    let row = &source.report.buses[bus];
    page.put(format_args!(
        "<figure>\n<figcaption><b>{}</b> {} over the run, at most {} in 100 ms</figcaption>\n\
         <div class=\"axes\">",
        Escaped(&row.bus),
        percent(row.load),
        percent(row.peak_load)
    ));
    let empty = DisturbancesByBus::default();
    let marks = source.recording.disturbances.get(bus).unwrap_or(&empty);
    let rows: Vec<(&str, &str, &[u32])> = [
        ("broken", "error", &marks.destroyed[..]),
        ("struck", "strike", &marks.strikes[..]),
        ("forged", "attack", &marks.forged[..]),
    ]
    .into_iter()
    .filter(|(_, _, counts)| counts.iter().any(|count| *count > 0))
    .collect();
    let bottom =
        TOP + HEIGHT + ROW * rows.len() as f64 + if rows.is_empty() { 0.0 } else { MARGIN };
    let description = describe(source, bus);
    page.begin_plot(&Plot {
        title: &format!("Load of bus {} over time", row.bus),
        description: &description,
        height: bottom as usize + 22,
    });
    bands(page, &row.bus, disturbances, bottom);
    axis::time(
        page,
        (0.0, source.outcome.end.as_seconds()),
        (TOP, bottom),
        Side::Below,
    );
    for (share, label) in [(0.0, "0"), (0.5, "50"), (1.0, "100 %")] {
        let y = TOP + HEIGHT * (1.0 - share);
        page.line("grid", (0.0, y), (1.0, y));
        page.label("tick end", (0.0, -6), y + 4.0, label);
    }
    curve(page, source, bus);
    limit(page, source, bus);
    let span = window_share(source);
    for (at, (name, class, counts)) in rows.into_iter().enumerate() {
        let y = TOP + HEIGHT + MARGIN + ROW * at as f64;
        page.label("tick end", (0.0, -6), y + 9.0, name);
        for (from, to, count) in runs(counts) {
            let ends = (from as f64 * span, (to as f64 * span).min(1.0));
            let tip = format!("{count} {name} between {} and {}", when(from), when(to));
            page.bar(class, ends, (y + 1.0, ROW - 3.0), &tip);
        }
    }
    page.end_plot();
    page.put("</div>\n</figure>\n");
}

/// Shades the time in which something acts on the bus.
fn bands(page: &mut Page, bus: &str, disturbances: &[NumberedDisturbance<'_>], bottom: f64) {
    for disturbance in disturbances
        .iter()
        .filter(|disturbance| disturbance.row.buses.iter().any(|one| one == bus))
    {
        let tip = format!("{}: {}", disturbance.number, disturbance.row.name);
        page.bar("band", disturbance.window, (TOP, bottom - TOP), &tip);
        let middle = (disturbance.window.0 + disturbance.window.1) / 2.0;
        page.label(
            "tick middle",
            (middle, 0),
            TOP - 5.0,
            &disturbance.number.to_string(),
        );
    }
}

fn curve(page: &mut Page, source: &PageInput<'_>, bus: usize) {
    let steps = steps(&source.outcome.measure.buses[bus].windows);
    if steps.is_empty() {
        return;
    }
    let per_step = source.outcome.measure.buses[bus]
        .windows
        .len()
        .div_ceil(steps.len());
    let width = window_share(source) * per_step as f64 * STRETCHED;
    let edge = |step: usize| (step as f64 * width).min(STRETCHED);
    let line = |value: &dyn Fn(&Step) -> f64| {
        let mut path = String::new();
        for (at, step) in steps.iter().enumerate() {
            let y = HEIGHT * (1.0 - value(step).min(1.0));
            let verb = if at == 0 { 'M' } else { 'V' };
            let start = if at == 0 {
                format!("0 {y:.1}")
            } else {
                format!("{y:.1}")
            };
            path.push_str(&format!("{verb}{start}H{:.0}", edge(at + 1)));
        }
        path
    };
    let (mean, peak) = (line(&|step| step.mean), line(&|step| step.peak));
    let area = format!("{mean}V{HEIGHT}H0Z");
    let mut paths = vec![("area", area.as_str()), ("curve", mean.as_str())];
    if per_step > 1 {
        paths.push(("curve peak", peak.as_str()));
    }
    page.stretched((TOP, HEIGHT), &paths);
}

fn limit(page: &mut Page, source: &PageInput<'_>, bus: usize) {
    let bounds = &source.file.require.bus_load;
    if let Some((_, bound)) = bounds.iter().find(|(which, _)| which.0 == bus) {
        let y = TOP + HEIGHT * (1.0 - bound.value.min(1.0));
        page.line("limit", (0.0, y), (1.0, y));
        let text = format!("limit {}", percent(bound.value));
        page.label("tick end halo", (1.0, -4), y - 4.0, &text);
    }
}

/// Merges windows into at most [`STEPS_MAX`] steps.
fn steps(windows: &[u64]) -> Vec<Step> {
    let whole = (LOAD_WINDOW.as_nanos() * 1_000) as f64;
    let share = |busy: &u64| *busy as f64 / whole;
    let per_step = windows.len().div_ceil(STEPS_MAX).max(1);
    let step = |windows: &[u64]| Step {
        mean: windows.iter().map(share).sum::<f64>() / windows.len() as f64,
        peak: windows.iter().map(share).fold(0.0, f64::max),
    };
    windows.chunks(per_step).map(step).collect()
}

/// Merges neighbouring windows that hold something: from, to, how much.
fn runs(counts: &[u32]) -> Vec<(usize, usize, u64)> {
    let mut runs: Vec<(usize, usize, u64)> = Vec::new();
    let filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    for (at, &count) in filled {
        match runs.last_mut().filter(|(_, to, _)| *to == at) {
            Some((_, to, sum)) => {
                *to += 1;
                *sum += u64::from(count);
            }
            None => runs.push((at, at + 1, u64::from(count))),
        }
    }
    runs
}

/// Returns which share of the run a window is.
fn window_share(source: &PageInput<'_>) -> f64 {
    let end = source.outcome.end.as_picos();
    if end == 0 {
        1.0
    } else {
        (LOAD_WINDOW.as_nanos() * 1_000) as f64 / end as f64
    }
}

fn when(window: usize) -> String {
    span(window as f64 * LOAD_WINDOW.as_nanos() as f64 * 1e-6)
}

fn describe(source: &PageInput<'_>, bus: usize) -> String {
    let row = &source.report.buses[bus];
    let windows = &source.outcome.measure.buses[bus].windows;
    let peak = windows.iter().enumerate().max_by_key(|(_, busy)| **busy);
    let busiest = peak.map_or(String::new(), |(at, _)| format!(" at {}", when(at)));
    format!(
        "{} frames; the load is {} on average and {} in the busiest 100 ms{busiest}.",
        row.frames,
        percent(row.load),
        percent(row.peak_load)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_windows_are_drawn_together_and_the_peak_survives() {
        let full = LOAD_WINDOW.as_nanos() * 1_000;
        let mut windows = vec![full / 4; 10_000];
        windows[5_000] = full;
        let steps = steps(&windows);
        assert_eq!(steps.len(), STEPS_MAX);
        let peak = steps.iter().map(|step| step.peak).fold(0.0, f64::max);
        assert_eq!(
            (peak, steps[0]),
            (
                1.0,
                Step {
                    mean: 0.25,
                    peak: 0.25
                }
            )
        );
    }

    #[test]
    fn neighbouring_windows_are_one_run() {
        assert_eq!(runs(&[0, 2, 3, 0, 1]), [(1, 3, 5), (4, 5, 1)]);
        assert_eq!(runs(&[]), []);
    }
}
