//! What the ECUs of a run tell of their keys, and the role that every key protocol has in them.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::Payload;
use waywarden_ecu::{Guard, Withheld};
use waywarden_ecu_keys::group::{Address, Event};
use waywarden_ecu_keys::lasan::{EcuEvent, ModuleEvent, Received, ReplaceError};
use waywarden_work::{Duration, Instant};

use super::ledger::Ledger;
use super::verdict::Verdict;

/// A key protocol's role in an ECU of a vehicle.
pub trait KeyRole: Guard {
    /// Takes the oldest news, and what it says for people.
    fn news(&mut self) -> Option<(News, String)>;

    /// Takes the oldest payload that the role found authentic, with the place of its stream in the
    /// vehicle file.
    fn accepted(&mut self) -> Option<(usize, Payload)> {
        None
    }

    /// Says what caused the messages that are handed over from now on.
    fn caused_by(&mut self, cause: Option<u64>) {
        let _ = cause;
    }

    /// Takes a message of a stream that it guards from an intruder, which is not the stream's
    /// sender but runs code in its place.
    ///
    /// # Errors
    /// [`Withheld`], also where the intruder has not got the keys.
    fn forge(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let _ = (port, frame);
        Err(Withheld::Unauthorised)
    }

    /// Makes the frames of a message of a stream that it receives, with the keys that it has; none
    /// without.
    fn impersonate(&mut self, port: Port, frame: &Frame) -> Vec<Frame> {
        let _ = (port, frame);
        Vec::new()
    }
}

impl Node for Box<dyn KeyRole> {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        (**self).handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        (**self).poll(now, room)
    }
}

impl Guard for Box<dyn KeyRole> {
    fn guards(&self, id: Id) -> bool {
        (**self).guards(id)
    }

    fn carried(&self, port: Port, frame: &Frame) -> Option<Id> {
        (**self).carried(port, frame)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        (**self).send(port, frame)
    }
}

/// A `[[keys]]` of the vehicle file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyTable {
    /// A group, by its place among the groups.
    Group(usize),
    /// A security module, by its place among those.
    Lasan(usize),
}

/// What a role of an ECU belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleTable {
    /// A `[[keys]]`.
    Keys(KeyTable),
    /// An `[[authentication]]`, by its place among those.
    Authentication(usize),
}

/// What an ECU tells of one of its key roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// The orchestrator of a group has begun an agreement of everybody.
    Begun,
    /// Something happened to the role in a group.
    Told(Event),
    /// A role in a group uses a key.
    InUse {
        /// Its epoch.
        epoch: u64,
        /// What it begins with, so that a run can compare the keys of its ECUs.
        key: u64,
    },
    /// An ECU under a security module, or that itself, has a session with an attacker.
    SharesSession {
        /// By its place among the attackers.
        attacker: usize,
    },
    /// Something happened to an ECU under a security module.
    Authorisation(EcuEvent),
    /// Something happened to a security module.
    Module(ModuleEvent),
    /// A security module was told of a new part of an ECU and could not shut out the old one.
    NotReplaced {
        /// The ECU's address.
        ecu: Address,
        /// Why.
        error: ReplaceError,
    },
    /// A protected frame was refused.
    Refused(Received),
    /// A message was checked.
    Checked(Verdict),
}

/// What the ECUs of a run tell of their keys, in the order in which they tell it: each piece goes
/// with a remark of the kind `keys` or `authorisation`, by which the measurement knows the time.
#[derive(Debug, Default)]
pub struct Tidings {
    waiting: RefCell<VecDeque<Tiding>>,
    receipts: RefCell<BTreeMap<(usize, usize), Receipts>>,
    /// The protected frames of streams as their senders sent them, by stream of the vehicle.
    sealed: Ledger,
    /// By network and ECU.
    away: RefCell<BTreeMap<(usize, usize), Away>>,
}

/// Why an ECU is not to have keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Away {
    /// It is out of the roster.
    Retired,
    /// It is back in it, and has had no key since.
    Enrolled,
}

/// What came of the protected frames of one stream at one receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipts {
    /// The sender's, each newer than the one before.
    pub authentic: u64,
    /// With a wrong tag.
    pub forged: u64,
    /// Not newer than the one before.
    pub replayed: u64,
    /// Under another key than the one that the receiver has.
    pub unknown_key: u64,
    /// While the receiver had no key of the stream at all.
    pub without_key: u64,
    /// Those of them that came after it had had one, though the security module had not taken that
    /// away: the time of one key was over before the next one had come. At the sender, instances
    /// that it could not send for the same reason.
    pub between_keys: u64,
    /// While as many as the receiver has room for waited to be opened.
    pub no_room: u64,
    /// Those under an unknown key that its sender had sent, once each and in order.
    pub unknown_genuine: u64,
    /// Those without room that its sender had sent, likewise.
    pub no_room_genuine: u64,
}

