//! Figures of a run, such as loads, latencies and losses, gathered from the trace as it passes.
//!
//! Memory is bounded by the number of buses, ECUs, identifiers and streams, and of transmissions
//! under way. Messages are followed by [`GroundTruth`], by the identity that their frames carry.

mod checking;
mod deliveries;
mod displays;
mod figures;
mod first_messages;
mod forgeries;
pub mod histogram;
mod key_deceptions;
pub mod keys;
pub mod lasan;
mod orders;
mod purposes;
mod receipts;
mod record;
mod requests;
pub mod sorted_map;
mod stretches;
mod watched;

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::Id;
use waywarden_can::node::BusState;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::json::state_name;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_work::{Algorithm, Duration, OperationKind};

use waywarden_vehicle_file::{Interference, VehicleFile};
use waywarden_vehicle_trace::{Fact, GroundTruth, InFlight};

use self::checking::Checking;
use self::first_messages::FirstMessages;
use self::keys::{Following, GroupFigures};
use self::lasan::NetworkFigures;
use self::purposes::Purposes;
use self::receipts::ReceiptBook;
use self::sorted_map::SortedMap;

pub use self::checking::CheckFigures;
pub use self::displays::{CHANGES_MAX, DisplayFigures, Displays};
pub use self::figures::{
    BusFigures, EcuFigures, IdFigures, ModuleFigures, Outcomes, ReceiverFigures, SlowestDelivery,
    StreamFigures,
};
pub use self::first_messages::{FirstMessage, SeenDuringWait, StreamKeySource, Wait};
pub use self::forgeries::Forgeries;
pub use self::key_deceptions::{KeyDeception, KeyDeceptions};
pub use self::purposes::BusyByPurpose;
pub use self::receipts::Receipts;
pub use self::watched::watched;
pub use waywarden_vehicle_trace::DeliveryStep;

/// Length of the windows in which a bus's load is followed over time.
pub const LOAD_WINDOW: Duration = Duration::from_millis(100);

/// A stream, as far as measuring needs to know it.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Its name in reports.
    pub name: String,
    /// The first sender.
    pub sender: EcuIndex,
    /// Its bus at the sender.
    pub bus: BusIndex,
    /// Its identifier on that bus.
    pub id: Id,
    /// The ECUs that have to get it.
    pub receivers: Vec<EcuIndex>,
    /// By receiver: true if it checks the tag. It then has a message when it was found authentic.
    pub checked: Vec<bool>,
    /// True if its frames have 29-bit identifiers that begin with its own and end in a counter.
    pub is_counted: bool,
    /// Longest permitted time from the release at the sender to the last receiver's software.
    pub deadline: Duration,
    /// The bound on it that is required, if one is.
    pub bound: Option<Duration>,
}

/// Jobs finished and picoseconds, by place (true for the hardware security module), operation and
/// bytes of message.
pub type WorkFigures = SortedMap<(bool, OperationKind, Algorithm, u32), (u64, u64)>;

/// Everything measured in a run.
#[derive(Debug)]
pub struct Measure {
    /// Figures by bus.
    pub buses: Vec<BusFigures>,
    /// Figures of identifiers by bus; the key is the identifier as controllers compare it.
    pub ids: Vec<SortedMap<u32, (Id, IdFigures)>>,
    /// Figures by ECU.
    pub ecus: Vec<EcuFigures>,
    /// The streams that are followed.
    pub watched: Vec<Watched>,
    /// Figures by stream.
    pub streams: Vec<StreamFigures>,
    /// Computations by ECU: jobs finished and picoseconds, by operation and bytes of message.
    /// Protocols bound the lengths of their messages.
    pub work: Vec<WorkFigures>,
    /// Strikes of each interferer, by name.
    pub strikes: BTreeMap<String, u64>,
    /// Interferers of which a frame is one strike, however many of its bits they change.
    pub by_frame: BTreeSet<String>,
    /// Time at which the last frame began, by bus.
    began: Vec<Time>,
    /// Time of the last strike of each of those.
    struck: BTreeMap<String, Time>,
    /// Actions of each attacker inside an ECU of the car, by its place in the vehicle file.
    pub attacker_actions: BTreeMap<usize, u64>,
    checking: Checking,
    first_messages: FirstMessages,
    /// Beginnings of the 29-bit identifiers that end in a counter.
    counted: BTreeSet<u16>,
    /// Messages that receivers accepted and the sender did not send.
    pub forgeries: Forgeries,
    /// Values and warnings that displays showed.
    pub displays: Displays,
    intermission: Vec<u64>,
    /// Times of boots, by ECU.
    boots: Vec<Vec<Time>>,
    /// Time of the request, by transmission.
    requested: InFlight<Time>,
    keys: Following,
    receipts: ReceiptBook,
    purposes: Purposes,
}

impl Measure {
    /// Makes an empty measurement of a vehicle that is run as this simulation.
    #[must_use]
    pub fn of(file: &VehicleFile, config: &Config<Fact>) -> Self {
        let buses = config.buses.iter();
        let intermission = buses.map(|bus| bus.timing.intermission().get());
        let watched = watched(file);
        let mut measure = Measure::new(config.ecus.len(), intermission.collect(), watched);
        measure.follow_keys(file);
        measure.follow_messages(file);
        for (figures, ecu) in measure.ecus.iter_mut().zip(&config.ecus) {
            figures.cores = ecu.cores;
        }
        measure.purposes = Purposes::of(file, config);
        let deceivers = file.interferers.iter();
        let deceivers =
            deceivers.filter(|one| matches!(one.interference, Interference::Janus { .. }));
        measure.by_frame = deceivers.map(|one| one.name.value.clone()).collect();
        measure
    }

