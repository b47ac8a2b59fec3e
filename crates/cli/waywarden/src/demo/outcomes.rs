//! Outcome of each attack on the car as it is, and on the car with SecOC.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::table::Rows;
use waywarden_vehicle_report::report::Report;

use super::figures::attacks;

/// Outcome of an attack on both cars.
#[derive(Serialize, JsonSchema)]
pub(super) struct AttackOutcome {
    /// Name of the attack.
    attack: String,
    /// Forged messages that receivers of the car as it is accepted.
    accepted_unprotected: u64,
    /// Forged messages that receivers of the car with SecOC accepted.
    accepted_with_secoc: u64,
    /// Effect of SecOC on the attack.
    outcome: Outcome,
}

/// Effect of SecOC on an attack.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    /// No receiver accepts a forged message any more.
    Stopped,
    /// A receiver still accepts one.
    NotStopped,
    /// Nothing: the attack forges no message.
    NoForgery,
}

impl Outcome {
    const fn words(self) -> &'static str {
        match self {
            Outcome::Stopped => "stopped",
            Outcome::NotStopped => "not stopped",
            Outcome::NoForgery => "no forgery: SecOC does not stop it",
        }
    }
}

/// Compares what attacks achieve on both cars, in the order of the file.
pub(super) fn of(before: &Report, after: &Report) -> Vec<AttackOutcome> {
    let rows = attacks(before).zip(attacks(after));
    let rows = rows.map(|(before, after)| AttackOutcome {
        attack: before.name.clone(),
        accepted_unprotected: before.taken,
        accepted_with_secoc: after.taken,
        outcome: match (before.taken, after.taken) {
            (0, 0) => Outcome::NoForgery,
            (_, 0) => Outcome::Stopped,
            _ => Outcome::NotStopped,
        },
    });
    rows.collect()
}

/// Makes the table for people.
pub(super) fn rows(outcomes: Vec<AttackOutcome>) -> Rows {
    let rows = outcomes.into_iter().map(|one| {
        vec![
            one.attack,
            one.accepted_unprotected.to_string(),
            one.accepted_with_secoc.to_string(),
            one.outcome.words().to_owned(),
        ]
    });
    Rows {
        headers: vec![
            "attack",
            "accepted as it is",
            "accepted with SecOC",
            "outcome",
        ],
        rows: rows.collect(),
        numbers: 1..3,
    }
}
