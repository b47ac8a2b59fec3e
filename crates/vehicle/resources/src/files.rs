//! Board files and logs that a vehicle file names by a path. The caller opens them and fills these
//! in.

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::Frame;
use waywarden_work::Duration;

use waywarden_vehicle_file::{self as file, VehicleFile};

use crate::image::FirmwareImage;

/// Limit on frames of one log that are played back: 16 million, about 1.4 GB.
pub const LOG_FRAMES_MAX: usize = 1 << 24;

/// The files a vehicle file needs, loaded.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// Board files by the path the vehicle file has.
    pub boards: BTreeMap<String, Arc<Board>>,
    /// Logs by the path the vehicle file has.
    pub logs: BTreeMap<String, LoadedLog>,
    /// ECU images by the path the vehicle file has, and the board that they run on.
    pub images: BTreeMap<(String, &'static str), Arc<dyn FirmwareImage>>,
}

/// A log as playback needs it: frames by channel, from the log's first frame on.
#[derive(Clone, Debug, Default)]
pub struct LoadedLog {
    /// Frames of each channel by its name, in order of time.
    pub channels: BTreeMap<String, Arc<[(Duration, Frame)]>>,
    /// Time from the first frame to the last.
    pub length: Duration,
}

/// A path that a vehicle file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needed<'a> {
    /// A board file.
    Board {
        /// The path, relative to the vehicle file.
        path: &'a str,
        /// Place of the path in the vehicle file.
        span: file::Span,
    },
    /// An ECU image.
    Image {
        /// The path, relative to the vehicle file.
        path: &'a str,
        /// The emulated board that it runs on.
        machine: &'static str,
        /// Place of the path in the vehicle file.
        span: file::Span,
    },
    /// A bus log.
    Log {
        /// The path, relative to the vehicle file.
        path: &'a str,
        /// Place of the path in the vehicle file.
        span: file::Span,
    },
}

/// Returns the paths a vehicle file names, in its order.
pub fn needed(file: &VehicleFile) -> impl Iterator<Item = Needed<'_>> {
    let boards = file.ecus.iter().filter_map(|ecu| match &ecu.board.value {
        file::BoardSource::File(path) => Some(Needed::Board {
            path,
            span: ecu.board.span.clone(),
        }),
        file::BoardSource::BuiltIn(_) => None,
    });
    let logs = file.replays.iter().map(|replay| Needed::Log {
        path: &replay.log.value,
        span: replay.log.span.clone(),
    });
    let images = file.ecus.iter().filter_map(|ecu| {
        let firmware = ecu.firmware.as_ref()?;
        Some(Needed::Image {
            path: &firmware.image.value,
            machine: firmware.machine,
            span: firmware.image.span.clone(),
        })
    });
    boards.chain(images).chain(logs)
}

impl Needed<'_> {
    /// Returns the path, relative to the vehicle file.
    #[must_use]
    pub const fn path(&self) -> &str {
        match self {
            Needed::Board { path, .. } | Needed::Image { path, .. } | Needed::Log { path, .. } => {
                path
            }
        }
    }

    /// Returns the place of the path in the vehicle file.
    #[must_use]
    pub const fn span(&self) -> &file::Span {
        match self {
            Needed::Board { span, .. } | Needed::Image { span, .. } | Needed::Log { span, .. } => {
                span
            }
        }
    }
}

impl Resources {
    /// Returns an image that was loaded.
    #[must_use]
    pub fn image(&self, firmware: &file::Firmware) -> Option<&Arc<dyn FirmwareImage>> {
        let named = (firmware.image.value.clone(), firmware.machine);
        self.images.get(&named)
    }

    /// Returns a board, built in or loaded; none if it is neither.
    #[must_use]
    pub fn board(&self, board: &file::BoardSource) -> Option<Arc<Board>> {
        match board {
            file::BoardSource::BuiltIn(name) => Board::builtin(name).map(Arc::new),
            file::BoardSource::File(path) => self.boards.get(path).cloned(),
        }
    }
}

impl LoadedLog {
    /// Takes frames in order of the log: channel name, nanoseconds on the log's clock, frame.
    ///
    /// A frame stamped before the one in front of it counts as simultaneous with it.
    pub fn gather(frames: impl IntoIterator<Item = (String, u64, Frame)>) -> Self {
        let mut channels: BTreeMap<String, Vec<(Duration, Frame)>> = BTreeMap::new();
        let mut first = None;
        let mut latest = 0;
        for (channel, at_ns, frame) in frames.into_iter().take(LOG_FRAMES_MAX) {
            let first = *first.get_or_insert(at_ns);
            latest = at_ns.saturating_sub(first).max(latest);
            channels
                .entry(channel)
                .or_default()
                .push((Duration::from_nanos(latest), frame));
        }
        let channels = channels
            .into_iter()
            .map(|(name, frames)| (name, frames.into()))
            .collect();
        LoadedLog {
            channels,
            length: Duration::from_nanos(latest),
        }
    }
}
