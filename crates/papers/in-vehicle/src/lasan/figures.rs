//! The tables drawn: bytes and bus time by suite, what is sent once and what to each ECU.

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, Profile};
use waywarden_report_page::{Bars, Group};

use super::quantity::{Metric, Part, Party, Suite};
use super::study::{BOARDS, Study};
use super::tables::run_of;
use waywarden_paper_tables::{PaperError, Plot, Unit};

/// The forms that are drawn, by the names of their bars.
const FORMS: [(&str, (Profile, Credentials)); 3] = [
    (
        "as-published",
        (Profile::AsPublished, Credentials::Certificates),
    ),
    ("hardened, keys", (Profile::Hardened, Credentials::Keys)),
    ("compact, keys", (Profile::Compact, Credentials::Keys)),
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

impl Study {
    /// Draws the plots.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn plots(&self) -> Result<Vec<Plot>, PaperError> {
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
                let bar = |suite: &Suite, form| {
                    let of = run_of(&suite.name, form, transport).count(what.clone(), part);
                    Ok(self.formula(&of)?.in_unit(unit))
                };
                plots.push(self.bars((place, title), unit, bar)?);
            }
        }
        let title = "of ECU and security module on TC297";
        let what = Metric::Computation {
            who: Party::Both,
            board: BOARDS[1].to_owned(),
        };
        let bar = |suite: &Suite, form| {
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
        bar: impl Fn(&Suite, (Profile, Credentials)) -> Result<f64, PaperError>,
    ) -> Result<Plot, PaperError> {
        let mut groups = Vec::new();
        for suite in self.running() {
            let bars = FORMS.iter().map(|(_, form)| bar(suite, *form));
            groups.push(Group {
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
        Ok(Plot {
            place,
            title,
            svg: bars.svg(),
        })
    }
}
