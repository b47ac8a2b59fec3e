//! A run in figures, in a form that serialises: what tables, JSON and the HTML report show.

mod attacks;
mod authentication;
mod cells;
mod figures;
mod first_authentic;
mod images;
mod keys;
mod lasan;
mod outcomes;
mod security_load;

pub use attacks::{AttackRow, AttackerAction, KeyDeceptionRow, NEVER_RAN, TakenRow};
pub use authentication::{AuthenticationRow, ChangeRow, CheckRow, DisplayRow};
pub use cells::Cells;
pub use figures::FigureRow;
pub use first_authentic::FirstAuthenticRow;
pub use images::ImageRow;
pub use keys::{GroupRow, MergedRow, PartyRow, StepRow, SubgroupRow, scheme_name};
pub use keys::{
    merged_rows, odd_levels_name, orchestration_name, subgroup_rows, suite_name, transport_name,
};
pub use lasan::authenticated;
pub use lasan::{
    AuthenticatedRow, CarriedRow, KindRow, ModuleBootRow, NetworkRow, ProtectedRow, ReceiverRow,
};
pub use outcomes::OutcomeRow;
pub use security_load::SecurityLoadRow;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;
use waywarden_documents::document::DocumentFormat;
use waywarden_work::Duration;

use crate::RunOutcome;
use crate::measure::histogram::Histogram;
use crate::measure::{LOAD_WINDOW, ms, span};
use crate::require::{RequirementVerdict, describe, load, verdicts};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::ideal::{ideal_ecus, ideal_note};
use waywarden_vehicle_file::identifier::IdentifierFields;

/// The document of a run for programs.
pub const DOCUMENT: DocumentFormat<Report> =
    DocumentFormat::new("run", 1, "waywarden run FILE --format json");

/// A run in figures. Durations are milliseconds, loads are shares from 0 to 1.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// The vehicle's name.
    pub vehicle: String,
    /// The seed it ran with.
    pub seed: u64,
    /// Duration of the run.
    pub duration_ms: f64,
    /// Time at which every stream had reached each of its receivers once; `require.startup` bounds
    /// it.
    pub start_up_ms: Option<f64>,
    /// Time at which each group had its first key, and all were authorized under each security
    /// module. None without either, or if that was not so by the end.
    pub keys_ms: Option<f64>,
    /// Figures by bus.
    pub buses: Vec<BusRow>,
    /// Figures by ECU, replay and attacker.
    pub ecus: Vec<EcuRow>,
    /// Figures by stream.
    pub streams: Vec<StreamRow>,
    /// Figures by group that agrees on a key.
    pub groups: Vec<GroupRow>,
    /// Figures by security module.
    pub security_modules: Vec<NetworkRow>,
    /// Figures by authentication.
    pub authentication: Vec<AuthenticationRow>,
    /// Waits for a first authentic message, by authenticated stream.
    pub first_authentic: Vec<FirstAuthenticRow>,
    /// Figures by display.
    pub displays: Vec<DisplayRow>,
    /// Messages that receivers took and their senders did not send, of all streams.
    pub forgeries: u64,
    /// Verdicts by requirement.
    pub requirements: Vec<RequirementVerdict>,
    /// Streams whose offsets are unknown.
    pub unknown_offsets: usize,
    /// The draw of unknown offsets, as `run --phase` takes it; in phase 0 all are 0.
    pub phase: u64,
    /// Streams that the default of `latency` leaves out, as they have no receivers.
    pub latency_without_receivers: usize,
    /// Figures by attacker, interferer and fault.
    pub attacks: Vec<AttackRow>,
    /// The figures that costs were taken from, with their origin.
    pub costs: Vec<FigureRow>,
    /// Loads before and after security, by bus; left out of JSON where security adds nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub security_load: Vec<SecurityLoadRow>,
    /// Figures by ECU that computes on a hardware security module; left out of JSON where none
    /// does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hardware_security_modules: Vec<ModuleRow>,
    /// Figures by ECU whose software is an image; left out of JSON where none is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageRow>,
    /// The source of doubt in their times, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images_text: Option<String>,
    /// ECUs with the board `ideal`, on which computing takes no time: no latency and no load has
    /// its share; left out of JSON where none has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ideal_ecus: Vec<String>,
    /// The same in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ideal_text: Option<String>,
}

/// A hardware security module in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModuleRow {
    /// Its ECU.
    pub ecu: String,
    /// Its name.
    pub module: String,
    /// Share of one engine's time that it computed.
    pub load: f64,
    /// Commands completed.
    pub commands: u64,
    /// The longest of them.
    pub longest_ms: f64,
}

