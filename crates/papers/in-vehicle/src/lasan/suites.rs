//! The same tables for every suite here: bytes, frames, bus times and computing times, in each
//! profile and with each kind of credentials; and the start-up of twenty ECUs.

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile};

use super::quantity::{ComputingParty, LasanMeasured, LasanRun, Metric, PaperSuite, Part};
use super::study::{BOARDS, LasanStudy};
use super::tables;
use super::tables::{ratio, run_of};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, Class, PaperError, Unit};

pub(super) const BYTES: &str = "Every suite, bytes of one authentication";
pub(super) const FRAMES: &str = "Every suite, frames, and bus time at 500 kbit/s and 500k/2M";
pub(super) const COMPUTING: &str = "Every suite, computing time by board";
const TWENTY: &str = "Start-up of 20 ECUs";

/// ECUs of a small car's network.
const ECUS: u8 = 20;

/// Greatest ratio of a post-quantum start-up on CAN FD to the classical one on CAN.
const GOAL: f64 = 1.5;

/// Parameters of the messages beside the suite.
pub(super) const FORMS: [(LasanProfile, Credentials); 7] = [
    (LasanProfile::AsPublished, Credentials::Certificates),
    (LasanProfile::Hardened, Credentials::Certificates),
    (LasanProfile::Hardened, Credentials::Digests),
    (LasanProfile::Hardened, Credentials::Keys),
    (LasanProfile::Compact, Credentials::Certificates),
    (LasanProfile::Compact, Credentials::Digests),
    (LasanProfile::Compact, Credentials::Keys),
];

/// Returns true if the cells of a place are printed as a table.
pub fn is_tabular(place: &str) -> bool {
    [BYTES, FRAMES, COMPUTING].contains(&place) || tables::is_tabular(place)
}

/// A column of a table: its name, its unit, what it counts.
type Column = (String, Unit, Transport, Metric, Part);

/// A row of a table: what its messages depend on.
type Row<'a> = (&'a PaperSuite, (LasanProfile, Credentials));

/// Names a row.
fn row((profile, credentials): (LasanProfile, Credentials), suite: &PaperSuite) -> String {
    let (profile, credentials) = (profile.name(), credentials.name());
    format!("{}, {profile}, {credentials}", suite.name)
}

fn byte_columns() -> Vec<Column> {
    let parts = [
        ("amortised", Part::Once),
        ("each ECU", Part::Each),
        ("all", Part::All),
    ];
    let column = |(name, part): (&str, Part)| {
        let name = name.to_owned();
        (name, Unit::Bytes, Transport::Fd, Metric::Bytes, part)
    };
    parts.map(column).into()
}

fn frame_columns() -> Vec<Column> {
    let mut columns = Vec::new();
    for (bus, transport) in [("CAN", Transport::Classic), ("CAN FD", Transport::Fd)] {
        for (name, part) in [("amortised", Part::Once), ("each ECU", Part::Each)] {
            let name = format!("{bus} {name}");
            columns.push((name.clone(), Unit::Frames, transport, Metric::Frames, part));
            columns.push((name, Unit::Milliseconds, transport, Metric::Bus, part));
        }
    }
    columns
}

fn computing_columns() -> Vec<Column> {
    let parts = [
        ("amortised", ComputingParty::Module, Part::Once),
        ("module", ComputingParty::Module, Part::Each),
        ("ECU", ComputingParty::Ecu, Part::Each),
    ];
    let mut columns = Vec::new();
    for board in BOARDS {
        for (name, who, part) in parts {
            let what = Metric::Computation {
                who,
                board: board.to_owned(),
            };
            let name = format!("{board} {name}");
            columns.push((name, Unit::Milliseconds, Transport::Fd, what, part));
        }
    }
    columns
}

impl LasanStudy {
    /// The three tables.
    pub(super) fn every_suite(
        &self,
        cells: &mut Vec<Cell>,
        measured: &LasanMeasured<'_>,
    ) -> Result<(), PaperError> {
        let places = [
            (BYTES, byte_columns()),
            (FRAMES, frame_columns()),
            (COMPUTING, computing_columns()),
        ];
        for (place, columns) in places {
            for (suite, form) in self.rows()? {
                let row = row(form, suite);
                if place == BYTES
                    && let Some(category) = suite.category
                {
                    cells.push(category_cell(format!("{row}: NIST"), category));
                }
                for (column, unit, transport, what, part) in &columns {
                    let run = run_of(&suite.name, form, *transport);
                    let name = format!("{row}: {column}");
                    let of = run.count(what.clone(), *part);
                    cells.push(self.ours((place, name), *unit, &of, measured)?);
                }
            }
        }
        Ok(())
    }

    /// Returns the rows: the suites that the paper measured, then every suite here in every form.
    fn rows(&self) -> Result<Vec<Row<'_>>, PaperError> {
        let mut rows = Vec::new();
        for code in &self.data.code {
            let suite = self.suite(&code.suite)?;
            if suite.category.is_none() {
                rows.push((suite, FORMS[0]));
            }
        }
        for suite in self.running() {
            rows.extend(FORMS.map(|form| (suite, form)));
        }
        Ok(rows)
    }

    /// Post-quantum start-ups on CAN FD beside the published classical one on CAN.
    pub(super) fn twenty(
        &self,
        cells: &mut Vec<Cell>,
        measured: &LasanMeasured<'_>,
    ) -> Result<(), PaperError> {
        let of = |suite: &str, form, transport| LasanRun {
            ecus: ECUS,
            ..run_of(suite, form, transport)
        };
        let bus = |run: &LasanRun, name: &str| {
            let count = run.count(Metric::Bus, Part::All);
            let name = format!("{name}, bus time");
            self.ours((TWENTY, name), Unit::Milliseconds, &count, measured)
        };
        let pre = self.data.code[0].suite.as_str();
        let base = of(pre, FORMS[0], Transport::Classic);
        let base = bus(&base, &format!("{pre}, as-published, CAN"))?;
        cells.push(base.clone());
        for suite in self.running().filter(|suite| suite.category > Some(0)) {
            for credentials in [Credentials::Certificates, Credentials::Keys] {
                let form = (LasanProfile::Compact, credentials);
                let name = format!("{}, CAN FD", row(form, suite));
                let own = bus(&of(&suite.name, form, Transport::Fd), &name)?;
                let mut over = ratio(TWENTY, format!("{name}, over that"), &own, &base);
                let reached = over.measured.or(over.formula).unwrap_or(f64::NAN);
                let word = if reached <= GOAL { "within" } else { "beyond" };
                over.why += &format!("; {word} {} times", short(GOAL));
                cells.extend([own, over]);
            }
        }
        Ok(())
    }
}

/// The NIST category of a suite.
fn category_cell(cell: String, category: u8) -> Cell {
    Cell {
        formula: Some(f64::from(category)),
        class: Some(Class::Derived),
        why: match category {
            0 => "falls to a quantum computer".to_owned(),
            _ => String::new(),
        },
        ..Cell::new(BYTES, cell, Unit::Category)
    }
}
