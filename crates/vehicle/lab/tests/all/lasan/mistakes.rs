//! Mistakes in the tables of the security module, each with its place and remedy.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::{LowerError, lower};
use waywarden_vehicle_resources::Resources;

use super::{CAR, KEYS, parse};

/// Streams that cannot be protected.
const OTHERS: &str = r#"
[[stream]]
name = "Long"
id = 0x110
sender = "a"
length = 64
period = "50ms"
receivers = ["b"]
[[stream]]
name = "Old"
id = 0x111
sender = "a"
length = 8
period = "50ms"
format = "classic"
receivers = ["b"]
"#;

/// The head of the table, whose other keys each case gives.
const HEAD: &str = "[[keys]]\nname = \"core\"\nscheme = \"lasan\"\n";

/// The keys of a table, and what the error says of them.
type Mistake = (&'static str, &'static str);

const MEMBERS_AND_SUITES: [Mistake; 9] = [
    (
        "",
        "car.toml:54:1: [[keys]] needs the key `security_module`",
    ),
    (
        "security_module = \"saef\"",
        "there is no ECU \"saef\"; did you mean \"safe\"?",
    ),
    (
        "security_module = \"safe\"\nsuite = \"p265\"",
        "there is no suite \"p265\"; did you mean \"p256\"?",
    ),
    (
        "security_module = \"safe\"\nprofile = \"hard\"",
        "\"hard\" is not possible here; possible: \"hardened\", \"compact\", \"as-published\"",
    ),
    (
        "security_module = \"safe\"\nprofile = \"as-published\"\ncredentials = \"keys\"",
        "the published messages carry certificates; leave `credentials` out",
    ),
    (
        "security_module = \"safe\"\nmembers = [\"a\", \"safe\"]",
        "\"safe\" is the security module; it takes part anyway: take it out of `members`",
    ),
    (
        "security_module = \"safe\"\nmembers = []",
        "there is no ECU besides the security module; name at least one in `members`",
    ),
    (
        "security_module = \"safe\"\n[[keys]]\nscheme = \"lasan\"\nsecurity_module = \"a\"",
        "security module \"core\" is on one of its buses too, with identifiers that frames of",
    ),
    (
        "security_module = \"safe\"\norchestrator = \"a\"",
        "has no key `orchestrator`",
    ),
];

const STREAMS: [Mistake; 10] = [
    (
        "security_module = \"safe\"\nprotect = [\"C\"]",
        "there is no stream \"C\"",
    ),
    (
        "security_module = \"safe\"\nmembers = [\"a\", \"b\"]\nprotect = [\"A\"]",
        "ECU \"c\" receives stream \"A\" and is no member; add it to `members`",
    ),
    (
        "security_module = \"b\"\nbuses = [\"one\"]\nprotect = [\"B\"]",
        "the security module \"b\" sends stream \"B\"; it grants keys and holds none",
    ),
    (
        "security_module = \"safe\"\nprotect = [\"Long\"]",
        "stream \"Long\" has 64 bytes, and protection takes 11 of the 64 that a frame has; \
             make its `length` 48 or less",
    ),
    (
        "security_module = \"safe\"\nprotect = [\"Old\"]",
        "stream \"Old\" is classic CAN, whose 8 bytes have no room; write `format = \"fd\"`",
    ),
    (
        "security_module = \"safe\"\nwindows = [{ stream = \"A\", until = \"1s\" }]",
        "this stream is sent in clear, whenever its sender likes; add it to `protect`",
    ),
    (
        "security_module = \"safe\"\nprotect = [\"B\"]\nwindows = [{ stream = \"B\", \
             from = \"2s\", until = \"1s\" }]",
        "`until` must be later than `from`",
    ),
    (
        "security_module = \"safe\"\nprotect = [\"B\"]\nwindows = [{ stream = \"B\" }, \
             { stream = \"B\" }]",
        "this stream has a window already; keep one of them",
    ),
    (
        "security_module = \"safe\"\nprotect = [\"A\"]\nstream_key = \"11min\"",
        "is out of range: up to 655.36 s, in which a protected stream has 65536 frames",
    ),
    (
        "security_module = \"safe\"\nprotect = [\"A\"]\nstream_key = \"1ns\"",
        "car.toml:59:14: stream_key 1 ns is out of range: 100 ms or more",
    ),
];

