//! The load of each bus before and after security, in figures.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::formatting::percent;

use super::cells::Cells;
use crate::RunOutcome;
use crate::measure::BusyByPurpose;
use crate::require::load;

/// Load of a bus by purpose. Loads are shares of the run from 0 to 1; the sum is the bus's load.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SecurityLoadRow {
    /// The bus.
    pub bus: String,
    /// Frames of streams as they would be without authentication: computed from each frame that
    /// was sent, with its own payload and its exact stuff bits.
    pub before: f64,
    /// Additions of freshness and code to these frames, and frames of their own for codes,
    /// questions and answers.
    pub authenticators: f64,
    /// Announcements of freshness.
    pub freshness: f64,
    /// Exchanges of keys.
    pub keys: f64,
    /// Frames of attackers and replays, warnings of gateways.
    pub other: f64,
}

impl SecurityLoadRow {
    /// Returns the load of streams and security, without attackers.
    #[must_use]
    pub fn after(&self) -> f64 {
        self.before + self.authenticators + self.freshness + self.keys
    }

    /// Returns the load of the bus, attackers included, which limits are about.
    #[must_use]
    pub fn whole(&self) -> f64 {
        self.after() + self.other
    }
}

/// Makes a row for each bus if security adds something to one.
pub(super) fn rows(outcome: &RunOutcome) -> Vec<SecurityLoadRow> {
    let buses = outcome.measure.busy_by_purpose();
    if buses.iter().all(|busy| busy.security() == 0) {
        return Vec::new();
    }
    let row = |(bus, busy): (&String, &BusyByPurpose)| {
        let share = |picos: u64| load(picos, outcome.end);
        SecurityLoadRow {
            bus: bus.clone(),
            before: share(busy.streams),
            authenticators: share(busy.authenticators),
            freshness: share(busy.freshness),
            keys: share(busy.keys),
            other: share(busy.other),
        }
    };
    outcome.names.buses.iter().zip(buses).map(row).collect()
}

impl Cells for SecurityLoadRow {
    const HEADERS: &'static [&'static str] = &[
        "bus",
        "before",
        "authenticators",
        "freshness",
        "exchange of keys",
        "after",
        "attackers, replays, other",
        "whole",
    ];
    const NUMBERS: Range<usize> = 1..8;

    fn cells(&self) -> Vec<String> {
        let loads = [
            self.before,
            self.authenticators,
            self.freshness,
            self.keys,
            self.after(),
            self.other,
            self.whole(),
        ];
        let loads = loads
            .into_iter()
            .map(|load| format!("{:.2} %", load * 100.0));
        [self.bus.clone()].into_iter().chain(loads).collect()
    }
}

impl SecurityLoadRow {
    /// Returns the load before and after security, and the load of the bus if that is more, in
    /// words.
    #[must_use]
    pub fn words(&self) -> String {
        let (before, after) = (percent(self.before), percent(self.after()));
        let whole = percent(self.whole());
        match whole == after {
            true => format!("before {before}, after {after}"),
            false => format!("before {before}, after {after}, whole {whole}"),
        }
    }
}
