//! Room of each user for long frames that are not complete.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A user, as the kernel reports it; `None`: it reports none.
type User = Option<u32>;

/// The long frames that connections of one user may read at one time, for each user with some: so
/// many frames that are begun and never completed take no room of other users.
#[derive(Debug)]
pub(super) struct UserFrames {
    most: usize,
    users: Mutex<HashMap<User, Arc<Semaphore>>>,
}

/// Room of a user for one long frame; dropping it gives it back.
#[derive(Debug)]
pub(super) struct UserFrame {
    all: Arc<UserFrames>,
    user: User,
    permit: Option<OwnedSemaphorePermit>,
}

impl UserFrames {
    /// Gives each user room for `most` frames, at least one.
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most: most.max(1),
            users: Mutex::default(),
        })
    }

    fn users(&self) -> MutexGuard<'_, HashMap<User, Arc<Semaphore>>> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room of this user.
    pub(super) async fn acquire(self: &Arc<Self>, user: User) -> UserFrame {
        // Before the wait, so that the entry goes as well if the wait is given up.
        let mut frame = UserFrame {
            all: Arc::clone(self),
            user,
            permit: None,
        };
        let semaphore = {
            let mut users = self.users();
            let own = users.entry(user);
            Arc::clone(own.or_insert_with(|| Arc::new(Semaphore::new(self.most))))
        };
        frame.permit = semaphore.acquire_owned().await.ok();
        frame
    }
}

impl Drop for UserFrame {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut users = self.all.users();
        let is_unused = |own: &Arc<Semaphore>| Arc::strong_count(own) == 1;
        if users.get(&self.user).is_some_and(is_unused) {
            users.remove(&self.user);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::*;

    #[test]
    fn frames_of_one_user_take_no_room_of_another_and_leave_no_entry() {
        let runtime = Builder::new_current_thread().enable_time().build();
        runtime.unwrap().block_on(async {
            let frames = UserFrames::new(2);
            let own = [frames.acquire(Some(7)).await, frames.acquire(Some(7)).await];
            let third = timeout(Duration::from_millis(10), frames.acquire(Some(7)));
            assert!(third.await.is_err());
            let other = frames.acquire(Some(8)).await;
            let unknown = frames.acquire(None).await;
            let [first, second] = own;
            drop(first);
            let again = frames.acquire(Some(7)).await;
            drop((second, again, other, unknown));
            assert!(frames.users().is_empty());
        });
    }
}
