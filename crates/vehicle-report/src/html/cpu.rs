//! The load of each ECU's processor, stacked by task.

use super::Source;
use super::axis::Linear;
use super::markup::{Page, Plot};
use crate::report::EcuRow;
use waywarden_vehicle_file::formatting::{percent, short};

/// How many ECUs are drawn: those with the highest load. The table has all.
const ROWS_MAX: usize = 64;

/// How much room an ECU takes, in pixels: its name, and its bar.
const ROW: f64 = 32.0;

const TOP: f64 = 20.0;

pub(super) fn section(page: &mut Page, source: &Source<'_>) {
    let mut rows: Vec<(usize, &EcuRow)> = source
        .report
        .ecus
        .iter()
        .enumerate()
        .filter(|(_, row)| total(row) > 0.0)
        .collect();
    rows.sort_by(|(at, a), (other, b)| total(b).total_cmp(&total(a)).then(at.cmp(other)));
    let left_out = rows.len().saturating_sub(ROWS_MAX);
    rows.truncate(ROWS_MAX);
    if rows.is_empty() {
        return;
    }
    let explanation = "Share of one core's time, by task; several cores can reach more than 100 %.";
    page.section("processors", "Processor load by ECU", explanation);
    page.put(
        "<p class=\"legend\"><span><i class=\"key c1\"></i>receive</span> \
         <span><i class=\"key c3\"></i>send</span> \
         <span><i class=\"key c4\"></i>crypto</span></p>\n\
         <figure class=\"narrow\">\n<div class=\"axes flush\">",
    );
    let greatest = rows.iter().map(|(_, row)| total(row)).fold(0.0, f64::max);
    let axis = Linear::covering((greatest * 100.0).max(1.0));
    let bottom = TOP + ROW * rows.len() as f64;
    page.begin_plot(&Plot {
        title: "Processor load by ECU, stacked by task",
        description: &describe(&rows),
        height: bottom as usize + 4,
    });
    for &tick in &axis.ticks {
        page.line("grid", (axis.at(tick), TOP - 4.0), (axis.at(tick), bottom));
        let class = match axis.at(tick) {
            0.0 => "tick",
            x if x > 0.97 => "tick end",
            _ => "tick middle",
        };
        let label = format!("{} %", short(tick));
        page.label(class, (axis.at(tick), 0), TOP - 8.0, &label);
    }
    for (row, &(ecu, figures)) in rows.iter().enumerate() {
        bars(page, source, (ecu, figures), &axis, TOP + ROW * row as f64);
    }
    page.end_plot();
    page.put("</div>\n</figure>\n");
    if left_out > 0 {
        page.put(format_args!(
            "<p class=\"note\">{left_out} ECUs of less load are left out.</p>\n"
        ));
    }
    page.end_section();
}

fn bars(page: &mut Page, source: &Source<'_>, (ecu, row): (usize, &EcuRow), axis: &Linear, y: f64) {
    page.label("name", (0.0, 0), y + 13.0, &row.ecu);
    let bounds = &source.file.require.cpu_load;
    let bound = bounds
        .iter()
        .find(|(which, _)| which.0 == ecu)
        .map(|(_, bound)| bound.value);
    let text = match bound {
        Some(bound) => format!("{} of {}", percent(total(row)), percent(bound)),
        None => percent(total(row)),
    };
    let missed = bound.is_some_and(|bound| total(row) > bound);
    page.label(
        if missed { "value bad" } else { "value" },
        (1.0, 0),
        y + 13.0,
        &text,
    );
    let mut from = 0.0;
    let tasks = [
        ("c1", "receive", row.receive_load),
        ("c3", "send", row.send_load),
        ("c4", "crypto", row.crypto_load),
    ];
    for (class, task, load) in tasks.into_iter().filter(|(_, _, load)| *load > 0.0) {
        let to = from + axis.at(load * 100.0);
        page.bar(
            class,
            (from, to),
            (y + 18.0, 9.0),
            &format!("{}: {task} {}", row.ecu, percent(load)),
        );
        from = to;
    }
    if let Some(x) = bound
        .map(|bound| axis.at(bound * 100.0))
        .filter(|x| *x <= 1.0)
    {
        page.line("limit", (x, y + 15.0), (x, y + 30.0));
    }
}

fn total(row: &EcuRow) -> f64 {
    row.receive_load + row.send_load + row.crypto_load
}

fn describe(rows: &[(usize, &EcuRow)]) -> String {
    let first = rows
        .iter()
        .take(3)
        .map(|(_, row)| format!("{} {}", row.ecu, percent(total(row))));
    format!(
        "The highest loads: {}.",
        first.collect::<Vec<_>>().join(", ")
    )
}
