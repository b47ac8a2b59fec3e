//! Tables of ours: the same round trip under every protocol here, and what the paper's word on
//! protected modules makes of it.

use super::data::{Published, RowOf};
use super::pair::Pair;
use super::quantity::{Buffers, Code, Measured, Metric, Protocol, Run};
use super::study::Study;
use waywarden_paper_tables::{Cell, Class, PaperError, Unit};

pub(super) const EVERY: &str = "Every protocol, a message and a round trip";
pub(super) const PROTECTED: &str =
    "Protected modules, by the text's per cent on our times (nothing simulates them)";

/// Returns true if the cells of a place are printed as a table.
pub fn is_tabular(place: &str) -> bool {
    [EVERY, PROTECTED].contains(&place)
}

/// Every run, in the order of the table.
pub(super) const RUNS: [Run; 11] = [
    Run::PLAIN,
    Run::new(Protocol::PlainExtended, Code::None),
    Run::new(Protocol::Vatican, Code::Unit),
    several(Run::new(Protocol::Vatican, Code::Unit)),
    Run::SOFTWARE,
    Run::new(Protocol::Leia, Code::Unit),
    several(Run::new(Protocol::Leia, Code::Unit)),
    Run::new(Protocol::PairedVatican, Code::Unit),
    Run::new(Protocol::PairedLeia, Code::Unit),
    Run::new(Protocol::SecOc, Code::Unit),
    Run::new(Protocol::SecOc, Code::Cmac),
];

/// The same with a driver that loads as many buffers as there are frames.
const fn several(run: Run) -> Run {
    Run {
        buffers: Buffers::Several,
        ..run
    }
}

impl Run {
    /// Names a run for people.
    #[must_use]
    pub fn name(self) -> String {
        let code = match self.code {
            Code::None => "",
            Code::Unit => ", Sancus unit",
            Code::Software => ", its software MAC",
            Code::Cmac => ", AES-128-CMAC in software",
        };
        let buffers = match self.buffers {
            Buffers::One => "",
            Buffers::Several => ", several buffers",
        };
        format!("{}{code}{buffers}", self.protocol.name())
    }
}

impl Protocol {
    /// Returns the protocol's name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Plain => "legacy, 11-bit",
            Protocol::PlainExtended => "legacy, 29-bit",
            Protocol::Vatican => "vatiCAN as published",
            Protocol::Leia => "LeiA as published",
            Protocol::PairedVatican => "hardened in vatiCAN's frames",
            Protocol::PairedLeia => "hardened in LeiA's frames",
            Protocol::SecOc => "SecOC profile 1, 4-byte payload",
        }
    }
}

impl Study {
    /// The table of every protocol: times, and what they consist of.
    pub(super) fn every_protocol(
        &self,
        cells: &mut Vec<Cell>,
        measured: &Measured<'_>,
    ) -> Result<(), PaperError> {
        let columns = [
            ("send", Metric::Send, Unit::Milliseconds),
            ("round trip", Metric::RoundTrip, Unit::Milliseconds),
            ("bus", Metric::Bus, Unit::Milliseconds),
            ("processors", Metric::Processors, Unit::Milliseconds),
            ("frames", Metric::Frames, Unit::Frames),
            ("one code", Metric::Code, Unit::Milliseconds),
        ];
        let plain = self.pair(Run::PLAIN.count(Metric::RoundTrip), measured)?;
        for run in RUNS {
            let name = run.name();
            for (column, what, unit) in columns {
                if what == Metric::Code && run.code == Code::None {
                    continue;
                }
                let of = run.count(what);
                let value = self.in_unit(self.pair(of, measured)?, unit);
                let why = self.itemise(of, unit, measured)?;
                let cell = format!("{name}: {column}");
                cells.push(ours(EVERY, cell, unit, value, &why));
            }
            let own = self.pair(run.count(Metric::RoundTrip), measured)?;
            let over = self.in_unit(own.overhead(plain), Unit::Percent);
            let cell = format!("{name}: over legacy");
            cells.push(ours(EVERY, cell, Unit::Percent, over, &[]));
        }
        Ok(())
    }

    /// Applies the text's bounds on protected modules to our times. A bound is a share of the same
    /// without them, or a share of a plain message or round trip.
    pub(super) fn protected(
        &self,
        cells: &mut Vec<Cell>,
        measured: &Measured<'_>,
    ) -> Result<(), PaperError> {
        for (what, timed, source) in [
            (Metric::Send, "send", "[VULCAN, Message Transmission]"),
            (Metric::RoundTrip, "round trip", "[VULCAN, Round-Trip Time]"),
        ] {
            let plain = self.row(what, RowOf::Plain, measured)?;
            for of in [Published::Vatican, Published::Leia] {
                let run = of.run();
                let bare = self.pair(run.count(what), measured)?;
                let row = format!("{}, {timed}", run.protocol.name());
                let mut push = |column: &str, value: Pair, why: &str| {
                    let value = self.in_unit(value, Unit::Milliseconds);
                    let cell = format!("{row}: {column}");
                    let why = [why.to_owned()];
                    cells.push(ours(PROTECTED, cell, Unit::Milliseconds, value, &why));
                };
                push("without", bare, "");
                for (base, whose) in [(Some(bare), "of itself"), (plain, "of legacy")] {
                    let Some(base) = base else { continue };
                    let bounds = self.data.protected_bounds(what);
                    for (bound, word) in bounds.iter().zip(["least", "most"]) {
                        let more = |bare: f64, base: f64| bare + base * bound / 100.0;
                        let why = format!("{bound} % {whose} more, as {source} states");
                        push(&format!("{word} {whose}"), bare.with(base, more), &why);
                    }
                }
            }
        }
        Ok(())
    }
}

/// A number of ours.
fn ours(place: &str, cell: String, unit: Unit, value: Pair, why: &[String]) -> Cell {
    Cell {
        formula: Some(value.formula),
        measured: value.measured,
        class: Some(Class::Derived.simulated(value.measured.is_some())),
        why: why.join("; "),
        ..Cell::new(place, cell, unit)
    }
}
