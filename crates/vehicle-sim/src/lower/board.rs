//! The boards that ECUs are on.

use std::sync::Arc;

use waywarden_boards::Board;

use super::LowerError;
use waywarden_vehicle_file as file;
use waywarden_vehicle_file::resources::Resources;

/// Returns a board, built in or from among the resources.
///
/// # Errors
/// [`LowerError::NotLoaded`] for one that is neither.
pub(super) fn board(board: &file::Board, resources: &Resources) -> Result<Arc<Board>, LowerError> {
    let missing = |what, path: &String| LowerError::NotLoaded {
        what,
        path: path.clone(),
    };
    match board {
        file::Board::BuiltIn(name) => Board::builtin(name)
            .map(Arc::new)
            .ok_or_else(|| missing("built-in board", name)),
        file::Board::File(path) => resources
            .boards
            .get(path)
            .cloned()
            .ok_or_else(|| missing("board file", path)),
    }
}
