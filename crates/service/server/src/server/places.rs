//! Admission of stream connections.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::ServiceLimits;
use super::shares::{Share, Shares};
use crate::access::Peer;

/// The connections that there may be of each user, and of clients without a grant.
#[derive(Debug)]
pub(super) struct Places {
    users: Arc<Shares>,
    of_user: usize,
    ungranted: Arc<Semaphore>,
    of_ungranted: usize,
}

/// The place of a connection; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Place {
    _user: Share,
    ungranted: Option<OwnedSemaphorePermit>,
}

impl Places {
    pub(super) fn new(limits: &ServiceLimits) -> Self {
        Self {
            users: Shares::new(limits.connections_of_user),
            of_user: limits.connections_of_user,
            ungranted: Arc::new(Semaphore::new(limits.connections_ungranted)),
            of_ungranted: limits.connections_ungranted,
        }
    }

    /// Takes a place for a client.
    ///
    /// # Errors
    /// Which connections are too many, in words.
    pub(super) fn take(&self, peer: Option<Peer>, is_granted: bool) -> Result<Place, String> {
        let user = self.users.take(peer.map(|peer| peer.uid));
        let user = user.ok_or_else(|| match peer {
            Some(_) => format!("{} connections of this user", self.of_user),
            None => format!("{} connections over TCP", self.of_user),
        })?;
        let ungranted = if is_granted {
            None
        } else {
            let permit = self.ungranted.clone().try_acquire_owned();
            let too_many = |_| {
                format!(
                    "{} connections of clients without a grant",
                    self.of_ungranted
                )
            };
            Some(permit.map_err(too_many)?)
        };
        Ok(Place {
            _user: user,
            ungranted,
        })
    }
}

impl Place {
    /// The client has shown that it has a grant: it leaves its place to others without one.
    pub(super) fn is_granted(&mut self) {
        self.ungranted = None;
    }
}
