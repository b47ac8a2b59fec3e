//! Reads the files that say which messages are protected: a vehicle file, or tables that stand
//! alone.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser as _;
use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth_log::{AuthenticationPlan, BusAssignmentError, VehiclePlan};
use waywarden_vehicle_file::matrix::MessageMatrix;
use waywarden_vehicle_file::{
    AuthenticationFile, FileErrors, KEY_FILE_MAX, KeySource, Problem, VehicleFile,
};
use waywarden_vehicle_sim::log_keys::SimulatedKeys;

use crate::file_kind::{self, Expected};
use crate::matrix;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_command_line::messages;

/// Source of the settings: the messages that are protected, and how.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct PlanOptions {
    /// The vehicle whose streams and authentication tables these are; the keys are those that
    /// its runs have.
    #[arg(long, value_name = "CAR.toml")]
    vehicle: Option<PathBuf>,
    /// Tables that stand alone, with keys; docs/auth.md describes them.
    #[arg(long, value_name = "AUTH.toml", conflicts_with = "vehicle")]
    config: Option<PathBuf>,
    /// The message matrix whose names the tables use, and whose signals are shown (of DBC).
    #[arg(long, value_name = "MATRIX")]
    dbc: Option<PathBuf>,
    /// Classic frames of SecOC become CAN FD frames, as if all its tables said `fd = true`.
    #[arg(long, requires = "config")]
    fd: bool,
    /// The log's CHANNEL is this bus of the vehicle; without it, the bus of the same name, or the
    /// only one.
    #[arg(long, value_name = "CHANNEL=BUS")]
    channel: Vec<String>,
    /// The number of the start since the keys are in use, from 1: trip and epoch of the senders.
    /// Each log that is protected under the same keys needs a higher one.
    #[arg(
        long,
        value_name = "N",
        default_value_t = NonZeroU32::MIN,
        value_parser = clap::value_parser!(u32).range(1..).try_map(NonZeroU32::try_from)
    )]
    epoch: NonZeroU32,
}

impl PlanOptions {
    /// Reads the files where the message matrix is for the tables alone.
    pub(super) fn plan_without_signals(&self) -> Result<AuthenticationPlan, Failure> {
        match (&self.vehicle, &self.dbc) {
            (Some(_), Some(_)) => Err(Failure::new(
                "--dbc names the messages of the tables of a --config; a --vehicle has names of \
                 its own",
            )),
            _ => self.plan(),
        }
    }

    /// Returns the message matrix.
    pub(super) fn matrix(&self) -> Option<&Path> {
        self.dbc.as_deref()
    }

    /// Reads the files.
    pub(super) fn plan(&self) -> Result<AuthenticationPlan, Failure> {
        if self.vehicle.is_none() && !self.channel.is_empty() {
            return Err(Failure::new(
                "--channel says which bus of a --vehicle a channel is; in the tables of a \
                 --config write `channel`",
            ));
        }
        match (&self.vehicle, &self.config) {
            (Some(path), _) => self.of_vehicle(path),
            (None, Some(path)) => self.stand_alone(path),
            (None, None) => Err(Failure::new(
                "which messages, under which keys? give --config AUTH.toml with tables and \
                 keys, or --vehicle CAR.toml; see docs/auth.md",
            )),
        }
    }

    fn of_vehicle(&self, path: &Path) -> Result<AuthenticationPlan, Failure> {
        let text = file_kind::vehicle_text(path)?;
        let name = path.display().to_string();
        let file = VehicleFile::parse(&name, &text).map_err(|errors| of_file(&errors))?;
        let mut plan = VehiclePlan::new(&file).map_err(Failure::new)?;
        for word in &self.channel {
            let pair = word.split_once('=');
            match pair.map(|(channel, bus)| plan.assign(channel, bus)) {
                Some(Ok(())) => {}
                Some(Err(error @ BusAssignmentError::AssignedTwice { .. })) => {
                    return Err(Failure::new(format_args!("--channel {word}: {error}")));
                }
                _ => {
                    let buses = plan.buses();
                    return Err(Failure::new(format_args!(
                        "--channel {word}: give a channel of the log and a bus of {name}, such as \
                         can0={}; its buses: {}",
                        buses.first().map_or("main", String::as_str),
                        buses.join(", ")
                    )));
                }
            }
        }
        for name in plan.with_session_keys() {
            messages::warning(format_args!(
                "authentication {name:?} has keys that ECUs agree on or are granted \
                 while the car runs; no log shows them, so its streams are not looked at"
            ));
        }
        plan.finish(&SimulatedKeys(&file), self.epoch)
            .map_err(Failure::new)
    }

    fn stand_alone(&self, path: &Path) -> Result<AuthenticationPlan, Failure> {
        let matrix = self.dbc.as_deref().map(matrix).transpose()?;
        let text = files::text_of_kind(path, |head| {
            file_kind::refusal(path, head, Expected::Authentication)
        })?;
        let name = path.display().to_string();
        let file = AuthenticationFile::parse(&name, &text, matrix.as_ref())
            .map_err(|errors| of_file(&errors))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut plan = AuthenticationPlan::new(self.epoch);
        for table in &file.tables {
            let key = key(folder, &file, &table.key)?;
            plan.add_table(&file, table, key, self.fd)
                .map_err(|errors| of_file(&errors))?;
        }
        Ok(plan)
    }
}

/// Lists what is wrong with a file.
fn of_file(errors: &FileErrors) -> Failure {
    Failure::all(errors.listed().iter().map(ToString::to_string))
}

/// Reads a message matrix.
fn matrix(path: &Path) -> Result<MessageMatrix, Failure> {
    let matrix = matrix::read(path)?;
    match matrix.is_empty() {
        true => Err(Failure::new(format_args!(
            "{}: has no message; give the matrix whose names the tables use",
            path.display()
        ))),
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
        Failure::new(file.source.error(&located.span, problem))
    };
    // A pipe may have no end, and a device no beginning.
    match path.metadata() {
        Ok(there) if there.is_file() => {}
        Ok(_) => {
            let found = format!("{} is no file", path.display());
            return Err(failure(found, "name a file with 32 hexadecimal digits"));
        }
        Err(error) => {
            let remedy = "the path is relative to the folder of the tables";
            let (name, place) = (file.source.file_name(), file.source.place(&located.span));
            let place = format!("{name}:{place}: ");
            return Err(Failure::named_file(path.display(), &error, remedy).prefixed(&place));
        }
    }
    let text = files::bytes(&path, KEY_FILE_MAX)?;
    let bytes = std::str::from_utf8(&text).ok().and_then(KeySource::read);
    bytes.map(MacKey::from_bytes).ok_or_else(|| {
        let found = format!("{} has no key", path.display());
        failure(found, "put 16 bytes in hexadecimal there, 32 digits")
    })
}
