//! Content of one line or object of a bus log, whatever the file format it came from.
//!
//! Times are kept as the log states them; nothing here knows about dates or files.

use std::io;

use waywarden_can::{Format, Frame};

/// The most channels one log may name: more is taken for a broken file.
pub const CHANNELS_MAX: usize = 256;

/// The longest channel name, in bytes. Linux stops at 15; other tools write longer ones.
pub const CHANNEL_NAME_MAX: usize = 64;

/// One entry of a log: time, channel and event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Nanoseconds since the log's own zero: the Unix epoch for most candump logs, the start of
    /// the measurement for ASC and BLF (whose date, if stated, the reader's `start_ns` tells).
    pub at_ns: u64,
    /// The channel, an index into the [`Channels`] of the reader.
    pub channel: Channel,
    /// The event on the bus.
    pub entry: LogEntry,
}

/// An event on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEntry {
    /// A data or remote frame, classic or FD.
    Frame {
        /// The frame.
        frame: Frame,
        /// Direction as seen by the logging node; `None` where the log does not say.
        direction: Option<Direction>,
    },
    /// An error the logging node's controller reported.
    ErrorFrame(ErrorFrame),
}

/// Direction as seen by the logging node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Received from the bus.
    Rx,
    /// Sent by the logging node itself.
    Tx,
}

/// An error report in the terms of SocketCAN [linux/can/error.h].
///
/// Formats that tell less than SocketCAN give [`ErrorFrame::BUS_ERROR`] and zero data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorFrame {
    /// The error classes, a bit set of 29 bits.
    pub class: u32,
    /// Details by class; zero where unknown.
    pub data: [u8; 8],
}

/// A channel of a log: an index into its [`Channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Channel(u8);

/// The channel names of a log in order of first appearance, at most [`CHANNELS_MAX`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channels {
    names: Vec<String>,
}

/// Reason why a channel cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChannelError {
    /// More than [`CHANNELS_MAX`] names.
    #[error("more than {CHANNELS_MAX} different channels; a log names each of its buses only once")]
    TooMany,
    /// An empty name, one over [`CHANNEL_NAME_MAX`] bytes, or one that is not printable ASCII.
    #[error("a channel name is 1 to {CHANNEL_NAME_MAX} printable ASCII characters, such as can0")]
    Name,
}

impl ErrorFrame {
    /// A bus error of which nothing more is known (class 0x80).
    pub const BUS_ERROR: ErrorFrame = ErrorFrame {
        class: 0x80,
        data: [0; 8],
    };
}

impl LogEntry {
    /// Returns the frame, unless the entry is an error frame.
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        match self {
            LogEntry::Frame { frame, .. } => Some(frame),
            LogEntry::ErrorFrame(_) => None,
        }
    }
}

impl Record {
    /// Returns the record with its time counted from 1970, where its log has a date.
    ///
    /// # Errors
    /// `InvalidInput` for a time beyond the year 2554.
    pub fn dated(self, date_ns: u64) -> io::Result<Self> {
        let at_ns = self.at_ns.checked_add(date_ns).ok_or_else(|| {
            let why = "the date of the log and the time of a record are beyond the year 2554";
            io::Error::new(io::ErrorKind::InvalidInput, why)
        })?;
        Ok(Record { at_ns, ..self })
    }

    /// Returns the record with a length code of at most 8, and whether that changed it.
    ///
    /// A classic frame may have length codes 9 to 15 for its 8 bytes. Most programs that read
    /// candump and ASC logs, python-can among them, take such a code for a CAN FD length or
    /// for data.
    #[must_use]
    pub fn with_plain_length_code(self) -> (Self, bool) {
        let LogEntry::Frame { frame, direction } = self.entry else {
            return (self, false);
        };
        let plain = match frame.format() {
            Format::Classic if frame.dlc() > 8 => Frame::classic(frame.id(), frame.data()),
            Format::Remote if frame.dlc() > 8 => Frame::remote(frame.id(), 8),
            _ => return (self, false),
        };
        let frame = plain.unwrap_or(frame);
        let entry = LogEntry::Frame { frame, direction };
        (Record { entry, ..self }, true)
    }
}

impl Channel {
    /// Returns the place of the channel in its log, from 0 in order of first appearance.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Channels {
    /// Returns the channel of that name, added if it is new.
    ///
    /// # Errors
    /// [`ChannelError`] for a name that cannot be one, or one too many.
    pub fn intern(&mut self, name: &[u8]) -> Result<Channel, ChannelError> {
        // Few names and long runs of each: a linear look beats a map here.
        if let Some(index) = self.names.iter().position(|known| known.as_bytes() == name) {
            return Ok(Channel(index as u8));
        }
        if name.is_empty()
            || name.len() > CHANNEL_NAME_MAX
            || !name.iter().all(u8::is_ascii_graphic)
        {
            return Err(ChannelError::Name);
        }
        if self.names.len() == CHANNELS_MAX {
            return Err(ChannelError::TooMany);
        }
        self.names
            .push(name.iter().map(|&byte| byte as char).collect());
        Ok(Channel((self.names.len() - 1) as u8))
    }

    /// Returns the name of a channel of this table; empty for a channel of another table that
    /// this one does not reach.
    #[must_use]
    pub fn name(&self, channel: Channel) -> &str {
        self.names.get(channel.index()).map_or("", String::as_str)
    }

    /// Returns how many channels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if no channel has been named yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the channels with their names, in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (Channel, &str)> {
        self.names
            .iter()
            .enumerate()
            .map(|(index, name)| (Channel(index as u8), name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_bounded_and_keep_their_order() {
        let mut channels = Channels::default();
        let first = channels.intern(b"can1").unwrap();
        assert_eq!(channels.intern(b"can0").unwrap().index(), 1);
        assert_eq!(channels.intern(b"can1"), Ok(first));
        assert_eq!(channels.name(first), "can1");
        assert_eq!(channels.intern(b""), Err(ChannelError::Name));
        assert_eq!(channels.intern(b"c\xFFn"), Err(ChannelError::Name));
        for n in channels.len()..CHANNELS_MAX {
            channels.intern(format!("x{n}").as_bytes()).unwrap();
        }
        assert_eq!(channels.intern(b"y"), Err(ChannelError::TooMany));
    }
}
