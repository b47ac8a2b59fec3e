//! Text that becomes HTML and SVG: escaping, sections, the frame of a plot.

use std::fmt::{self, Display, Write};

use waywarden_report_page::Escaped;

/// The page under construction.
#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
    /// How many plots have been begun; makes their identifiers.
    plots: usize,
}

/// What stands around a plot.
pub(super) struct Plot<'a> {
    /// What it shows, in a few words.
    pub(super) title: &'a str,
    /// What one sees in it, for those who do not.
    pub(super) description: &'a str,
    /// In pixels; the width is that of the surroundings.
    pub(super) height: usize,
}

/// A horizontal position or extent as a share of the plot's width.
#[derive(Clone, Copy)]
pub(super) struct Percent(pub(super) f64);

/// Returns text as it stands in an element or in an attribute between double quotes.
pub(super) fn escaped(text: &str) -> Escaped<'_> {
    Escaped(text)
}

impl Page {
    pub(super) fn put(&mut self, part: impl Display) {
        // Writing into memory has no way to fail.
        let _ = write!(self.text, "{part}");
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn section(&mut self, id: &str, title: &str, explanation: &str) {
        self.put(format_args!(
            "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{title}</h2>\n"
        ));
        if !explanation.is_empty() {
            self.put(format_args!("<p class=\"note\">{explanation}</p>\n"));
        }
    }

    pub(super) fn end_section(&mut self) {
        self.put("</section>\n");
    }

    /// Begins a plot; [`Page::end_plot`] ends it.
    pub(super) fn begin_plot(&mut self, plot: &Plot<'_>) {
        self.plots += 1;
        let (
            id,
            Plot {
                title,
                description,
                height,
            },
        ) = (self.plots, plot);
        self.put(format_args!(
            "<svg class=\"plot\" width=\"100%\" height=\"{height}\" role=\"img\" \
             aria-labelledby=\"plot{id} plot{id}d\">\n<title id=\"plot{id}\">{}</title>\n\
             <desc id=\"plot{id}d\">{}</desc>\n",
            escaped(title),
            escaped(description)
        ));
    }

    pub(super) fn end_plot(&mut self) {
        self.put("</svg>\n");
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.put(format_args!(
            "<line class=\"{class}\" x1=\"{}\" y1=\"{y1:.1}\" x2=\"{}\" y2=\"{y2:.1}\" />\n",
            Percent(x1),
            Percent(x2)
        ));
    }

    /// Draws a rectangle; `tip` is shown to a pointer that rests on it.
    pub(super) fn bar(
        &mut self,
        class: &str,
        (from, to): (f64, f64),
        (y, height): (f64, f64),
        tip: &str,
    ) {
        self.put(format_args!(
            "<rect class=\"{class}\" x=\"{}\" y=\"{y:.1}\" width=\"{}\" height=\"{height:.1}\"",
            Percent(from),
            Percent(to - from)
        ));
        if tip.is_empty() {
            self.put(" />\n");
        } else {
            self.put(format_args!("><title>{}</title></rect>\n", escaped(tip)));
        }
    }

    /// Writes text at a share of the width and `nudge` pixels beside it.
    pub(super) fn label(&mut self, class: &str, (x, nudge): (f64, i32), y: f64, text: &str) {
        self.put(format_args!(
            "<text class=\"{class}\" x=\"{}\" y=\"{y:.1}\"",
            Percent(x)
        ));
        if nudge != 0 {
            self.put(format_args!(" dx=\"{nudge}\""));
        }
        self.put(format_args!(">{}</text>\n", escaped(text)));
    }

    /// Draws paths in a rectangle of the plot that is stretched to the plot's width. The paths'
    /// horizontal unit is 1/[`STRETCHED`] of the width, their vertical one a pixel.
    pub(super) fn stretched(&mut self, (y, height): (f64, f64), paths: &[(&str, &str)]) {
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

/// How many horizontal units a stretched path has.
pub(super) const STRETCHED: f64 = 10_000.0;

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
    fn nothing_of_a_name_becomes_markup() {
        let hostile = "<script>alert(\"x\")</script>&amp;'\u{0}\n";
        let safe = "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;amp;&#39;\u{FFFD} ";
        assert_eq!(escaped(hostile).to_string(), safe);
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
