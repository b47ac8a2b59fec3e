//! The tables drawn: bytes and bus time by suite, what is sent once and what to each ECU.

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile};
use waywarden_report_page::{BarGroup, Bars};

use super::quantity::{ComputingParty, Metric, PaperSuite, Part};
use super::study::{BOARDS, LasanStudy};
use super::tables::run_of;
use waywarden_paper_tables::{FigurePlot, PaperError, Unit};

/// The forms that are drawn, by the names of their bars.
const FORMS: [(&str, (LasanProfile, Credentials)); 3] = [
    (
        "as-published",
        (LasanProfile::AsPublished, Credentials::Certificates),
    ),
    (
        "hardened, keys",
        (LasanProfile::Hardened, Credentials::Keys),
    ),
    ("compact, keys", (LasanProfile::Compact, Credentials::Keys)),
];

/// Returns the schemes of a suite, one a line.
fn lines(suite: &str) -> Vec<String> {
    let (agreement, signature) = suite.split_once('+').unwrap_or((suite, ""));
    let agreements = match agreement.strip_prefix("x25519-") {
        Some(other) => ["x25519", other],
        None => [agreement, ""],
    };
    let lines = agreements.into_iter().chain([signature]);
    lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

impl LasanStudy {
    /// Draws the plots.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn plots(&self) -> Result<Vec<FigurePlot>, PaperError> {
        let mut plots = Vec::new();
        let kinds = [
            ("Bytes", Metric::Bytes, Unit::Bytes, Transport::Fd),
            (
                "Bus time on CAN",
                Metric::Bus,
                Unit::Milliseconds,
                Transport::Classic,
            ),
            (
                "Bus time on CAN FD",
                Metric::Bus,
                Unit::Milliseconds,
                Transport::Fd,
            ),
        ];
        let parts = [
            (Part::Once, "sent once for all ECUs"),
            (Part::Each, "of each ECU"),
        ];
        for (place, what, unit, transport) in kinds {
            for (part, title) in parts {
                let bar = |suite: &PaperSuite, form| {
                    let of = run_of(&suite.name, form, transport).count(what.clone(), part);
                    Ok(self.formula(&of)?.in_unit(unit))
                };
                plots.push(self.bars((place, title), unit, bar)?);
            }
        }
        let title = "of ECU and security module on TC297";
        let what = Metric::Computation {
            who: ComputingParty::Both,
            board: BOARDS[1].to_owned(),
        };
        let bar = |suite: &PaperSuite, form| {
            let of = run_of(&suite.name, form, Transport::Fd).count(what.clone(), Part::Each);
            Ok(self.formula(&of)?.in_unit(Unit::Milliseconds))
        };
        plots.push(self.bars(("Computing time", title), Unit::Milliseconds, bar)?);
        Ok(plots)
    }

    /// One group of bars a suite, one bar a form.
    fn bars(
        &self,
        (place, title): (&'static str, &'static str),
        unit: Unit,
        bar: impl Fn(&PaperSuite, (LasanProfile, Credentials)) -> Result<f64, PaperError>,
    ) -> Result<FigurePlot, PaperError> {
        let mut groups = Vec::new();
        for suite in self.running() {
            let bars = FORMS.iter().map(|(_, form)| bar(suite, *form));
            groups.push(BarGroup {
                names: lines(&suite.name),
                bars: bars.collect::<Result<_, _>>()?,
            });
        }
        let bars = Bars {
            title,
            unit: unit.name(),
            legend: FORMS.iter().map(|(name, _)| (*name).to_owned()).collect(),
            groups,
        };
        Ok(FigurePlot {
            place,
            title,
            svg: bars.svg(),
        })
    }
}
