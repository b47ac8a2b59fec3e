//! The paper's numbers of Tables IV to XIV, read from `papers/ecqv-cits-traffic.toml`.

use serde::Deserialize;

use super::data::{KEY, missing};
use waywarden_paper_tables::{PaperError, Printed};

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/ecqv-cits-traffic.toml");

/// The paper's numbers on traffic.
#[derive(Clone, Debug)]
pub(super) struct TrafficData {
    /// The names of the columns: an area and how much traffic there is.
    pub(super) columns: Vec<String>,
    pub(super) traffic: Traffic,
    pub(super) received: Vec<Received>,
    pub(super) times: Vec<VerificationTime>,
}

/// Numbers by column; `None`: not legible in the copy that was seen.
pub(super) type Values = Vec<Option<Printed>>;

/// Table IV.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    pub(super) vehicles: Values,
    pub(super) messages: Values,
    pub(super) road_km: Values,
    pub(super) vehicles_per_km: Values,
}

/// Numbers of messages that a vehicle receives, by column.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) table: String,
    pub(super) name: String,
    pub(super) values: Values,
}

/// Times that a board takes to verify them, in ms, by column.
#[derive(Clone, Debug)]
pub(super) struct VerificationTime {
    pub(super) table: String,
    /// The table with their number, under the same name.
    pub(super) of: String,
    pub(super) name: String,
    pub(super) board: String,
    pub(super) values: Values,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    columns: Vec<String>,
    traffic: TrafficTable,
    received: Vec<ReceivedRow>,
    time: Vec<TimeRow>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct TrafficTable {
    vehicles: Vec<String>,
    messages: Vec<String>,
    road_km: Vec<String>,
    vehicles_per_km: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReceivedRow {
    table: String,
    name: String,
    values: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimeRow {
    table: String,
    of: String,
    name: String,
    board: String,
    values: Vec<String>,
}

impl TrafficData {
    /// Reads the file.
    pub(super) fn load() -> Result<Self, PaperError> {
        let fault = |fault: String| PaperError::Data { key: KEY, fault };
        let file: File = toml::from_str(TEXT).map_err(|error| fault(error.to_string()))?;
        let width = file.columns.len();
        let values = |row: Vec<String>| -> Result<Values, PaperError> {
            if row.len() != width {
                return Err(fault(format!("{} columns, not {width}", row.len())));
            }
            let each = row.into_iter().map(|text| match text.is_empty() {
                true => Ok(None),
                false => Printed::try_from(text).map(Some),
            });
            let all: Result<Values, _> = each.collect();
            all.map_err(|error| fault(error.to_string()))
        };
        let received = file.received.into_iter().map(|row| {
            Ok(Received {
                table: row.table,
                name: row.name,
                values: values(row.values)?,
            })
        });
        let times = file.time.into_iter().map(|row| {
            Ok(VerificationTime {
                table: row.table,
                of: row.of,
                name: row.name,
                board: row.board,
                values: values(row.values)?,
            })
        });
        Ok(Self {
            traffic: Traffic {
                vehicles: values(file.traffic.vehicles)?,
                messages: values(file.traffic.messages)?,
                road_km: values(file.traffic.road_km)?,
                vehicles_per_km: values(file.traffic.vehicles_per_km)?,
            },
            received: received.collect::<Result<_, PaperError>>()?,
            times: times.collect::<Result<_, PaperError>>()?,
            columns: file.columns,
        })
    }

    /// Returns the rows of times by table and name, each of the first board that has it.
    pub(super) fn rows(&self) -> Vec<&VerificationTime> {
        let mut rows: Vec<&VerificationTime> = Vec::new();
        for time in &self.times {
            let mut known = rows.iter();
            if !known.any(|one| one.table == time.table && one.name == time.name) {
                rows.push(time);
            }
        }
        rows
    }

    /// Returns how many messages a table has under a name.
    pub(super) fn received(&self, table: &str, name: &str) -> Result<&Values, PaperError> {
        let mut all = self.received.iter();
        let found = all.find(|one| one.table == table && one.name == name);
        let found = found.ok_or_else(|| missing(&format!("{name} in {table}")))?;
        Ok(&found.values)
    }
}
