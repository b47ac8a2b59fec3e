//! Forgeries that ECUs accepted as genuine: messages of streams and of the exchange of keys.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::RunOutcome;
use crate::measure::KeyDeception;

/// Messages that an ECU took and their sender did not send, while an attack was after their stream.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TakenRow {
    /// The attack.
    pub attack: String,
    /// The stream.
    pub stream: String,
    /// The ECU that took them.
    pub ecu: String,
    /// Number of messages.
    pub messages: u64,
}

/// A forgery that an ECU accepted as genuine in the exchange of keys.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct KeyDeceptionRow {
    /// The attack.
    pub attack: String,
    /// The ECU that was deceived.
    pub ecu: String,
    /// Kind of deception.
    pub deception: KeyDeception,
    /// Number of times.
    pub times: u64,
}

impl fmt::Display for TakenRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}: {}", self.stream, self.ecu, self.messages)
    }
}

impl fmt::Display for KeyDeceptionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} by {}: {}",
            self.deception.words(),
            self.ecu,
            self.times
        )
    }
}

/// Lists an attack's messages that receivers accepted and the sender did not send, by stream and
/// ECU.
pub(super) fn messages(outcome: &RunOutcome, attack: &str) -> Vec<TakenRow> {
    let all = outcome.measure.forgeries.by_attack.iter();
    let own = all.filter(|((one, ..), _)| one == attack);
    let rows = own.map(|((_, stream, ecu), times)| TakenRow {
        attack: attack.to_owned(),
        stream: outcome.measure.watched[*stream].name.clone(),
        ecu: outcome.names.ecus[*ecu].clone(),
        messages: *times,
    });
    rows.collect()
}

/// Lists an attack's forgeries that ECUs accepted as genuine in the exchange of keys.
pub(super) fn key_deceptions(outcome: &RunOutcome, attack: &str) -> Vec<KeyDeceptionRow> {
    let all = outcome.measure.key_deceptions().of_attack(attack);
    let rows = all.map(|(ecu, deception, times)| KeyDeceptionRow {
        attack: attack.to_owned(),
        ecu: outcome.names.ecus[ecu].clone(),
        deception,
        times,
    });
    rows.collect()
}
