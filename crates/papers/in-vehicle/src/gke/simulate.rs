//! The measured column: the paper's messages with real cryptography on the exact bus.
//!
//! A group is measured from the orchestrator's first computation (its first signature) to the last
//! computation of any ECU. Two parties are measured from the request's last bit to the last check.
//! Each measurement carries what it contains beside the formula, see `items`. There is no other
//! traffic, no fault, and one core an ECU.

mod items;
mod network;
mod path;
mod record;

#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;

use thiserror::Error;
use waywarden_can::node::Task;
use waywarden_group_keys as keys;
use waywarden_key_suites as suites;
use waywarden_work::OperationKind;

use super::model::{Costs, FrameTimes, GkeBus, GkeScheme};
use super::quantity::{GkeQuantity, GkeSuite};
use super::study::{GkeStudy, run_costs, run_frames};
use crate::bench::{LIMIT_S, Runs};
use waywarden_paper_tables::{Amount, Beside, Measurement, PaperError};

use items::{Formula, Taken};
use network::{ECUS_MAX, ExchangeScenario};
use record::Record;

/// Bits per second of classic CAN in [GKE §V-C].
const CLASSIC_RATE: u32 = 1_000_000;

/// The board that frames are counted with: their number does not depend on it.
const COUNTING_BOARD: &str = "tc297";

/// Reason for a failed simulation.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GkeSimulateError {
    /// The paper's data and the boards do not fit.
    #[error(transparent)]
    Paper(#[from] PaperError),
    /// No tree for so many ECUs.
    #[error("no key exchange for so many ECUs; 2 to {ECUS_MAX} can be simulated")]
    Plan,
    /// Bit rates that no controller has.
    #[error("no controller has these bit rates")]
    Rates,
    /// The simulation stopped.
    #[error("the simulation stopped: {0}")]
    Run(String),
    /// The time of a run was over.
    #[error("{run}: some ECUs still lack the group key after {LIMIT_S} s of simulated time")]
    Unfinished {
        /// The run in words.
        run: String,
    },
    /// The operation that is measured from or up to takes no time, so no record has it.
    #[error(
        "{run}: signing or verifying takes no time on the board, so there is nothing to measure"
    )]
    NoTime {
        /// The run in words.
        run: String,
    },
}

impl GkeSimulateError {
    /// Returns true if the run would be over in time on a quicker board or a quicker bus.
    #[must_use]
    pub const fn is_too_slow(&self) -> bool {
        matches!(self, Self::Unfinished { .. })
    }
}

/// Parameters that identify a run; the key of the cache of runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Setting {
    scheme: GkeScheme,
    /// Of the ECUs, then of the orchestrator.
    boards: Vec<String>,
    suite: GkeSuite,
    bus: GkeBus,
}

impl Setting {
    /// Names the run for people.
    fn name(&self) -> String {
        let Setting {
            scheme, suite, bus, ..
        } = self;
        let count = self.boards.len().saturating_sub(1);
        format!("{scheme}, {count} ECUs, {suite}, {bus}")
    }
}

/// Runs what is asked for, each setting once.
pub struct GkeSimulator<'a> {
    study: GkeStudy,
    runs: Runs<'a, Setting, Record, GkeSimulateError>,
}

impl<'a> GkeSimulator<'a> {
    /// Makes a simulator that tells `announce` of each run before it starts.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault.
    pub fn new(announce: &'a dyn Fn(&str)) -> Result<Self, PaperError> {
        Ok(Self::of(GkeStudy::load()?, announce))
    }

    /// Makes a simulator of a study, whose assumptions may be others.
    #[must_use]
    pub fn of(study: GkeStudy, announce: &'a dyn Fn(&str)) -> Self {
        let runs = Runs::new(announce);
        GkeSimulator { study, runs }
    }

    /// Measures a quantity; none if it is about no run, or if a run failed, which
    /// [`GkeSimulator::failure`] then tells. Takes up to seconds of processor time.
    #[must_use]
    pub fn measure(&self, of: &GkeQuantity) -> Option<Measurement> {
        self.runs.measure(|| self.try_measure(of))
    }

