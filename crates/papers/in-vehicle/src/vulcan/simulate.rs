//! The measured column: two ECUs with real messages and real codes on the exact bus.
//!
//! A ping is measured from the call that sends it, at the ECU that sends it, as the paper does. The
//! first ones are left out: the hardened protocol's receivers first ask where its streams stand.
//! There is no other traffic and no fault. Payloads are random, and change from message to message:
//! the board's driver calls are what the paper's times leave beside a mean frame.

mod player;
mod record;

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use thiserror::Error;
use waywarden_can::node::{Boot, Input, Node, Output, Ports};
use waywarden_can_auth::mac::{AesCmac, Mac, SpongentMac};
use waywarden_can_sim::config::EcuConfig;
use waywarden_can_sim::controller::PortConfig;
use waywarden_work::{Duration, Instant};

use super::ends::{Ends, Ids};
use super::operation::SoftwareMac;
use super::quantity::{Buffers, Code, VulcanMetric, VulcanQuantity, VulcanRun};
use super::study::VulcanStudy;
use crate::bench::{Bench, LIMIT_S, Runs};
use waywarden_paper_tables::{Amount, Beside, Measurement, PaperError};

use player::{Log, PERIOD, Player, locked};
use record::{Record, Stretch, mean};

/// Number of answered pings left out at the start.
const FIRST: usize = 8;

/// Simulated time between two counts of answered pings, in milliseconds.
const STRIDE_MS: u64 = 1_000;

/// Reason for a failed simulation.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VulcanSimulateError {
    /// The paper's data and the boards do not fit.
    #[error(transparent)]
    Paper(#[from] PaperError),
    /// A protocol cannot have these identifiers, or this code.
    #[error("no test bench of this kind: {0}")]
    Setup(String),
    /// The simulation stopped.
    #[error("the simulation stopped: {0}")]
    Run(String),
    /// A protocol stopped.
    #[error("a message could not be protected or checked: {0}")]
    Protocol(String),
    /// The time of a run was over.
    #[error("{run}: {answered} of {asked} pings were answered in {LIMIT_S} s of simulated time")]
    Unfinished {
        /// The run in words.
        run: String,
        /// Pings that were answered.
        answered: usize,
        /// Pings that are measured, and the first ones, which are left out.
        asked: usize,
    },
}

impl VulcanSimulateError {
    /// Returns true if the run would be over in time on a quicker board or a quicker bus.
    #[must_use]
    pub const fn is_too_slow(&self) -> bool {
        matches!(self, Self::Unfinished { .. })
    }
}

/// Runs what is asked for, each setting once.
pub struct VulcanSimulator<'a> {
    study: VulcanStudy,
    runs: Runs<'a, VulcanRun, Record, VulcanSimulateError>,
}

impl<'a> VulcanSimulator<'a> {
    /// Makes a simulator that tells `announce` of each run before it starts.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault.
    pub fn new(announce: &'a dyn Fn(&str)) -> Result<Self, PaperError> {
        Ok(Self::of(VulcanStudy::load()?, announce))
    }

    /// Makes a simulator of a study, whose assumptions may be others.
    #[must_use]
    pub fn of(study: VulcanStudy, announce: &'a dyn Fn(&str)) -> Self {
        let runs = Runs::new(announce);
        VulcanSimulator { study, runs }
    }

    /// Measures a quantity; none if its run has no such thing, or if a run failed, which
    /// [`VulcanSimulator::failure`] then tells.
    #[must_use]
    pub fn measure(&self, of: &VulcanQuantity) -> Option<Measurement> {
        self.runs.measure(|| self.try_measure(of))
    }

