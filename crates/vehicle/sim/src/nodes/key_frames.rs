//! The frames of a key protocol that an attacker aims at, and their places in their messages.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use waywarden_can::Frame;
use waywarden_group_keys::{Address, GroupFrameReader as GroupFrames, Transport};
use waywarden_lasan::{LasanFrameReader as NetworkFrames, Lengths};

use waywarden_vehicle_file::{KeyFrames, KeyGroup, KeyMessages, Lasan};

/// Limit on messages that are followed at a time; a bus with forged ones may have more.
const FOLLOWED_MAX: usize = 4_096;

/// Follows the messages that an attacker aims at, frame by frame.
#[derive(Clone, Debug)]
pub struct KeyFrameMatcher {
    aim: KeyFrames,
    transport: Transport,
    frames: Frames,
    /// By message: how many frames of the one under way have come, and which of the messages it
    /// is.
    under_way: BTreeMap<u32, (usize, u64)>,
    /// Number of messages that have begun.
    begun: u64,
}

/// Reader of the frames of a key protocol.
#[derive(Clone, Debug)]
enum Frames {
    /// Those of a group; none of a group without a plan, of which the file was refused.
    Group(Option<Box<GroupFrames>>),
    /// Those of a security module, and how long its messages are.
    Network(NetworkFrames, Option<Lengths>),
}

/// Content of a header.
struct Found {
    /// The identifier in the form of the protocol's page, without the number of the part.
    key: u32,
    addresses: [Address; 2],
    /// Number of frames of its message.
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
    /// Aims at frames of a group.
    #[must_use]
    pub fn of_group(aim: &KeyFrames, group: &KeyGroup) -> Self {
        let frames = group.frames().ok().map(Box::new);
        Self::new(aim, group.transport, Frames::Group(frames))
    }

    /// Aims at messages of a security module.
    #[must_use]
    pub fn of_network(aim: &KeyFrames, network: &Lasan) -> Self {
        let frames = Frames::Network(network.frames(), network.lengths());
        Self::new(aim, network.transport, frames)
    }

    fn new(aim: &KeyFrames, transport: Transport, frames: Frames) -> Self {
        KeyFrameMatcher {
            aim: aim.clone(),
            transport,
            frames,
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
        match (&self.aim.messages, &self.frames) {
            (KeyMessages::Group { steps, result, .. }, Frames::Group(frames)) => {
                let (step, header) = frames.as_ref()?.read(frame)?;
                let wanted = steps.is_empty() || steps.contains(&step);
                let fits = result.is_none_or(|result| result == header.result);
                (wanted && fits).then(|| Found {
                    key: header.identifier(step).raw(),
                    addresses: [header.first, header.second],
                    frames: step.frame_count(self.transport),
                    part: None,
                })
            }
            (KeyMessages::Lasan { kinds, .. }, Frames::Network(frames, lengths)) => {
                let (header, part) = frames.read(frame)?;
                let lengths = (*lengths)?;
                let length = lengths.of(header.kind)?;
                let wanted = kinds.is_empty() || kinds.contains(&header.kind);
                wanted.then(|| Found {
                    key: header.identifier(0).raw(),
                    addresses: [header.source, header.target],
                    frames: length.div_ceil(self.room()),
                    part: lengths.numbers_parts().then_some(usize::from(part)),
                })
            }
            _ => None,
        }
    }

    const fn room(&self) -> usize {
        match self.transport {
            Transport::Classic => 8,
            Transport::Fd => 64,
        }
    }
}
