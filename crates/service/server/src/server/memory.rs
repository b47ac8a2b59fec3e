//! Memory for the requests and answers of all connections together.
//!
//! Each connection has a small share of its own, so that one client with long requests does not
//! hold up others with short ones. What is above comes from pools that all connections share. A
//! quarter of each pool is for clients with a grant: others cannot take all of it.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::ServiceLimits;
use super::user_frames::{UserFrame, UserFrames};
use waywarden_v2x_service_protocol::{
    FRAME_BYTES_MAX, REASON_BYTES_MAX, Request, RequestedOperation, Unreadable,
};

/// Bytes of a connection's requests under way that need no pool, and most bytes of a frame that it
/// reads without one.
pub(super) const SHARE_BYTES: usize = 32 << 10;

/// Bytes of a subscription: the batch that waits for the client, with an event of the longest
/// message and its payload in hexadecimal digits.
pub(super) const SUBSCRIPTION_BYTES: usize = 384 << 10;

/// Most bytes of an answer beyond those from its request, such as a reason: about its bound.
const ANSWER_BYTES: usize = REASON_BYTES_MAX;
/// Size of an answer to `statistics` or `health`: a few kilobytes.
const REPORT_BYTES: usize = 4 << 10;
/// Bytes that each recipient adds to an encrypted message: an encrypted key, by a long name.
const RECIPIENT_BYTES: usize = 256;

/// The pools of a server.
#[derive(Debug)]
pub(super) struct Memory {
    /// Of bytes of requests and answers.
    pub(super) requests: Pool,
    /// Of long frames that are being read, each of which may become [`FRAME_BYTES_MAX`].
    frames: Pool,
    /// A quarter of them for each user.
    frames_of_users: Arc<UserFrames>,
}

/// Room for a long frame; dropping it gives it back.
#[derive(Debug)]
pub(super) struct LongFrame {
    _user: UserFrame,
    _pool: PoolPermit,
}

impl Memory {
    /// Makes the pools: a quarter for frames, the rest for requests.
    pub(super) fn new(limits: &ServiceLimits) -> Self {
        let frames = (limits.request_bytes / 4 / FRAME_BYTES_MAX).max(1);
        Self {
            requests: Pool::new(limits.request_bytes - limits.request_bytes / 4),
            frames: Pool::new(frames),
            frames_of_users: UserFrames::new(frames / 4),
        }
    }

    /// Waits for room for a long frame: first that of its user, so that who waits for it stands
    /// before no other user. `None` does not come: the semaphores are never closed.
    pub(super) async fn long_frame(
        &self,
        user: Option<u32>,
        is_granted: bool,
    ) -> Option<LongFrame> {
        Some(LongFrame {
            _user: self.frames_of_users.acquire(user).await,
            _pool: self.frames.acquire(1, is_granted).await?,
        })
    }
}

/// Something that there is a bounded amount of.
#[derive(Debug)]
pub(super) struct Pool {
    all: Arc<Semaphore>,
    size: usize,
    /// Part of it for clients without a grant.
    ungranted: Arc<Semaphore>,
    ungranted_size: usize,
}

/// A part of a pool; dropping it gives it back.
#[derive(Debug)]
pub(super) struct PoolPermit {
    _all: OwnedSemaphorePermit,
    _ungranted: Option<OwnedSemaphorePermit>,
}

impl Pool {
    fn new(size: usize) -> Self {
        let ungranted_size = (size - size / 4).max(1);
        Self {
            all: Arc::new(Semaphore::new(size)),
            size,
            ungranted: Arc::new(Semaphore::new(ungranted_size)),
            ungranted_size,
        }
    }

    /// Waits for an amount; what is above the pool's size counts as all of it. `None` does not
    /// come: the semaphores are never closed.
    pub(super) async fn acquire(&self, amount: usize, is_granted: bool) -> Option<PoolPermit> {
        // In this order: who waits for the second has its part of the first, so that those without
        // a grant never stand before those with one for more than the part that they may have.
        let ungranted = if is_granted {
            None
        } else {
            let amount = permits(amount, self.ungranted_size);
            let permit = self.ungranted.clone().acquire_many_owned(amount);
            Some(permit.await.ok()?)
        };
        let amount = self.amount(amount, is_granted);
        let all = self.all.clone().acquire_many_owned(amount).await.ok()?;
        Some(PoolPermit {
            _all: all,
            _ungranted: ungranted,
        })
    }

    /// Takes an amount, if it is there now.
    pub(super) fn try_acquire(&self, amount: usize, is_granted: bool) -> Option<PoolPermit> {
        let ungranted = if is_granted {
            None
        } else {
            let amount = permits(amount, self.ungranted_size);
            let permit = self.ungranted.clone().try_acquire_many_owned(amount);
            Some(permit.ok()?)
        };
        let amount = self.amount(amount, is_granted);
        let all = self.all.clone().try_acquire_many_owned(amount).ok()?;
        Some(PoolPermit {
            _all: all,
            _ungranted: ungranted,
        })
    }

    fn amount(&self, amount: usize, is_granted: bool) -> u32 {
        let most = match is_granted {
            true => self.size,
            false => self.ungranted_size,
        };
        permits(amount, most)
    }
}

fn permits(amount: usize, most: usize) -> u32 {
    u32::try_from(amount.min(most)).unwrap_or(u32::MAX)
}

/// Returns the bytes that a request and its answer count for, with a frame of `length` bytes:
/// messages and payloads are in both, and many short messages have long answers.
pub(super) fn weight(request: &Result<Request, Unreadable>, length: usize) -> usize {
    let answer = match request.as_ref().map(|request| &request.operation) {
        Ok(RequestedOperation::VerifyMany(messages)) => length + messages.len() * ANSWER_BYTES,
        Ok(
            RequestedOperation::Verify(_)
            | RequestedOperation::Sign(_)
            | RequestedOperation::Decrypt(_),
        ) => length + ANSWER_BYTES,
        Ok(RequestedOperation::Encrypt(encrypt)) => {
            length + ANSWER_BYTES + encrypt.recipients.len() * RECIPIENT_BYTES
        }
        Ok(RequestedOperation::Statistics | RequestedOperation::Health) => REPORT_BYTES,
        _ => ANSWER_BYTES,
    };
    length + answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_a_pool_is_for_clients_with_a_grant() {
        let pool = Pool::new(8);
        let others = pool.try_acquire(6, false);
        assert!(others.is_some() && pool.try_acquire(1, false).is_none());
        let granted = pool.try_acquire(2, true);
        assert!(granted.is_some() && pool.try_acquire(1, true).is_none());
        drop((others, granted));
        // More than there is counts as all.
        assert!(pool.try_acquire(100, true).is_some());
        assert!(pool.try_acquire(100, false).is_some());
    }
}
