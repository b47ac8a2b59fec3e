//! Computed reasons for differences between the paper's numbers and ours, and relations among the
//! paper's own numbers. No function knows a number by its name.

use waywarden_work::OperationKind;

use super::data::{Claim, ClaimOf, Entry, Published, Row, RowOf};
use super::pair::Pair;
use super::quantity::{VulcanMetric, VulcanRun};
use super::study::{VulcanStudy, value};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::measured::difference;
use waywarden_paper_tables::{PaperError, Printed, Unit};

/// Remark on each number that this project has not seen in print.
pub(super) const FROM_MEMORY: &str = "from memory, not seen";

/// Returns the words for a difference.
pub(super) fn unlike(value: f64, printed: &Printed, unit: Unit) -> Vec<String> {
    match printed.is_exactly(value) {
        true => Vec::new(),
        false => vec![difference(value, printed.value(), printed.text(), unit)],
    }
}

/// Words whether a value is what was printed.
fn said(printed: &Printed, value: f64) -> &'static str {
    match printed.is_exactly(value) {
        true => "as printed",
        false => "not as printed",
    }
}

/// Words a share in per cent.
pub(super) fn percent(share: f64) -> String {
    format!("{} %", short(share * 100.0))
}

impl VulcanStudy {
    fn clock(&self) -> f64 {
        self.board.characteristics().clock_hz as f64
    }

    /// Returns the cycles of the bench's board in so many nanoseconds.
    fn cycles_in(&self, nanos: f64) -> f64 {
        nanos * self.clock() / 1e9
    }

    /// Returns the milliseconds of cycles of the bench's board.
    fn milliseconds(&self, cycles: f64) -> f64 {
        cycles / self.clock() * 1e3
    }

    /// Explains a claim.
    pub(super) fn why_claim(&self, claim: &Claim, value: Pair) -> Result<Vec<String>, PaperError> {
        Ok(match claim.of {
            ClaimOf::SoftwareCode => self.why_software(claim)?,
            ClaimOf::SoftwareWay => vec![self.why_way(&claim.printed)?],
            ClaimOf::SoftwareOfSend => vec![self.why_clock(&claim.printed)?],
            ClaimOf::Code(of) => vec![self.why_code(of)?],
            ClaimOf::Sending => {
                let close = |percent: f64| claim.sense.holds(&claim.printed, 1.0 + percent / 100.0);
                self.why_driver(VulcanMetric::Send, RowOf::Vatican, close, None)?
            }
            ClaimOf::Gain => self.why_gain(&claim.printed, value)?,
            ClaimOf::SoftwareTrip => vec![self.why_extrapolated(VulcanMetric::RoundTrip)?],
            ClaimOf::Protected(what) => self.why_protected(what)?,
            _ => Vec::new(),
        })
    }

    /// A figure of a board that is this very number is no test of it.
    fn why_code(&self, of: Published) -> Result<String, PaperError> {
        let operation = self.operation(of.run())?;
        let operation = operation.ok_or_else(|| super::study::missing("a code"))?;
        let cost = self.board.cost(&operation)?;
        Ok(format!(
            "the board's own figure ({}), so that this is no test of it; the clock is",
            cost.provenance.mark()
        ))
    }

    /// A time in software, at either clock, and rows of the tables that take as long.
    fn why_software(&self, claim: &Claim) -> Result<Vec<String>, PaperError> {
        if claim.unit == Unit::Cycles {
            return Ok(vec![
                "the board's own figure, so that this is no test of it".to_owned(),
            ]);
        }
        let printed = &claim.printed;
        let cycles = self.software_code(Unit::Cycles)?.formula;
        let own = self.software_board.characteristics().clock_hz as f64;
        let mut why: Vec<String> = [own, self.clock()]
            .iter()
            .map(|clock| {
                let ms = cycles / clock * 1e3;
                let word = said(printed, ms);
                let (cycles, mhz) = (short(cycles), short(clock / 1e6));
                format!("{cycles} cycles at {mhz} MHz are {} ms, {word}", short(ms))
            })
            .collect();
        let needed = printed.value() / 1e3;
        let mhz = short(cycles / needed / 1e6);
        why.push(format!("these cycles take it at {mhz} MHz"));
        for row in &self.data.row {
            let Some(cycles) = &row.memory.cycles else {
                continue;
            };
            let ms = self.milliseconds(cycles.value());
            if printed.is_exactly(ms) {
                why.push(format!(
                    "{} cycles of {}, {}, {FROM_MEMORY}, take {ms:.3} ms at {} MHz, which rounds \
                     to it: then it is the time of that and not of a MAC",
                    cycles.text(),
                    row.table,
                    row.name,
                    short(self.clock() / 1e6)
                ));
            }
        }
        Ok(why)
    }

