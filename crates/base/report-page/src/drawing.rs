//! Plots that take the width of the page: text keeps its size, positions are shares of the width.

use std::fmt::{self, Display};

use crate::escaped::Escaped;
use crate::page::Page;

/// Title, description and height of a plot.
#[derive(Clone, Copy, Debug)]
pub struct Plot<'a> {
    /// Title in a few words.
    pub title: &'a str,
    /// Description in words, for readers who do not see it.
    pub description: &'a str,
    /// Height in pixels; the width is that of the surroundings.
    pub height: usize,
}

/// A horizontal position or extent as a share of the plot's width.
#[derive(Clone, Copy, Debug)]
pub struct Percent(pub f64);

/// Limit on the zoom of drawings; `zoom.js` has the same.
pub const ZOOM_MAX: f64 = 64.0;

/// Number of horizontal units of a stretched path.
pub const STRETCHED: f64 = 10_000.0;

impl Page {
    /// Begins a plot; [`Page::end_plot`] ends it.
    pub fn begin_plot(&mut self, plot: &Plot<'_>) {
        let id = self.next_plot();
        let Plot {
            title,
            description,
            height,
        } = plot;
        self.put(format_args!(
            "<svg class=\"plot\" width=\"100%\" height=\"{height}\" role=\"img\" \
             aria-labelledby=\"plot{id} plot{id}d\">\n<title id=\"plot{id}\">{}</title>\n\
             <desc id=\"plot{id}d\">{}</desc>\n",
            Escaped(title),
            Escaped(description)
        ));
    }

    /// Ends a plot.
    pub fn end_plot(&mut self) {
        self.put("</svg>\n");
    }

    /// Draws a line between two points: shares of the width, and pixels from the top.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.put(format_args!(
            "<line class=\"{class}\" x1=\"{}\" y1=\"{y1:.1}\" x2=\"{}\" y2=\"{y2:.1}\" />\n",
            Percent(x1),
            Percent(x2)
        ));
    }

    /// Draws a rectangle; `tip` is shown to a pointer that rests on it.
    pub fn bar(&mut self, class: &str, (from, to): (f64, f64), (y, height): (f64, f64), tip: &str) {
        self.put(format_args!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{y:.1}\" width=\"{}\" height=\"{height:.1}\"",
            Percent(from),
            Percent(to - from)
        ));
        if tip.is_empty() {
            self.put(" />\n");
        } else {
            self.put(format_args!("><title>{}</title></rect>\n", Escaped(tip)));
        }
    }

    /// Draws a dot at a share of the width and pixels from the top; `tip` is shown to a pointer
    /// that rests on it.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), tip: &str) {
        self.put(format_args!(
            "<circle class=\"{class}\" cx=\"{}\" cy=\"{y:.1}\" r=\"5\"><title>{}</title>\
             </circle>\n",
            Percent(x),
            Escaped(tip)
        ));
    }

    /// Writes text at a share of the width and `nudge` pixels beside it.
    pub fn label(&mut self, class: &str, place: (f64, i32), y: f64, text: &str) {
        self.zoomed_label(class, place, y, (text, 1.0));
    }

    /// Writes text that is shown as soon as the drawing is zoomed so far: 1 shows it at once.
    pub fn zoomed_label(
        &mut self,
        class: &str,
        (x, nudge): (f64, i32),
        y: f64,
        (text, zoom): (&str, f64),
    ) {
        self.put(format_args!(
            "<text class=\"{class}\" x=\"{}\" y=\"{y:.1}\"",
            Percent(x)
        ));
        if nudge != 0 {
            self.put(format_args!(" dx=\"{nudge}\""));
        }
        if zoom > 1.0 {
            self.put(format_args!(" data-zoom=\"{zoom:.2}\""));
        }
        self.put(format_args!(">{}</text>\n", Escaped(text)));
    }

    /// Draws paths in a rectangle of the plot that is stretched to the plot's width. The paths'
    /// horizontal unit is 1/[`STRETCHED`] of the width, their vertical one a pixel.
    pub fn stretched(&mut self, (y, height): (f64, f64), paths: &[(&str, &str)]) {
        self.put(format_args!(
            "<svg x=\"0\" y=\"{y:.1}\" width=\"100%\" height=\"{height:.1}\" \
             viewBox=\"0 0 {STRETCHED} {height:.1}\" preserveAspectRatio=\"none\">\n"
        ));
        for (class, path) in paths {
            self.put(format_args!(
                "<path class=\"{class}\" vector-effect=\"non-scaling-stroke\" d=\"{path}\" />\n"
            ));
        }
        self.put("</svg>\n");
    }
}

impl Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.3}", self.0 * 100.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        write!(f, "{}%", if text == "-0" { "0" } else { text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_zooms_as_far_as_labels_ask_for() {
        let most = format!("const most = {ZOOM_MAX};");
        assert!(include_str!("zoom.js").contains(&most));
    }

    #[test]
    fn percentages_are_short() {
        assert_eq!(Percent(0.5).to_string(), "50%");
        assert_eq!(Percent(1.0 / 3.0).to_string(), "33.333%");
        assert_eq!(Percent(0.0).to_string(), "0%");
        assert_eq!(Percent(-0.000_000_1).to_string(), "0%");
        assert_eq!(Percent(10.0).to_string(), "1000%");
    }
}
