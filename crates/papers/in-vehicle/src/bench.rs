//! The harness of the measured columns: ECUs on one simulated bus, and runs that are kept.
//!
//! A paper describes its ECUs, says when a run is over, and reads its record; a setting runs once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

use waywarden_can::timing::BitTiming;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{BusConfig, EcuConfig};
use waywarden_can_sim::trace::EventSink;
use waywarden_can_sim::{Config, Simulation};
use waywarden_paper_tables::Measurement;

/// Simulated time after which a run fails, in seconds. The slowest run of the papers takes less
/// than a tenth of it.
pub(crate) const LIMIT_S: u64 = 120;

/// ECUs that start at once on an empty bus.
pub(crate) struct Bench {
    pub(crate) timing: BitTiming,
    pub(crate) ecus: Vec<EcuConfig>,
    /// Simulated time between two checks whether the run is over, in milliseconds.
    pub(crate) stride_ms: u64,
}

impl Bench {
    /// Runs until `is_over`; false if that does not happen in [`LIMIT_S`]. `stopped` is the error
    /// of a simulation that cannot go on.
    pub(crate) fn run<E>(
        self,
        record: &mut impl EventSink,
        stopped: impl Fn(String) -> E,
        mut is_over: impl FnMut() -> Result<bool, E>,
    ) -> Result<bool, E> {
        let config = Config {
            seed: 1,
            buses: vec![BusConfig::new("bus", self.timing)],
            ecus: self.ecus,
        };
        let simulation = Simulation::new(config);
        let mut simulation = simulation.map_err(|error| stopped(error.to_string()))?;
        for end in (self.stride_ms..=LIMIT_S * 1_000).step_by(self.stride_ms as usize) {
            simulation
                .run_until(Time::from_nanos(end * 1_000_000), record)
                .map_err(|error| stopped(error.to_string()))?;
            if is_over()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The records of runs by their settings, and the first failure of one.
pub(crate) struct Runs<'a, K, R, E> {
    records: RefCell<HashMap<K, Rc<R>>>,
    failure: RefCell<Option<E>>,
    announce: &'a dyn Fn(&str),
}

impl<'a, K: Eq + Hash + Clone, R, E: Clone> Runs<'a, K, R, E> {
    /// No runs yet; `announce` is given the name of each before it starts.
    pub(crate) fn new(announce: &'a dyn Fn(&str)) -> Self {
        Runs {
            records: RefCell::default(),
            failure: RefCell::default(),
            announce,
        }
    }

    /// Returns the record of a setting, which is run if it was not yet.
    pub(crate) fn record(
        &self,
        setting: &K,
        name: &str,
        run: impl FnOnce() -> Result<R, E>,
    ) -> Result<Rc<R>, E> {
        if let Some(record) = self.records.borrow().get(setting) {
            return Ok(Rc::clone(record));
        }
        (self.announce)(name);
        let record = Rc::new(run()?);
        let mut records = self.records.borrow_mut();
        records.insert(setting.clone(), Rc::clone(&record));
        Ok(record)
    }

    /// Measures, unless a run has failed; keeps the failure if one does.
    pub(crate) fn measure(
        &self,
        measure: impl FnOnce() -> Result<Option<Measurement>, E>,
    ) -> Option<Measurement> {
        if self.failure.borrow().is_some() {
            return None;
        }
        measure().unwrap_or_else(|error| {
            *self.failure.borrow_mut() = Some(error);
            None
        })
    }

    /// Returns why the first run that failed did, if one did.
    pub(crate) fn failure(&self) -> Option<E> {
        self.failure.borrow().clone()
    }
}
