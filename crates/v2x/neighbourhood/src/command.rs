//! Commands of a user to a station.

use waywarden_v2x_station::denm::DenmEvent as RoadEvent;

/// Command of a user to a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Tell an event that is seen here and now.
    Trigger(RoadEvent),
    /// Take back the event with this number, or all events.
    Cancel(Option<u16>),
    /// Take another pseudonym as soon as it may be.
    ChangePseudonym,
}