const TIMES_AND_PARTS: [Mistake; 6] = [
    (
        "security_module = \"safe\"\nprofile = \"compact\"\n\
             replace = [{ ecu = \"a\", at = \"1s\" }]",
        "the security module has the keys of the old parts; a new part shows its key",
    ),
    (
        "security_module = \"safe\"\nretire = [{ ecu = \"safe\", at = \"1s\" }]",
        "this ECU is no member; name one of the `members`",
    ),
    (
        "security_module = \"safe\"\nreplace = [{ ecu = \"b\", at = \"20ms\" }]",
        "ECU \"b\" is not up at 20 ms: it boots at 40 ms",
    ),
    (
        "security_module = \"safe\"\ncredentials = \"digests\"\nvalid_until = \"1s\"",
        "only `credentials = \"certificates\"` do",
    ),
    (
        "security_module = \"safe\"\npacing = \"1s\"",
        "pacing 1 s is out of range: up to 100 ms",
    ),
    (
        "security_module = \"safe\"\nrenewal = \"1ms\"",
        "renewal 1 ms is out of range",
    ),
];

fn error(text: &str) -> String {
    let errors = VehicleFile::parse("car.toml", text).unwrap_err();
    errors.to_string()
}

fn assert_mistakes(mistakes: &[Mistake]) {
    for (lines, expected) in mistakes {
        let found = error(&format!("{CAR}{OTHERS}{HEAD}{lines}\n"));
        assert!(found.contains(expected), "{lines}\n{found}");
    }
}

#[test]
fn mistakes_in_members_and_suites_have_their_place_and_remedy() {
    assert_mistakes(&MEMBERS_AND_SUITES);
}

#[test]
fn mistakes_in_streams_have_their_place_and_remedy() {
    assert_mistakes(&STREAMS);
}

#[test]
fn mistakes_in_times_and_parts_have_their_place_and_remedy() {
    assert_mistakes(&TIMES_AND_PARTS);
}

#[test]
fn a_stream_under_an_identifier_of_the_keys_is_refused() {
    let module = "security_module = \"safe\"\n";
    let clash = "[[stream]]\nname = \"X\"\nid = 0x1B020201\nextended = true\nsender = \"c\"\n\
                 period = \"1s\"\nlength = 1\n";
    let found = error(&format!("{CAR}{HEAD}{module}{clash}"));
    assert!(
        found.contains(
            "identifier 0x1B020201 of stream \"X\" may be a key frame's of security module \"core\""
        ),
        "{found}"
    );
}

#[test]
fn an_address_that_no_security_module_knows_is_refused() {
    let module = "security_module = \"safe\"\n";
    let far = CAR.replace("clock_ppm = 100", "address = 200");
    let found = error(&format!("{far}{HEAD}{module}"));
    assert!(
        found.contains("ECU \"c\" has address 200; a security module knows"),
        "{found}"
    );
}

#[test]
fn a_board_without_the_suites_figures_says_what_to_add() {
    let keys = "suite = \"ml-kem-768+ml-dsa-44\"\n";
    let car = CAR.replacen(
        "board = \"m4\"\nports = [\"two\"]",
        "board = \"own.toml\"\nports = [\"two\"]",
        1,
    );
    let file = parse(&format!("{car}{KEYS}{keys}"));
    let text = "title = \"own\"\n[characteristics]\narchitecture = \"any\"\ncores = 1\n\
                clock = \"80 MHz\"\nassumed = \"for a test\"\n[[figure]]\n\
                operation = \"share\"\nalgorithm = \"fourq\"\nduration = \"1 ms\"\n\
                assumed = \"for a test\"\n";
    let board = Board::parse("own.toml", text).unwrap();
    let mut resources = Resources::default();
    let boards = &mut resources.boards;
    boards.insert("own.toml".to_owned(), Arc::new(board));
    let error = lower(&file, &resources, None).err().unwrap();
    let place = error.place().map(|place| place.line);
    let text = error.to_string();
    assert!(matches!(error, LowerError::Keys { .. }), "{text}");
    assert_eq!(place, Some(30), "{text}");
    assert!(text.contains("ECU c under core: board "), "{text}");
    assert!(text.contains("add one to the board"), "{text}");
}