    /// Returns why the first run that failed did, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<VulcanSimulateError> {
        self.runs.failure()
    }

    fn try_measure(&self, of: &VulcanQuantity) -> Result<Option<Measurement>, VulcanSimulateError> {
        let record = self.record(of.run)?;
        let time = |nanos: f64| Amount::Time(Duration::from_nanos(nanos.round() as u64));
        let amount = match of.what {
            VulcanMetric::Code => match record.code() {
                Some(nanos) => time(nanos),
                None => return Ok(None),
            },
            VulcanMetric::Send => time(mean(&record.sends)),
            VulcanMetric::RoundTrip => time(mean(&record.trips)),
            VulcanMetric::Bus => time(record.bus()),
            VulcanMetric::Processors => time(record.processors()),
            VulcanMetric::Frames => Amount::Number(record.count()),
        };
        let beside = self.beside(of, amount, &record)?;
        Ok(Some(Measurement { amount, beside }))
    }

    /// Returns what a measurement contains beside the formula: actual frames in place of mean ones.
    fn beside(
        &self,
        of: &VulcanQuantity,
        amount: Amount,
        record: &Record,
    ) -> Result<Vec<Beside>, VulcanSimulateError> {
        let (Amount::Time(measured), Amount::Time(formula)) = (amount, self.study.formula(of)?)
        else {
            return Ok(Vec::new());
        };
        let (measured, formula) = (measured.as_nanos() as f64, formula.as_nanos() as f64);
        let trips = record.frames_by_trip();
        // The mean of what each round trip takes: a code that is longer than some data frames and
        // shorter than others makes it another than what mean frames take.
        let with = |early: f64| -> Result<f64, PaperError> {
            let each = trips
                .iter()
                .map(|frames| self.study.with_frames(of, frames, early));
            Ok(each.sum::<Result<f64, _>>()? / trips.len().max(1) as f64)
        };
        let exact = with(0.0)?;
        let early = with(self.study.bit())? - exact;
        let mut bits = exact - formula;
        // Each was rounded to a nanosecond.
        if (measured - formula - bits - early).abs() <= 2.0 {
            bits = measured - formula - early;
        }
        let items = [
            ("of these frames' own stuff bits", bits),
            ("of receivers that have a frame a bit before its end", early),
        ];
        let items = items.into_iter().filter(|(_, amount)| amount.abs() > 1e-9);
        let beside = items.map(|(what, amount)| Beside {
            what: what.to_owned(),
            amount,
        });
        Ok(beside.collect())
    }

    /// Returns a run, from memory if there was one of this setting.
    fn record(&self, run: VulcanRun) -> Result<Rc<Record>, VulcanSimulateError> {
        self.runs.record(&run, &run.name(), || match run.code {
            Code::None | Code::Unit => self.run::<SpongentMac>(run),
            Code::Software => self.run::<SoftwareMac>(run),
            Code::Cmac => self.run::<AesCmac>(run),
        })
    }

    fn run<M: Mac + Send + 'static>(&self, run: VulcanRun) -> Result<Record, VulcanSimulateError> {
        let log = Arc::<Mutex<Log>>::default();
        let ids = self.study.ids()?;
        let peer = Ids {
            own: ids.other,
            other: ids.own,
            own_failures: ids.other_failures,
            other_failures: ids.own_failures,
        };
        let mut ecus = Vec::new();
        for (name, serves, ids) in [("ping", true, ids), ("pong", false, peer)] {
            ecus.push(self.ecu::<M>(run, (name, serves), ids, &log)?);
        }
        let bench = Bench {
            timing: self.study.timing()?,
            ecus,
            stride_ms: STRIDE_MS,
        };
        let mut record = Record::default();
        let samples = self.study.data.bench.samples;
        let is_over = bench.run(&mut record, VulcanSimulateError::Run, || {
            let log = locked(&log);
            match &log.fault {
                Some(fault) => Err(VulcanSimulateError::Protocol(fault.clone())),
                None => Ok(log.trips.len() >= FIRST + samples),
            }
        })?;
        if !is_over {
            return Err(VulcanSimulateError::Unfinished {
                run: run.name(),
                answered: locked(&log).trips.len(),
                asked: FIRST + samples,
            });
        }
        record.take(&locked(&log), samples);
        Ok(record)
    }

    /// Returns the time from one ping to the next, longer than any round trip: [`PERIOD`], or more
    /// where other assumptions make round trips long.
    fn period(&self, run: VulcanRun) -> Result<Duration, VulcanSimulateError> {
        let trip = match self.study.formula(&run.count(VulcanMetric::RoundTrip))? {
            Amount::Time(time) => time.as_nanos(),
            Amount::Number(_) => 0,
        };
        // Bits are stuffed, and the hardened protocol's own frames come between.
        let longest = Duration::from_nanos(trip.saturating_mul(2));
        Ok(longest.max(PERIOD))
    }

    fn ecu<M: Mac + Send + 'static>(
        &self,
        run: VulcanRun,
        (name, serves): (&str, bool),
        ids: Ids,
        log: &Arc<Mutex<Log>>,
    ) -> Result<EcuConfig, VulcanSimulateError> {
        // Once to know that it can be made.
        Ends::<M>::new(run.protocol, ids).map_err(VulcanSimulateError::Setup)?;
        let ahead = match run.protocol.computes_ahead() {
            true => self.study.operation(run)?,
            false => None,
        };
        let (protocol, log) = (run.protocol, Arc::clone(log));
        let period = self.period(run)?;
        let build = move |_: &Boot<'_>| -> Box<dyn Node + Send> {
            match Ends::<M>::new(protocol, ids) {
                Ok(ends) => {
                    let messages = (protocol.payload(), ahead, run.has_modules);
                    let period = serves.then_some(period);
                    Box::new(Player::new(ends, period, messages, &log))
                }
                Err(fault) => {
                    locked(&log).fault = Some(fault);
                    Box::new(Silent)
                }
            }
        };
        let port = PortConfig {
            transmit_queue: match run.buffers {
                Buffers::One => 1,
                Buffers::Several => 3,
            },
            ..PortConfig::on(0)
        };
        let board = Arc::new(self.study.board.clone());
        Ok(EcuConfig::new(name, board, vec![port], build))
    }
}

/// An ECU that could not be made.
struct Silent;

impl Node for Silent {
    fn handle(&mut self, _: Instant, _: Input<'_>) {}

    fn poll(&mut self, _: Instant, _: Ports) -> Output {
        Output::Idle(None)
    }
}

impl Record {
    /// Takes the times of the samples, and none of the first pings.
    fn take(&mut self, log: &Log, samples: usize) {
        let trips = log.trips.iter().skip(FIRST).take(samples);
        self.trips = trips.map(|trip| Stretch::of(*trip)).collect();
        let answered = |send: &&Stretch| self.trips.iter().any(|trip| trip.from == send.from);
        let sends: Vec<Stretch> = log.sends.iter().map(|send| Stretch::of(*send)).collect();
        self.sends = sends.iter().filter(answered).copied().collect();
    }
}
