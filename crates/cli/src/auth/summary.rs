//! What became of the frames of each stream.

use std::io::{self, Write};

use serde::Serialize;

use super::verdict::FrameVerdict;
use waywarden_command_line::table::{Format, Rows, print_json};

/// Frames of a stream, or of none, by verdict.
#[derive(Clone, Debug, Serialize)]
pub(super) struct StreamCounts {
    pub(super) channel: String,
    pub(super) stream: String,
    pub(super) protocol: String,
    pub(super) frames: u64,
    pub(super) authentic: u64,
    pub(super) wrong_tag: u64,
    pub(super) replay: u64,
    pub(super) missing: u64,
    pub(super) tag_without_data: u64,
    pub(super) out_of_step: u64,
    pub(super) unchecked: u64,
    pub(super) unknown: u64,
}

/// The whole log.
#[derive(Serialize)]
pub(super) struct CheckSummary {
    pub(super) frames: u64,
    /// Frames that claim to be authentic and are not.
    pub(super) refused: u64,
    pub(super) unknown: u64,
    pub(super) streams: Vec<StreamCounts>,
}

impl StreamCounts {
    pub(super) fn new(channel: &str, stream: String, protocol: String) -> Self {
        StreamCounts {
            channel: channel.to_owned(),
            stream,
            protocol,
            frames: 0,
            authentic: 0,
            wrong_tag: 0,
            replay: 0,
            missing: 0,
            tag_without_data: 0,
            out_of_step: 0,
            unchecked: 0,
            unknown: 0,
        }
    }

    pub(super) fn count(&mut self, verdict: FrameVerdict) {
        self.frames += 1;
        *match verdict {
            FrameVerdict::Authentic => &mut self.authentic,
            FrameVerdict::WrongTag => &mut self.wrong_tag,
            FrameVerdict::Replay => &mut self.replay,
            FrameVerdict::Missing => &mut self.missing,
            FrameVerdict::TagWithoutData => &mut self.tag_without_data,
            FrameVerdict::OutOfStep => &mut self.out_of_step,
            FrameVerdict::Unchecked => &mut self.unchecked,
            FrameVerdict::Unknown => &mut self.unknown,
        } += 1;
    }

    /// Frames that claim to be authentic and are not.
    fn refused(&self) -> u64 {
        self.wrong_tag + self.replay + self.missing + self.tag_without_data + self.out_of_step
    }

    fn cells(&self) -> Vec<String> {
        let numbers = [
            self.frames,
            self.authentic,
            self.wrong_tag,
            self.replay,
            self.missing,
            self.tag_without_data,
            self.out_of_step,
            self.unchecked,
            self.unknown,
        ];
        let names = [&self.channel, &self.stream, &self.protocol];
        let names = names.into_iter().cloned();
        names
            .chain(numbers.iter().map(ToString::to_string))
            .collect()
    }
}

impl CheckSummary {
    /// Whether no frame belongs to any stream.
    pub(super) fn is_about_nothing(&self) -> bool {
        let unchecked: u64 = self.streams.iter().map(|row| row.unchecked).sum();
        self.frames == self.unknown && unchecked == 0
    }

    pub(super) fn new(streams: Vec<StreamCounts>) -> Self {
        let sum = |of: fn(&StreamCounts) -> u64| streams.iter().map(of).sum();
        CheckSummary {
            frames: sum(|row| row.frames),
            refused: sum(StreamCounts::refused),
            unknown: sum(|row| row.unknown),
            streams,
        }
    }

    pub(super) fn print(&self, out: &mut impl Write, format: Format) -> io::Result<()> {
        match format {
            Format::Json => return print_json(out, self),
            Format::Csv => return self.rows().print_csv(out),
            Format::Table => self.rows().print(out)?,
        }
        let CheckSummary {
            frames,
            refused,
            unknown,
            ..
        } = self;
        match refused {
            0 => write!(
                out,
                "all frames of these streams are authentic: {}",
                frames - unknown
            )?,
            _ => write!(out, "{refused} of {frames} frames are not authentic")?,
        }
        match unknown {
            0 => writeln!(out),
            _ => writeln!(out, "; {unknown} frames belong to none"),
        }
    }

    fn rows(&self) -> Rows {
        let headers = vec![
            "channel",
            "stream",
            "protocol",
            "frames",
            "authentic",
            "wrong tag",
            "replay",
            "missing",
            "tag without data",
            "out of step",
            "unchecked",
            "unknown id",
        ];
        let numbers = 3..headers.len();
        Rows {
            headers,
            rows: self.streams.iter().map(StreamCounts::cells).collect(),
            numbers,
        }
    }
}
