//! vatiCAN and LeiA, hardened: a message has its whole frame, and its code follows in another.

use waywarden_can::StandardId;
use waywarden_can_auth::key_store::Usage;
use waywarden_can_auth::paired::{
    PairedConnection, PairedReceiver as Receiver, PairedSender as Sender, WireForm,
};
use waywarden_work::{Instant, NoMeter};

use crate::can::CanFrame;
use crate::keys::{EndKey, KEY, Key};
use crate::memory::{bytes, clear, holds, lease, put, read, writable, write};
use crate::outcome::Outcome;
use crate::retention::{Keeper, Retention};
use crate::status::{Status, answer};

/// The frames of vatiCAN: the code has the identifier above that of the message.
pub const WAYWARDEN_VATICAN: u8 = 0;
/// The frames of LeiA: identifiers of 29 bits that begin with that of the message.
pub const WAYWARDEN_LEIA: u8 = 1;

/// No time: nothing waits.
pub const WAYWARDEN_NEVER: u64 = u64::MAX;

/// Protects the messages of a stream, and answers receivers that ask where it stands. 512
/// bytes.
#[repr(C)]
pub struct PairedSender {
    /// Not to be touched.
    pub opaque: [u64; 64],
}

holds!(PairedSender, b"PaiS", KeptSender);

/// Checks the messages of a stream. It asks its sender where the stream stands, and takes
/// nothing before the answer. 1,024 bytes.
#[repr(C)]
pub struct PairedReceiver {
    /// Not to be touched.
    pub opaque: [u64; 128],
}

holds!(PairedReceiver, b"PaiR", KeptReceiver);

pub(crate) struct KeptSender {
    sender: Sender,
    key: EndKey,
    keeper: Keeper,
    /// The epoch, until it is stored.
    epoch: Option<u32>,
}

pub(crate) struct KeptReceiver {
    receiver: Receiver,
    key: EndKey,
}

fn standard(raw: u32) -> Result<StandardId, Status> {
    let raw = u16::try_from(raw).ok();
    let id = raw.and_then(|raw| StandardId::new(raw).ok());
    id.ok_or(Status::Identifier)
}

fn connection(identifier: u32, form: u8) -> Result<PairedConnection, Status> {
    let form = match form {
        WAYWARDEN_VATICAN => WireForm::Vatican,
        WAYWARDEN_LEIA => WireForm::Leia,
        _ => return Err(Status::Argument),
    };
    // Odd identifiers alone are refused.
    PairedConnection::new(form, standard(identifier)?, KEY).map_err(|_| Status::Identifier)
}

impl KeptSender {
    fn settle(&mut self) -> Result<(), Status> {
        if let Some(epoch) = self.epoch {
            if !self.keeper.keep(epoch.into())? {
                return Err(Status::Unretained);
            }
            self.epoch = None;
        }
        Ok(())
    }
}

/// Initialises a sender of the stream with the even identifier `identifier`, 0 to 0x7FE, in the
/// form WAYWARDEN_VATICAN or WAYWARDEN_LEIA. `retained` is the last value that the retention had
/// under this key; 0 under a key that was never used. The retention is asked once, before the first
/// message.
///
/// Refused with WAYWARDEN_STATUS_ARGUMENT, _IDENTIFIER (an odd one, too), _KEY, and _EXHAUSTED
/// behind the last epoch, 0xFFFFFFFF.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_sender_init(
    sender: *mut PairedSender,
    identifier: u32,
    form: u8,
    key: *const Key,
    retention: *const Retention,
    retained: u64,
) -> Status {
    answer(|| {
        let last = u32::try_from(retained).map_err(|_| Status::Argument)?;
        let epoch = last.checked_add(1).ok_or(Status::Exhausted)?;
        let connection = connection(identifier, form)?;
        // SAFETY: by the caller.
        unsafe {
            let kept = KeptSender {
                sender: Sender::in_epoch(connection, epoch),
                key: EndKey::new(key, Usage::Protect)?,
                keeper: Keeper::new(&read(retention)?)?,
                epoch: Some(epoch),
            };
            put(sender, kept)
        }
    })
}

/// Protects a payload of 0 to 8 bytes. Writes the frame of the message, which leaves first, and
/// that of its code.
///
/// Refused with WAYWARDEN_STATUS_LENGTH, _EXHAUSTED, _UNRETAINED, _RETENTION, _KEY.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_sender_protect(
    sender: *mut PairedSender,
    payload: *const u8,
    length: usize,
    message: *mut CanFrame,
    code: *mut CanFrame,
) -> Status {
    answer(|| {
        writable(message)?;
        writable(code)?;
        // SAFETY: by the caller.
        let payload = unsafe { bytes(payload, length) }?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(sender) }?;
        let kept = lease.value();
        kept.settle()?;
        let made = kept.sender.protect(payload, &mut kept.key, &mut NoMeter)?;
        // SAFETY: by the caller.
        unsafe {
            write(message, CanFrame::from(&made.data))?;
            write(code, CanFrame::from(&made.tag))
        }
    })
}

/// Takes any frame of the bus: a receiver's question is answered by
/// `waywarden_paired_sender_outgoing`.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_sender_receive(
    sender: *mut PairedSender,
    frame: *const CanFrame,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let frame = unsafe { read(frame) }?.frame()?;
        // SAFETY: by the caller.
        unsafe { lease(sender) }?.value().sender.receive(&frame);
        Ok(())
    })
}

