//! The group's key that the image has in use, and the keys of streams that follow it.

use core::cell::{Cell, RefCell};

use waywarden_can::Frame;
use waywarden_firmware_ecu::KeySource;
use waywarden_firmware_link::{FollowedRecord, KEYS_MAX, List};
use waywarden_key_suites::Secret;
use waywarden_session_keys::{
    ChangeOver, Followed, FollowingKey, FollowingKeys, RenewableKeys, SessionKeys,
};
use waywarden_work::Instant;

/// The key that the group has confirmed since the boot.
#[derive(Default)]
pub struct KeysInUse {
    key: RefCell<Option<(u64, Secret)>>,
    version: Cell<u64>,
}

impl KeysInUse {
    /// There is none at a boot.
    #[must_use]
    pub const fn new() -> Self {
        KeysInUse {
            key: RefCell::new(None),
            version: Cell::new(0),
        }
    }

    /// Takes a key of an epoch into use, in the place of the one before.
    pub(crate) fn put(&self, key: Option<(u64, Secret)>) {
        if let Some(key) = key {
            self.key.replace(Some(key));
            self.version.set(self.version.get() + 1);
        }
    }
}

impl SessionKeys for KeysInUse {
    type Id = ();

    fn version(&self) -> u64 {
        self.version.get()
    }

    fn get(&self, (): ()) -> Option<(u64, Secret)> {
        let key = self.key.borrow();
        key.as_ref().map(|(epoch, key)| (*epoch, key.duplicate()))
    }

    fn ends(&self, (): ()) -> bool {
        false
    }
}

type KeyList = List<FollowingKey, KEYS_MAX>;
/// One session key, and all that follows it.
type Following = FollowingKeys<(), KeyList, [Followed<(), KeyList>; 1]>;

/// The keys of streams: those that follow the group's, or none if all are in place.
pub struct FollowedKeys<'a> {
    in_use: &'a KeysInUse,
    keys: Option<Following>,
}

impl<'a> FollowedKeys<'a> {
    pub(crate) fn new(in_use: &'a KeysInUse, record: Option<&FollowedRecord>) -> Self {
        let keys = record.map(|record| {
            let keys = record.keys.iter().map(|key| FollowingKey {
                id: key.id,
                usage: key.usage,
                sends: key.sends,
                of: key.of,
            });
            let change_over = ChangeOver {
                sends_after: record.sends_after,
                overlap: record.overlap,
            };
            Following::new([Followed::new((), keys.collect(), None)], change_over)
        });
        FollowedKeys { in_use, keys }
    }
}

impl<V: RenewableKeys> KeySource<V> for FollowedKeys<'_> {
    fn renew(&mut self, now: Instant, keys: &mut V) {
        if let Some(own) = &mut self.keys {
            own.renew(now, self.in_use, keys);
        }
    }

    /// All keys follow one, so that they are there together.
    fn is_there(&self, _frame: &Frame) -> bool {
        let keys = self.keys.as_ref();
        keys.is_none_or(Following::has_begun)
    }

    fn is_behind(&self) -> bool {
        let keys = self.keys.as_ref();
        keys.is_some_and(|keys| keys.is_behind(self.in_use))
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.keys.as_ref().and_then(Following::next_deadline)
    }
}
