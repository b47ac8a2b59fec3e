//! The load of each ECU's processor: frames and cryptography, with the busiest 100 ms.

use super::PageInput;
use waywarden_report_page::{BarPart, BarRow, BarRows, Page};
use waywarden_vehicle_file::formatting::{percent, short};
use waywarden_work::OperationKind;

/// Limit on drawn ECUs: those with the highest load. The table has all.
const ROWS_MAX: usize = 64;

/// Uses of a processor's time.
const KINDS: [(&str, &str); 3] = [
    ("c1", "receiving frames"),
    ("c3", "sending frames"),
    ("c4", "cryptography"),
];

/// An ECU's loads, by use of the time, as shares of its cores' time.
struct Load<'a> {
    ecu: usize,
    name: &'a str,
    kinds: [f64; 3],
    /// The load of the busiest 100 ms.
    peak: f64,
}

impl Load<'_> {
    fn total(&self) -> f64 {
        self.kinds.iter().sum()
    }
}

pub(super) fn section(page: &mut Page, source: &PageInput<'_>) {
    let mut loads = loads(source);
    if loads.is_empty() {
        return;
    }
    let left_out = loads.len().saturating_sub(ROWS_MAX);
    loads.truncate(ROWS_MAX);
    let explanation = "Share of the time of all its cores over the run, and in the busiest 100 ms. \
                       Cryptography is everything that is \
                       computed for keys and authentication, calls of a hardware security module \
                       among it; what such a module computes itself is not a load of the \
                       processor. A dashed line is a required limit.";
    page.section("processors", "Processor load by ECU", explanation);
    source.note_ideal(page);
    page.put("<p class=\"legend\">");
    for (class, name) in KINDS {
        page.put(format_args!(
            "<span><i class=\"key {class}\"></i>{name}</span> "
        ));
    }
    page.put("</p>\n<figure>\n");
    let plot = BarRows {
        title: "Processor load by ECU: frames and cryptography",
        description: &describe(&loads),
        rows: loads.iter().map(|load| row(source, load)).collect(),
    };
    page.rows(&plot, |value| format!("{} %", short(value)));
    page.put("</figure>\n");
    if left_out > 0 {
        page.note(&format!("{left_out} ECUs of less load are left out."));
    }
    page.end_section();
}

/// Returns the loads of all ECUs that had any, the highest first.
fn loads<'a>(source: &PageInput<'a>) -> Vec<Load<'a>> {
    let measure = &source.outcome.measure;
    let loads = source.report.ecus.iter().enumerate().map(|(ecu, row)| {
        let mut busy = [0; 3];
        let work = measure.work[ecu].iter();
        let on_core = work.filter(|((on_module, ..), _)| !on_module);
        for ((_, kind, ..), (_, picos)) in on_core {
            let place = match kind {
                OperationKind::FrameReceive => 0,
                OperationKind::FrameSend => 1,
                _ => 2,
            };
            busy[place] += picos;
        }
        Load {
            ecu,
            name: &row.ecu,
            kinds: busy.map(|busy| source.outcome.measure.ecus[ecu].load(busy, source.outcome.end)),
            peak: row.peak_load,
        }
    });
    let mut loads: Vec<Load<'a>> = loads.filter(|load| load.total() > 0.0).collect();
    // The sort keeps the order of equal ones.
    loads.sort_by(|a, b| b.total().total_cmp(&a.total()));
    loads
}

fn row(source: &PageInput<'_>, load: &Load<'_>) -> BarRow {
    let mut bounds = source.file.require.cpu_load.iter();
    let bound = bounds.find(|(ecu, _)| ecu.0 == load.ecu);
    let bound = bound.map(|(_, bound)| bound.value);
    let asked = bound.map_or(String::new(), |bound| format!(" of {}", percent(bound)));
    let parts = KINDS.iter().zip(load.kinds).map(|((class, kind), share)| {
        let tip = format!("{}: {kind} {}", load.name, percent(share));
        BarPart {
            class,
            length: share * 100.0,
            tip,
        }
    });
    BarRow {
        name: load.name.to_owned(),
        figure: format!("{}{asked}", percent(load.total())),
        detail: format!(
            "cryptography {}, busiest 100 ms {}",
            percent(load.kinds[2]),
            percent(load.peak)
        ),
        is_bad: bound.is_some_and(|bound| load.total() > bound),
        parts: parts.collect(),
        bounds: bound
            .map(|bound| (bound * 100.0, format!("limit {}", percent(bound))))
            .into_iter()
            .collect(),
    }
}

fn describe(loads: &[Load<'_>]) -> String {
    let first = loads.iter().take(3).map(|load| {
        let (total, peak) = (percent(load.total()), percent(load.peak));
        format!("{} {total}, peak {peak}", load.name)
    });
    format!(
        "The highest loads: {}.",
        first.collect::<Vec<_>>().join("; ")
    )
}
