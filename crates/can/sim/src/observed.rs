//! Nodes that the owner of a simulation looks at between two steps of it.

use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_work::Instant;

/// The present incarnation of an ECU's node; none before its first boot.
#[derive(Debug)]
pub struct ObservedNode<N>(Rc<RefCell<Option<N>>>);

impl<N: Node + 'static> ObservedNode<N> {
    /// Replaces the node at a boot, and returns the one that the simulation drives. Without a node
    /// the ECU neither sends nor receives.
    pub fn boot(&self, node: Option<N>) -> Box<dyn Node> {
        *self.0.borrow_mut() = node;
        Box::new(self.clone())
    }
}

impl<N> ObservedNode<N> {
    /// Borrows the node.
    ///
    /// # Panics
    /// While it is borrowed mutably.
    #[must_use]
    pub fn borrow(&self) -> Ref<'_, Option<N>> {
        self.0.borrow()
    }

    /// Borrows the node mutably.
    ///
    /// # Panics
    /// While it is borrowed.
    #[must_use]
    pub fn borrow_mut(&self) -> RefMut<'_, Option<N>> {
        self.0.borrow_mut()
    }
}

impl<N> Clone for ObservedNode<N> {
    fn clone(&self) -> Self {
        ObservedNode(Rc::clone(&self.0))
    }
}

impl<N> Default for ObservedNode<N> {
    fn default() -> Self {
        ObservedNode(Rc::default())
    }
}

impl<N: Node> Node for ObservedNode<N> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if let Some(node) = self.0.borrow_mut().as_mut() {
            node.handle(now, input);
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        match self.0.borrow_mut().as_mut() {
            Some(node) => node.poll(now, room),
            None => Output::Idle(None),
        }
    }
}
