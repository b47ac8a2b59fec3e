//! A network in a few lines: settings, enrolled keys or certificates and permissions by a builder.
//! Feature `alloc`. [`roles`] makes roles of it, with their memory on the heap.
//!
//! What is not here: memory in arrays ([`EcuArrays`](crate::EcuArrays)), the published profile,
//! pacing, permissions for a part of the time. [`NetworkSettings`] and [`Permission`] have all of
//! it.

mod error;
mod roles;
#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;

use waywarden_key_roles::{Address, IdentifierPlan, Transport};
use waywarden_key_suites::Secret;
use waywarden_work::Duration;

use crate::access::{AddressSet, Permission, StreamId};
use crate::certificate::{CertificateStatement, SubjectRole, Validity, issue};
use crate::credential::enrolled_digest;
use crate::identifier::{IDENTIFIERS, LasanFrameReader};
use crate::length::CERTIFICATE_FIELDS;
use crate::name::{NAME_LENGTH, Name, NetworkTime};
use crate::profile::{Credentials, LasanProfile};
use crate::settings::{LasanConfiguration, LasanTiming, NetworkSettings, PARTIES_MAX, Party};
use crate::suites::LasanSuite;

pub use error::NetworkError;

/// Settings, parties and permissions of a network, shared by the roles of one process.
pub type SharedLasanConfiguration =
    Arc<LasanConfiguration<Vec<u8>, Vec<Party<Vec<u8>>>, Vec<Permission>>>;

/// The issuer of certificates, and the validity that it gives them.
struct Authority<S: LasanSuite> {
    name: Name,
    key: S::SigningKey,
    validity: Validity,
}

/// A network under construction: the facts on which all parties agree.
///
/// Defaults: the profile [`LasanProfile::Hardened`], public keys enrolled on all
/// sides ([`Credentials::Keys`]), CAN FD, and [`NetworkBuilder::TIMING`].
#[must_use]
pub struct NetworkBuilder<S: LasanSuite> {
    suite: S,
    profile: LasanProfile,
    digests: bool,
    authority: Option<Authority<S>>,
    transport: Transport,
    identifiers: IdentifierPlan,
    timing: LasanTiming,
    security_module: Address,
    /// Address, name and public key.
    parties: Vec<(Address, Name, Vec<u8>)>,
    permissions: Vec<Permission>,
}

impl<S: LasanSuite> NetworkBuilder<S> {
    /// The default of [`NetworkBuilder::with_timing`]: 400 ms for an authentication, which suits
    /// boards and buses that need up to 200 ms for one; 50 ms for an answer, pauses of up to 800
    /// ms, and a new key of each stream every minute.
    pub const TIMING: LasanTiming = LasanTiming {
        authentication: Duration::from_millis(400),
        answer: Duration::from_millis(50),
        patience: Duration::from_millis(800),
        stream_key: Duration::from_millis(60_000),
    };

    /// Begins with the security module: its address, its name in certificates, and its public key,
    /// of [`PartyIdentity::public_key`](crate::PartyIdentity::public_key).
    pub fn new(suite: S, security_module: Address, name: Name, key: Vec<u8>) -> Self {
        NetworkBuilder {
            suite,
            profile: LasanProfile::Hardened,
            digests: false,
            authority: None,
            transport: Transport::Fd,
            identifiers: IDENTIFIERS,
            timing: Self::TIMING,
            security_module,
            parties: alloc::vec![(security_module, name, key)],
            permissions: Vec::new(),
        }
    }

    /// Adds an ECU.
    pub fn with_ecu(mut self, address: Address, name: Name, key: Vec<u8>) -> Self {
        self.parties.push((address, name, key));
        self
    }

    /// Permits an ECU to send a stream to others, at all times.
    pub fn with_stream(mut self, stream: StreamId, sender: Address, receivers: AddressSet) -> Self {
        self.permissions.push(Permission {
            stream,
            sender,
            receivers,
            from: NetworkTime(0),
            until: NetworkTime::MAX,
        });
        self
    }

    /// Sets which messages are sent.
    pub const fn with_profile(mut self, profile: LasanProfile) -> Self {
        self.profile = profile;
        self
    }

    /// Enrols digests of public keys; the keys themselves are sent each time.
    pub const fn with_digests(mut self) -> Self {
        self.digests = true;
        self
    }

    /// Issues a certificate to each party, which is sent each time; none is enrolled then. `secret`
    /// is the authority's, 32 bytes that stay where the network is built.
    pub fn with_certificates(mut self, name: Name, secret: &Secret, validity: Validity) -> Self {
        self.authority = Some(Authority {
            name,
            key: self.suite.signing_key(secret),
            validity,
        });
        self
    }

    /// Sets what carries the messages. On classic CAN a stream's key is for a message
    /// authentication of your own: there is no room for protected payloads.
    pub const fn with_transport(mut self, transport: Transport) -> Self {
        self.transport = transport;
        self
    }

