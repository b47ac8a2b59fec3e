//! Budget of a connection: limits on its requests under way.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::ServiceLimits;
use super::memory::{Memory, PoolPermit, SHARE_BYTES};

/// The rest of a connection's budget: requests, and bytes in them.
#[derive(Debug)]
pub(super) struct Budget {
    requests: Arc<Semaphore>,
    requests_max: usize,
    bytes: Arc<Semaphore>,
    bytes_max: usize,
    /// Bytes that need none of the server's pool.
    share: Arc<Semaphore>,
    memory: Arc<Memory>,
}

/// A share of the budget; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Permit {
    _request: OwnedSemaphorePermit,
    _bytes: OwnedSemaphorePermit,
    _memory: MemoryPermit,
}

/// The account of a request's bytes.
#[derive(Debug)]
enum MemoryPermit {
    Share(#[expect(dead_code, reason = "dropping it gives it back")] OwnedSemaphorePermit),
    Pool(#[expect(dead_code, reason = "dropping it gives it back")] PoolPermit),
}

impl Budget {
    pub(super) fn new(limits: &ServiceLimits, memory: Arc<Memory>) -> Self {
        let requests_max = limits.requests_of_connection;
        let bytes_max = limits.request_bytes_of_connection;
        Self {
            requests: Arc::new(Semaphore::new(requests_max)),
            requests_max,
            bytes: Arc::new(Semaphore::new(bytes_max)),
            bytes_max,
            share: Arc::new(Semaphore::new(SHARE_BYTES)),
            memory,
        }
    }

    /// Waits until a request that weighs so much may begin. `None` does not come: the semaphores
    /// are never closed.
    pub(super) async fn acquire(&self, bytes: usize, is_granted: bool) -> Option<Permit> {
        let request = self.requests.clone().acquire_owned().await.ok()?;
        // A frame above the whole budget begins alone.
        let own = u32::try_from(bytes.min(self.bytes_max)).unwrap_or(u32::MAX);
        let own = self.bytes.clone().acquire_many_owned(own).await.ok()?;
        Some(Permit {
            _request: request,
            _bytes: own,
            _memory: self.acquire_memory(bytes, is_granted).await?,
        })
    }

    /// Takes what comes first: room in the connection's share, or in the server's pool.
    async fn acquire_memory(&self, bytes: usize, is_granted: bool) -> Option<MemoryPermit> {
        let short = u32::try_from(bytes).ok();
        let short = short.filter(|_| bytes <= SHARE_BYTES);
        let share = self.share.clone().acquire_many_owned(short.unwrap_or(0));
        tokio::select! {
            biased;
            share = share, if short.is_some() => share.ok().map(MemoryPermit::Share),
            pool = self.memory.requests.acquire(bytes, is_granted) => {
                pool.map(MemoryPermit::Pool)
            }
        }
    }

    /// Returns true if nothing is under way.
    pub(super) fn is_whole(&self) -> bool {
        self.requests.available_permits() == self.requests_max
    }
}
