//! A member of a group.

use waywarden_group_keys::{Address, GroupDirectory, Member, MemberArrays};

use super::{GroupEvent, GroupKnown, GroupOptions, identity, known, write_key};
use crate::can::CanFrame;
use crate::memory::{clear, house, houses, lease, writable};
use crate::role::curve::Curve;
use crate::role::{self, Driven, RoleStart, Start, WAYWARDEN_ROLE_ECUS};
use crate::status::{Status, answer};

/// Number of values that a member retains.
const SLOTS: usize = 1;

/// A member of a group: agrees on the group key with the others. 7,680 bytes. It may not be moved
/// once it is initialised.
#[repr(C)]
pub struct GroupMember {
    /// Not to be touched.
    pub opaque: [u64; 960],
}

houses!(GroupMember, b"GrpM", Driven<MemberNode, SLOTS>, Memory);

type MemberNode = Member<'static, Curve, &'static GroupKnown>;

pub(crate) struct Memory {
    known: GroupKnown,
    arrays: MemberArrays<Curve, WAYWARDEN_ROLE_ECUS>,
}

/// Initialises a member. It retains one value, in slot 0.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT (also an address that is there twice, or is that of no
/// member), _IDENTIFIER (the bits that are not fixed do not suffice), _KEY (the public key of this
/// address is not that of the secret).
///
/// Time: one key generation. Needs about three times as much stack as the object has bytes.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_init(
    member: *mut GroupMember,
    options: *const GroupOptions,
    start: *const RoleStart,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let ((suite, known), start) = unsafe { (known(options)?, Start::<SLOTS>::new(start)?) };
        let own = Address(start.address);
        if !known.settings().plan.ecus().any(|ecu| ecu == own) {
            return Err(Status::Argument);
        }
        let identity = identity(suite, &start, &known)?;
        let arrays = MemberArrays::new();
        // SAFETY: by the caller.
        unsafe {
            house(member, Memory { known, arrays }, |memory| {
                let storage = memory.arrays.storage();
                start.drive(Member::new(&start.boot(), identity, &memory.known, storage))
            })
        }
    })
}

/// Gives a member a frame of the bus, of any kind; frames of others are ignored. Most frames take
/// microseconds; one that ends a step of the protocol takes the time of that, and up to 16 KiB of
/// stack: at most an agreement, two signatures and four verifications.
/// `now` is this ECU's monotonic clock, in nanoseconds; a time before the last one counts as the
/// last one.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER; with _RETENTION the frame was taken, and
/// nothing leaves until the value is stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_receive(
    member: *mut GroupMember,
    now: u64,
    frame: *const CanFrame,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::receive(member, now, frame) }
}

/// Writes the next frame to send, and true into `is_due`; false if none is due. To be called after
/// each other call, at the deadline, and again after `..._sent`. There is no next frame before
/// `..._sent` has said what became of the last one.
///
/// Refused with WAYWARDEN_STATUS_RETENTION: no frame leaves.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_outgoing(
    member: *mut GroupMember,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::outgoing(member, now, frame, is_due) }
}

/// Says what became of the last frame of `..._outgoing`: true once it was acknowledged on the bus,
/// false if it was taken back.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT if there is no such frame.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_sent(
    member: *mut GroupMember,
    now: u64,
    is_sent: bool,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::sent(member, now, is_sent) }
}

/// Writes the time at which `..._outgoing` has to be called next, in nanoseconds;
/// WAYWARDEN_NEVER if nothing waits. Later is allowed.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_deadline(
    member: *mut GroupMember,
    deadline: *mut u64,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::deadline(member, deadline) }
}

/// Takes note that the value of a slot is stored, which the retention answered WAYWARDEN_LATER to;
/// with false that it could not be stored, and is to be asked for again.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT for a slot of which nothing is being stored.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_retained(
    member: *mut GroupMember,
    slot: u8,
    is_stored: bool,
) -> Status {
    // SAFETY: by the caller.
    unsafe { role::retained(member, slot, is_stored) }
}

/// Writes the oldest event and forgets it; WAYWARDEN_GROUP_EVENT_KIND_NONE if there is none.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_event(
    member: *mut GroupMember,
    event: *mut GroupEvent,
) -> Status {
    let next = |role: &mut MemberNode| GroupEvent::from(role.event());
    // SAFETY: by the caller.
    unsafe { role::ask(member, event, next) }
}

/// Writes the group key, 32 bytes into `key`, and its epoch, once it is confirmed.
/// `waywarden_derive_key` makes the key of a SecOC end of it.
///
/// Refused with WAYWARDEN_STATUS_NO_KEY.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_key(
    member: *mut GroupMember,
    epoch: *mut u64,
    key: *mut u8,
) -> Status {
    answer(|| {
        writable(epoch)?;
        writable(key)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(member) }?;
        // SAFETY: by the caller.
        unsafe { write_key(lease.value().node.group_key(), epoch, key) }
    })
}

/// Wipes a member with its keys.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_group_member_clear(member: *mut GroupMember) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(member) })
}
