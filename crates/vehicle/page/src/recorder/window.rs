//! A few milliseconds of all buses: frames as bars, errors and other events as marks.

use waywarden_can_sim::clock::Time;

use super::marks::Marks;
use waywarden_vehicle_report::attempt::Attempt;
use waywarden_vehicle_report::prose::Prose;
use waywarden_vehicle_trace::VehicleEvent;

/// Limit on the frames of a timeline window.
pub const FRAMES_MAX: usize = 1_024;

/// Limit on the marks of a timeline window.
pub const MARKS_MAX: usize = 512;

/// A stretch of time in full.
#[derive(Debug)]
pub(crate) struct TimelineWindow {
    pub(crate) title: String,
    /// Time of the event that the window is about.
    pub(crate) cause_at: Time,
    pub(crate) from: Time,
    pub(crate) to: Time,
    pub(crate) frames: Vec<Attempt>,
    pub(crate) marks: Marks,
    /// Number of frames and marks there was no room for.
    pub(crate) left_out: usize,
}

impl TimelineWindow {
    pub(super) fn new(
        title: String,
        cause_at: Time,
        (from, to): (Time, Time),
        marks: Marks,
    ) -> Self {
        TimelineWindow {
            title,
            cause_at,
            from,
            to,
            frames: Vec::new(),
            marks,
            left_out: 0,
        }
    }

    /// Adds a frame, if any of it lies in the window.
    pub(super) fn add_frame(&mut self, attempt: Attempt) {
        if attempt.started >= self.to || attempt.ended <= self.from {
            return;
        }
        if self.frames.len() < FRAMES_MAX {
            self.frames.push(attempt);
        } else {
            self.left_out += 1;
        }
    }

    /// Adds a mark for an event that has one and lies before the window's end.
    pub(super) fn add_event(&mut self, at: Time, event: &VehicleEvent<'_>, prose: &Prose) {
        if at <= self.to {
            self.marks.add(at, event, prose);
            self.left_out += self.marks.cut(MARKS_MAX);
        }
    }
}
