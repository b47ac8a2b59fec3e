//! Modes of judging frames.

use schemars::JsonSchema;
use serde::Serialize;

/// Mode of judging the frames of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judging {
    /// As a recording: a verdict may wait for the frames that follow.
    Log,
    /// As a recording, with each verdict at once.
    Live,
    /// As a receiver in a vehicle that starts with the log.
    Ecu,
}
