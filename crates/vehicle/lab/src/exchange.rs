//! The first key exchange of a vehicle by itself: who sent what, who computed what, and when all
//! had a key, or were authenticated and authorized.
//!
//! The vehicle is a file like any other ([`ExchangeScenario`] writes one) and runs as any other
//! does. Only the record of the run is new: every frame of the key protocols and every computation
//! until all ECUs of a group have its first key, or all under a security module have those of their
//! streams, and the acknowledgements that follow. It ends with the next message that begins
//! something, or [`AFTERMATH`] later. What comes after that is for
//! [`waywarden_vehicle_report::report`]. Messages:
//! docs/protocols/gke.md and docs/protocols/lasan.md; the fields: docs/keys.md.

mod lines;
mod network;
mod record;
mod scenario;
mod summary;

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;
use waywarden_work::Duration;

use crate::lower::Lowered;
use crate::run::{RunError, run_while};
use waywarden_vehicle_file::identifier::IdentifierFields;
use waywarden_vehicle_file::{KeyTable, VehicleFile};
use waywarden_vehicle_report::measure::Measure;
use waywarden_vehicle_report::report::{MergedRow, SubgroupRow, picos_ms};

pub use lines::Line;
pub use network::{AuthenticatedParty, KeyedStream, NetworkExchange};
pub use record::ENTRIES_MAX;
pub use scenario::ExchangeScenario;

use record::Record;

/// Time that the run goes on after the last group has agreed, for the acknowledgements.
pub const AFTERMATH: Duration = Duration::from_millis(1_000);

/// One exchange of each group, and one start of each security module, that was looked at. Times are
/// milliseconds from power-on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Exchange {
    /// Name of the vehicle.
    pub vehicle: String,
    /// The seed of the run.
    pub seed: u64,
    /// True if all of these groups agreed on a key, and all ECUs under these security modules were
    /// authenticated and authorized.
    pub agreed: bool,
    /// Time at which the run ended.
    pub end_ms: f64,
    /// The groups, in the vehicle file's order.
    pub groups: Vec<GroupExchange>,
    /// The security modules, likewise.
    pub networks: Vec<NetworkExchange>,
    /// Frames, computations and events, in order of their start.
    pub time_line: Vec<TimelineEntry>,
    /// Number of entries beyond [`ENTRIES_MAX`] that were not kept; sums lack them.
    pub left_out: u64,
}

/// The exchange of one group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GroupExchange {
    /// Name of the group.
    pub group: String,
    /// The scheme, suite, profile, transport and orchestration, as vehicle files write them.
    pub scheme: &'static str,
    /// Treatment of the last logical ECU of an odd level.
    pub odd_levels: &'static str,
    /// Suite, as vehicle files write it.
    pub suite: &'static str,
    /// Profile, as vehicle files write it.
    pub profile: &'static str,
    /// `fd` or `classic`.
    pub transport: &'static str,
    /// Trigger of the exchanges.
    pub orchestration: &'static str,
    /// ECU of the orchestrator.
    pub orchestrator: String,
    /// Number of members beside the orchestrator.
    pub members: usize,
    /// The buses that carry its frames.
    pub buses: Vec<String>,
    /// Those that the orchestrator had removed before the others had a key.
    pub removed: Vec<String>,
    /// True if all the others had one key at some time, those of networks that join among them.
    pub agreed: bool,
    /// Those that had not, at the end of the run.
    pub missing: Vec<String>,
    /// Time at which the orchestrator began.
    pub begun_ms: Option<f64>,
    /// Start of the first frame.
    pub first_frame_ms: Option<f64>,
    /// Time at which the last ECU had the key.
    pub agreed_ms: Option<f64>,
    /// From the orchestrator's beginning to that.
    pub took_ms: Option<f64>,
    /// From the start of the first frame to that.
    pub from_first_frame_ms: Option<f64>,
    /// Frames that its ECUs sent, and the gateway forwarded.
    pub frames: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// Time that they and their intermissions occupied their buses.
    pub bus_ms: f64,
    /// Bus time as a share of its buses' time from the start of the first frame to the end of the
    /// last.
    pub bus_load: f64,
    /// Frames of its ECUs that were destroyed on the bus.
    pub destroyed: u64,
    /// Key frames on its buses that others sent.
    pub foreign: u64,
    /// Exchanges between two participants that failed and were tried again.
    pub retries: u64,
    /// The frames by step.
    pub steps: Vec<StepFigures>,
    /// The same by what they belong to, in order of time.
    pub parts: Vec<ExchangeFrames>,
    /// The networks that it is merged of; none if it is one.
    pub networks: Vec<MergedRow>,
    /// Its logical ECUs, and when all who hold the key of one had the first.
    pub subgroups: Vec<SubgroupRow>,
    /// Its ECUs, the orchestrator first.
    pub ecus: Vec<ExchangeParty>,
}

