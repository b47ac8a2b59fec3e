//! The statements of the text, as cells: by the boards' figures, and by the runs.

use super::data::{Claim, ClaimOf, Published, Sense};
use super::pair::Pair;
use super::quantity::{VulcanMeasured, VulcanMetric, VulcanQuantity, VulcanRun};
use super::study::{VulcanStudy, missing};
use super::why::unlike;
use waywarden_paper_tables::measured::itemised;
use waywarden_paper_tables::{Amount, Cell, CellVerdict, PaperError, Unit};

impl VulcanStudy {
    /// Returns both numbers of a quantity.
    pub(super) fn pair(
        &self,
        of: VulcanQuantity,
        measured: &VulcanMeasured<'_>,
    ) -> Result<Pair, PaperError> {
        let plain = |amount| match amount {
            Amount::Time(time) => time.as_nanos() as f64,
            Amount::Number(number) => number,
        };
        Ok(Pair {
            formula: plain(self.formula(&of)?),
            measured: measured(&of).map(|measurement| plain(measurement.amount)),
        })
    }

    /// Words what a measured time contains beside the formula.
    pub(super) fn itemise(
        &self,
        of: VulcanQuantity,
        unit: Unit,
        measured: &VulcanMeasured<'_>,
    ) -> Result<Vec<String>, PaperError> {
        let formula = self.formula(&of)?.in_unit(unit);
        let measurement = measured(&of);
        Ok(measurement.map_or(Vec::new(), |one| itemised(&one, formula, unit)))
    }

    /// Returns a time in the unit it is printed in; counts and ratios as they are.
    pub(super) fn in_unit(&self, pair: Pair, unit: Unit) -> Pair {
        let hertz = self.board.characteristics().clock_hz as f64;
        let factor = match unit {
            Unit::Cycles => hertz / 1e9,
            unit => 1.0 / unit.size(),
        };
        pair.map(|number| number * factor).rounded()
    }

    /// The cells of the text.
    pub(super) fn claims(
        &self,
        cells: &mut Vec<Cell>,
        measured: &VulcanMeasured<'_>,
    ) -> Result<(), PaperError> {
        for claim in &self.data.claim {
            cells.push(self.claim(claim, measured)?);
        }
        Ok(())
    }

    fn claim(&self, claim: &Claim, measured: &VulcanMeasured<'_>) -> Result<Cell, PaperError> {
        let printed = &claim.printed;
        let value = self.value_of(claim, measured)?;
        let mut why = Vec::new();
        let class = self.claim_class(claim)?;
        let class = class.simulated(self.is_simulated(claim.of, value));
        let bounds = match claim.of {
            ClaimOf::Protected(what) => self.data.protected_bounds(what),
            _ => Vec::new(),
        };
        let Pair { formula, measured } = value;
        let holds = |value: f64| match bounds[..] {
            [least, most] => (least..=most).contains(&value),
            _ => claim.sense.holds(printed, value),
        };
        // A difference over a rounded time misses by what was rounded off that.
        let nearly = |value| match claim.of {
            ClaimOf::Gain => self.gain_holds(printed, value),
            ClaimOf::Protected(_) => false,
            _ => claim.sense == Sense::Rounded && printed.is_nearly(value),
        };
        for (value, how) in [(Some(formula), ""), (measured, "measured ")] {
            let missed = value.filter(|value| !holds(*value)).into_iter();
            let words = missed.flat_map(|value| unlike(value, printed, claim.unit));
            why.extend(words.map(|words| format!("{how}{words}")));
        }
        let numbers = value.numbers();
        let verdict = CellVerdict::judge(class, &numbers, holds, nearly);
        let verdict = verdict.unless_coarse(&numbers, printed);
        let verdict = match claim.of.is_by_construction() {
            true => verdict.by_construction(),
            false => verdict,
        };
        why.extend(self.why_claim(claim, value)?);
        Ok(Cell {
            place: claim.place.clone(),
            cell: match claim.sense {
                Sense::Rounded => claim.cell.clone(),
                Sense::MoreThan => format!("{}, more than", claim.cell),
                Sense::LessThan => format!("{}, less than", claim.cell),
            },
            unit: claim.unit,
            paper: Some(printed.value()),
            formula: Some(value.formula),
            measured: value.measured,
            verdict,
            class: Some(class),
            why: why.join("; "),
        })
    }

