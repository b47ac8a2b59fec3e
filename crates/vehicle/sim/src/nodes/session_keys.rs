//! Session keys in the hands of message authentication: an ECU's role in a group, or under a
//! security module, says which keys are in use, and its roles of message authentication derive
//! theirs from them, renewal by renewal.
//!
//! A receiver takes a new key as soon as its ECU has it, and for a while the one before too. A
//! sender protects with a new key from the time on when all have it: a group's is confirmed by one
//! ECU a little later than by another; a security module grants one to the sender when the
//! receivers have acknowledged it. So no message is refused at a change of keys.
//!
//! Until its group has agreed on a key, an ECU has none; or it goes on with the last one that it
//! confirmed before it was switched off, or with that of the last trip. What is granted is asked
//! for again at each boot.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use waywarden_can_auth::key_store::{KeyId, KeyStoreError, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{KEY_LENGTH, Mac, MacKey};
use waywarden_group_keys::Address;
use waywarden_key_suites::Secret;
use waywarden_key_suites::symmetric::hkdf_sha256;
use waywarden_lasan::StreamId;
use waywarden_work::{Duration, Instant, NoMeter};

/// Binds the keys of streams to what they are for.
const SALT: &[u8] = b"waywarden stream key";

/// Keys that may be renewed while they are in use.
pub trait RenewableKeys {
    /// Puts a key in the place of the one of this name, which serves for checking until
    /// [`RenewableKeys::forget_previous`], or until a message under the new one was checked.
    fn renew(&mut self, id: KeyId, usage: Usage, key: &MacKey);

    /// Ends that: the key before serves no more.
    fn forget_previous(&mut self, id: KeyId);

    /// Takes a key out, and the one before it.
    fn withdraw(&mut self, id: KeyId);
}

impl<M: Mac, const N: usize> RenewableKeys for Keyring<M, N> {
    fn renew(&mut self, id: KeyId, usage: Usage, key: &MacKey) {
        if self.roll_over(id, key).is_err() {
            // There is room for all keys of a role: its size was chosen by their number.
            let _: Result<(), KeyStoreError> = self.insert(id, usage, key);
        }
    }

    fn forget_previous(&mut self, id: KeyId) {
        Keyring::forget_previous(self, id);
    }

    fn withdraw(&mut self, id: KeyId) {
        self.remove(id);
    }
}

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

    fn version(&self) -> u64 {
        self.version.load(Relaxed)
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

    /// Returns a key with its epoch.
    fn get(&self, of: SessionKeyId) -> Option<(u64, Secret)> {
        let keys = locked(&self.keys);
        keys.get(&of).map(|(epoch, key)| (*epoch, key.duplicate()))
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

/// A key of a role that follows a session key.
#[derive(Clone, Copy, Debug)]
pub struct FollowingKey {
    /// Its name in the role's key store.
    pub id: KeyId,
    /// Usage of the key.
    pub usage: Usage,
    /// True if the ECU sends under it, as the stream's sender or the freshness master.
    pub sends: bool,
    /// The authentication and the stream or announcement whose key it is.
    pub of: [u64; 2],
}

/// Times of a change of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeOver {
    /// Time from its ECU's new key until a sender uses it: the others have it by then.
    pub sends_after: Duration,
    /// Time from its ECU's new key in which a receiver takes messages under the one before, too.
    pub overlap: Duration,
}

/// A session key, and what follows it.
struct Followed {
    from: SessionKeyId,
    keys: Vec<FollowingKey>,
    /// The key to begin with, if one was retained.
    first: Option<(u64, Secret)>,
    /// The epoch of the key that is in use.
    epoch: Option<u64>,
    /// A key that receivers have and senders wait for, and until when.
    next: Option<(Instant, Secret)>,
    /// Until when the key before is taken.
    overlap: Option<Instant>,
}

/// The keys of a role of message authentication that follow session keys.
pub struct FollowingKeys {
    in_use: Arc<KeysInUse>,
    followed: Vec<Followed>,
    change_over: ChangeOver,
    /// The version of the keys in use that it has looked at.
    seen: Option<u64>,
    /// Time at which something is due next.
    due: Option<Instant>,
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
        FollowingKeys {
            followed: keys.into_iter().map(follow).collect(),
            in_use,
            change_over,
            seen: None,
            due: None,
        }
    }

    /// Returns true if there is a key to check a stream's messages with.
    pub(super) fn is_there(&self, stream: usize) -> bool {
        let mut followed = self.followed.iter();
        followed.any(|one| one.epoch.is_some() && one.serves(stream as u64))
    }

    /// Returns true if keys have changed since it looked.
    pub(super) fn is_behind(&self) -> bool {
        self.seen != Some(self.in_use.version())
    }

    /// Gives a role the keys that it is to have at this time.
    pub(super) fn renew(&mut self, now: Instant, role: &mut dyn RenewableKeys) {
        let is_due = self.due.is_some_and(|due| due <= now);
        if !is_due && !self.is_behind() {
            return;
        }
        let is_behind = self.is_behind();
        for one in &mut self.followed {
            one.begin(role);
            if is_behind {
                one.look(now, &self.in_use, self.change_over, role);
            }
            one.go_on(now, role);
        }
        self.seen = Some(self.in_use.version());
        let due = self.followed.iter().filter_map(Followed::due);
        self.due = due.min();
    }

    /// Returns the time at which [`FollowingKeys::renew`] has something to do next.
    pub(super) const fn next_deadline(&self) -> Option<Instant> {
        self.due
    }
}

