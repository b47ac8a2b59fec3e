//! A vehicle made ready: the messages to protect, recorded periods and lengths, bit rate, board,
//! and stand-ins for receivers that a message matrix does not name.

use std::collections::{BTreeMap, HashMap};

use toml::{Table, Value};
use waywarden_can::Id;
use waywarden_vehicle_file::formatting::count;
use waywarden_vehicle_file::identifier::IdentifierFields;
use waywarden_vehicle_file::{EcuIndex, FileErrors, Problem, StreamIndex, Thing, VehicleFile};
use waywarden_work::Duration;

use super::FitVehicle;
use super::pattern::matches;
use super::stand_in::stand_in;
use super::wording::{have, in_messages, listed};
use crate::compare::masters;
use crate::composing::{change_stream, nanos, reason, seed, set, simulate_images, tables};

/// Tables that disturb a bus. A fit is about the bus without disturbance.
const DISTURBANCES: [&str; 5] = [
    "attacker",
    "interferer",
    "fault",
    "replay",
    "authentication",
];

/// Messages to protect.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Selection {
    /// All of them.
    #[default]
    All,
    /// Those whose names match one of these patterns, in which `*` is any text and `?` any letter.
    Named(Vec<String>),
    /// This share of them, from 0 to 1: those with the shortest periods, which cost most.
    Share(f64),
}

/// A message as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedStream {
    /// Its period; none if it was seen too rarely.
    pub period: Option<Duration>,
    /// Its longest payload, in bytes.
    pub length: u8,
}

/// Changes of a vehicle before candidates are made of it.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    /// Messages to protect.
    pub selection: Selection,
    /// Messages of a recording, whose periods and lengths replace those of the file.
    pub recorded: HashMap<Id, RecordedStream>,
    /// Messages of a matrix without a period, which the file therefore lacks.
    pub without_period: Vec<String>,
    /// Nominal bit rate of all buses instead of their own.
    pub bit_rate: Option<u32>,
    /// Board of the ECUs that name none.
    pub board: Option<String>,
    /// Seed of the random choices instead of the file's own.
    pub seed: Option<u64>,
    /// Simulated duration instead of the file's own.
    pub duration: Option<Duration>,
}

/// Reason why there is no vehicle to make candidates of.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// The vehicle file is in error.
    #[error("{0}")]
    File(FileErrors),
    /// A choice does not fit the vehicle.
    #[error("{0}")]
    Choice(String),
}

pub(super) fn prepare(
    file_name: &str,
    text: &str,
    preparation: &Preparation,
) -> Result<FitVehicle, FitError> {
    let mut original = VehicleFile::parse(file_name, text).map_err(FitError::File)?;
    one_bus(&original, preparation)?;
    // It was read as TOML just before, by the same parser.
    let mut table: Table = text.parse().unwrap_or_default();
    simulate_images(&mut original, &mut table);
    let mut remarks = Vec::new();
    if !preparation.without_period.is_empty() {
        let all: Vec<&str> = preparation
            .without_period
            .iter()
            .map(String::as_str)
            .collect();
        let (number, named) = (have(all.len()), listed(&all));
        remarks.push(format!("left out of the file: {number} no period: {named}"));
    }
    disturbances(&mut table, &mut remarks);
    if let Some(Value::Table(vehicle)) = table.get_mut("vehicle") {
        if let Some(number) = preparation.seed {
            vehicle.insert("seed".to_owned(), seed(number));
        }
        if let Some(duration) = preparation.duration {
            vehicle.insert("duration".to_owned(), nanos(duration));
        }
        if let Some(board) = &preparation.board {
            set(vehicle, "board", board.as_str());
        }
    }
    if let Some(rate) = preparation.bit_rate {
        for bus in tables(&mut table, "bus") {
            set(bus, "bitrate", rate.to_string());
        }
    }
    record(&mut table, &original, &preparation.recorded, &mut remarks);
    let chosen = choose(&original, preparation)?;
    stand_in(&mut table, &original, &chosen, &mut remarks);
    let masters = masters(&original);
    for place in &masters {
        let name = &original.ecu(place.ecu).name.value;
        remarks.push(format!("the freshness master of the file stays: {name}"));
    }
    let read = |table: &Table| {
        VehicleFile::compose(file_name, table)
            .map_err(|errors| FitError::Choice(in_messages(&reason(&errors))))
    };
    let mut file = read(&table)?;
    if spread(&mut table, &file, &mut remarks) {
        file = read(&table)?;
    }
    Ok(FitVehicle {
        file,
        table,
        chosen,
        masters,
        remarks,
    })
}

