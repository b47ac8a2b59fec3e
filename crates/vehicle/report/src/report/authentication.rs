//! Authenticated streams and displays, in figures.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;

use super::cells::{Cells, ms as cell};
use super::ms;
use crate::RunOutcome;
use crate::measure::{CheckFigures, span};
use crate::prose;
use waywarden_vehicle_file::{Authentication, BeforeFirstKey, KeyStoreKind, VehicleFile};

/// An authentication in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AuthenticationRow {
    /// Its name.
    pub authentication: String,
    /// The protocol and its profile.
    pub protocol: String,
    /// The code.
    pub mac: &'static str,
    /// Location of the keys: `software` or `module`.
    pub key_store: &'static str,
    /// The group whose key it follows; none if its keys are in place when the car starts.
    pub group: Option<String>,
    /// The logical ECU whose key it follows in place of the group's.
    pub subgroup: Option<u8>,
    /// The security module that grants its keys; none if they come from elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<String>,
    /// Behaviour of ECUs until the group has its first key, if they do not wait for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_first_key: Option<&'static str>,
    /// Messages taken that the sender did not send, over all receivers.
    pub forged: u64,
    /// Outcomes by stream and the ECU that checks it.
    pub checks: Vec<CheckRow>,
}

/// Outcomes of the messages of a stream at an ECU that checks them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckRow {
    /// The authentication.
    pub authentication: String,
    /// The stream.
    pub stream: String,
    /// The ECU that checks.
    pub ecu: String,
    /// True if it is a gateway that verifies for the ECUs behind it.
    pub gateway: bool,
    /// Protected frames that were handed to its check. If a message is one frame (SecOC), this is
    /// the sum of `authentic`, `forged`, `wrong_tag`, `replay`, `out_of_step`, `no_room`,
    /// `not_ready` and `unfinished`. Else tags in frames of their own count here, too.
    pub delivered: u64,
    /// Messages that were authentic and the sender's.
    pub authentic: u64,
    /// Messages taken that the sender did not send.
    pub forged: u64,
    /// Wrong tags.
    pub wrong_tag: u64,
    /// Messages not newer than those before.
    pub replay: u64,
    /// Data whose tag never came.
    pub missing: u64,
    /// Tags without data.
    pub tag_without_data: u64,
    /// Times that a receiver's state did not match the sender's.
    pub out_of_step: u64,
    /// Times that it matched again.
    pub resynced: u64,
    /// Frames dropped because the queue of frames that wait for a check was full.
    pub no_room: u64,
    /// Frames that came while the state that the ECU retains over a reset was damaged or exhausted.
    pub not_ready: u64,
    /// Frames that waited to be checked when the ECU was reset or the run ended; 0 where a message
    /// is two frames.
    pub unfinished: u64,
    /// The longest time without an authentic message, from the first one on.
    pub longest_gap_ms: f64,
}

impl CheckRow {
    /// Returns how many messages were refused, for whatever reason.
    #[must_use]
    pub const fn refused(&self) -> u64 {
        self.wrong_tag + self.replay + self.missing + self.tag_without_data + self.out_of_step
    }
}

/// Figures of a display.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DisplayRow {
    /// The ECU.
    pub ecu: String,
    /// The module that shows.
    pub module: String,
    /// Changes that go back to something that people did at the sender.
    pub from_input: u64,
    /// Changes to values that the sender sent before any input.
    pub from_start: u64,
    /// Changes to values that the sender did not send.
    pub not_sent: u64,
    /// Warnings and failures, which are no values.
    pub signs: u64,
    /// The first changes.
    pub changes: Vec<ChangeRow>,
}

/// A change of a display.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangeRow {
    /// Time of the change.
    pub at_ms: f64,
    /// The value shown, and its source.
    pub shows: String,
}

pub(super) fn rows(file: &VehicleFile, outcome: &RunOutcome) -> Vec<AuthenticationRow> {
    let tables = file.authentications.iter().zip(outcome.measure.checks());
    tables
        .map(|(table, checks)| row(file, table, checks, outcome))
        .collect()
}

fn row(
    file: &VehicleFile,
    table: &Authentication,
    checks: &[CheckFigures],
    outcome: &RunOutcome,
) -> AuthenticationRow {
    let key = table.keys.group_key();
    AuthenticationRow {
        authentication: table.name.value.clone(),
        protocol: table.protocol_name(),
        mac: table.mac().name(),
        key_store: key_store_name(table.key_store),
        group: key.map(|key| file.groups[key.group].name.value.clone()),
        subgroup: key.and_then(|key| key.logical).map(|logical| logical.0),
        granted_by: granting(file, table).map(str::to_owned),
        before_first_key: match table.keys.before_first_key() {
            BeforeFirstKey::Withhold => None,
            BeforeFirstKey::Retained => Some("retained"),
        },
        forged: checks.iter().map(|check| check.forged).sum(),
        checks: checks
            .iter()
            .map(|check| check_row(table, check, outcome))
            .collect(),
    }
}

const fn key_store_name(key_store: KeyStoreKind) -> &'static str {
    match key_store {
        KeyStoreKind::Software => "software",
        KeyStoreKind::Module => "module",
    }
}

/// Returns the name of the security module that grants the keys of an authentication.
fn granting<'a>(file: &'a VehicleFile, table: &Authentication) -> Option<&'a str> {
    let network = table.keys.granting_network()?;
    Some(file.lasan[network].name.value.as_str())
}

