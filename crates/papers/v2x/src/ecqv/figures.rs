//! Figure 1 drawn with the time of each step, and section II's hardware beside boards and host.

use waywarden_report_page::{BarGroup, Bars, put, text};
use waywarden_work::OperationKind;

use super::cells::PERIOD;
use super::machine::{Machine, whole_in};
use super::ours::STEPS;
use super::quantity::{EcqvMeasured, name};
use super::study::EcqvStudy;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{FigurePlot, PaperError, Unit};

const FLOW: &str = "Who computes what for a certificate and a message, and how long it takes (ms)";
const SIGNATURES: &str = "Signatures verified in 100 ms";

/// The actors and where their lines stand, in user units.
const ACTORS: [(&str, f64); 3] = [("requester", 50.0), ("CA", 150.0), ("receiver", 250.0)];
/// Data that each step passes to the next.
const SENT: [&str; 5] = [
    "CSR",
    "CRT, r",
    "key pair",
    "m, signature, CRT",
    "public key",
];
/// Heights: of the first step, of a step, of a box.
const FIRST: f64 = 58.0;
const STEP: f64 = 48.0;
const BOX: f64 = 22.0;
/// Columns of times: where the first one ends, and how wide they are. The drawing has room for
/// eight: six boards, another one and the machine at hand.
const COLUMN: f64 = 346.0;
const WIDE: f64 = 47.0;

impl EcqvStudy {
    /// Draws the plots.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn plots(&self, measured: &EcqvMeasured<'_>) -> Result<Vec<FigurePlot>, PaperError> {
        let host = Machine::of_host(measured);
        let boards = self.boards.iter().chain(&self.other);
        let machines: Vec<&Machine> = boards.chain(&host).collect();
        Ok(vec![
            FigurePlot {
                place: "Figure 1",
                title: FLOW,
                svg: flow(&machines)?,
            },
            FigurePlot {
                place: "§II",
                title: SIGNATURES,
                svg: self.signatures(&machines)?,
            },
        ])
    }

    /// Hardware as stated, then machines one by one.
    fn signatures(&self, machines: &[&Machine]) -> Result<String, PaperError> {
        let group = |words: &str, count: f64| BarGroup {
            names: words.split(' ').map(str::to_owned).collect(),
            bars: vec![count],
        };
        let mut groups = Vec::new();
        for hardware in &self.data.hardware {
            // The reference alone: names are wider than bars.
            let reference = hardware.name.split(',').next().unwrap_or_default();
            groups.push(group(reference, hardware.signatures.value()));
        }
        for machine in machines {
            let time = machine.time(OperationKind::Verify)?;
            groups.push(group(&machine.name, whole_in(PERIOD, time.nanos) as f64));
            groups.extend(machine.waiting_signature.map(|time| {
                let name = format!("{} waiting", machine.name);
                group(&name, whole_in(PERIOD, time.nanos) as f64)
            }));
        }
        let bars = Bars {
            title: SIGNATURES,
            unit: Unit::Signatures.name(),
            legend: vec!["as stated, or by the time of Verify".to_owned()],
            groups,
        };
        Ok(bars.svg())
    }
}

/// The flow as lines of actors with boxes for steps, and a column of times a machine.
fn flow(machines: &[&Machine]) -> Result<String, PaperError> {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 396\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"10.5\" fill=\"currentColor\">\n\
         <title>{FLOW}</title>\n"
    );
    let last = FIRST + STEP * (STEPS.len() - 1) as f64;
    for (actor, x) in ACTORS {
        text(&mut svg, (x, 24.0), "middle", actor);
        line(&mut svg, (x, 32.0), (x, last + BOX));
    }
    for (at, (who, kind)) in STEPS.iter().enumerate() {
        let here = (across(who), FIRST + STEP * at as f64);
        if let Some(((next, _), sent)) = STEPS.get(at + 1).zip(SENT.get(at)) {
            let there = (across(next), here.1 + STEP);
            arrow(&mut svg, here, there, sent);
        }
        step(&mut svg, here, name(*kind));
        for (column, machine) in machines.iter().enumerate() {
            let ms = machine.time(*kind)?.millis();
            let x = COLUMN + WIDE * column as f64;
            text(&mut svg, (x, here.1 + 4.0), "end", &short(ms));
        }
    }
    let kinds = STEPS.map(|(_, kind)| kind);
    text(
        &mut svg,
        (8.0, last + 46.0),
        "start",
        "all steps, one after the other",
    );
    for (column, machine) in machines.iter().enumerate() {
        let x = COLUMN + WIDE * column as f64;
        text(&mut svg, (x, 24.0), "end", &machine.name);
        let ms = machine.sum(&kinds)?.millis();
        text(&mut svg, (x, last + 46.0), "end", &short(ms));
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn across(actor: &str) -> f64 {
    let mut all = ACTORS.iter();
    all.find(|(name, _)| *name == actor)
        .map_or(0.0, |(_, x)| *x)
}

fn step(svg: &mut String, (x, y): (f64, f64), words: &str) {
    put(
        svg,
        format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"84\" height=\"{BOX}\" rx=\"3\" \
             fill=\"#3d7fc4\" fill-opacity=\"0.3\" stroke=\"#3d7fc4\" />\n",
            x - 42.0,
            y - BOX / 2.0,
        ),
    );
    text(svg, (x, y + 4.0), "middle", words);
}

/// From a step to the next one, with a dot where it arrives.
fn arrow(svg: &mut String, from: (f64, f64), to: (f64, f64), words: &str) {
    let (start, end) = ((from.0, from.1 + BOX / 2.0), (to.0, to.1 - BOX / 2.0));
    line(svg, start, end);
    put(
        svg,
        format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" />\n",
            end.0, end.1
        ),
    );
    let middle = ((start.0 + end.0) / 2.0 + 4.0, (start.1 + end.1) / 2.0);
    text(svg, middle, "start", words);
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    put(
        svg,
        format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" \
             stroke=\"currentColor\" stroke-opacity=\"0.5\" />\n",
            from.0, from.1, to.0, to.1
        ),
    );
}
