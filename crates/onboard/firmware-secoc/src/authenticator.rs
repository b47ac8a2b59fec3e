//! SecOC for all streams of an ECU, made from its record at a boot.

use heapless::Vec;
use waywarden_can::mailbox::PORT;
use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::AesCmac;
use waywarden_can_auth::secoc::{SecocReceiver, SecocSender};
use waywarden_ecu::{Authenticator, End, FreshnessRole};
use waywarden_firmware_link::{Announcements, ENDS_MAX, EcuRecord, FreshnessRecord, KEYS_MAX};

/// The keys of the image, in a place of their own: they are most of its RAM. An authenticator that
/// had them within would be moved with them, and the stack would have to have room for them several
/// times.
pub type Keys = Keyring<AesCmac, KEYS_MAX>;

/// The ends of one direction.
pub type Ends<T> = Vec<End<T>, ENDS_MAX>;

/// SecOC with AES-CMAC, for all streams of an ECU.
pub type SecocAuthenticator<'a> =
    Authenticator<&'a mut Keys, Ends<SecocSender>, Ends<SecocReceiver>, SecocSender, SecocReceiver>;

/// Makes the authenticator of a boot that retains from `slot` on, with its keys in `keys`, which
/// are none yet.
///
/// A simulated role gets a seed of its own, drawn from the boot's. SecOC takes nothing from it: its
/// freshness is counted, and its keys come with the record.
///
/// # Panics
/// If the record has more keys than there is room for, announcements that there cannot be, or too
/// many ends that count for themselves.
pub fn authenticator<'a>(
    boot: &Boot<'_>,
    slot: Slot,
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
    let made = Authenticator::new(slot, boot, freshness(record), keys, senders, receivers);
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
