//! Load and latency of the variants, as points: the Pareto front among them.

use waywarden_report_page::{Page, PlotPoint, Points, short};
use waywarden_vehicle_file::formatting::percent;

use super::bars::SHARE_MAX;
use super::{latency, names};
use crate::compare::{Comparison, VariantRow};

/// Draws load and latency of the variants that have both; of fewer than two nothing.
pub(super) fn section(page: &mut Page, comparison: &Comparison) {
    let variants = comparison.variants.iter();
    // The best ones are drawn last, so that nothing hides them.
    let points: Vec<PlotPoint> = variants.rev().filter_map(point).collect();
    if points.len() < 2 {
        return;
    }
    let explanation = "To the right the load of the busiest bus, upwards the worst latency as a \
                       share of its deadline; what is later than twice the deadline is drawn \
                       there. Coloured points with their rank are on the Pareto front: no other \
                       variant is at least as good in security, latency, load and start-up, and \
                       better in one of them.";
    page.section("front", "Load against latency", explanation);
    let front = comparison.variants.iter().filter(|row| row.pareto);
    let words = front.take(3).map(|row| {
        let [name, detail] = names(row);
        let load = percent(row.figures.load);
        format!("{name}, {detail}: load {load}, latency {}", latency(row))
    });
    let description = format!("{}.", words.collect::<Vec<_>>().join("; "));
    page.put("<div class=\"narrow\">\n");
    let plot = Points {
        title: "Load of the busiest bus and worst latency of each variant",
        description: &description,
        points,
        bound: Some((100.0, "the deadline")),
    };
    let share = |value: f64| format!("{} %", short(value));
    page.points(&plot, (share, share));
    page.put("</div>\n");
    page.end_section();
}

fn point(row: &VariantRow) -> Option<PlotPoint> {
    let share = row.figures.worst_share?;
    let [name, detail] = names(row);
    let load = percent(row.figures.load);
    let (class, label) = match row.rank {
        None => ("c8", "without protection".to_owned()),
        Some(rank) if row.pareto => ("c1", rank.to_string()),
        Some(_) => ("other", String::new()),
    };
    Some(PlotPoint {
        class,
        at: (row.figures.load * 100.0, share.min(SHARE_MAX) * 100.0),
        label,
        tip: format!("{name}, {detail}: load {load}, latency {}", latency(row)),
    })
}
