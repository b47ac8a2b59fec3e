//! An interface of a capture: its link, its clock, its channel.

use super::packet::Link;
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

/// The unit of time stamps and what is added to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Units of a second.
    per_second: u64,
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

    /// Returns the channel: of the interface's name, or of a number, for cooked captures that of
    /// the interface in the packet.
    pub(super) fn channel(
        &mut self,
        number: usize,
        index: Option<u32>,
        channels: &mut Channels,
    ) -> Result<Channel, ChannelError> {
        if let Some(index) = index {
            return channels.intern(format!("if{index}").as_bytes());
        }
        if let Some(channel) = self.channel {
            return Ok(channel);
        }
        let channel = match channels.intern(&self.name) {
            Ok(channel) => channel,
            Err(_) => channels.intern(format!("can{number}").as_bytes())?,
        };
        self.channel = Some(channel);
        Ok(channel)
    }
}

impl Clock {
    pub(super) const MICROSECONDS: Clock = Clock::new(1_000_000, 0);
    pub(super) const NANOSECONDS: Clock = Clock::new(1_000_000_000, 0);

    const fn new(per_second: u64, offset: i64) -> Self {
        Clock { per_second, offset }
    }

    /// Reads the options of pcapng: a power of ten, or of two with the highest bit, and seconds.
    pub(super) fn of_options(resolution: Option<u8>, offset: i64) -> Self {
        let per_second = match resolution {
            None => Some(1_000_000),
            Some(power @ ..0x80) => 10_u64.checked_pow(u32::from(power)),
            Some(power) => 2_u64.checked_pow(u32::from(power & 0x7F)),
        };
        Clock::new(per_second.unwrap_or(u64::MAX), offset)
    }

    /// Returns nanoseconds since the capture's zero, within 64 bits.
    pub(super) fn nanoseconds(self, stamp: u64) -> u64 {
        let nanos = u128::from(stamp) * 1_000_000_000 / u128::from(self.per_second);
        let nanos = i128::try_from(nanos).unwrap_or(i128::MAX);
        let offset = i128::from(self.offset) * 1_000_000_000;
        u64::try_from(nanos.saturating_add(offset).max(0)).unwrap_or(u64::MAX)
    }
}
