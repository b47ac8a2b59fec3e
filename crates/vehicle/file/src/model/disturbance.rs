//! Attackers, interference on the wire, and ECUs that fail.

use waywarden_can::Id;
use waywarden_group_keys::Address;
use waywarden_work::Duration;

use super::group::KeyParty;
use super::key_frames::KeyFrames;
use super::{BusIndex, Data, EcuIndex, FrameFormat, StreamIndex};
use crate::place::Located;

/// A period of time, on the true clock from power-on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The beginning.
    pub from: Duration,
    /// The end; `None` means that of the run.
    pub until: Option<Duration>,
}

/// An attacker: a node of its own, or an attack from within a gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Attacker {
    /// Its name in the trace.
    pub name: Located<String>,
    /// Time during which it attacks.
    pub window: Window,
    /// True if a run in which it never acts may meet its requirements.
    pub is_optional: bool,
    /// The attack.
    pub attack: Attack,
}

/// The actions of an attacker.
#[derive(Clone, Debug, PartialEq)]
pub enum Attack {
    /// Sends frames with another's identifier.
    Spoof {
        /// The bus.
        bus: BusIndex,
        /// The forged frame.
        frame: ForgedFrame,
        /// Time between two frames.
        period: Duration,
    },
    /// Records frames and sends them again.
    Replay {
        /// The bus.
        bus: BusIndex,
        /// The recorded frames.
        which: RecordedFrames,
        /// Time from record to replay.
        delay: Duration,
        /// Number of frames in a group that is shuffled; 1 keeps the order.
        reorder: usize,
    },
    /// Listens to a stream and sends forged messages that fit its state, without any key.
    Forge {
        /// The bus.
        bus: BusIndex,
        /// The attacked stream.
        stream: StreamIndex,
        /// The kind of attack.
        attack: StreamAttack,
        /// Forgeries after each message.
        burst: usize,
        /// Time from its beginning until it plays what it kept, for attacks that keep messages.
        hold: Duration,
    },
    /// Sends frames that it hears on one bus on another bus.
    Relay {
        /// The bus that it listens to.
        from: BusIndex,
        /// The bus that it sends on.
        to: BusIndex,
    },
    /// Keeps the bus busy.
    Flood {
        /// The bus.
        bus: BusIndex,
        /// The frame.
        frame: ForgedFrame,
        /// The rate of frames.
        rate: FrameRate,
    },
    /// Registers with a security module in the names of its ECUs, one after the other.
    Register {
        /// The bus.
        bus: BusIndex,
        /// The security module, by its place among those of the file.
        network: usize,
        /// The addresses in whose name it registers.
        ecus: Vec<Address>,
        /// Time between two registrations.
        period: Duration,
    },
    /// Takes part in the exchange of keys with a security module under the name of another.
    Masquerade {
        /// The bus.
        bus: BusIndex,
        /// The security module of the network, by its place among those of the file.
        network: usize,
        /// The party whose name it uses: an ECU, or the security module itself.
        party: KeyParty,
        /// True if it has a certificate of its own with that name, issued to an ECU.
        has_certificate: bool,
        /// Time from its beginning until it acts; before that it listens.
        hold: Duration,
    },
    /// A gateway between a security module and one of its ECUs impersonates each to the other.
    ManInTheMiddle {
        /// The gateway.
        gateway: EcuIndex,
        /// The security module, by its place among those of the file.
        network: usize,
        /// The ECU.
        member: KeyParty,
    },
    /// A gateway drops frames that it should forward.
    Suppress {
        /// The gateway.
        gateway: EcuIndex,
        /// The dropped frames.
        what: ForwardedFrames,
        /// Probability that a frame is dropped.
        probability: f64,
    },
    /// Runs code on ECUs, beside their protected modules: sends what they send, hands them what
    /// they did not receive, calls their modules, and uses the keys that it can read.
    Compromise {
        /// The ECUs.
        ecus: Vec<EcuIndex>,
        /// Time between two actions.
        period: Duration,
    },
    /// A gateway changes frames that it forwards.
    Modify {
        /// The gateway.
        gateway: EcuIndex,
        /// The changed frames.
        what: ForwardedFrames,
        /// The change.
        change: PayloadChange,
        /// Probability that a frame is changed.
        probability: f64,
    },
}

/// Frames that are recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedFrames {
    /// Every frame of the bus.
    All,
    /// Frames with an identifier, with their tags.
    Id(Id),
    /// Frames of a key protocol.
    Keys(KeyFrames),
}

/// Frames that a gateway drops or changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForwardedFrames {
    /// Streams that it forwards.
    Streams(Vec<StreamIndex>),
    /// Frames of a key protocol.
    Keys(KeyFrames),
}

impl ForwardedFrames {
    /// Returns the streams; none where it is key frames.
    #[must_use]
    pub fn streams(&self) -> &[StreamIndex] {
        match self {
            ForwardedFrames::Streams(streams) => streams,
            ForwardedFrames::Keys(_) => &[],
        }
    }
}

/// Attack on a stream that the attacker hears and has no key of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamAttack {
    /// Behind each message, forged ones: with all frames that belong to a message of the stream.
    Messages,
    /// Behind the data of each message, before its tag: other data.
    DataBeforeTag,
    /// Behind each message, tags to which there are no data.
    BareTag,
    /// Behind each message, all frames that announce a new time far in the future.
    EpochJump,
    /// Behind each message, another one that makes the receiver complain, and a forged complaint.
    Complaint,
    /// Keeps messages, then sends the newest first and the older ones behind it, and all of them
    /// again.
    Reorder,
    /// Keeps messages, then sends the newest again and again.
    CounterJump,
    /// Keeps messages, then sends them with tags that show another counter.
    OtherCounter,
}

