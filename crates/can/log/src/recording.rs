//! Messages of a recording: their periods and the lengths of their payloads, by channel.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use waywarden_can::{Format, Id};
use waywarden_work::Duration;

use crate::periods::observed_periods;
use crate::record::{Channel, Channels, Record};

/// Limit on channels that a text names; the rest is counted.
const NAMED_MAX: usize = 8;

/// Messages of one channel of a recording, by identifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedMessages {
    /// Periods of those that were seen three times or more.
    pub periods: HashMap<Id, Duration>,
    /// The longest payload of each, in bytes.
    pub lengths: HashMap<Id, u8>,
}

/// Messages of all channels of a recording. Remote frames and error frames are no messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    periods: HashMap<(Channel, Id), Duration>,
    lengths: HashMap<(Channel, Id), u8>,
    remote_frames: u64,
    error_frames: u64,
}

/// The channel of a recording that is the bus of a message matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusChoice {
    /// Name of the channel; none for a recording without messages.
    pub channel: Option<String>,
    /// The channels with the numbers of their identifiers, if the identifiers made the choice.
    pub among: Option<String>,
}

/// Reason that no channel of a recording is the bus for certain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BusChoiceError {
    /// The channel that was named has no message.
    #[error("no message is on channel {wanted}")]
    NoSuchChannel {
        /// The name.
        wanted: String,
        /// The channels with the numbers of their identifiers.
        among: String,
    },
    /// Several channels have as many identifiers of the matrix.
    #[error(
        "the log has several channels, and the identifiers do not tell which of them is the bus"
    )]
    Ambiguous {
        /// The channels with the numbers of their identifiers.
        among: String,
    },
}

/// Identifiers of a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    all: usize,
    known: usize,
}

impl Recording {
    /// Reads records until `next` has none left. Periods are those of [`observed_periods`].
    ///
    /// # Errors
    /// The first error of `next`.
    pub fn read<E>(mut next: impl FnMut() -> Result<Option<Record>, E>) -> Result<Self, E> {
        let (mut recording, mut fault) = (Recording::default(), None);
        let sightings = std::iter::from_fn(|| {
            loop {
                let record = match next() {
                    Ok(record) => record?,
                    Err(error) => {
                        fault = Some(error);
                        return None;
                    }
                };
                if let Some(sighting) = recording.sighting(&record) {
                    return Some(sighting);
                }
            }
        });
        let periods = observed_periods(sightings);
        match fault {
            Some(error) => Err(error),
            None => Ok(Recording {
                periods,
                ..recording
            }),
        }
    }

    fn sighting(&mut self, record: &Record) -> Option<((Channel, Id), Duration)> {
        let Some(frame) = record.entry.frame() else {
            self.error_frames += 1;
            return None;
        };
        if frame.format() == Format::Remote {
            self.remote_frames += 1;
            return None;
        }
        let of = (record.channel, frame.id());
        // 64 bytes at most.
        let length = frame.data_len() as u8;
        let longest = self.lengths.entry(of).or_default();
        *longest = length.max(*longest);
        Some((of, Duration::from_nanos(record.at_ns)))
    }

    /// Returns what was left out, one sentence each.
    #[must_use]
    pub fn left_out(&self) -> Vec<String> {
        let kinds = [
            (self.remote_frames, "remote frame"),
            (self.error_frames, "error frame"),
        ];
        let kinds = kinds.into_iter().filter(|(count, _)| *count > 0);
        let said = kinds.map(|(count, kind)| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {kind}{plural} left out: no messages")
        });
        said.collect()
    }

    /// Returns the messages of one channel: the one that is named, else the only one, else the one
    /// with most of the identifiers that `is_known` of the matrix.
    ///
    /// # Errors
    /// [`BusChoiceError`] by cause.
    pub fn of_bus(
        self,
        channels: &Channels,
        named: Option<&str>,
        is_known: &dyn Fn(Id) -> bool,
    ) -> Result<(RecordedMessages, BusChoice), BusChoiceError> {
        let mut seen: BTreeMap<Channel, Seen> = BTreeMap::new();
        for &(channel, id) in self.lengths.keys() {
            let own = seen.entry(channel).or_default();
            own.all += 1;
            own.known += usize::from(is_known(id));
        }
        let seen: Vec<(Channel, Seen)> = seen.into_iter().collect();
        let name = |channel: Channel| channels.name(channel);
        let among = || listed(&seen, name);
        let most = seen.iter().map(|(_, own)| own.known).max().unwrap_or(0);
        let best: Vec<_> = seen.iter().filter(|(_, own)| own.known == most).collect();
        let (chosen, by_identifiers) = match (named, seen.as_slice(), best.as_slice()) {
            (Some(wanted), all, _) => {
                let found = all.iter().find(|(channel, _)| name(*channel) == wanted);
                let missing = || BusChoiceError::NoSuchChannel {
                    wanted: wanted.to_owned(),
                    among: among(),
                };
                (Some(found.ok_or_else(missing)?.0), false)
            }
            (None, [], _) => (None, false),
            (None, [(only, _)], _) => (Some(*only), false),
            (None, _, [(channel, _)]) if most > 0 => (Some(*channel), true),
            _ => return Err(BusChoiceError::Ambiguous { among: among() }),
        };
        let choice = BusChoice {
            channel: chosen.map(|channel| name(channel).to_owned()),
            among: by_identifiers.then(among),
        };
        let own = |(channel, id): (Channel, Id)| (Some(channel) == chosen).then_some(id);
        let periods = self.periods.into_iter();
        let lengths = self.lengths.into_iter();
        let messages = RecordedMessages {
            periods: periods
                .filter_map(|(of, period)| Some((own(of)?, period)))
                .collect(),
            lengths: lengths
                .filter_map(|(of, length)| Some((own(of)?, length)))
                .collect(),
        };
        Ok((messages, choice))
    }
}

