//! Vehicles whose ECUs agree on group keys: what the file says happens on the buses, and the report
//! tells it.

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::resources::Resources;
use waywarden_vehicle_lab::lower::{LowerError, lower};
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::html;
use waywarden_vehicle_report::report::{FigureRow, GroupRow, Report};
use waywarden_work::Operation;

/// Four ECUs and a gateway on two FD buses and a classic one.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "3s"
[[bus]]
name = "one"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "two"
bitrate = "500k"
data_bitrate = "2M"
[[bus]]
name = "slow"
bitrate = "250k"
[[ecu]]
name = "gateway"
board = "tc297"
ports = ["one", "two", "slow"]
[[ecu]]
name = "a"
board = "tc297"
ports = ["one"]
sends = [{ name = "A", id = 0x100, length = 8, period = "10ms", receivers = ["b"] }]
[[ecu]]
name = "b"
board = "tc224"
ports = ["one"]
[[ecu]]
name = "c"
board = "tc297"
ports = ["two"]
start = "40ms"
[[ecu]]
name = "d"
board = "tc277"
ports = ["two", "slow"]
clock_ppm = 100
"#;

fn parse(keys: &str) -> VehicleFile {
    let text = format!("{CAR}{keys}");
    VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn errors(keys: &str) -> String {
    let text = format!("{CAR}{keys}");
    VehicleFile::parse("car.toml", &text)
        .unwrap_err()
        .to_string()
}

fn report(keys: &str) -> Report {
    let file = parse(keys);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, 0, &outcome)
}

fn frames(group: &GroupRow, step: &str) -> u64 {
    let mut steps = group.steps.iter();
    steps
        .find(|row| row.step == step)
        .map_or(0, |row| row.frames)
}

#[test]
fn every_scheme_suite_and_profile_agrees() {
    for (scheme, exchanges) in [
        ("tree-with-orchestrator", 3),
        ("tree-without-orchestrator", 2),
        ("symmetric-distribution", 2),
    ] {
        for suite in ["fourq", "p256"] {
            for profile in ["hardened", "as-published"] {
                let keys = format!(
                    "[[keys]]\nname = \"drive\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n\
                     scheme = \"{scheme}\"\nsuite = \"{suite}\"\nprofile = \"{profile}\"\n\
                     start = \"20ms\"\n"
                );
                let report = report(&keys);
                let group = &report.keys[0];
                assert!(
                    group.agreed_at_end,
                    "{scheme} {suite} {profile}: {group:#?}"
                );
                assert_eq!((group.members, group.retries), (2, 0));
                assert_eq!(frames(group, "orchestration"), exchanges);
                let (start_up, agreement) =
                    (group.start_up_ms.unwrap(), group.agreement_ms.unwrap());
                // The clock of an ECU counts whole nanoseconds.
                assert!((start_up - agreement - 20.0).abs() < 0.001);
                let all_frames: u64 = report.buses.iter().map(|bus| bus.frames).sum();
                assert!(all_frames.abs_diff(group.frames + report.streams[0].requested) <= 1);
            }
        }
    }
}

#[test]
fn groups_go_side_by_side_on_one_gateway() {
    let group = |bus: &str| {
        format!("[[keys]]\nname = \"{bus}\"\norchestrator = \"gateway\"\nbuses = [\"{bus}\"]\n")
    };
    let alone = report(&group("two")).keys[0].start_up_ms.unwrap();
    let both = report(&[group("one"), group("two"), group("slow")].concat());
    assert_eq!(both.keys[2].transport, "classic");
    for group in &both.keys {
        assert!(group.agreed_at_end && group.retries == 0, "{group:#?}");
    }
    let starts = both.keys.iter().map(|group| group.start_up_ms.unwrap());
    let sum: f64 = starts.clone().sum();
    let last = starts.fold(0.0, f64::max);
    assert!(last < 0.7 * sum && both.keys[1].start_up_ms.unwrap() < 3.0 * alone);
}

#[test]
fn one_group_spans_its_gateway() {
    let report = report(
        "[[keys]]\nname = \"all\"\norchestrator = \"a\"\nbuses = [\"one\", \"two\", \"slow\"]\n\
         gateway = \"gateway\"\n",
    );
    let group = &report.keys[0];
    assert!(group.agreed_at_end && group.retries == 0, "{group:#?}");
    assert_eq!((group.members, group.transport), (4, "classic"));
    // Each frame is on all three buses: seven orchestrations of eight frames.
    assert_eq!(frames(group, "orchestration"), 3 * 7 * 8);
}

