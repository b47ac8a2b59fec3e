//! How much of a connection may be under way.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Limits;

/// What a connection may still begin: requests, and bytes in them.
#[derive(Debug)]
pub(super) struct Budget {
    requests: Arc<Semaphore>,
    requests_max: usize,
    bytes: Arc<Semaphore>,
    bytes_max: usize,
}

/// A share of the budget; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Permit {
    _request: OwnedSemaphorePermit,
    _bytes: OwnedSemaphorePermit,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        let requests_max = limits.requests_of_connection;
        let bytes_max = limits.request_bytes_of_connection;
        Self {
            requests: Arc::new(Semaphore::new(requests_max)),
            requests_max,
            bytes: Arc::new(Semaphore::new(bytes_max)),
            bytes_max,
        }
    }

    /// Waits until a request of so many bytes may begin. `None` does not come: the semaphores are
    /// never closed.
    pub(super) async fn acquire(&self, bytes: usize) -> Option<Permit> {
        let request = self.requests.clone().acquire_owned().await.ok()?;
        // A frame above the whole budget begins alone.
        let share = u32::try_from(bytes.min(self.bytes_max)).unwrap_or(u32::MAX);
        let bytes = self.bytes.clone().acquire_many_owned(share).await.ok()?;
        Some(Permit {
            _request: request,
            _bytes: bytes,
        })
    }

    /// Returns whether nothing is under way.
    pub(super) fn is_whole(&self) -> bool {
        self.requests.available_permits() == self.requests_max
    }
}
