//! The plan of a log check: from a vehicle file, or from tables that stand alone.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth_log::{AuthenticationPlan, VehiclePlan};
use waywarden_input_files::files;
use waywarden_vehicle_file::matrix::MessageMatrix;
use waywarden_vehicle_file::{AuthenticationFile, KEY_FILE_MAX, KeySource, Problem, VehicleFile};
use waywarden_vehicle_sim::log_keys::SimulatedKeys;

use super::matrix;
use crate::error::Failure;
use crate::vehicle_text::{self, faults};

/// Source of the settings: the messages that are protected, and how.
pub(super) struct PlanSource {
    pub(super) config: Option<PathBuf>,
    pub(super) vehicle: Option<PathBuf>,
    pub(super) channels: BTreeMap<String, String>,
    pub(super) matrix: Option<PathBuf>,
    pub(super) epoch: NonZeroU32,
    pub(super) fd: bool,
}

impl PlanSource {
    /// Reads the files; returns remarks, too.
    pub(super) fn plan(
        &self,
        counters: BTreeMap<String, u64>,
    ) -> Result<(AuthenticationPlan, Vec<String>), Failure> {
        let (mut plan, remarks) = match (&self.vehicle, &self.config) {
            (Some(path), None) => self.of_vehicle(path)?,
            (None, Some(path)) => self.stand_alone(path)?,
            _ => {
                return Err(Failure::new(
                    "ParameterError",
                    "which messages, under which keys? give config with tables and keys, or \
                     vehicle, and not both; see docs/auth.md",
                ));
            }
        };
        for (stream, counter) in counters {
            plan.set_first_counter(Some(&canonical(&stream)), counter);
        }
        Ok((plan, remarks))
    }

    fn of_vehicle(&self, path: &Path) -> Result<(AuthenticationPlan, Vec<String>), Failure> {
        if self.matrix.is_some() || self.fd {
            return Err(Failure::new(
                "ParameterError",
                "matrix and fd are of the tables of config; a vehicle has its own",
            ));
        }
        let text = vehicle_text::read(path)?;
        let name = path.display().to_string();
        let file = VehicleFile::parse(&name, &text).map_err(|errors| faults(&errors))?;
        let failure = |why: String| Failure::new("ParameterError", why);
        let mut plan = VehiclePlan::new(&file).map_err(|error| failure(error.to_string()))?;
        for (channel, bus) in &self.channels {
            plan.assign(channel, bus).map_err(|error| {
                let buses = plan.buses().join(", ");
                failure(format!(
                    "channels {channel}={bus}: {error}; buses of {name}: {buses}"
                ))
            })?;
        }
        let session = plan.with_session_keys().map(|name| {
            format!(
                "authentication {name:?} has keys that ECUs agree on or are granted while the car \
                 runs; no log shows them, so its streams are not looked at"
            )
        });
        let remarks = session.collect();
        let plan = plan.finish(&SimulatedKeys(&file), self.epoch);
        Ok((plan.map_err(|error| failure(error.to_string()))?, remarks))
    }

    fn stand_alone(&self, path: &Path) -> Result<(AuthenticationPlan, Vec<String>), Failure> {
        if !self.channels.is_empty() {
            return Err(Failure::new(
                "ParameterError",
                "channels says which bus of a vehicle a channel is; in the tables of config write \
                 `channel`",
            ));
        }
        let mut remarks = Vec::new();
        let matrix = self.matrix.as_deref().map(|path| named(path, &mut remarks));
        let matrix = matrix.transpose()?;
        let text = vehicle_text::read(path)?;
        let name = path.display().to_string();
        let file = AuthenticationFile::parse(&name, &text, matrix.as_ref())
            .map_err(|errors| faults(&errors))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut plan = AuthenticationPlan::new(self.epoch);
        for table in &file.tables {
            let key = key(folder, &file, &table.key)?;
            let added = plan.add_table(&file, table, key, self.fd);
            added.map_err(|errors| faults(&errors))?;
        }
        Ok((plan, remarks))
    }
}

fn named(path: &Path, remarks: &mut Vec<String>) -> Result<MessageMatrix, Failure> {
    let (matrix, said) = matrix::read(path, false, false)?;
    remarks.extend(said);
    match matrix.is_empty() {
        true => Err(Failure::new(
            "LogError",
            format_args!(
                "{}: has no message; give the matrix whose names the tables use",
                path.display()
            ),
        )),
        false => Ok(matrix),
    }
}

/// Reads the key that a table names.
fn key(folder: &Path, file: &AuthenticationFile, source: &KeySource) -> Result<MacKey, Failure> {
    let located = match source {
        KeySource::Bytes(bytes) => return Ok(MacKey::from_bytes(*bytes)),
        KeySource::File(path) => path,
    };
    let path = folder.join(&located.value);
    let failure = |found: String, remedy| {
        let problem = Problem::Relation { found, remedy };
        Failure::new("VehicleError", file.source.error(&located.span, problem))
    };
    // A pipe may have no end, and a device no beginning.
    match path.metadata() {
        Ok(there) if there.is_file() => {}
        Ok(_) => {
            let found = format!("{} is no file", path.display());
            return Err(failure(found, "name a file with 32 hexadecimal digits"));
        }
        Err(error) => {
            let found = format!("{}: {error}", path.display());
            let remedy = "the path is relative to the folder of the tables";
            return Err(failure(found, remedy));
        }
    }
    let bytes = files::bytes(&path, KEY_FILE_MAX).map_err(vehicle_text::unread)?;
    let key = std::str::from_utf8(&bytes).ok().and_then(KeySource::read);
    key.map(MacKey::from_bytes).ok_or_else(|| {
        let found = format!("{} has no key", path.display());
        failure(found, "put 16 bytes in hexadecimal there, 32 digits")
    })
}

/// Writes an identifier as tables of streams have it: 3 digits for 11 bits, 8 for 29.
fn canonical(stream: &str) -> String {
    let digits = stream.strip_prefix("0x").unwrap_or("");
    match u32::from_str_radix(digits, 16) {
        Ok(id) if digits.len() <= 3 => format!("0x{id:03X}"),
        Ok(id) => format!("0x{id:08X}"),
        Err(_) => stream.to_owned(),
    }
}
