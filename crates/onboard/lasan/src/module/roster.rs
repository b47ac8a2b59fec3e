//! The participants: the ECUs that the directory names, and the changes of the workshop since.

use waywarden_can::node::{Boot, Retained, Slot};
use waywarden_work::{Duration, Instant};

use super::super::access::{AddressSet, StreamId};
use super::super::credential::enrolled_digest;
use super::super::event::DenialReason;
use super::super::inbox::Assembly;
use super::super::length::PROOF_LENGTH;
use super::super::name::NAME_LENGTH;
use super::super::name::Name;
use super::super::profile::Credentials;
use super::super::session::{SEALED_MAX, Session};
use super::super::settings::{PARTIES_MAX, PartyDirectory};
use super::ModuleError;
use super::delivery::Delivery;
use super::rule::Rule;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;

/// The status byte of a slot: one of the first two, and a bit if the ECU is retired. The three
/// highest bits say which marks are barred.
const CERTIFIED: u8 = 1;
const PINNED: u8 = 2;
const RETIRED: u8 = 0x10;
const BARRED_SHIFT: u8 = 5;

/// An ECU as the security module knows it.
pub(super) struct Registrant {
    pub(super) address: Address,
    pub(super) name: Name,
    /// The rule for the keys that it may have.
    rule: Rule,
    retired: bool,
    pub(super) short: Assembly<[u8; SEALED_MAX]>,
    /// It has asked for its turn.
    pub(super) wants_turn: bool,
    /// It has said with that that it has keys of streams.
    pub(super) has_keys: bool,
    /// Authentications in a row that failed, and when the next may begin.
    pub(super) strikes: u8,
    pub(super) not_before: Instant,
    pub(super) session: Option<Session>,
    /// The end of the session, because a certificate is on which it rests.
    pub(super) session_end: Instant,
    /// From its invitation until its registration had come: its clock is behind by less than that,
    /// because it began to count in between.
    pub(super) registering: Duration,
    /// The epoch in which the session began.
    pub(super) epoch: u64,
    /// Its proof, to recognize a repetition.
    pub(super) proof: Option<[u8; PROOF_LENGTH]>,
    pub(super) delivery: Option<Delivery>,
    pub(super) refusal: Option<(StreamId, DenialReason)>,
    /// Number of repetitions of a request since the last answer.
    pub(super) repeated: u8,
}

impl Registrant {
    const fn new(address: Address, name: Name, rule: Rule, now: Instant) -> Self {
        Registrant {
            address,
            name,
            rule,
            retired: false,
            short: Assembly::new([0; SEALED_MAX]),
            wants_turn: false,
            has_keys: false,
            strikes: 0,
            not_before: now,
            session: None,
            session_end: Instant::MAX,
            registering: Duration::ZERO,
            epoch: 0,
            proof: None,
            delivery: None,
            refusal: None,
            repeated: 0,
        }
    }

    /// Returns true if it may have a key.
    pub(super) fn may_have(&self, digest: &[u8; 32]) -> bool {
        self.rule.permits(digest)
    }

    /// Returns true if it has no session of this epoch.
    pub(super) const fn lacks(&self, epoch: u64) -> bool {
        self.session.is_none() || self.epoch != epoch
    }

    /// Ends its session, and whatever was to be said in it.
    pub(super) fn forget(&mut self) {
        (self.session, self.proof) = (None, None);
        self.session_end = Instant::MAX;
        (self.delivery, self.refusal) = (None, None);
        self.short.clear();
        (self.wants_turn, self.has_keys, self.repeated) = (false, false, 0);
    }
}

/// All ECUs. A retired one keeps its place, so that no slot is ever another's.
pub(super) struct Roster<'a> {
    entries: Storage<'a, Option<Registrant>>,
    /// Entries that have to be kept again: bit `i` for entry `i`.
    changed: u128,
}

impl<'a> Roster<'a> {
    pub(super) fn new<D: PartyDirectory>(
        boot: &Boot<'_>,
        slot: Slot,
        directory: &D,
        mut entries: Storage<'a, Option<Registrant>>,
    ) -> Result<Self, ModuleError> {
        entries.clear();
        if entries.len() > PARTIES_MAX {
            return Err(ModuleError::TooManyPlaces);
        }
        let mut roster = Roster {
            entries,
            changed: 0,
        };
        let settings = directory.settings();
        let parties = (0..PARTIES_MAX).map_while(|index| directory.party(index));
        for party in parties.filter(|party| party.address != settings.security_module) {
            let digest: Option<[u8; 32]> = match settings.credentials {
                Credentials::Certificates => None,
                Credentials::Digests => party.key.try_into().ok(),
                Credentials::Keys => Some(enrolled_digest(party.key)),
            };
            let rule = digest.as_ref().map_or(Rule::CERTIFIED, Rule::pinned);
            if !roster.place(party.address, party.name, rule, boot.now) {
                return Err(ModuleError::TooManyEcus);
            }
        }
        for index in 0..roster.entries.len() {
            if let Some(kept) = boot.retained(entry_slot(slot, index)) {
                roster.restore(index, kept, boot.now);
            }
        }
        roster.changed = 0;
        Ok(roster)
    }

