//! What a run amounts to: loads, latencies, losses, gathered from the trace as it passes.
//!
//! Memory is bounded by the number of buses, ECUs, identifiers and streams, and by a window of the
//! last [`WINDOW`] transmissions, in which a frame is followed from its request over every gateway
//! to its receivers.

mod checking;
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
mod unsettled;
mod watched;
mod window;

use std::collections::{BTreeMap, BTreeSet};

use waywarden_can::node::BusState;
use waywarden_can::{Frame, Id};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::json::state_name;
use waywarden_can_sim::trace::{BusIndex, EcuIndex, Serial};
use waywarden_work::{Algorithm, Duration, OperationKind};

use waywarden_vehicle_file::{Interference, VehicleFile};
use waywarden_vehicle_trace::Fact;

use self::checking::Checking;
use self::first_messages::FirstMessages;
use self::keys::{Following, GroupFigures};
use self::lasan::NetworkFigures;
use self::purposes::Purposes;
use self::receipts::ReceiptBook;
use self::sorted_map::SortedMap;
use self::unsettled::Unsettled;
use self::window::Window;

pub use self::checking::CheckFigures;
pub use self::displays::{CHANGES_MAX, DisplayFigures, Displays};
pub use self::figures::{
    BusFigures, EcuFigures, IdFigures, ModuleFigures, Step, StreamFigures, Worst,
};
pub use self::first_messages::{FirstMessage, KeySource, Seen, Wait};
pub use self::forgeries::Forgeries;
pub use self::key_deceptions::{KeyDeception, KeyDeceptions};
pub use self::purposes::BusyByPurpose;
pub use self::receipts::Receipts;
pub use self::watched::watched;
pub use self::window::WINDOW;

/// How long the windows are in which a bus's load is followed over time.
pub const LOAD_WINDOW: Duration = Duration::from_millis(100);

/// A stream, as far as measuring needs to know it.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Its name in reports.
    pub name: String,
    /// Who sends it first.
    pub sender: EcuIndex,
    /// On which bus.
    pub bus: BusIndex,
    /// With which identifier.
    pub id: Id,
    /// Who has to get it.
    pub receivers: Vec<EcuIndex>,
    /// Which of them check its tag: they have a message when it was found authentic.
    pub checked: Vec<bool>,
    /// Whether its frames have 29-bit identifiers that begin with its own and end in a counter.
    pub is_counted: bool,
    /// Its declared routes without verification: the gateway, from which bus, and to which.
    pub routes: Vec<(EcuIndex, BusIndex, BusIndex)>,
    /// Gateways that verify it, each with the bus it goes on to.
    pub verified: Vec<(EcuIndex, BusIndex)>,
    /// From the release at the sender to the last receiver's hands.
    pub deadline: Duration,
}

/// Jobs finished and picoseconds, by whether the hardware security module did them, operation and
/// bytes of message.
pub type WorkFigures = SortedMap<(bool, OperationKind, Algorithm, u32), (u64, u64)>;

/// Everything measured in a run.
#[derive(Debug)]
pub struct Measure {
    /// By bus.
    pub buses: Vec<BusFigures>,
    /// By bus, and identifier as controllers compare it.
    pub ids: Vec<SortedMap<u32, (Id, IdFigures)>>,
    /// By ECU.
    pub ecus: Vec<EcuFigures>,
    /// The streams that are followed.
    pub watched: Vec<Watched>,
    /// By stream.
    pub streams: Vec<StreamFigures>,
    /// What was computed by ECU: jobs finished and picoseconds, by operation and bytes of message.
    /// Protocols bound the lengths of their messages.
    pub work: Vec<WorkFigures>,
    /// How often each interferer struck, by name.
    pub strikes: BTreeMap<String, u64>,
    /// Interferers of which a frame is one strike, however many of its bits they change.
    pub by_frame: BTreeSet<String>,
    /// When the last frame began, by bus.
    began: Vec<Time>,
    /// When each of those last struck.
    struck: BTreeMap<String, Time>,
    /// How often each attacker that acts inside an ECU of the car did so, by its place in the
    /// vehicle file.
    pub attacker_actions: BTreeMap<usize, u64>,
    /// By ECU, then bus and identifier: what the frames are.
    sources: Vec<SortedMap<(usize, u32), Source>>,
    checking: Checking,
    first_messages: FirstMessages,
    /// What gateways say that refused a message: ECU, bus, frame.
    warnings: Vec<(usize, usize, Frame)>,
    /// By stream and receiver that checks: the last frame with a message, and when it came.
    heard: BTreeMap<(usize, usize), (Serial, Time)>,
    unsettled: Unsettled,
    /// What 29-bit identifiers begin with that end in a counter.
    counted: BTreeSet<u16>,
    /// What receivers took that the sender did not send.
    pub forgeries: Forgeries,
    /// What people saw.
    pub displays: Displays,
    intermission: Vec<u64>,
    window: Window,
    keys: Following,
    receipts: ReceiptBook,
    purposes: Purposes,
    /// By stream: instances that never left because the transmit queue was full, and because their
    /// sender could not protect them.
    kept_back: Vec<KeptBack>,
    /// By ECU: how long the message has waited there for which a frame is requested next.
    waited: Vec<Duration>,
    /// By stream: whether an attacker made up the last message that left its sender's ECU.
    is_last_forged: Vec<bool>,
}

/// The streams whose messages an ECU sends under one identifier on one bus.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    /// Its own stream.
    own: Option<usize>,
    /// One that it verified as a gateway, and sends on.
    relayed: Option<usize>,
}

