//! Who is on the road.

use crate::command::Command;
use crate::event::Event;
use crate::frame::{Fix, Frame, Moment};
use crate::security::Timings;

/// A station, honest or hostile: without clock and socket. Every call returns at once.
pub trait Actor: Send {
    /// Takes a frame from the air. It is put in a queue: constant work.
    fn hear(&mut self, frame: &Frame, now: Moment, events: &mut dyn FnMut(Event));

    /// Does a bounded part of the work that waits: at most one batch of signatures. Returns
    /// whether more waits.
    fn work(&mut self, now: Moment, events: &mut dyn FnMut(Event)) -> bool;

    /// Sends what is due. To be called at least each tenth of a second.
    fn step(
        &mut self,
        fix: &Fix,
        now: Moment,
        send: &mut dyn FnMut(Frame),
        events: &mut dyn FnMut(Event),
    );

    /// Carries out what a user asks for; `Err` says why it cannot.
    ///
    /// # Errors
    /// In words for the user.
    fn command(&mut self, command: Command, fix: &Fix) -> Result<(), String>;

    /// Returns how long its operations took, if it measures that.
    fn timings(&self) -> Option<&Timings>;

    /// Returns the UDP port that frames leave from, where they travel over IP.
    fn udp_port(&self) -> u16;

    /// Takes another UDP port, because the one of [`udp_port`](Self::udp_port) is in use.
    fn take_udp_port(&mut self, port: u16);
}
