//! The boards and logs that a vehicle file names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::file_kind::{self, Expected};
use crate::logs::damage::LogReadingOptions;
use crate::logs::input;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;
use waywarden_vehicle_file::resources::{LoadedLog, Needed, Resources, needed};
use waywarden_vehicle_file::{Span, VehicleFile};

/// Loads the boards and logs a vehicle file names, relative to its own folder.
pub fn load(
    file: &VehicleFile,
    vehicle: &Path,
    reading: Option<LogReadingOptions>,
) -> Result<Resources, Failure> {
    let folder = vehicle.parent().unwrap_or(Path::new("."));
    let mut resources = Resources::default();
    let (mut failures, mut failed) = (Vec::new(), BTreeSet::new());
    for need in needed(file) {
        let (Needed::Board { path, .. } | Needed::Log { path, .. }) = need;
        // What two ECUs name is missing once.
        if !failed.contains(path)
            && let Err(failure) = load_one(file, folder, need, reading, &mut resources)
        {
            failed.insert(path);
            failures.push(failure);
        }
    }
    Failure::if_any(failures)?;
    Ok(resources)
}

/// Loads one board or log, unless it is there already.
fn load_one(
    file: &VehicleFile,
    folder: &Path,
    need: Needed<'_>,
    reading: Option<LogReadingOptions>,
    resources: &mut Resources,
) -> Result<(), Failure> {
    match need {
        Needed::Board { path, span } if !resources.boards.contains_key(path) => {
            let at = present(file, folder, path, &span)?;
            let board =
                files::board_of_kind(&at, |head| file_kind::refusal(&at, head, Expected::Board));
            let board = Arc::new(board.map_err(|failure| named(failure, file, &span))?);
            resources.boards.insert(path.to_owned(), board);
        }
        Needed::Log { path, span } if !resources.logs.contains_key(path) => {
            let frames = input::frames(&present(file, folder, path, &span)?, reading);
            let frames = frames.map_err(|failure| named(failure, file, &span))?;
            resources
                .logs
                .insert(path.to_owned(), LoadedLog::gather(frames));
        }
        Needed::Board { .. } | Needed::Log { .. } => {}
    }
    Ok(())
}

/// Finds a file that a vehicle file names.
fn present(file: &VehicleFile, folder: &Path, path: &str, span: &Span) -> Result<PathBuf, Failure> {
    let at = folder.join(path);
    match at.metadata() {
        Ok(_) => Ok(at),
        Err(error) => {
            let base = "the path is relative to the vehicle file's folder";
            let failure = Failure::named_file(at.display(), &error, base);
            Err(named(failure, file, span))
        }
    }
}

/// Puts the place of the vehicle file that names a file before each error of it.
fn named(failure: Failure, file: &VehicleFile, span: &Span) -> Failure {
    let (name, place) = (file.source.file_name(), file.source.place(span));
    failure.prefixed(&format!("{name}:{place}: "))
}
