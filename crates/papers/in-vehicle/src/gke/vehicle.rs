//! Vehicle files whose exchange of keys has the numbers of cells.

use std::fmt::Write as _;

use super::model::{GkeBus, GkeScheme};
use super::quantity::{ExchangePart, GkeQuantity, GkeSuite};
use super::rules::label;
use super::study::GkeStudy;
use waywarden_paper_tables::{CellRun, PaperError, Reading, Unit};

/// Bits per second of classic CAN in [GKE §V-C].
const CLASSIC_RATE: u32 = 1_000_000;

/// An exchange among so many ECUs of one board.
struct Exchange<'a> {
    scheme: GkeScheme,
    n: u32,
    board: &'a str,
    suite: GkeSuite,
    bus: GkeBus,
}

impl GkeStudy {
    /// Returns what gives the number of a cell, by place and name: the exchange of a vehicle file,
    /// or a board's figure. None for arithmetic on such numbers.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault.
    pub fn run_of(&self, place: &str, name: &str) -> Result<Option<CellRun>, PaperError> {
        for table in self
            .data
            .primitives
            .iter()
            .filter(|table| table.place == place)
        {
            for row in &table.rows {
                let mut boards = table.boards.iter();
                let is_it = |board: &&String| format!("{}, {}", row.row, label(board)) == name;
                if let Some(board) = boards.find(is_it) {
                    let (operation, suite) = (row.operation.kind(), table.suite.algorithm());
                    let run = CellRun::figure(board, operation.name(), suite.name(), 0.001);
                    return Ok(Some(run));
                }
            }
        }
        let mut claims = self.data.claim.iter();
        let claim = claims.find(|claim| claim.place == place && claim.cell == name);
        match claim {
            Some(claim) => self.run_of_quantity(&claim.of, claim.unit),
            None => Ok(None),
        }
    }

    fn run_of_quantity(&self, of: &GkeQuantity, unit: Unit) -> Result<Option<CellRun>, PaperError> {
        let (exchange, field, factor) = match of {
            GkeQuantity::Group {
                scheme,
                n,
                board,
                suite,
                bus,
                part: ExchangePart::Total,
            } => {
                let exchange = Exchange {
                    scheme: *scheme,
                    n: *n,
                    board,
                    suite: *suite,
                    bus: *bus,
                };
                (exchange, "took_ms", Unit::Milliseconds.size() / unit.size())
            }
            GkeQuantity::Frames { scheme, n, bus } => {
                let exchange = Exchange {
                    scheme: *scheme,
                    n: *n,
                    board: super::assumed::REPLACED,
                    suite: GkeSuite::FourQ,
                    bus: *bus,
                };
                (exchange, "frames", 1.0)
            }
            _ => return Ok(None),
        };
        let Some(vehicle) = self.vehicle(&exchange)? else {
            return Ok(None);
        };
        let reading = Reading {
            list: "groups",
            select: Vec::new(),
            field,
            factor,
        };
        Ok(Some(CellRun {
            vehicle: Some(vehicle),
            ..CellRun::command(&["keys", CellRun::FILE, "--format", "json"], reading)
        }))
    }

    /// Writes the vehicle: the ECUs and an orchestrator on one bus. None for the exchange of two,
    /// whose numbers are of a part of it.
    fn vehicle(&self, of: &Exchange<'_>) -> Result<Option<String>, PaperError> {
        let scheme = match of.scheme {
            GkeScheme::Main => "tree-with-orchestrator",
            GkeScheme::Without => "tree-without-orchestrator",
            GkeScheme::Symmetric => "symmetric-distribution",
            GkeScheme::TwoParty => return Ok(None),
        };
        let suite = match of.suite {
            GkeSuite::FourQ => "fourq",
            GkeSuite::P256 => "p256",
        };
        let (rates, transport) = match of.bus {
            GkeBus::Can => (format!("bitrate = \"{CLASSIC_RATE}\""), "classic"),
            GkeBus::CanFd => {
                let times = self.printed_frame_times(of.board, of.bus)?;
                let (nominal, data) = self.rates(&times)?;
                let rates = format!("bitrate = \"{nominal}\"\ndata_bitrate = \"{data}\"");
                (rates, "fd")
            }
        };
        let mut text = format!(
            "[vehicle]\nname = \"group-keys\"\nduration = \"5min\"\nseed = 1\n\n[[bus]]\nname = \
             \"can\"\n{rates}\n"
        );
        let ecus = (1..=of.n).map(|number| format!("ecu-{number}"));
        for name in std::iter::once("orchestrator".to_owned()).chain(ecus) {
            // Writing into memory has no way to fail.
            let _ = write!(
                text,
                "\n[[ecu]]\nname = \"{name}\"\nboard = \"{}\"\nports = [\"can\"]\n",
                of.board
            );
        }
        let _ = write!(
            text,
            "\n[[keys]]\nname = \"group\"\nscheme = \"{scheme}\"\norchestrator = \"orchestrator\"\n\
             profile = \"as-published\"\nsuite = \"{suite}\"\ntransport = \"{transport}\"\npace = \
             \"by-level\"\n"
        );
        Ok(Some(text))
    }
}