/// A forged frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForgedFrame {
    /// Its identifier.
    pub id: Id,
    /// The stream it pretends to be, where it was named that way.
    pub stream: Option<StreamIndex>,
    /// Its format.
    pub format: FrameFormat,
    /// Its payload length in bytes.
    pub length: u8,
    /// Content of its payload.
    pub data: Data,
}

impl StreamAttack {
    /// Returns the description of the attack, which ends before the name of the stream.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            StreamAttack::Messages => "makes up messages of",
            StreamAttack::DataBeforeTag => "puts data before the tags of",
            StreamAttack::BareTag => "makes up tags without data of",
            StreamAttack::EpochJump => "announces times far ahead to the receivers of",
            StreamAttack::Complaint => "has receivers complain of",
            StreamAttack::Reorder => "keeps and reorders messages of",
            StreamAttack::CounterJump => "keeps messages of, and plays one again and again:",
            StreamAttack::OtherCounter => "puts other counters on the tags of",
        }
    }
}

/// Rate at which a flooding attacker sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameRate {
    /// Always has a frame waiting.
    Full,
    /// This many frames a second, evenly spaced.
    PerSecond(u32),
}

/// Change of payload bytes, from the byte `at` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadChange {
    /// The first byte that is changed, counted from 0.
    pub at: usize,
    /// The new bytes.
    pub edit: Edit,
}

/// Replacement of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// They are replaced by these.
    Set(Vec<u8>),
    /// They are combined with these by exclusive or.
    Xor(Vec<u8>),
}

/// Disturbance on the wire, below the level of frames.
#[derive(Clone, Debug, PartialEq)]
pub struct WireInterferer {
    /// Its name in the trace.
    pub name: Located<String>,
    /// The bus.
    pub bus: BusIndex,
    /// Time during which it acts.
    pub window: Window,
    /// True if a run in which it never acts may meet its requirements.
    pub is_optional: bool,
    /// The interference.
    pub interference: Interference,
}

/// The actions of an interferer.
#[derive(Clone, Debug, PartialEq)]
pub enum Interference {
    /// Each bit is flipped for all with this probability.
    BitErrors {
        /// Probability per bit.
        rate: f64,
    },
    /// Each bit is flipped for one receiver with this probability.
    ReceiverLocal {
        /// The receiver.
        ecu: EcuIndex,
        /// Probability per bit.
        rate: f64,
    },
    /// The frames with this identifier are destroyed each time, until their sender is bus-off.
    BusOff {
        /// The frames.
        id: Id,
    },
    /// The sender is driven error-passive; then its frames are overwritten without its noticing.
    ErrorPassiveOverwrite {
        /// The frames.
        id: Id,
        /// The payload that overwrites them.
        data: Data,
    },
    /// The same to frames of a key protocol, each once.
    KeyFrameOverwrite {
        /// The frames.
        frames: KeyFrames,
        /// The payload that overwrites them.
        data: Data,
    },
    /// The bus is held dominant again and again.
    Babbling {
        /// Time from the beginning of one burst to that of the next.
        period: Duration,
        /// Dominant bit times in a burst.
        bits: u32,
    },
    /// The last bit of end-of-frame is disturbed at the sender: receivers get the frame twice.
    DoubleReceive {
        /// The frames; `None` means all.
        id: Option<Id>,
        /// Probability that a frame is disturbed.
        probability: f64,
    },
    /// Some receivers sample another payload than the rest.
    Janus {
        /// The frames.
        id: Id,
        /// The payload that the deceived ones receive.
        data: Vec<u8>,
        /// The deceived ones.
        receivers: Vec<EcuIndex>,
    },
}

/// An ECU that fails.
#[derive(Clone, Debug, PartialEq)]
pub struct EcuFailure {
    /// Its name in the trace.
    pub name: Located<String>,
    /// The ECU.
    pub ecu: EcuIndex,
    /// Time during which it fails.
    pub window: Window,
    /// True if a run in which it never happens may meet its requirements.
    pub is_optional: bool,
    /// The kind of failure.
    pub kind: EcuFailureKind,
}

impl EcuFailure {
    /// Returns when the ECU goes down and when it boots again, if it does.
    #[must_use]
    pub fn reset(&self) -> Option<(Duration, Duration)> {
        let is_reset = matches!(self.kind, EcuFailureKind::Reset | EcuFailureKind::Replaced);
        // A reset without an end is a short one, the file was read that way; a new part at power-on
        // is none.
        is_reset.then_some((self.window.from, self.window.until?))
    }

    /// Returns true if the ECU is a new part from power-on.
    #[must_use]
    pub fn is_new_at_power_on(&self) -> bool {
        self.kind == EcuFailureKind::Replaced && self.window.until.is_none()
    }
}

/// Kind of failure of an ECU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EcuFailureKind {
    /// It is held in reset for the window and boots again at its end.
    Reset,
    /// It is taken out for the window, and a new part boots at its end, in which nothing is
    /// retained. Without a window it is a new part from power-on.
    Replaced,
    /// Its clock runs faster by this much in the window.
    ClockDrift {
        /// Additional drift in millionths, besides its `clock_ppm`.
        ppm: i32,
    },
    /// It is cut off from these buses for the window.
    BusOpen {
        /// The buses.
        buses: Vec<BusIndex>,
    },
}
