//! Identities and roles of a network, with their memory on the heap.

use alloc::vec::Vec;

use waywarden_can::node::{Boot, Port, Ports, Slot};
use waywarden_key_roles::Address;
use waywarden_key_suites::Secret;

use super::NetworkError;
use crate::certificate::SubjectRole;
use crate::credential::{enrolled_digest, public_key};
use crate::ecu::{EcuStorage, LasanEcu, PartyIdentity};
use crate::module::{ModuleCapacity, ModuleStorage, SecurityModule};
use crate::profile::{Credentials, LasanProfile};
use crate::settings::{PARTIES_MAX, PartyDirectory};
use crate::suites::LasanSuite;

/// Number of ECUs that a security module authenticates at a time. `Choice:` enough to keep a bus
/// busy while boards compute; more costs memory for three messages each.
const HANDSHAKES: usize = 4;

impl PartyIdentity {
    /// Makes the identity of a party with one controller, `Port(0)`, that retains from `Slot(0)`
    /// on; fields of the result say otherwise. `secret` is 32 bytes from a good random source that
    /// no other party knows.
    #[must_use]
    pub const fn new(address: Address, secret: Secret) -> Self {
        PartyIdentity {
            address,
            ports: Ports::NONE.with(Port(0)),
            secret,
            slot: Slot(0),
        }
    }

    /// Returns the public key, which is what the others are given. Takes the time of a key
    /// generation.
    #[must_use]
    pub fn public_key<S: LasanSuite>(
        &self,
        suite: &S,
        profile: LasanProfile,
        role: SubjectRole,
    ) -> Vec<u8> {
        let sizes = suite.sizes();
        let mut key = alloc::vec![0; sizes.public_key.max(sizes.offer)];
        let length = public_key(suite, profile, role, &self.secret, &mut key);
        key.truncate(length.unwrap_or_default());
        key
    }

    fn check<S: LasanSuite>(
        &self,
        suite: &S,
        role: SubjectRole,
        directory: &impl PartyDirectory,
    ) -> Result<(), NetworkError> {
        let settings = directory.settings();
        let is_module = settings.security_module == self.address;
        let party = directory.find(self.address);
        let party = party.filter(|_| is_module == (role == SubjectRole::SecurityModule));
        let party = party.ok_or(NetworkError::Role(self.address))?;
        let own = self.public_key(suite, settings.profile, role);
        let is_own = match settings.credentials {
            Credentials::Digests if !settings.profile.is_as_published() => {
                party.key == enrolled_digest(&own)
            }
            _ => party.key == own,
        };
        match is_own {
            true => Ok(()),
            false => Err(NetworkError::PublicKey(self.address)),
        }
    }
}

impl<S: LasanSuite, D: PartyDirectory> LasanEcu<'static, S, D> {
    /// Starts an ECU with memory on the heap for the streams that the directory permits it to send
    /// and to receive.
    ///
    /// # Errors
    /// [`NetworkError::Role`] and [`NetworkError::PublicKey`].
    pub fn boxed(
        boot: &Boot<'_>,
        suite: S,
        identity: PartyIdentity,
        directory: D,
    ) -> Result<Self, NetworkError> {
        identity.check(&suite, SubjectRole::Ecu, &directory)?;
        let lines = directory.permissions().iter();
        let own = lines.filter(|line| line.holders().contains(identity.address));
        let memory = EcuStorage::boxed(suite.sizes(), own.count());
        Ok(LasanEcu::new(boot, suite, identity, directory, memory))
    }
}

impl<S: LasanSuite, D: PartyDirectory> SecurityModule<'static, S, D> {
    /// Starts a security module with memory on the heap for all ECUs and permissions of the
    /// directory. It authenticates up to four ECUs at a time; as published, all of them.
    ///
    /// # Errors
    /// [`NetworkError::Role`], [`NetworkError::PublicKey`] and [`NetworkError::Module`].
    pub fn boxed(
        boot: &Boot<'_>,
        suite: S,
        identity: PartyIdentity,
        directory: D,
    ) -> Result<Self, NetworkError> {
        identity.check(&suite, SubjectRole::SecurityModule, &directory)?;
        let parties = (0..PARTIES_MAX).map_while(|index| directory.party(index));
        let ecus = parties.count().saturating_sub(1);
        let handshakes = match directory.settings().profile.is_as_published() {
            true => ecus,
            false => ecus.min(HANDSHAKES),
        };
        let capacity = ModuleCapacity {
            ecus,
            handshakes,
            permissions: directory.permissions().len(),
        };
        let memory = ModuleStorage::boxed(suite.sizes(), capacity);
        let module = SecurityModule::new(boot, suite, identity, directory, memory);
        module.map_err(NetworkError::Module)
    }
}
