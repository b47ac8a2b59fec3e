//! A room is understood by one person in a week: at most 12,000 lines without its tests. Prints
//! the sizes of all rooms, too (`cargo xtask rooms`).

use super::Finding;
use super::size::{self, FileSize, RoomSize};
use super::tree::Tree;

/// Above this a room is refused.
const WALL: usize = 12_000;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    judge(&size::rooms(tree))
}

fn judge(rooms: &[RoomSize]) -> Vec<Finding> {
    let large = rooms.iter().filter(|room| room.lines > WALL);
    large
        .map(|room| {
            let wrong = format!(
                "room `{}` has {} lines without its tests",
                room.room, room.lines
            );
            let right = format!("at most {WALL}: cut it at a seam");
            Finding::error(&room.longest.path, 1, wrong, right)
        })
        .collect()
}

/// Writes the sizes of the rooms, and the files above [`super::length::WALL`], for people.
pub(super) fn table(tree: &Tree) -> String {
    let mut text = format!(
        "{:<20} {:>7} {:>6}  longest file\n",
        "room", "lines", "files"
    );
    for room in size::rooms(tree) {
        text += &format!(
            "{:<20} {:>7} {:>6}  {} {}\n",
            room.room, room.lines, room.files, room.longest.lines, room.longest.path
        );
    }
    let long = long_files(tree);
    text += &format!(
        "\nfiles above {} lines: {}\n",
        super::length::WALL,
        long.len()
    );
    for file in long {
        let kind = if file.test { " (test)" } else { "" };
        text += &format!("{:>7} {}{kind}\n", file.lines, file.path);
    }
    text
}

/// Writes the same for programs, as JSON.
pub(super) fn json(tree: &Tree) -> String {
    let sizes = serde_json::json!({
        "rooms": size::rooms(tree),
        "longFiles": long_files(tree),
    });
    format!("{sizes:#}\n")
}

/// The files above the wall, the longest first.
fn long_files(tree: &Tree) -> Vec<FileSize> {
    let mut long = size::files(tree);
    long.retain(|file| file.lines > super::length::WALL);
    long.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.path.cmp(&b.path)));
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house(lines: usize) -> Tree {
        let text = "//! x\n".repeat(lines / 40);
        let files: Vec<String> = (0..40)
            .map(|file| format!("crates/can/src/{file}.rs"))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|path| (&**path, &*text)).collect();
        Tree::of(&files)
    }

    #[test]
    fn large_rooms_are_found() {
        assert_eq!(judge(&size::rooms(&house(12_000))), []);
        let found = judge(&size::rooms(&house(12_040)));
        assert_eq!(found.len(), 1);
        assert!(found[0].wrong.contains("`can` has 12040"), "{}", found[0]);
    }

    #[test]
    fn sizes_are_printed() {
        let tree = Tree::of(&[
            ("crates/can/src/lib.rs", &"//! x\n".repeat(401)),
            ("crates/can/tests/all/main.rs", &"//! x\n".repeat(402)),
        ]);
        let table = table(&tree);
        let row = "can                      401      1  401 crates/can/src/lib.rs\n";
        assert!(table.contains(row), "{table}");
        let long =
            "\nfiles above 400 lines: 2\n    402 crates/can/tests/all/main.rs (test)\n    401 ";
        assert!(table.contains(long), "{table}");
        let json: serde_json::Value = serde_json::from_str(&json(&tree)).unwrap();
        assert_eq!(json["rooms"][0]["lines"], 401);
        assert_eq!(json["longFiles"][0]["test"], true);
    }
}
