//! Horizontal bars, one row below the other: name and figure above each bar, bounds as marks.

use crate::axis::Linear;
use crate::drawing::Plot;
use crate::page::Page;

/// Height of a row, in pixels: its name, and its bar; with a line below the bars more.
const ROW: f64 = 34.0;
const DETAIL: f64 = 13.0;

/// The number of letters that fit side by side on the narrowest screens, of about 12 pixels and 400
/// in all; rows with more have their figure on a line of its own.
const LETTERS_MAX: usize = 52;

/// The height of that line, in pixels.
pub const LINE: f64 = 15.0;

/// Position of a bar in its row, and its height, in pixels.
const BAR: f64 = 18.0;
const HEIGHT: f64 = 10.0;

const TOP: f64 = 20.0;

/// Horizontal bars from zero to the right.
#[derive(Clone, Debug)]
pub struct BarRows<'a> {
    /// Title of the plot.
    pub title: &'a str,
    /// Description in a sentence, for readers who do not see it.
    pub description: &'a str,
    /// The rows from above.
    pub rows: Vec<BarRow>,
}

/// A row: a bar in parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarRow {
    /// Its name, on the left.
    pub name: String,
    /// Its figure in words, on the right.
    pub figure: String,
    /// More text, below the bar; may be empty.
    pub detail: String,
    /// True if the figure does not meet its requirement.
    pub is_bad: bool,
    /// Its parts, from zero on one behind the other.
    pub parts: Vec<BarPart>,
    /// Bounds, as marks: position and description.
    pub bounds: Vec<(f64, String)>,
}

/// A part of a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct BarPart {
    /// Its class in the style sheet: `c1` to `c8`, or `other`.
    pub class: &'static str,
    /// Its length, in the unit of the axis.
    pub length: f64,
    /// Its description, shown to a pointer that rests on it.
    pub tip: String,
}

impl BarRow {
    /// Returns the length of the whole bar.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.parts.iter().map(|part| part.length).sum()
    }
}

impl Page {
    /// Draws bars on an axis that covers all of them and their bounds; `label` makes text of a
    /// value of the axis.
    pub fn rows(&mut self, plot: &BarRows<'_>, label: impl Fn(f64) -> String) {
        let bounds = |row: &BarRow| row.bounds.iter().map(|bound| bound.0).fold(0.0, f64::max);
        let reach = plot.rows.iter().map(|row| row.length().max(bounds(row)));
        let axis = Linear::covering(reach.fold(0.0, f64::max));
        let has_details = plot.rows.iter().any(|row| !row.detail.is_empty());
        let is_tight = plot.rows.iter().any(|row| !fits(&row.name, &row.figure));
        let line = if is_tight { LINE } else { 0.0 };
        let height = ROW + line + if has_details { DETAIL + 4.0 } else { 0.0 };
        let bottom = TOP + height * plot.rows.len() as f64;
        self.put("<div class=\"axes flush\">");
        self.begin_plot(&Plot {
            title: plot.title,
            description: plot.description,
            height: bottom as usize + 4,
        });
        axis.draw(self, (TOP - 4.0, bottom), label);
        for (at, row) in plot.rows.iter().enumerate() {
            self.row(row, &axis, TOP + height * at as f64, line);
        }
        self.end_plot();
        self.put("</div>\n");
    }

    fn row(&mut self, row: &BarRow, axis: &Linear, y: f64, line: f64) {
        self.label("name halo", (0.0, 0), y + 13.0, &shortened(&row.name));
        let y = y + line;
        let class = match row.is_bad {
            true => "value halo bad",
            false => "value halo",
        };
        self.label(class, (1.0, 0), y + 13.0, &row.figure);
        if !row.detail.is_empty() {
            let y = y + BAR + HEIGHT + DETAIL;
            self.label("tick halo", (0.0, 0), y, &row.detail);
        }
        let mut from = 0.0;
        for part in row.parts.iter().filter(|part| part.length > 0.0) {
            let to = from + part.length;
            let ends = (axis.at(from), axis.at(to).min(1.0));
            self.bar(part.class, ends, (y + BAR, HEIGHT), &part.tip);
            from = to;
        }
        for (bound, tip) in &row.bounds {
            let x = axis.at(*bound);
            self.line("limit", (x, y + BAR - 3.0), (x, y + BAR + HEIGHT + 3.0));
            // A line is too thin to point at.
            let around = ((x - 0.005).max(0.0), (x + 0.005).min(1.0));
            self.bar("bound", around, (y + BAR - 3.0, HEIGHT + 6.0), tip);
        }
    }
}

/// Returns true if a name and a figure fit side by side on the narrowest screens.
#[must_use]
pub fn fits(name: &str, figure: &str) -> bool {
    name.chars().count() + figure.chars().count() <= LETTERS_MAX
}

/// Cuts a name that is longer than the narrowest screens are wide; tables have it whole.
#[must_use]
pub fn shortened(name: &str) -> String {
    match name.char_indices().nth(LETTERS_MAX) {
        None => name.to_owned(),
        Some(_) => {
            let kept: String = name.chars().take(LETTERS_MAX - 1).collect();
            format!("{kept}\u{2026}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_bounds_stand_on_one_axis() {
        let mut page = Page::new("a", "a");
        let part = |class, length| BarPart {
            class,
            length,
            tip: format!("{length} ms"),
        };
        let rows = BarRows {
            title: "Start <up>",
            description: "slow",
            rows: vec![BarRow {
                name: "keys".to_owned(),
                figure: "75 ms of 100 ms".to_owned(),
                detail: "of <ring>".to_owned(),
                is_bad: false,
                parts: vec![part("c1", 50.0), part("c2", 0.0), part("c3", 25.0)],
                bounds: vec![(100.0, "required: 100 ms".to_owned())],
            }],
        };
        page.rows(&rows, |value| format!("{value} ms"));
        let text = page.finish();
        assert!(text.contains("class=\"c1\" x=\"0%\" y=\"38.0\" width=\"50%\""));
        assert!(text.contains("class=\"c3\" x=\"50%\" y=\"38.0\" width=\"25%\""));
        assert!(!text.contains("class=\"c2\""));
        assert!(text.contains("class=\"limit\" x1=\"100%\""));
        assert!(text.contains("y=\"61.0\">of &lt;ring&gt;</text>"), "{text}");
        assert!(
            text.contains("class=\"value halo\" x=\"100%\" y=\"33.0\""),
            "{text}"
        );
        assert!(text.contains("Start &lt;up&gt;") && text.contains(">100 ms</text>"));
    }

    #[test]
    fn long_names_and_figures_stand_on_two_lines_and_never_overprint() {
        let row = |name: &str| BarRow {
            name: name.to_owned(),
            figure: "738 ms of 3 s".to_owned(),
            ..BarRow::default()
        };
        let mut page = Page::new("a", "a");
        let long = format!("Key of group {}", "x".repeat(64));
        let plot = BarRows {
            title: "a",
            description: "a",
            rows: vec![row(&long)],
        };
        page.rows(&plot, |value| value.to_string());
        let text = page.finish();
        assert!(
            text.contains("class=\"value halo\" x=\"100%\" y=\"48.0\""),
            "{text}"
        );
        assert!(
            text.contains("xxx\u{2026}</text>") && !text.contains(&long),
            "{text}"
        );
        assert!(fits("short", "1 ms of 3 ms") && !fits(&long, ""));
    }
}
