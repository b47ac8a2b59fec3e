//! Keys of streams that come to an end under a security module: what is refused beforehand, what is
//! counted, and who is not waited for.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::{LowerError, lower};
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{ProtectedRow, Report};
use waywarden_vehicle_report::require::{RequirementVerdict, verdicts};
use waywarden_vehicle_resources::Resources;

/// A security module and three ECUs that all send.
fn car(board: &str, duration: &str, lines: &str) -> String {
    let ecu = |name: &str, sends: &str| {
        format!("[[ecu]]\nname = \"{name}\"\nports = [\"one\"]\nboard = \"{board}\"\n{sends}\n")
    };
    let stream = |name: &str, id: u32, receivers: &str| {
        format!(
            "sends = [{{ name = \"{name}\", id = {id}, length = 8, period = \"50ms\", receivers = \
             [{receivers}] }}]"
        )
    };
    format!(
        "[vehicle]\nname = \"car\"\nseed = 3\nduration = \"{duration}\"\n[[bus]]\nname = \
         \"one\"\nbitrate = \"500k\"\ndata_bitrate = \"2M\"\n{}{}{}{}[[keys]]\nname = \
         \"core\"\nscheme = \"lasan\"\nsecurity_module = \"safe\"\nprotect = [\"S1\", \"S2\", \
         \"S3\"]\n{lines}",
        ecu("safe", ""),
        ecu("e1", &stream("S1", 256, "\"e2\"")),
        ecu("e2", &stream("S2", 257, "\"e1\"")),
        ecu("e3", &stream("S3", 258, "\"e1\", \"e2\"")),
    )
}

