//! The measured column: real messages and real cryptography on the exact bus.
//!
//! Bytes (without what fills last frames up), frames and bus times are those of every frame of the
//! protocol up to the last one, the security module's acknowledgement included, which the formulas
//! leave to the phase after. Work is what the roles report, all of it, at a board's figures. The
//! schemes of 2017 have no implementation here, so what is asked of them is not measured.

mod network;
mod record;

use std::rc::Rc;
use std::sync::Arc;

use thiserror::Error;
use waywarden_group_keys::Transport;
use waywarden_lasan::{AnyLasanSuite, LasanProfile};
use waywarden_work::Duration;

use super::flow;
use super::quantity::{ComputingParty, LasanQuantity, LasanRun, Metric, Part, State};
use super::study::LasanStudy;
use crate::bench::{LIMIT_S, Runs};
use waywarden_paper_tables::{Amount, Beside, Measurement, PaperError};

use network::{ECUS_MAX, HANDSHAKES};
use record::{Record, Sent};

/// Reason for a failed simulation.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LasanSimulateError {
    /// The paper's data and the boards do not fit.
    #[error(transparent)]
    Paper(#[from] PaperError),
    /// A key or a certificate could not be made.
    #[error(
        "no authentication of so many ECUs, or of this kind; up to {ECUS_MAX} can be simulated"
    )]
    Setup,
    /// The simulation stopped.
    #[error("the simulation stopped: {0}")]
    Run(String),
    /// The time of a run was over.
    #[error("{run}: some ECUs are not authenticated after {LIMIT_S} s of simulated time")]
    Unfinished {
        /// The run in words.
        run: String,
    },
}

impl LasanSimulateError {
    /// Returns true if the run would be over in time on a quicker board or a quicker bus.
    #[must_use]
    pub const fn is_too_slow(&self) -> bool {
        matches!(self, Self::Unfinished { .. })
    }
}

/// Runs what is asked for, each setting once.
pub struct LasanSimulator<'a> {
    study: LasanStudy,
    runs: Runs<'a, LasanRun, Record, LasanSimulateError>,
}

impl<'a> LasanSimulator<'a> {
    /// Makes a simulator that tells `announce` of each run before it starts.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault.
    pub fn new(announce: &'a dyn Fn(&str)) -> Result<Self, PaperError> {
        Ok(Self::of(LasanStudy::load()?, announce))
    }

    /// Makes a simulator of a study, whose assumptions may be others.
    #[must_use]
    pub fn of(study: LasanStudy, announce: &'a dyn Fn(&str)) -> Self {
        let runs = Runs::new(announce);
        LasanSimulator { study, runs }
    }

    /// Measures a quantity; none if its suite is not implemented here, or if the run failed, which
    /// [`LasanSimulator::failure`] then tells, or one before it. Takes up to seconds of processor
    /// time.
    #[must_use]
    pub fn measure(&self, of: &LasanQuantity) -> Option<Measurement> {
        self.runs.measure(|| self.try_measure(of))
    }