/// Refuses a recording for several buses: it is of one, and others may have the same identifiers.
fn one_bus(file: &VehicleFile, preparation: &Preparation) -> Result<(), FitError> {
    if preparation.recorded.is_empty() || file.buses.len() < 2 {
        return Ok(());
    }
    let names = file.buses.iter().map(|bus| bus.name.value.as_str());
    Err(FitError::Choice(format!(
        "a recording is of one bus, and the file has {}: {}; leave the recording out, or give a \
         file that has its bus alone",
        file.buses.len(),
        listed(&names.collect::<Vec<_>>())
    )))
}

/// Takes out what disturbs the bus, and the file's own message authentication.
fn disturbances(table: &mut Table, remarks: &mut Vec<String>) {
    let mut removed = Vec::new();
    let unchecked = tables(table, "authentication").filter(|one| one.contains_key("unchecked"));
    let unchecked = unchecked.count();
    for key in DISTURBANCES {
        if let Some(Value::Array(list)) = table.remove(key) {
            removed.push(format!("{} [[{key}]]", list.len()));
        }
    }
    if unchecked > 0 {
        removed.push(format!("`unchecked` of {unchecked} of them"));
    }
    for key in ["verify", "warning"] {
        // Nothing is protected that a route could verify.
        let routes = tables(table, "route").filter_map(|route| route.remove(key));
        match routes
            .filter(|value| *value != Value::Boolean(false))
            .count()
        {
            0 => {}
            number => removed.push(format!("`{key}` of {number} [[route]]")),
        }
    }
    // A requirement on those has nothing to measure.
    if let Some(Value::Table(require)) = table.get_mut("require")
        && require.remove("authentic_within").is_some()
    {
        removed.push("`authentic_within` of [require]".to_owned());
    }
    if !removed.is_empty() {
        remarks.push(format!("left out of the file: {}", removed.join(", ")));
    }
}

/// Takes periods and lengths from a recording.
fn record(
    table: &mut Table,
    file: &VehicleFile,
    recorded: &HashMap<Id, RecordedStream>,
    remarks: &mut Vec<String>,
) {
    if recorded.is_empty() {
        return;
    }
    let mut missing = Vec::new();
    for stream in &file.streams {
        let name = stream.name.value.as_str();
        let Some(seen) = recorded.get(&stream.id.value) else {
            missing.push(name);
            continue;
        };
        let period = seen.period.filter(|period| *period != stream.period);
        let length = Some(seen.length).filter(|length| *length != stream.length);
        let mut changes = Vec::new();
        if let Some(period) = period {
            change_stream(table, name, |stream| {
                set(stream, "period", nanos(period));
                stream.remove("offset");
                set(stream, "offset", "unknown");
            });
            changes.push(format!("every {period:#} instead of {:#}", stream.period));
        }
        if let Some(length) = length {
            change_stream(table, name, |stream| {
                set(stream, "length", i64::from(length));
            });
            let length = count(u64::from(length), "byte");
            changes.push(format!("{length} instead of {}", stream.length));
        }
        if !changes.is_empty() {
            remarks.push(format!("{name} as recorded: {}", changes.join(", ")));
        }
    }
    let is_known = |id: &Id| file.streams.iter().any(|stream| stream.id.value == *id);
    let unknown = recorded.keys().filter(|id| !is_known(id));
    let mut unknown: Vec<String> = unknown
        .map(|id| IdentifierFields::from(*id).id_hex)
        .collect();
    unknown.sort();
    if !unknown.is_empty() {
        let names: Vec<&str> = unknown.iter().map(String::as_str).collect();
        let belong = match unknown.len() {
            1 => "1 identifier of the recording belongs to no message, and its".to_owned(),
            number => {
                format!("{number} identifiers of the recording belong to no message, and their")
            }
        };
        remarks.push(format!("{belong} load is not counted: {}", listed(&names)));
    }
    if !missing.is_empty() {
        let (lacks, stay) = match missing.len() {
            1 => ("1 message".to_owned(), "stays as the file has it"),
            number => (format!("{number} messages"), "stay as the file has them"),
        };
        let named = listed(&missing);
        remarks.push(format!(
            "the recording lacks {lacks}, which {stay}: {named}"
        ));
    }
}

