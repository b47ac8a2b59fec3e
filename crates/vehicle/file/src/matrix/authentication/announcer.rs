//! The freshness master of a bus that a vehicle file is written for.

use std::collections::HashSet;

use waywarden_can::Id;

use super::super::draft::Draft;

/// The identifier of announcements, unless a message has it.
const ANNOUNCE_ID: u16 = 0x00F;

/// The ECU that announces the freshness of a bus, and its identifiers.
pub(super) struct Announcer<'d> {
    /// The ECU on the most buses.
    pub(super) master: &'d str,
    /// Identifiers that no message of the bus has.
    free: std::vec::IntoIter<u16>,
}

impl<'d> Announcer<'d> {
    pub(super) fn of(draft: &'d Draft<'_>, bus: usize) -> Self {
        let on_bus = draft
            .ecus
            .iter()
            .filter(|(_, _, buses)| buses.contains(&bus));
        // Of equal ones the first: `max_by_key` returns the last.
        let most = on_bus.rev().max_by_key(|(_, _, buses)| buses.len());
        let messages = draft.buses[bus].cluster.messages.iter();
        let taken: HashSet<u16> = messages
            .filter_map(|message| match message.id {
                Id::Standard(id) => Some(id.raw()),
                Id::Extended(_) => None,
            })
            .collect();
        let free: Vec<u16> = (ANNOUNCE_ID..=0x7FF)
            .filter(|raw| !taken.contains(raw))
            .collect();
        Announcer {
            master: most.map_or("?", |(_, name, _)| name.as_str()),
            free: free.into_iter(),
        }
    }

    /// Returns an identifier for the announcements of another table. A bus without a free one has
    /// its first message's: the file names both when it is read.
    pub(super) fn next_id(&mut self) -> u16 {
        self.free.next().unwrap_or(ANNOUNCE_ID)
    }
}
