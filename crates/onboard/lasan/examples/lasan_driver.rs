//! A [`LasanEcu`] and a [`SecurityModule`] on another maker's CAN FD driver: no `std`, no
//! allocator. `cargo xtask no-std` links this file as it stands; `lasan_driver/tests.rs` runs both
//! roles.
#![no_std]

#[cfg(test)]
#[path = "lasan_driver/tests.rs"]
mod tests;

use waywarden_can::Frame;
use waywarden_can::mailbox::{Device, Mailbox, NotIdle, PORT};
use waywarden_can::node::Boot;
use waywarden_lasan::{
    AuthenticationSuite, EcuArrays, FourQSchnorrQ, LasanConfiguration, LasanEcu, ModuleArrays,
    ModuleError, ModuleMessages, Party, PartyIdentity, Permission, ProtectedOutcome,
    SecurityModule, StreamId, StreamProtectError,
};

/// The settings and parties that all ECUs know, in static memory.
pub type Known = &'static LasanConfiguration<
    &'static [u8],
    &'static [Party<&'static [u8]>],
    &'static [Permission],
>;

/// Room for the longest message.
const MESSAGE: usize = FourQSchnorrQ::MESSAGE_MAX;
/// Length of a public key, in bytes.
const PUBLIC_KEY: usize = FourQSchnorrQ::SIZES.public_key;
/// Number of streams that an ECU sends and receives.
const STREAMS: usize = 8;
/// Number of ECUs that the security module has room for.
const ECUS: usize = 8;
/// Number of ECUs that the security module authenticates at a time.
const HANDSHAKES: usize = 2;

/// The memory of an ECU.
pub type EcuMemory = EcuArrays<MESSAGE, PUBLIC_KEY, STREAMS>;
/// The memory of a security module, beside that of its messages.
pub type ModuleMemory = ModuleArrays<'static, FourQSchnorrQ, ECUS, HANDSHAKES, STREAMS>;
/// The messages of a security module.
pub type Messages = ModuleMessages<MESSAGE, HANDSHAKES>;

/// An ECU that sends and receives protected frames.
pub struct ProtectedEcu(Mailbox<LasanEcu<'static, FourQSchnorrQ, Known>>);

/// The security module.
pub struct Module(Mailbox<SecurityModule<'static, FourQSchnorrQ, Known>>);

impl ProtectedEcu {
    /// Starts the role in memory that is its own for good. The seed must be fresh at each start.
    #[must_use]
    pub fn new(
        boot: &Boot<'_>,
        identity: PartyIdentity,
        known: Known,
        memory: &'static mut EcuMemory,
    ) -> Self {
        let role = LasanEcu::new(boot, FourQSchnorrQ, identity, known, memory.storage());
        ProtectedEcu(Mailbox::new(role, boot.now))
    }

    /// Asks for the key of a stream that it sends; whether there is room for one more.
    pub fn request(&mut self, stream: StreamId) -> bool {
        self.0.node_mut().request(stream)
    }

    /// Sends a frame, encrypted and with a tag; it leaves at the next [`ProtectedEcu::serve`].
    ///
    /// # Errors
    /// [`StreamProtectError`].
    pub fn send(&mut self, frame: &Frame) -> Result<(), StreamProtectError> {
        self.0.node_mut().send(PORT, frame)
    }

    /// Takes the oldest outcome of a protected frame.
    pub fn received(&mut self) -> Option<ProtectedOutcome> {
        self.0.node_mut().received()
    }

    /// Does whatever there is to do; call it at least every millisecond.
    ///
    /// # Errors
    /// [`NotIdle`].
    pub fn serve(&mut self, device: &mut dyn Device) -> Result<(), NotIdle> {
        self.0.serve(device)
    }
}

impl Module {
    /// Starts the role in memory that is its own for good, and authentication with it.
    ///
    /// # Errors
    /// [`ModuleError`].
    pub fn new(
        boot: &Boot<'_>,
        identity: PartyIdentity,
        known: Known,
        memory: &'static mut ModuleMemory,
    ) -> Result<Self, ModuleError> {
        let storage = memory.storage();
        let mut role = SecurityModule::new(boot, FourQSchnorrQ, identity, known, storage)?;
        role.start();
        Ok(Module(Mailbox::new(role, boot.now)))
    }

    /// Does whatever there is to do; call it at least every millisecond.
    ///
    /// # Errors
    /// [`NotIdle`].
    pub fn serve(&mut self, device: &mut dyn Device) -> Result<(), NotIdle> {
        self.0.serve(device)
    }
}