    /// Makes an empty measurement; `intermission` is three bits of each bus, in picoseconds.
    #[must_use]
    pub fn new(ecus: usize, intermission: Vec<u64>, watched: Vec<Watched>) -> Self {
        let counted = watched.iter().filter(|one| one.is_counted);
        let counted = counted.filter_map(|one| match one.id {
            // Tags have the identifier above.
            Id::Standard(id) => Some([id.raw(), id.raw() | 1]),
            Id::Extended(_) => None,
        });
        let counted = counted.flatten().collect();
        let figures = watched.iter().map(|one| {
            let receivers = one.receivers.iter();
            StreamFigures {
                receivers: receivers.map(|ecu| ReceiverFigures::new(*ecu)).collect(),
                ..Default::default()
            }
        });
        let figures = figures.collect();
        let active = EcuFigures {
            worst_state: state_name(BusState::Active),
            ..Default::default()
        };
        Measure {
            buses: vec![BusFigures::default(); intermission.len()],
            ids: vec![SortedMap::default(); intermission.len()],
            ecus: vec![active; ecus],
            watched,
            streams: figures,
            work: vec![SortedMap::default(); ecus],
            strikes: BTreeMap::new(),
            by_frame: BTreeSet::new(),
            began: vec![Time::ZERO; intermission.len()],
            struck: BTreeMap::new(),
            attacker_actions: BTreeMap::new(),
            checking: Checking::default(),
            first_messages: FirstMessages::default(),
            counted,
            forgeries: Forgeries::default(),
            displays: Displays::new(),
            intermission,
            boots: vec![Vec::new(); ecus],
            requested: InFlight::default(),
            keys: Following::default(),
            receipts: ReceiptBook::default(),
            purposes: Purposes::default(),
        }
    }

    /// Follows the key protocols of a vehicle too.
    fn follow_keys(&mut self, file: &VehicleFile) {
        self.keys = Following::of(file);
        self.receipts = ReceiptBook::of(file);
    }

    /// Follows the outcomes of messages, too.
    fn follow_messages(&mut self, file: &VehicleFile) {
        self.checking = Checking::of(file);
        self.first_messages = FirstMessages::of(file);
        self.forgeries = Forgeries::of(file);
    }

    /// Returns the figures of each group, in the vehicle file's order.
    #[must_use]
    pub fn groups(&self) -> &[GroupFigures] {
        &self.keys.groups
    }

    /// Returns the forgeries that ECUs accepted as genuine in the exchange of keys.
    #[must_use]
    pub fn key_deceptions(&self) -> &KeyDeceptions {
        &self.keys.deceptions
    }

    /// Returns the figures of each security module, in the vehicle file's order.
    #[must_use]
    pub fn networks(&self) -> &[NetworkFigures] {
        &self.keys.networks
    }

    /// Returns each bus's time by purpose; empty unless the measurement is of a vehicle.
    #[must_use]
    pub fn busy_by_purpose(&self) -> &[BusyByPurpose] {
        &self.purposes.busy
    }

    /// Returns the outcomes of the checks of each authentication, in the vehicle file's order.
    #[must_use]
    pub fn checks(&self) -> &[Vec<CheckFigures>] {
        &self.checking.tables
    }

    /// Returns how long receivers waited for the first authentic messages of each authenticated
    /// stream, by stream and ECU that checks it.
    #[must_use]
    pub fn first_messages(&self) -> &[FirstMessage] {
        &self.first_messages.all
    }

    /// Returns true if receivers have accepted a message of each authenticated stream since
    /// power-on, and since the last boot of its sender and theirs.
    #[must_use]
    pub fn has_all_first_messages(&self) -> bool {
        self.first_messages.are_all_accepted()
    }

    /// Ends the figures over time, and takes the outcomes of all messages.
    pub fn finish(&mut self, at: Time, truth: &GroundTruth) {
        self.keys.finish(at);
        self.checking.finish(at);
        self.first_messages.finish(at);
        for (stream, figures) in self.streams.iter_mut().enumerate() {
            let watched = &self.watched[stream];
            let bound = watched.bound.unwrap_or(watched.deadline);
            let boots = &self.boots;
            figures.finish(at, truth, (stream, bound), boots, watched.sender);
        }
    }

    /// Returns the outcomes of the protected frames of a stream at an ECU, both by their places in
    /// the vehicle file.
    #[must_use]
    pub fn receipts(&self, stream: usize, ecu: usize) -> Receipts {
        self.receipts.of_stream(stream, ecu)
    }

    /// Returns when every stream had reached each of its receivers once, if that has happened.
    #[must_use]
    pub fn start_up(&self) -> Option<Time> {
        self.streams
            .iter()
            .zip(&self.watched)
            .filter(|(_, watched)| !watched.receivers.is_empty())
            .try_fold(Time::ZERO, |latest, (stream, _)| {
                Some(latest.max(stream.complete?))
            })
    }
}

/// Returns a duration in milliseconds.
#[must_use]
pub fn ms(duration: Duration) -> f64 {
    // Divided and not multiplied: what comes of it is the number nearest to the decimal one.
    duration.as_nanos() as f64 / 1e6
}

/// Returns the time between two points in nanoseconds, rounded down.
pub fn span(from: Time, to: Time) -> Duration {
    Duration::from_nanos(to.since(from).get() / 1_000)
}
