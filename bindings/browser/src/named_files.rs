//! The boards and logs that a vehicle file names, from what the page has of them.

use std::collections::BTreeMap;

use waywarden_boards::Board;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_resources::{LOG_FRAMES_MAX, LoadedLog, Needed, Resources};
use waywarden_vehicle_resources::{Loaded, gather};

use crate::answer::{Fault, Faults};

/// Loads all of them. A log is read strictly: one that is damaged is a fault.
pub(crate) fn load(
    file: &VehicleFile,
    given: &BTreeMap<String, String>,
) -> Result<Resources, Faults> {
    let gathered = gather(file, |need| {
        let loaded = load_one(need, given);
        loaded.map_err(|why| Fault::new(Some(file.source.place(need.span())), &why))
    });
    gathered.map_err(|faults| Faults { faults, omitted: 0 })
}

fn load_one(need: &Needed<'_>, given: &BTreeMap<String, String>) -> Result<Loaded, String> {
    let path = need.path();
    let text = || {
        // A page knows a file by its own name, without the folders above it.
        let own = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let text = given.get(path).or_else(|| given.get(own));
        text.ok_or_else(|| format!("the page has no file {path:?}; add it with \"Add files\""))
    };
    match need {
        Needed::Board { .. } => {
            let board = Board::parse(path, text()?).map_err(|error| error.to_string())?;
            Ok(Loaded::Board(board.into()))
        }
        Needed::Log { .. } => log(path, text()?).map(Loaded::Log),
        Needed::Image { .. } => Err(format!(
            "{path} is an ECU image, and a page has no emulator to run it; leave `firmware` out, \
             or use the command"
        )),
    }
}

fn log(path: &str, text: &str) -> Result<LoadedLog, String> {
    let said = |error| format!("{path}:{error}");
    let mut reader = waywarden_can_log::open(text.as_bytes()).map_err(said)?;
    let mut frames = Vec::new();
    while let Some(record) = reader.next() {
        let record = record.map_err(said)?;
        if let Some(frame) = record.entry.frame() {
            if frames.len() == LOG_FRAMES_MAX {
                return Err(format!(
                    "{path}: more than {LOG_FRAMES_MAX} frames; split the log"
                ));
            }
            let channel = reader.channels().name(record.channel).to_owned();
            frames.push((channel, record.at_ns, *frame));
        }
    }
    Ok(LoadedLog::gather(frames))
}
