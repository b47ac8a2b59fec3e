//! vatiCAN or LeiA for all streams of an ECU, made from its record at a boot.

use heapless::Vec;
use waywarden_can::StandardId;
use waywarden_can::mailbox::PORT;
use waywarden_can::node::{Boot, Slot};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::AesCmac;
use waywarden_can_auth::paired::{PairedConnection, PairedReceiver, PairedSender};
use waywarden_ecu::{Authenticator, End, FreshnessRole};
use waywarden_firmware_link::{ENDS_MAX, KEYS_MAX, PairedRecord};
use waywarden_key_suites::Entropy;

/// The keys of the image, in a place of their own: an authenticator that had them within would be
/// moved with them.
pub type Keys = Keyring<AesCmac, KEYS_MAX>;

/// The ends of all streams, in a place of their own as well.
pub struct Ends {
    senders: Vec<End<PairedSender>, ENDS_MAX>,
    receivers: Vec<End<PairedReceiver>, ENDS_MAX>,
}

impl Ends {
    /// Makes a place without ends.
    #[must_use]
    pub const fn new() -> Self {
        Ends {
            senders: Vec::new(),
            receivers: Vec::new(),
        }
    }
}

impl Default for Ends {
    fn default() -> Self {
        Self::new()
    }
}

/// vatiCAN or LeiA with AES-CMAC, for all streams of an ECU.
pub type PairedAuthenticator<'a> = Authenticator<
    &'a mut Keys,
    &'a mut [End<PairedSender>],
    &'a mut [End<PairedReceiver>],
    PairedSender,
    PairedReceiver,
>;

/// The first slot of the role.
pub(crate) const SLOT: Slot = Slot(0);

/// Makes the authenticator of a boot, with its keys and ends in their places, which are empty yet.
///
/// # Panics
/// If the record has more keys than there is room for.
pub(crate) fn authenticator<'a>(
    boot: &Boot<'_>,
    record: &PairedRecord,
    keys: &'a mut Keys,
    ends: &'a mut Ends,
) -> PairedAuthenticator<'a> {
    for one in &record.keys {
        if keys.insert(one.id, one.usage, &one.key).is_err() {
            panic!("the record has more keys than there is room for");
        }
    }
    // The first role of an ECU has a seed of its own, the first that is drawn from the boot's.
    let mut seeds = Entropy::new(boot.seed);
    let mut entropy = Entropy::new(*seeds.draw().as_bytes());
    ends.senders.extend(record.senders.iter().map(|stream| End {
        port: PORT,
        end: PairedSender::in_epoch(*stream, 0),
    }));
    for stream in &record.receivers {
        // Their reader has seen to it that there is an identifier.
        if let Some(under) = record.asks_under {
            let end = receiver(*stream, under, &mut entropy);
            // There is room for as many as a record has.
            let _ = ends.receivers.push(End { port: PORT, end });
        }
    }
    let (senders, receivers) = (&mut *ends.senders, &mut *ends.receivers);
    let freshness = FreshnessRole::Unsynchronised;
    let made = Authenticator::new(SLOT, boot, freshness, keys, senders, receivers);
    made.unwrap_or_else(|error| panic!("the record: {error}"))
}

fn receiver(stream: PairedConnection, under: StandardId, entropy: &mut Entropy) -> PairedReceiver {
    let mut seed = [0; 16];
    seed.copy_from_slice(&entropy.draw().as_bytes()[..16]);
    PairedReceiver::new(stream, under, &seed)
}