    /// Finds the clock with which a distance was computed.
    fn why_way(&self, printed: &Printed) -> Result<String, PaperError> {
        let cycles = self.software_code(Unit::Cycles)?.formula;
        let speed = f64::from(self.data.bench.speed_kmh) / 3.6 * 100.0;
        let own = self.software_board.characteristics().clock_hz as f64;
        let at = |clock: f64| {
            let way = speed * cycles / clock;
            let word = said(printed, way);
            let mhz = short(clock / 1e6);
            format!("at {mhz} MHz {} cm, {word}", short(way))
        };
        Ok(format!("{}, {}", at(own), at(self.clock())))
    }

    /// Finds the clock with which a ratio to sending was computed.
    fn why_clock(&self, printed: &Printed) -> Result<String, PaperError> {
        let cycles = self.software_code(Unit::Cycles)?.formula;
        let send = self.message(VulcanRun::PLAIN)?.send() / 1e9;
        let own = self.software_board.characteristics().clock_hz as f64;
        let at = |clock: f64| {
            let ratio = cycles / clock / send;
            let word = said(printed, ratio);
            let mhz = short(clock / 1e6);
            format!("with the MAC at {mhz} MHz {}, {word}", short(ratio))
        };
        Ok(format!("{}, {}", at(self.clock()), at(own)))
    }

    /// Returns true if the plain message that gives exactly the printed difference rounds to the
    /// time that the text prints for a plain message.
    pub(super) fn gain_holds(&self, printed: &Printed, gain: f64) -> bool {
        let (Ok(plain), Some(stated)) = (
            self.message(VulcanRun::PLAIN),
            self.data.plain(VulcanMetric::Send),
        ) else {
            return false;
        };
        stated.is_exactly(plain.send() * gain / printed.value() / 1e6)
    }

    fn why_gain(&self, printed: &Printed, gain: Pair) -> Result<Vec<String>, PaperError> {
        let plain = self.message(VulcanRun::PLAIN)?.send();
        let mut why = Vec::new();
        if let Some(stated) = self.data.plain(VulcanMetric::Send) {
            let needed = plain * gain.formula / printed.value() / 1e6;
            let word = if stated.is_exactly(needed) {
                "rounds"
            } else {
                "does not round"
            };
            why.push(format!(
                "{} % with a plain message of {} ms; {} % with one of {needed:.4} ms, which {word} \
                 to the printed {}",
                short(gain.formula),
                short(plain / 1e6),
                printed.text(),
                stated.text()
            ));
        }
        let row = |of| self.data.row(VulcanMetric::Send, of);
        if let (Some(software), Some(unit)) = (row(RowOf::Software), row(RowOf::Vatican)) {
            let cycles = |of| self.data.remembered(VulcanMetric::Send, of);
            let all = cycles(RowOf::Software)
                .zip(cycles(RowOf::Vatican))
                .zip(cycles(RowOf::Plain));
            if let Some(((software, unit), plain)) = all {
                let exact = percent((software - unit) / plain);
                why.push(format!(
                    "({} - {}) / {} cycles, {FROM_MEMORY}, are {exact}",
                    short(software),
                    short(unit),
                    short(plain)
                ));
            }
            if let (Some(software), Some(unit)) = (&software.memory.percent, &unit.memory.percent) {
                let rounded = software.value() - unit.value();
                let word = said(printed, rounded);
                why.push(format!(
                    "of the rounded overheads, {FROM_MEMORY}, {} - {} = {}, {word}",
                    software.text(),
                    unit.text(),
                    short(rounded)
                ));
            }
        }
        Ok(why)
    }