/// A piece of news and whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiding {
    /// Of which protocol.
    pub table: RoleTable,
    /// The ECU, by its place in the vehicle file.
    pub ecu: usize,
    /// What happened.
    pub news: News,
}

/// How many pieces of news wait at most: as many as there can be remarks.
const TIDINGS_MAX: usize = waywarden_can_sim::notes::NOTES_MAX;

impl Tidings {
    /// Makes a place for the key events of a run, of a vehicle whose streams have these periods.
    #[must_use]
    pub fn new(periods: impl Iterator<Item = Duration>) -> Rc<Self> {
        Rc::new(Tidings {
            sealed: Ledger::new(periods),
            ..Tidings::default()
        })
    }

    /// Adds a tiding; false if there is no room.
    pub(crate) fn push(&self, tiding: Tiding) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        let room = waiting.len() < TIDINGS_MAX;
        if room {
            waiting.push_back(tiding);
        }
        room
    }

    /// Takes the oldest tiding.
    pub(crate) fn pop(&self) -> Option<Tiding> {
        self.waiting.borrow_mut().pop_front()
    }

    /// Counts a protected frame of a stream at an ECU, both by their places in the vehicle file.
    /// `genuine` if the sender sent it and it is to be opened.
    pub(crate) fn count(&self, (stream, ecu): (usize, usize), received: &Received, genuine: bool) {
        let mut receipts = self.receipts.borrow_mut();
        let receipts = receipts.entry((stream, ecu)).or_default();
        match received {
            Received::Authentic { .. } => receipts.authentic += 1,
            Received::Forged(_) => receipts.forged += 1,
            Received::Replayed(_) => receipts.replayed += 1,
            Received::UnknownKey(_) => {
                receipts.unknown_key += 1;
                receipts.unknown_genuine += u64::from(genuine);
            }
            // What is not authentic counts as forged until it has a place of its own.
            _ => receipts.forged += 1,
        }
    }

    /// Counts a frame of a stream at an ECU that has no key of it; `between` if it had one before.
    pub(crate) fn count_without_key(
        &self,
        (stream, ecu): (usize, usize),
        sent: bool,
        between: bool,
    ) {
        let mut receipts = self.receipts.borrow_mut();
        let receipts = receipts.entry((stream, ecu)).or_default();
        receipts.without_key += u64::from(!sent);
        receipts.between_keys += u64::from(between);
    }

    /// Counts a frame of a stream for which an ECU has no room.
    pub(crate) fn count_no_room(&self, (stream, ecu): (usize, usize), genuine: bool) {
        let mut receipts = self.receipts.borrow_mut();
        let receipts = receipts.entry((stream, ecu)).or_default();
        receipts.no_room += 1;
        receipts.no_room_genuine += u64::from(genuine);
    }

    /// Returns what senders of protected frames sent, and receivers were brought of it.
    pub(crate) const fn sealed(&self) -> &Ledger {
        &self.sealed
    }

    /// Notes that an ECU was taken out of a network's roster, or back into it.
    pub(crate) fn note_roster(&self, network: usize, ecu: usize, retired: bool) {
        let away = match retired {
            true => Away::Retired,
            false => Away::Enrolled,
        };
        self.away.borrow_mut().insert((network, ecu), away);
    }

    /// Notes that an ECU has a key; true if it is the first since it was enrolled.
    pub(crate) fn note_key(&self, network: usize, ecu: usize) -> bool {
        let mut away = self.away.borrow_mut();
        let is_first = away.get(&(network, ecu)) == Some(&Away::Enrolled);
        if is_first {
            away.remove(&(network, ecu));
        }
        is_first
    }

    /// Whether an ECU was taken out of a network's roster and has had no key since.
    pub(crate) fn is_away(&self, network: usize, ecu: usize) -> bool {
        self.away.borrow().contains_key(&(network, ecu))
    }

    /// Returns what came of the protected frames of a stream at an ECU.
    #[must_use]
    pub fn receipts(&self, stream: usize, ecu: usize) -> Receipts {
        let receipts = self.receipts.borrow();
        receipts.get(&(stream, ecu)).copied().unwrap_or_default()
    }
}
