//! The content of a vehicle file, with references resolved to indices and defaults filled in.

mod authentication;
mod disturbance;
mod group;
mod key_frames;
mod key_tables;
mod lasan;
mod offset;
mod randomness;
mod require;
mod software;
mod tasks;
mod v2x;

use waywarden_can::Id;
use waywarden_work::Duration;

use super::place::{Located, Span};
use super::source::{FileErrors, SourceText};

pub use authentication::{
    Authentication, AuthenticationProtocol, BeforeFirstKey, CryptoEngine, FreshnessMasterPlace,
    GatewayVerification, GrantedKey, GrantedKeyUse, GroupKey, KeyOrigin, KeyStoreKind, Protection,
    Secoc, TagCheck, Warning,
};
pub(super) use authentication::{is_verified, protocol_protection};
pub use disturbance::{
    Attack, Attacker, EcuFailure, EcuFailureKind, Edit, ForgedFrame, ForwardedFrames, FrameRate,
    Interference, PayloadChange, RecordedFrames, StreamAttack, Window, WireInterferer,
};
pub use group::{KeyChange, KeyGroup, KeyNetwork, KeyParty, KeySuite};
pub use key_frames::{KeyFrames, KeyMessages};
pub(crate) use key_tables::KeyTables;
pub use lasan::{Lasan, ProtectedStream, WorkshopChange, WorkshopWork, protected_length};
pub use offset::Offset;
pub use software::{Firmware, KeypadKey, Press, ProgramKind, Software};

pub use require::{AllowedLoss, AuthenticWithin, LossAmount, Require};
pub use tasks::{QueueOrder, TaskPriorities, TransmitQueue};
pub use v2x::{V2x, V2xSignal};

/// A bus, by its place in [`VehicleFile::buses`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BusIndex(pub usize);

/// An ECU, by its place in [`VehicleFile::ecus`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EcuIndex(pub usize);

/// A stream, by its place in [`VehicleFile::streams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamIndex(pub usize);

/// A route, by its place in [`VehicleFile::routes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RouteIndex(pub usize);

/// A whole vehicle file, consistent in itself: a result of [`VehicleFile::parse`] can run.
///
/// What is not known yet: whether board files and logs that are named by a path exist and read.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleFile {
    /// Its name.
    pub name: String,
    /// A description in a sentence or more; may be empty.
    pub description: String,
    /// Seed of every random choice of a run.
    pub seed: u64,
    /// Duration of a run.
    pub duration: Duration,
    /// The buses.
    pub buses: Vec<Bus>,
    /// The ECUs.
    pub ecus: Vec<Ecu>,
    /// The periodic streams: the message matrix.
    pub streams: Vec<Stream>,
    /// Routes of gateways.
    pub routes: Vec<Route>,
    /// Groups of ECUs that agree on a key.
    pub groups: Vec<KeyGroup>,
    /// Security modules with the ECUs that they authenticate and authorize.
    pub lasan: Vec<Lasan>,
    /// Streams whose messages are authenticated.
    pub authentications: Vec<Authentication>,
    /// Programs of ECUs.
    pub software: Vec<Software>,
    /// Logs played back onto the buses.
    pub replays: Vec<Replay>,
    /// Attackers that send, or that own a gateway.
    pub attackers: Vec<Attacker>,
    /// Disturbances on the wire itself.
    pub interferers: Vec<WireInterferer>,
    /// ECUs that fail.
    pub faults: Vec<EcuFailure>,
    /// Requirements on the run.
    pub require: Require,
    /// V2X messages, if the vehicle has them.
    pub v2x: Option<V2x>,
    /// Times at which something is to begin, in the order in which the file was read.
    pub moments: Vec<Located<Duration>>,
    /// The text, for errors that are only seen later.
    pub source: SourceText,
}

/// A bus.
#[derive(Clone, Debug, PartialEq)]
pub struct Bus {
    /// Its name.
    pub name: Located<String>,
    /// Rate and sample point of the nominal bit time (classic frames, and arbitration of FD ones).
    pub nominal: BitRatePhase,
    /// CAN FD, where the bus has it.
    pub fd: Option<Fd>,
}

/// A bit rate and where in the bit it is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BitRatePhase {
    /// Bits per second.
    pub bit_rate: u32,
    /// The sample point as a share of the bit time.
    pub sample_point: f64,
}

/// The CAN FD capability of a bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fd {
    /// Rate and sample point of the data bit time.
    pub data: BitRatePhase,
    /// True for the frame format of ISO 11898-1, false for the one before it.
    pub iso: bool,
}

/// An ECU.
#[derive(Clone, Debug, PartialEq)]
pub struct Ecu {
    /// Its name.
    pub name: Located<String>,
    /// The board that its work costs are taken from.
    pub board: Located<BoardSource>,
    /// Number of cores it uses; `None` means as many as the board has.
    pub cores: Option<u8>,
    /// Its address in key exchanges.
    pub address: Option<Located<u8>>,
    /// The buses it is on; the first is port 0.
    pub ports: Vec<BusIndex>,
    /// The transmit queue of each port.
    pub queue: TransmitQueue,
    /// Limit on received frames that wait for the processor, per port.
    pub receive_queue: usize,
    /// Priorities of its tasks.
    pub tasks: TaskPriorities,
    /// The engine that computes its cryptography.
    pub crypto: CryptoEngine,
    /// Deviation of its clock in millionths; a positive one runs fast.
    pub clock_ppm: i32,
    /// Time from power-on until its software runs.
    pub start: Duration,
    /// Acceptance filters of its controllers.
    pub accept: Accept,
    /// The image that is its software; none where that is simulated.
    pub firmware: Option<Firmware>,
}

