//! The keys of a role of message authentication that follow session keys, renewal by renewal.
//!
//! A receiver takes a new key as soon as its ECU has it, and for a while the one before too. A
//! sender protects with a new key from the time on when all have it: a group's is confirmed by one
//! ECU a little later than by another; a security module grants one to the sender when the
//! receivers have acknowledged it. So no message is refused at a change of keys.

use core::marker::PhantomData;

use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::mac::{KEY_LENGTH, MacKey};
use waywarden_key_suites::Secret;
use waywarden_key_suites::symmetric::hkdf_sha256;
use waywarden_work::{Duration, Instant, NoMeter};

use crate::RenewableKeys;

/// Binds the keys of streams to what they are for.
const SALT: &[u8] = b"waywarden stream key";

/// The session keys that an ECU has in use.
pub trait SessionKeys {
    /// The name of one.
    type Id: Copy;

    /// Returns the number of changes so far.
    fn version(&self) -> u64;

    /// Returns a key with its epoch.
    fn get(&self, of: Self::Id) -> Option<(u64, Secret)>;

    /// Returns true if a key that is not in use any more ends for what follows it, as one that was
    /// granted does; a group's serves until the next one is there.
    fn ends(&self, of: Self::Id) -> bool;
}

/// A key of a role that follows a session key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A session key, and what follows it. `K` stores the keys that do.
pub struct Followed<I, K> {
    from: I,
    keys: K,
    /// The key to begin with, if one was retained.
    first: Option<(u64, Secret)>,
    /// The epoch of the key that is in use.
    epoch: Option<u64>,
    /// A key that receivers have and senders wait for, and until when.
    next: Option<(Instant, Secret)>,
    /// Until when the key before is taken.
    overlap: Option<Instant>,
}

/// The keys of a role of message authentication that follow session keys. `F` stores the session
/// keys with what follows them.
pub struct FollowingKeys<I, K, F> {
    followed: F,
    change_over: ChangeOver,
    /// The version of the keys in use that it has looked at.
    seen: Option<u64>,
    /// Time at which something is due next.
    due: Option<Instant>,
    names: PhantomData<fn() -> (I, K)>,
}

impl<I, K, F> FollowingKeys<I, K, F>
where
    I: Copy,
    K: AsRef<[FollowingKey]>,
    F: AsRef<[Followed<I, K>]> + AsMut<[Followed<I, K>]>,
{
    /// Lets keys follow session keys.
    #[must_use]
    pub const fn new(followed: F, change_over: ChangeOver) -> Self {
        FollowingKeys {
            followed,
            change_over,
            seen: None,
            due: None,
            names: PhantomData,
        }
    }

    /// Returns true if there is a key to check a stream's messages with.
    pub fn is_there(&self, stream: u64) -> bool {
        let mut followed = self.followed.as_ref().iter();
        followed.any(|one| one.epoch.is_some() && one.serves(stream))
    }

    /// Returns true if each session key has been there.
    pub fn has_begun(&self) -> bool {
        self.followed.as_ref().iter().all(|one| one.epoch.is_some())
    }

    /// Returns true if keys have changed since it looked.
    pub fn is_behind(&self, in_use: &impl SessionKeys<Id = I>) -> bool {
        self.seen != Some(in_use.version())
    }

    /// Gives a role the keys that it is to have at this time.
    pub fn renew(
        &mut self,
        now: Instant,
        in_use: &impl SessionKeys<Id = I>,
        role: &mut dyn RenewableKeys,
    ) {
        let is_due = self.due.is_some_and(|due| due <= now);
        let is_behind = self.is_behind(in_use);
        if !is_due && !is_behind {
            return;
        }
        for one in self.followed.as_mut() {
            one.begin(role);
            if is_behind {
                one.look(now, in_use, self.change_over, role);
            }
            one.go_on(now, role);
        }
        self.seen = Some(in_use.version());
        let due = self.followed.as_ref().iter().filter_map(Followed::due);
        self.due = due.min();
    }

    /// Returns the time at which [`FollowingKeys::renew`] has something to do next.
    pub const fn next_deadline(&self) -> Option<Instant> {
        self.due
    }
}

impl<I: Copy, K: AsRef<[FollowingKey]>> Followed<I, K> {
    /// Lets keys follow a session key, from `first` on if there is one to begin with.
    pub const fn new(from: I, keys: K, first: Option<(u64, Secret)>) -> Self {
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
        self.keys.as_ref().iter().any(|key| key.of[1] == stream)
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
        in_use: &impl SessionKeys<Id = I>,
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
            None if in_use.ends(self.from) && self.epoch.is_some() => {
                (self.epoch, self.next, self.overlap) = (None, None, None);
                let keys = self.keys.as_ref().iter();
                keys.for_each(|key| role.withdraw(key.id));
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
            let checking = self.keys.as_ref().iter().filter(|key| !key.sends);
            checking.for_each(|key| role.forget_previous(key.id));
        }
    }

    fn due(&self) -> Option<Instant> {
        let next = self.next.as_ref().map(|(at, _)| *at);
        next.into_iter().chain(self.overlap).min()
    }

    /// Derives the keys under which the ECU sends, or the others.
    fn hand_over(&self, from: &Secret, sends: bool, role: &mut dyn RenewableKeys) {
        let keys = self.keys.as_ref().iter();
        for key in keys.filter(|key| key.sends == sends) {
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
