//! Lines and bars as SVG: one element each, which needs no style sheet, script or font around it.
//!
//! Colours are readable on light and dark ground; lines are told apart by dashes, too.

use std::fmt::{self, Write};

use crate::escaped::Escaped;

/// Width and height in user units, and the area within the axes.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 396.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 626.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 346.0;

/// Names longer than this many characters stand in two columns above the plot, others in three.
const NAME_MAX: usize = 20;

/// Names of units longer than this many characters begin at the left border.
const UNIT_MAX: usize = 7;

/// A colour and a dash pattern for each series, again from the first after the last.
const PENS: [(&str, &str); 6] = [
    ("#3d7fc4", "none"),
    ("#d0781a", "7 4"),
    ("#3c9a5f", "2 3"),
    ("#9a6cc4", "9 3 2 3"),
    ("#c4527a", "4 2"),
    ("#5b8f97", "12 4"),
];

/// A line plot over a whole-numbered axis.
#[derive(Clone, Debug)]
pub struct LinePlot<'a> {
    /// Title of the plot.
    pub title: &'a str,
    /// Quantity on the horizontal axis.
    pub across: &'a str,
    /// The unit of the vertical axis.
    pub unit: &'a str,
    /// The lines.
    pub series: Vec<Series>,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Single points beside the line: measured values.
    pub marks: Vec<(f64, f64)>,
}

/// Bars in groups.
#[derive(Clone, Debug)]
pub struct Bars<'a> {
    /// Title of the plot.
    pub title: &'a str,
    /// The unit of the vertical axis.
    pub unit: &'a str,
    /// Names of a group's bars, in order.
    pub legend: Vec<String>,
    /// The groups, from left to right.
    pub groups: Vec<BarGroup>,
}

/// A group of bars.
#[derive(Clone, Debug)]
pub struct BarGroup {
    /// Its name, in lines.
    pub names: Vec<String>,
    /// One value a bar, from 0 up.
    pub bars: Vec<f64>,
}

