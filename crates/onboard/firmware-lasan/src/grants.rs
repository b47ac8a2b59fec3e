//! The granted keys that an ECU has in use, and the keys of its streams that follow them.

use core::cell::{Cell, RefCell};

use heapless::Vec;
use waywarden_can::Frame;
use waywarden_can::Id;
use waywarden_firmware_ecu::KeySource;
use waywarden_firmware_link::{ENDS_MAX, EcuRecord, GrantedKeyRecord, KEYS_MAX};
use waywarden_firmware_secoc::Keys;
use waywarden_key_suites::Secret;
use waywarden_lasan::StreamId;
use waywarden_session_keys::{ChangeOver, Followed, FollowingKey, FollowingKeys, SessionKeys};
use waywarden_work::{Duration, Instant};

/// A granted key: its stream, the number of the change that brought it, and the key.
type Grant = (StreamId, u64, Secret);

/// The granted keys that an ECU has in use, counted from its boot.
#[derive(Default)]
pub struct Grants {
    keys: RefCell<Vec<Grant, KEYS_MAX>>,
    version: Cell<u64>,
}

impl Grants {
    /// Makes an empty store.
    #[must_use]
    pub const fn new() -> Self {
        Grants {
            keys: RefCell::new(Vec::new()),
            version: Cell::new(0),
        }
    }

    /// Takes a granted key into use, or out of it if there is none any more.
    pub(crate) fn set(&self, of: StreamId, key: Option<&Secret>) {
        let mut keys = self.keys.borrow_mut();
        let place = keys.iter().position(|(stream, ..)| *stream == of);
        let before = place.map(|place| keys[place].2.as_bytes());
        if before == key.map(Secret::as_bytes) {
            return;
        }
        let version = self.version.get() + 1;
        self.version.set(version);
        if let Some(place) = place {
            keys.swap_remove(place);
        }
        if let Some(key) = key {
            // There is room: the record names at most as many.
            let _: Result<(), Grant> = keys.push((of, version, key.duplicate()));
        }
    }
}

impl SessionKeys for Grants {
    type Id = StreamId;

    fn version(&self) -> u64 {
        self.version.get()
    }

    fn get(&self, of: StreamId) -> Option<(u64, Secret)> {
        let keys = self.keys.borrow();
        let (_, epoch, key) = keys.iter().find(|(stream, ..)| *stream == of)?;
        Some((*epoch, key.duplicate()))
    }

    fn ends(&self, _of: StreamId) -> bool {
        true
    }
}

type Following = [FollowingKey; 1];
type AllFollowed = Vec<Followed<StreamId, Following>, KEYS_MAX>;

/// The keys of an authenticator that follow granted ones.
pub struct GrantedKeys<'a> {
    following: FollowingKeys<StreamId, Following, AllFollowed>,
    grants: &'a Grants,
    /// The frames that are checked, each with its stream.
    checked: Vec<(Id, u64), ENDS_MAX>,
}

impl<'a> GrantedKeys<'a> {
    pub(crate) fn new(
        ecu: &EcuRecord,
        keys: &[GrantedKeyRecord],
        overlap: Duration,
        grants: &'a Grants,
    ) -> Self {
        let follow = |key: &GrantedKeyRecord| {
            let GrantedKeyRecord {
                from,
                id,
                usage,
                sends,
                of,
            } = *key;
            let following = FollowingKey {
                id,
                usage,
                sends,
                of,
            };
            Followed::new(from, [following], None)
        };
        let change_over = ChangeOver {
            // The security module grants a key to the sender when the receivers have it.
            sends_after: Duration::ZERO,
            overlap,
        };
        let checked = ecu.receivers.iter().filter_map(|stream| {
            let key = keys.iter().find(|key| key.id == stream.key())?;
            Some((stream.frame_id(), key.of[1]))
        });
        GrantedKeys {
            following: FollowingKeys::new(keys.iter().map(follow).collect(), change_over),
            grants,
            checked: checked.collect(),
        }
    }
}

impl KeySource<&mut Keys> for GrantedKeys<'_> {
    fn renew(&mut self, now: Instant, keys: &mut &mut Keys) {
        self.following.renew(now, self.grants, &mut **keys);
    }

    fn is_there(&self, frame: &Frame) -> bool {
        let mut checked = self.checked.iter();
        let stream = checked.find(|(id, _)| *id == frame.id());
        stream.is_none_or(|(_, stream)| self.following.is_there(*stream))
    }

    fn is_behind(&self) -> bool {
        self.following.is_behind(self.grants)
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.following.next_deadline()
    }
}