    /// Returns why the first run that failed did, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<GkeSimulateError> {
        self.runs.failure()
    }

    fn try_measure(&self, of: &GkeQuantity) -> Result<Option<Measurement>, GkeSimulateError> {
        Ok(match of {
            GkeQuantity::Group {
                scheme,
                n,
                board,
                suite,
                bus,
                part,
            } if *scheme != GkeScheme::TwoParty => {
                let taken = self.group(*scheme, *n, board, *suite, *bus)?;
                Some(taken.part(*part))
            }
            GkeQuantity::Load {
                scheme,
                n,
                board,
                suite,
                bus,
            } if *scheme != GkeScheme::TwoParty => {
                let taken = self.group(*scheme, *n, board, *suite, *bus)?;
                Some(taken.load())
            }
            GkeQuantity::Frames { scheme, n, bus } => {
                let record = self.record(&Setting {
                    scheme: *scheme,
                    boards: repeated(COUNTING_BOARD, *scheme, *n),
                    suite: GkeSuite::FourQ,
                    bus: *bus,
                })?;
                let frames = match scheme {
                    // The first of the two exchanges: whose identifiers name its result.
                    GkeScheme::TwoParty => record.first_exchange(),
                    _ => record.wires.len(),
                };
                Some(Measurement {
                    amount: Amount::Number(frames as f64),
                    beside: Vec::new(),
                })
            }
            GkeQuantity::TwoParty { boards, suite, bus } => {
                let [first, second] = boards;
                let slower = self
                    .study
                    .costs(first, *suite)?
                    .slower(&self.study.costs(second, *suite)?);
                let frames = self
                    .study
                    .frame_times(first, *bus)?
                    .slower(&self.study.frame_times(second, *bus)?);
                let formula = Formula::two_party(&slower, &slower, &frames);
                Some(self.pair(boards, *suite, *bus, None, formula)?)
            }
            GkeQuantity::Run { place, seen_by } => {
                let run = self.study.data.run_at(place)?;
                let (own, peer) = (run_costs(run, *seen_by)?, run_costs(run, 1 - seen_by)?);
                let formula = Formula::run(&own, &peer, &run_frames(run)?);
                Some(self.pair(
                    &run.boards,
                    GkeSuite::FourQ,
                    GkeBus::CanFd,
                    Some(*seen_by),
                    formula,
                )?)
            }
            GkeQuantity::Ratio { over, under } => self.ratio(over, under)?,
            _ => None,
        })
    }

    /// One measurement over another, and what the two differences make of the ratio.
    fn ratio(
        &self,
        over: &GkeQuantity,
        under: &GkeQuantity,
    ) -> Result<Option<Measurement>, GkeSimulateError> {
        let (Some(above), Some(below)) = (self.try_measure(over)?, self.try_measure(under)?) else {
            return Ok(None);
        };
        let plain = |amount| match amount {
            Amount::Time(time) => time.as_nanos() as f64,
            Amount::Number(number) => number,
        };
        let (above, below) = (plain(above.amount), plain(below.amount));
        let formula_above = plain(self.study.formula(over)?);
        let formula_below = plain(self.study.formula(under)?);
        let beside = [
            (
                "of the dividend, measured instead of computed",
                above / formula_below - formula_above / formula_below,
            ),
            (
                "of the divisor, likewise",
                above / below - above / formula_below,
            ),
        ];
        Ok(Some(Measurement {
            amount: Amount::Number(above / below),
            beside: beside.map(|(what, amount)| beside_of(what, amount)).into(),
        }))
    }

    /// Measures a group from the first signature to the last computation.
    fn group(
        &self,
        scheme: GkeScheme,
        n: u32,
        board: &str,
        suite: GkeSuite,
        bus: GkeBus,
    ) -> Result<Taken, GkeSimulateError> {
        let costs = self.study.costs(board, suite)?;
        let frames = self.study.frame_times(board, bus)?;
        let setting = Setting {
            scheme,
            boards: repeated(board, scheme, n),
            suite,
            bus,
        };
        let record = self.record(&setting)?;
        let crypto = |work: &&record::Work| work.task == Task::Crypto;
        let first = record.work[record.orchestrator()].iter().find(crypto);
        let all = record.work.iter().enumerate();
        let last = all
            .filter_map(|(ecu, work)| Some((work.iter().rev().find(crypto)?.to, ecu)))
            .max();
        let (Some(first), Some((end, ecu))) = (first, last) else {
            return Err(no_time(&setting));
        };
        let chain = path::chain(&record, ecu, first.from, end);
        let formula = Formula::group(scheme, n, &costs, &frames);
        Ok(Taken::new(&record, &chain, formula))
    }

    /// Measures two ECUs, or one of them, from their orchestrator's request to their last check.
    fn pair(
        &self,
        [first, second]: &[String; 2],
        suite: GkeSuite,
        bus: GkeBus,
        seen_by: Option<usize>,
        formula: Formula,
    ) -> Result<Measurement, GkeSimulateError> {
        let setting = Setting {
            scheme: GkeScheme::TwoParty,
            boards: vec![first.clone(), second.clone(), first.clone()],
            suite,
            bus,
        };
        let record = self.record(&setting)?;
        let request = record.wires.iter();
        let mut request = request.filter(|wire| wire.step == keys::Step::Orchestration);
        let segments = super::model::frames_of(bus, 64) as usize;
        let request = request.nth(segments - 1);
        let request = request.ok_or_else(|| no_time(&setting))?;
        // The request's check is the first, the peer's signature the second.
        let checked = |ecu: &usize| {
            let done = |work: &&record::Work| work.kind == OperationKind::Verify && work.finished;
            let second = record.work[*ecu].iter().filter(done).nth(1)?;
            Some((second.to, *ecu))
        };
        let seen = |ecu: &usize| seen_by.is_none_or(|only| only == *ecu);
        let last = (0..2).filter(seen).filter_map(|ecu| checked(&ecu)).max();
        let (end, ecu) = last.ok_or_else(|| no_time(&setting))?;
        let chain = path::chain(&record, ecu, request.sent, end);
        Ok(Taken::new(&record, &chain, formula).exchange())
    }

    /// Returns a run, from memory if there was one of this setting.
    fn record(&self, setting: &Setting) -> Result<Rc<Record>, GkeSimulateError> {
        let name = setting.name();
        self.runs.record(setting, &name, || self.run(setting))
    }

    fn run(&self, setting: &Setting) -> Result<Record, GkeSimulateError> {
        let board = |name: &String| Ok::<_, PaperError>(Arc::new(self.study.board(name)?.clone()));
        let boards = setting.boards.iter().map(board);
        if setting.boards.len() > ECUS_MAX + 1 {
            return Err(GkeSimulateError::Plan);
        }
        let scenario = ExchangeScenario {
            scheme: match setting.scheme {
                GkeScheme::Main => keys::Scheme::TreeWithOrchestrator,
                GkeScheme::Symmetric => keys::Scheme::SymmetricDistribution,
                GkeScheme::Without | GkeScheme::TwoParty => keys::Scheme::TreeWithoutOrchestrator,
            },
            transport: match setting.bus {
                GkeBus::Can => keys::Transport::Classic,
                GkeBus::CanFd => keys::Transport::Fd,
            },
            rates: self.rates(setting)?,
            boards: boards.collect::<Result<_, _>>()?,
        };
        let record = match setting.suite {
            GkeSuite::FourQ => scenario.run(keys::AnyGroupSuite::of::<suites::FourQ>())?,
            GkeSuite::P256 => scenario.run(keys::AnyGroupSuite::of::<suites::P256>())?,
        };
        record.ok_or_else(|| GkeSimulateError::Unfinished {
            run: setting.name(),
        })
    }

    /// Returns the bit rates at which the paper's run on the slowest of these boards' buses has
    /// the frame times it prints.
    fn rates(&self, setting: &Setting) -> Result<(u32, u32), GkeSimulateError> {
        if setting.bus == GkeBus::Can {
            let rate = self.study.classic_rate().unwrap_or(CLASSIC_RATE);
            return Ok((rate, rate));
        }
        let mut slowest: Option<(FrameTimes, (u32, u32))> = None;
        for name in &setting.boards {
            let times = self.study.printed_frame_times(name, setting.bus)?;
            let slower = slowest.is_none_or(|(other, _)| times.snd64 > other.snd64);
            if slower {
                slowest = Some((times, self.study.rates(&times)?));
            }
        }
        slowest
            .map(|(_, rates)| self.study.fd_rates(rates))
            .ok_or(GkeSimulateError::Rates)
    }
}

