//! The driver of a role: polls it, and has its values kept.

use core::ffi::c_void;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Retained, Slot, Ticket, Token};
use waywarden_work::Instant;

use crate::retention::{WAYWARDEN_LATER, WAYWARDEN_STORED};
use crate::status::Status;

/// The call-back that keeps values.
type Retain = unsafe extern "C" fn(context: *mut c_void, slot: u8, value: *const u8) -> i32;

/// The only port of a role.
pub(super) const PORT: Port = Port(0);
/// Number of computations that a role may ask for before it is idle: as many as `waywarden-can`
/// allows.
const TICKETS: usize = 16;
/// Number of outputs that one input may cause.
const OUTPUTS: usize = 1 << 16;

/// State of a slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeping {
    /// Nothing is to be kept.
    Nothing,
    /// The value is to be asked for.
    Wanted,
    /// It is being stored.
    Asked,
    /// An earlier one is being stored, and this one is to be asked for then.
    Replaced,
}

#[derive(Clone, Copy)]
struct SlotPlace {
    keeping: Keeping,
    value: Retained,
}

/// A role and its driver. `SLOTS` is the number of slots that it retains.
pub(crate) struct Driven<N, const SLOTS: usize> {
    pub(crate) node: N,
    retain: Retain,
    context: *mut c_void,
    slots: [SlotPlace; SLOTS],
    /// The frame that the caller has.
    sending: Option<Token>,
    /// A frame that the caller does not have yet.
    ready: Option<(Token, Frame)>,
    due: Option<Instant>,
    now: Instant,
}

impl<N, const SLOTS: usize> Driven<N, SLOTS> {
    /// Takes a role that was made at `now`, and the call-back that keeps its values.
    pub(super) fn new(node: N, (retain, context): (Retain, *mut c_void), now: Instant) -> Self {
        let nothing = SlotPlace {
            keeping: Keeping::Nothing,
            value: [0; 32],
        };
        Driven {
            node,
            retain,
            context,
            slots: [nothing; SLOTS],
            sending: None,
            ready: None,
            due: Some(now),
            now,
        }
    }
}

impl<N: Node, const SLOTS: usize> Driven<N, SLOTS> {
    /// Sets the time, which never goes back.
    pub(super) fn tick(&mut self, now: u64) -> Instant {
        self.now = self.now.max(Instant::from_nanos(now));
        self.now
    }

    /// Has the role polled by the next call: it was given an order.
    pub(crate) fn ordered(&mut self) {
        self.due = Some(self.now);
    }

    pub(super) fn take(&mut self, input: Input<'_>) -> Result<(), Status> {
        self.node.handle(self.now, input);
        self.settle()
    }

    /// Polls until the role is idle. Its computations have taken their time by then, so they are
    /// answered at once, but after it is idle: answers are inputs, too.
    fn settle(&mut self) -> Result<(), Status> {
        let mut done: [Option<Ticket>; TICKETS] = [None; TICKETS];
        for _ in 0..OUTPUTS {
            let has_room = self.sending.is_none() && self.ready.is_none();
            let room = match has_room {
                true => Ports::NONE.with(PORT),
                false => Ports::NONE,
            };
            match self.node.poll(self.now, room) {
                Output::Transmit { token, frame, .. } => self.ready = Some((token, frame)),
                Output::Work { ticket, .. } => {
                    let place = done.iter_mut().find(|place| place.is_none());
                    *place.ok_or(Status::Fault)? = Some(ticket);
                }
                Output::Retain { slot, value } => self.want(slot, value)?,
                // No role takes a frame back; one that is on its way is sent all the same.
                Output::Withdraw { .. } => {}
                Output::Idle(due) => {
                    self.due = due;
                    let first = done.iter_mut().find_map(Option::take);
                    match first {
                        Some(ticket) => self.node.handle(self.now, Input::Done(ticket)),
                        None => match self.keep()? {
                            Some(slot) => self.node.handle(self.now, Input::Retained(slot)),
                            None => return Ok(()),
                        },
                    }
                }
                _ => {}
            }
        }
        Err(Status::Fault)
    }

    fn want(&mut self, slot: Slot, value: Retained) -> Result<(), Status> {
        let place = self.slots.get_mut(usize::from(slot.0));
        let place = place.ok_or(Status::Fault)?;
        place.value = value;
        place.keeping = match place.keeping {
            Keeping::Nothing | Keeping::Wanted => Keeping::Wanted,
            Keeping::Asked | Keeping::Replaced => Keeping::Replaced,
        };
        Ok(())
    }

    /// Has the next wanted value kept. Returns its slot if it is stored; none if nothing is wanted.
    fn keep(&mut self) -> Result<Option<Slot>, Status> {
        for (at, place) in self.slots.iter_mut().enumerate() {
            if place.keeping != Keeping::Wanted {
                continue;
            }
            // Roles have fewer slots than a byte has numbers.
            let slot = at as u8;
            // SAFETY: a function of this type, with its own context, by the rules on pointers.
            match unsafe { (self.retain)(self.context, slot, place.value.as_ptr()) } {
                WAYWARDEN_STORED => {
                    place.keeping = Keeping::Nothing;
                    return Ok(Some(Slot(slot)));
                }
                WAYWARDEN_LATER => place.keeping = Keeping::Asked,
                _ => return Err(Status::Retention),
            }
        }
        Ok(None)
    }

    /// Takes note that the value of a slot is stored, or that it is not and has to be asked for
    /// again.
    pub(super) fn kept(&mut self, slot: u8, is_stored: bool) -> Result<(), Status> {
        let place = self.slots.get_mut(usize::from(slot));
        let place = place.ok_or(Status::Argument)?;
        match (place.keeping, is_stored) {
            (Keeping::Asked, true) => {
                place.keeping = Keeping::Nothing;
                self.take(Input::Retained(Slot(slot)))
            }
            (Keeping::Asked, false) | (Keeping::Replaced, _) => {
                place.keeping = Keeping::Wanted;
                self.settle()
            }
            (Keeping::Nothing | Keeping::Wanted, _) => Err(Status::Argument),
        }
    }

    pub(super) fn outgoing(&mut self) -> Result<Option<Frame>, Status> {
        match self.due.is_some_and(|due| due <= self.now) {
            true => self.take(Input::Timeout)?,
            false => self.settle()?,
        }
        let Some((token, frame)) = self.ready.take() else {
            return Ok(None);
        };
        self.sending = Some(token);
        Ok(Some(frame))
    }

    pub(super) fn sent(&mut self, is_sent: bool) -> Result<(), Status> {
        let token = self.sending.take().ok_or(Status::Argument)?;
        self.take(match is_sent {
            true => Input::Sent { port: PORT, token },
            false => Input::Withdrawn { port: PORT, token },
        })
    }

    pub(super) fn deadline(&self) -> u64 {
        let waits = self.ready.is_some() && self.sending.is_none();
        let wanted = |place: &SlotPlace| place.keeping == Keeping::Wanted;
        match waits || self.slots.iter().any(wanted) {
            true => self.now.as_nanos(),
            false => self.due.map_or(u64::MAX, Instant::as_nanos),
        }
    }
}
