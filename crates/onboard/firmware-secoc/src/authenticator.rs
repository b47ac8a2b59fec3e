//! SecOC for all streams of an ECU, made from its record at a boot.

use heapless::Vec;
use waywarden_can::mailbox::PORT;
use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can_auth::secoc::{SecocReceiver, SecocSender};
use waywarden_ecu::{Authenticator, End, FreshnessRole};
use waywarden_firmware_link::{Announcements, ENDS_MAX, EcuRecord, FreshnessRecord};

use crate::keys::{KeyStore, Keys};

/// The ends of one direction.
pub type Ends<T> = Vec<End<T>, ENDS_MAX>;

/// SecOC with AES-CMAC, for all streams of an ECU.
pub type SecocAuthenticator<'a> =
    Authenticator<KeyStore<'a>, Ends<SecocSender>, Ends<SecocReceiver>, SecocSender, SecocReceiver>;

/// The first slot of the role.
pub(crate) const SLOT: Slot = Slot(0);

/// Makes the authenticator of a boot.
///
/// A simulated role gets a seed of its own, drawn from the boot's. SecOC takes nothing from it: its
/// freshness is counted, and its keys come with the record.
///
/// # Panics
/// As [`role`](crate::role()).
pub(crate) fn authenticator<'a>(
    boot: &Boot<'_>,
    record: &EcuRecord,
    keys: &'a mut Keys,
) -> SecocAuthenticator<'a> {
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
    let made = Authenticator::new(
        SLOT,
        boot,
        freshness(record),
        KeyStore(keys),
        senders,
        receivers,
    );
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
