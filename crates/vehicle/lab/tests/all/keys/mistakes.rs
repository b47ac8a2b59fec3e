//! Mistakes in the tables of keys, each with its place and remedy.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_vehicle_lab::lower::{LowerError, lower};
use waywarden_vehicle_resources::Resources;

use super::{errors, parse};

#[test]
fn what_cannot_be_is_reported_with_place_and_remedy() {
    let keys = |lines: &str| format!("[[keys]]\nname = \"all\"\n{lines}");
    for (lines, expected) in [
        ("", "car.toml:39:1: [[keys]] needs the key `orchestrator`"),
        (
            "orchestrator = \"gatway\"",
            "there is no ECU \"gatway\"; did you mean \"gateway\"?",
        ),
        (
            "orchestrator = \"gateway\"\nmembers = [\"a\", \"c\"]\nbuses = [\"one\"]",
            "car.toml:42:17: ECU \"c\" has no port on bus \"one\"; it is on \"two\"",
        ),
        (
            "orchestrator = \"gateway\"\nmembers = [\"a\", \"gateway\"]",
            "\"gateway\" is the orchestrator; it takes part anyway: take it out of `members`",
        ),
        (
            "orchestrator = \"gateway\"\ntransport = \"fd\"",
            "bus \"slow\" is classic CAN and carries no FD frame",
        ),
        (
            "orchestrator = \"a\"\nbuses = [\"one\", \"two\"]",
            "ECU \"a\" has no port on bus \"two\"; it is on \"one\"",
        ),
        (
            "orchestrator = \"gateway\"\norchestration = \"once\"",
            "one signed message starts a fixed tree only; write",
        ),
        (
            "orchestrator = \"gateway\"\nmembers = []",
            "a group needs an ECU besides the orchestrator",
        ),
        (
            "orchestrator = \"gateway\"\nmembers = [\"a\"]\n\
             remove = [{ ecu = \"b\", at = \"1s\" }]",
            "this ECU is no member of the group; name one of its `members`",
        ),
        (
            "orchestrator = \"gateway\"\n[[keys]]\nname = \"other\"\norchestrator = \"a\"",
            "group \"all\" is on one of its buses too, with identifiers that frames of this group",
        ),
        (
            "orchestrator = \"gateway\"\n[[stream]]\nname = \"X\"\nid = 0x01020006\n\
             extended = true\nsender = \"c\"\nperiod = \"1s\"\nlength = 1",
            "identifier 0x01020006 of stream \"X\" may be a key frame's of group \"all\"; write",
        ),
    ] {
        let found = errors(&keys(&format!("{lines}\n")));
        assert!(found.contains(expected), "{lines}\n{found}");
    }
}

#[test]
fn a_group_has_room_for_85_or_127_members() {
    let ecus: String = (0..130)
        .map(|at| format!("[[ecu]]\nname = \"x{at}\"\nports = [\"one\"]\n"))
        .collect();
    for (scheme, expected) in [
        (
            "tree-with-orchestrator",
            "132 members of a tree with the orchestrator in each logical ECU are too many: \
             at most 85",
        ),
        (
            "symmetric-distribution",
            "132 members of one group are too many: at most 127",
        ),
    ] {
        let keys = format!(
            "{ecus}[[keys]]\norchestrator = \"gateway\"\nbuses = [\"one\"]\nscheme = \"{scheme}\"\n"
        );
        let found = errors(&keys);
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn a_board_without_the_suites_figures_says_what_to_add() {
    let file = parse(
        "[[ecu]]\nname = \"e\"\nboard = \"own.toml\"\nports = [\"one\"]\n[[keys]]\n\
         orchestrator = \"gateway\"\nbuses = [\"one\"]\n",
    );
    let text = "title = \"own\"\n[characteristics]\narchitecture = \"any\"\ncores = 1\n\
                clock = \"80 MHz\"\nassumed = \"for a test\"\n[[figure]]\n\
                operation = \"share\"\nalgorithm = \"fourq\"\nduration = \"1 ms\"\n\
                assumed = \"for a test\"\n";
    let board = Board::parse("own.toml", text).unwrap();
    let mut resources = Resources::default();
    resources
        .boards
        .insert("own.toml".to_owned(), Arc::new(board));
    let error = lower(&file, &resources, None).err().unwrap();
    assert!(matches!(error, LowerError::Keys { .. }));
    let place = error.place().map(|place| (place.line, place.column));
    assert_eq!(place, Some((41, 9)));
    let text = error.to_string();
    assert!(text.contains("ECU e in group keys-1: board "), "{text}");
    for part in [
        "operation = \"extract\"",
        "algorithm = \"fourq\"",
        "add one to the board",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