/// Frames of one step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepFigures {
    /// Message type that the frames carry.
    pub step: &'static str,
    /// Number of frames.
    pub frames: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// Time that they and their intermissions occupied their buses.
    pub bus_ms: f64,
}

/// Frames that belong together: an exchange between two, or one step of the whole group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExchangeFrames {
    /// Of a group `exchange`, `promotion`, `distribution` (symmetric scheme), or the step; of a
    /// security module `start-up`, or for each ECU `authentication` and `authorization`.
    pub part: &'static str,
    /// Of an exchange or a distribution, the participants and the logical ECU that results; of what
    /// is between an ECU and a security module, both.
    pub addresses: Option<FrameAddresses>,
    /// The ECUs that sent, in the order in which they first did; who only ordered it is not one.
    pub between: Vec<String>,
    /// Start of its first frame.
    pub from_ms: f64,
    /// End of its last frame.
    pub to_ms: f64,
    /// Number of frames.
    pub frames: u64,
    /// Their payload in bytes.
    pub bytes: u64,
    /// Time that they and their intermissions occupied their buses.
    pub bus_ms: f64,
}

/// The addresses in the identifier of a key protocol's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FrameAddresses {
    /// Of a group; 0 stands for no participant.
    Exchange {
        /// The first participant.
        first: u8,
        /// The second participant.
        second: u8,
        /// The logical ECU that results.
        result: u8,
    },
    /// Under a security module.
    Message {
        /// Address of the sender.
        source: u8,
        /// Address of the recipient; 0 stands for all.
        target: u8,
    },
}

/// An ECU of a group.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExchangeParty {
    /// Name of the ECU.
    pub ecu: String,
    /// Address of the ECU in key frames.
    pub address: u8,
    /// `orchestrator` or `member`.
    pub part: &'static str,
    /// Time at which it had the key.
    pub agreed_ms: Option<f64>,
    /// Key frames that it sent, as its own or forwarded.
    pub frames: u64,
    /// Time that it computed, for all its groups.
    pub computed_ms: f64,
    /// The same by operation.
    pub operations: Vec<OperationFigures>,
}

/// Computations of one kind on an ECU.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OperationFigures {
    /// Cryptographic operation.
    pub operation: &'static str,
    /// Algorithm of the operation.
    pub algorithm: &'static str,
    /// Number of computations.
    pub jobs: u64,
    /// Computing time, pre-emption not counted.
    pub ms: f64,
}

/// Something in the time line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TimelineEntry {
    /// A frame of the protocol.
    Frame(FrameEntry),
    /// A cryptographic operation.
    Computation(ComputationEntry),
    /// A key event of an ECU.
    Event(EventEntry),
}

/// A frame in the time line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrameEntry {
    /// Start of the frame.
    pub from_ms: f64,
    /// Time at which it was sent and acknowledged, or destroyed.
    pub to_ms: f64,
    /// The group, or the security module.
    pub group: String,
    /// Bus that carried it.
    pub bus: String,
    /// ECU that sent it.
    pub ecu: String,
    /// `own`, `forwarded` by a gateway, or `foreign`: sent by an ECU that has no part in it.
    pub origin: &'static str,
    /// Message type that the frame carries.
    pub step: &'static str,
    /// Identifier of the frame.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// Addresses in the identifier.
    #[serde(flatten)]
    pub addresses: FrameAddresses,
    /// The payload in bytes.
    pub bytes: usize,
    /// The payload as hexadecimal digits.
    pub data: String,
    /// `sent`, or why it was not.
    pub outcome: &'static str,
    /// Identifier that all frames of its message share, without the number of the part.
    #[serde(skip)]
    pub(crate) message: u32,
    /// Number of frames into which its message is cut.
    #[serde(skip)]
    pub(crate) cut: usize,
}

