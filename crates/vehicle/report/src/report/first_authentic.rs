//! The first authentic message of each authenticated stream, in figures.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::VehicleFile;

use super::authentication::keys_of;
use super::cells::{Cells, ms as cell};
use super::ms;
use crate::RunOutcome;
use crate::measure::{FirstMessage, StreamKeySource, Wait};
use crate::require::is_expected;

/// Waits of a stream's receivers for a first message that they accept as authentic.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FirstAuthenticRow {
    /// The stream.
    pub stream: String,
    /// The protocol and its profile.
    pub protocol: String,
    /// Origin of the keys: their location, and the group that agrees on them or the security module
    /// that grants them.
    pub keys: String,
    /// From power-on until the last ECU that checks had accepted one; none if one never did.
    pub power_on_ms: Option<f64>,
    /// The ECU of that wait.
    pub power_on_ecu: String,
    /// Later boots of the sender, or of an ECU that checks.
    pub boots: u64,
    /// The longest wait from one of these boots; none without one, or if none was accepted.
    pub after_boot_ms: Option<f64>,
    /// The ECU that waited so long; none if there was no such boot.
    pub after_boot_ecu: Option<String>,
}

/// Makes a row for each authenticated stream, in the order of authentications and security modules.
pub(super) fn rows(file: &VehicleFile, outcome: &RunOutcome) -> Vec<FirstAuthenticRow> {
    let all = outcome.measure.first_messages().iter();
    let all: Vec<&FirstMessage> = all
        .filter(|one| is_expected(&outcome.measure, one))
        .collect();
    let same = |a: &&FirstMessage, b: &&FirstMessage| (a.source, a.stream) == (b.source, b.stream);
    all.chunk_by(same)
        .filter_map(|own| row(file, outcome, own))
        .collect()
}

fn row(
    file: &VehicleFile,
    outcome: &RunOutcome,
    own: &[&FirstMessage],
) -> Option<FirstAuthenticRow> {
    let first = own.first()?;
    let name = |one: &FirstMessage| outcome.names.ecus[one.ecu.0].clone();
    let taken = |wait: &Wait| wait.accepted.map(|_| ms(wait.lasted()));
    let last = own.iter().max_by_key(|one| one.power_on.rank())?;
    let after = own.iter().filter_map(|one| Some((*one, one.after_boot?)));
    let after = after.max_by_key(|(_, wait)| wait.rank());
    let (protocol, keys) = match first.source {
        StreamKeySource::Authentication(at) => {
            let table = &file.authentications[at];
            (table.protocol_name(), keys_of(file, table))
        }
        StreamKeySource::SecurityModule(at) => {
            let lasan = &file.lasan[at];
            let profile = lasan.profile.name();
            let granted = format!("granted by {}", lasan.name.value);
            (format!("LASAN, {profile}"), granted)
        }
    };
    Some(FirstAuthenticRow {
        stream: outcome.measure.watched[first.stream].name.clone(),
        protocol,
        keys,
        power_on_ms: taken(&last.power_on),
        power_on_ecu: name(last),
        boots: own.iter().map(|one| one.boots).max().unwrap_or(0),
        after_boot_ms: after.as_ref().and_then(|(_, wait)| taken(wait)),
        after_boot_ecu: after.map(|(one, _)| name(one)),
    })
}

impl FirstAuthenticRow {
    /// Returns the waits from power-on and from later boots in milliseconds, as tables show them.
    #[must_use]
    pub fn times(&self) -> [String; 2] {
        let shown = |ms: Option<f64>| ms.map_or("never".to_owned(), |ms| cell(Some(ms)));
        let after = self.after_boot_ecu.as_ref();
        let after = after.map_or(String::new(), |_| shown(self.after_boot_ms));
        [shown(self.power_on_ms), after]
    }
}

impl Cells for FirstAuthenticRow {
    const HEADERS: &'static [&'static str] = &[
        "stream",
        "protocol",
        "keys in",
        "first authentic after power-on ms",
        "last at",
        "boots",
        "after boot ms",
        "at",
    ];
    const NUMBERS: Range<usize> = 3..4;

    fn cells(&self) -> Vec<String> {
        let [power_on, after] = self.times();
        vec![
            self.stream.clone(),
            self.protocol.clone(),
            self.keys.clone(),
            power_on,
            self.power_on_ecu.clone(),
            self.boots.to_string(),
            after,
            self.after_boot_ecu.clone().unwrap_or_default(),
        ]
    }
}
