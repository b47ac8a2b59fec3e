//! LASAN: ECUs authenticate themselves to a security module, which grants them keys of streams.

pub mod ecu;
mod event;
pub mod module;
mod suite;

use waywarden_can::node::{Port, Ports, Slot};
use waywarden_key_suites::Secret;
use waywarden_lasan::{
    Address, AddressSet, AuthenticationSuite, Credentials, FixedBits, FourQSchnorrQ,
    IdentifierPlan, LasanFrameReader, LasanProfile, LasanSuite, LasanTiming, Name, NetworkSettings,
    NetworkTime, PARTIES_MAX, Party, PartyDirectory, PartyIdentity, Permission, StreamId,
    SubjectRole, Transport,
};
use waywarden_work::Duration;
use zeroize::Zeroize;

use crate::can::{WAYWARDEN_EXTENDED, WAYWARDEN_FD};
use crate::memory::{read, writable, write};
use crate::role::{Start, WAYWARDEN_ROLE_ECUS, WAYWARDEN_SUITE_FOURQ, element};
use crate::status::{Status, answer};

pub use event::{LasanEvent, LasanEventKind, LasanReason};
pub(crate) use suite::Suite;

/// Number of permissions that a security module has room for.
pub const WAYWARDEN_LASAN_PERMISSIONS: usize = 32;
/// Number of streams that an ECU can send and receive.
pub const WAYWARDEN_LASAN_STREAMS: usize = 16;

/// Length of the longest public key: a compressed point of P-256.
const KEY_LENGTH: usize = 33;

/// An ECU or the security module, as the others know it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LasanParty {
    /// Its address, 1 to 127.
    pub address: u8,
    /// Its name: six bytes, of which nothing is asked.
    pub name: [u8; 6],
    /// Its public key, of `waywarden_lasan_public_key`: 32 bytes of FourQ and a zero, or 33 bytes
    /// of P-256.
    pub key: [u8; 33],
}

/// A permission to send a stream.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LasanPermission {
    /// The stream: a number of the network's, its CAN identifier for one.
    pub stream: u32,
    /// Address of the only ECU that may send it.
    pub sender: u8,
    /// Bit n of the first is address n of a receiver, of the second address 64 + n.
    pub receivers: [u64; 2],
    /// First time at which it holds, in milliseconds of the network's time.
    pub from: u64,
    /// Its end, that time excluded; UINT64_MAX for none.
    pub until: u64,
}

/// A network: the facts on which all its parties agree.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LasanOptions {
    /// All parties, the security module among them. Read during the call of `..._init` that is
    /// given the options.
    pub parties: *const LasanParty,
    /// Number of them, 2 to WAYWARDEN_ROLE_ECUS + 1.
    pub party_count: usize,
    /// The permissions; only the security module needs them. Read during the call, too.
    pub permissions: *const LasanPermission,
    /// Number of them, 0 to WAYWARDEN_LASAN_PERMISSIONS.
    pub permission_count: usize,
    /// Address of the security module.
    pub security_module: u8,
    /// WAYWARDEN_SUITE_FOURQ or WAYWARDEN_SUITE_P256.
    pub suite: u8,
    /// WAYWARDEN_FD for CAN FD frames, WAYWARDEN_EXTENDED for identifiers of 29 bits. On classic
    /// CAN a stream's key is for SecOC or another message authentication.
    pub flags: u8,
    /// Bits that all identifiers of the protocol have, where `identifier_mask` has ones; the other
    /// bits are the protocol's.
    pub identifier_base: u32,
    /// The bits that are fixed.
    pub identifier_mask: u32,
    /// The network's time, in milliseconds, at which the security module's clock is 0.
    pub time_at_zero: u64,
    /// Time from an invitation to the ECU's confirmation, in nanoseconds: twice what the slowest
    /// ECU and its frames need.
    pub authentication: u64,
    /// Time from a short message to its answer or repetition, in nanoseconds.
    pub answer: u64,
    /// Longest pause between repetitions, in nanoseconds.
    pub patience: u64,
    /// Lifetime of a stream's key, in nanoseconds: in half of it no stream may have more than
    /// 32,768 frames.
    pub stream_key: u64,
}

/// Number of parties: ECUs and security module.
const PARTIES: usize = WAYWARDEN_ROLE_ECUS + 1;
/// Room for the longest message of both suites.
pub(crate) const MESSAGE: usize = longest();
/// Room for the public keys of both.
pub(crate) const PUBLIC_KEY: usize = KEY_LENGTH;

const fn longest() -> usize {
    let of_fourq = FourQSchnorrQ::MESSAGE_MAX;
    #[cfg(feature = "p256")]
    if waywarden_lasan::EcdheEcdsa::MESSAGE_MAX > of_fourq {
        return waywarden_lasan::EcdheEcdsa::MESSAGE_MAX;
    }
    of_fourq
}

