//! Counts of frames by stream and verdict.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_documents::document::DocumentFormat;

use crate::judging::Judging;
use crate::verdict::FrameVerdict;

/// The document of a checked log for programs.
pub const DOCUMENT: DocumentFormat<CheckSummary> = DocumentFormat::new(
    "auth-check",
    1,
    "waywarden auth check LOG --config FILE --format json",
);

/// Frames of one stream of one channel by verdict, or those of no stream. Serialized, the field
/// names are those of `waywarden auth check --format json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct StreamCounts {
    /// The channel, as the log names it.
    pub channel: String,
    /// The stream: its name or identifier, an identifier with `, announcements`, or `none`.
    pub stream: String,
    /// The protocol and its profile; empty for frames of no stream.
    pub protocol: String,
    /// All its frames: the sum of what follows.
    pub frames: u64,
    /// Authentic frames, newer than those before. See [`FrameVerdict::Authentic`].
    pub authentic: u64,
    /// Frames with a wrong tag. See [`FrameVerdict::WrongTag`].
    pub wrong_tag: u64,
    /// Frames not newer than one before. See [`FrameVerdict::Replay`].
    pub replay: u64,
    /// Messages whose tag did not come, or was wrong. See [`FrameVerdict::Missing`].
    pub missing: u64,
    /// Tags without a message. See [`FrameVerdict::TagWithoutData`].
    pub tag_without_data: u64,
    /// Frames with freshness that the check does not follow. See [`FrameVerdict::OutOfStep`].
    pub out_of_step: u64,
    /// Questions and answers, which need a receiver. See [`FrameVerdict::Unchecked`].
    pub unchecked: u64,
    /// Frames of no stream. See [`FrameVerdict::UnknownId`].
    pub unknown: u64,
    /// The counter of the first authentic message, where freshness is a counter of the stream's
    /// own; none while a log is judged as by an ECU.
    pub first_counter: Option<u64>,
}

/// The verdicts on a whole log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckSummary {
    /// Frames of all streams, and of none. Error frames are not counted.
    pub frames: u64,
    /// Frames that claim to be authentic and are not.
    pub refused: u64,
    /// Frames of no stream.
    pub unknown: u64,
    /// Mode of judging the frames.
    pub judged_as: Judging,
    /// Number of passes over the log: two if announcements of freshness were looked for first.
    pub passes: u8,
    /// True if frames claim to be authentic and none is, nor the replay of one, unless an ECU
    /// judges them: the key or the data ids are wrong, or the log is not protected.
    pub nothing_right: bool,
    /// The counts by stream, in the order in which the streams appear in the log.
    pub streams: Vec<StreamCounts>,
}

impl StreamCounts {
    pub(crate) fn new(channel: &str, stream: String, protocol: String) -> Self {
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
            first_counter: None,
        }
    }

    pub(crate) fn count(&mut self, verdict: FrameVerdict) {
        self.frames += 1;
        *match verdict {
            FrameVerdict::Authentic => &mut self.authentic,
            FrameVerdict::WrongTag => &mut self.wrong_tag,
            FrameVerdict::Replay => &mut self.replay,
            FrameVerdict::Missing => &mut self.missing,
            FrameVerdict::TagWithoutData => &mut self.tag_without_data,
            FrameVerdict::OutOfStep => &mut self.out_of_step,
            FrameVerdict::Unchecked => &mut self.unchecked,
            FrameVerdict::UnknownId => &mut self.unknown,
        } += 1;
    }

    /// Returns how many frames claim to be authentic and are not.
    #[must_use]
    pub const fn refused(&self) -> u64 {
        self.wrong_tag + self.replay + self.missing + self.tag_without_data + self.out_of_step
    }
}

impl CheckSummary {
    pub(crate) fn new(streams: Vec<StreamCounts>, judged_as: Judging, passes: u8) -> Self {
        let sum = |of: fn(&StreamCounts) -> u64| streams.iter().map(of).sum();
        let refused = sum(StreamCounts::refused);
        CheckSummary {
            frames: sum(|counts| counts.frames),
            refused,
            judged_as,
            passes,
            nothing_right: judged_as != Judging::Ecu
                && refused > 0
                && sum(|counts| counts.authentic + counts.replay) == 0,
            unknown: sum(|counts| counts.unknown),
            streams,
        }
    }

    /// Returns true if no frame belongs to any stream:
    /// [`crate::AuthenticationPlan::nothing_found`] explains why.
    #[must_use]
    pub fn is_about_nothing(&self) -> bool {
        let unchecked: u64 = self.streams.iter().map(|counts| counts.unchecked).sum();
        self.frames == self.unknown && unchecked == 0
    }
}
