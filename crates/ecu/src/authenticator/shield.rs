//! A gateway that lets nothing pass but what it checked: what is behind it needs no keys and hears
//! no forgery \[VULCAN\].

use waywarden_can::Frame;
use waywarden_can::node::Port;
use waywarden_can_auth::event::Event;
use waywarden_work::{Duration, Instant};

/// Where authentic messages go on, and what is said there when others came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shield {
    to: Port,
    warning: Option<Frame>,
    pace: Duration,
    /// No warning before that.
    pause: Instant,
}

impl Shield {
    /// Shields the bus at `to`. With a `warning`, that frame goes there when a tag was wrong, a
    /// message was there before, or data came without a tag; at most once in `pace`.
    #[must_use]
    pub const fn new(to: Port, warning: Option<Frame>, pace: Duration) -> Self {
        Shield {
            to,
            warning,
            pace,
            pause: Instant::ZERO,
        }
    }

    /// Returns what goes to the shielded bus because of an event on another.
    pub(super) fn pass(
        &mut self,
        now: Instant,
        from: Port,
        event: &Event,
    ) -> Option<(Port, Frame)> {
        if from == self.to {
            return None;
        }
        let frame = match event {
            Event::Authentic { stream, payload } => {
                Frame::classic(*stream, payload.as_bytes()).ok()?
            }
            Event::BadTag(_) | Event::Replay(_) | Event::Missing(_) => self.warn(now)?,
            _ => return None,
        };
        Some((self.to, frame))
    }

    fn warn(&mut self, now: Instant) -> Option<Frame> {
        let warning = self.warning.filter(|_| now >= self.pause)?;
        self.pause = now + self.pace;
        Some(warning)
    }
}
