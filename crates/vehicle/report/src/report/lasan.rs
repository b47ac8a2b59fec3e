//! Figures of security modules and of the streams that they protect.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;

use super::{ms, picos_ms, transport_name};
use crate::RunOutcome;
use crate::measure::lasan::{
    AuthenticatedFigures, CarriedFrames, GrantedKeyFigures, NetworkFigures,
};
use crate::measure::span;
use waywarden_vehicle_file::{GrantedKeyUse, Lasan, VehicleFile};

/// A security module in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NetworkRow {
    /// Its name.
    pub network: String,
    /// The suite, as vehicle files write it.
    pub suite: &'static str,
    /// The profile.
    pub profile: &'static str,
    /// Credentials for the parties' keys: `certificates`, `digests` or `keys`.
    pub credentials: &'static str,
    /// `fd` or `classic`.
    pub transport: &'static str,
    /// The security module's ECU.
    pub security_module: String,
    /// Number of ECUs that it authenticates.
    pub members: usize,
    /// Time from power-on until the first epoch began.
    pub started_ms: Option<f64>,
    /// Time from power-on until all were authenticated and had the keys of the streams whose
    /// windows had begun by then.
    pub authorized_ms: Option<f64>,
    /// Number of epochs begun.
    pub epochs: u64,
    /// Authentications that failed, as the security module saw it.
    pub failed: u64,
    /// Requests that it refused.
    pub refused: u64,
    /// Protected frames that no receiver accepted: with a wrong tag, replayed, or under an unknown
    /// key.
    pub stopped: u64,
    /// Messages of the protocol, on each bus that carries them.
    #[serde(flatten)]
    pub messages: CarriedRow,
    /// Broadcast messages of the protocol, which reach all ECUs at once.
    pub amortised: CarriedRow,
    /// Messages by kind.
    pub kinds: Vec<KindRow>,
    /// The security module, then its ECUs.
    pub ecus: Vec<AuthenticatedRow>,
    /// The streams and announcements whose keys it grants.
    pub streams: Vec<ProtectedRow>,
    /// Figures of the security module from each of its boots to the next.
    pub boots: Vec<ModuleBootRow>,
}

/// Figures of a security module from one boot to the next.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ModuleBootRow {
    /// Its name.
    pub network: String,
    /// Number of the boot, counted from 1.
    pub boot: usize,
    /// Time from power-on until it booted.
    pub from_ms: f64,
    /// Number of epochs begun.
    pub epochs: u64,
    /// Mutual authentications with ECUs.
    pub sessions: u64,
    /// Authentications that failed, as it saw it.
    pub failed: u64,
    /// Keys that it made.
    pub keys: u64,
    /// Grants that were delivered: each key to each holder once.
    pub grants: u64,
    /// Requests that it refused.
    pub refused: u64,
}

/// Frames with their payload and bus time.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct CarriedRow {
    /// Number of frames.
    pub frames: u64,
    /// Bytes of payload.
    pub bytes: u64,
    /// Bus time of the frames and their intermissions.
    pub bus_ms: f64,
}

/// Messages of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KindRow {
    /// Kind of message.
    pub kind: &'static str,
    /// True if all ECUs receive them, once for all.
    pub amortised: bool,
    /// Their frames.
    #[serde(flatten)]
    pub carried: CarriedRow,
}

/// An ECU under a security module in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuthenticatedRow {
    /// The security module's name in the vehicle file.
    pub network: String,
    /// The ECU.
    pub ecu: String,
    /// Its address.
    pub address: u8,
    /// `security-module` or `member`.
    pub part: &'static str,
    /// Time from power-on until it was authenticated for the first time.
    pub authenticated_ms: Option<f64>,
    /// The longest time from the beginning of an epoch until it was authenticated.
    pub longest_ms: Option<f64>,
    /// Number of times it was authenticated.
    pub sessions: u64,
    /// Authentications that failed, as it saw it.
    pub failed: u64,
    /// Bus time of messages from it and for it, from power-on until it was authenticated.
    pub communication_ms: Option<f64>,
    /// Computing time from power-on until it was authenticated.
    pub computation_ms: Option<f64>,
    /// The rest of the time from the beginning of the epoch until it was authenticated.
    pub rest_ms: Option<f64>,
    /// True if the workshop has taken it out.
    pub retired: bool,
}

/// A protected stream in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ProtectedRow {
    /// The security module's name in the vehicle file.
    pub network: String,
    /// The stream, or the authentication whose freshness is announced.
    pub stream: String,
    /// Use of the key: `encryption`, `authentication` or `freshness`.
    pub key_use: &'static str,
    /// Time from power-on until its sender had the key.
    pub sender_ms: Option<f64>,
    /// Time from power-on until all receivers had it too.
    pub keyed_ms: Option<f64>,
    /// Number of keys it had.
    pub keys: u64,
    /// Number of times its permission came to an end.
    pub revoked: u64,
    /// Instances that never left because their sender had no key.
    pub withheld: u64,
    /// Its frames, as its sender sent them.
    #[serde(flatten)]
    pub carried: CarriedRow,
    /// Outcomes at its receivers for the frames that reached them, in the file's order; none where
    /// the key is for message authentication, whose checks are reported with it.
    pub receivers: Vec<ReceiverRow>,
}