    /// Sets the identifiers; [`NetworkBuilder::build`] checks that they have bits for all
    /// addresses.
    pub const fn with_identifiers(mut self, identifiers: IdentifierPlan) -> Self {
        self.identifiers = identifiers;
        self
    }

    /// Sets how long to wait.
    pub const fn with_timing(mut self, timing: LasanTiming) -> Self {
        self.timing = timing;
        self
    }

    /// Makes the settings and the directory.
    ///
    /// # Errors
    /// [`NetworkError::Address`], [`NetworkError::Twice`], [`NetworkError::KeyLength`],
    /// [`NetworkError::Stream`], [`NetworkError::Identifiers`] and [`NetworkError::Certificate`].
    pub fn build(self) -> Result<SharedLasanConfiguration, NetworkError> {
        self.check()?;
        let parties = self.parties.iter();
        let parties: Result<Vec<_>, _> = parties.map(|party| self.party(party)).collect();
        Ok(Arc::new(LasanConfiguration {
            settings: NetworkSettings {
                profile: self.profile,
                credentials: self.credentials(),
                transport: self.transport,
                identifiers: self.identifiers,
                pacing: None,
                gives_way: false,
                security_module: self.security_module,
                time_at_zero: NetworkTime(0),
                timing: self.timing,
            },
            authority: self.issuer(),
            parties: parties?,
            permissions: self.permissions,
        }))
    }

    fn credentials(&self) -> Credentials {
        match (&self.authority, self.digests) {
            (Some(_), _) => Credentials::Certificates,
            (None, true) => Credentials::Digests,
            (None, false) => Credentials::Keys,
        }
    }

    /// Name and public key of who issues certificates; empty where none are issued.
    fn issuer(&self) -> (Name, Vec<u8>) {
        let Some(authority) = &self.authority else {
            return (Name([0; NAME_LENGTH]), Vec::new());
        };
        let mut key = alloc::vec![0; self.suite.sizes().public_key];
        let length = self.suite.public_key(&authority.key, &mut key);
        key.truncate(length.unwrap_or_default());
        (authority.name, key)
    }

    fn role(&self, address: Address) -> SubjectRole {
        match address == self.security_module {
            true => SubjectRole::SecurityModule,
            false => SubjectRole::Ecu,
        }
    }

    fn check(&self) -> Result<(), NetworkError> {
        let sizes = self.suite.sizes();
        let mut known = AddressSet::NONE;
        for (address, _, key) in &self.parties {
            if !(1..=PARTIES_MAX).contains(&usize::from(address.0)) {
                return Err(NetworkError::Address(*address));
            }
            if known.contains(*address) {
                return Err(NetworkError::Twice(*address));
            }
            let length = match (self.profile, self.role(*address)) {
                (LasanProfile::Compact, SubjectRole::Ecu) => sizes.offer,
                _ => sizes.public_key,
            };
            if key.len() != length {
                return Err(NetworkError::KeyLength(*address));
            }
            known = known.with(*address);
        }
        let ecus = known.without(self.security_module);
        let parties = self.parties.iter().map(|(address, ..)| *address);
        let (module, transport) = (self.security_module, self.transport);
        let (needed, left) =
            LasanFrameReader::new(module, parties, transport, self.identifiers).bits();
        if needed > left {
            return Err(NetworkError::Identifiers { needed, left });
        }
        let is_complete = |line: &Permission| {
            let others = line.receivers.without(line.sender);
            line.holders().except(ecus).is_empty() && !others.is_empty()
        };
        match self.permissions.iter().find(|line| !is_complete(line)) {
            Some(line) => Err(NetworkError::Stream(line.stream)),
            None => Ok(()),
        }
    }

    /// Returns the entry of a party: the key that the others know, and its credential.
    fn party(
        &self,
        (address, name, key): &(Address, Name, Vec<u8>),
    ) -> Result<Party<Vec<u8>>, NetworkError> {
        let (address, name) = (*address, *name);
        let (key, credential) = match (&self.authority, self.digests) {
            (Some(authority), _) => {
                let statement = CertificateStatement {
                    subject: name,
                    role: self.role(address),
                    validity: authority.validity,
                    key,
                    authority: authority.name,
                };
                (key.clone(), self.certificate(&statement, &authority.key)?)
            }
            (None, true) => (enrolled_digest(key).to_vec(), key.clone()),
            (None, false) => (key.clone(), Vec::new()),
        };
        Ok(Party {
            address,
            name,
            key,
            credential,
        })
    }

    fn certificate(
        &self,
        statement: &CertificateStatement<'_>,
        key: &S::SigningKey,
    ) -> Result<Vec<u8>, NetworkError> {
        let signature = self.suite.sizes().signature;
        let mut bytes = alloc::vec![0; CERTIFICATE_FIELDS + statement.key.len() + signature];
        let length = issue(&self.suite, self.profile, statement, key, &mut bytes);
        bytes.truncate(length.map_err(NetworkError::Certificate)?);
        Ok(bytes)
    }
}