    /// Returns why the first run that failed did, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<LasanSimulateError> {
        self.runs.failure()
    }

    fn try_measure(&self, of: &LasanQuantity) -> Result<Option<Measurement>, LasanSimulateError> {
        if self.study.suite(&of.run.suite)?.category.is_none() {
            return Ok(None);
        }
        let record = self.record(&of.run)?;
        let LasanQuantity { run, what, part } = of;
        Ok(Some(match what {
            Metric::Bytes => self.sent(&record, of, |sent| sent.bytes as f64, 1.0)?,
            Metric::Frames => self.sent(&record, of, |sent| sent.frames as f64, 1.0)?,
            Metric::Bus => {
                let intermission = self.study.timing(run.transport)?.intermission().get();
                let time = |sent: &Sent| (sent.time + sent.frames * intermission) as f64;
                self.sent(&record, of, time, 1e3)?
            }
            Metric::Computation { who, board } => self.computation(&record, of, *who, board)?,
            Metric::State(state) => plain(record.state(*state, *part)),
            Metric::States => {
                let states = State::ALL.iter();
                plain(states.map(|state| record.state(*state, *part)).sum())
            }
        }))
    }

    /// Adds up something over what was sent, `per` of the unit, and finds what the formula has not.
    fn sent(
        &self,
        record: &Record,
        of: &LasanQuantity,
        count: impl Fn(&Sent) -> f64,
        per: f64,
    ) -> Result<Measurement, LasanSimulateError> {
        let LasanQuantity { run, what, part } = of;
        let share = |once| match (part, once) {
            (Part::All, _) | (Part::Once, true) => 1.0,
            (Part::Each, false) => 1.0 / f64::from(run.ecus.max(1)),
            _ => 0.0,
        };
        let known = flow::messages(run, self.study.suite(&run.suite)?);
        let mut sum = 0.0;
        let mut beside = Vec::new();
        for (kind, sent) in &record.sent {
            let share = share(kind.is_broadcast()) / per;
            let amount = count(sent) * share;
            sum += amount;
            let length = known.iter().find(|(own, _)| own == kind);
            let Some((_, length)) = length else {
                beside.push((format!("of {}", kind.name()), amount));
                continue;
            };
            let fields = flow::frames(run, *length);
            let times = part.of(kind.is_broadcast(), run.ecus) as f64;
            let sent = sent.frames as f64 * share * per / fields.len() as f64;
            let padding = match what {
                Metric::Bytes => sent * (fields.iter().sum::<usize>() - length) as f64,
                _ => 0.0,
            };
            sum -= padding;
            // Messages sent again, at their share of all of their kind.
            let again = (sent - times) * (amount - padding) / sent.max(1.0);
            beside.push((format!("of {} again", kind.name()), again));
        }
        let amount = match what {
            Metric::Bus => Amount::Time(Duration::from_nanos(sum.round() as u64)),
            _ => Amount::Number(sum),
        };
        if *what == Metric::Bus
            && let Amount::Time(formula) = self.study.formula(of)?
        {
            let others: f64 = beside.iter().map(|(_, amount)| amount).sum();
            let bits = sum - formula.as_nanos() as f64 - others;
            beside.push(("of these frames' own stuff bits".to_owned(), bits));
        }
        Ok(measurement(amount, beside))
    }

    fn computation(
        &self,
        record: &Record,
        of: &LasanQuantity,
        who: ComputingParty,
        board: &str,
    ) -> Result<Measurement, LasanSimulateError> {
        let (run, part) = (&of.run, of.part);
        let ecus = u64::from(run.ecus.max(1));
        let (mut nanos, mut others) = (0, 0);
        for ecu in 0..=record.module() {
            let asked = match who {
                ComputingParty::Both => true,
                ComputingParty::Module => ecu == record.module(),
                ComputingParty::Ecu => ecu != record.module(),
            };
            for (once, operation) in record.operations(ecu).filter(|_| asked) {
                let cost = self.study.cost(board, &operation)?.as_nanos();
                let cost = match (part, once) {
                    (Part::All, _) | (Part::Once, true) => cost,
                    (Part::Each, false) => cost / ecus,
                    _ => 0,
                };
                nanos += cost;
                if !flow::is_counted(operation.kind) {
                    others += cost;
                }
            }
        }
        let words = "of hashing, key derivation and sealing".to_owned();
        let beside = vec![(words, others as f64)];
        let amount = Amount::Time(Duration::from_nanos(nanos));
        Ok(measurement(amount, beside))
    }

    /// Returns a run, from memory if there was one of this setting.
    fn record(&self, run: &LasanRun) -> Result<Rc<Record>, LasanSimulateError> {
        if !(1..=ECUS_MAX).contains(&usize::from(run.ecus)) {
            return Err(LasanSimulateError::Setup);
        }
        let name = name(run);
        self.runs.record(run, &name, || {
            let record = self.run(run)?;
            record.ok_or_else(|| LasanSimulateError::Unfinished { run: name.clone() })
        })
    }

    fn run(&self, run: &LasanRun) -> Result<Option<Record>, LasanSimulateError> {
        let board = Arc::new(self.study.board(&run.board)?.clone());
        let suite = AnyLasanSuite::named(&run.suite).ok_or(LasanSimulateError::Setup)?;
        let handshakes = match run.profile {
            // An ECU that finds no room is not asked again: there has to be some for all.
            LasanProfile::AsPublished => ECUS_MAX,
            _ => HANDSHAKES,
        };
        let timing = self.study.timing(run.transport)?;
        network::run(suite, handshakes, run, (&board, timing))
    }
}

/// Names a run for people.
fn name(run: &LasanRun) -> String {
    let bus = match run.transport {
        Transport::Classic => "CAN",
        Transport::Fd => "CAN FD",
    };
    let (profile, credentials) = (run.profile.name(), run.credentials.name());
    let (suite, ecus) = (&run.suite, run.ecus);
    let plural = if ecus == 1 { "" } else { "s" };
    format!("{suite}, {profile}, {credentials}, {bus}, {ecus} ECU{plural}")
}

/// A time in picoseconds as it is.
fn plain(picos: u64) -> Measurement {
    let amount = Amount::Time(Duration::from_nanos(picos / 1_000));
    measurement(amount, Vec::new())
}

fn measurement(amount: Amount, beside: Vec<(String, f64)>) -> Measurement {
    let beside = beside.into_iter().filter(|(_, amount)| amount.abs() > 1e-9);
    Measurement {
        amount,
        beside: beside
            .map(|(what, amount)| Beside { what, amount })
            .collect(),
    }
}
