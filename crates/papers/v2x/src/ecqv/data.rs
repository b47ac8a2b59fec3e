//! The paper's printed numbers, read from `papers/ecqv-cits.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;
use waywarden_work::OperationKind;

use super::quantity::{Role, name};
use waywarden_paper_tables::{PaperError, Printed};

/// The paper's key.
pub(super) const KEY: &str = "ecqv-cits";

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/ecqv-cits.toml");

/// The paper's numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    pub(super) board: Vec<Column>,
    pub(super) latency: Vec<Latency>,
    pub(super) scenario: Vec<Scenario>,
    pub(super) hardware: Vec<Hardware>,
}

/// A board's numbers of Tables I and II, in milliseconds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Column {
    /// The paper's name of the board.
    pub(super) name: String,
    /// Name of the board's file.
    pub(super) board: String,
    pub(super) operations: BTreeMap<String, Printed>,
    pub(super) roles: Roles<Printed>,
}

/// Something of each role.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Roles<T> {
    full_sender: T,
    direct_sender: T,
    receiver: T,
}

/// A row of Table III: by board 1 or 0 for senders, messages for receivers.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Latency {
    pub(super) ms: u64,
    #[serde(flatten)]
    pub(super) roles: Roles<BTreeMap<String, Printed>>,
}

/// A scenario of the NHTSA.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) latency_ms: u64,
    pub(super) range_m: Printed,
}

/// Hardware that verifies, and how many signatures in 100 ms.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Hardware {
    pub(super) name: String,
    pub(super) signatures: Printed,
    /// The size of its curve, where that is not the standard's.
    pub(super) curve_bits: Option<u32>,
}

impl<T> Roles<T> {
    /// Returns what is of a role.
    pub(super) const fn of(&self, role: Role) -> &T {
        match role {
            Role::FullSender => &self.full_sender,
            Role::DirectSender => &self.direct_sender,
            Role::Receiver => &self.receiver,
        }
    }
}

impl Data {
    /// Reads the file.
    pub(super) fn load() -> Result<Self, PaperError> {
        toml::from_str(TEXT).map_err(|fault| PaperError::Data {
            key: KEY,
            fault: fault.to_string(),
        })
    }
}

impl Column {
    /// Returns a number of Table I.
    pub(super) fn operation(&self, kind: OperationKind) -> Result<&Printed, PaperError> {
        let printed = self.operations.get(name(kind));
        printed.ok_or_else(|| missing(&format!("{} on {}", name(kind), self.name)))
    }
}

pub(super) fn missing(what: &str) -> PaperError {
    PaperError::Missing {
        key: KEY,
        what: what.to_owned(),
    }
}
