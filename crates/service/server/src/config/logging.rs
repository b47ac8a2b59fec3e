//! `[log]`: the log.

use serde::Deserialize;

/// The log, which goes to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSection {
    /// Least severity of logged events: by default `info`.
    pub level: LogLevel,
    /// Format of the lines: by default `text`.
    pub format: ServiceLogFormat,
}

/// The least severity of logged events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// Failures of the service.
    Error,
    /// The same, and events that need attention.
    Warn,
    /// The same, and changes: begin, end, reload, time.
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
pub enum ServiceLogFormat {
    /// A line of text for each event.
    #[default]
    Text,
    /// A JSON object in a line for each event.
    Json,
}
