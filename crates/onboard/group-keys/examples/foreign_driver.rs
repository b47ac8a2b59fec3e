//! A [`Member`] and an [`Orchestrator`] on another maker's CAN driver: no `std`, no allocator, no
//! library of ours below them.
//! `cargo xtask no-std` links this file as it stands; `foreign_driver/tests.rs` runs it.
#![no_std]

#[cfg(test)]
#[path = "foreign_driver/tests.rs"]
mod tests;

use waywarden_can::mailbox::{Device, Mailbox, NotIdle};
use waywarden_can::node::Boot;
use waywarden_group_keys::{
    Address, GroupConfiguration, Member, MemberArrays, MemberIdentity, Orchestrator,
    OrchestratorArrays, OrchestratorError,
};
use waywarden_key_suites::{FourQ, PublicKey, Secret};

/// Settings and public keys of two ECUs and the orchestrator, made once and kept for good.
pub type Known = &'static GroupConfiguration<[(Address, PublicKey); 3]>;

/// The role, on the only controller of this ECU.
pub struct Station(Mailbox<Member<'static, FourQ, Known>>);

impl Station {
    /// Starts the role in memory that is its own for good. The seed must be fresh at each start,
    /// the rest is this ECU's configuration.
    #[must_use]
    pub fn new(
        boot: &Boot<'_>,
        identity: MemberIdentity<FourQ>,
        known: Known,
        memory: &'static mut MemberArrays<FourQ>,
    ) -> Self {
        let role = Member::new(boot, identity, known, memory.storage());
        Station(Mailbox::new(role, boot.now))
    }

    /// The group key and its epoch, once the orchestrator has proven it.
    #[must_use]
    pub fn key(&self) -> Option<(u64, &Secret)> {
        self.0.node().group_key()
    }

    /// Does whatever there is to do; call it after each interrupt, and at least every millisecond.
    ///
    /// # Errors
    /// [`NotIdle`].
    pub fn serve(&mut self, device: &mut dyn Device) -> Result<(), NotIdle> {
        self.0.serve(device)
    }
}

/// Number of places for members in the orchestrator.
pub const MEMBERS: usize = 2;
/// Number of places for logical ECUs in the orchestrator's tree.
pub const LOGICAL: usize = 8;

/// The memory of the orchestrator.
pub type OrchestratorMemory = OrchestratorArrays<FourQ, MEMBERS, LOGICAL>;

/// The orchestrator of the group, on the only controller of its ECU.
pub struct Coordinator(Mailbox<Orchestrator<'static, FourQ, Known>>);

impl Coordinator {
    /// Starts the role in memory that is its own for good. The seed must be fresh at each start,
    /// the rest is this ECU's configuration.
    ///
    /// # Errors
    /// [`OrchestratorError`].
    pub fn new(
        boot: &Boot<'_>,
        identity: MemberIdentity<FourQ>,
        known: Known,
        memory: &'static mut OrchestratorMemory,
    ) -> Result<Self, OrchestratorError> {
        let role = Orchestrator::new(boot, identity, known, memory.storage())?;
        Ok(Coordinator(Mailbox::new(role, boot.now)))
    }

    /// Has a new key agreed on; the first time this starts the group.
    pub fn renew(&mut self) {
        self.0.node_mut().renew(false);
    }

    /// The group key and its epoch.
    #[must_use]
    pub fn key(&self) -> Option<(u64, &Secret)> {
        self.0.node().group_key()
    }

    /// Does whatever there is to do; call it after each interrupt, and at least every millisecond.
    ///
    /// # Errors
    /// [`NotIdle`].
    pub fn serve(&mut self, device: &mut dyn Device) -> Result<(), NotIdle> {
        self.0.serve(device)
    }
}