impl Followed {
    const fn new(
        from: SessionKeyId,
        keys: Vec<FollowingKey>,
        first: Option<(u64, Secret)>,
    ) -> Self {
        Followed {
            from,
            keys,
            first,
            epoch: None,
            next: None,
            overlap: None,
        }
    }

    fn serves(&self, stream: u64) -> bool {
        self.keys.iter().any(|key| key.of[1] == stream)
    }

    /// Begins with the key that was retained, if one was.
    fn begin(&mut self, role: &mut dyn RenewableKeys) {
        if let Some((epoch, key)) = self.first.take() {
            self.epoch = Some(epoch);
            self.hand_over(&key, false, role);
            self.hand_over(&key, true, role);
        }
    }

    /// Takes the key that is in use now, or has none any more.
    fn look(
        &mut self,
        now: Instant,
        in_use: &KeysInUse,
        change_over: ChangeOver,
        role: &mut dyn RenewableKeys,
    ) {
        match in_use.get(self.from) {
            Some((epoch, key)) if self.epoch != Some(epoch) => {
                // A key that comes so soon finds the one before in use everywhere.
                if let Some((_, before)) = self.next.take() {
                    self.hand_over(&before, true, role);
                }
                self.epoch = Some(epoch);
                self.hand_over(&key, false, role);
                self.next = Some((now + change_over.sends_after, key));
                self.overlap = Some(now + change_over.overlap);
            }
            // A group's key is in use until the next one is there.
            None if matches!(self.from, SessionKeyId::Grant(_)) && self.epoch.is_some() => {
                (self.epoch, self.next, self.overlap) = (None, None, None);
                self.keys.iter().for_each(|key| role.withdraw(key.id));
            }
            _ => {}
        }
    }

    /// Does what is due.
    fn go_on(&mut self, now: Instant, role: &mut dyn RenewableKeys) {
        if let Some((at, key)) = self.next.take() {
            match at <= now {
                true => self.hand_over(&key, true, role),
                false => self.next = Some((at, key)),
            }
        }
        if self.overlap.is_some_and(|end| end <= now) {
            self.overlap = None;
            let checking = self.keys.iter().filter(|key| !key.sends);
            checking.for_each(|key| role.forget_previous(key.id));
        }
    }

    fn due(&self) -> Option<Instant> {
        let next = self.next.as_ref().map(|(at, _)| *at);
        next.into_iter().chain(self.overlap).min()
    }

    /// Derives the keys under which the ECU sends, or the others.
    fn hand_over(&self, from: &Secret, sends: bool, role: &mut dyn RenewableKeys) {
        for key in self.keys.iter().filter(|key| key.sends == sends) {
            role.renew(key.id, key.usage, &derived(from, key.of));
        }
    }
}

/// Derives the key of a stream or of announcements from a session key.
fn derived(from: &Secret, of: [u64; 2]) -> MacKey {
    let [authentication, what] = of.map(u64::to_be_bytes);
    let mut bytes = [0; KEY_LENGTH];
    let info: [&[u8]; 2] = [&authentication, &what];
    // An epoch's keys are derived before its first message, so no message waits for that.
    hkdf_sha256(&mut NoMeter, SALT, from.as_bytes(), &info, &mut bytes);
    MacKey::from_bytes(bytes)
}
