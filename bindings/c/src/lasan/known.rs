//! The network as a role knows it, read from the caller's options.

use waywarden_can::node::{Port, Ports, Slot};
use waywarden_key_suites::Secret;
use waywarden_lasan::{
    Address, AddressSet, Credentials, FixedBits, IdentifierPlan, LasanFrameReader, LasanKind,
    LasanProfile, LasanTiming, Name, NetworkSettings, NetworkTime, PARTIES_MAX, Party,
    PartyDirectory, PartyIdentity, Permission, StreamId, SubjectRole, Transport, enrolled_digest,
};
use waywarden_work::Duration;

use super::suite::NumberedSuite;
use super::{
    KEY_LENGTH, LasanOptions, LasanParty, LasanPermission, WAYWARDEN_LASAN_CERTIFICATES,
    WAYWARDEN_LASAN_DIGESTS, WAYWARDEN_LASAN_KEYS, WAYWARDEN_LASAN_PERMISSIONS,
};
use crate::can::{WAYWARDEN_EXTENDED, WAYWARDEN_FD};
use crate::memory::{bytes, read};
use crate::role::{Start, WAYWARDEN_ROLE_ECUS, element};
use crate::status::Status;

/// Number of parties: ECUs and security module.
const PARTIES: usize = WAYWARDEN_ROLE_ECUS + 1;
/// Length of a digest of a public key.
const DIGEST: usize = 32;
/// Place of the key in a certificate: after the subject's name, its role, and both times.
const KEY_IN_CERTIFICATE: usize = 6 + 1 + 2 * 8;

/// Bytes that the caller keeps for as long as the object is in use.
struct Kept {
    /// Keys of all parties; none where the entries of the parties have them.
    keys: Option<&'static [u8]>,
    credential: &'static [u8],
    authority_key: &'static [u8],
}

/// The network as a role knows it, in its memory. `P` is the number of permissions that it has room
/// for.
pub(crate) struct NetworkKnown<const P: usize> {
    settings: NetworkSettings,
    own: Address,
    authority: Name,
    kept: Kept,
    key_length: usize,
    parties: [LasanParty; PARTIES],
    party_count: usize,
    permissions: [Permission; P],
    permission_count: usize,
}

impl<const P: usize> NetworkKnown<P> {
    /// Returns the key of a party as it is known beforehand; of this one the whole key, but with
    /// digests.
    fn key_of(&self, index: usize, is_own: bool) -> Option<&[u8]> {
        let length = self.key_length;
        match (self.settings.credentials, self.kept.keys) {
            (Credentials::Digests, _) => self.parties[index].key.get(..DIGEST),
            (Credentials::Keys, None) => self.parties[index].key.get(..length),
            (Credentials::Keys, Some(keys)) => keys.chunks_exact(length).nth(index),
            (Credentials::Certificates, _) if is_own => {
                let end = KEY_IN_CERTIFICATE + length;
                self.kept.credential.get(KEY_IN_CERTIFICATE..end)
            }
            (Credentials::Certificates, _) => Some(&[]),
        }
    }
}

impl<const P: usize> PartyDirectory for NetworkKnown<P> {
    fn settings(&self) -> &NetworkSettings {
        &self.settings
    }

    fn authority(&self) -> (Name, &[u8]) {
        (self.authority, self.kept.authority_key)
    }

    fn party(&self, index: usize) -> Option<Party<&[u8]>> {
        let party = self.parties[..self.party_count].get(index)?;
        let address = Address(party.address);
        let is_own = address == self.own;
        Some(Party {
            address,
            name: Name(party.name),
            key: self.key_of(index, is_own)?,
            credential: if is_own { self.kept.credential } else { &[] },
        })
    }

    fn permissions(&self) -> &[Permission] {
        &self.permissions[..self.permission_count]
    }
}

const NO_PARTY: LasanParty = LasanParty {
    address: 0,
    name: [0; 6],
    key: [0; KEY_LENGTH],
};

