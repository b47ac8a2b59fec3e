//! Group keys: ECUs agree on one key by Diffie-Hellman in a tree, ordered by an orchestrator.

mod event;
pub mod member;
pub mod orchestrator;
mod suite;

use waywarden_can::node::{Port, Ports, Slot};
use waywarden_group_keys::{
    Address, FixedBits, GroupConfiguration, GroupFrameReader, GroupPlan, GroupProfile,
    GroupSettings, GroupTiming, IdentifierPlan, MemberIdentity, MergeOrder, OddLevel,
    Orchestration, PlannedEcu, Scheme, Transport,
};
use waywarden_key_suites::{PublicKey, Secret};
use waywarden_work::Duration;
use zeroize::Zeroize;

use crate::can::{WAYWARDEN_EXTENDED, WAYWARDEN_FD};
use crate::memory::{read, writable, write};
use crate::role::curve::Curve;
use crate::role::{Start, WAYWARDEN_ROLE_ECUS, element};
use crate::status::{Status, answer};

pub use event::{GroupEvent, GroupEventKind, GroupFailure};

/// A tree with the orchestrator in each logical ECU: it first agrees with each ECU.
pub const WAYWARDEN_GROUP_TREE: u8 = 0;
/// A tree in which the orchestrator is a member like the others.
pub const WAYWARDEN_GROUP_TREE_OF_MEMBERS: u8 = 1;
/// The orchestrator agrees with each ECU, and distributes a secret.
pub const WAYWARDEN_GROUP_DISTRIBUTION: u8 = 2;

/// An ECU of a group, as the others know it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupParty {
    /// Its address, 1 to 255.
    pub address: u8,
    /// Of the members of a logical ECU, the one with the lowest rank acts for it: the cheapest
    /// first.
    pub rank: u8,
    /// Its public key, of `waywarden_group_public_key`: 32 bytes of FourQ and 32 zeros, or 64 bytes
    /// of P-256.
    pub key: [u8; 64],
}

/// A group: the facts on which all its ECUs agree.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GroupOptions {
    /// The members. Read during the call of `..._init` that is given the options.
    pub members: *const GroupParty,
    /// Number of them, 1 to WAYWARDEN_ROLE_ECUS.
    pub member_count: usize,
    /// The orchestrator; its rank is not looked at.
    pub orchestrator: GroupParty,
    /// WAYWARDEN_SUITE_FOURQ or WAYWARDEN_SUITE_P256.
    pub suite: u8,
    /// WAYWARDEN_GROUP_TREE, _TREE_OF_MEMBERS or _DISTRIBUTION.
    pub scheme: u8,
    /// WAYWARDEN_FD for CAN FD frames, WAYWARDEN_EXTENDED for identifiers of 29 bits.
    pub flags: u8,
    /// Bits that all identifiers of the group have, where `identifier_mask` has ones; the other
    /// bits are the protocol's.
    pub identifier_base: u32,
    /// The bits that are fixed.
    pub identifier_mask: u32,
    /// Time from an order to the last confirmation, in nanoseconds: twice what the slowest two ECUs
    /// need.
    pub exchange: u64,
    /// Time from the proof of a key to the last acknowledgement, in nanoseconds.
    pub answer: u64,
    /// Time between two repetitions of the proof, in nanoseconds; 0 for none.
    pub beacon: u64,
}

/// Number of parties: members and orchestrator.
const PARTIES: usize = WAYWARDEN_ROLE_ECUS + 1;
/// Logical ECUs of the largest tree, and one more.
pub(crate) const LOGICAL: usize = 2 * WAYWARDEN_ROLE_ECUS + 1;

/// Settings and public keys, in the memory of a role. Places without a party have address 0, which
/// no party has.
pub(crate) type GroupKnown = GroupConfiguration<[(Address, PublicKey); PARTIES]>;

fn suite(number: u8) -> Result<Curve, Status> {
    Curve::of(number).ok_or(Status::Argument)
}

fn public_key(suite: Curve, bytes: &[u8; 64]) -> Result<PublicKey, Status> {
    let length = suite.key_length();
    match bytes[length..].iter().all(|byte| *byte == 0) {
        true => PublicKey::from_slice(&bytes[..length]).map_err(|_| Status::Argument),
        false => Err(Status::Argument),
    }
}

fn identifiers(options: &GroupOptions) -> Result<IdentifierPlan, Status> {
    let fixed = FixedBits {
        base: options.identifier_base,
        mask: options.identifier_mask,
    };
    let plan = match options.flags & WAYWARDEN_EXTENDED {
        0 => IdentifierPlan::standard(fixed),
        _ => IdentifierPlan::extended(fixed),
    };
    plan.map_err(|_| Status::Identifier)
}