fn parsed(text: &str) -> VehicleFile {
    VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn ran(text: &str) -> (Report, Vec<RequirementVerdict>) {
    let file = parsed(text);
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    (Report::new(&file, 0, &outcome), verdicts(&file, &outcome))
}

/// Counts the receivers' outcomes of a stream: authentic, refused, without a key.
fn received(row: &ProtectedRow) -> [u64; 3] {
    row.receivers.iter().fold([0; 3], |sum, one| {
        let refused = one.wrong_tag + one.replay + one.unknown_key;
        [
            sum[0] + one.authentic,
            sum[1] + refused,
            sum[2] + one.without_key,
        ]
    })
}

fn refusal(board: &str, life: &str) -> String {
    let text = car(board, "8s", &format!("stream_key = \"{life}\"\n"));
    match lower(&parsed(&text), &Resources::default(), None) {
        Err(LowerError::Keys { name, why, .. }) => format!("{name}: {why}"),
        Err(other) => panic!("{board} {life}: {other}"),
        Ok(_) => String::new(),
    }
}

#[test]
fn a_key_that_cannot_hold_is_refused_with_one_that_can() {
    for (board, short, least) in [("tc297", "200ms", "2.042 s"), ("m3", "5s", "13.333 s")] {
        let why = refusal(board, short);
        assert!(
            why.contains("stream_key") && why.contains("an answer"),
            "{why}"
        );
        assert!(why.ends_with(&format!("write {least} or more")), "{why}");
        // What it says is what it takes.
        assert_eq!(refusal(board, &least.replace(' ', "")), "");
    }
    assert_eq!(refusal("ideal", "132ms"), "");
}

#[test]
fn the_shortest_key_that_is_taken_loses_nothing() {
    for (board, life, duration) in [
        ("tc297", "2042ms", "20s"),
        ("m3", "13333ms", "60s"),
        ("ideal", "132ms", "8s"),
    ] {
        let latency = "[require]\nloss_allowed = [\"startup\", \"faults\"]\nlatency = { S1 = \
                       \"50ms\", S2 = \"50ms\", S3 = \"50ms\" }\n";
        let text = car(
            board,
            duration,
            &format!("stream_key = \"{life}\"\n{latency}"),
        );
        let (report, verdicts) = ran(&text);
        for row in &report.security_modules[0].streams {
            let [authentic, refused, without] = received(row);
            let whole = row.carried.frames * row.receivers.len() as u64;
            assert_eq!(
                [authentic, refused, without],
                [whole, 0, 0],
                "{board} {row:#?}"
            );
            assert!(row.keys > 5, "{row:#?}");
        }
        assert!(verdicts.iter().all(|one| one.met), "{board} {verdicts:#?}");
    }
}

/// While the security module is away keys come to their end, and what would have been sent or was
/// received meanwhile fails the requirement.
#[test]
fn what_is_lost_between_two_keys_fails_a_requirement() {
    let away = "[[fault]]\nkind = \"reset\"\necu = \"safe\"\nfrom = \"2s\"\nuntil = \"5s\"\n";
    let latency =
        "[require]\nloss_allowed = [\"startup\", \"faults\"]\nlatency = { S1 = \"1s\" }\n";
    let text = |life: &str| {
        car(
            "ideal",
            "8s",
            &format!("stream_key = \"{life}\"\n{away}{latency}"),
        )
    };
    let (_, verdicts) = ran(&text("1s"));
    let [verdict] = verdicts.as_slice() else {
        panic!("{verdicts:#?}");
    };
    assert!(
        !verdict.met && verdict.measured_text.contains("did not arrive"),
        "{verdict:#?}"
    );
    let cause = verdict.cause.as_ref().unwrap();
    assert!(
        cause.contains("e1 could not protect them: no key"),
        "{cause}"
    );
    let (_, verdicts) = ran(&text("10s"));
    assert!(verdicts[0].met, "{verdicts:#?}");
}

/// An ECU that was reset lacks the keys until it is authenticated; that is counted, but is no time
/// between two keys.
#[test]
fn frames_that_come_to_an_ecu_without_a_key_are_counted() {
    let reset = "[[fault]]\nkind = \"reset\"\necu = \"e2\"\nfrom = \"2s\"\nuntil = \"2100ms\"\n";
    let latency =
        "[require]\nloss_allowed = [\"startup\", \"faults\"]\nlatency = { S1 = \"50ms\" }\n";
    let (report, verdicts) = ran(&car("tc297", "4s", &format!("{reset}{latency}")));
    let row = &report.security_modules[0].streams[0];
    let [authentic, refused, without] = received(row);
    assert!((1..30).contains(&without), "{row:#?}");
    assert_eq!(refused, 0, "{row:#?}");
    // Two or three came while it was off.
    let heard = authentic + without;
    assert!((2..=3).contains(&(row.carried.frames - heard)), "{row:#?}");
    assert!(verdicts[0].met, "{verdicts:#?}");
}

/// Frames of the epoch before a reset of the module are not taken for forged.
#[test]
fn an_epoch_does_not_make_forgeries_of_the_one_before() {
    let resets = "[[fault]]\nkind = \"reset\"\necu = \"safe\"\nfrom = \"1s\"\nuntil = \
                  \"1100ms\"\n[[fault]]\nkind = \"reset\"\necu = \"e2\"\nfrom = \"1s\"\nuntil = \
                  \"1100ms\"\n";
    let (report, _) = ran(&car("tc297", "4s", resets));
    for row in &report.security_modules[0].streams {
        let forged: u64 = row.receivers.iter().map(|one| one.wrong_tag).sum();
        assert_eq!(forged, 0, "{row:#?}");
    }
}

#[test]
fn streams_of_the_retired_are_not_waited_for() {
    for (at, start) in [("100ms", ""), ("1s", "start = \"3s\"\n")] {
        let retire = format!("retire = [{{ ecu = \"e1\", at = \"{at}\" }}]\n{start}");
        let within = "[require]\nauthorized_within = \"4s\"\n";
        let (report, verdicts) = ran(&car("tc297", "5s", &format!("{retire}{within}")));
        let network = &report.security_modules[0];
        assert!(network.authorized_ms.is_some(), "{at}");
        assert!(verdicts[0].met, "{verdicts:#?}");
        // Of the third stream one receiver is left, which has its key.
        let keyed: Vec<bool> = network
            .streams
            .iter()
            .map(|row| row.keyed_ms.is_some())
            .collect();
        assert_eq!(keyed, [false, false, true], "{at}");
    }
}

#[test]
fn times_that_cannot_be_meant_are_refused() {
    for (lines, expected) in [
        (
            "windows = [{ stream = \"S1\", from = \"1500us\", until = \"2s\" }]\n",
            "1.5 ms is no whole number of milliseconds",
        ),
        (
            "windows = [{ stream = \"S1\", from = \"1s\", until = \"1000000001ns\" }]\n",
            "1.000000001 s is no whole number of milliseconds",
        ),
        (
            "windows = [{ stream = \"S1\", from = \"1.0005s\", until = \"2s\" }]\n",
            "1.0005 s is no whole number of milliseconds",
        ),
        (
            "start = \"2s\"\nvalid_until = \"1s\"\n",
            "certificates end at 1 s, and the first epoch begins at 2 s",
        ),
        (
            "valid_until = \"0s\"\n",
            "`valid_until` must be later than `valid_from`, or than power-on",
        ),
    ] {
        let errors = VehicleFile::parse("car.toml", &car("ideal", "4s", lines)).unwrap_err();
        assert!(errors.to_string().contains(expected), "{errors}");
    }
    // The first epoch waits for all to be up, also where the file does not say when it begins.
    let late = "[[ecu]]\nname = \"e4\"\nports = [\"one\"]\nstart = \"2s\"\n";
    let text = car("ideal", "4s", &format!("valid_until = \"1s\"\n{late}"));
    let errors = VehicleFile::parse("car.toml", &text).unwrap_err();
    let expected = "certificates end at 1 s, and the first epoch begins at 2.0004 s";
    assert!(errors.to_string().contains(expected), "{errors}");
}

fn warnings(board: &str, lines: &str) -> Vec<String> {
    let file = parsed(&car(board, "4s", lines));
    let lowered = lower(&file, &Resources::default(), None);
    let warnings = lowered.unwrap_or_else(|e| panic!("{e}")).warnings;
    warnings.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn certificates_that_hold_for_less_than_an_authentication_takes_are_warned_of() {
    for (lines, expected) in [
        ("valid_until = \"10ms\"\n", "hold for 9.6 ms"),
        (
            "valid_from = \"1s\"\nvalid_until = \"1002ms\"\n",
            "hold for 2 ms",
        ),
        (
            "start = \"1500ms\"\nvalid_until = \"2s\"\n",
            "hold for 500 ms",
        ),
    ] {
        let warned = warnings("tc297", lines);
        let [text] = warned.as_slice() else {
            panic!("{warned:?}");
        };
        let whole = text.contains("core: certificates ") && text.contains("takes up to 986.356 ms");
        assert!(whole && text.contains(expected), "{text}");
    }
    assert_eq!(warnings("tc297", "valid_until = \"3s\"\n"), [""; 0]);
}

#[test]
fn a_window_that_is_over_before_there_are_keys_is_said_to_be() {
    let lines = |start: &str, until: &str| {
        format!("{start}windows = [{{ stream = \"S1\", until = \"{until}\" }}]\n")
    };
    let over = lines("start = \"2s\"\n", "1s");
    for (lines, expected) in [
        (
            &over,
            "the window of stream \"S1\" ends at 1 s, and the first epoch begins at 2 s: no \
             ECU ever has its key",
        ),
        (
            &lines("", "200ms"),
            "the window of stream \"S1\" is open for 199.6 ms after the first epoch has begun",
        ),
    ] {
        let warned = warnings("tc297", lines);
        assert!(
            warned.len() == 1 && warned[0].contains(expected),
            "{warned:?}"
        );
    }
    let required = format!("{over}[require]\nauthorized_within = \"3s\"\n");
    let (_, verdicts) = ran(&car("tc297", "4s", &required));
    let cause = verdicts[0].cause.clone().unwrap_or_default();
    let expected = "stream S1 was never keyed: its window was over at 1 s";
    assert!(cause.contains(expected), "{cause}");
}

#[test]
fn a_window_that_a_reset_makes_an_ecu_miss_is_warned_of() {
    let warnings = |until: &str| {
        let window = format!("{{ stream = \"S1\", from = \"2s\", until = \"{until}\" }}");
        warnings("tc297", &format!("windows = [{window}]\n"))
    };
    let warned = warnings("2003ms");
    let [text] = warned.as_slice() else {
        panic!("{warned:?}");
    };
    assert!(
        text.contains("the window of stream \"S1\" is open for 3 ms"),
        "{text}"
    );
    assert_eq!(warnings("3500ms"), [""; 0]);
}
