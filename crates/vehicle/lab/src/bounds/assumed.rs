//! Assumptions of bounds: errors, key exchanges, offsets, and what they leave out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can::{Frame, Id};
use waywarden_vehicle_bound::{Assumption, BoundOptions, KeyPace, KeyTraffic};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::ideal::{ideal_ecus, ideal_note};

/// Assumptions of a vehicle's bounds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Assumed {
    /// The errors of each bus; without them no error happens.
    errors: Option<AssumedErrors>,
    /// Key exchanges.
    keys: AssumedKeys,
    /// The key tables whose frames are included.
    key_tables: Vec<AssumedKeyTable>,
    /// True if the streams of one sender keep the offsets of the file; any offsets else.
    offsets: bool,
    /// ECUs with the board `ideal`, on which computing takes no time.
    ideal_ecus: Vec<String>,
    /// The same in a sentence.
    #[serde(skip)]
    ideal: Option<String>,
    /// Traffic and effects that are left out, a sentence each.
    #[serde(skip)]
    left_out: Vec<Assumption>,
}

/// The errors of each bus.
#[derive(Debug, Serialize, JsonSchema)]
struct AssumedErrors {
    /// The shortest time from one to the next.
    every_ms: f64,
    /// Number of errors that come at once.
    at_once: u64,
}

/// Treatment of the frames of key exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum AssumedKeys {
    /// The bounds include them.
    Included,
    /// No keys are exchanged while a bound counts.
    LeftOut,
    /// The vehicle exchanges none.
    None,
}

/// A key table whose frames are in the bounds.
#[derive(Debug, Serialize, JsonSchema)]
struct AssumedKeyTable {
    /// Its name.
    keys: String,
    /// Its frames that are counted at once, at most: those of an agreement with its repetitions.
    frames: u64,
    /// True if all streams of its buses are more urgent, so that one frame blocks them and none
    /// goes before them.
    gives_way: bool,
}

impl Assumed {
    pub(super) fn new(
        file: &VehicleFile,
        options: &BoundOptions,
        left_out: Vec<Assumption>,
    ) -> Self {
        let errors = options.errors.map(|(at_once, interval)| AssumedErrors {
            every_ms: interval as f64 / 1e9,
            at_once,
        });
        let has_keys = !file.groups.is_empty() || !file.lasan.is_empty();
        Assumed {
            errors,
            keys: match options.keys.is_empty() {
                false => AssumedKeys::Included,
                true if has_keys => AssumedKeys::LeftOut,
                true => AssumedKeys::None,
            },
            key_tables: key_tables(file, &options.keys),
            offsets: options.offsets,
            ideal_ecus: ideal_ecus(file),
            ideal: ideal_note(file),
            left_out,
        }
    }

    /// Returns a sentence on each.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut all = vec![match &self.errors {
            None => "no errors".to_owned(),
            Some(AssumedErrors { every_ms, at_once }) => format!(
                "an error every {every_ms} ms on each bus, {at_once} at once, which all ECUs \
                 detect"
            ),
        }];
        all.push(match self.keys {
            AssumedKeys::None => "no keys are exchanged: the vehicle has no [[keys]]".to_owned(),
            AssumedKeys::LeftOut => "no keys are exchanged".to_owned(),
            AssumedKeys::Included => {
                "key exchanges at any time; --without-keys leaves them out".to_owned()
            }
        });
        all.extend(self.key_tables.iter().map(|table| {
            let AssumedKeyTable { keys, frames, .. } = table;
            match table.gives_way {
                true => format!("{keys}: key frames give way to all streams; one of them blocks"),
                false => format!(
                    "{keys}: {frames} key frames at once at most, before less urgent streams"
                ),
            }
        }));
        all.push(
            match self.offsets {
                true => "streams of one sender keep their offsets; any offsets between senders",
                false => "any offsets",
            }
            .to_owned(),
        );
        all.extend(self.ideal.clone());
        all.extend(self.left_out.iter().map(|one| one.0.clone()));
        all
    }
}

fn key_tables(file: &VehicleFile, traffic: &[KeyTraffic]) -> Vec<AssumedKeyTable> {
    let mut tables: BTreeMap<&str, AssumedKeyTable> = BTreeMap::new();
    for one in traffic {
        let table = tables.entry(&one.keys).or_insert_with(|| AssumedKeyTable {
            keys: one.keys.clone(),
            frames: 0,
            gives_way: true,
        });
        table.gives_way &= gives_way(file, one);
        if one.pace == KeyPace::Once {
            table.frames += one.frames;
        }
    }
    tables.into_values().collect()
}

/// Returns true if every stream of their buses goes before such frames.
fn gives_way(file: &VehicleFile, traffic: &KeyTraffic) -> bool {
    let key = |id: Id| Frame::classic(id, &[]).map_or(0, |frame| frame.arbitration_key());
    let first = Id::extended(traffic.first).map_or(0, key);
    let streams = file.streams.iter().filter(|stream| {
        let mut carried = stream.carried.iter();
        carried.any(|carried| traffic.buses.contains(&carried.bus))
    });
    streams
        .map(|stream| key(stream.id.value))
        .all(|own| own < first)
}
