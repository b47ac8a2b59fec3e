//! JSON Lines of a bus that is followed: a line for each second of each channel.

use std::io::{self, Write as _};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::Failure;

use crate::logs::seconds::Finished;

/// Traffic of one channel in one second. Loads are shares.
#[derive(Serialize, JsonSchema)]
struct Line<'a> {
    /// Start of the second, on the log's clock. The first one begins with the first frame.
    time_ns: u64,
    /// The channel, as the log names it, or the interface.
    channel: &'a str,
    /// 1, or less for the rest at the end.
    duration_s: f64,
    /// Frames in it.
    frames: u64,
    /// Frames a second.
    frames_per_s: f64,
    /// Identifiers in it.
    ids: usize,
    /// Frames and their three bits of intermission.
    load: f64,
    /// Frames alone, from start of frame to end of frame.
    load_without_intermission: f64,
    /// Frames since the beginning.
    total_frames: u64,
    /// Load since the beginning, with intermission.
    total_load: f64,
}

/// The schema of what programs read.
pub const SCHEMA: DocumentSchema = DocumentSchema::of_lines::<Line<'_>>(
    "bus-load-line",
    1,
    "waywarden bus load LOG --bitrate RATE --lines",
);

/// Prints the lines of a second that is over, for a reader that follows.
pub(super) fn print(first_ns: u64, finished: &Finished) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for (channel, second) in &finished.channels {
        let line = Line {
            time_ns: first_ns.saturating_add(finished.begin.as_nanos()),
            channel,
            duration_s: finished.seconds(),
            frames: second.frames,
            frames_per_s: finished.frames_per_second(second),
            ids: second.ids(),
            load: finished.load(second),
            load_without_intermission: finished.load_without_intermission(second),
            total_frames: second.total_frames,
            total_load: finished.total_load(second),
        };
        serde_json::to_writer(&mut out, &line).map_err(|error| Failure::writing(error.into()))?;
        out.write_all(b"\n").map_err(Failure::writing)?;
    }
    out.flush().map_err(Failure::writing)
}
