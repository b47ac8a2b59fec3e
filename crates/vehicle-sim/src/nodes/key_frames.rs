//! Which frames of a key protocol an attacker aims at, and where in their messages they are.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use waywarden_can::Frame;
use waywarden_group_keys::{Address, Header as GroupHeader, Transport};
use waywarden_lasan::{Header as LasanHeader, Lengths};

use waywarden_vehicle_file::{KeyFrames, KeyMessages};

/// How many messages are followed at a time; a bus with forged ones may have more.
const FOLLOWED_MAX: usize = 4_096;

/// Follows the messages that an attacker aims at, frame by frame.
#[derive(Clone, Debug)]
pub struct KeyFrameMatcher {
    aim: KeyFrames,
    transport: Transport,
    /// How long the messages of a security module are.
    lengths: Option<Lengths>,
    /// By identifier without the number of the part: how many frames of the message under way have
    /// come, and which of the messages it is.
    under_way: BTreeMap<u32, (usize, u64)>,
    /// How many messages have begun.
    begun: u64,
}

/// What a header says.
struct Found {
    key: u32,
    addresses: [Address; 2],
    /// How many frames its message takes.
    frames: usize,
    /// The number of the part, where identifiers count them.
    part: Option<usize>,
}

/// Returns the number of a part: the first one alone has 0.
const fn number(at: usize) -> usize {
    match at {
        0 => 0,
        at => 1 + (at - 1) % 15,
    }
}

impl KeyFrameMatcher {
    /// Aims at frames; `lengths` are those of a security module's messages.
    #[must_use]
    pub fn new(aim: KeyFrames, transport: Transport, lengths: Option<Lengths>) -> Self {
        KeyFrameMatcher {
            aim,
            transport,
            lengths,
            under_way: BTreeMap::new(),
            begun: 0,
        }
    }

    /// Takes the next frame of the bus. Returns where in its message the frame begins, in bytes, if
    /// it is one that the attacker acts on.
    pub fn next(&mut self, frame: &Frame) -> Option<usize> {
        let found = self.find(frame)?;
        let wanted = self.aim.participants.iter();
        if !wanted.into_iter().all(|one| found.addresses.contains(one)) {
            return None;
        }
        if self.under_way.len() >= FOLLOWED_MAX && !self.under_way.contains_key(&found.key) {
            self.under_way.clear();
        }
        let message = self.under_way.entry(found.key).or_default();
        // Where frames were lost, or another message has begun, the number tells.
        message.0 = match found.part {
            Some(0) => 0,
            Some(part) => (message.0..).find(|at| number(*at) == part).unwrap_or(part),
            None => message.0,
        };
        let place = message.0;
        if place == 0 {
            self.begun += 1;
            message.1 = self.begun;
        }
        message.0 = (place + 1) % found.frames.max(1);
        let acts = self.aim.occurrence.is_none_or(|one| one == message.1);
        acts.then_some(place * self.room())
    }

    fn find(&self, frame: &Frame) -> Option<Found> {
        let raw = frame.id().raw();
        match &self.aim.messages {
            KeyMessages::Group { steps, result, .. } => {
                let (step, header) = GroupHeader::of(frame)?;
                let wanted = steps.is_empty() || steps.contains(&step);
                let fits = result.is_none_or(|result| result == header.result);
                (wanted && fits).then(|| Found {
                    key: raw,
                    addresses: [header.first, header.second],
                    frames: step.frame_count(self.transport),
                    part: None,
                })
            }
            KeyMessages::Lasan { kinds, .. } => {
                let (header, part) = LasanHeader::of(frame)?;
                let lengths = self.lengths?;
                let length = lengths.of(header.kind)?;
                let wanted = kinds.is_empty() || kinds.contains(&header.kind);
                wanted.then(|| Found {
                    key: raw & !0x000F_0000,
                    addresses: [header.source, header.target],
                    frames: length.div_ceil(self.room()),
                    part: lengths.numbers_parts().then_some(usize::from(part)),
                })
            }
        }
    }

    const fn room(&self) -> usize {
        match self.transport {
            Transport::Classic => 8,
            Transport::Fd => 64,
        }
    }
}