/// Returns the location and the origin of the keys of an authentication.
pub(super) fn keys_of(file: &VehicleFile, table: &Authentication) -> String {
    let key = table.keys.group_key();
    let group = key.map(|key| file.groups[key.group].name.value.as_str());
    let subgroup = key.and_then(|key| key.logical).map(|logical| logical.0);
    if let Some(network) = granting(file, table) {
        return granted_in(key_store_name(table.key_store), network);
    }
    let is_retained = table.keys.before_first_key() == BeforeFirstKey::Retained;
    keys_in(
        key_store_name(table.key_store),
        group,
        subgroup,
        is_retained,
    )
}

fn granted_in(key_store: &str, network: &str) -> String {
    format!("{key_store}, granted by {network}")
}

fn keys_in(
    key_store: &str,
    group: Option<&str>,
    subgroup: Option<u8>,
    is_retained: bool,
) -> String {
    let mut text = match (group, subgroup) {
        (None, _) => key_store.to_owned(),
        (Some(group), None) => format!("{key_store}, of group {group}"),
        (Some(group), Some(logical)) => {
            format!("{key_store}, of group {group}, subgroup {logical}")
        }
    };
    if is_retained {
        text += ", retained until the first key";
    }
    text
}

fn check_row(table: &Authentication, check: &CheckFigures, outcome: &RunOutcome) -> CheckRow {
    CheckRow {
        authentication: table.name.value.clone(),
        stream: outcome.measure.watched[check.stream].name.clone(),
        ecu: outcome.names.ecus[check.ecu.0].clone(),
        gateway: check.is_gateway,
        delivered: check.delivered,
        authentic: check.authentic,
        forged: check.forged,
        wrong_tag: check.wrong_tag,
        replay: check.replay,
        missing: check.missing,
        tag_without_data: check.tag_without_data,
        out_of_step: check.out_of_step,
        resynced: check.resynced,
        no_room: check.no_room,
        not_ready: check.not_ready,
        unfinished: check.unfinished(),
        longest_gap_ms: ms(check.longest_gap),
    }
}

pub(super) fn displays(outcome: &RunOutcome) -> Vec<DisplayRow> {
    let displays = outcome.measure.displays.iter();
    let row = displays.map(|((ecu, module), figures)| DisplayRow {
        ecu: outcome.names.ecus[*ecu].clone(),
        module: module.clone(),
        from_input: figures.from_input,
        from_start: figures.from_start,
        not_sent: figures.not_sent,
        signs: figures.signs,
        changes: figures
            .changes
            .iter()
            .map(|change| ChangeRow {
                at_ms: ms(span(Time::ZERO, change.at)),
                shows: prose::display(&change.value, change.truth),
            })
            .collect(),
    });
    row.collect()
}

impl AuthenticationRow {
    /// Returns the location and the origin of the keys.
    fn keys_in(&self) -> String {
        if let Some(network) = &self.granted_by {
            return granted_in(self.key_store, network);
        }
        let (group, is_retained) = (self.group.as_deref(), self.before_first_key.is_some());
        keys_in(self.key_store, group, self.subgroup, is_retained)
    }
}

impl Cells for AuthenticationRow {
    const HEADERS: &'static [&'static str] = &[
        "authentication",
        "protocol",
        "code",
        "keys in",
        "authentic",
        "refused",
        "no room",
        "forged",
    ];
    const NUMBERS: Range<usize> = 4..8;

    fn cells(&self) -> Vec<String> {
        let sum = |of: fn(&CheckRow) -> u64| self.checks.iter().map(of).sum::<u64>().to_string();
        vec![
            self.authentication.clone(),
            self.protocol.clone(),
            self.mac.to_owned(),
            self.keys_in(),
            sum(|check| check.authentic),
            sum(CheckRow::refused),
            sum(|check| check.no_room),
            self.forged.to_string(),
        ]
    }
}

impl Cells for CheckRow {
    const HEADERS: &'static [&'static str] = &[
        "stream",
        "checked by",
        "delivered",
        "authentic",
        "forged",
        "wrong tag",
        "replay",
        "missing",
        "tag without data",
        "out of step",
        "resynced",
        "no room",
        "not ready",
        "unfinished",
        "longest gap ms",
    ];
    const NUMBERS: Range<usize> = 2..15;

    fn cells(&self) -> Vec<String> {
        vec![
            self.stream.clone(),
            match self.gateway {
                true => format!("{}, for others", self.ecu),
                false => self.ecu.clone(),
            },
            self.delivered.to_string(),
            self.authentic.to_string(),
            self.forged.to_string(),
            self.wrong_tag.to_string(),
            self.replay.to_string(),
            self.missing.to_string(),
            self.tag_without_data.to_string(),
            self.out_of_step.to_string(),
            self.resynced.to_string(),
            self.no_room.to_string(),
            self.not_ready.to_string(),
            self.unfinished.to_string(),
            cell(Some(self.longest_gap_ms)),
        ]
    }
}

impl Cells for DisplayRow {
    const HEADERS: &'static [&'static str] = &[
        "display",
        "module",
        "changes by input",
        "from the start",
        "never sent",
        "signs",
    ];
    const NUMBERS: Range<usize> = 2..6;

    fn cells(&self) -> Vec<String> {
        vec![
            self.ecu.clone(),
            self.module.clone(),
            self.from_input.to_string(),
            self.from_start.to_string(),
            self.not_sent.to_string(),
            self.signs.to_string(),
        ]
    }
}