/// Returns the boards of a group and its orchestrator.
fn repeated(board: &str, scheme: GkeScheme, n: u32) -> Vec<String> {
    let ecus = match scheme {
        GkeScheme::TwoParty => 2,
        _ => n as usize,
    };
    vec![board.to_owned(); ecus + 1]
}

fn no_time(setting: &Setting) -> GkeSimulateError {
    GkeSimulateError::NoTime {
        run: setting.name(),
    }
}

fn beside_of(what: &str, amount: f64) -> Beside {
    Beside {
        what: what.to_owned(),
        amount,
    }
}

/// The costs of one step alone, to see what a formula makes of it.
fn only(costs: &Costs, kind: OperationKind) -> Costs {
    let keep = |mine: OperationKind, time| match mine == kind {
        true => time,
        false => waywarden_work::Duration::ZERO,
    };
    Costs {
        verify_request: keep(OperationKind::Verify, costs.verify_request),
        share: keep(OperationKind::Share, costs.share),
        extract: keep(OperationKind::Extract, costs.extract),
        sign: keep(OperationKind::Sign, costs.sign),
        encrypt: keep(OperationKind::Encrypt, costs.encrypt),
        decrypt: keep(OperationKind::Decrypt, costs.decrypt),
        verify_confirmation: keep(OperationKind::Verify, costs.verify_confirmation),
    }
}
