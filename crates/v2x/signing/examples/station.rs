//! A station without the standard library: it signs its messages, verifies those of others, and
//! asks for the certificates that it lacks. What it needs of its machine is an allocator, a clock,
//! a place and a random generator. `cargo xtask no-std` links this file as it stands.
#![no_std]

extern crate alloc;

use alloc::vec::Vec;

use waywarden_v2x_keys::{KeyHandle, PrivateKey, SoftwareStore, Uses};
use waywarden_v2x_security::{Capacity, ReceptionContext, Refusal, Verifier};
use waywarden_v2x_signing::{
    Credential, CredentialError, MessageSigner, Seed, SignError, Statement,
};
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Psid, ThreeDLocation, Time64};

/// Number of senders known at a time.
const SENDERS: usize = 256;
/// Number of messages remembered against replay.
const MESSAGES: usize = 4_096;
/// Number of keys: one for each of its certificates.
const KEYS: usize = 32;

/// Certificates of the station, encoded, and its private key.
pub struct Identity<'i> {
    /// The root's certificate.
    pub root: &'i [u8],
    /// Certificate of the authority that issued the station's.
    pub authority: &'i [u8],
    /// Certificate of the station.
    pub certificate: &'i [u8],
    /// Private key of the station.
    pub key: &'i PrivateKey,
}

/// An error in the creation of a station.
#[derive(Debug)]
pub enum StationError {
    /// A certificate does not verify.
    Certificate(Refusal),
    /// The key is not that of the certificate.
    Credential(CredentialError),
}

impl From<Refusal> for StationError {
    fn from(refusal: Refusal) -> Self {
        Self::Certificate(refusal)
    }
}

impl From<CredentialError> for StationError {
    fn from(error: CredentialError) -> Self {
        Self::Credential(error)
    }
}

/// Sends and receives.
pub struct Station {
    keys: SoftwareStore<KEYS>,
    sender: MessageSigner,
    verifier: Verifier,
}

impl Station {
    /// Makes a station.
    ///
    /// # Errors
    /// What is wrong with its certificates or key.
    pub fn new(identity: &Identity<'_>) -> Result<Self, StationError> {
        let mut verifier = Verifier::new(Capacity {
            certificates: SENDERS,
            messages: MESSAGES,
            ..Capacity::DEFAULT
        });
        verifier.add_trust_anchor(identity.root)?;
        verifier.add_certificate(identity.authority)?;
        let own = verifier.verify_certificate(identity.certificate)?;
        let mut keys = SoftwareStore::new();
        let imported = keys.import(identity.key, Uses::SIGN);
        let key: KeyHandle = imported.map_err(CredentialError::Key)?;
        let sender = MessageSigner::new(Credential::new(&keys, key, own)?);
        Ok(Self {
            keys,
            sender,
            verifier,
        })
    }

    /// Signs a message; returns what goes into the network's packet. `random` is 32 bytes of the
    /// random generator, fresh for each message.
    ///
    /// # Errors
    /// What the certificate does not permit, and a location that the application's profile demands.
    pub fn send(
        &mut self,
        (psid, payload): (Psid, &[u8]),
        (now, location): (Time64, Option<ThreeDLocation>),
        random: [u8; 32],
    ) -> Result<Vec<u8>, SignError> {
        let statement = Statement {
            psid,
            payload,
            location,
        };
        let seed = Seed::new(random);
        self.sender.send(&mut self.keys, &statement, now, &seed)
    }

    /// Takes a packet that came. Returns the payload if it is authentic; nothing if the payload has
    /// another form.
    ///
    /// # Errors
    /// Which check failed. What the packet lacks is asked for in the next message.
    pub fn receive<'p>(
        &mut self,
        packet: &'p [u8],
        (psid, now): (Psid, Time64),
        random: [u8; 32],
    ) -> Result<Option<&'p [u8]>, Refusal> {
        // In a WAVE short message, in a GeoNetworking packet, or by itself.
        let spdu = detect(packet).map_or(packet, |found| found.spdu);
        let context = ReceptionContext {
            psid: Some(psid),
            ..ReceptionContext::at(now)
        };
        let verified = self.verifier.verify(spdu, &context);
        let seed = Seed::new(random);
        let Self {
            sender, verifier, ..
        } = self;
        sender.observe(verifier, spdu, verified.as_ref(), (now, &seed));
        let accepted = verified?;
        let Some(inner) = &accepted.data.tbs_data.payload.data else {
            return Ok(None);
        };
        Ok(match inner.view()?.content {
            Ieee1609Dot2Content::Unsecured(payload) => Some(payload),
            _ => None,
        })
    }
}
