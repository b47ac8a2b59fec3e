//! Bounds of a vehicle's streams by analysis, beside a simulation.

mod assumed;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::trace::Discard;
use waywarden_documents::document::DocumentFormat;
use waywarden_vehicle_bound::{
    BoundOptions, Covered, DeriveError, StreamBound, bounds, covered, without_security,
};
use waywarden_vehicle_file::identifier::IdentifierFields;
use waywarden_vehicle_file::{Stream, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_work::Duration;

use crate::lower::{LowerError, lower};
use crate::run::{RunError, run_while};

pub use assumed::Assumed;

/// The document of bounds for programs.
pub const DOCUMENT: DocumentFormat<Bounds> =
    DocumentFormat::new("bus-bound", 1, "waywarden bus bound FILE --format json");

/// Errors, attempts and offsets that bounds are to tolerate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoundChoices {
    /// Errors on each bus: how many at once, and the shortest time in picoseconds to the next one.
    pub errors: Option<(u64, u64)>,
    /// True if a receiver computes a code for each freshness value and message that it may try.
    pub every_attempt: bool,
    /// True if the streams of one sender keep the offsets of the file.
    pub offsets: bool,
}

/// Reason for bounds that cannot be told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BoundsError {
    /// The analysis does not cover the vehicle.
    #[error(transparent)]
    Derive(Box<DeriveError>),
    /// The vehicle cannot be simulated.
    #[error(transparent)]
    Lower(Box<LowerError>),
    /// The simulation stopped.
    #[error(transparent)]
    Run(Box<RunError>),
}

/// Parts of a vehicle that bounds cover.
pub struct Bounding {
    file: VehicleFile,
    covered: Covered,
}

impl Bounding {
    /// Takes what bounds of a vehicle cover, key exchanges only if `with_keys`.
    #[must_use]
    pub fn new(file: VehicleFile, with_keys: bool) -> Self {
        let covered = covered(&file, with_keys);
        Bounding { file, covered }
    }

    /// Returns the vehicle without what no bound covers; it needs the resources.
    #[must_use]
    pub const fn file(&self) -> &VehicleFile {
        &self.covered.file
    }

    /// Simulates the vehicle without attackers, as long as `go_on` says; returns the slowest
    /// message of each stream that arrived.
    ///
    /// # Errors
    /// [`BoundsError`] by cause.
    pub fn simulate(
        &self,
        resources: &Resources,
        go_on: &mut dyn FnMut(f64) -> bool,
    ) -> Result<Vec<Option<Duration>>, BoundsError> {
        let file = self.file();
        let lowered = lower(file, resources, Some(file.seed))
            .map_err(|error| BoundsError::Lower(error.into()))?;
        let outcome = run_while(lowered, &mut Discard, &mut |share, _, _| go_on(share));
        let streams = outcome
            .map_err(|error| BoundsError::Run(error.into()))?
            .measure
            .streams;
        Ok(streams.iter().map(|one| one.latency.greatest()).collect())
    }

    /// Bounds the streams; `seen` is what a simulation showed.
    ///
    /// # Errors
    /// [`BoundsError`] by cause.
    pub fn bounds(
        self,
        resources: &Resources,
        choices: &BoundChoices,
        seen: Option<&[Option<Duration>]>,
    ) -> Result<Bounds, BoundsError> {
        let Covered {
            file: own,
            keys,
            assumptions,
        } = self.covered;
        let secured = BoundOptions {
            errors: choices.errors,
            every_attempt: choices.every_attempt,
            offsets: choices.offsets,
            keys,
        };
        let bare = BoundOptions {
            keys: Vec::new(),
            ..secured.clone()
        };
        let of = |file: &VehicleFile, options: &BoundOptions| {
            bounds(file, resources, options).map_err(|error| BoundsError::Derive(error.into()))
        };
        let assumed = Assumed::new(&self.file, &secured, assumptions);
        let (secured, bare) = (of(&own, &secured)?, of(&without_security(&own), &bare)?);
        Ok(Bounds::new(&own, (&secured, &bare), seen, assumed))
    }
}

/// All figures of a vehicle.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bounds {
    /// The vehicle's name.
    pub vehicle: String,
    /// True if every bound exists and is within its deadline, where one counts.
    pub all_met: bool,
    /// Median of bound divided by simulated time, over the streams that have both.
    pub median_ratio: Option<f64>,
    /// Number of streams without receivers: their bounds end with their frames, and no deadline
    /// counts.
    pub without_receivers: usize,
    /// Assumptions of the bounds.
    pub assumed: Assumed,
    /// The same in sentences, and what the bounds leave out.
    pub assumptions: Vec<String>,
    /// By stream and bus.
    pub streams: Vec<BoundRow>,
}