/// Reads the description of a group, and returns its suite and what a role knows.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn known(options: *const GroupOptions) -> Result<(Curve, GroupKnown), Status> {
    // SAFETY: by the caller.
    let options = unsafe { read(options) }?;
    let suite = suite(options.suite)?;
    let count = options.member_count;
    let flags = options.flags;
    if count == 0
        || count > WAYWARDEN_ROLE_ECUS
        || flags & !(WAYWARDEN_FD | WAYWARDEN_EXTENDED) != 0
    {
        return Err(Status::Argument);
    }
    let orchestrator = Address(options.orchestrator.address);
    let first = (orchestrator, public_key(suite, &options.orchestrator.key)?);
    let mut keys = [(Address::NONE, first.1); PARTIES];
    keys[0] = first;
    let mut places = [PlannedEcu {
        address: Address::NONE,
        rank: 0,
    }; WAYWARDEN_ROLE_ECUS];
    for at in 0..count {
        // SAFETY: `member_count` members by the caller, where the pointer is not null.
        let party = unsafe { read(element(options.members, at)) }?;
        let address = Address(party.address);
        keys[at + 1] = (address, public_key(suite, &party.key)?);
        places[at] = PlannedEcu {
            address,
            rank: party.rank,
        };
    }
    let scheme = match options.scheme {
        WAYWARDEN_GROUP_TREE => Scheme::TreeWithOrchestrator,
        WAYWARDEN_GROUP_TREE_OF_MEMBERS => Scheme::TreeWithoutOrchestrator,
        WAYWARDEN_GROUP_DISTRIBUTION => Scheme::SymmetricDistribution,
        _ => return Err(Status::Argument),
    };
    let plan = GroupPlan::new(scheme, OddLevel::Skipped, orchestrator, &places[..count]);
    let transport = match flags & WAYWARDEN_FD {
        0 => Transport::Classic,
        _ => Transport::Fd,
    };
    let identifiers = identifiers(&options)?;
    let plan = plan.map_err(|_| Status::Argument)?;
    let reader = GroupFrameReader::new(plan, transport, identifiers);
    let (needed, left) = reader.bits();
    if needed > left {
        return Err(Status::Identifier);
    }
    let settings = GroupSettings {
        plan: reader.into_plan(),
        profile: GroupProfile::Hardened,
        transport,
        identifiers,
        merge_order: MergeOrder::AsReady,
        orchestration: Orchestration::Each,
        timing: GroupTiming {
            exchange: Duration::from_nanos(options.exchange),
            answer: Duration::from_nanos(options.answer),
            beacon: Duration::from_nanos(options.beacon),
        },
    };
    Ok((suite, GroupConfiguration { settings, keys }))
}

/// Makes the identity of an ECU, and checks that the others know it by its own public key.
fn identity<const S: usize>(
    suite: Curve,
    start: &Start<S>,
    known: &GroupKnown,
) -> Result<MemberIdentity<Curve>, Status> {
    use waywarden_group_keys::{GroupDirectory, GroupSuite};
    let address = Address(start.address);
    let signing_key = suite.signing_key(&Secret::from_bytes(start.secret));
    if known.public_key(address) != Some(&suite.public_key(&signing_key)) {
        return Err(Status::Key);
    }
    Ok(MemberIdentity {
        address,
        ports: Ports::NONE.with(Port(0)),
        suite,
        signing_key,
        slot: Slot(0),
    })
}

/// Writes a key with its epoch.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn write_key(
    found: Option<(u64, &Secret)>,
    epoch: *mut u64,
    key: *mut u8,
) -> Result<(), Status> {
    let (of, secret) = found.ok_or(Status::NoKey)?;
    // SAFETY: by the caller; of the key 32 bytes.
    unsafe {
        write(epoch, of)?;
        write(key.cast::<[u8; 32]>(), *secret.as_bytes())
    }
}

/// Fills in the options of a group: FourQ, a tree with the orchestrator in each logical ECU, CAN FD
/// and identifiers of 29 bits without fixed ones, 500 ms for an exchange, 100 ms for an answer, a
/// proof each second. `members` must live until `..._init` is called with the options.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_options_init(
    options: *mut GroupOptions,
    orchestrator: *const GroupParty,
    members: *const GroupParty,
    member_count: usize,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        unsafe {
            let made = GroupOptions {
                members,
                member_count,
                orchestrator: read(orchestrator)?,
                suite: crate::role::WAYWARDEN_SUITE_FOURQ,
                scheme: WAYWARDEN_GROUP_TREE,
                flags: WAYWARDEN_FD | WAYWARDEN_EXTENDED,
                identifier_base: 0,
                identifier_mask: 0,
                exchange: Duration::from_millis(500).as_nanos(),
                answer: Duration::from_millis(100).as_nanos(),
                beacon: Duration::from_millis(1_000).as_nanos(),
            };
            write(options, made)
        }
    })
}

/// Writes the public key that belongs to the 32 bytes of an ECU's secret: 64 bytes into `key`, with
/// zeros behind the 32 of FourQ. Takes the time of a key generation.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a suite that is not in this library.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_public_key(
    suite_number: u8,
    secret: *const u8,
    key: *mut u8,
) -> Status {
    use waywarden_group_keys::GroupSuite;
    answer(|| {
        writable(key)?;
        let suite = suite(suite_number)?;
        // SAFETY: 32 bytes by the caller.
        let mut own: [u8; 32] = unsafe { read(secret.cast()) }?;
        let signing_key = suite.signing_key(&Secret::from_bytes(own));
        own.zeroize();
        let public = suite.public_key(&signing_key);
        let mut bytes = [0; 64];
        bytes[..public.as_ref().len()].copy_from_slice(public.as_ref());
        // SAFETY: 64 bytes by the caller.
        unsafe { write(key.cast(), bytes) }
    })
}
