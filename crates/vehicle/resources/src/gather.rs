//! Boards and logs that a vehicle file names, gathered by a function that opens them.

use std::collections::BTreeSet;
use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_vehicle_file::VehicleFile;

use crate::{FirmwareImage, LoadedLog, Needed, Resources, needed};

/// A file that a vehicle file names, loaded.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// A board file.
    Board(Arc<Board>),
    /// An ECU image.
    Image(Arc<dyn FirmwareImage>),
    /// A bus log.
    Log(LoadedLog),
}

/// Gathers what a vehicle file names; `load` opens one of its files, each once.
///
/// # Errors
/// All that `load` returns, in the order of the vehicle file.
pub fn gather<E>(
    file: &VehicleFile,
    mut load: impl FnMut(&Needed<'_>) -> Result<Loaded, E>,
) -> Result<Resources, Vec<E>> {
    let mut resources = Resources::default();
    let (mut failures, mut failed) = (Vec::new(), BTreeSet::new());
    for need in needed(file) {
        let path = need.path();
        let is_there = match need {
            Needed::Board { .. } => resources.boards.contains_key(path),
            Needed::Image { machine, .. } => {
                resources.images.contains_key(&(path.to_owned(), machine))
            }
            Needed::Log { .. } => resources.logs.contains_key(path),
        };
        // A file that two ECUs name is missing once.
        if is_there || failed.contains(path) {
            continue;
        }
        match load(&need) {
            Ok(Loaded::Board(board)) => {
                resources.boards.insert(path.to_owned(), board);
            }
            Ok(Loaded::Image(image)) => {
                // The caller loads what is needed: an image for the need of one.
                if let Needed::Image { machine, .. } = need {
                    resources.images.insert((path.to_owned(), machine), image);
                }
            }
            Ok(Loaded::Log(log)) => {
                resources.logs.insert(path.to_owned(), log);
            }
            Err(failure) => {
                failed.insert(path.to_owned());
                failures.push(failure);
            }
        }
    }
    match failures.is_empty() {
        true => Ok(resources),
        false => Err(failures),
    }
}
