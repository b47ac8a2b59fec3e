//! Events of a role, kept until its ECU takes them.

/// Number of events that a role keeps; older ones are lost, and counted.
const EVENTS_MAX: usize = 16;

/// A bounded queue of events.
pub struct EventQueue<E> {
    waiting: [Option<E>; EVENTS_MAX],
    lost: u32,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> EventQueue<E> {
    /// Returns an empty queue.
    #[must_use]
    pub const fn new() -> Self {
        EventQueue {
            waiting: [None; EVENTS_MAX],
            lost: 0,
        }
    }

    /// Adds an event; the oldest one is lost if there is no room.
    pub fn push(&mut self, event: E) {
        if self.waiting.last().is_some_and(Option::is_some) {
            self.waiting.rotate_left(1);
            self.waiting[EVENTS_MAX - 1] = None;
            self.lost += 1;
        }
        if let Some(place) = self.waiting.iter_mut().find(|place| place.is_none()) {
            *place = Some(event);
        }
    }

    /// Takes the oldest event.
    pub fn pop(&mut self) -> Option<E> {
        let event = self.waiting[0].take();
        self.waiting.rotate_left(1);
        event
    }

    /// Returns how many were lost because they were not taken.
    pub const fn lost(&self) -> u32 {
        self.lost
    }
}
