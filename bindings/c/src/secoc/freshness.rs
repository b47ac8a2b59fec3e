//! The freshness master of a car, and those who follow it.

use waywarden_can::StandardId;
use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Epoch, FreshnessFollower as Follower, FreshnessMaster as Master,
    FreshnessState as State, SecocCarrier, Synchronisation,
};
use waywarden_work::{Duration, Instant, NoMeter};

use super::{SecocProfileParameters, profile};
use crate::can::{CanFrame, WAYWARDEN_FD};
use crate::keys::{EndKey, KEY, Key};
use crate::memory::{Holder, clear, holds, lease, put, read, writable, write};
use crate::outcome::Outcome;
use crate::retention::{Keeper, Retention};
use crate::status::{Status, answer};

/// Epochs in which messages may be now. Plain values, which may be copied.
#[repr(C)]
pub struct FreshnessState {
    /// Not to be touched.
    pub opaque: [u64; 8],
}

holds!(FreshnessState, b"FreV", State);

/// Follows a freshness master: one for all streams of an ECU. 256 bytes.
#[repr(C)]
pub struct FreshnessFollower {
    /// Not to be touched.
    pub opaque: [u64; 32],
}

holds!(FreshnessFollower, b"FreF", KeptFollower);

/// Counts trips and resets, and announces them: one for each key of announcements. 256 bytes.
#[repr(C)]
pub struct FreshnessMaster {
    /// Not to be touched.
    pub opaque: [u64; 32],
}

holds!(FreshnessMaster, b"FreM", KeptMaster);

pub(crate) struct KeptFollower {
    follower: Follower,
    key: EndKey,
    keeper: Keeper,
}

pub(crate) struct KeptMaster {
    master: Master,
    key: EndKey,
    keeper: Keeper,
}

/// The announcements of a freshness master.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnnouncementOptions {
    /// Identifier of the announcements, 0 to 0x7FF.
    pub identifier: u32,
    /// WAYWARDEN_FD for CAN FD frames, or 0.
    pub flags: u8,
    /// The profile whose counters they carry.
    pub profile: u8,
    /// Bits of code in an announcement, 24 to 128; 64 in most cars.
    pub code_bits: u8,
    /// Parameters of WAYWARDEN_SECOC_OWN.
    pub own: SecocProfileParameters,
}

/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn announcements(options: *const AnnouncementOptions) -> Result<Synchronisation, Status> {
    // SAFETY: by the caller.
    let options = unsafe { read(options) }?;
    let id = u16::try_from(options.identifier).ok();
    let id = id.and_then(|id| StandardId::new(id).ok());
    let frame = AnnouncementFrame {
        carrier: match options.flags {
            0 => SecocCarrier::Classic,
            WAYWARDEN_FD => SecocCarrier::Fd,
            _ => return Err(Status::Argument),
        },
        id: id.ok_or(Status::Identifier)?,
        mac_bits: options.code_bits,
    };
    let profile = profile(options.profile, &options.own)?;
    Synchronisation::new(&profile, frame, KEY).map_err(|_| Status::Profile)
}

/// Returns the state that a pointer points to; that of streams which count for themselves for null.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
pub(crate) unsafe fn state(from: *const FreshnessState) -> Result<State, Status> {
    if from.is_null() {
        return Ok(State::UNSYNCHRONISED);
    }
    // Copied first: the caller's may be constant.
    // SAFETY: by the caller; it is its one array.
    let opaque = unsafe { read(from.cast::<[u64; 8]>()) }?;
    let mut own = FreshnessState { opaque };
    // SAFETY: it is ours.
    Ok(*unsafe { lease(&raw mut own) }?.value())
}

/// A trip and a reset as one value to be retained.
fn value(epoch: Epoch) -> u64 {
    u64::from(epoch.trip) << 32 | u64::from(epoch.reset)
}

fn epoch(value: u64) -> Epoch {
    Epoch {
        trip: (value >> 32) as u32,
        // The lower half.
        reset: value as u32,
    }
}

/// Initialises a follower. `retained` is the last value that the retention had under this key, 0 if
/// there was none: trip * 2^32 + reset. `resets_ahead` is the number of resets that are marked as
/// used in advance: with 16, one announcement in 8 is retained.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT, _IDENTIFIER, _PROFILE (freshness of the profile does not
/// come from a master, or does not fit the frame), _KEY.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_follower_init(
    follower: *mut FreshnessFollower,
    options: *const AnnouncementOptions,
    key: *const Key,
    retention: *const Retention,
    retained: u64,
    resets_ahead: u32,
) -> Status {
    answer(|| {
        let last = (retained > 0).then(|| epoch(retained));
        // SAFETY: by the caller.
        unsafe {
            let own = Follower::new(announcements(options)?, last);
            let kept = KeptFollower {
                follower: own.with_resets_ahead(resets_ahead),
                key: EndKey::new(key, Usage::Check)?,
                keeper: Keeper::new(&read(retention)?)?,
            };
            put(follower, kept)
        }
    })
}

