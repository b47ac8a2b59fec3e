//! The keys of an ECU's role: made from the seed of the vehicle file, and put where the file says.

use waywarden_can::node::Boot;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{KEY_LENGTH, Mac, MacKey, Tag};
use waywarden_can_auth::sancus::{AttestationServer, Hardware, Module};
use waywarden_key_suites::{Entropy, Secret};
use waywarden_work::{Meter, RecordedOperations};

use crate::nodes::GroupKeyId;
use waywarden_session_keys::RenewableKeys;
use waywarden_vehicle_file::KeyStoreKind;

/// A key of a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) id: KeyId,
    pub(super) usage: Usage,
    /// Owner: the vehicle's seed, the authentication, and the stream or other owner of a key.
    pub(super) of: [u64; 3],
}

/// A key store whose keys may be renewed while it is in use.
trait RenewableKeyStore: MacKeyStore + RenewableKeys + Send {}

impl<T: MacKeyStore + RenewableKeys + Send> RenewableKeyStore for T {}

/// The keys of a role, wherever they are.
pub(super) struct Keys {
    key_store: Box<dyn RenewableKeyStore>,
    /// True if every received tag is taken for right.
    believes: bool,
}

impl Keys {
    fn new(key_store: impl RenewableKeyStore + 'static) -> Self {
        Keys {
            key_store: Box::new(key_store),
            believes: false,
        }
    }

    /// Returns the keys of an intruder that checks nothing, and follows what receivers accept.
    pub(super) fn believing(self) -> Self {
        Keys {
            believes: true,
            ..self
        }
    }
}

impl RenewableKeys for Keys {
    fn renew(&mut self, id: KeyId, usage: Usage, key: &MacKey) {
        self.key_store.renew(id, usage, key);
    }

    fn forget_previous(&mut self, id: KeyId) {
        self.key_store.forget_previous(id);
    }

    fn withdraw(&mut self, id: KeyId) {
        self.key_store.withdraw(id);
    }
}

impl MacKeyStore for Keys {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        self.key_store.tag(key, message, meter)
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        match self.believes {
            true => Ok(true),
            false => self.key_store.check(key, message, received, bits, meter),
        }
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        self.key_store.derive(from, into, context, meter)
    }
}

/// Limit on the keys of one role: those of 256 streams, as many of epochs, and a few.
const KEYS_MAX: usize = 768;

/// Puts keys where they are to be; `room` is for those that are derived as well.
pub(super) fn place<M: Mac + Send + 'static>(
    boot: &Boot<'_>,
    key_store: KeyStoreKind,
    held: &[Held],
    room: usize,
) -> Keys {
    match room {
        0..=8 => sized::<M, 8>(boot, key_store, held),
        9..=32 => sized::<M, 32>(boot, key_store, held),
        33..=128 => sized::<M, 128>(boot, key_store, held),
        _ => sized::<M, KEYS_MAX>(boot, key_store, held),
    }
}

fn sized<M: Mac + Send + 'static, const N: usize>(
    boot: &Boot<'_>,
    key_store: KeyStoreKind,
    held: &[Held],
) -> Keys {
    match key_store {
        KeyStoreKind::Software => {
            let mut ring = Keyring::<M, N>::new();
            for one in held {
                // There is room for all: the size was chosen by their number.
                let _: Result<(), KeyStoreError> = ring.insert(one.id, one.usage, &key(one.of));
            }
            Keys::new(ring)
        }
        KeyStoreKind::Module => Keys::new(attested::<M, N>(boot, held)),
    }
}

/// Vendor of these modules.
const VENDOR: u16 = 1;

/// Measured identity of the module that authenticates: in a car, its code and layout.
const IDENTITY: [&[u8]; 1] = [b"waywarden authenticator"];

/// Hands keys to a protected module that proved what it is: all that takes no time, for it was over
/// before the car started.
fn attested<M: Mac + Send + 'static, const N: usize>(
    boot: &Boot<'_>,
    held: &[Held],
) -> Module<M, N> {
    let mut meter = RecordedOperations::new();
    let mut entropy = Entropy::new(boot.seed);
    let mut draw = || {
        let mut bytes = [0; KEY_LENGTH];
        bytes.copy_from_slice(&entropy.draw().as_bytes()[..KEY_LENGTH]);
        bytes
    };
    let node = MacKey::from_bytes(draw());
    let mut module = Hardware::<M>::new(&node).protect::<N>(VENDOR, &IDENTITY, &draw(), &mut meter);
    let mut server = AttestationServer::<M>::new(&node, VENDOR, &IDENTITY, &mut meter);
    let quote = module.attest(server.ask(draw()), &mut meter);
    if server.receive(&quote, &mut meter).is_ok() {
        for one in held {
            let sealed = server.deliver(one.id, one.usage, &key(one.of), &mut meter);
            if let Ok(sealed) = sealed {
                // What does not arrive is missed at the first tag.
                let _ = module.take(&sealed, &mut meter);
            }
            while meter.drain().next().is_some() {}
        }
    }
    module
}

/// Stands in the place of the stream for the key of announcements.
pub(super) const ANNOUNCEMENTS: u64 = u64::MAX;

/// Makes a key.
pub(super) fn key(of: [u64; 3]) -> MacKey {
    let mut key = [0; KEY_LENGTH];
    key.copy_from_slice(&secret(of, *b"messages").as_bytes()[..KEY_LENGTH]);
    MacKey::from_bytes(key)
}

/// Makes the key that a group agreed on in the last trip.
pub(super) fn of_last_trip(seed: u64, (group, logical): GroupKeyId) -> Secret {
    let logical = logical.map_or(u64::MAX, |logical| u64::from(logical.0));
    secret([seed, group as u64, logical], *b"lasttrip")
}

fn secret(of: [u64; 3], purpose: [u8; 8]) -> Secret {
    let mut bytes = [0; 32];
    for (to, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(of) {
        *to = word.to_be_bytes();
    }
    bytes[24..].copy_from_slice(&purpose);
    Entropy::new(bytes).draw()
}
