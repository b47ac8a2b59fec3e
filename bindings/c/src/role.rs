//! Roles of key protocols, driven by their caller: frames and time go in, frames come out.

pub(crate) mod curve;
mod driven;

use core::ffi::c_void;

use waywarden_can::node::{Boot, Input, Node, Retained, Slot};
use waywarden_key_suites::symmetric::hkdf_sha256;
use waywarden_work::{Instant, NoMeter};
use zeroize::Zeroize;

use crate::can::CanFrame;
use crate::memory::{Holder, lease, read, writable, write};
use crate::status::{Status, answer};

pub(crate) use driven::Driven;
use driven::PORT;

/// FourQ: keys of 32 bytes, the fastest on every board.
pub const WAYWARDEN_SUITE_FOURQ: u8 = 0;
/// NIST P-256.
pub const WAYWARDEN_SUITE_P256: u8 = 1;

/// Number of ECUs that a role has room for, the orchestrator or the security module not counted.
pub const WAYWARDEN_ROLE_ECUS: usize = 16;

/// Keeps 32 bytes over resets, in a slot of their own. Called from inside a function, in its
/// thread, with the `context` of the retention; it may not call functions on the same object, which
/// answer WAYWARDEN_STATUS_BUSY.
///
/// Returns WAYWARDEN_STORED, WAYWARDEN_LATER, or another number for a failure: then the function
/// returns WAYWARDEN_STATUS_RETENTION, no frame leaves, and the value is asked for again by the
/// next call.
pub type RetainSlotFunction =
    Option<unsafe extern "C" fn(context: *mut c_void, slot: u8, value: *const u8) -> i32>;

/// The call-back that keeps what a role must have after a reset. The values are no secrets, but
/// must not be changed by others.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SlotRetention {
    /// The function.
    pub retain: RetainSlotFunction,
    /// Handed to the function as it is. Must live as long as the object.
    pub context: *mut c_void,
}

/// A value that the retention has from an earlier run.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RetainedSlot {
    /// Its slot.
    pub slot: u8,
    /// The value.
    pub value: [u8; 32],
}

/// The start of a role: what it gets besides the description of its network.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RoleStart {
    /// Address of this ECU.
    pub address: u8,
    /// 32 bytes from a good random source that only this ECU knows, the same at each start: its
    /// signing key comes of them. Read during the call.
    pub secret: *const u8,
    /// 32 unpredictable bytes, fresh at each start. Read during the call.
    pub seed: *const u8,
    /// The values of the retention, in any order; null where `retained_count` is 0, at the first
    /// start. Read during the call.
    pub retained: *const RetainedSlot,
    /// Number of values.
    pub retained_count: usize,
    /// Keeps values over resets.
    pub retention: SlotRetention,
    /// Time of the start, in nanoseconds of this ECU's monotonic clock.
    pub now: u64,
}

/// The start of a role, read from the caller's memory.
pub(crate) struct Start<const SLOTS: usize> {
    pub(crate) address: u8,
    pub(crate) secret: [u8; 32],
    seed: [u8; 32],
    retained: [(Slot, Retained); SLOTS],
    count: usize,
    retention: SlotRetention,
    now: Instant,
}

impl<const SLOTS: usize> Start<SLOTS> {
    /// Reads it.
    ///
    /// # Safety
    /// See [the rules on pointers](crate#pointers).
    pub(crate) unsafe fn new(start: *const RoleStart) -> Result<Self, Status> {
        // SAFETY: by the caller.
        let start = unsafe { read(start) }?;
        if start.retained_count > SLOTS {
            return Err(Status::Argument);
        }
        if start.retention.retain.is_none() {
            return Err(Status::NullPointer);
        }
        let mut retained = [(Slot(0), [0; 32]); SLOTS];
        for (at, place) in retained.iter_mut().take(start.retained_count).enumerate() {
            // SAFETY: `retained_count` values by the caller, where the pointer is not null.
            let value = unsafe { read(element(start.retained, at)) }?;
            *place = (Slot(value.slot), value.value);
        }
        // SAFETY: 32 bytes each by the caller.
        let (secret, seed) = unsafe { (read(start.secret.cast())?, read(start.seed.cast())?) };
        Ok(Start {
            address: start.address,
            secret,
            seed,
            retained,
            count: start.retained_count,
            retention: start.retention,
            now: Instant::from_nanos(start.now),
        })
    }

    /// Returns what the role boots from.
    pub(crate) fn boot(&self) -> Boot<'_> {
        Boot {
            now: self.now,
            seed: self.seed,
            retained: &self.retained[..self.count],
        }
    }

    /// Makes the driver of a role that was made of this.
    pub(crate) fn drive<N>(&self, node: N) -> Result<Driven<N, SLOTS>, Status> {
        let retain = self.retention.retain.ok_or(Status::NullPointer)?;
        Ok(Driven::new(
            node,
            (retain, self.retention.context),
            self.now,
        ))
    }
}

impl<const SLOTS: usize> Drop for Start<SLOTS> {
    fn drop(&mut self) {
        self.secret.zeroize();
        self.seed.zeroize();
    }
}

/// Returns the place of element `at`; null of a null pointer, which [`read`] refuses.
pub(crate) fn element<T>(first: *const T, at: usize) -> *const T {
    match first.is_null() {
        true => first,
        false => first.wrapping_add(at),
    }
}

