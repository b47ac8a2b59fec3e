//! Channels of the formats that number them from 1 (ASC, BLF), under the names Linux gives them.

use crate::record::{Channel, Channels};

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
            *slot = self.channels.intern(format!("can{index}").as_bytes()).ok();
        }
        *slot
    }

    pub(crate) fn channels(&self) -> &Channels {
        &self.channels
    }
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
