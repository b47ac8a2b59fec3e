//! `[log]`: the log.

use serde::Deserialize;

/// The log, which goes to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSection {
    /// How much is logged: by default `info`.
    pub level: Level,
    /// In which form: by default `text`.
    pub format: LogFormat,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// What the service cannot do.
    Error,
    /// The same, and what needs attention.
    Warn,
    /// The same, and what changes: begin, end, reload, time.
    #[default]
    Info,
    /// The same, and each connection.
    Debug,
    /// Everything.
    Trace,
}

/// The form of a log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// A line of text for each event.
    #[default]
    Text,
    /// A JSON object in a line for each event.
    Json,
}