/// A stream on a bus.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoundRow {
    /// Its name.
    pub stream: String,
    /// The bus: the sender's, or one that a gateway forwards it to.
    pub bus: String,
    /// Its identifier.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// The time from one instance to the next.
    pub period_ms: f64,
    /// The deadline.
    pub deadline_ms: f64,
    /// The longest time from release to delivery, rounded up to microseconds.
    pub bound_ms: Option<f64>,
    /// The same of the vehicle without authentication and keys.
    pub bound_without_security_ms: Option<f64>,
    /// Reason why there is no bound.
    pub no_bound: Option<String>,
    /// On the bus whose bound is the longest: a simulation measures over all receivers.
    pub simulated_ms: Option<f64>,
    /// The bound divided by what was simulated.
    pub ratio: Option<f64>,
    /// True if there is a bound, within the deadline.
    pub met: bool,
    /// True if an ECU receives the stream, on any bus. Else its deadline does not count.
    pub has_receivers: bool,
}

impl Bounds {
    fn new(
        file: &VehicleFile,
        (secured, bare): (&[StreamBound], &[StreamBound]),
        seen: Option<&[Option<Duration>]>,
        assumed: Assumed,
    ) -> Self {
        let streams: Vec<BoundRow> = secured
            .iter()
            .enumerate()
            .map(|(at, own)| {
                let seen = seen.and_then(|seen| seen[own.stream.0]);
                let seen = seen.filter(|_| is_slowest(secured, at));
                let bare = bare
                    .iter()
                    .find(|one| (one.stream, one.bus) == (own.stream, own.bus));
                BoundRow::new(file, own, bare, seen)
            })
            .collect();
        let mut ratios: Vec<f64> = streams.iter().filter_map(|row| row.ratio).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let is_unheard = |stream: &&Stream| stream.receivers.is_empty();
        Bounds {
            vehicle: file.name.clone(),
            all_met: streams.iter().all(BoundRow::passes),
            median_ratio: ratios.get(ratios.len() / 2).copied(),
            without_receivers: file.streams.iter().filter(is_unheard).count(),
            assumptions: assumed.sentences(),
            assumed,
            streams,
        }
    }
}

impl BoundRow {
    /// Returns true if the bound is within the deadline, where one counts.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.met || (!self.has_receivers && self.no_bound.is_none())
    }

    fn new(
        file: &VehicleFile,
        own: &StreamBound,
        bare: Option<&StreamBound>,
        seen: Option<Duration>,
    ) -> Self {
        let stream = file.stream(own.stream);
        let bound_ms = own.bound.ok().map(up_to_ms);
        let simulated_ms = seen.map(|seen| seen.as_nanos() as f64 / 1e6);
        let deadline_ms = stream.deadline.as_nanos() as f64 / 1e6;
        let ratio = bound_ms.zip(simulated_ms).filter(|(_, seen)| *seen > 0.0);
        let deadline = stream.deadline.as_nanos().saturating_mul(1_000);
        BoundRow {
            stream: stream.name.value.clone(),
            bus: file.bus(own.bus).name.value.clone(),
            identifier: stream.id.value.into(),
            period_ms: stream.period.as_nanos() as f64 / 1e6,
            deadline_ms,
            bound_ms,
            bound_without_security_ms: bare.and_then(|bare| bare.bound.ok()).map(up_to_ms),
            no_bound: own.bound.err().map(|cause| cause.to_string()),
            simulated_ms,
            ratio: ratio.map(|(bound, seen)| bound / seen),
            met: own.bound.is_ok_and(|bound| bound <= deadline),
            has_receivers: !stream.receivers.is_empty(),
        }
    }
}

/// Returns true if a stream has no longer bound on a bus with receivers; of equal ones the first
/// counts.
fn is_slowest(all: &[StreamBound], at: usize) -> bool {
    let own = &all[at];
    let key = |one: &StreamBound| one.bound.unwrap_or(u64::MAX);
    let others = all.iter().enumerate();
    let mut others = others.filter(|(_, one)| one.stream == own.stream && one.receivers > 0);
    own.receivers > 0
        && others.all(|(other, one)| key(one) < key(own) || (key(one) == key(own) && other >= at))
}

/// Picoseconds as milliseconds, rounded up to microseconds.
fn up_to_ms(picoseconds: u64) -> f64 {
    picoseconds.div_ceil(1_000_000) as f64 / 1e3
}
