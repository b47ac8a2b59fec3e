//! A log as it was read: the frames of each channel, from the first time stamp on.

use std::collections::BTreeMap;
use std::path::Path;

use waywarden_can::Frame;
use waywarden_work::Duration;

use crate::exit::Failure;
use crate::files;

/// The frames of one channel, from the log's first time stamp on.
pub(super) type Recorded = Vec<(Duration, Frame)>;

/// A log as it was read.
pub(super) struct Recording {
    pub(super) channels: BTreeMap<String, Recorded>,
    /// From the first time stamp to the latest.
    pub(super) length: Duration,
    pub(super) simultaneous: u64,
    pub(super) backwards: u64,
}

impl Recording {
    /// Reads a log, or only one of its channels.
    ///
    /// # Errors
    /// For a log that cannot be read, without a frame, or whose frames all have one time stamp.
    pub(super) fn read(path: &Path, only: Option<&str>) -> Result<Self, Failure> {
        let frames = files::log_frames(path)?;
        let first = frames.first().map_or(0, |(_, at, _)| *at);
        let mut channels: BTreeMap<String, Recorded> = BTreeMap::new();
        let (mut latest, mut simultaneous, mut backwards, mut before) = (0, 0, 0, first);
        for (at, (channel, at_ns, frame)) in frames.into_iter().enumerate() {
            let since = at_ns.saturating_sub(first);
            backwards += u64::from(at_ns < before);
            before = at_ns;
            simultaneous += u64::from(at > 0 && since <= latest);
            latest = latest.max(since);
            if only.is_none_or(|wanted| *wanted == channel) {
                let frames = channels.entry(channel).or_default();
                frames.push((Duration::from_nanos(latest), frame));
            }
        }
        let log = path.display();
        match only {
            Some(channel) if channels.is_empty() => Err(Failure::new(format_args!(
                "{log}: the log has no frame on channel {channel}"
            ))),
            None if channels.is_empty() => {
                Err(Failure::new(format_args!("{log}: the log has no frame")))
            }
            _ if latest == 0 => Err(Failure::new(format_args!(
                "{log}: all frames have one time stamp, so there is no time to share; a load needs \
                 a log with later frames"
            ))),
            _ => Ok(Recording {
                channels,
                length: Duration::from_nanos(latest),
                simultaneous,
                backwards,
            }),
        }
    }
}
