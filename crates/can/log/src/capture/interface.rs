//! An interface of a capture: its link, its clock, its channel.

use super::packet::Link;
use crate::error::CaptureCause;
use crate::record::{Channel, ChannelError, Channels};

/// An interface.
#[derive(Debug)]
pub(super) struct Interface {
    /// None for a link that carries no frames.
    pub(super) link: Option<Link>,
    name: Vec<u8>,
    pub(super) clock: Clock,
    channel: Option<Channel>,
}

/// The names of the channels so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) channels: Channels,
    /// Channels that have their name by a number, because their interface has none.
    of_numbers: Vec<Channel>,
}

/// The unit of time stamps and what is added to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Units of a second.
    per_second: u128,
    /// Seconds to add.
    offset: i64,
}

impl Interface {
    pub(super) fn new(link: u32, name: &[u8], clock: Clock) -> Self {
        Interface {
            link: Link::new(link),
            name: name.to_vec(),
            clock,
            channel: None,
        }
    }

    /// Returns the channel: of the interface's name, or of its number, for cooked captures that of
    /// the interface in the packet.
    pub(super) fn channel(
        &mut self,
        number: usize,
        index: Option<u32>,
        names: &mut Names,
    ) -> Result<Channel, ChannelError> {
        if let Some(index) = index {
            return names.channels.intern(format!("if{index}").as_bytes());
        }
        if let Some(channel) = self.channel {
            return Ok(channel);
        }
        let channel = names.channel(&self.name, number)?;
        self.channel = Some(channel);
        Ok(channel)
    }
}

impl Names {
    /// Returns the channel of a name, or of a number where there is no name that a channel can
    /// have; never one for both.
    fn channel(&mut self, name: &[u8], number: usize) -> Result<Channel, ChannelError> {
        let known = self.known(name);
        if known.is_some_and(|channel| self.of_numbers.contains(&channel)) {
            let other = [name, format!("-{number}").as_bytes()].concat();
            return self.channels.intern(&other);
        }
        match self.channels.intern(name) {
            Err(ChannelError::Name) => {}
            other => return other,
        }
        for name in [format!("can{number}"), format!("interface{number}")] {
            match self.known(name.as_bytes()) {
                // The same interface in a section before.
                Some(channel) if self.of_numbers.contains(&channel) => return Ok(channel),
                Some(_) => {}
                None => {
                    let channel = self.channels.intern(name.as_bytes())?;
                    self.of_numbers.push(channel);
                    return Ok(channel);
                }
            }
        }
        Err(ChannelError::Name)
    }

    fn known(&self, name: &[u8]) -> Option<Channel> {
        let mut known = self.channels.iter();
        let found = known.find(|(_, known)| known.as_bytes() == name);
        found.map(|(channel, _)| channel)
    }
}

impl Clock {
    pub(super) const MICROSECONDS: Clock = Clock::new(1_000_000, 0);
    pub(super) const NANOSECONDS: Clock = Clock::new(1_000_000_000, 0);

    const fn new(per_second: u128, offset: i64) -> Self {
        Clock { per_second, offset }
    }

    /// Reads the options of pcapng: a power of ten, or of two with the highest bit, and seconds.
    /// None for a unit that 128 bits do not hold.
    pub(super) fn of_options(resolution: Option<u8>, offset: i64) -> Option<Self> {
        let per_second = match resolution {
            None => Some(1_000_000),
            Some(power @ ..0x80) => 10_u128.checked_pow(u32::from(power)),
            Some(power) => 2_u128.checked_pow(u32::from(power & 0x7F)),
        };
        per_second.map(|per_second| Clock::new(per_second, offset))
    }

    /// Returns the nearest nanosecond since the capture's zero.
    ///
    /// # Errors
    /// [`CaptureCause::Time`] before it, and beyond 64 bits.
    pub(super) fn nanoseconds(self, stamp: u64) -> Result<u64, CaptureCause> {
        // At most 2^94: no sum below leaves 128 bits.
        let scaled = u128::from(stamp) * 1_000_000_000;
        let (whole, rest) = (scaled / self.per_second, scaled % self.per_second);
        let nanos = whole + u128::from(rest >= self.per_second.div_ceil(2));
        let nanos = nanos as i128 + i128::from(self.offset) * 1_000_000_000;
        u64::try_from(nanos).map_err(|_| CaptureCause::Time(nanos.div_euclid(1_000_000_000)))
    }
}
