//! The report of one start under a security module.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ExchangeFrames, OperationFigures};
use waywarden_vehicle_report::report::{CarriedRow, KindRow};

/// The start of one security module. Times are milliseconds from power-on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NetworkExchange {
    /// Name of the security module's table.
    pub network: String,
    /// The suite, as vehicle files write it.
    pub suite: &'static str,
    /// Profile, as vehicle files write it.
    pub profile: &'static str,
    /// Form of the parties' credentials.
    pub credentials: &'static str,
    /// `fd` or `classic`.
    pub transport: &'static str,
    /// The security module's ECU.
    pub security_module: String,
    /// Number of ECUs that it authenticates.
    pub members: usize,
    /// The buses that carry its messages.
    pub buses: Vec<String>,
    /// Those that the workshop had taken out before.
    pub retired: Vec<String>,
    /// True if all the others were authenticated and had the keys of the streams that might be sent
    /// by then. A stream whose window was over before all had its key is one that they lack.
    pub authorized: bool,
    /// The ECUs that were not authenticated by the end of the run.
    pub unauthenticated: Vec<String>,
    /// Those that were, and have been without a session since a certificate ended.
    pub cut_off: Vec<String>,
    /// Those of these streams whose keys an ECU lacked then.
    pub unkeyed: Vec<String>,
    /// Time at which the security module began to compute for the first epoch.
    pub begun_ms: Option<f64>,
    /// Start of the first frame.
    pub first_frame_ms: Option<f64>,
    /// Time at which the last ECU was authenticated.
    pub authenticated_ms: Option<f64>,
    /// Time at which all had the keys, too.
    pub authorized_ms: Option<f64>,
    /// From the security module's first computation to that.
    pub took_ms: Option<f64>,
    /// Frames of its ECUs, and those that the gateway forwarded.
    #[serde(flatten)]
    pub messages: CarriedRow,
    /// Those of them that every ECU receives, once for all.
    pub amortised: CarriedRow,
    /// Bus time of these frames, as a share of its buses' time from the start of the first frame to
    /// the end of the last.
    pub bus_load: f64,
    /// Frames of its ECUs that were destroyed on the bus.
    pub destroyed: u64,
    /// Frames with its identifiers on its buses that others sent.
    pub foreign: u64,
    /// Authentications that failed, as the security module saw it.
    pub failed: u64,
    /// Requests that it refused.
    pub refused: u64,
    /// Messages by kind.
    pub kinds: Vec<KindRow>,
    /// The same by what they belong to, in order of time.
    pub parts: Vec<ExchangeFrames>,
    /// Its ECUs, the security module first.
    pub ecus: Vec<AuthenticatedParty>,
    /// The protected streams.
    pub streams: Vec<KeyedStream>,
}

/// An ECU under a security module, or that itself.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuthenticatedParty {
    /// Name of the ECU.
    pub ecu: String,
    /// Address of the ECU in messages.
    pub address: u8,
    /// `security module` or `member`.
    pub part: &'static str,
    /// Time at which it was authenticated.
    pub authenticated_ms: Option<f64>,
    /// Until then: the time that messages from it and for it were on the bus,
    pub communication_ms: Option<f64>,
    /// the time that it computed,
    pub computation_ms: Option<f64>,
    /// and, from the beginning of the epoch, what is left of the time.
    pub rest_ms: Option<f64>,
    /// Frames that it sent, as its own or forwarded.
    pub frames: u64,
    /// Time that it computed until the exchange was over, for everything it takes part in.
    pub computed_ms: f64,
    /// The same by operation.
    pub operations: Vec<OperationFigures>,
}

/// A protected stream and its first key.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyedStream {
    /// Name of the stream.
    pub stream: String,
    /// ECU that sends it.
    pub sender: String,
    /// ECUs that receive it.
    pub receivers: Vec<String>,
    /// Start of the window in which it may be sent.
    pub from_ms: f64,
    /// End of that window; none if it has no end.
    pub until_ms: Option<f64>,
    /// Time at which its sender had the key.
    pub sender_ms: Option<f64>,
    /// Time at which all receivers had it too.
    pub keyed_ms: Option<f64>,
    /// True if no ECU waited for it: its sender or all its receivers were retired before.
    pub retired: bool,
}
