//! Keys of streams that are changed while all ECUs send. No frame of the sender's comes under a key
//! that its receivers have not got, and every frame that comes is counted.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{ProtectedRow, ReceiverRow, Report};
use waywarden_vehicle_report::require::{RequirementVerdict, verdicts};
use waywarden_vehicle_resources::Resources;

/// A security module and three ECUs on boards, of which the first sends a stream to the others.
fn car(boards: [&str; 2], period: &str, duration: &str, lines: &str) -> String {
    let [board, sender] = boards;
    let ecu = |name: &str, board: &str, sends: &str| {
        format!("[[ecu]]\nname = \"{name}\"\nports = [\"a\"]\nboard = \"{board}\"\n{sends}\n")
    };
    let sends = format!(
        "sends = [{{ name = \"S1\", id = 0x100, length = 8, period = \"{period}\", receivers = \
         [\"e2\", \"e3\"] }}]"
    );
    format!(
        "[vehicle]\nname = \"v\"\nseed = 3\nduration = \"{duration}\"\n[[bus]]\nname = \
         \"a\"\nbitrate = \"500k\"\ndata_bitrate = \"2M\"\n{}{}{}{}[[keys]]\nname = \
         \"k\"\nscheme = \"lasan\"\nsecurity_module = \"sm\"\nprotect = [\"S1\"]\n{lines}\
         [require]\nloss_allowed = [\"startup\", \"faults\"]\nlatency = {{ S1 = \"1s\" }}\n",
        ecu("sm", board, ""),
        ecu("e1", sender, &sends),
        ecu("e2", board, ""),
        ecu("e3", board, ""),
    )
}

fn reset(ecu: &str) -> String {
    format!("[[fault]]\nkind = \"reset\"\necu = \"{ecu}\"\nfrom = \"3s\"\nuntil = \"3010ms\"\n")
}

fn ran(text: &str) -> (ProtectedRow, RequirementVerdict) {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"));
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    let report = Report::new(&file, 0, &outcome);
    let row = report.security_modules[0].streams[0].clone();
    println!("{row:#?}");
    (row, verdicts(&file, &outcome).remove(0))
}

/// Returns the number of received frames, by all columns together.
fn counted(row: &ReceiverRow) -> u64 {
    let refused = row.wrong_tag + row.replay + row.unknown_key;
    row.authentic + refused + row.without_key + row.no_room
}

/// Asserts that whatever was sent is counted at a receiver that was never off, but for what is on
/// its way at the end: one on the bus, four that wait, one that is being opened.
#[track_caller]
fn assert_all_counted(row: &ProtectedRow) {
    for one in &row.receivers {
        let sum = counted(one);
        assert!(sum <= row.carried.frames, "{row:#?}");
        assert!(sum + 6 >= row.carried.frames, "{row:#?}");
    }
}

fn unknown(row: &ProtectedRow) -> u64 {
    row.receivers.iter().map(|one| one.unknown_key).sum()
}

#[test]
fn receivers_that_are_reset_together_lose_nothing_after_their_first_key() {
    for board in ["tc297", "ideal"] {
        let resets = format!("suite = \"p256\"\n{}{}", reset("e2"), reset("e3"));
        let (row, verdict) = ran(&car([board; 2], "20ms", "8s", &resets));
        assert_eq!(unknown(&row), 0, "{board}");
        assert!(verdict.met, "{verdict:#?}");
    }
}

#[test]
fn renewals_lose_nothing() {
    for (boards, suite, period) in [
        (["tc297", "ideal"], "p256", "20ms"),
        (["tc297", "ideal"], "fourq", "5ms"),
        (["ideal", "ideal"], "p256", "5ms"),
        (["ideal", "ideal"], "x25519-ml-kem-768+ml-dsa-65", "100ms"),
    ] {
        let renewal = format!("renewal = \"3s\"\nsuite = \"{suite}\"\n");
        let (row, verdict) = ran(&car(boards, period, "10s", &renewal));
        assert_eq!(unknown(&row), 0, "{boards:?} {suite} {period}");
        assert!(row.keys > 2, "{row:#?}");
        assert_all_counted(&row);
        assert!(verdict.met, "{verdict:#?}");
    }
}

/// It has nothing of the key that is being sent under, whether or not its session goes on.
#[test]
fn a_receiver_that_boots_during_a_renewal_waits_for_the_sender() {
    for from in [4900, 4930, 4960, 4990] {
        let lines = format!(
            "suite = \"p256\"\nprofile = \"hardened\"\nrenewal = \"1s\"\nstart = \"0ms\"\n\
             [[fault]]\nkind = \"reset\"\necu = \"e3\"\nfrom = \"{from}ms\"\nuntil = \"{}ms\"\n",
            from + 100
        );
        let (row, _) = ran(&car(["ideal"; 2], "1ms", "7s", &lines));
        assert_eq!(unknown(&row), 0, "reset at {from} ms: {row:#?}");
    }
}

/// While a slow sender signs it can protect nothing: that is said of it, and nothing of keys.
#[test]
fn messages_unprotected_during_authentication_are_reported() {
    for (suite, period) in [("p256", "20ms"), ("fourq", "5ms")] {
        let renewal = format!("renewal = \"3s\"\nsuite = \"{suite}\"\n");
        let (row, verdict) = ran(&car(["tc297"; 2], period, "10s", &renewal));
        assert_eq!(unknown(&row), 0, "{suite} {period}");
        assert_all_counted(&row);
        assert!(
            !verdict.met && verdict.measured_text.contains("did not arrive"),
            "{verdict:#?}"
        );
        let cause = verdict.cause.unwrap_or_default();
        assert!(cause.ends_with("waited to be protected"), "{cause}");
    }
}

/// Frames that come faster than they can be opened.
#[test]
fn what_finds_no_room_is_counted_and_fails_the_requirement() {
    let module = format!("suite = \"p256\"\n{}", reset("sm"));
    let (row, verdict) = ran(&car(["tc297", "ideal"], "1ms", "6s", &module));
    let lost: u64 = row.receivers.iter().map(|one| one.no_room).sum();
    assert!(lost > 0, "{row:#?}");
    assert_all_counted(&row);
    let cause = verdict.cause.as_deref().unwrap_or_default();
    assert!(
        !verdict.met && cause.contains("had no room"),
        "{verdict:#?}"
    );
}

/// Nothing fails from an ECU's retirement until its first key after it is enrolled; later failures
/// count.
#[test]
fn who_is_retired_and_enrolled_again_lacks_nothing_meanwhile() {
    let lines = "stream_key = \"1s\"\nretire = [{ ecu = \"e2\", at = \"2s\" }]\nenrol = [{ ecu = \
                 \"e2\", at = \"5s\" }]\n";
    let (row, verdict) = ran(&car(["ideal"; 2], "20ms", "6s", lines));
    assert!(row.receivers[0].without_key > 50, "{row:#?}");
    assert_all_counted(&row);
    assert!(verdict.met, "{verdict:#?}");
}