/// Writes the next frame of an answer that is due at `now`, nanoseconds of this ECU's monotonic
/// clock, and true into `is_due`; false if none is due. To be called until none is, and the frames
/// to be sent before the next message is protected. Answers are 5 ms apart at least.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_sender_outgoing(
    sender: *mut PairedSender,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status {
    answer(|| {
        writable(frame)?;
        writable(is_due)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(sender) }?;
        let kept = lease.value();
        kept.settle()?;
        let now = Instant::from_nanos(now);
        let due = kept.sender.outgoing(now, &mut kept.key, &mut NoMeter)?;
        // SAFETY: by the caller.
        unsafe { write_due(due.as_ref(), frame, is_due) }
    })
}

/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn write_due(
    due: Option<&waywarden_can::Frame>,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Result<(), Status> {
    // SAFETY: by the caller.
    unsafe {
        if let Some(due) = due {
            write(frame, CanFrame::from(due))?;
        }
        write(is_due, due.is_some())
    }
}

/// Writes the time at which `waywarden_paired_sender_outgoing` has something next, in nanoseconds;
/// WAYWARDEN_NEVER if nothing waits.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_sender_deadline(
    sender: *mut PairedSender,
    deadline: *mut u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let next = unsafe { lease(sender) }?.value().sender.next_deadline();
        // SAFETY: by the caller.
        unsafe { write(deadline, next.map_or(WAYWARDEN_NEVER, Instant::as_nanos)) }
    })
}

/// Takes note that `value` is stored, which the retention answered WAYWARDEN_LATER to; with 0 that
/// it could not be stored, and is to be asked for again.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_sender_retained(
    sender: *mut PairedSender,
    value: u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(sender) }?;
        let kept = lease.value();
        let stored = kept.keeper.confirmed(value)?;
        if stored.is_some() && kept.epoch.map(u64::from) <= stored {
            kept.epoch = None;
        }
        Ok(())
    })
}

/// Wipes a sender with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_sender_clear(sender: *mut PairedSender) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(sender) })
}

/// Initialises a receiver. `ask_identifier` is that of its questions, 0 to 0x7FF, which must be
/// this ECU's alone. `seed` is 16 unpredictable bytes, fresh at each start.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_receiver_init(
    receiver: *mut PairedReceiver,
    identifier: u32,
    form: u8,
    ask_identifier: u32,
    key: *const Key,
    seed: *const u8,
) -> Status {
    answer(|| {
        let (connection, under) = (connection(identifier, form)?, standard(ask_identifier)?);
        // SAFETY: by the caller; of `seed` 16 bytes.
        unsafe {
            let seed = read(seed.cast::<[u8; 16]>())?;
            let kept = KeptReceiver {
                receiver: Receiver::new(connection, under, &seed),
                key: EndKey::new(key, Usage::Check)?,
            };
            put(receiver, kept)
        }
    })
}

/// Takes any frame of the bus, and writes what it was. `now` is this ECU's monotonic clock in
/// nanoseconds: a message waits 20 ms for its code.
///
/// Refused with WAYWARDEN_STATUS_FRAME, _IDENTIFIER, _KEY.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_receiver_accept(
    receiver: *mut PairedReceiver,
    now: u64,
    frame: *const CanFrame,
    outcome: *mut Outcome,
) -> Status {
    answer(|| {
        writable(outcome)?;
        // SAFETY: by the caller.
        let frame = unsafe { read(frame) }?.frame()?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(receiver) }?;
        let KeptReceiver { receiver, key } = lease.value();
        let now = Instant::from_nanos(now);
        let heard = receiver.accept(now, &frame, key, &mut NoMeter)?;
        // SAFETY: by the caller.
        unsafe { write(outcome, Outcome::from(heard)) }
    })
}

/// Writes the question that is due at `now`, and true into `is_due`; false if none is due.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_receiver_outgoing(
    receiver: *mut PairedReceiver,
    now: u64,
    frame: *mut CanFrame,
    is_due: *mut bool,
) -> Status {
    answer(|| {
        writable(frame)?;
        writable(is_due)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(receiver) }?;
        let due = lease.value().receiver.outgoing(Instant::from_nanos(now));
        // SAFETY: by the caller.
        unsafe { write_due(due.as_ref(), frame, is_due) }
    })
}

/// Writes the outcome of a message whose code did not come in time; WAYWARDEN_OUTCOME_KIND_NONE if
/// there is none. To be called until there is none.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_receiver_expire(
    receiver: *mut PairedReceiver,
    now: u64,
    outcome: *mut Outcome,
) -> Status {
    answer(|| {
        writable(outcome)?;
        // SAFETY: by the caller.
        let mut lease = unsafe { lease(receiver) }?;
        let expired = lease.value().receiver.expire(Instant::from_nanos(now));
        // SAFETY: by the caller.
        unsafe { write(outcome, Outcome::from(expired)) }
    })
}

/// Writes the time at which `..._outgoing` or `..._expire` has something next, in nanoseconds;
/// WAYWARDEN_NEVER if nothing waits.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_receiver_deadline(
    receiver: *mut PairedReceiver,
    deadline: *mut u64,
) -> Status {
    answer(|| {
        // SAFETY: by the caller.
        let next = unsafe { lease(receiver) }?.value().receiver.next_deadline();
        // SAFETY: by the caller.
        unsafe { write(deadline, next.map_or(WAYWARDEN_NEVER, Instant::as_nanos)) }
    })
}

/// Wipes a receiver with its key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_paired_receiver_clear(receiver: *mut PairedReceiver) -> Status {
    // SAFETY: by the caller.
    answer(|| unsafe { clear(receiver) })
}