/// Outcomes of the frames of a protected stream at one receiver.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReceiverRow {
    /// The security module's name in the vehicle file.
    pub network: String,
    /// The stream.
    pub stream: String,
    /// The receiver.
    pub ecu: String,
    /// Frames of the sender, each newer than the one before.
    pub authentic: u64,
    /// Frames with a wrong tag.
    pub wrong_tag: u64,
    /// Frames not newer than the one before.
    pub replay: u64,
    /// Frames under another key than the one that it has.
    pub unknown_key: u64,
    /// Frames that came while it had no key of the stream at all.
    pub without_key: u64,
    /// Frames dropped because the queue of frames that wait to be opened was full.
    pub no_room: u64,
}

pub(super) fn rows(file: &VehicleFile, outcome: &RunOutcome) -> Vec<NetworkRow> {
    let networks = file.lasan.iter().zip(outcome.measure.networks());
    networks
        .map(|(lasan, figures)| row(file, outcome, lasan, figures))
        .collect()
}

fn since_start(time: Time) -> f64 {
    ms(span(Time::ZERO, time))
}

fn row(
    file: &VehicleFile,
    outcome: &RunOutcome,
    lasan: &Lasan,
    figures: &NetworkFigures,
) -> NetworkRow {
    let name = &lasan.name.value;
    let kinds = figures.kinds.iter().map(|(kind, carried)| KindRow {
        kind: kind.name(),
        amortised: kind.is_broadcast(),
        carried: carried_row(carried),
    });
    let parties = figures.parties.iter().enumerate();
    let ecus = parties.map(|(at, party)| {
        let is_module = at == 0;
        authenticated(name, outcome, figures, party, is_module)
    });
    let streams = figures.keys.iter();
    let streams: Vec<ProtectedRow> = streams
        .map(|stream| protected(file, name, outcome, stream))
        .collect();
    let lives = figures
        .lives
        .iter()
        .zip(1..)
        .map(|(life, boot)| ModuleBootRow {
            network: name.clone(),
            boot,
            from_ms: since_start(life.began),
            epochs: life.epochs,
            sessions: life.sessions,
            failed: life.failed,
            keys: life.keys,
            grants: life.grants,
            refused: life.refused,
        });
    let receivers = streams.iter().flat_map(|stream| &stream.receivers);
    let stopped = receivers.map(|one| one.wrong_tag + one.replay + one.unknown_key);
    NetworkRow {
        network: name.clone(),
        suite: lasan.suite,
        profile: lasan.profile.name(),
        credentials: lasan.credentials.name(),
        transport: transport_name(lasan.transport),
        security_module: file.ecu(lasan.security_module.ecu).name.value.clone(),
        members: lasan.members.len(),
        started_ms: figures.started.map(since_start),
        authorized_ms: figures.complete.map(since_start),
        epochs: figures.epochs,
        failed: figures.failed,
        refused: figures.refused,
        stopped: stopped.sum(),
        messages: carried_row(&figures.messages()),
        amortised: carried_row(&figures.amortised()),
        kinds: kinds.collect(),
        ecus: ecus.collect(),
        streams,
        boots: lives.collect(),
    }
}

/// Returns the figures of an ECU under a security module.
pub fn authenticated(
    network: &str,
    outcome: &RunOutcome,
    figures: &NetworkFigures,
    party: &AuthenticatedFigures,
    is_module: bool,
) -> AuthenticatedRow {
    let (computation, communication) = party.until_first.unzip();
    let took = party.first.zip(figures.started);
    let took = took.map(|(first, started)| span(started.min(first), first).as_nanos() * 1_000);
    let busy = computation.unwrap_or(0) + communication.unwrap_or(0);
    let rest = took.map(|took| took.saturating_sub(busy));
    AuthenticatedRow {
        network: network.to_owned(),
        ecu: outcome.names.ecus[party.ecu.0].clone(),
        address: party.address.0,
        part: if is_module {
            "security-module"
        } else {
            "member"
        },
        authenticated_ms: party.first.map(since_start),
        longest_ms: party.longest.map(ms),
        sessions: party.sessions,
        failed: party.failed,
        communication_ms: communication.map(picos_ms),
        computation_ms: computation.map(picos_ms),
        rest_ms: rest.map(picos_ms),
        retired: party.retired,
    }
}

fn protected(
    file: &VehicleFile,
    network: &str,
    outcome: &RunOutcome,
    figures: &GrantedKeyFigures,
) -> ProtectedRow {
    let encrypted = match figures.key.of {
        GrantedKeyUse::Encryption(stream) => Some(stream.0),
        _ => None,
    };
    let receivers = encrypted.into_iter().flat_map(|at| {
        file.streams[at].receivers.iter().map(move |one| {
            let receipts = outcome.measure.receipts(at, one.ecu.0);
            ReceiverRow {
                network: network.to_owned(),
                stream: file.streams[at].name.value.clone(),
                ecu: file.ecu(one.ecu).name.value.clone(),
                authentic: receipts.authentic,
                wrong_tag: receipts.wrong_tag,
                replay: receipts.replay,
                unknown_key: receipts.unknown_key,
                without_key: receipts.without_key,
                no_room: receipts.no_room,
            }
        })
    });
    ProtectedRow {
        network: network.to_owned(),
        stream: file.granted_key_name(&figures.key),
        key_use: figures.key.of.name(),
        sender_ms: figures.sender_first.map(since_start),
        keyed_ms: figures.complete.map(since_start),
        keys: figures.keys,
        revoked: figures.revoked,
        withheld: encrypted.map_or(0, |at| outcome.measure.streams[at].withheld),
        carried: carried_row(&figures.carried),
        receivers: receivers.collect(),
    }
}

fn carried_row(carried: &CarriedFrames) -> CarriedRow {
    CarriedRow {
        frames: carried.frames,
        bytes: carried.bytes,
        bus_ms: picos_ms(carried.busy),
    }
}
