//! Tables of ours: the same round trip under every protocol here, and what the paper's word on
//! protected modules makes of it.

use super::data::{Published, RowOf};
use super::pair::Pair;
use super::quantity::{Buffers, Code, VulcanMeasured, VulcanMetric, VulcanProtocol, VulcanRun};
use super::study::VulcanStudy;
use waywarden_paper_tables::{Cell, Class, PaperError, Unit};

pub(super) const EVERY: &str = "Every protocol, a message and a round trip";
pub(super) const PROTECTED: &str =
    "Protected modules, simulated, and by the text's per cent on our times";

/// Remark on runs with protected modules.
const SIMULATED: &str = "the sender calls the module once for each message, before its data frame";

/// Returns true if the cells of a place are printed as a table.
pub fn is_tabular(place: &str) -> bool {
    [EVERY, PROTECTED].contains(&place)
}

/// Every run, in the order of the table.
pub(super) const RUNS: [VulcanRun; 13] = [
    VulcanRun::PLAIN,
    VulcanRun::new(VulcanProtocol::PlainExtended, Code::None),
    VulcanRun::new(VulcanProtocol::Vatican, Code::Unit),
    VulcanRun::new(VulcanProtocol::Vatican, Code::Unit).in_modules(),
    several(VulcanRun::new(VulcanProtocol::Vatican, Code::Unit)),
    VulcanRun::SOFTWARE,
    VulcanRun::new(VulcanProtocol::Leia, Code::Unit),
    VulcanRun::new(VulcanProtocol::Leia, Code::Unit).in_modules(),
    several(VulcanRun::new(VulcanProtocol::Leia, Code::Unit)),
    VulcanRun::new(VulcanProtocol::PairedVatican, Code::Unit),
    VulcanRun::new(VulcanProtocol::PairedLeia, Code::Unit),
    VulcanRun::new(VulcanProtocol::SecOc, Code::Unit),
    VulcanRun::new(VulcanProtocol::SecOc, Code::Cmac),
];

/// The same with a driver that loads as many buffers as there are frames.
const fn several(run: VulcanRun) -> VulcanRun {
    VulcanRun {
        buffers: Buffers::Several,
        ..run
    }
}

impl VulcanRun {
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
        let modules = match self.has_modules {
            true => ", protected modules",
            false => "",
        };
        format!("{}{code}{modules}{buffers}", self.protocol.name())
    }
}

impl VulcanProtocol {
    /// Returns the protocol's name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            VulcanProtocol::Plain => "legacy, 11-bit",
            VulcanProtocol::PlainExtended => "legacy, 29-bit",
            VulcanProtocol::Vatican => "vatiCAN as published",
            VulcanProtocol::Leia => "LeiA as published",
            VulcanProtocol::PairedVatican => "hardened in vatiCAN's frames",
            VulcanProtocol::PairedLeia => "hardened in LeiA's frames",
            VulcanProtocol::SecOc => "SecOC profile 1, 4-byte payload",
        }
    }
}

impl VulcanStudy {
    /// The table of every protocol: times, and what they consist of.
    pub(super) fn every_protocol(
        &self,
        cells: &mut Vec<Cell>,
        measured: &VulcanMeasured<'_>,
    ) -> Result<(), PaperError> {
        let columns = [
            ("send", VulcanMetric::Send, Unit::Milliseconds),
            ("round trip", VulcanMetric::RoundTrip, Unit::Milliseconds),
            ("bus", VulcanMetric::Bus, Unit::Milliseconds),
            ("processors", VulcanMetric::Processors, Unit::Milliseconds),
            ("frames", VulcanMetric::Frames, Unit::Frames),
            ("one code", VulcanMetric::Code, Unit::Milliseconds),
        ];
        let plain = self.pair(VulcanRun::PLAIN.count(VulcanMetric::RoundTrip), measured)?;
        for run in RUNS {
            let name = run.name();
            for (column, what, unit) in columns {
                if what == VulcanMetric::Code && run.code == Code::None {
                    continue;
                }
                let of = run.count(what);
                let value = self.in_unit(self.pair(of, measured)?, unit);
                let why = self.itemise(of, unit, measured)?;
                let cell = format!("{name}: {column}");
                cells.push(ours(EVERY, cell, unit, value, &why));
            }
            let own = self.pair(run.count(VulcanMetric::RoundTrip), measured)?;
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
        measured: &VulcanMeasured<'_>,
    ) -> Result<(), PaperError> {
        for (what, timed, source) in [
            (VulcanMetric::Send, "send", "[VULCAN, Message Transmission]"),
            (
                VulcanMetric::RoundTrip,
                "round trip",
                "[VULCAN, Round-Trip Time]",
            ),
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
                let within = self.pair(run.in_modules().count(what), measured)?;
                push("simulated", within, SIMULATED);
                for (base, whose) in [(bare, "of itself"), (plain, "of legacy")] {
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