/// A bus in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BusRow {
    /// Its name.
    pub bus: String,
    /// Frames sent and acknowledged.
    pub frames: u64,
    /// Share of the time that frames and their intermissions took.
    pub load: f64,
    /// The same in the busiest 100 ms.
    pub peak_load: f64,
    /// Number of identifiers seen.
    pub ids: usize,
    /// Errors detected by any controller.
    pub errors: u64,
    /// Strikes of interferers.
    pub strikes: u64,
}

/// An ECU in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EcuRow {
    /// Its name.
    pub ecu: String,
    /// Share of its cores' time spent in the receive task.
    pub receive_load: f64,
    /// Share spent in the send task.
    pub send_load: f64,
    /// Share spent in the crypto task.
    pub crypto_load: f64,
    /// Share of its cores' time that all tasks took in the busiest 100 ms.
    pub peak_load: f64,
    /// Received frames lost to a full queue.
    pub overruns: u64,
    /// Frames taken back.
    pub withdrawn: u64,
    /// Boots, 1 without a reset.
    pub boots: u32,
    /// The worst fault confinement state.
    pub worst_state: &'static str,
}

/// A stream in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StreamRow {
    /// Its name.
    pub stream: String,
    /// Its identifier.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// Its sender.
    pub sender: String,
    /// The sender's bus.
    pub bus: String,
    /// Instances that the sender's software released.
    pub released: u64,
    /// Instances that the sender's queue took.
    pub requested: u64,
    /// Instances that never left, for the queue was full.
    pub skipped: u64,
    /// Instances that never left, for the sender could not protect them: it had no key of the
    /// stream, nothing was announced or retained yet, or a counter was at its end.
    pub withheld: u64,
    /// First deliveries, over all receivers.
    pub delivered: u64,
    /// Repeated deliveries of an instance to a receiver, over all receivers.
    pub repeated: u64,
    /// First deliveries after the deadline.
    pub late: u64,
    /// The outcomes of its instances by receiver.
    pub receivers: Vec<OutcomeRow>,
    /// The deadline.
    pub deadline_ms: f64,
    /// Mean time from release to delivery.
    pub mean_ms: Option<f64>,
    /// 99 of 100 deliveries took no longer, to 1.6 %.
    pub p99_ms: Option<f64>,
    /// The slowest delivery.
    pub worst_ms: Option<f64>,
    /// The step of it that took longest.
    pub worst_cause: Option<String>,
    /// The bound by analysis for any offsets, as `waywarden bus bound` has it; left out of a
    /// vehicle whose offsets are all known, and of a stream without a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_ms: Option<f64>,
}

impl Report {
    /// Sums up a run.
    #[must_use]
    pub fn new(file: &VehicleFile, seed: u64, outcome: &RunOutcome) -> Self {
        let attacks = attacks::rows(file, outcome);
        let mut requirements = verdicts(file, outcome);
        if !requirements.is_empty() {
            requirements.extend(attacks::never_ran(file, &attacks));
        }
        let (groups, security_modules) = (keys::rows(file, outcome), lasan::rows(file, outcome));
        let images = images::rows(file, outcome);
        requirements.extend(images::failed(file, &images));
        let keyed = groups.iter().map(|one| one.start_up_ms);
        let keyed = keyed.chain(security_modules.iter().map(|one| one.authorized_ms));
        Report {
            vehicle: file.name.clone(),
            seed,
            duration_ms: ms(span(Time::ZERO, outcome.end)),
            start_up_ms: outcome
                .measure
                .start_up()
                .map(|time| ms(span(Time::ZERO, time))),
            keys_ms: keyed.reduce(|one, other| Some(one?.max(other?))).flatten(),
            buses: (0..outcome.names.buses.len())
                .map(|bus| bus_row(outcome, bus))
                .collect(),
            ecus: (0..outcome.names.ecus.len())
                .map(|ecu| ecu_row(outcome, ecu))
                .collect(),
            streams: (0..file.streams.len())
                .map(|at| stream_row(outcome, at))
                .collect(),
            groups,
            security_modules,
            authentication: authentication::rows(file, outcome),
            first_authentic: first_authentic::rows(file, outcome),
            displays: authentication::displays(outcome),
            forgeries: outcome.measure.forgeries.total(),
            requirements,
            unknown_offsets: file.unknown_offsets(),
            phase: 0,
            latency_without_receivers: file.require.latency_without_receivers,
            attacks,
            costs: figures::rows(outcome),
            security_load: security_load::rows(outcome),
            hardware_security_modules: module_rows(outcome),
            images_text: images::note(&images),
            images,
            ideal_ecus: ideal_ecus(file),
            ideal_text: ideal_note(file),
        }
    }

