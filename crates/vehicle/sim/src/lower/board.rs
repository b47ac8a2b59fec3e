//! The boards that ECUs are on.

use std::sync::Arc;

use waywarden_boards::Board;

use super::LowerError;
use waywarden_vehicle_file::{self as file, CryptoEngine};
use waywarden_vehicle_resources::Resources;

/// Returns the board of an ECU of the car, with its security module in use if the ECU says so.
///
/// # Errors
/// [`LowerError::NotLoaded`] for a board that is neither built in nor among the resources,
/// [`LowerError::NoModule`] for one without the module.
pub(super) fn board_of(ecu: &file::Ecu, resources: &Resources) -> Result<Arc<Board>, LowerError> {
    let found = board(&ecu.board.value, resources)?;
    match ecu.crypto {
        CryptoEngine::Software => Ok(found),
        CryptoEngine::Module => match Board::clone(&found).with_module_in_use() {
            Ok(board) => Ok(Arc::new(board)),
            Err(missing) => Err(LowerError::NoModule {
                ecu: ecu.name.value.clone(),
                missing,
            }),
        },
    }
}

/// Returns a board, built in or from among the resources.
///
/// # Errors
/// [`LowerError::NotLoaded`] for one that is neither.
pub(super) fn board(
    board: &file::BoardSource,
    resources: &Resources,
) -> Result<Arc<Board>, LowerError> {
    let (what, path) = match board {
        file::BoardSource::BuiltIn(name) => ("built-in board", name),
        file::BoardSource::File(path) => ("board file", path),
    };
    let found = resources.board(board);
    found.ok_or_else(|| LowerError::NotLoaded {
        what,
        path: path.clone(),
    })
}