const NO_PERMISSION: Permission = Permission {
    stream: StreamId(0),
    sender: Address(0),
    receivers: AddressSet::NONE,
    from: NetworkTime(0),
    until: NetworkTime(0),
};

fn settings(options: &LasanOptions) -> Result<NetworkSettings, Status> {
    if options.flags & !(WAYWARDEN_FD | WAYWARDEN_EXTENDED) != 0 {
        return Err(Status::Argument);
    }
    let fixed = FixedBits {
        base: options.identifier_base,
        mask: options.identifier_mask,
    };
    let identifiers = match options.flags & WAYWARDEN_EXTENDED {
        0 => IdentifierPlan::standard(fixed),
        _ => IdentifierPlan::extended(fixed),
    };
    Ok(NetworkSettings {
        profile: LasanProfile::Hardened,
        credentials: match options.credentials {
            WAYWARDEN_LASAN_KEYS => Credentials::Keys,
            WAYWARDEN_LASAN_DIGESTS => Credentials::Digests,
            WAYWARDEN_LASAN_CERTIFICATES => Credentials::Certificates,
            _ => return Err(Status::Argument),
        },
        transport: match options.flags & WAYWARDEN_FD {
            0 => Transport::Classic,
            _ => Transport::Fd,
        },
        identifiers: identifiers.map_err(|_| Status::Identifier)?,
        pacing: None,
        gives_way: false,
        security_module: Address(options.security_module),
        time_at_zero: NetworkTime(options.time_at_zero),
        timing: LasanTiming {
            authentication: Duration::from_nanos(options.authentication),
            answer: Duration::from_nanos(options.answer),
            patience: Duration::from_nanos(options.patience),
            stream_key: Duration::from_nanos(options.stream_key),
        },
    })
}

fn permission(given: &LasanPermission, ecus: AddressSet) -> Result<Permission, Status> {
    let [low, high] = given.receivers;
    let receivers = (0..=127u8)
        .filter(|at| {
            let word = if *at < 64 { low } else { high };
            word >> (at % 64) & 1 != 0
        })
        .map(Address)
        .collect();
    let made = Permission {
        stream: StreamId(given.stream),
        sender: Address(given.sender),
        receivers,
        from: NetworkTime(given.from),
        until: NetworkTime(given.until),
    };
    let others = receivers.without(made.sender);
    match made.holders().except(ecus).is_empty() && !others.is_empty() {
        true => Ok(made),
        false => Err(Status::Argument),
    }
}

/// Reads what the caller keeps for a network with keys of `key_length` bytes, and credentials of
/// `credential_length`.
///
/// # Safety
/// See [the rules on pointers](crate#pointers); the bytes stay until the object is cleared.
unsafe fn kept(
    options: &LasanOptions,
    credentials: Credentials,
    key_length: usize,
    credential_length: usize,
) -> Result<Kept, Status> {
    if options.credential_length != credential_length {
        return Err(Status::Argument);
    }
    let is_known = credentials == Credentials::Keys;
    let has_keys = is_known && (!options.keys.is_null() || key_length > KEY_LENGTH);
    let authority_length = match credentials {
        Credentials::Certificates => key_length,
        Credentials::Keys | Credentials::Digests => 0,
    };
    // SAFETY: as many bytes as said by the caller, where the pointers are not null.
    unsafe {
        Ok(Kept {
            keys: match has_keys {
                true => Some(bytes(options.keys, options.party_count * key_length)?),
                false => None,
            },
            credential: bytes(options.credential, credential_length)?,
            authority_key: bytes(options.authority_key, authority_length)?,
        })
    }
}