/// Instances of a stream that never left their sender.
#[derive(Clone, Copy, Debug, Default)]
struct KeptBack {
    skipped: u64,
    withheld: u64,
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
        let mut sources = vec![SortedMap::default(); ecus];
        for (at, one) in watched.iter().enumerate() {
            let key = (one.bus.0, acceptance_key(one.wire_id()));
            source(&mut sources, one.sender, key).own = Some(at);
            for &(gateway, bus) in &one.verified {
                let key = (bus.0, acceptance_key(one.id));
                source(&mut sources, gateway, key).relayed = Some(at);
            }
        }
        let counted = watched.iter().filter(|one| one.is_counted);
        let counted = counted.filter_map(|one| match one.id {
            // Tags have the identifier above.
            Id::Standard(id) => Some([id.raw(), id.raw() | 1]),
            Id::Extended(_) => None,
        });
        let counted = counted.flatten().collect();
        let streams = watched.len();
        let figures = watched
            .iter()
            .map(|one| StreamFigures {
                reached: vec![false; one.receivers.len()],
                ..Default::default()
            })
            .collect();
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
            sources,
            checking: Checking::default(),
            first_messages: FirstMessages::default(),
            warnings: Vec::new(),
            heard: BTreeMap::new(),
            unsettled: Unsettled::default(),
            counted,
            forgeries: Forgeries::default(),
            displays: Displays::new(),
            intermission,
            window: Window::default(),
            keys: Following::default(),
            receipts: ReceiptBook::default(),
            purposes: Purposes::default(),
            kept_back: vec![KeptBack::default(); streams],
            waited: vec![Duration::ZERO; ecus],
            is_last_forged: vec![false; streams],
        }
    }

    /// Follows the key protocols of a vehicle too.
    fn follow_keys(&mut self, file: &VehicleFile) {
        self.keys = Following::of(file);
        self.receipts = ReceiptBook::of(file);
    }

    /// Follows what comes of messages too.
    fn follow_messages(&mut self, file: &VehicleFile) {
        self.checking = Checking::of(file);
        self.first_messages = FirstMessages::of(file);
        self.forgeries = Forgeries::of(file);
        let routes = file.routes.iter().filter_map(|route| {
            let warning = route.verify.as_ref()?.warning.as_ref()?;
            let frame = Frame::classic(warning.id, &warning.data).ok()?;
            Some((route.gateway.0, route.to.0, frame))
        });
        self.warnings = routes.collect();
    }

    /// Returns what was measured of each group, in the vehicle file's order.
    #[must_use]
    pub fn groups(&self) -> &[GroupFigures] {
        &self.keys.groups
    }

    /// Returns what ECUs took for genuine in the exchange of keys and was an attacker's.
    #[must_use]
    pub fn key_deceptions(&self) -> &KeyDeceptions {
        &self.keys.deceptions
    }

    /// Returns what was measured of each security module, in the vehicle file's order.
    #[must_use]
    pub fn networks(&self) -> &[NetworkFigures] {
        &self.keys.networks
    }

    /// Returns what the frames of each bus were for; empty unless the measurement is of a vehicle.
    #[must_use]
    pub fn busy_by_purpose(&self) -> &[BusyByPurpose] {
        &self.purposes.busy
    }

    /// Returns what came of the checks of each authentication, in the vehicle file's order.
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

    /// Whether receivers have accepted a message of each authenticated stream since power-on, and
    /// since the last boot of its sender and theirs.
    #[must_use]
    pub fn has_all_first_messages(&self) -> bool {
        self.first_messages.are_all_accepted()
    }

    /// Ends what is measured over time.
    pub fn finish(&mut self, at: Time) {
        self.keys.finish(at);
        self.checking.finish(at);
        self.first_messages.finish(at);
        for ((stream, _), heard) in self.unsettled.rest() {
            let deadline = self.watched[stream].deadline;
            // What is younger may have been under way at the end.
            self.streams[stream].refused += u64::from(span(heard, at) > deadline);
        }
    }

    /// Returns what came of the protected frames of a stream at an ECU, both by their places in the
    /// vehicle file.
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

    /// Returns how many instances of a stream never left their sender, whose transmit queue was
    /// full.
    #[must_use]
    pub fn skipped(&self, stream: usize) -> u64 {
        self.kept_back.get(stream).map_or(0, |one| one.skipped)
    }

    /// Returns how many instances of a stream never left because their sender could not protect
    /// them: it had no key of the stream, or nothing was retained or announced yet, or a counter
    /// was at its end.
    #[must_use]
    pub fn unauthorised(&self, stream: usize) -> u64 {
        self.kept_back.get(stream).map_or(0, |one| one.withheld)
    }

    /// Returns how many of those there were since the stream had reached all its receivers once, or
    /// all if it never did.
    #[must_use]
    pub fn withheld(&self, stream: usize) -> u64 {
        let before = self
            .streams
            .get(stream)
            .map_or(0, |own| own.withheld_before);
        self.unauthorised(stream).saturating_sub(before)
    }

    /// Returns the stream that this transmission is an instance of, over any number of gateways.
    #[must_use]
    pub fn stream_of(&self, serial: Serial) -> Option<usize> {
        self.window.track(serial).and_then(|track| track.stream)
    }
}

fn source(
    sources: &mut [SortedMap<(usize, u32), Source>],
    ecu: EcuIndex,
    key: (usize, u32),
) -> &mut Source {
    sources[ecu.0].or_insert_with(key, Source::default)
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