/// The network as a role knows it, in its memory. `P` is the number of permissions that it has room
/// for.
pub(crate) struct NetworkKnown<const P: usize> {
    settings: NetworkSettings,
    key_length: usize,
    parties: [LasanParty; PARTIES],
    party_count: usize,
    permissions: [Permission; P],
    permission_count: usize,
}

impl<const P: usize> PartyDirectory for NetworkKnown<P> {
    fn settings(&self) -> &NetworkSettings {
        &self.settings
    }

    fn authority(&self) -> (Name, &[u8]) {
        (Name([0; 6]), &[])
    }

    fn party(&self, index: usize) -> Option<Party<&[u8]>> {
        let party = self.parties[..self.party_count].get(index)?;
        Some(Party {
            address: Address(party.address),
            name: Name(party.name),
            key: &party.key[..self.key_length],
            credential: &[],
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

fn suite(number: u8) -> Result<Suite, Status> {
    Suite::of(number).ok_or(Status::Argument)
}

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
        credentials: Credentials::Keys,
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

/// Reads the description of a network, and returns its suite and what a role knows.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn known<const P: usize>(
    options: *const LasanOptions,
) -> Result<(Suite, NetworkKnown<P>), Status> {
    // SAFETY: by the caller.
    let options = unsafe { read(options) }?;
    let suite = suite(options.suite)?;
    let settings = settings(&options)?;
    let (parties, permissions) = (options.party_count, options.permission_count);
    if !(2..=PARTIES).contains(&parties) || permissions > WAYWARDEN_LASAN_PERMISSIONS {
        return Err(Status::Argument);
    }
    let mut known = NetworkKnown {
        settings,
        key_length: suite.sizes().public_key,
        parties: [NO_PARTY; PARTIES],
        party_count: parties,
        permissions: [NO_PERMISSION; P],
        permission_count: permissions.min(P),
    };
    let mut all = AddressSet::NONE;
    for (at, place) in known.parties[..parties].iter_mut().enumerate() {
        // SAFETY: `party_count` parties by the caller, where the pointer is not null.
        *place = unsafe { read(element(options.parties, at)) }?;
        let address = Address(place.address);
        let is_new =
            (1..=PARTIES_MAX).contains(&usize::from(place.address)) && !all.contains(address);
        let (_, behind) = place.key.split_at(known.key_length);
        if !is_new || behind.iter().any(|byte| *byte != 0) {
            return Err(Status::Argument);
        }
        all = all.with(address);
    }
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

/// Makes the identity of a party, and checks that the others know it by its own public key.
fn identity<const S: usize, const P: usize>(
    suite: Suite,
    start: &Start<S>,
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
    let mut own = [0; KEY_LENGTH];
    let profile = known.settings.profile;
    let length = waywarden_lasan::public_key(&suite, profile, role, &secret, &mut own);
    if length.map(|length| &own[..length]) != Some(party.key) {
        return Err(Status::Key);
    }
    Ok(PartyIdentity {
        address,
        ports: Ports::NONE.with(Port(0)),
        secret,
        slot: Slot(0),
    })
}

/// Fills in the options of a network: FourQ, CAN FD and identifiers of 29 bits without fixed ones,
/// no permissions, 400 ms for an authentication, 50 ms for an answer, pauses of at most 800 ms, and
/// a new key of each stream every minute. `parties` must live until `..._init` is called with the
/// options.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_options_init(
    options: *mut LasanOptions,
    security_module: u8,
    parties: *const LasanParty,
    party_count: usize,
) -> Status {
    answer(|| {
        let made = LasanOptions {
            parties,
            party_count,
            permissions: core::ptr::null(),
            permission_count: 0,
            security_module,
            suite: WAYWARDEN_SUITE_FOURQ,
            flags: WAYWARDEN_FD | WAYWARDEN_EXTENDED,
            identifier_base: 0,
            identifier_mask: 0,
            time_at_zero: 0,
            authentication: Duration::from_millis(400).as_nanos(),
            answer: Duration::from_millis(50).as_nanos(),
            patience: Duration::from_millis(800).as_nanos(),
            stream_key: Duration::from_millis(60_000).as_nanos(),
        };
        // SAFETY: by the caller.
        unsafe { write(options, made) }
    })
}

/// Writes the public key that belongs to the 32 bytes of a party's secret: 33 bytes into `key`,
/// with a zero behind the 32 of FourQ. Takes the time of a key generation.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_lasan_public_key(
    suite_number: u8,
    secret: *const u8,
    key: *mut u8,
) -> Status {
    answer(|| {
        writable(key)?;
        let suite = suite(suite_number)?;
        // SAFETY: 32 bytes by the caller.
        let mut own: [u8; 32] = unsafe { read(secret.cast()) }?;
        let signing_key = suite.signing_key(&Secret::from_bytes(own));
        own.zeroize();
        let mut bytes = [0; KEY_LENGTH];
        let length = suite.public_key(&signing_key, &mut bytes);
        length.ok_or(Status::Fault)?;
        // SAFETY: 33 bytes by the caller.
        unsafe { write(key.cast(), bytes) }
    })
}
