//! Channels of the formats that number them from 1, under the names Linux gives them.

use crate::record::{Channel, Channels};
use crate::text::{Words, number as number_of};

/// The highest channel number read.
const NUMBER_MAX: u16 = 256;

/// Names channel 1 `can0`, channel 2 `can1` and so on, as asc2log and python-can do.
#[derive(Debug)]
pub(crate) struct NumberedChannels {
    channels: Channels,
    by_number: [Option<Channel>; NUMBER_MAX as usize],
}

impl NumberedChannels {
    pub(crate) fn new() -> Self {
        NumberedChannels {
            channels: Channels::default(),
            by_number: [None; NUMBER_MAX as usize],
        }
    }

    /// Returns the channel of a number; `None` unless it is 1 to 256.
    pub(crate) fn channel(&mut self, number: u16) -> Option<Channel> {
        let index = usize::from(number.checked_sub(1)?);
        let slot = self.by_number.get_mut(index)?;
        if slot.is_none() {
            // A note may have given this channel's usual name to another one.
            let mut names = [format!("can{index}"), format!("channel{number}")].into_iter();
            let name = names.find(|name| !is_taken(&self.channels, name))?;
            *slot = self.channels.intern(name.as_bytes()).ok();
        }
        *slot
    }

    /// Takes the name of a channel from a comment as [`note`] words it, unless the channel or the
    /// name has come before. Returns true if it is such a comment.
    pub(crate) fn read_note(&mut self, text: &[u8]) -> bool {
        let mut words = Words::new(text);
        let (b"channel", Some(number), Some(b"is"), Some(name), None) = (
            words.next().unwrap_or_default(),
            words.next(),
            words.next(),
            words.next(),
            words.next(),
        ) else {
            return false;
        };
        let index = number_of(number, 10).and_then(|number| number.checked_sub(1));
        let slot = index.and_then(|index| self.by_number.get_mut(index as usize));
        let mut known = self.channels.iter().map(|(_, known)| known.as_bytes());
        let is_free = known.all(|known| known != name);
        drop(known);
        if let Some(slot @ None) = slot
            && is_free
        {
            *slot = self.channels.intern(name).ok();
        }
        true
    }

    pub(crate) fn channels(&self) -> &Channels {
        &self.channels
    }
}

fn is_taken(channels: &Channels, name: &str) -> bool {
    channels.iter().any(|(_, known)| known == name)
}

/// Words the comment that keeps a channel's name in a format that numbers its channels.
pub(crate) fn note(number: u16, name: &str) -> String {
    format!("channel {number} is {name}")
}

/// Gives named channels the numbers 1 to 256, where possible the one their name ends on.
#[derive(Debug, Default)]
pub(crate) struct ChannelNumbers {
    /// Numbers by channel index; bounded by the channels there can be.
    given: Vec<Option<u16>>,
}

impl ChannelNumbers {
    /// Returns the number of a channel, and whether it was given just now.
    pub(crate) fn number(&mut self, channel: Channel, channels: &Channels) -> (u16, bool) {
        let index = channel.index();
        if let Some(Some(number)) = self.given.get(index) {
            return (*number, false);
        }
        let free = |number: &u16| !self.given.contains(&Some(*number));
        let number = from_name(channels.name(channel))
            .filter(free)
            // There are at most as many channels as numbers, so that one is free.
            .or_else(|| (1..=NUMBER_MAX).find(free))
            .unwrap_or(NUMBER_MAX);
        if self.given.len() <= index {
            self.given.resize(index + 1, None);
        }
        self.given[index] = Some(number);
        (number, true)
    }
}

/// Returns one more than the digits a name ends on, as far as channels are numbered.
fn from_name(name: &str) -> Option<u16> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = name[name.len() - digits..]
        .parse::<u16>()
        .ok()?
        .checked_add(1)?;
    (number <= NUMBER_MAX).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_names_and_never_collide() {
        let mut channels = Channels::default();
        let mut numbers = ChannelNumbers::default();
        let known = [
            ("can2", 3),
            ("vcan2", 1),
            ("can0", 2),
            ("body", 4),
            ("x999", 5),
            ("can7", 8),
        ];
        for (name, expected) in known {
            let channel = channels.intern(name.as_bytes()).unwrap();
            assert_eq!(
                numbers.number(channel, &channels),
                (expected, true),
                "{name}"
            );
            assert_eq!(
                numbers.number(channel, &channels),
                (expected, false),
                "{name}"
            );
        }
    }

    #[test]
    fn a_note_names_its_channel_once_and_never_joins_two() {
        let mut numbered = NumberedChannels::new();
        numbered.read_note(note(2, "body").as_bytes());
        numbered.read_note(note(2, "other").as_bytes());
        numbered.read_note(note(3, "body").as_bytes());
        numbered.read_note(b"channel 0 is zero");
        numbered.read_note(b"channel 257 is more");
        numbered.read_note(b"channel 4 is of the engine");
        numbered.read_note(note(7, "can0").as_bytes());
        let mut name = |number| {
            let channel = numbered.channel(number).unwrap();
            numbered.channels().name(channel).to_owned()
        };
        let names = [2, 3, 4, 7, 1].map(&mut name);
        assert_eq!(names, ["body", "can2", "can3", "can0", "channel1"]);
    }

    #[test]
    fn numbered_channels_have_linux_names() {
        let mut numbered = NumberedChannels::new();
        let second = numbered.channel(2).unwrap();
        assert_eq!(numbered.channels().name(second), "can1");
        assert_eq!(numbered.channel(2), Some(second));
        assert!(numbered.channel(256).is_some());
        assert_eq!(numbered.channel(0), None);
        assert_eq!(numbered.channel(257), None);
    }
}
