//! Session keys in the hands of message authentication: an ECU's role in a group, or under a
//! security module, says which keys are in use, and its roles of message authentication derive
//! theirs from them, renewal by renewal: `waywarden-session-keys` has how.
//!
//! Until its group has agreed on a key, an ECU has none; or it goes on with the last one that it
//! confirmed before it was switched off, or with that of the last trip. What is granted is asked
//! for again at each boot.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waywarden_group_keys::Address;
use waywarden_key_suites::Secret;
use waywarden_lasan::StreamId;
use waywarden_session_keys::{ChangeOver, Followed, FollowingKey, RenewableKeys, SessionKeys};
use waywarden_work::Instant;

/// A key of a group: the group's place in the vehicle file, and the logical ECU whose key it is, or
/// none for the group's own.
pub type GroupKeyId = (usize, Option<Address>);

/// A key that a security module grants: the place of its network in the vehicle file, and the
/// stream or announcement that the key goes by.
pub type GrantId = (usize, StreamId);

/// A key that ECUs have while the car runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SessionKeyId {
    /// A group agrees on it.
    Group(GroupKeyId),
    /// A security module grants it.
    Grant(GrantId),
}

/// The session keys that an ECU has in use: confirmed or granted since its last boot.
#[derive(Default)]
pub struct KeysInUse {
    keys: Mutex<BTreeMap<SessionKeyId, (u64, Secret)>>,
    /// The last ones of groups, in memory that lasts through resets.
    retained: Mutex<BTreeMap<GroupKeyId, (u64, Secret)>>,
    /// The groups of whose last trip the ECU knows nothing: it is a new part.
    unknown: Mutex<BTreeSet<usize>>,
    /// Counts the changes.
    version: AtomicU64,
}

/// Locks a map of keys, which is complete after each change, whatever panicked elsewhere.
fn locked<T>(keys: &Mutex<T>) -> MutexGuard<'_, T> {
    keys.lock().unwrap_or_else(PoisonError::into_inner)
}

impl KeysInUse {
    /// Takes a group's key of an epoch into use, in the place of the one before.
    pub(super) fn put(&self, of: GroupKeyId, epoch: u64, key: Secret) {
        let last = (epoch, key.duplicate());
        locked(&self.retained).insert(of, last);
        let of = SessionKeyId::Group(of);
        locked(&self.keys).insert(of, (epoch, key));
        self.changed();
    }

    /// Takes a granted key into use, or out of it if there is none any more.
    pub(super) fn set_grant(&self, of: GrantId, key: Option<&Secret>) {
        let of = SessionKeyId::Grant(of);
        let mut keys = locked(&self.keys);
        let before = keys.get(&of).map(|(_, key)| key.as_bytes());
        if before == key.map(Secret::as_bytes) {
            return;
        }
        self.changed();
        match key {
            // A security module that was replaced counts its grants from the start.
            Some(key) => keys.insert(of, (self.version(), key.duplicate())),
            None => keys.remove(&of),
        };
    }

    fn changed(&self) {
        // The ECU of these keys is driven by one thread at a time.
        self.version.store(self.version() + 1, Relaxed);
    }

    /// Forgets the keys of a group: its ECU boots.
    pub fn forget(&self, group: usize) {
        let is_other =
            |of: &SessionKeyId| !matches!(of, SessionKeyId::Group((own, _)) if *own == group);
        locked(&self.keys).retain(|of, _| is_other(of));
    }

    /// Forgets what a security module granted: its ECU boots.
    pub fn forget_grants(&self, network: usize) {
        let is_other =
            |of: &SessionKeyId| !matches!(of, SessionKeyId::Grant((own, _)) if *own == network);
        locked(&self.keys).retain(|of, _| is_other(of));
    }

    /// Forgets the keys of a group, the retained ones and that of the last trip too: a new part
    /// boots in the place of the ECU.
    pub fn forget_all(&self, group: usize) {
        self.forget(group);
        let mut retained = locked(&self.retained);
        retained.retain(|(of, _), _| *of != group);
        locked(&self.unknown).insert(group);
    }

    /// Returns the last key that the ECU confirmed, in this trip or, if none, in the last one; none
    /// of a part that is new since.
    fn last(&self, of: GroupKeyId, last_trip: &Secret) -> Option<(u64, Secret)> {
        let retained = locked(&self.retained);
        let own = retained.get(&of);
        let own = own.map(|(epoch, key)| (*epoch, key.duplicate()));
        let is_known = !locked(&self.unknown).contains(&of.0);
        own.or_else(|| is_known.then(|| (LAST_TRIP, last_trip.duplicate())))
    }
}

/// Stands for the epoch of the last trip: those of a trip are counted from its start.
const LAST_TRIP: u64 = u64::MAX;

impl SessionKeys for KeysInUse {
    type Id = SessionKeyId;

    fn version(&self) -> u64 {
        self.version.load(Relaxed)
    }

    fn get(&self, of: SessionKeyId) -> Option<(u64, Secret)> {
        let keys = locked(&self.keys);
        keys.get(&of).map(|(epoch, key)| (*epoch, key.duplicate()))
    }

    fn ends(&self, of: SessionKeyId) -> bool {
        matches!(of, SessionKeyId::Grant(_))
    }
}

/// The keys that follow session keys, with storage of any size.
type Following = waywarden_session_keys::FollowingKeys<
    SessionKeyId,
    Vec<FollowingKey>,
    Vec<Followed<SessionKeyId, Vec<FollowingKey>>>,
>;

/// The keys of a role of message authentication that follow the session keys of its ECU.
pub struct FollowingKeys {
    in_use: Arc<KeysInUse>,
    keys: Following,
}

impl FollowingKeys {
    /// Lets keys follow session keys. With `last_trip`, the group's key of the last trip, those
    /// that follow a group's begin with the last one that the ECU confirmed, if it knows one.
    #[must_use]
    pub fn new(
        in_use: Arc<KeysInUse>,
        keys: Vec<(SessionKeyId, Vec<FollowingKey>)>,
        change_over: ChangeOver,
        last_trip: Option<&Secret>,
    ) -> Self {
        let follow = |(from, keys): (SessionKeyId, Vec<FollowingKey>)| {
            let first = match from {
                SessionKeyId::Group(of) => last_trip.and_then(|key| in_use.last(of, key)),
                SessionKeyId::Grant(_) => None,
            };
            Followed::new(from, keys, first)
        };
        let followed = keys.into_iter().map(follow).collect();
        FollowingKeys {
            keys: Following::new(followed, change_over),
            in_use,
        }
    }

    /// Returns true if there is a key to check a stream's messages with.
    pub(super) fn is_there(&self, stream: usize) -> bool {
        self.keys.is_there(stream as u64)
    }

    /// Returns true if keys have changed since it looked.
    pub(super) fn is_behind(&self) -> bool {
        self.keys.is_behind(&*self.in_use)
    }

    /// Gives a role the keys that it is to have at this time.
    pub(super) fn renew(&mut self, now: Instant, role: &mut dyn RenewableKeys) {
        self.keys.renew(now, &*self.in_use, role);
    }

    /// Returns the time at which [`FollowingKeys::renew`] has something to do next.
    pub(super) const fn next_deadline(&self) -> Option<Instant> {
        self.keys.next_deadline()
    }
}