fn choose(file: &VehicleFile, preparation: &Preparation) -> Result<Vec<StreamIndex>, FitError> {
    let all = (0..file.streams.len()).map(StreamIndex);
    if file.streams.is_empty() {
        let text = "the vehicle has no message: there is nothing to protect";
        return Err(FitError::Choice(text.to_owned()));
    }
    match &preparation.selection {
        Selection::All => Ok(all.collect()),
        Selection::Named(patterns) => {
            let name = |at: &StreamIndex| file.stream(*at).name.value.as_str();
            for pattern in patterns {
                if !all.clone().any(|at| matches(pattern, name(&at))) {
                    let mut without = preparation.without_period.iter();
                    if let Some(found) = without.find(|one| matches(pattern, one)) {
                        return Err(FitError::Choice(format!(
                            "message {found:?} has no period: --log LOG takes it from a \
                             recording, --assume TIME gives it one"
                        )));
                    }
                    let known = file.streams.iter().map(|one| one.name.value.clone());
                    let problem = Problem::Unknown {
                        what: Thing::Stream,
                        name: pattern.clone(),
                        known: known.collect(),
                    };
                    return Err(FitError::Choice(in_messages(&problem.to_string())));
                }
            }
            let is_named = |at: &StreamIndex| patterns.iter().any(|one| matches(one, name(at)));
            Ok(all.filter(is_named).collect())
        }
        Selection::Share(share) => {
            let mut all: Vec<StreamIndex> = all.collect();
            let period = |at: StreamIndex| {
                let stream = file.stream(at);
                let seen = preparation.recorded.get(&stream.id.value);
                seen.and_then(|one| one.period).unwrap_or(stream.period)
            };
            all.sort_by_key(|at| (period(*at), at.0));
            let number = (share * all.len() as f64).ceil().max(1.0) as usize;
            all.truncate(number);
            all.sort();
            Ok(all)
        }
    }
}

/// Spreads the unknown offsets of each ECU evenly over the periods, as ECUs do; true if there are
/// any. Released all at once, more messages would wait for their codes than an ECU has room for.
fn spread(table: &mut Table, file: &VehicleFile, remarks: &mut Vec<String>) -> bool {
    let mut by_ecu: BTreeMap<EcuIndex, Vec<usize>> = BTreeMap::new();
    for (at, stream) in file.streams.iter().enumerate() {
        if stream.offset.is_unknown() {
            by_ecu.entry(stream.sender).or_default().push(at);
        }
    }
    for streams in by_ecu.values() {
        let number = streams.len() as u64;
        for (turn, at) in (0_u64..).zip(streams) {
            let stream = &file.streams[*at];
            let micros = stream.period.as_nanos() / 1_000 * turn / number;
            change_stream(table, &stream.name.value, |stream| {
                set(stream, "offset", nanos(Duration::from_micros(micros)));
            });
        }
    }
    let messages: usize = by_ecu.values().map(Vec::len).sum();
    if messages > 0 {
        remarks.push(format!(
            "{} unknown offsets: each ECU sends its own spread evenly over their periods; bounds \
             hold for any offsets",
            have(messages)
        ));
    }
    messages > 0
}