    /// Returns both numbers of a claim, in its unit.
    fn value_of(&self, claim: &Claim, measured: &VulcanMeasured<'_>) -> Result<Pair, PaperError> {
        let pair = |run: VulcanRun, what| self.pair(run.count(what), measured);
        let unit_code = |of: Published| pair(of.run(), VulcanMetric::Code);
        let send = |run| pair(run, VulcanMetric::Send);
        let over = |above: Pair, below: Pair| above.with(below, |above, below| above / below);
        // A car goes so many centimetres in a nanosecond.
        let way = |time: Pair| {
            let speed = f64::from(self.data.bench.speed_kmh) * 100_000.0 / 3_600e9;
            time.map(|nanos| nanos * speed)
        };
        let vatican = Published::Vatican.run();
        let software = self.software_code(claim.unit)?;
        Ok(match claim.of {
            ClaimOf::Associated(of) => {
                let bits = |bytes: u32| f64::from(8 * bytes);
                Pair {
                    formula: bits(self.fields(of).bytes()),
                    measured: self.metered_bytes(of)?.map(bits),
                }
            }
            ClaimOf::Code(of) => self.in_unit(unit_code(of)?, claim.unit),
            ClaimOf::CodeOfSend(of) => over(unit_code(of)?, send(VulcanRun::PLAIN)?).rounded(),
            ClaimOf::SoftwareCode => software,
            ClaimOf::SoftwareOfSend => over(
                pair(VulcanRun::SOFTWARE, VulcanMetric::Code)?,
                send(VulcanRun::PLAIN)?,
            )
            .rounded(),
            ClaimOf::Faster => {
                let pair = over(
                    pair(VulcanRun::SOFTWARE, VulcanMetric::Code)?,
                    unit_code(Published::Vatican)?,
                );
                pair.rounded()
            }
            ClaimOf::SoftwareWay => {
                let nanos = self.software_code(Unit::Milliseconds)?.map(|ms| ms * 1e6);
                way(nanos).rounded()
            }
            ClaimOf::UnitWay => way(unit_code(Published::Vatican)?).rounded(),
            ClaimOf::Frames => pair(vatican, VulcanMetric::Frames)?.map(|frames| frames / 2.0),
            ClaimOf::TripFrames => pair(vatican, VulcanMetric::Frames)?,
            ClaimOf::MoreFrames => {
                let plain = pair(VulcanRun::PLAIN, VulcanMetric::Frames)?;
                pair(vatican, VulcanMetric::Frames)?.overhead(plain)
            }
            ClaimOf::Sending => over(send(vatican)?, send(VulcanRun::PLAIN)?).rounded(),
            ClaimOf::Gain => {
                let more = self.more_code(measured)?;
                over(more, send(VulcanRun::PLAIN)?)
                    .map(|ratio| ratio * 100.0)
                    .rounded()
            }
            ClaimOf::SoftwareTrip => {
                let plain = pair(VulcanRun::PLAIN, VulcanMetric::RoundTrip)?;
                let own = self.extrapolated(VulcanMetric::RoundTrip, measured)?;
                own.overhead(plain).rounded()
            }
            ClaimOf::Protected(what) => {
                let bounds = self.data.protected_bounds(what);
                let is_least = bounds.first() == Some(&claim.printed.value());
                self.protected_points(what, is_least, measured)?
            }
        })
    }

    /// Returns what protected modules add to a message or round trip, in points of one without
    /// authentication: the less or the more of both protocols.
    pub(super) fn protected_points(
        &self,
        what: VulcanMetric,
        is_least: bool,
        measured: &VulcanMeasured<'_>,
    ) -> Result<Pair, PaperError> {
        let plain = self.pair(VulcanRun::PLAIN.count(what), measured)?;
        let points = |of: Published| {
            let bare = self.pair(of.run().count(what), measured)?;
            let own = self.pair(of.run().in_modules().count(what), measured)?;
            let more = own.with(bare, |own, bare| own - bare);
            let points = more.with(plain, |more, plain| 100.0 * more / plain);
            Ok::<_, PaperError>(points.rounded())
        };
        let choose = if is_least { f64::min } else { f64::max };
        Ok(points(Published::Vatican)?.with(points(Published::Leia)?, choose))
    }

    /// Returns the time that a code takes longer in software than in the unit.
    pub(super) fn more_code(&self, measured: &VulcanMeasured<'_>) -> Result<Pair, PaperError> {
        let unit = self.pair(Published::Vatican.run().count(VulcanMetric::Code), measured)?;
        let software = self.pair(VulcanRun::SOFTWARE.count(VulcanMetric::Code), measured)?;
        Ok(software.with(unit, |software, unit| software - unit))
    }

    /// Returns the time of a message or round trip with the code in software. The formula follows
    /// the paper: the time with the unit, plus the longer code for each message. Measured is the
    /// run itself.
    pub(super) fn extrapolated(
        &self,
        what: VulcanMetric,
        measured: &VulcanMeasured<'_>,
    ) -> Result<Pair, PaperError> {
        let unit = self.pair(Published::Vatican.run().count(what), measured)?;
        let more = self.more_code(measured)?;
        let run = self.pair(VulcanRun::SOFTWARE.count(what), measured)?;
        Ok(Pair {
            formula: unit.formula + what.messages() * more.formula,
            measured: run.measured,
        })
    }

    /// One code in software on the board it was measured on. Nothing is simulated there.
    pub(super) fn software_code(&self, unit: Unit) -> Result<Pair, PaperError> {
        let operation = self
            .operation(VulcanRun::SOFTWARE)?
            .ok_or_else(|| missing("a code"))?;
        let board = &self.software_board;
        let seconds = board.cost(&operation)?.duration.as_nanos() as f64 / 1e9;
        let formula = match unit {
            Unit::Cycles => seconds * board.characteristics().clock_hz as f64,
            unit => seconds * 1e9 / unit.size(),
        };
        let pair = Pair {
            formula,
            measured: None,
        };
        Ok(pair.rounded())
    }
}