/// Source of a board's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardSource {
    /// One that is built in, by its name.
    BuiltIn(String),
    /// A board file, by its path relative to the vehicle file.
    File(String),
}

/// Acceptance filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accept {
    /// The frames that the ECU receives or routes, and these identifiers besides.
    Needed(Vec<Id>),
    /// Every frame.
    All,
}

/// A periodic message.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// Its name.
    pub name: Located<String>,
    /// Its identifier.
    pub id: Located<Id>,
    /// Its frame format.
    pub format: FrameFormat,
    /// Payload length in bytes, one that the format has.
    pub length: u8,
    /// Protection of its frames.
    pub protection: Protection,
    /// Time between two instances, above zero.
    pub period: Duration,
    /// Time from the sender's start to the first instance.
    pub offset: Offset,
    /// Longest random delay of an instance, below the period.
    pub jitter: Duration,
    /// Longest time from release at the sender to reception that is still in time.
    pub deadline: Duration,
    /// The ECU that sends it.
    pub sender: EcuIndex,
    /// The bus the sender puts it on.
    pub bus: BusIndex,
    /// The intended receivers.
    pub receivers: Vec<StreamReceiver>,
    /// The buses it travels on: the sender's first, then in the order of forwarding.
    pub carried: Vec<BusPassage>,
    /// Content of its payload.
    pub data: Data,
}

/// A frame format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameFormat {
    /// Classic CAN.
    Classic,
    /// CAN FD.
    Fd {
        /// BRS: the data phase runs at the data bit rate.
        bit_rate_switch: bool,
    },
}

/// A receiver of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamReceiver {
    /// The ECU.
    pub ecu: EcuIndex,
    /// The bus on which it hears the stream; if there are several, the one reached first.
    pub bus: BusIndex,
}

/// A bus on which a stream travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusPassage {
    /// The bus.
    pub bus: BusIndex,
    /// The route that took it there; `None` on the sender's own bus.
    pub by: Option<RouteIndex>,
}

/// Content of a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// The number of the instance, little endian.
    Counter,
    /// Fresh random bytes each time.
    Random,
    /// Zeros.
    Zero,
    /// The same bytes each time.
    Fixed(Vec<u8>),
}

/// The forwarding of streams by a gateway from one bus to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The gateway.
    pub gateway: EcuIndex,
    /// The bus it takes from.
    pub from: BusIndex,
    /// The bus it puts on.
    pub to: BusIndex,
    /// The streams it takes: named one by one, or all that are sent on `from`.
    pub streams: Vec<StreamIndex>,
    /// Set if the gateway verifies: it forwards authentic messages only, and without their tags.
    pub verify: Option<GatewayVerification>,
    /// Place of the route in the file.
    pub span: Span,
}

/// A log played back.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Its name in the trace.
    pub name: Located<String>,
    /// The log, by its path relative to the vehicle file.
    pub log: Located<String>,
    /// The bus of each forwarded channel of the log; other channels are left out.
    pub channels: Vec<(String, BusIndex)>,
    /// Speed of the playback.
    pub pace: PlaybackSpeed,
    /// True if it starts again at its end.
    pub repeat: bool,
    /// Time during which it plays.
    pub window: Window,
}

/// Speed at which a log is played back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaybackSpeed {
    /// The log's own gaps.
    Recorded,
    /// The highest speed that the bus takes.
    Fast,
}

impl Data {
    /// Returns the length it demands, in bytes, where it demands one.
    #[must_use]
    pub fn length(&self) -> Option<usize> {
        match self {
            Data::Fixed(bytes) => Some(bytes.len()),
            Data::Counter | Data::Random | Data::Zero => None,
        }
    }
}

impl Stream {
    /// Returns how many bytes its frames have on the bus: more than its payload if it travels
    /// protected.
    #[must_use]
    pub fn wire_length(&self) -> u8 {
        let length = self.protection.wire_length(self.length, self.format);
        length.unwrap_or(self.length)
    }
}

impl VehicleFile {
    /// Returns the actions that begin only after a run of this length: the file is sound all the
    /// same, and more of it may happen in a longer run.
    #[must_use]
    pub fn too_late(&self, end: Duration) -> Option<FileErrors> {
        self.source.too_late(&self.moments, end)
    }

    /// Returns a bus of this file.
    ///
    /// # Panics
    /// If the index is from another file.
    #[must_use]
    pub fn bus(&self, index: BusIndex) -> &Bus {
        &self.buses[index.0]
    }

    /// Returns an ECU of this file.
    ///
    /// # Panics
    /// If the index is from another file.
    #[must_use]
    pub fn ecu(&self, index: EcuIndex) -> &Ecu {
        &self.ecus[index.0]
    }

    /// Returns a stream of this file.
    ///
    /// # Panics
    /// If the index is from another file.
    #[must_use]
    pub fn stream(&self, index: StreamIndex) -> &Stream {
        &self.streams[index.0]
    }

    /// Returns the streams that an ECU forwards, and by which route.
    pub fn forwarded_by(
        &self,
        gateway: EcuIndex,
    ) -> impl Iterator<Item = (RouteIndex, StreamIndex)> + '_ {
        self.routes
            .iter()
            .enumerate()
            .filter(move |(_, route)| route.gateway == gateway)
            .flat_map(|(at, route)| {
                route
                    .streams
                    .iter()
                    .map(move |&stream| (RouteIndex(at), stream))
            })
    }
}
