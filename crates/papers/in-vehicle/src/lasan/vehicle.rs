//! A vehicle file whose start under a security module has the numbers of cells.

use super::quantity::Part;
use super::study::LasanStudy;
use waywarden_paper_tables::{CellRun, PaperError, Reading, Unit};

/// An operation of the security module that is one cell by itself.
const SIGNATURE: [(&str, &str); 2] = [("operation", "sign"), ("algorithm", "p256")];

impl LasanStudy {
    /// Returns what gives the number of a cell, by its name and unit: the testbed's run as a
    /// vehicle file, or a board's figure. None for other numbers.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault.
    pub fn run_of(&self, name: &str, unit: Unit) -> Result<Option<CellRun>, PaperError> {
        let code = &self.data.code[0];
        let Some(part) = name.strip_prefix(&format!("{}, ", code.label)) else {
            return Ok(None);
        };
        let board = &self.data.testbed.board;
        if part == format!("{}, computation", Part::Once) {
            let [(_, operation), (_, algorithm)] = SIGNATURE;
            return Ok(Some(CellRun::figure(board, operation, algorithm, 1e-6)));
        }
        let field = match (part, unit) {
            (part, Unit::Frames) if part == Part::All.to_string() => "frames",
            (part, Unit::Frames) if part == Part::Once.to_string() => "amortised.frames",
            _ => return Ok(None),
        };
        let reading = Reading {
            list: "networks",
            select: Vec::new(),
            field,
            factor: 1.0,
        };
        Ok(Some(CellRun {
            vehicle: Some(self.vehicle(&code.suite)),
            ..CellRun::command(&["keys", CellRun::FILE, "--format", "json"], reading)
        }))
    }

    /// Writes the testbed: a security module and an ECU, at the pace of the published code.
    fn vehicle(&self, suite: &str) -> String {
        let bench = &self.data.testbed;
        let ecu = |name: &str| {
            let board = &bench.board;
            format!("\n[[ecu]]\nname = \"{name}\"\nboard = \"{board}\"\nports = [\"can\"]\n")
        };
        format!(
            "[vehicle]\nname = \"testbed\"\nduration = \"5s\"\nseed = 1\n\n[[bus]]\nname = \
             \"can\"\nbitrate = \"{}\"\n{}{}\n[[keys]]\nname = \"testbed\"\nscheme = \"lasan\"\n\
             security_module = \"security-module\"\nprofile = \"as-published\"\nsuite = \"{suite}\"\n\
             transport = \"classic\"\npacing = \"{}us\"\n",
            bench.bit_rate,
            ecu("security-module"),
            ecu("ecu-1"),
            bench.pacing_us,
        )
    }
}
