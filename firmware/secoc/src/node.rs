//! The node of an ECU, made from its record at a boot.

use heapless::Vec;
use waywarden_can::mailbox::PORT;
use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::AesCmac;
use waywarden_can_auth::secoc::{SecocReceiver, SecocSender};
use waywarden_ecu::{
    Authenticator, Ecu, EcuRole, End, ForwardedFrame, FreshnessRole, GatewayRoute, StreamState,
};
use waywarden_firmware_link::{
    Announcements, ENDS_MAX, EcuRecord, FreshnessRecord, KEYS_MAX, STREAMS_MAX,
};

use crate::{Board, Link, Names, Role, Start};

/// The ends of one direction.
pub type Ends<T> = Vec<End<T>, ENDS_MAX>;

/// SecOC with AES-CMAC, for all streams of an ECU.
pub type SecocAuthenticator = Authenticator<
    Keyring<AesCmac, KEYS_MAX>,
    Ends<SecocSender>,
    Ends<SecocReceiver>,
    SecocSender,
    SecocReceiver,
>;

/// The roles of an ECU: SecOC, or none.
pub type Roles<'a, L> = Vec<EcuRole<Role<'a, L>>, 1>;

/// The ECU.
pub type Node<'a, L> = Ecu<
    Vec<StreamState, STREAMS_MAX>,
    [GatewayRoute; 0],
    [ForwardedFrame; 0],
    Roles<'a, L>,
    Role<'a, L>,
    Names<'a, L>,
>;

/// Makes the node of a boot.
///
/// # Panics
/// If the record has two keys of one name and more names than there is room for, announcements that
/// there cannot be, or too many ends that count for themselves.
pub fn node<'a, L: Link>(start: &Start, board: &'a Board<L>) -> Node<'a, L> {
    let boot = Boot {
        now: start.status.now,
        seed: start.seed,
        retained: &start.retained,
    };
    let record = &start.record;
    let streams = record
        .streams
        .iter()
        .map(|stream| StreamState::new(*stream));
    let mut roles = Vec::new();
    // As in a simulation: an ECU that neither sends, checks nor announces has no role.
    let announces = matches!(record.freshness, FreshnessRecord::Master { .. });
    if announces || !record.senders.is_empty() || !record.receivers.is_empty() {
        let role = Role::new(authenticator(&boot, record), board);
        // It is the first, and there is room for one.
        let _ = roles.push(EcuRole::new(role, Ports::NONE.with(PORT), SLOT));
    }
    Ecu::with_roles(&boot, streams.collect(), [], [], roles).observed_by(Names(board))
}

/// The first slot of the role.
const SLOT: Slot = Slot(0);

/// A simulated role gets a seed of its own, drawn from the boot's. SecOC takes nothing from it: its
/// freshness is counted, and its keys come with the record.
fn authenticator(boot: &Boot<'_>, record: &EcuRecord) -> SecocAuthenticator {
    let mut keys = Keyring::new();
    for one in &record.keys {
        if keys.insert(one.id, one.usage, &one.key).is_err() {
            panic!("the record has more keys than there is room for");
        }
    }
    let senders = record.senders.iter().map(|stream| End {
        port: PORT,
        end: SecocSender::under_fresh_key(*stream),
    });
    let receivers = record.receivers.iter().map(|stream| End {
        port: PORT,
        end: SecocReceiver::under_fresh_key(*stream),
    });
    let (senders, receivers) = (senders.collect(), receivers.collect());
    let made = Authenticator::new(SLOT, boot, freshness(record), keys, senders, receivers);
    made.unwrap_or_else(|error| panic!("the record: {error}"))
}

fn freshness(record: &EcuRecord) -> FreshnessRole {
    let synchronisation = |announcements: &Announcements| {
        let made = announcements.synchronisation();
        made.unwrap_or_else(|error| panic!("the announcements of the record: {error}"))
    };
    match &record.freshness {
        FreshnessRecord::Unsynchronised => FreshnessRole::Unsynchronised,
        FreshnessRecord::Follower {
            announcements,
            resets_ahead,
        } => FreshnessRole::Follower {
            port: PORT,
            sync: synchronisation(announcements),
            resets_ahead: *resets_ahead,
        },
        FreshnessRecord::Master {
            announcements,
            pace,
        } => FreshnessRole::Master {
            ports: Ports::NONE.with(PORT),
            sync: synchronisation(announcements),
            pace: *pace,
        },
    }
}