    /// Returns true if the vehicle agrees on keys, or has them from a security module.
    #[must_use]
    pub fn is_keyed(&self) -> bool {
        !self.groups.is_empty() || !self.security_modules.is_empty()
    }

    /// Puts the bounds by analysis, in milliseconds, beside the measured values of the streams.
    pub fn set_bounds(&mut self, bounds: &[Option<f64>]) {
        for (row, bound) in self.streams.iter_mut().zip(bounds) {
            row.bound_ms = *bound;
        }
    }

    /// Returns true if a stream has a bound by analysis.
    #[must_use]
    pub fn has_bounds(&self) -> bool {
        self.streams.iter().any(|row| row.bound_ms.is_some())
    }

    /// Returns a sentence on the streams whose offsets are unknown, if there are any.
    #[must_use]
    pub fn offsets_text(&self) -> Option<String> {
        let (unknown, all) = (self.unknown_offsets, self.streams.len());
        match (unknown, self.phase) {
            (0, _) => None,
            (_, 0) => Some(format!(
                "{unknown} of {all} streams have unknown offsets, taken as 0: each ECU releases \
                 them at once after its start. `waywarden run --phases N` draws them."
            )),
            (_, phase) => Some(format!(
                "{unknown} of {all} streams have unknown offsets, drawn as phase {phase} of seed \
                 {}. `waywarden run --phases N` draws them N times.",
                self.seed
            )),
        }
    }

    /// Returns true if every requirement was met; a failed ECU image is one that was not.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.requirements.iter().all(|verdict| verdict.met)
    }
}

fn bus_row(outcome: &RunOutcome, bus: usize) -> BusRow {
    let figures = &outcome.measure.buses[bus];
    let window = LOAD_WINDOW.as_nanos() * 1_000;
    let peak = figures.windows.iter().copied().max().unwrap_or(0);
    BusRow {
        bus: outcome.names.buses[bus].clone(),
        frames: figures.frames,
        load: load(figures.busy, outcome.end),
        // A frame counts in the window in which it ends, so a full window can exceed 1 a little.
        peak_load: (peak as f64 / window as f64).min(1.0),
        ids: outcome.measure.ids[bus].len(),
        errors: figures.errors,
        strikes: figures.strikes,
    }
}

fn ecu_row(outcome: &RunOutcome, ecu: usize) -> EcuRow {
    let figures = &outcome.measure.ecus[ecu];
    let [receive, send, crypto] = figures.busy.map(|busy| figures.load(busy, outcome.end));
    EcuRow {
        ecu: outcome.names.ecus[ecu].clone(),
        receive_load: receive,
        send_load: send,
        crypto_load: crypto,
        peak_load: figures.peak_load(),
        overruns: figures.overruns,
        withdrawn: figures.withdrawn,
        boots: figures.boots,
        worst_state: figures.worst_state,
    }
}

fn module_rows(outcome: &RunOutcome) -> Vec<ModuleRow> {
    let ecus = outcome.names.ecus.iter().zip(&outcome.boards);
    let ecus = ecus.zip(&outcome.measure.ecus);
    let rows = ecus.filter_map(|((ecu, board), figures)| {
        Some(ModuleRow {
            ecu: ecu.clone(),
            module: board.module_in_use()?.name().to_owned(),
            load: load(figures.module.busy, outcome.end),
            commands: figures.module.commands,
            longest_ms: picos_ms(figures.module.longest),
        })
    });
    rows.collect()
}

fn stream_row(outcome: &RunOutcome, at: usize) -> StreamRow {
    let (figures, watched) = (&outcome.measure.streams[at], &outcome.measure.watched[at]);
    let latency: &Histogram = &figures.latency;
    StreamRow {
        stream: watched.name.clone(),
        identifier: watched.id.into(),
        sender: outcome.names.ecus[watched.sender.0].clone(),
        bus: outcome.names.buses[watched.bus.0].clone(),
        released: figures.released,
        requested: figures.requested,
        skipped: figures.skipped,
        withheld: figures.withheld,
        delivered: figures.delivered,
        repeated: figures.receivers.iter().map(|one| one.repeated).sum(),
        late: figures.late,
        receivers: outcomes::rows(outcome, figures),
        deadline_ms: ms(watched.deadline),
        mean_ms: latency.mean().map(ms),
        p99_ms: latency.percentile(990).map(ms),
        worst_ms: latency.greatest().map(ms),
        worst_cause: figures
            .worst
            .map(|worst| describe(worst.step, &outcome.names)),
        bound_ms: None,
    }
}

/// Returns picoseconds in milliseconds, to the nanosecond.
pub fn picos_ms(picos: u64) -> f64 {
    ms(Duration::from_nanos(picos / 1_000))
}
