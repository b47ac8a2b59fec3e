//! Identifiers that nothing in a vehicle has yet: for announcements and cryptographic PDUs.

use std::collections::HashSet;

use waywarden_can::{ExtendedId, Id, StandardId};
use waywarden_can_auth::secoc::PRODUCTION_ID;
use waywarden_vehicle_file::VehicleFile;

/// Identifiers of a vehicle that are in use.
pub(super) struct Identifiers {
    taken: HashSet<Id>,
}

impl Identifiers {
    pub(super) fn of(file: &VehicleFile) -> Self {
        let streams = file.streams.iter().map(|stream| stream.id.value);
        Identifiers {
            taken: streams.collect(),
        }
    }

    /// Takes one for announcements: the usual one, else the first above it that is free.
    pub(super) fn announcement(&mut self) -> u16 {
        let free = (PRODUCTION_ID..=StandardId::MAX).find(|id| {
            let id = StandardId::new(*id).map(Id::Standard);
            id.is_ok_and(|id| self.taken.insert(id))
        });
        free.unwrap_or(PRODUCTION_ID)
    }

    /// Takes one for the cryptographic PDU of a message: the first free one above that of the
    /// message, so that it is as urgent as can be and never before its message. None if all above
    /// are in use: a PDU that comes first is refused, and its message with it.
    pub(super) fn beside(&mut self, message: Id) -> Option<Id> {
        let mut take = |raw: u32| {
            let id = match message {
                Id::Standard(_) => StandardId::new(u16::try_from(raw).ok()?)
                    .ok()
                    .map(Id::Standard),
                Id::Extended(_) => ExtendedId::new(raw).ok().map(Id::Extended),
            };
            id.filter(|id| self.taken.insert(*id))
        };
        let (own, most) = match message {
            Id::Standard(id) => (u32::from(id.raw()), u32::from(StandardId::MAX)),
            Id::Extended(id) => (id.raw(), ExtendedId::MAX),
        };
        (own + 1..=most).find_map(&mut take)
    }
}