/// Takes any frame of the bus, and writes what it was: an announcement newer than the last is
/// WAYWARDEN_OUTCOME_KIND_RESYNCHRONISED. Asks the retention for what must survive a reset; until
/// it is stored, the epoch before goes on.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER, _KEY; with _RETENTION the announcement was
/// heard, and is in use once `waywarden_freshness_follower_accept` with the next one, or
/// `..._retained`, succeeds.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_follower_accept(
    follower: *mut FreshnessFollower,
    frame: *const CanFrame,
    outcome: *mut Outcome,
) -> Status {
    answer(|| {
        writable(outcome)?;
        // SAFETY: by the caller.
        let frame = unsafe { read(frame) }?.frame()?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(follower) }?;
        let kept = lease.value();
        let heard = kept.follower.accept(&frame, &mut kept.key, &mut NoMeter)?;
        // SAFETY: by the caller.
        unsafe { write(outcome, Outcome::from(heard)) }?;
        if let Some(wanted) = kept.follower.to_retain()
            && kept.keeper.keep(value(wanted))?
        {
            kept.follower.retained(wanted);
        }
        Ok(())
    })
}

/// Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
/// it could not be stored, and is to be asked for again.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_follower_retained(
    follower: *mut FreshnessFollower,
    value: u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(follower) }?;
        let kept = lease.value();
        if let Some(value) = kept.keeper.confirmed(value)? {
            kept.follower.retained(epoch(value));
        }
        Ok(())
    })
}

/// Writes the epochs in which messages of this ECU's streams may be now, for
/// `waywarden_secoc_sender_protect` and its like. To be called again behind each announcement.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_follower_state(
    follower: *mut FreshnessFollower,
    state: *mut FreshnessState,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        unsafe { put(state, lease(follower)?.value().follower.freshness_state()) }
    })
}

/// Wipes a follower with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_follower_clear(
    follower: *mut FreshnessFollower,
) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(follower) })
}

/// Initialises a master, which begins a trip: one more than `retained`, the last value that the
/// retention had under this key; 0 if there was none. It announces every `cycle` nanoseconds, the
/// first time at once.
///
/// Refused as a follower is, and with WAYWARDEN_STATUS_EXHAUSTED at the end of the trip counter.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_master_init(
    master: *mut FreshnessMaster,
    options: *const AnnouncementOptions,
    key: *const Key,
    retention: *const Retention,
    retained: u64,
    cycle: u64,
) -> Status {
    answer(|| {
        let last = u32::try_from(retained).map_err(|_| Status::Argument)?;
        let cycle = Duration::from_nanos(cycle);
        // SAFETY: by the caller.
        unsafe {
            let own = Master::new(announcements(options)?, Some(last), cycle);
            let kept = KeptMaster {
                master: own.map_err(|_| Status::Exhausted)?,
                key: EndKey::new(key, Usage::Protect)?,
                keeper: Keeper::new(&read(retention)?)?,
            };
            put(master, kept)
        }
    })
}

/// Writes the announcement that is due at `now`, nanoseconds of this ECU's monotonic clock, and
/// true into `is_due`; false if none is due. Asks the retention for each new trip first.
///
/// Refused with WAYWARDEN_STATUS_UNRETAINED while the trip is being stored, _RETENTION, _KEY.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_master_announce(
    master: *mut FreshnessMaster,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status {
    answer(|| {
        writable(frame)?;
        writable(is_due)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(master) }?;
        let KeptMaster {
            master,
            key,
            keeper,
        } = lease.value();
        let mut due = None;
        // The second time if a new trip began.
        for _ in 0..2 {
            if let Some(trip) = master.to_retain() {
                if !keeper.keep(trip.into())? {
                    return Err(Status::Unretained);
                }
                master.retained(trip);
            }
            due = master.outgoing(Instant::from_nanos(now), key, &mut NoMeter)?;
            if due.is_some() {
                break;
            }
        }
        // SAFETY: by the caller.
        unsafe {
            if let Some(due) = &due {
                write(frame, CanFrame::from(due))?;
            }
            write(is_due, due.is_some())
        }
    })
}

/// Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
/// it could not be stored, and is to be asked for again.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_master_retained(
    master: *mut FreshnessMaster,
    value: u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(master) }?;
        let kept = lease.value();
        if let Some(value) = kept.keeper.confirmed(value)? {
            let trip = u32::try_from(value).map_err(|_| Status::Argument)?;
            kept.master.retained(trip);
        }
        Ok(())
    })
}

/// Writes the epochs in which messages of the master's own ECU may be now.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_master_state(
    master: *mut FreshnessMaster,
    state: *mut FreshnessState,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        unsafe { put(state, lease(master)?.value().master.freshness_state()) }
    })
}

/// Wipes a master with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_freshness_master_clear(master: *mut FreshnessMaster) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(master) })
}

/// A state is plain: its copies are as good as it.
const _: () = {
    const fn is_copy<T: Copy>() {}
    is_copy::<<FreshnessState as Holder>::Value>();
};
