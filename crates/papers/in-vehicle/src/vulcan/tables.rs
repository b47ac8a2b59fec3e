//! The two tables as cells: what the text states of them, and what is remembered.

use super::data::{Entry, Published, Row, RowOf};
use super::pair::Pair;
use super::quantity::{Code, VulcanMeasured, VulcanMetric, VulcanProtocol, VulcanRun};
use super::study::VulcanStudy;
use super::why::{FROM_MEMORY, unlike};
use waywarden_paper_tables::measured::difference;
use waywarden_paper_tables::{Cell, CellVerdict, PaperError, Printed, Unit};

impl RowOf {
    /// Returns the run of a row; of software that of the unit, of protected modules none.
    pub(super) const fn run(self) -> Option<VulcanRun> {
        match self {
            RowOf::Plain => Some(VulcanRun::PLAIN),
            RowOf::PlainExtended => Some(VulcanRun::new(VulcanProtocol::PlainExtended, Code::None)),
            RowOf::Software | RowOf::Vatican => Some(Published::Vatican.run()),
            RowOf::Leia => Some(Published::Leia.run()),
            RowOf::VaticanProtected | RowOf::LeiaProtected => None,
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

    /// Returns what a row takes; nothing here has protected modules' domain switches.
    pub(super) fn row(
        &self,
        what: VulcanMetric,
        of: RowOf,
        measured: &VulcanMeasured<'_>,
    ) -> Result<Option<Pair>, PaperError> {
        Ok(match (of, of.run()) {
            (RowOf::Software, _) => Some(self.extrapolated(what, measured)?),
            (_, Some(run)) => Some(self.pair(run.count(what), measured)?),
            (_, None) => None,
        })
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
            value = value.map(|own| own.overhead(plain));
        }
        let value = value.map(|pair| self.in_unit(pair, unit));
        let numbers = value.map_or(Vec::new(), Pair::numbers);
        let fits = numbers.iter().all(|value| printed.is_exactly(*value));
        let mut why = Vec::new();
        if !entry.seen {
            why.push(match row.uncertain {
                true => format!("{FROM_MEMORY}, and even that is uncertain"),
                false => FROM_MEMORY.to_owned(),
            });
        }
        if let Some(Pair { formula, measured }) = value {
            why.extend(match entry.seen {
                true => unlike(formula, printed, unit),
                false => remembered(formula, printed, unit),
            });
            let missed = measured.filter(|value| entry.seen && !printed.is_exactly(*value));
            let missed = missed
                .into_iter()
                .flat_map(|value| unlike(value, printed, unit));
            why.extend(missed.map(|words| format!("measured {words}")));
        }
        why.extend(self.why_entry(row, entry, fits)?);
        if let Some(run) = row.of.run()
            && (unit == Unit::Milliseconds || entry.seen)
            && row.of != RowOf::Software
        {
            let items = self.itemise(run.count(row.what), Unit::Milliseconds, measured)?;
            why.extend(items.iter().map(|words| format!("of its time, {words}")));
        }
        let class = self.row_class(row)?;
        let class = class.simulated(value.is_some_and(|pair| pair.measured.is_some()));
        Ok(Cell {
            paper: Some(printed.value()),
            formula: value.map(|pair| pair.formula),
            measured: value.and_then(|pair| pair.measured),
            verdict: match (entry.seen, value) {
                (false, _) => CellVerdict::FromMemory,
                (true, Some(_)) => CellVerdict::by_digits(class, &numbers, printed),
                (true, None) => CellVerdict::NotStated,
            },
            class: value.map(|_| class),
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
