//! One requirement and how a run met it: as codes and numbers for programs, as text for people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_file::{Span, VehicleFile};
use waywarden_work::Duration;

use crate::measure::{ms, span};

/// One requirement and how the run met it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementVerdict {
    /// The requirement.
    pub requirement: Requirement,
    /// The stream, group of keys, security module, bus, ECU or attack that it is about; null if it
    /// is about the vehicle.
    pub subject: Option<String>,
    /// True if the run met it.
    pub met: bool,
    /// The bound, in `unit`.
    pub required: f64,
    /// The measured value, in `unit`; null if that did not happen by the end of the run.
    pub measured: Option<f64>,
    /// The unit of `required` and `measured`.
    pub unit: RequirementUnit,
    /// Instances that did not arrive at a receiver and that the file does not allow to be lost.
    /// Each misses a bound on latency whatever was measured.
    pub instances_lost: u64,
    /// The requirement in words, such as `latency EngineSpeed`.
    pub title: String,
    /// The bound in words, with its unit.
    pub required_text: String,
    /// The measured value in words, with its unit.
    pub measured_text: String,
    /// Location of the requirement in the vehicle file, as `file:line:column`.
    pub place: String,
    /// A message that missed a latency, as `run --explain` takes it; left out if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<String>,
    /// Cause if it was missed: which ECU, which bus, and what took the time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// Kind of requirement on a run.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Requirement {
    /// `startup`: every stream reached all its receivers once.
    StartUp,
    /// `group_key_within`: all ECUs of a group had its first key.
    GroupKey,
    /// `authorized_within`: all ECUs of a security module were authenticated and had their keys.
    Authorized,
    /// `authentic_within`: the longest wait for a first authentic message.
    FirstAuthenticMessage,
    /// `bus_load`: the share of the time that a bus was busy.
    BusLoad,
    /// `cpu_load`: the share of its cores' time that an ECU computed.
    CpuLoad,
    /// `latency`: the slowest delivery of a stream.
    Latency,
    /// `undeceived`: messages, displayed values and key material that an ECU took though their
    /// sender did not send them.
    Undeceived,
    /// An attack, interference or fault that is not optional acts at least once.
    AttackActs,
    /// The image of an ECU takes part to the end of the run.
    ImageRuns,
}

/// The unit of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequirementUnit {
    /// Milliseconds.
    Ms,
    /// A share from 0 to 1.
    Share,
    /// A number of messages, values or actions.
    Count,
}

/// A bound and the measured value, in the same unit.
pub(crate) struct Comparison {
    required: f64,
    measured: Option<f64>,
    unit: RequirementUnit,
    required_text: String,
    measured_text: String,
}

impl Comparison {
    /// Compares times; `otherwise` is the text for a time that did not come.
    pub(crate) fn of_times(required: Duration, shown: Option<Duration>, otherwise: &str) -> Self {
        Comparison {
            required: ms(required),
            measured: shown.map(ms),
            unit: RequirementUnit::Ms,
            required_text: format!("{required:#}"),
            measured_text: shown.map_or(otherwise.to_owned(), |shown| shown.to_string()),
        }
    }

    /// Compares shares from 0 to 1.
    pub(crate) fn of_shares(required: f64, measured: f64) -> Self {
        Comparison {
            required,
            measured: Some(measured),
            unit: RequirementUnit::Share,
            required_text: percent(required),
            measured_text: percent(measured),
        }
    }

    /// Compares numbers, which have words of their own.
    pub(crate) fn of_counts(
        (required, required_text): (u64, &str),
        (measured, measured_text): (u64, String),
    ) -> Self {
        Comparison {
            required: required as f64,
            measured: Some(measured as f64),
            unit: RequirementUnit::Count,
            required_text: required_text.to_owned(),
            measured_text,
        }
    }

    /// Adds the missing instances in words; first, where they miss the requirement.
    pub(crate) fn with_losses(mut self, words: &str, is_missed_by_them: bool) -> Self {
        if words.is_empty() {
            return self;
        }
        self.measured_text = match (is_missed_by_them, self.measured) {
            (true, None) => words.to_owned(),
            (true, Some(_)) => format!("{words}; others took up to {}", self.measured_text),
            (false, _) => format!("{}, {words}", self.measured_text),
        };
        self
    }

    /// Creates the verdict: `met` is true if the bound holds, `at` is its place in the file.
    pub(crate) fn verdict(
        self,
        (requirement, subject): (Requirement, Option<&str>),
        met: bool,
        (file, at): (&VehicleFile, &Span),
        cause: Option<String>,
    ) -> RequirementVerdict {
        RequirementVerdict {
            requirement,
            subject: subject.map(str::to_owned),
            met,
            required: self.required,
            measured: self.measured,
            unit: self.unit,
            instances_lost: 0,
            title: requirement.title(subject),
            required_text: self.required_text,
            measured_text: self.measured_text,
            place: place(file, at),
            explain: None,
            cause,
        }
    }
}

impl Requirement {
    /// Returns the requirement in words.
    fn title(self, subject: Option<&str>) -> String {
        let words = match self {
            Requirement::StartUp => "start-up of streams",
            Requirement::GroupKey => "group key",
            Requirement::Authorized => "authorized",
            Requirement::FirstAuthenticMessage if subject.is_none() => "first authentic messages",
            Requirement::FirstAuthenticMessage => "first authentic message",
            Requirement::BusLoad => "bus load",
            Requirement::CpuLoad => "CPU load",
            Requirement::Latency => "latency",
            Requirement::Undeceived => "undeceived",
            Requirement::AttackActs => "attack",
            Requirement::ImageRuns => "image of",
        };
        match subject {
            None => words.to_owned(),
            Some(subject) => format!("{words} {subject}"),
        }
    }
}

/// Returns the time from power-on.
pub(crate) fn from_power_on(time: Option<Time>) -> Option<Duration> {
    time.map(|time| span(Time::ZERO, time))
}

/// Returns the place of a requirement, or of its subject, in the vehicle file.
fn place(file: &VehicleFile, span: &Span) -> String {
    let place = file.source.place(span);
    format!(
        "{}:{}:{}",
        file.source.file_name(),
        place.line,
        place.column
    )
}
