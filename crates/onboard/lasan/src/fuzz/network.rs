//! Who takes part in the network of a fuzzer: three ECUs, a security module, and who may send what.

use waywarden_can::node::{Port, Ports, Slot};

use super::super::access::{Addresses, Permission, StreamId};
use super::super::certificate::{Role, Statement, Validity, issue};
use super::super::credential::{enrolled_digest, public_key};
use super::super::ecu::Identity;
use super::super::name::{Name, Time};
use super::super::profile::{Credentials, Profile};
use super::super::settings::{Network, Party, Settings};
use super::super::suites::{AnyLasanSuite, LasanSuite};
use waywarden_key_roles::Address;
use waywarden_key_suites::Secret;

/// How many ECUs there are; the security module comes after them.
pub(super) const ECUS: usize = 3;
pub(super) const ROLES: usize = ECUS + 1;

/// How many streams the list has; the next one has no sender.
pub(super) const STREAMS: usize = 3;

pub(super) const PORT: Port = Port(0);

/// The longest certificate of the suites that are used.
const CREDENTIAL_MAX: usize = 4_096;

/// Bytes of any length up to the longest certificate.
pub(super) struct Bytes {
    bytes: [u8; CREDENTIAL_MAX],
    length: usize,
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Bytes {
    /// Bytes that are written by something that says how many it wrote.
    fn written(write: impl FnOnce(&mut [u8]) -> Option<usize>) -> Self {
        let mut bytes = [0; CREDENTIAL_MAX];
        let length = write(&mut bytes).unwrap_or(0);
        Bytes { bytes, length }
    }

    fn of(slice: &[u8]) -> Self {
        Self::written(|place| {
            place.get_mut(..slice.len())?.copy_from_slice(slice);
            Some(slice.len())
        })
    }
}

pub(super) type Known = Network<Bytes, [Party<Bytes>; ROLES], [Permission; STREAMS]>;

const AUTHORITY: Name = Name(*b"CAAUTH");

pub(super) const fn stream(at: usize) -> StreamId {
    StreamId(0x100 + at as u32)
}

fn secret(at: usize) -> Secret {
    Secret::from_bytes([at as u8 + 1; 32])
}

fn name(at: usize) -> Name {
    Name([b'E', b'C', b'U', b'0', b'0', b'1' + at as u8])
}

pub(super) fn identity(directory: &Known, at: usize) -> Identity {
    Identity {
        address: directory.parties[at].address,
        ports: Ports::NONE.with(PORT),
        secret: secret(at),
        slot: Slot(0),
    }
}

pub(super) fn directory(suite: AnyLasanSuite, from: u8, settings: Settings) -> Known {
    let authority = suite.signing_key(&Secret::from_bytes([0xCA; 32]));
    let party = |at: usize| {
        let role = match at {
            ECUS => Role::SecurityModule,
            _ => Role::Ecu,
        };
        let key =
            Bytes::written(|out| public_key(&suite, settings.profile, role, &secret(at), out));
        let statement = Statement {
            subject: name(at),
            role,
            validity: Validity::ALWAYS,
            key: key.as_ref(),
            authority: AUTHORITY,
        };
        let certificate =
            Bytes::written(|out| issue(&suite, settings.profile, &statement, &authority, out).ok());
        let (key, credential) = match (settings.profile, settings.credentials) {
            (Profile::AsPublished, _) | (_, Credentials::Certificates) => (key, certificate),
            (_, Credentials::Digests) => (Bytes::of(&enrolled_digest(key.as_ref())), key),
            (_, Credentials::Keys) => (key, Bytes::of(&[])),
        };
        Party {
            address: Address(from + at as u8),
            name: name(at),
            key,
            credential,
        }
    };
    Network {
        settings,
        authority: (
            AUTHORITY,
            Bytes::written(|out| suite.public_key(&authority, out)),
        ),
        parties: core::array::from_fn(party),
        permissions: permissions(from),
    }
}

/// The first ECU sends to one, the second to all and only later, the third to no receiver after a
/// while.
fn permissions(from: u8) -> [Permission; STREAMS] {
    let line = |at: usize, receivers: &[u8], (from_time, until): (u64, u64)| Permission {
        stream: stream(at),
        sender: Address(from + at as u8),
        receivers: receivers
            .iter()
            .map(|at| Address(from + at))
            .collect::<Addresses>(),
        from: Time(from_time),
        until: Time(until),
    };
    [
        line(0, &[1], (0, u64::MAX)),
        line(1, &[0, 2], (1_200, u64::MAX)),
        line(2, &[0, 1], (0, 4_000)),
    ]
}
