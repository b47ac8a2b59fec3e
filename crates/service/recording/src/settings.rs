//! Settings of a recording: selection, folder, and limits on files.

use std::fmt;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::Access;
use waywarden_v2x_wire::detect::detect;

use crate::folder;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;

/// The settings of one recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingSettings {
    /// The folder of the files. It must exist; one series of files needs one folder or one prefix.
    pub directory: PathBuf,
    /// Prefix of the file names: 1 to 64 letters, digits, `-` and `_`.
    pub prefix: String,
    /// The format of the files.
    pub format: RecordFormat,
    /// Selection of verdicts.
    pub verdicts: Verdicts,
    /// Size in bytes at which the next file begins: 64 KiB to 1 TiB. A file exceeds it by at most
    /// one record, and by its index (MCAP).
    pub file_bytes_max: u64,
    /// Age at which the next file begins: a second to 7 days.
    pub file_age_max: Duration,
    /// Most files that are kept, with the current one: 1 to 10,000.
    pub files_max: usize,
    /// Most bytes that are kept, with the current file: at least `file_bytes_max`.
    pub total_bytes_max: u64,
    /// Longest time until a verdict is handed to the operating system: 10 ms to a minute. This much
    /// is lost if the service is killed.
    pub flush: Duration,
    /// Pause after a failed write: 10 ms to an hour.
    pub retry: Duration,
}

impl Default for RecordingSettings {
    /// All verdicts as JSON Lines in `/var/lib/waywarden`: a file an hour, of at most 100 MiB; 48
    /// files and 2 GiB are kept.
    fn default() -> Self {
        Self {
            directory: PathBuf::from("/var/lib/waywarden"),
            prefix: "verdicts".to_owned(),
            format: RecordFormat::JsonLines,
            verdicts: Verdicts::All,
            file_bytes_max: 100 << 20,
            file_age_max: Duration::from_secs(3_600),
            files_max: 48,
            total_bytes_max: 2 << 30,
            flush: Duration::from_secs(1),
            retry: Duration::from_secs(10),
        }
    }
}

/// The format of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    /// One JSON object a line.
    JsonLines,
    /// MCAP with messages of ROS 2.
    Mcap,
}

impl RecordFormat {
    /// Returns the extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonl",
            Self::Mcap => "mcap",
        }
    }
}

/// A selection of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdicts {
    /// All verdicts.
    All,
    /// Verdicts on accepted messages.
    Accepted,
    /// Verdicts on refused messages.
    Refused,
    /// All but those on bytes in which there is no SPDU: no certificate is needed to send such
    /// bytes, and their verdicts can push older ones out.
    Spdus,
}

impl Verdicts {
    pub(super) fn has(self, event: &VerdictEvent) -> bool {
        let is_accepted = event.verification.is_accepted();
        match self {
            Self::All => true,
            Self::Accepted => is_accepted,
            Self::Refused => !is_accepted,
            Self::Spdus => is_accepted || detect(&event.message).is_ok(),
        }
    }
}

/// An invalid setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSettings {
    /// Name of the field.
    pub setting: &'static str,
    /// Expected value.
    pub expected: &'static str,
}

impl fmt::Display for InvalidSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}", self.setting, self.expected)
    }
}

impl std::error::Error for InvalidSettings {}

const FILE_BYTES: RangeInclusive<u64> = 64 << 10..=1 << 40;
const FILE_AGE: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(604_800);
const FILES: RangeInclusive<usize> = 1..=10_000;
const FLUSH: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(60);
const RETRY: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(3_600);
const PREFIX_BYTES: RangeInclusive<usize> = 1..=64;

impl RecordingSettings {
    /// Checks that the folder exists, and that this process may list it and write to it. It makes
    /// no file.
    ///
    /// # Errors
    ///
    /// What the operating system says of the folder.
    pub fn check_directory(&self) -> io::Result<()> {
        let access = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
        folder::check(&self.directory, access)
    }

    /// Checks that every setting is in its range. It does not look at the disk.
    ///
    /// # Errors
    ///
    /// The first setting that is not.
    pub fn check(&self) -> Result<(), InvalidSettings> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let prefix = PREFIX_BYTES.contains(&self.prefix.len()) && self.prefix.bytes().all(is_plain);
        let checks = [
            (
                prefix,
                "prefix",
                "1 to 64 letters, digits, hyphens and underscores",
            ),
            (
                FILE_BYTES.contains(&self.file_bytes_max),
                "file_bytes_max",
                "64 KiB to 1 TiB",
            ),
            (
                FILE_AGE.contains(&self.file_age_max),
                "file_age_max",
                "a second to 7 days",
            ),
            (FILES.contains(&self.files_max), "files_max", "1 to 10,000"),
            (
                self.total_bytes_max >= self.file_bytes_max,
                "total_bytes_max",
                "at least file_bytes_max",
            ),
            (FLUSH.contains(&self.flush), "flush", "10 ms to a minute"),
            (RETRY.contains(&self.retry), "retry", "10 ms to an hour"),
        ];
        match checks.into_iter().find(|(holds, ..)| !holds) {
            Some((_, setting, expected)) => Err(InvalidSettings { setting, expected }),
            None => Ok(()),
        }
    }
}