impl BusChoiceError {
    /// Returns the channels with the numbers of their identifiers.
    #[must_use]
    pub fn among(&self) -> &str {
        match self {
            BusChoiceError::NoSuchChannel { among, .. } | BusChoiceError::Ambiguous { among } => {
                among
            }
        }
    }
}

/// Names channels with the numbers of their identifiers.
fn listed<'a>(seen: &[(Channel, Seen)], name: impl Fn(Channel) -> &'a str) -> String {
    if seen.is_empty() {
        return "none has a message".to_owned();
    }
    let mut text = String::new();
    for (at, (channel, own)) in seen.iter().take(NAMED_MAX).enumerate() {
        let mark = if at == 0 { "" } else { ", " };
        let plural = if own.all == 1 { "" } else { "s" };
        let (name, known, all) = (name(*channel), own.known, own.all);
        let _ = write!(
            text,
            "{mark}{name} ({known} of {all} identifier{plural} known)"
        );
    }
    if let Some(more @ 1..) = seen.len().checked_sub(NAMED_MAX) {
        let _ = write!(text, " and {more} more");
    }
    text
}

#[cfg(test)]
mod tests {
    use waywarden_can::Frame;

    use super::*;
    use crate::record::{ErrorFrame, LogEntry};

    /// Reads records of channel, identifier and length, 10 ms apart for each identifier.
    fn recording(messages: &[(&str, u16, usize)]) -> (Recording, Channels) {
        let mut channels = Channels::default();
        let mut records = Vec::new();
        for round in 0..4 {
            for (channel, id, length) in messages {
                let frame = Frame::classic(Id::standard(*id).unwrap(), &[0; 8][..*length]).unwrap();
                records.push(Record {
                    at_ns: round * 10_000_000,
                    channel: channels.intern(channel.as_bytes()).unwrap(),
                    entry: LogEntry::Frame {
                        frame,
                        direction: None,
                    },
                });
            }
        }
        let mut records = records.into_iter();
        let read = Recording::read(|| Ok::<_, ()>(records.next()));
        (read.unwrap(), channels)
    }

    #[test]
    fn the_only_channel_is_the_bus() {
        let (read, channels) = recording(&[("can0", 1, 3), ("can0", 2, 8)]);
        let (messages, choice) = read.of_bus(&channels, None, &|_| false).unwrap();
        let id = |raw| Id::standard(raw).unwrap();
        assert_eq!(messages.lengths, HashMap::from([(id(1), 3), (id(2), 8)]));
        assert_eq!(messages.periods[&id(1)], Duration::from_millis(10));
        assert_eq!(choice.channel.as_deref(), Some("can0"));
        assert_eq!(choice.among, None);
    }

    #[test]
    fn the_identifiers_tell_the_bus_among_several_channels() {
        let all = [("a", 1, 1), ("b", 2, 1), ("b", 3, 1), ("b", 4, 1)];
        let (read, channels) = recording(&all);
        let known = |id: Id| (2..=3).contains(&id.raw());
        let (messages, choice) = read.clone().of_bus(&channels, None, &known).unwrap();
        assert_eq!(messages.lengths.len(), 3);
        assert_eq!(choice.channel.as_deref(), Some("b"));
        let among = "a (0 of 1 identifier known), b (2 of 3 identifiers known)";
        assert_eq!(choice.among.as_deref(), Some(among));
        let (messages, choice) = read.clone().of_bus(&channels, Some("a"), &known).unwrap();
        assert_eq!((messages.lengths.len(), choice.among), (1, None));
        let unknown = read.clone().of_bus(&channels, None, &|_| false);
        assert_eq!(
            unknown.unwrap_err().among(),
            "a (0 of 1 identifier known), b (0 of 3 identifiers known)"
        );
        let missing = read.of_bus(&channels, Some("c"), &known).unwrap_err();
        assert_eq!(missing.to_string(), "no message is on channel c");
    }

    #[test]
    fn frames_without_a_message_are_counted_and_a_fault_ends_the_reading() {
        let mut channels = Channels::default();
        let channel = channels.intern(b"can0").unwrap();
        let remote = Frame::remote(Id::standard(1).unwrap(), 0).unwrap();
        let entries = [
            LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
            LogEntry::Frame {
                frame: remote,
                direction: None,
            },
            LogEntry::ErrorFrame(ErrorFrame::BUS_ERROR),
        ];
        let records = entries.map(|entry| Record {
            at_ns: 0,
            channel,
            entry,
        });
        let mut all = records.into_iter();
        let read = Recording::read(|| Ok::<_, ()>(all.next())).unwrap();
        assert_eq!(
            read.left_out(),
            [
                "1 remote frame left out: no messages",
                "2 error frames left out: no messages"
            ]
        );
        let (messages, choice) = read.of_bus(&channels, None, &|_| true).unwrap();
        assert_eq!((messages.lengths.len(), choice.channel), (0, None));
        let mut all = records.into_iter().map(Some).map(Ok).chain([Err("broken")]);
        let read = Recording::read(|| all.next().unwrap());
        assert_eq!(read, Err("broken"));
    }
}
