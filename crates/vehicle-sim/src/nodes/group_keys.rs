//! Group keys in the hands of message authentication: an ECU's role in a group says which keys are
//! in use, and its roles of message authentication derive theirs from them, renewal by renewal.
//!
//! A receiver takes a new key as soon as its ECU has confirmed it, and for a while the one before
//! too. A sender protects with a new key from the time on when all have confirmed it. So no message
//! is refused because one ECU confirms a key a little later than another.
//!
//! Until its group has agreed on a key, an ECU has none; or it goes on with the last one that it
//! confirmed before it was switched off, or with that of the last trip.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{KEY_LENGTH, Key, Mac};
use waywarden_can_auth::vault::{KeyId, Usage, VaultError};
use waywarden_group_keys::Address;
use waywarden_key_suites::symmetric::hkdf_sha256;
use waywarden_key_suites::{Meter, Secret};
use waywarden_work::{Duration, Instant};

/// Binds the keys of streams to what they are for.
const SALT: &[u8] = b"waywarden stream key";

/// Keys that may be renewed while they are in use.
pub trait RenewableKeys {
    /// Puts a key in the place of the one of this name, which serves for checking until
    /// [`RenewableKeys::forget_previous`], or until a message under the new one was checked.
    fn renew(&mut self, id: KeyId, usage: Usage, key: &Key);

    /// Ends that: the key before serves no more.
    fn forget_previous(&mut self, id: KeyId);
}

impl<M: Mac, const N: usize> RenewableKeys for Keyring<M, N> {
    fn renew(&mut self, id: KeyId, usage: Usage, key: &Key) {
        if self.roll_over(id, key).is_err() {
            // There is room for all keys of a role: its size was chosen by their number.
            let _: Result<(), VaultError> = self.insert(id, usage, key);
        }
    }

    fn forget_previous(&mut self, id: KeyId) {
        Keyring::forget_previous(self, id);
    }
}

/// A key of a group: the group's place in the vehicle file, and the logical ECU whose key it is, or
/// none for the group's own.
pub type GroupKeyId = (usize, Option<Address>);

/// The keys of groups that an ECU has in use: confirmed since its last boot.
#[derive(Default)]
pub struct KeysInUse {
    keys: RefCell<BTreeMap<GroupKeyId, (u64, Secret)>>,
    /// The last ones, in memory that lasts through resets.
    retained: RefCell<BTreeMap<GroupKeyId, (u64, Secret)>>,
    /// The groups of whose last trip the ECU knows nothing: it is a new part.
    unknown: RefCell<BTreeSet<usize>>,
    /// Counts the changes.
    version: Cell<u64>,
}

impl KeysInUse {
    /// Takes a key of an epoch into use, in the place of the one before.
    pub(super) fn put(&self, of: GroupKeyId, epoch: u64, key: Secret) {
        let last = (epoch, key.duplicate());
        self.retained.borrow_mut().insert(of, last);
        self.keys.borrow_mut().insert(of, (epoch, key));
        self.version.set(self.version.get() + 1);
    }

    /// Forgets the keys of a group: its ECU boots.
    pub fn forget(&self, group: usize) {
        self.keys.borrow_mut().retain(|(of, _), _| *of != group);
    }

    /// Forgets the keys of a group, the retained ones and that of the last trip too: a new part
    /// boots in the place of the ECU.
    pub fn forget_all(&self, group: usize) {
        self.forget(group);
        let mut retained = self.retained.borrow_mut();
        retained.retain(|(of, _), _| *of != group);
        self.unknown.borrow_mut().insert(group);
    }

    /// Returns a key with its epoch.
    fn get(&self, of: GroupKeyId) -> Option<(u64, Secret)> {
        let keys = self.keys.borrow();
        keys.get(&of).map(|(epoch, key)| (*epoch, key.duplicate()))
    }