    /// Counts how often a row in software, known from memory, contains the longer code.
    fn why_extrapolated(&self, what: VulcanMetric) -> Result<String, PaperError> {
        let software = self.software_code(Unit::Cycles)?.formula;
        let unit = self.message(Published::Vatican.run())?.code * self.clock() / 1e9;
        let rows = [RowOf::Software, RowOf::Vatican].map(|of| self.data.remembered(what, of));
        let [Some(above), Some(below)] = rows else {
            return Ok("nothing is remembered of these rows".to_owned());
        };
        let times = (above - below) / (software - unit);
        let codes = 2.0 * what.messages();
        let mut words = format!(
            "{} - {} cycles, {FROM_MEMORY}, are {} times {} - {}",
            short(above),
            short(below),
            short(times),
            short(software),
            short(unit)
        );
        if times == what.messages() && what == VulcanMetric::RoundTrip {
            words += &format!(
                ": of {} codes {} are waited for, as each receiver computes its own while the tag \
                 is computed and under way",
                short(codes),
                short(times)
            );
        }
        Ok(words)
    }

    /// Explains a number of the tables.
    pub(super) fn why_entry(
        &self,
        row: &Row,
        entry: &Entry<'_>,
        fits: bool,
    ) -> Result<Vec<String>, PaperError> {
        if !entry.seen {
            return self.why_remembered(row, entry);
        }
        let mut why = Vec::new();
        let from_cycles = self.data.remembered(row.what, row.of);
        let plain = self.data.remembered(row.what, RowOf::Plain);
        if let (Some(cycles), Some(plain)) = (from_cycles, plain) {
            let (value, how) = match entry.unit {
                Unit::Percent => (
                    (cycles / plain - 1.0) * 100.0,
                    format!(" over {}", short(plain)),
                ),
                _ => (self.milliseconds(cycles), String::new()),
            };
            let word = said(entry.printed, value);
            why.push(format!(
                "{} cycles{how}, {FROM_MEMORY}, are {} {}, {word}",
                short(cycles),
                short(value),
                entry.unit.name()
            ));
        }
        if matches!(row.of, RowOf::Plain | RowOf::PlainExtended) {
            why.push(self.why_plain(row)?);
        } else if entry.unit == Unit::Percent && !fits {
            let printed = entry.printed;
            let is = |value| printed.is_exactly(value);
            why.extend(self.why_driver(row.what, row.of, is, Some(printed))?);
        }
        Ok(why)
    }

    /// The board's driver calls are made from these numbers.
    fn why_plain(&self, row: &Row) -> Result<String, PaperError> {
        let extended = row.of == RowOf::PlainExtended;
        let kind = match row.what {
            VulcanMetric::RoundTrip => OperationKind::FrameReceive,
            _ => OperationKind::FrameSend,
        };
        let cost = self.board.cost(&Self::driver_call(kind, extended))?;
        Ok(format!(
            "the board's {kind} of {} us comes from it ({}), so that this tests the frames alone",
            short(cost.duration.as_nanos() as f64 / 1e3),
            cost.provenance.mark()
        ))
    }

    /// Tests whether a row known from memory fits itself, the other rows and the text.
    fn why_remembered(&self, row: &Row, entry: &Entry<'_>) -> Result<Vec<String>, PaperError> {
        if entry.unit != Unit::Cycles {
            return Ok(Vec::new());
        }
        let cycles = entry.printed.value();
        let mut why = Vec::new();
        let plain = self.data.remembered(row.what, RowOf::Plain);
        for other in row.entries() {
            let value = match (other.unit, plain) {
                (Unit::Milliseconds, _) => self.milliseconds(cycles),
                (Unit::Percent, Some(plain)) => (cycles / plain - 1.0) * 100.0,
                _ => continue,
            };
            let whose = if other.seen {
                "the text has"
            } else {
                "remembered is"
            };
            let word = if other.printed.is_exactly(value) {
                "fits"
            } else {
                "does not fit"
            };
            let (unit, text) = (other.unit.name(), other.printed.text());
            why.push(format!(
                "{} {unit}, {whose} {text}, which {word}",
                short(value)
            ));
        }
        if row.of == RowOf::Software {
            why.push(self.why_extrapolated(row.what)?);
            let run = self.message(VulcanRun::SOFTWARE)?;
            let run = self.cycles_in(value(row.what, [&run, &run]));
            why.push(format!(
                "not extrapolated it is {} cycles by formula, and measured is such a run",
                short(run)
            ));
        }
        if let Some(bare) = row
            .of
            .bare()
            .and_then(|bare| self.data.remembered(row.what, bare))
        {
            why.push(format!("{} cycles more than without", short(cycles - bare)));
        }
        Ok(why)
    }
}