/// Reads the description of a network as the party of address `own`, and returns its suite and what
/// a role knows.
///
/// # Safety
/// See [the rules on pointers](crate#pointers); what the options call so stays until the object is
/// cleared.
pub(crate) unsafe fn known<S: NumberedSuite, const P: usize>(
    options: *const LasanOptions,
    own: u8,
) -> Result<(S, NetworkKnown<P>), Status> {
    // SAFETY: by the caller.
    let options = unsafe { read(options) }?;
    let suite = S::of(options.suite).ok_or(Status::Argument)?;
    let settings = settings(&options)?;
    let (parties, permissions) = (options.party_count, options.permission_count);
    if !(2..=PARTIES).contains(&parties) || permissions > WAYWARDEN_LASAN_PERMISSIONS {
        return Err(Status::Argument);
    }
    let key_length = suite.sizes().public_key;
    let credential = settings.lengths(suite.sizes()).of(LasanKind::Certificate);
    let credential = credential.unwrap_or(0);
    let mut known = NetworkKnown {
        settings,
        own: Address(own),
        authority: Name(options.authority),
        // SAFETY: by the caller.
        kept: unsafe { kept(&options, settings.credentials, key_length, credential) }?,
        key_length,
        parties: [NO_PARTY; PARTIES],
        party_count: parties,
        permissions: [NO_PERMISSION; P],
        permission_count: permissions.min(P),
    };
    // SAFETY: by the caller.
    let all = unsafe { known.read_parties(&options) }?;
    if !all.contains(settings.security_module) {
        return Err(Status::Argument);
    }
    let ecus = all.without(settings.security_module);
    for (at, place) in known.permissions[..permissions.min(P)]
        .iter_mut()
        .enumerate()
    {
        // SAFETY: `permission_count` permissions by the caller, where the pointer is not null.
        let given = unsafe { read(element(options.permissions, at)) }?;
        *place = permission(&given, ecus)?;
    }
    let reader = LasanFrameReader::new(
        settings.security_module,
        all.iter(),
        settings.transport,
        settings.identifiers,
    );
    let (needed, left) = reader.bits();
    match needed > left {
        true => Err(Status::Identifier),
        false => Ok((suite, known)),
    }
}

impl<const P: usize> NetworkKnown<P> {
    /// Reads the parties, and returns their addresses.
    ///
    /// # Safety
    /// See [the rules on pointers](crate#pointers).
    unsafe fn read_parties(&mut self, options: &LasanOptions) -> Result<AddressSet, Status> {
        let used = match (self.settings.credentials, self.kept.keys) {
            (Credentials::Digests, _) => DIGEST,
            (Credentials::Keys, None) => self.key_length,
            _ => KEY_LENGTH,
        };
        let mut all = AddressSet::NONE;
        for (at, place) in self.parties[..self.party_count].iter_mut().enumerate() {
            // SAFETY: `party_count` parties by the caller, where the pointer is not null.
            *place = unsafe { read(element(options.parties, at)) }?;
            let address = Address(place.address);
            let is_new =
                (1..=PARTIES_MAX).contains(&usize::from(place.address)) && !all.contains(address);
            if !is_new || place.key[used..].iter().any(|byte| *byte != 0) {
                return Err(Status::Argument);
            }
            all = all.with(address);
        }
        Ok(all)
    }
}

/// Makes the identity of a party, and checks that the others know it by its own public key.
pub(crate) fn identity<S: NumberedSuite, const SLOTS: usize, const P: usize>(
    suite: S,
    start: &Start<SLOTS>,
    known: &NetworkKnown<P>,
    role: SubjectRole,
) -> Result<PartyIdentity, Status> {
    let address = Address(start.address);
    let is_module = known.settings.security_module == address;
    let party = known.find(address).ok_or(Status::Argument)?;
    if is_module != (role == SubjectRole::SecurityModule) {
        return Err(Status::Argument);
    }
    let secret = Secret::from_bytes(start.secret);
    let mut own = [0; super::suite::KEY_MAX];
    let profile = known.settings.profile;
    let length = waywarden_lasan::public_key(&suite, profile, role, &secret, &mut own);
    let own = &own[..length.ok_or(Status::Fault)?];
    let is_known = match known.settings.credentials {
        Credentials::Digests => party.credential == own && enrolled_digest(own) == *party.key,
        Credentials::Keys | Credentials::Certificates => party.key == own,
    };
    match is_known {
        true => Ok(PartyIdentity {
            address,
            ports: Ports::NONE.with(Port(0)),
            secret,
            slot: Slot(0),
        }),
        false => Err(Status::Key),
    }
}
