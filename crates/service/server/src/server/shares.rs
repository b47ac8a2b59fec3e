//! Shares of each user: most datagrams under way, and most connections.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A user, as the kernel says; `None`: it does not say.
///
/// Choice: the user and not the socket. A program can open many sockets, and cannot become another
/// user.
type User = Option<u32>;

/// The datagrams under way, or the connections, of each user. A user without any has no entry, so
/// that there are at most as many entries as datagrams or connections.
#[derive(Debug)]
pub(super) struct Shares {
    most: usize,
    under_way: Mutex<HashMap<User, usize>>,
}

/// A datagram under way, or a connection; dropping it ends it.
#[derive(Debug)]
pub(super) struct Share {
    shares: Arc<Shares>,
    user: User,
}

impl Shares {
    /// At most so many of each user may be under way.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            under_way: Mutex::default(),
        })
    }

    /// Begins one; `None` if there are as many of this user as there may be.
    pub(super) fn take(self: &Arc<Self>, user: User) -> Option<Share> {
        let mut under_way = self.lock();
        let count = under_way.get(&user).copied().unwrap_or(0);
        if count >= self.most {
            return None;
        }
        under_way.insert(user, count + 1);
        Some(Share {
            shares: Arc::clone(self),
            user,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<User, usize>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut under_way = self.shares.lock();
        match under_way.get_mut(&self.user) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(under_way.remove(&self.user)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_has_a_share_and_leaves_no_entry() {
        let shares = Shares::new(2);
        let own = [shares.take(Some(7)), shares.take(Some(7))];
        assert!(own.iter().all(Option::is_some));
        assert!(shares.take(Some(7)).is_none());
        let other = shares.take(Some(8));
        assert!(other.is_some() && shares.take(None).is_some());
        let [first, second] = own;
        drop(first);
        let again = shares.take(Some(7));
        assert!(again.is_some());
        drop((second, again, other));
        assert!(shares.lock().is_empty());
    }
}
