//! The error counters of the controllers that had errors, over the run.

use waywarden_can_sim::clock::Time;
use waywarden_report_page::{Escaped, Page, Plot, STRETCHED, Sheet};

use super::axis::Side;
use super::{PageInput, axis};
use crate::recorder::CounterLine;

/// Limit on drawn controllers: those whose counters rose highest. The table has all.
const FIGURES_MAX: usize = 12;

/// Counter value from which on a controller is drawn: the standard's heavily disturbed bus.
const WARNING: u16 = 96;

/// Number of controllers that are drawn even if none got that far.
const FIGURES_MIN: usize = 2;

const TOP: f64 = 8.0;
const HEIGHT: f64 = 110.0;

/// The top of the axis: a little above bus-off.
const HIGHEST: f64 = 280.0;

/// Counter values from which on a controller is error-passive, and bus-off [ISO 11898-1 §12.1.4].
const LIMITS: [(f64, &str); 2] = [(128.0, "error-passive"), (256.0, "bus-off")];

type Line<'a> = (&'a (usize, usize), &'a CounterLine);

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let mut lines: Vec<Line<'_>> = source.recording.counters.iter().collect();
    lines.sort_by_key(|(at, line)| (std::cmp::Reverse(highest(line)), **at));
    if lines.is_empty() {
        return;
    }
    let explanation = "Transmit (TEC) and receive (REC) error counters of the controllers that \
                       came closest to bus-off, from the first change to the last.";
    page.section("counters", "Error counters", explanation);
    page.put(
        "<p class=\"legend\"><span><i class=\"stroke tec\"></i>TEC</span> \
         <span><i class=\"stroke rec\"></i>REC</span></p>\n<div class=\"grid\">\n",
    );
    let high = lines
        .iter()
        .filter(|(_, line)| highest(line) >= WARNING)
        .count();
    let names = &source.outcome.names;
    for &(&(bus, ecu), line) in lines.iter().take(high.clamp(FIGURES_MIN, FIGURES_MAX)) {
        figure(
            page,
            source.outcome.end,
            (&names.buses[bus], &names.ecus[ecu]),
            line,
        );
    }
    page.put("</div>\n");
    let rows = lines.iter().map(|(at, line)| {
        let (tec, rec) = peaks(line);
        let last = line.steps().last().map_or((0, 0), |step| step.last);
        let numbers = [tec, rec, last.0, last.1].map(|number| number.to_string());
        let mut row = vec![names.ecus[at.1].clone(), names.buses[at.0].clone()];
        row.extend(numbers);
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let caption = format!("Controllers whose counters moved: {}", rows.len());
    let headers = [
        "ECU",
        "bus",
        "highest TEC",
        "highest REC",
        "TEC at the end",
        "REC at the end",
    ];
    page.sheet(
        &Sheet {
            caption: &caption,
            headers: &headers,
            numbers: 2..6,
            folded: true,
        },
        &rows,
    );
    page.end_section();
}

fn figure(page: &mut Page, end: Time, (bus, ecu): (&str, &str), line: &CounterLine) {
    let (tec, rec) = peaks(line);
    page.put(format_args!(
        "<figure>\n<figcaption><b>{}</b> on {}: TEC up to {tec}, REC up to {rec}</figcaption>\n\
         <div class=\"axes\">",
        Escaped(ecu),
        Escaped(bus)
    ));
    let bottom = TOP + HEIGHT;
    page.begin_plot(&Plot {
        title: &format!("Error counters of {ecu} on bus {bus}"),
        description: &format!("TEC rises to {tec}, REC to {rec}."),
        height: bottom as usize + 22,
    });
    let stretch = stretch(line, end);
    axis::time(page, stretch, (TOP, bottom), Side::Below);
    let height = |value: f64| TOP + HEIGHT * (1.0 - value / HIGHEST);
    page.label("tick end", (0.0, -6), height(0.0) + 4.0, "0");
    page.line("grid", (0.0, height(0.0)), (1.0, height(0.0)));
    for (value, name) in LIMITS {
        page.line("limit", (0.0, height(value)), (1.0, height(value)));
        page.label(
            "tick end",
            (0.0, -6),
            height(value) + 4.0,
            &value.to_string(),
        );
        page.label("tick halo", (0.0, 4), height(value) - 3.0, name);
    }
    let (tec, rec) = (
        path(line, stretch, |pair| pair.0),
        path(line, stretch, |pair| pair.1),
    );
    page.stretched((TOP, HEIGHT), &[("curve rec", &rec), ("curve tec", &tec)]);
    page.end_plot();
    page.put("</div>\n</figure>\n");
}

/// Returns the time in which the counters moved, and a little around it, in seconds.
fn stretch(line: &CounterLine, end: Time) -> (f64, f64) {
    let at = |step: Option<&crate::recorder::Step>| step.map_or(0.0, |step| step.at.as_seconds());
    let (first, last) = (at(line.steps().first()), at(line.steps().last()));
    let margin = ((last - first) * 0.06).max(0.001);
    (
        (first - margin).max(0.0),
        (last + margin).min(end.as_seconds().max(last)),
    )
}

/// Draws steps: up to the highest value of each stretch, and on from its last.
fn path(line: &CounterLine, (from, to): (f64, f64), of: fn(&(u16, u16)) -> u16) -> String {
    let y = |pair: &(u16, u16)| HEIGHT * (1.0 - f64::from(of(pair)) / HIGHEST);
    let length = (to - from).max(1e-9);
    let mut path = format!("M0 {HEIGHT:.1}");
    for step in line.steps() {
        let x = (step.at.as_seconds() - from) / length * STRETCHED;
        path.push_str(&format!("H{x:.1}V{:.1}", y(&step.highest)));
        if step.last != step.highest {
            path.push_str(&format!("V{:.1}", y(&step.last)));
        }
    }
    path.push_str(&format!("H{STRETCHED}"));
    path
}

/// Returns the highest TEC and the highest REC.
fn peaks(line: &CounterLine) -> (u16, u16) {
    let steps = line.steps().iter();
    steps.fold((0, 0), |(tec, rec), step| {
        (tec.max(step.highest.0), rec.max(step.highest.1))
    })
}

fn highest(line: &CounterLine) -> u16 {
    let (tec, rec) = peaks(line);
    tec.max(rec)
}
