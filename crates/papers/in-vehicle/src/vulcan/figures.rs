//! The tables drawn: what a message and a round trip take under each protocol, and what of it is
//! the bus and what the processors.

use waywarden_report_page::{BarGroup, Bars};

use super::ours::RUNS;
use super::quantity::{
    Buffers, Code, VulcanMeasured, VulcanMetric, VulcanProtocol, VulcanQuantity, VulcanRun,
};
use super::study::VulcanStudy;
use waywarden_paper_tables::{FigurePlot, PaperError, Unit};

impl VulcanStudy {
    /// Draws the plots: by formula, and measured where something was.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn plots(&self, measured: &VulcanMeasured<'_>) -> Result<Vec<FigurePlot>, PaperError> {
        let mut plots = Vec::new();
        for (place, title, what) in [
            ("Table 1", "Sending a message", VulcanMetric::Send),
            ("Table 2", "A round trip", VulcanMetric::RoundTrip),
        ] {
            let mut groups = Vec::new();
            let mut is_measured = true;
            for run in drawn() {
                let pair = self.pair(run.count(what), measured)?;
                is_measured &= pair.measured.is_some();
                let bars = [Some(pair.formula), pair.measured];
                groups.push(BarGroup {
                    names: lines(run),
                    bars: bars
                        .into_iter()
                        .flatten()
                        .map(|nanos| nanos / 1e6)
                        .collect(),
                });
            }
            let legend = ["by formula", "measured"];
            let legend = legend.iter().take(1 + usize::from(is_measured));
            plots.push(bars(
                place,
                title,
                &legend.copied().collect::<Vec<_>>(),
                groups,
            ));
        }
        let mut groups = Vec::new();
        for run in drawn() {
            let number = |what| {
                let of: VulcanQuantity = run.count(what);
                let pair = self.pair(of, measured)?;
                Ok::<_, PaperError>(pair.measured.unwrap_or(pair.formula) / 1e6)
            };
            groups.push(BarGroup {
                names: lines(run),
                bars: vec![
                    number(VulcanMetric::Bus)?,
                    number(VulcanMetric::Processors)?,
                ],
            });
        }
        let title = "What a round trip consists of";
        let legend = ["frames on the bus", "both processors"];
        plots.push(bars("Bus and processors", title, &legend, groups));
        Ok(plots)
    }
}

fn bars(
    place: &'static str,
    title: &'static str,
    legend: &[&str],
    groups: Vec<BarGroup>,
) -> FigurePlot {
    let bars = Bars {
        title,
        unit: Unit::Milliseconds.name(),
        legend: legend.iter().map(|name| (*name).to_owned()).collect(),
        groups,
    };
    FigurePlot {
        place,
        title,
        svg: bars.svg(),
    }
}

/// The runs of the figures: a module's call would hardly show, and leave the names less room.
fn drawn() -> impl Iterator<Item = VulcanRun> {
    RUNS.into_iter().filter(|run| !run.has_modules)
}

/// Returns the name of a run in short lines, each as narrow as a pair of bars.
fn lines(run: VulcanRun) -> Vec<String> {
    let (protocol, more) = match run.protocol {
        VulcanProtocol::Plain => ("legacy", "11-bit"),
        VulcanProtocol::PlainExtended => ("legacy", "29-bit"),
        VulcanProtocol::Vatican => ("vatiCAN", ""),
        VulcanProtocol::Leia => ("LeiA", ""),
        VulcanProtocol::PairedVatican => ("vatiCAN", "ours"),
        VulcanProtocol::PairedLeia => ("LeiA", "ours"),
        VulcanProtocol::SecOc => ("SecOC", ""),
    };
    let code = match run.code {
        Code::None => "",
        Code::Unit => "unit",
        Code::Software => "software",
        Code::Cmac => "CMAC",
    };
    let buffers = match run.buffers {
        Buffers::One => "",
        Buffers::Several => "buffers",
    };
    let lines = [protocol, more, code, buffers].into_iter();
    lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}