    /// Returns the number of ECUs there is room for.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns an ECU that is not retired.
    pub(super) fn of(&self, index: usize) -> Option<&Registrant> {
        self.entries.get(index)?.as_ref().filter(|one| !one.retired)
    }

    /// Returns an ECU that is not retired.
    pub(super) fn of_mut(&mut self, index: usize) -> Option<&mut Registrant> {
        let entry = self.entries.get_mut(index)?.as_mut();
        entry.filter(|one| !one.retired)
    }

    /// Returns the place of an ECU that is not retired.
    pub(super) fn position(&self, address: Address) -> Option<usize> {
        let wanted = |one: &Registrant| one.address == address && !one.retired;
        let mut entries = self.entries.iter();
        entries.position(|entry| entry.as_ref().is_some_and(wanted))
    }

    /// Returns all that are not retired.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Registrant)> {
        (0..self.len()).filter_map(|index| Some((index, self.of(index)?)))
    }

    /// Returns the addresses of all that are not retired.
    pub(super) fn addresses(&self) -> AddressSet {
        self.iter().map(|(_, one)| one.address).collect()
    }

    /// Returns where an address has its place, retired or not.
    fn place_of(&self, address: Address) -> Option<usize> {
        let has =
            |entry: &Option<Registrant>| entry.as_ref().is_some_and(|one| one.address == address);
        self.entries.iter().position(has)
    }

    /// Returns which keys an address may have, retired or not.
    pub(super) fn rule(&self, address: Address) -> Option<Rule> {
        let entry = self.entries[self.place_of(address)?].as_ref();
        entry.map(|one| one.rule)
    }

    /// Notes the key by which an ECU has been authenticated.
    pub(super) fn note_key(&mut self, index: usize, digest: &[u8; 32]) {
        let entry = self.entries.get_mut(index).and_then(Option::as_mut);
        if entry.is_some_and(|one| one.rule.note(digest)) {
            self.changed |= 1 << index;
        }
    }

    fn place(&mut self, address: Address, name: Name, rule: Rule, now: Instant) -> bool {
        let place = self.place_of(address);
        let place = place.or_else(|| self.entries.iter().position(Option::is_none));
        let Some(place) = place else {
            return false;
        };
        self.entries[place] = Some(Registrant::new(address, name, rule, now));
        self.changed |= 1 << place;
        true
    }

    pub(super) fn enrol(&mut self, address: Address, name: Name, rule: Rule, now: Instant) -> bool {
        self.place(address, name, rule, now)
    }

    /// False if no ECU of that address takes part.
    pub(super) fn retire(&mut self, address: Address) -> bool {
        let Some(place) = self.position(address) else {
            return false;
        };
        if let Some(one) = &mut self.entries[place] {
            one.forget();
            one.retired = true;
        }
        self.changed |= 1 << place;
        true
    }

    /// Returns the next entry to be kept.
    pub(super) fn take_change(&mut self, slot: Slot) -> Option<(Slot, Retained)> {
        let index = self.changed.trailing_zeros() as usize;
        let one = self.entries.get(index)?.as_ref()?;
        self.changed &= self.changed - 1;
        let mut value = [0; 32];
        value[0] = one.address.0;
        let (bytes, barred) = one.rule.bytes();
        let status = match one.rule {
            Rule::Pinned(_) => PINNED,
            Rule::Certified { .. } => CERTIFIED | barred << BARRED_SHIFT,
        };
        value[1] = status | if one.retired { RETIRED } else { 0 };
        value[2..2 + NAME_LENGTH].copy_from_slice(&one.name.0);
        value[2 + NAME_LENGTH..].copy_from_slice(&bytes);
        Some((entry_slot(slot, index), value))
    }

    /// Moves away the ECU that has the place in which another was kept, for the directory may have
    /// been changed since. Who finds no other place is left out.
    fn make_room(&mut self, index: usize, address: Address) {
        let elsewhere = self.place_of(address);
        let free = || self.entries.iter().position(Option::is_none);
        if let Some(place) = elsewhere.or_else(free) {
            self.entries.swap(index, place);
        }
    }

    fn restore(&mut self, index: usize, kept: &Retained, now: Instant) {
        let [address, status, rest @ ..] = kept;
        let (name, bytes) = rest.split_at(NAME_LENGTH);
        let rule = match status & 0x0F {
            PINNED => Rule::Pinned(bytes.try_into().unwrap_or_default()),
            CERTIFIED => Rule::from_marks(bytes, status >> BARRED_SHIFT),
            _ => return,
        };
        let (address, name) = (Address(*address), name.try_into().unwrap_or_default());
        self.make_room(index, address);
        self.entries[index] = Some(Registrant {
            retired: status & RETIRED != 0,
            ..Registrant::new(address, Name(name), rule, now)
        });
    }
}

/// The slot of an entry: after the epoch's.
const fn entry_slot(slot: Slot, index: usize) -> Slot {
    Slot(slot.0.wrapping_add(1 + index as u8))
}
