//! `[[recording]]`: files with every verdict.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::quantity::{number_between, size_between, time_between};
use waywarden_v2x_recording::{RecordFormat, RecordingSettings, Verdicts};

/// Files with every verdict, in one form.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordingSection {
    /// The folder of the files: by default `/var/lib/waywarden`.
    pub directory: PathBuf,
    /// Prefix of the file names: by default `verdicts`.
    pub prefix: String,
    /// The form of the files: by default `json-lines`.
    pub format: RecordingFormat,
    /// Selection of verdicts: by default all.
    pub verdicts: RecordedVerdicts,
    /// Size at which the next file begins: 64 KiB to 1 TiB, by default 100 MiB.
    #[serde(deserialize_with = "size_between::<65_536, 1_099_511_627_776, _>")]
    pub file_size: u64,
    /// Age at which the next file begins: 1 s to 7 d, by default 1 h.
    #[serde(deserialize_with = "time_between::<1_000_000, 604_800_000_000, _>")]
    pub file_age: Duration,
    /// Most files that are kept: 1 to 10,000, by default 48.
    #[serde(deserialize_with = "number_between::<1, 10_000, _, _>")]
    pub files: usize,
    /// Largest size of all files together: 64 KiB to 1 PiB, by default 2 GiB.
    #[serde(deserialize_with = "size_between::<65_536, 1_125_899_906_842_624, _>")]
    pub total_size: u64,
    /// Longest time until a recorded verdict is written: 10 ms to 1 min, by default 1 s.
    #[serde(deserialize_with = "time_between::<10_000, 60_000_000, _>")]
    pub flush: Duration,
    /// Pause after a file could not be written: 10 ms to 1 h, by default 10 s.
    #[serde(deserialize_with = "time_between::<10_000, 3_600_000_000, _>")]
    pub retry: Duration,
}

impl Default for RecordingSection {
    fn default() -> Self {
        Self {
            directory: PathBuf::from("/var/lib/waywarden"),
            prefix: "verdicts".to_owned(),
            format: RecordingFormat::JsonLines,
            verdicts: RecordedVerdicts::All,
            file_size: 100 << 20,
            file_age: Duration::from_secs(3_600),
            files: 48,
            total_size: 2 << 30,
            flush: Duration::from_secs(1),
            retry: Duration::from_secs(10),
        }
    }
}

impl RecordingSection {
    /// Returns the settings of the recording.
    #[must_use]
    pub fn settings(&self) -> RecordingSettings {
        RecordingSettings {
            directory: self.directory.clone(),
            prefix: self.prefix.clone(),
            format: match self.format {
                RecordingFormat::JsonLines => RecordFormat::JsonLines,
                RecordingFormat::Mcap => RecordFormat::Mcap,
            },
            verdicts: match self.verdicts {
                RecordedVerdicts::All => Verdicts::All,
                RecordedVerdicts::Accepted => Verdicts::Accepted,
                RecordedVerdicts::Refused => Verdicts::Refused,
                RecordedVerdicts::Spdus => Verdicts::Spdus,
            },
            file_bytes_max: self.file_size,
            file_age_max: self.file_age,
            files_max: self.files,
            total_bytes_max: self.total_size,
            flush: self.flush,
            retry: self.retry,
        }
    }

    /// Checks that the settings are consistent.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.total_size < self.file_size {
            return Err("[[recording]] total_size: expected at least file_size".to_owned());
        }
        let checked = self.settings().check();
        checked.map_err(|error| format!("[[recording]] {error}"))
    }
}

/// The form of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordingFormat {
    /// A JSON object a line.
    #[default]
    JsonLines,
    /// MCAP with messages of ROS 2.
    Mcap,
}

/// A selection of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordedVerdicts {
    /// All verdicts.
    #[default]
    All,
    /// Those of messages that are accepted.
    Accepted,
    /// Those of messages that are refused.
    Refused,
    /// All but those on bytes without an SPDU.
    Spdus,
}
