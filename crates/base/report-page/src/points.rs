//! Points by two figures: one to the right, the other upwards.

use crate::axis::Linear;
use crate::drawing::Plot;
use crate::page::Page;

/// End and beginning of the vertical axis, in pixels from the top.
const TOP: f64 = 34.0;
const BOTTOM: f64 = 274.0;

/// Points nearer to the right border than this share of the width have their labels on the left.
const RIGHT: f64 = 0.85;

/// Points by two figures, both from zero on.
#[derive(Clone, Debug)]
pub struct Points<'a> {
    /// Title of the plot.
    pub title: &'a str,
    /// Description in a sentence, for readers who do not see it.
    pub description: &'a str,
    /// The points; later ones are drawn over earlier ones.
    pub points: Vec<PlotPoint>,
    /// A bound of the vertical figure, and its description; drawn if the points come near it.
    pub bound: Option<(f64, &'a str)>,
}

/// A point.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotPoint {
    /// Its class in the style sheet: `c1` to `c8`, or `other`.
    pub class: &'static str,
    /// Its two figures: to the right, upwards.
    pub at: (f64, f64),
    /// Text beside it; may be empty.
    pub label: String,
    /// Its description, shown to a pointer that rests on it.
    pub tip: String,
}

impl Page {
    /// Draws points on axes that cover all of them; `labels` make text of values of the axis to the
    /// right, above the plot, and of the vertical one.
    pub fn points(
        &mut self,
        plot: &Points<'_>,
        labels: (impl Fn(f64) -> String, impl Fn(f64) -> String),
    ) {
        let reach = |of: fn(&PlotPoint) -> f64| plot.points.iter().map(of).fold(0.0, f64::max);
        let across = Linear::covering(reach(|point| point.at.0));
        let up = Linear::covering(reach(|point| point.at.1));
        let height = |value: f64| BOTTOM - (BOTTOM - TOP) * up.at(value);
        self.put("<div class=\"axes flush\">");
        self.begin_plot(&Plot {
            title: plot.title,
            description: plot.description,
            height: BOTTOM as usize + 10,
        });
        across.draw(self, (TOP - 14.0, BOTTOM), labels.0);
        for &tick in &up.ticks {
            let y = height(tick);
            self.line("grid", (0.0, y), (1.0, y));
            if tick > 0.0 {
                self.label("tick end halo", (1.0, 0), y - 4.0, &(labels.1)(tick));
            }
        }
        if let Some((bound, what)) = plot.bound.filter(|bound| bound.0 <= up.end) {
            let y = height(bound);
            self.line("limit", (0.0, y), (1.0, y));
            self.label("tick halo", (0.0, 4), y - 4.0, what);
        }
        for point in &plot.points {
            let place = (across.at(point.at.0), height(point.at.1));
            self.dot(point.class, place, &point.tip);
            let (class, nudge) = match place.0 > RIGHT {
                true => ("name end halo", -9),
                false => ("name halo", 9),
            };
            if !point.label.is_empty() {
                self.label(class, (place.0, nudge), place.1 + 4.0, &point.label);
            }
        }
        self.end_plot();
        self.put("</div>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::head::Head;

    fn page(points: Vec<PlotPoint>) -> String {
        let mut page = Page::begin(&Head::default());
        let plot = Points {
            title: "Costs",
            description: "What each costs.",
            points,
            bound: Some((100.0, "the deadline")),
        };
        page.points(
            &plot,
            (|value| format!("{value} ms"), |value| format!("{value} %")),
        );
        page.finish()
    }

    #[test]
    fn a_point_stands_where_its_figures_say() {
        let point = |at, label: &str| PlotPoint {
            class: "c1",
            at,
            label: label.to_owned(),
            tip: "<tip>".to_owned(),
        };
        let text = page(vec![
            point((5.0, 0.0), "left"),
            point((10.0, 100.0), "right"),
        ]);
        let low = "<circle class=\"c1\" cx=\"50%\" cy=\"274.0\" r=\"5\">";
        let high = "<circle class=\"c1\" cx=\"100%\" cy=\"34.0\" r=\"5\">";
        assert!(text.contains(low) && text.contains(high), "{text}");
        assert!(text.contains("&lt;tip&gt;") && !text.contains("<tip>"));
        // A label at the right border stays within the page.
        assert!(
            text.contains("class=\"name end halo\" x=\"100%\""),
            "{text}"
        );
        assert!(text.contains("class=\"name halo\" x=\"50%\""), "{text}");
        assert!(text.contains("the deadline"), "{text}");
        let far = page(vec![point((5.0, 50.0), "below")]);
        assert!(!far.contains("the deadline"), "{far}");
    }

    #[test]
    fn figures_that_are_no_numbers_and_no_points_at_all_still_make_a_page() {
        let odd = PlotPoint {
            class: "c1",
            at: (f64::NAN, f64::INFINITY),
            label: String::new(),
            tip: String::new(),
        };
        for text in [page(Vec::new()), page(vec![odd])] {
            assert!(
                text.contains("Costs") && text.ends_with("</html>\n"),
                "{text}"
            );
        }
    }
}