#[test]
fn keys_are_renewed_and_members_leave_and_come_back() {
    let report = report(
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n\
         renewal = \"1100ms\"\nremove = [{ ecu = \"b\", at = \"0.5s\" }]\n\
         readmit = [{ ecu = \"b\", at = \"1.6s\" }]\n",
    );
    let group = &report.keys[0];
    // The first key, without b, the renewal at 1.1 s, with b again, the renewal at 2.2 s.
    assert_eq!(
        (group.agreements, group.agreed_at_end),
        (5, true),
        "{group:#?}"
    );
    assert!(group.longest_renewal_ms.is_some());
    let b = group.ecus.iter().find(|party| party.ecu == "b").unwrap();
    assert!(!b.removed && b.epoch == group.ecus[0].epoch);
    let gone = self::report(
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n\
         remove = [{ ecu = \"b\", at = \"0.5s\" }]\n",
    );
    let b = gone.keys[0]
        .ecus
        .iter()
        .find(|party| party.ecu == "b")
        .unwrap();
    assert!(b.removed && b.epoch < gone.keys[0].ecus[0].epoch && gone.keys[0].agreed_at_end);
}

#[test]
fn a_reset_of_the_orchestrator_does_not_end_the_group() {
    let report = report(
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\", \"two\"]\n\
         [[fault]]\nkind = \"reset\"\necu = \"gateway\"\nfrom = \"100ms\"\nuntil = \"150ms\"\n\
         [[fault]]\nkind = \"reset\"\necu = \"c\"\nfrom = \"1500ms\"\nuntil = \"1510ms\"\n",
    );
    assert!(report.keys[0].agreed_at_end, "{:#?}", report.keys);
}

#[test]
fn streams_wait_for_the_key_if_they_shall() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n";
    let waiting = report(&format!("{keys}hold_streams = true\n"));
    let going = report(keys);
    let (waited, went) = (&waiting.streams[0], &going.streams[0]);
    let first_key = waiting.keys[0].ecus.iter().find(|party| party.ecu == "a");
    let before = first_key.unwrap().first_key_ms.unwrap() / 10.0;
    let missing = (went.requested - waited.requested) as f64;
    assert!(
        (missing - before).abs() <= 1.0,
        "{missing} missing, {before} expected"
    );
    assert!(waiting.start_up_ms > going.start_up_ms && waited.skipped == 0);
}

#[test]
fn a_requirement_on_the_key_has_a_verdict_with_its_cause() {
    let keys =
        "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n[require]\n";
    let missed = report(&format!("{keys}group_key_within = \"50ms\"\n"));
    let verdict = &missed.requirements[0];
    assert_eq!(
        (verdict.requirement.as_str(), verdict.met),
        ("group key all", false)
    );
    let cause = verdict.cause.as_deref().unwrap();
    assert!(
        cause.starts_with("b was the last to have a key, after"),
        "{cause}"
    );
    assert!(report(&format!("{keys}group_key_within = \"1s\"\n")).is_met());
}

#[test]
fn the_page_has_a_section_and_a_scene_for_the_key() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"gateway\"\nbuses = [\"one\"]\n";
    let file = parse(keys);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let mut recorder = lowered.recorder(&file);
    let outcome = run(lowered, &mut recorder, &mut |_| {}).unwrap();
    let report = Report::new(&file, 0, &outcome);
    let recording = &recorder.finish();
    let page = html::page(&html::Source {
        file: &file,
        report: &report,
        outcome: &outcome,
        recording,
    });
    for part in [
        "id=\"keys\"",
        "The first key of group all comes into use",
        "all: the group key of epoch",
        "class=\"secret\"",
        "<td>tree-with-orchestrator</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn what_cannot_be_is_told_with_place_and_remedy() {
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
            "group \"all\" is on one of its buses too; key frames do not say whose they are",
        ),
        (
            "orchestrator = \"gateway\"\n[[stream]]\nname = \"X\"\nid = 0x01020006\n\
             extended = true\nsender = \"c\"\nperiod = \"1s\"\nlength = 1",
            "identifier 0x01020006 may be a key frame's of group \"all\"",
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

/// Until it confirms a key again, a member that was reset has none: whatever it was before.
#[test]
fn group_is_not_agreed_at_the_end_while_a_member_that_was_reset_has_no_key() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"a\"\nbuses = [\"one\"]\n\
                members = [\"b\"]\n";
    for (from, until, agreed) in [
        // It is in reset at the end, has just booted, or has a key again.
        (2_990, 4_000, false),
        (2_990, 2_999, false),
        (1_000, 1_010, true),
    ] {
        let reset = format!(
            "[[fault]]\nkind = \"reset\"\necu = \"b\"\nfrom = \"{from}ms\"\nuntil = \"{until}ms\"\n"
        );
        let file = parse(&format!("{keys}{reset}"));
        let lowered = lower(&file, &Resources::default(), None).unwrap();
        let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
        let report = Report::new(&file, file.seed, &outcome);
        let group = &report.keys[0];
        assert!(group.start_up_ms.is_some(), "{group:#?}");
        assert_eq!(
            group.agreed_at_end, agreed,
            "reset at {from} ms: {group:#?}"
        );
        assert_eq!(group.ecus[1].epoch > 0, agreed, "reset at {from} ms");
        assert_eq!(report.keys_ms, group.start_up_ms);
    }
}

/// The board states AES over 64 bytes; other lengths are scaled from that.
#[test]
fn origin_of_a_figure_is_that_of_the_length_used() {
    let keys = "[[keys]]\nname = \"all\"\norchestrator = \"a\"\nbuses = [\"one\"]\n\
                scheme = \"symmetric-distribution\"\nmembers = [\"gateway\"]\n";
    let file = parse(keys);
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let boards = lowered.boards.clone();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    let report = Report::new(&file, file.seed, &outcome);
    let by_ecu = boards.iter().zip(&outcome.measure.work);
    let all = by_ecu.flat_map(|(board, work)| work.iter().map(move |work| (board, work)));
    for (board, (&(kind, algorithm, bytes), &(jobs, _))) in all {
        let operation = Operation::new(kind, algorithm, bytes);
        let origin = board.cost(&operation).unwrap().provenance.to_string();
        let mut rows = report.figures.iter();
        let row = rows.find(|row| {
            (
                row.board.as_str(),
                row.operation,
                row.algorithm,
                row.origin.as_str(),
            ) == (board.name(), kind.name(), algorithm.name(), origin.as_str())
        });
        let row = row.unwrap_or_else(|| panic!("{operation:?}: no row with {origin}"));
        assert!(row.jobs >= jobs, "{row:?}");
    }
    let is_stated = |row: &&FigureRow| {
        row.operation == "encrypt" && row.origin.contains("Table VII") && row.board == "tc297"
    };
    let stated = report.figures.iter().find(is_stated);
    let stated = stated.unwrap_or_else(|| panic!("{:#?}", report.figures));
    assert!(stated.origin.starts_with("paper"), "{stated:?}");
}