/// A computation in the time line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ComputationEntry {
    /// Start of the computation.
    pub from_ms: f64,
    /// End of the computation.
    pub to_ms: f64,
    /// The groups and security modules of the ECU; which of them it is for the trace does not tell.
    pub groups: Vec<String>,
    /// ECU that computed.
    pub ecu: String,
    /// Cryptographic operation.
    pub operation: &'static str,
    /// Algorithm of the operation.
    pub algorithm: &'static str,
    /// Length of the input in bytes.
    pub bytes: u32,
    /// Computing time, pre-emption not counted.
    pub computed_ms: f64,
}

/// An event in the time line.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EventEntry {
    /// Time of the event.
    pub at_ms: f64,
    /// The group, or the security module.
    pub group: String,
    /// ECU that reports it.
    pub ecu: String,
    /// In one word. Of a group: `begun`, `formed`, `agreed`, `failed`, `missed`, `starved`,
    /// `unresponsive`, `removed`, `included`, `unacknowledged`, `other`. Under a security module:
    /// `started`, `authenticated`, `failed`, `session-lost`, `keyed`, `granted`, `delivered`,
    /// `denied`, `refused`, `revoked`, `expired`, `enrolled`, `retired`, `not-replaced`,
    /// `wrong-tag`, `replay`, `unknown-key`, `other`.
    pub event: &'static str,
    /// The event in a sentence.
    pub text: String,
}

impl std::fmt::Display for FrameAddresses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FrameAddresses::Exchange {
                first,
                second: 0,
                result,
            } => write!(f, "{first} > {result}"),
            FrameAddresses::Exchange {
                first,
                second,
                result,
            } => write!(f, "{first} + {second} > {result}"),
            FrameAddresses::Message { source, target: 0 } => write!(f, "{source} > all"),
            FrameAddresses::Message { source, target } => write!(f, "{source} > {target}"),
        }
    }
}

impl TimelineEntry {
    /// Returns the time of its start, in milliseconds.
    #[must_use]
    pub const fn from_ms(&self) -> f64 {
        match self {
            TimelineEntry::Frame(frame) => frame.from_ms,
            TimelineEntry::Computation(computation) => computation.from_ms,
            TimelineEntry::Event(event) => event.at_ms,
        }
    }
}

/// Runs a vehicle until some of its key protocols are through with their first exchange, or to its
/// end; `progress` is given the time now and then, and may stop the run.
///
/// # Errors
/// [`RunError`] by cause.
pub fn run(
    file: &VehicleFile,
    lowered: Lowered,
    tables: &[KeyTable],
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<Exchange, RunError> {
    let seed = lowered.config.seed;
    let mut record = Record::of(file, &lowered.config, tables);
    let mut go_on = |_: f64, now: Time, measure: &Measure| {
        let mut through = tables.iter().map(|table| through(measure, *table));
        let last = through.try_fold(Time::ZERO, |last, at| Some(last.max(at?)));
        let over = last.is_some_and(|last| now >= last + AFTERMATH);
        progress(now).is_continue() && !over
    };
    let outcome = run_while(lowered, &mut record, &mut go_on)?;
    Ok(summary::exchange(file, seed, record, &outcome))
}

/// Returns when all had the first key of a group, or those of their streams.
fn through(measure: &Measure, table: KeyTable) -> Option<Time> {
    match table {
        KeyTable::Group(at) => measure.groups().get(at)?.merged(),
        KeyTable::Lasan(at) => measure.networks().get(at)?.complete,
    }
}

/// Returns a time in milliseconds, exact to the nanosecond.
fn ms(time: Time) -> f64 {
    picos_ms(time.as_picos())
}
