//! `[service]`: the process.

use std::time::Duration;

use serde::Deserialize;

use super::quantity::{number_between, time_between};

/// The process.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProcessSection {
    /// The user that the process becomes when it starts as root: a name of /etc/passwd, or a
    /// number.
    pub user: Option<String>,
    /// The group that it has then: by default the user's.
    pub group: Option<String>,
    /// Default time for which an answer is of use: 1 ms to 1 h, by default 1 s.
    #[serde(deserialize_with = "time_between::<1_000, 3_600_000_000, _>")]
    pub deadline: Duration,
    /// Most waiting requests to sign: 1 to 65,536, by default 64.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub signing_queue: usize,
    /// Most waiting requests to decrypt: 1 to 65,536, by default 64.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub decryption_queue: usize,
    /// Most waiting requests to encrypt or look up: 1 to 65,536, by default 64.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub other_queue: usize,
    /// Number of verdicts kept for slow subscribers: 1 to 65,536, by default 4,096.
    #[serde(deserialize_with = "number_between::<1, 65_536, _, _>")]
    pub events: usize,
    /// Longest time for requests under way at the end: 10 ms to 10 min, by default 5 s.
    #[serde(deserialize_with = "time_between::<10_000, 600_000_000, _>")]
    pub shutdown: Duration,
    /// True if systemd's watchdog is answered, where the unit has one: the default.
    pub watchdog: bool,
}

impl ProcessSection {
    /// Checks that the keys are consistent.
    pub(super) fn check(&self) -> Result<(), String> {
        match (&self.user, &self.group) {
            (None, Some(group)) => Err(format!(
                "[service] group: {group:?} has no effect without user; give user, too, or leave \
                 group out and have systemd start the service with Group="
            )),
            _ => Ok(()),
        }
    }
}

impl Default for ProcessSection {
    fn default() -> Self {
        Self {
            user: None,
            group: None,
            deadline: Duration::from_secs(1),
            signing_queue: 64,
            decryption_queue: 64,
            other_queue: 64,
            events: 4_096,
            shutdown: Duration::from_secs(5),
            watchdog: true,
        }
    }
}
