//! The two tables as cells: what the text states of them, and what is remembered.

use super::data::{Entry, Published, Row, RowOf};
use super::pair::Pair;
use super::quantity::{Code, VulcanMeasured, VulcanMetric, VulcanProtocol, VulcanRun};
use super::study::VulcanStudy;
use super::why::{FROM_MEMORY, unlike};
use waywarden_paper_tables::measured::difference;
use waywarden_paper_tables::{Cell, CellVerdict, PaperError, Printed, Unit};

impl RowOf {
    /// Returns the run of a row; of software that of the unit.
    pub(super) const fn run(self) -> VulcanRun {
        match self {
            RowOf::Plain => VulcanRun::PLAIN,
            RowOf::PlainExtended => VulcanRun::new(VulcanProtocol::PlainExtended, Code::None),
            RowOf::Software | RowOf::Vatican => Published::Vatican.run(),
            RowOf::Leia => Published::Leia.run(),
            RowOf::VaticanProtected => Published::Vatican.run().in_modules(),
            RowOf::LeiaProtected => Published::Leia.run().in_modules(),
        }
    }
}

impl VulcanStudy {
    /// Returns every cell: the text's, the tables', then ours.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn cells(&self, measured: &VulcanMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        let mut cells = Vec::new();
        self.claims(&mut cells, measured)?;
        for row in &self.data.row {
            for entry in row.entries() {
                cells.push(self.entry(row, &entry, measured)?);
            }
        }
        self.protected(&mut cells, measured)?;
        self.every_protocol(&mut cells, measured)?;
        Ok(cells)
    }

    /// Returns what a row takes.
    pub(super) fn row(
        &self,
        what: VulcanMetric,
        of: RowOf,
        measured: &VulcanMeasured<'_>,
    ) -> Result<Pair, PaperError> {
        match of {
            RowOf::Software => self.extrapolated(what, measured),
            _ => self.pair(of.run().count(what), measured),
        }
    }

    fn entry(
        &self,
        row: &Row,
        entry: &Entry<'_>,
        measured: &VulcanMeasured<'_>,
    ) -> Result<Cell, PaperError> {
        let (unit, printed) = (entry.unit, entry.printed);
        let mut value = self.row(row.what, row.of, measured)?;
        if unit == Unit::Percent {
            let plain = self.pair(VulcanRun::PLAIN.count(row.what), measured)?;
            value = value.overhead(plain);
        }
        let value = self.in_unit(value, unit);
        let numbers = value.numbers();
        let fits = numbers.iter().all(|value| printed.is_exactly(*value));
        let mut why = Vec::new();
        if !entry.seen {
            why.push(match row.uncertain {
                true => format!("{FROM_MEMORY}, and even that is uncertain"),
                false => FROM_MEMORY.to_owned(),
            });
        }
        why.extend(match entry.seen {
            true => unlike(value.formula, printed, unit),
            false => remembered(value.formula, printed, unit),
        });
        let missed = value.measured.filter(|_| entry.seen);
        let missed = missed
            .into_iter()
            .flat_map(|value| unlike(value, printed, unit));
        why.extend(missed.map(|words| format!("measured {words}")));
        why.extend(self.why_entry(row, entry, fits)?);
        if (unit == Unit::Milliseconds || entry.seen) && row.of != RowOf::Software {
            let of = row.of.run().count(row.what);
            let items = self.itemise(of, Unit::Milliseconds, measured)?;
            why.extend(items.iter().map(|words| format!("of its time, {words}")));
        }
        let class = self.row_class(row)?;
        let class = class.simulated(value.measured.is_some());
        Ok(Cell {
            paper: Some(printed.value()),
            formula: Some(value.formula),
            measured: value.measured,
            verdict: match entry.seen {
                false => CellVerdict::FromMemory,
                true => CellVerdict::by_digits(class, &numbers, printed),
            },
            class: Some(class),
            why: why.join("; "),
            ..Cell::new(&row.table, row.name.clone(), unit)
        })
    }
}

/// Words how far a value is from what is remembered; nothing where it is that.
fn remembered(value: f64, printed: &Printed, unit: Unit) -> Vec<String> {
    let is_that = printed.is_exactly(value);
    let has = format!("{} from memory", printed.text());
    let words = || difference(value, printed.value(), &has, unit);
    (!is_that).then(words).into_iter().collect()
}