impl LinePlot<'_> {
    /// Draws the plot.
    #[must_use]
    pub fn svg(&self) -> String {
        let all = || {
            let series = self.series.iter();
            series.flat_map(|series| series.points.iter().chain(&series.marks))
        };
        let (least, most) = all().fold((f64::INFINITY, 0.0_f64), |(least, most), (x, _)| {
            (least.min(*x), most.max(*x))
        });
        let axis = Axis::covering(all().map(|(_, y)| *y).fold(0.0, f64::max));
        let across = |x: f64| LEFT + (RIGHT - LEFT) * (x - least) / (most - least).max(1.0);
        let mut svg = begin(self.title, self.unit, &axis);
        let names: Vec<&str> = self
            .series
            .iter()
            .map(|series| series.name.as_str())
            .collect();
        legend(&mut svg, &names, true);
        let step = whole_step((most - least) / 8.0);
        let mut tick = (least / step).ceil() * step;
        while tick <= most {
            text(
                &mut svg,
                (across(tick), BOTTOM + 18.0),
                "middle",
                &tick.to_string(),
            );
            tick += step;
        }
        text(
            &mut svg,
            ((LEFT + RIGHT) / 2.0, BOTTOM + 38.0),
            "middle",
            self.across,
        );
        for (series, (colour, dash)) in self.series.iter().zip(PENS.iter().cycle()) {
            let points: Vec<String> = series
                .points
                .iter()
                .map(|(x, y)| format!("{:.1},{:.1}", across(*x), axis.at(*y)))
                .collect();
            put(
                &mut svg,
                format_args!(
                    "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" \
                     stroke-dasharray=\"{dash}\" points=\"{}\" />\n",
                    points.join(" ")
                ),
            );
            for (x, y) in &series.marks {
                put(
                    &mut svg,
                    format_args!(
                        "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"none\" \
                         stroke=\"{colour}\" stroke-width=\"2\"><title>{}, {x} {}: measured {} {}\
                         </title></circle>\n",
                        across(*x),
                        axis.at(*y),
                        Escaped(&series.name),
                        self.across,
                        crate::number::short(*y),
                        self.unit,
                    ),
                );
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// Returns a whole step that is at least so long: up to 5 any, beyond that 1, 2 or 5 times a power
/// of ten.
fn whole_step(least: f64) -> f64 {
    let whole = least.ceil().max(1.0);
    match whole <= 5.0 {
        true => whole,
        false => Axis::covering(whole * 6.0).step,
    }
}

impl Bars<'_> {
    /// Draws the plot.
    #[must_use]
    pub fn svg(&self) -> String {
        let values = self.groups.iter().flat_map(|group| &group.bars);
        let axis = Axis::covering(values.copied().fold(0.0, f64::max));
        let mut svg = begin(self.title, self.unit, &axis);
        let names: Vec<&str> = self.legend.iter().map(String::as_str).collect();
        legend(&mut svg, &names, false);
        let wide = (RIGHT - LEFT) / self.groups.len().max(1) as f64;
        for (at, group) in self.groups.iter().enumerate() {
            let from = LEFT + wide * at as f64;
            let bar = wide * 0.8 / group.bars.len().max(1) as f64;
            for ((which, value), (colour, _)) in group.bars.iter().enumerate().zip(PENS) {
                let x = from + wide * 0.1 + bar * which as f64;
                let y = axis.at(*value);
                let name = names.get(which).copied().unwrap_or_default();
                put(
                    &mut svg,
                    format_args!(
                        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                         fill=\"{colour}\"><title>{}, {}: {value} {}</title></rect>\n",
                        bar * 0.92,
                        BOTTOM - y,
                        Escaped(&group.names.join(" ")),
                        Escaped(name),
                        self.unit,
                    ),
                );
            }
            for (line, name) in (0..).zip(&group.names) {
                let y = BOTTOM + 15.0 + 14.0 * f64::from(line);
                text(&mut svg, (from + wide / 2.0, y), "middle", name);
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// The vertical axis, from 0 to a round number.
struct Axis {
    end: f64,
    step: f64,
}

impl Axis {
    /// Takes steps of 1, 2 or 5 times a power of ten, at most six.
    fn covering(most: f64) -> Self {
        let most = if most.is_finite() && most > 0.0 {
            most
        } else {
            1.0
        };
        let power = 10_f64.powf((most / 6.0).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let mut fitting = steps
            .into_iter()
            .filter(|step| step * 6.0 >= most * 0.999_999);
        let step = fitting.next().unwrap_or(10.0 * power);
        Axis {
            end: (most / step - 1e-9).ceil() * step,
            step,
        }
    }

    fn at(&self, value: f64) -> f64 {
        BOTTOM - (BOTTOM - TOP) * value / self.end
    }
}

/// Begins an element with its title and the vertical axis.
fn begin(title: &str, unit: &str, axis: &Axis) -> String {
    let mut svg = String::new();
    put(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"11.5\" \
             fill=\"currentColor\">\n<title>{}</title>\n",
            Escaped(title)
        ),
    );
    for tick in 0..=6 {
        let value = f64::from(tick) * axis.step;
        if value > axis.end * 1.000_001 {
            break;
        }
        let y = axis.at(value);
        put(
            &mut svg,
            format_args!(
                "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\" \
                 stroke=\"currentColor\" stroke-opacity=\"0.18\" />\n"
            ),
        );
        let label = crate::number::short(value);
        text(&mut svg, (LEFT - 6.0, y + 4.0), "end", &label);
    }
    // A long name would begin outside of the picture.
    let (x, anchor) = match unit.chars().count() > UNIT_MAX {
        true => (2.0, "start"),
        false => (LEFT - 6.0, "end"),
    };
    text(&mut svg, (x, TOP - 14.0), anchor, unit);
    svg
}

/// Writes the names of the series above the plot, at most three rows for six of them.
fn legend(svg: &mut String, names: &[&str], dashed: bool) {
    let long = names.iter().any(|name| name.chars().count() > NAME_MAX);
    let columns = names.len().clamp(1, if long { 2 } else { 3 });
    let wide = (RIGHT - LEFT) / columns as f64;
    for (at, (name, (colour, dash))) in names.iter().zip(PENS.iter().cycle()).enumerate() {
        let (x, y) = (
            LEFT + wide * (at % columns) as f64 + 8.0,
            10.0 + 15.0 * (at / columns) as f64,
        );
        let dash = if dashed { *dash } else { "none" };
        put(
            svg,
            format_args!(
                "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" \
                 stroke=\"{colour}\" stroke-width=\"3\" stroke-dasharray=\"{dash}\" />\n",
                x + 22.0
            ),
        );
        text(svg, (x + 28.0, y + 4.0), "start", name);
    }
}

/// Writes words at a place.
pub fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, words: &str) {
    put(
        svg,
        format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
            Escaped(words)
        ),
    );
}

/// Adds a piece of markup.
pub fn put(svg: &mut String, part: fmt::Arguments<'_>) {
    // Writing into memory has no way to fail.
    let _ = svg.write_fmt(part);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_on_a_step_above_everything() {
        for most in [0.004, 1.0, 43.94, 232.8, 1080.7, 5398.0] {
            let axis = Axis::covering(most);
            let steps = axis.end / axis.step;
            assert!(axis.end >= most && steps <= 6.0 + 1e-9, "{most}");
            assert!((steps - steps.round()).abs() < 1e-9, "{most}");
        }
        assert_eq!(Axis::covering(f64::NAN).end, 1.0);
        let steps = [0.0, 3.2, 5.0, 5.1, 37.5, 1_999.0].map(whole_step);
        assert_eq!(steps, [1.0, 4.0, 5.0, 10.0, 50.0, 2_000.0]);
    }

    #[test]
    fn points_lie_within_the_picture() {
        let plot = LinePlot {
            title: "a < b",
            across: "ECUs",
            unit: "ms",
            series: vec![Series {
                name: "R & D".to_owned(),
                points: vec![(2.0, 0.0), (32.0, 100.0)],
                marks: vec![(32.0, 50.0)],
            }],
        };
        let svg = plot.svg();
        assert!(svg.contains("points=\"58.0,346.0 626.0,60.0\""), "{svg}");
        assert!(svg.contains("cx=\"626.0\" cy=\"203.0\""), "{svg}");
        assert!(svg.contains("a &lt; b") && svg.contains("R &amp; D"));
        assert!(svg.trim_end().ends_with("</svg>"));
    }
}