/// Gives a role a frame of the bus.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn receive<H, N, const S: usize>(
    role: *mut H,
    now: u64,
    frame: *const CanFrame,
) -> Status
where
    H: Holder<Value = Driven<N, S>>,
    N: Node,
{
    answer(|| {
        // SAFETY: by the caller.
        let frame = unsafe { read(frame) }?.frame()?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(role) }?;
        let driven = lease.value();
        driven.tick(now);
        driven.take(Input::Frame {
            port: PORT,
            frame: &frame,
        })
    })
}

/// Writes the next frame of a role.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn outgoing<H, N, const S: usize>(
    role: *mut H,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status
where
    H: Holder<Value = Driven<N, S>>,
    N: Node,
{
    answer(|| {
        writable(frame)?;
        writable(is_due)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(role) }?;
        let driven = lease.value();
        driven.tick(now);
        let next = driven.outgoing()?;
        // SAFETY: by the caller.
        unsafe {
            if let Some(next) = &next {
                write(frame, CanFrame::from(next))?;
            }
            write(is_due, next.is_some())
        }
    })
}

/// Tells a role what became of its last frame.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn sent<H, N, const S: usize>(role: *mut H, now: u64, is_sent: bool) -> Status
where
    H: Holder<Value = Driven<N, S>>,
    N: Node,
{
    answer(|| {
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(role) }?;
        let driven = lease.value();
        driven.tick(now);
        driven.sent(is_sent)
    })
}

/// Writes the time of a role's next turn.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn deadline<H, N, const S: usize>(role: *mut H, deadline: *mut u64) -> Status
where
    H: Holder<Value = Driven<N, S>>,
    N: Node,
{
    answer(|| {
        // SAFETY: by the caller.
        let next = unsafe { lease(role) }?.value().deadline();
        // SAFETY: by the caller.
        unsafe { write(deadline, next) }
    })
}

/// Tells a role that the value of a slot is stored, or is not.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn retained<H, N, const S: usize>(
    role: *mut H,
    slot: u8,
    is_stored: bool,
) -> Status
where
    H: Holder<Value = Driven<N, S>>,
    N: Node,
{
    // SAFETY: by the caller.
    answer(|| unsafe { lease(role) }?.value().kept(slot, is_stored))
}

/// Gives an order to a role.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn order<H, N, const S: usize>(
    role: *mut H,
    give: impl FnOnce(&mut N) -> Result<(), Status>,
) -> Status
where
    H: Holder<Value = Driven<N, S>>,
    N: Node,
{
    answer(|| {
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(role) }?;
        let driven = lease.value();
        give(&mut driven.node)?;
        driven.ordered();
        Ok(())
    })
}

/// Writes what a role answers.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn ask<H, N, T: Copy, const S: usize>(
    role: *mut H,
    to: *mut T,
    answers: impl FnOnce(&mut N) -> T,
) -> Status
where
    H: Holder<Value = Driven<N, S>>,
{
    answer(|| {
        writable(to)?;
        // SAFETY: by the caller.
        let made = answers(&mut unsafe { lease(role) }?.value().node);
        // SAFETY: by the caller.
        unsafe { write(to, made) }
    })
}

/// Derives the key of one stream from the 32 bytes of a group key or of a stream key of LASAN: 16
/// bytes into `key`, for a SecOC end. `authentication` is a number of the network's for its message
/// authentication, `stream` the identifier of the stream. HKDF-SHA-256 with the salt `waywarden
/// stream key` over both as 8 bytes, the highest first: as ECUs of a simulation derive theirs.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_derive_key(
    from: *const u8,
    authentication: u64,
    stream: u64,
    key: *mut u8,
) -> Status {
    answer(|| {
        writable(key)?;
        // SAFETY: 32 bytes by the caller.
        let mut secret: [u8; 32] = unsafe { read(from.cast()) }?;
        let mut derived = [0; 16];
        let info = [authentication, stream].map(u64::to_be_bytes);
        let info = [&info[0][..], &info[1][..]];
        let salt = b"waywarden stream key";
        hkdf_sha256(&mut NoMeter, salt, &secret, &info, &mut derived);
        secret.zeroize();
        // SAFETY: 16 bytes by the caller.
        unsafe { write(key.cast(), derived) }?;
        derived.zeroize();
        Ok(())
    })
}

#[cfg(all(test, feature = "group-keys", feature = "lasan"))]
mod tests {
    use crate::group::{member::GroupMember, orchestrator::GroupOrchestrator};
    use crate::lasan::object::{LasanEcu, LasanModule};
    #[cfg(feature = "post-quantum")]
    use crate::lasan::object::{LasanQuantumEcu, LasanQuantumModule};
    use crate::memory::Housing;

    fn waste<H: Housing>(name: &str) -> usize {
        let (size, needed) = (size_of::<H>(), H::HOUSES);
        std::println!("{name}: {needed} of {size} bytes");
        size - needed
    }

    /// On 64 bits; on 32 they need less.
    #[test]
    fn objects_are_little_larger_than_what_is_in_them() {
        let wasted = [
            waste::<GroupMember>("member"),
            waste::<GroupOrchestrator>("orchestrator"),
            waste::<LasanEcu>("ECU"),
            waste::<LasanModule>("security module"),
            #[cfg(feature = "post-quantum")]
            waste::<LasanQuantumEcu>("ECU of a post-quantum suite"),
            #[cfg(feature = "post-quantum")]
            waste::<LasanQuantumModule>("security module of a post-quantum suite"),
        ];
        assert!(wasted.iter().all(|waste| *waste < 1_024), "{wasted:?}");
    }
}
