//! `[verification]`: what is verified when, and at which expense.

use std::time::Duration;

use serde::Deserialize;
use waywarden_v2x_schedule::{Bounds, Criterion, Policy};
use waywarden_v2x_security::Profiles;
use waywarden_v2x_security::profile::AcceptedNonceForm;

use super::quantity::{
    number_between, parsed, size_between, some_number_between, some_time_between, time_between,
};
use crate::engine::VerificationSettings;

/// Order and cost of verification.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VerificationSection {
    /// Order in which messages are verified: by default `class`.
    #[serde(deserialize_with = "parsed")]
    pub policy: Policy,
    /// Most messages of a connection that wait: 1 to 1,048,576, by default 1,024.
    #[serde(deserialize_with = "number_between::<1, 1_048_576, _, _>")]
    pub messages: usize,
    /// Number of messages of each class and zone that are not dropped for others: 0 to a ninth of
    /// `messages`, by default 64.
    #[serde(deserialize_with = "number_between::<0, 116_508, _, _>")]
    pub reserved: usize,
    /// Messages of one sender that wait in their turn: 1 to 1,048,576, by default 32. Others of
    /// it wait behind those of all senders of the connection.
    #[serde(deserialize_with = "number_between::<1, 1_048_576, _, _>")]
    pub per_sender: usize,
    /// Time after which a waiting message is dropped: 1 ms to 1 h, by default 1 s.
    #[serde(deserialize_with = "time_between::<1_000, 3_600_000_000, _>")]
    pub wait: Duration,
    /// Each so-many-th message is the one that waits longest: 0 (never) to 1,000,000, by default 8.
    #[serde(deserialize_with = "number_between::<0, 1_000_000, _, _>")]
    pub oldest_every: u32,
    /// Time of a thread for a message, for the plan of the policy `safety`: 1 us to 10 s, by
    /// default 100 us.
    #[serde(deserialize_with = "time_between::<1, 10_000_000, _>")]
    pub verification_time: Duration,
    /// Time of a thread for a message of a known sender, whose certificate it has verified before:
    /// 1 us to 10 s, by default `verification_time`.
    #[serde(deserialize_with = "some_time_between::<1, 10_000_000, _>")]
    pub known_sender_time: Option<Duration>,
    /// Number of threads that verify: 1 to 1,024, by default as many as cores.
    #[serde(deserialize_with = "some_number_between::<1, 1_024, _, _>")]
    pub workers: Option<usize>,
    /// Most messages that a thread verifies together: 1 to 1,024, by default 64.
    #[serde(deserialize_with = "number_between::<1, 1_024, _, _>")]
    pub batch: usize,
    /// Longest wait of a message for others to be verified beside it, where messages come often:
    /// 0 s to 100 ms, by default 300 us.
    #[serde(deserialize_with = "time_between::<0, 100_000, _>")]
    pub gather: Duration,
    /// Memory for the tables of known keys of each thread: 0 B to 1 GiB, by default 1 MiB.
    #[serde(deserialize_with = "size_between::<0, 1_073_741_824, _>")]
    pub table_memory: u64,
    /// Steps of `nice` by which these threads have a lower priority than those that sign: 0 to 19,
    /// by default 10.
    #[serde(deserialize_with = "number_between::<0, 19, _, _>")]
    pub nice: u8,
    /// Drop what ETSI TS 103 097 demands beyond IEEE 1609.2, as `verify --lenient` does: by default
    /// not.
    pub lenient: bool,
    /// Check payloads of CAM, DENM and BSM against the region and the SSP of their certificate: by
    /// default so.
    pub payload_check: bool,
    /// Form of the `r` of a message's signature; by default that of each application's profile.
    pub nonce_form: Option<NonceFormSetting>,
}

/// A form of the `r` of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NonceFormSetting {
    /// Any that can be verified.
    Any,
    /// A point.
    Point,
    /// The x-coordinate alone.
    XOnly,
}

impl From<NonceFormSetting> for AcceptedNonceForm {
    fn from(form: NonceFormSetting) -> Self {
        match form {
            NonceFormSetting::Any => Self::Any,
            NonceFormSetting::Point => Self::Point,
            NonceFormSetting::XOnly => Self::XOnly,
        }
    }
}

impl Default for VerificationSection {
    fn default() -> Self {
        let bounds = VerificationSettings::BOUNDS;
        Self {
            policy: Criterion::Class.into(),
            messages: bounds.messages,
            reserved: bounds.reserved,
            per_sender: bounds.ranked_per_sender,
            wait: Duration::from_micros(bounds.wait_us),
            oldest_every: bounds.oldest_every,
            verification_time: Duration::from_micros(bounds.verification_us),
            known_sender_time: None,
            workers: None,
            batch: 64,
            gather: VerificationSettings::default().gather,
            table_memory: 1 << 20,
            nice: 10,
            lenient: false,
            payload_check: true,
            nonce_form: None,
        }
    }
}

/// Number of groups by class and zone, each of which has a reserve.
const GROUPS: usize = 9;

impl VerificationSection {
    /// Returns the settings of the engine's threads that verify.
    #[must_use]
    pub fn settings(&self) -> VerificationSettings {
        let microseconds = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let known_sender = self.known_sender_time.unwrap_or(self.verification_time);
        let bounds = Bounds {
            messages: self.messages,
            reserved: self.reserved,
            ranked_per_sender: self.per_sender,
            wait_us: microseconds(self.wait),
            oldest_every: self.oldest_every,
            verification_us: microseconds(self.verification_time),
            known_sender_us: microseconds(known_sender),
            // The engine knows how many threads there are.
            ..VerificationSettings::BOUNDS
        };
        VerificationSettings {
            policy: self.policy,
            bounds,
            workers: self.workers.unwrap_or(0),
            batch: self.batch,
            gather: self.gather,
            table_memory: usize::try_from(self.table_memory).unwrap_or(usize::MAX),
            nice: self.nice,
            payload_check: self.payload_check,
        }
    }

    /// Returns the profiles of applications.
    #[must_use]
    pub fn profiles(&self) -> Profiles {
        let mut profiles = Profiles::default();
        if let Some(form) = self.nonce_form {
            profiles = profiles.with_nonce_form(form.into());
        }
        match self.lenient {
            true => profiles.lenient(),
            false => profiles,
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let most = self.messages / GROUPS;
        match self.reserved <= most {
            true => Ok(()),
            false => Err(format!(
                "[verification] reserved: {} is more than a ninth of messages; give at most {most}",
                self.reserved
            )),
        }
    }
}