    /// Returns the last key that the ECU confirmed, in this trip or, if none, in the last one; none
    /// of a part that is new since.
    fn last(&self, of: GroupKeyId, last_trip: &Secret) -> Option<(u64, Secret)> {
        let retained = self.retained.borrow();
        let own = retained.get(&of);
        let own = own.map(|(epoch, key)| (*epoch, key.duplicate()));
        let is_known = !self.unknown.borrow().contains(&of.0);
        own.or_else(|| is_known.then(|| (LAST_TRIP, last_trip.duplicate())))
    }
}

/// Stands for the epoch of the last trip: those of a trip are counted from its start.
const LAST_TRIP: u64 = u64::MAX;

/// A key of a role that follows a group's.
#[derive(Clone, Copy, Debug)]
pub struct FollowingKey {
    /// Its name in the role's vault.
    pub id: KeyId,
    /// What it is for.
    pub usage: Usage,
    /// Whether the ECU sends under it, as the stream's sender or the freshness master.
    pub sends: bool,
    /// The authentication and the stream or announcement whose key it is.
    pub of: [u64; 2],
}

/// The keys of a role of message authentication that follow a group's.
pub struct FollowingKeys {
    in_use: Rc<KeysInUse>,
    group_key: GroupKeyId,
    keys: Vec<FollowingKey>,
    /// How long after one ECU the last one confirms a key.
    answer: Duration,
    /// The key to begin with, if one was retained.
    first: Option<(u64, Secret)>,
    epoch: Option<u64>,
    /// The version of the keys in use that it has looked at.
    seen: Option<u64>,
    /// A key that receivers have and senders wait for, and until when.
    next: Option<(Instant, Secret)>,
    /// Until when the key before is taken.
    overlap: Option<Instant>,
}

impl FollowingKeys {
    /// Lets keys follow one of a group; `answer` is how long the group's last ECU takes to confirm
    /// a key. With `last_trip`, the group's key of the last trip, they begin with the last one that
    /// the ECU confirmed, if it knows one.
    #[must_use]
    pub fn new(
        in_use: Rc<KeysInUse>,
        group_key: GroupKeyId,
        keys: Vec<FollowingKey>,
        answer: Duration,
        last_trip: Option<&Secret>,
    ) -> Self {
        let first = last_trip.and_then(|last_trip| in_use.last(group_key, last_trip));
        FollowingKeys {
            first,
            in_use,
            group_key,
            keys,
            answer,
            epoch: None,
            seen: None,
            next: None,
            overlap: None,
        }
    }

    /// Whether there is a key to check with.
    pub(super) const fn is_there(&self) -> bool {
        self.epoch.is_some()
    }

    /// Whether keys have changed since it looked.
    pub(super) fn is_behind(&self) -> bool {
        self.seen != Some(self.in_use.version.get())
    }

    /// Gives a role the keys that it is to have at this time.
    pub(super) fn renew(&mut self, now: Instant, role: &mut dyn RenewableKeys) {
        if let Some((epoch, key)) = self.first.take() {
            self.epoch = Some(epoch);
            self.hand_over(&key, false, role);
            self.hand_over(&key, true, role);
        }
        if self.is_behind()
            && let Some((epoch, key)) = self.in_use.get(self.group_key)
            && self.epoch != Some(epoch)
        {
            // A key that comes so soon finds the one before in use everywhere.
            if let Some((_, before)) = self.next.take() {
                self.hand_over(&before, true, role);
            }
            self.epoch = Some(epoch);
            self.hand_over(&key, false, role);
            self.next = Some((now + self.answer, key));
            self.overlap = Some(now + self.answer.times(2));
        }
        self.seen = Some(self.in_use.version.get());
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

    /// When [`FollowingKeys::renew`] has something to do next.
    pub(super) fn wish(&self) -> Option<Instant> {
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

/// Derives the key of a stream or of announcements from a group's.
fn derived(from: &Secret, of: [u64; 2]) -> Key {
    let [authentication, what] = of.map(u64::to_be_bytes);
    let mut bytes = [0; KEY_LENGTH];
    let info: [&[u8]; 2] = [&authentication, &what];
    // An epoch's keys are derived before its first message, so no message waits for that.
    hkdf_sha256(&mut Meter::new(), SALT, from.as_bytes(), &info, &mut bytes);
    Key::from_bytes(bytes)
}
