//! Messages of a recording: their periods and the lengths of their payloads.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use waywarden_can::{Format, Id};
use waywarden_can_log::{Channel, Channels};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::dbc::observed_periods;
use waywarden_vehicle_file::formatting::count;
use waywarden_work::Duration;

use super::damage::{LogReadingOptions, SkippedDamage};
use super::input;

/// Limit on channels that a message names; the rest is counted.
const NAMED_MAX: usize = 8;

/// Messages of one channel of a recording, by identifier.
#[derive(Clone, Debug, Default)]
pub struct RecordedMessages {
    /// Periods of those that were seen three times or more.
    pub periods: HashMap<Id, Duration>,
    /// The longest payload of each, in bytes.
    pub lengths: HashMap<Id, u8>,
}

/// The channel of a recording that is the bus of a message matrix.
pub struct RecordedBus<'a> {
    /// Name of the channel; without it the one that has most of the known identifiers.
    pub channel: Option<&'a str>,
    /// Returns true for an identifier of the matrix.
    pub is_known: &'a dyn Fn(Id) -> bool,
}

/// Identifiers of a channel.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    all: usize,
    known: usize,
}

/// Reads a channel of a recording of any format. Remote frames and error frames are no messages.
/// Reports what is left out, and the channel if it was to be chosen.
///
/// # Errors
/// For the first fault unless it is to be skipped, for a log without a line that can be read, and
/// for one of several channels of which none is the bus for certain.
pub fn recording(
    path: &Path,
    reading: LogReadingOptions,
    bus: &RecordedBus<'_>,
) -> Result<RecordedMessages, Failure> {
    let mut reader = input::open(path)?;
    let mut skipped = SkippedDamage::new(path, Some(reading));
    let (mut records, mut fault) = (0, None);
    let (mut remote, mut errors) = (0, 0);
    let mut lengths: HashMap<(Channel, Id), u8> = HashMap::new();
    let sightings = std::iter::from_fn(|| {
        loop {
            match reader.next()? {
                Ok(record) => {
                    records += 1;
                    let Some(frame) = record.entry.frame() else {
                        errors += 1;
                        continue;
                    };
                    if frame.format() == Format::Remote {
                        remote += 1;
                        continue;
                    }
                    let of = (record.channel, frame.id());
                    // 64 bytes at most.
                    let length = frame.data().len() as u8;
                    let longest = lengths.entry(of).or_default();
                    *longest = length.max(*longest);
                    return Some((of, Duration::from_nanos(record.at_ns)));
                }
                Err(error) => {
                    if let Err(failure) = skipped.skip(&error) {
                        fault = Some(failure);
                        return None;
                    }
                }
            }
        }
    });
    let periods = observed_periods(sightings);
    if let Some(failure) = fault {
        return Err(failure);
    }
    skipped.finish(&reader, records)?;
    let shown = path.display();
    for (number, kind) in [(remote, "remote frame"), (errors, "error frame")] {
        if number > 0 {
            let frames = count(number, kind);
            messages::note(format_args!("{shown}: {frames} left out: no messages"));
        }
    }
    let chosen = choose(path, bus, reader.channels(), lengths.keys())?;
    let own = |(channel, id): (Channel, Id)| (Some(channel) == chosen).then_some(id);
    let periods = periods.into_iter();
    let lengths = lengths.into_iter();
    Ok(RecordedMessages {
        periods: periods
            .filter_map(|(of, period)| Some((own(of)?, period)))
            .collect(),
        lengths: lengths
            .filter_map(|(of, length)| Some((own(of)?, length)))
            .collect(),
    })
}

/// Chooses the channel of the bus; none for a log without messages.
fn choose<'a>(
    path: &Path,
    bus: &RecordedBus<'_>,
    channels: &Channels,
    messages: impl Iterator<Item = &'a (Channel, Id)>,
) -> Result<Option<Channel>, Failure> {
    let mut seen: BTreeMap<Channel, Seen> = BTreeMap::new();
    for &(channel, id) in messages {
        let own = seen.entry(channel).or_default();
        own.all += 1;
        own.known += usize::from((bus.is_known)(id));
    }
    let seen: Vec<(Channel, Seen)> = seen.into_iter().collect();
    let name = |channel: Channel| channels.name(channel);
    let failure = |why: &str| {
        let path = path.display();
        let listed = listed(&seen, name);
        Failure::new(plain_lines(&format!("{path}: {why}: {listed}")))
    };
    if let Some(wanted) = bus.channel {
        let found = seen.iter().find(|(channel, _)| name(*channel) == wanted);
        return match found {
            Some((channel, _)) => Ok(Some(*channel)),
            None => Err(failure(&format!(
                "no message is on channel {wanted}; --channel takes one of these"
            ))),
        };
    }
    let most = seen.iter().map(|(_, own)| own.known).max().unwrap_or(0);
    let best: Vec<_> = seen.iter().filter(|(_, own)| own.known == most).collect();
    match (seen.as_slice(), best.as_slice()) {
        ([], _) => Ok(None),
        ([(only, _)], _) => Ok(Some(*only)),
        (_, [(channel, _)]) if most > 0 => {
            messages::note(plain_lines(&format!(
                "{}: channel {} is taken, which has most of the identifiers: {}; --channel takes \
                 another",
                path.display(),
                name(*channel),
                listed(&seen, name)
            )));
            Ok(Some(*channel))
        }
        _ => Err(failure(
            "the log has several channels, and the identifiers do not tell which of them is the \
             bus; name it with --channel",
        )),
    }
}

/// Names channels with the numbers of their identifiers.
fn listed<'a>(seen: &[(Channel, Seen)], name: impl Fn(Channel) -> &'a str) -> String {
    let named = seen.iter().take(NAMED_MAX).map(|(channel, own)| {
        let all = count(own.all as u64, "identifier");
        format!("{} ({} of {all} known)", name(*channel), own.known)
    });
    let named: Vec<String> = named.collect();
    match seen.len().saturating_sub(NAMED_MAX) {
        0 if named.is_empty() => "none has a message".to_owned(),
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
