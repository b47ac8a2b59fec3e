//! Actors on the road: honest and hostile stations.

use std::time::Duration;

use waywarden_v2x_station::StationIdentifiers;

use crate::channel_summary::ChannelSummary;
use crate::command::Command;
use crate::event::NeighbourhoodEvent;
use crate::frame::{EthernetFrame, StationFix, StationMoment};
use crate::security::Timings;

/// Time between two checks of a station for due messages.
pub const STEP: Duration = Duration::from_millis(10);

/// Returns the offset within each [`STEP`] at which a station of these identifiers makes what is
/// due.
pub(crate) fn phase_of(identifiers: &StationIdentifiers) -> Duration {
    let phase = Duration::from_micros(u64::from(identifiers.phase_us));
    Duration::from_micros(phase.as_micros() as u64 % STEP.as_micros() as u64)
}

/// A station, honest or hostile: without clock and socket. Every call returns at once.
pub trait Actor: Send {
    /// Takes a frame from the air. It is put in a queue: constant work.
    fn receive(
        &mut self,
        frame: &EthernetFrame,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    );

    /// Does a bounded part of the work that waits: at most one batch of signatures. Returns
    /// whether more waits.
    fn work(&mut self, now: StationMoment, events: &mut dyn FnMut(NeighbourhoodEvent)) -> bool;

    /// Returns when within each [`STEP`] it makes what is due, another moment for each pseudonym:
    /// by one that stays, pseudonyms could be linked.
    fn phase(&self) -> Duration;

    /// Makes what is due: the caller sends the frame of each [`NeighbourhoodEvent::Sent`], and
    /// passes the event on if the link has taken it. To be called each [`STEP`], at its
    /// [`phase`](Self::phase).
    fn step(
        &mut self,
        fix: &StationFix,
        now: StationMoment,
        events: &mut dyn FnMut(NeighbourhoodEvent),
    );

    /// Carries out what a user asks for; `Err` says why it cannot.
    ///
    /// # Errors
    /// In words for the user.
    fn command(&mut self, command: Command, fix: &StationFix) -> Result<(), String>;

    /// Returns how long its operations took, if it measures that.
    fn timings(&self) -> Option<&Timings>;

    /// Returns how busy it found its channel, if it has congestion control.
    fn channel(&self) -> Option<ChannelSummary> {
        None
    }

    /// Returns the UDP port that frames leave from, where they travel over IP.
    fn udp_port(&self) -> u16;

    /// Takes another UDP port, because the one of [`udp_port`](Self::udp_port) is in use.
    fn take_udp_port(&mut self, port: u16);
}
