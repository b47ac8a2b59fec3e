//! Nodes that the owner of a simulation looks at between two steps of it.

use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_work::Instant;

/// The present incarnation of an ECU's node; none before its first boot.
#[derive(Debug)]
pub struct ObservedNode<N>(Arc<RwLock<Option<N>>>);

impl<N: Node + Send + Sync + 'static> ObservedNode<N> {
    /// Replaces the node at a boot, and returns the one that the simulation drives. Without a node
    /// the ECU neither sends nor receives.
    pub fn boot(&self, node: Option<N>) -> Box<dyn Node + Send> {
        *self.borrow_mut() = node;
        Box::new(self.clone())
    }
}

impl<N> ObservedNode<N> {
    /// Borrows the node.
    ///
    /// # Panics
    /// While it is borrowed mutably, as it is while the simulation drives it.
    pub fn borrow(&self) -> RwLockReadGuard<'_, Option<N>> {
        match self.0.try_read() {
            Ok(node) => node,
            Err(TryLockError::Poisoned(node)) => node.into_inner(),
            Err(TryLockError::WouldBlock) => panic!("the node is borrowed mutably"),
        }
    }

    /// Borrows the node mutably.
    ///
    /// # Panics
    /// While it is borrowed, as it is while the simulation drives it.
    pub fn borrow_mut(&self) -> RwLockWriteGuard<'_, Option<N>> {
        match self.0.try_write() {
            Ok(node) => node,
            Err(TryLockError::Poisoned(node)) => node.into_inner(),
            Err(TryLockError::WouldBlock) => panic!("the node is borrowed"),
        }
    }
}

impl<N> Clone for ObservedNode<N> {
    fn clone(&self) -> Self {
        ObservedNode(Arc::clone(&self.0))
    }
}

impl<N> Default for ObservedNode<N> {
    fn default() -> Self {
        ObservedNode(Arc::new(RwLock::new(None)))
    }
}

impl<N: Node> Node for ObservedNode<N> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if let Some(node) = self.borrow_mut().as_mut() {
            node.handle(now, input);
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        match self.borrow_mut().as_mut() {
            Some(node) => node.poll(now, room),
            None => Output::Idle(None),
        }
    }
}
