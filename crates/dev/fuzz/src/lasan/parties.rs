//! Parties: three ECUs, a security module, and their permissions.

use waywarden_can::node::{Ports, Slot};
use waywarden_key_suites::Secret;
use waywarden_lasan::{
    Address, AddressSet, AnyLasanSuite, CertificateStatement, Credentials, LasanConfiguration,
    LasanProfile, LasanSuite, Name, NetworkSettings, NetworkTime, Party, PartyIdentity, Permission,
    StreamId, SubjectRole, Validity, enrolled_digest, issue, public_key,
};

use crate::world::{ECUS, PORT, ROLES};

/// Count of streams on the list; the next one has no sender.
pub(super) const STREAMS: usize = 3;

/// The longest certificate of the suites that are used.
const CREDENTIAL_MAX: usize = 4_096;

/// Returns the bytes written by `write`, which returns their number.
fn written(write: impl FnOnce(&mut [u8]) -> Option<usize>) -> Vec<u8> {
    let mut bytes = vec![0; CREDENTIAL_MAX];
    let length = write(&mut bytes).unwrap_or(0);
    bytes.truncate(length);
    bytes
}

pub(super) type Directory =
    LasanConfiguration<Vec<u8>, [Party<Vec<u8>>; ROLES], [Permission; STREAMS]>;

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

pub(super) fn identity(directory: &Directory, at: usize) -> PartyIdentity {
    PartyIdentity {
        address: directory.parties[at].address,
        ports: Ports::NONE.with(PORT),
        secret: secret(at),
        slot: Slot(0),
    }
}

pub(super) fn directory(suite: AnyLasanSuite, from: u8, settings: NetworkSettings) -> Directory {
    let authority = suite.signing_key(&Secret::from_bytes([0xCA; 32]));
    let party = |at: usize| {
        let role = match at {
            ECUS => SubjectRole::SecurityModule,
            _ => SubjectRole::Ecu,
        };
        let key = written(|out| public_key(&suite, settings.profile, role, &secret(at), out));
        let statement = CertificateStatement {
            subject: name(at),
            role,
            validity: Validity::ALWAYS,
            key: &key,
            authority: AUTHORITY,
        };
        let certificate =
            written(|out| issue(&suite, settings.profile, &statement, &authority, out).ok());
        let (key, credential) = match (settings.profile, settings.credentials) {
            (LasanProfile::AsPublished, _) | (_, Credentials::Certificates) => (key, certificate),
            (_, Credentials::Digests) => (enrolled_digest(&key).to_vec(), key),
            (_, Credentials::Keys) => (key, Vec::new()),
        };
        Party {
            address: Address(from + at as u8),
            name: name(at),
            key,
            credential,
        }
    };
    LasanConfiguration {
        settings,
        authority: (AUTHORITY, written(|out| suite.public_key(&authority, out))),
        parties: std::array::from_fn(party),
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
            .collect::<AddressSet>(),
        from: NetworkTime(from_time),
        until: NetworkTime(until),
    };
    [
        line(0, &[1], (0, u64::MAX)),
        line(1, &[0, 2], (1_200, u64::MAX)),
        line(2, &[0, 1], (0, 4_000)),
    ]
}
