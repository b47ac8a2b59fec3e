//! A gateway that lets nothing pass but what it checked: what is behind it needs no keys and hears
//! no forgery \[VULCAN\].

use waywarden_can::frame::{DATA_MAX, FD_LENGTHS};
use waywarden_can::node::{Port, Ports};
use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_work::{Duration, Instant};

/// The ports to which authentic messages go on, and the warning that is sent there of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shield {
    to: Ports,
    /// A bit for each stream that goes on.
    streams: [u32; 64],
    /// True if frames that no receiver knows go on unchanged.
    is_open: bool,
    warning: Option<Frame>,
    pace: Duration,
    /// The time before which no warning is sent.
    pause: Instant,
}

impl Shield {
    /// Shields the buses at `to`. With a `warning`, that frame goes there when a tag was wrong, a
    /// message was there before, or data came without a tag; at most once in `pace`.
    ///
    /// A message goes on as its payload under the identifier of its stream, without tag, freshness
    /// or code, whatever protocol it came by: what is behind the shield needs no keys and knows
    /// nothing of them. Payloads of up to 8 bytes go on in classic frames, longer ones in FD
    /// frames, filled up with zeros to the next length there is.
    #[must_use]
    pub const fn new(to: Ports, warning: Option<Frame>, pace: Duration) -> Self {
        Shield {
            to,
            streams: [u32::MAX; 64],
            is_open: false,
            warning,
            pace,
            pause: Instant::ZERO,
        }
    }

    /// Lets only these streams pass, and warns only of these; without this it is every stream that
    /// the authenticator receives.
    #[must_use]
    pub fn only(mut self, streams: impl IntoIterator<Item = StandardId>) -> Self {
        self.streams = [0; 64];
        for stream in streams {
            let (word, bit) = place(stream);
            self.streams[word] |= bit;
        }
        self
    }

    /// Has frames go on that no receiver knows, as they came, as the published code of \[VULCAN\]
    /// has it: its gateway takes them for neither authentic nor refused. **A shield no more**;
    /// there to show what that costs.
    #[must_use]
    pub const fn open(mut self) -> Self {
        self.is_open = true;
        self
    }

    /// Returns where a frame goes that no receiver knows.
    pub(super) fn leaks(&self, from: Port) -> Option<Ports> {
        (self.is_open && !self.to.contains(from)).then_some(self.to)
    }

    /// Returns what goes to the shielded buses because of an event on another.
    pub(super) fn pass(
        &mut self,
        now: Instant,
        from: Port,
        event: &FrameOutcome,
    ) -> Option<(Ports, Frame)> {
        if self.to.contains(from) {
            return None;
        }
        let frame = match event {
            FrameOutcome::Authentic { stream, payload } if self.covers(*stream) => {
                plain(*stream, payload)?
            }
            FrameOutcome::WrongTag(stream)
            | FrameOutcome::Replay(stream)
            | FrameOutcome::Missing(stream)
                if self.covers(*stream) =>
            {
                self.warn(now)?
            }
            _ => return None,
        };
        Some((self.to, frame))
    }

    fn warn(&mut self, now: Instant) -> Option<Frame> {
        let warning = self.warning.filter(|_| now >= self.pause)?;
        self.pause = now + self.pace;
        Some(warning)
    }

    fn covers(&self, stream: StandardId) -> bool {
        let (word, bit) = place(stream);
        self.streams[word] & bit != 0
    }
}

/// The word and the bit of an 11-bit identifier.
const fn place(stream: StandardId) -> (usize, u32) {
    (stream.raw() as usize / 32, 1 << (stream.raw() % 32))
}

/// The payload as its own frame.
fn plain(stream: StandardId, payload: &CanPayload) -> Option<Frame> {
    let data = payload.as_bytes();
    let named = |made: Frame| made.with_message(payload.message());
    if data.len() <= 8 {
        return Frame::classic(stream, data).ok().map(named);
    }
    let mut lengths = FD_LENGTHS.into_iter().map(usize::from);
    let length = lengths.find(|length| *length >= data.len())?;
    let mut bytes = [0; DATA_MAX];
    bytes[..data.len()].copy_from_slice(data);
    Frame::fd(stream, &bytes[..length]).ok().map(named)
}
