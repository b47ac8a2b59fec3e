//! Message authentication under keys that a security module grants: a key for each stream, changed
//! while driving.

mod mistakes;
mod retired;

use waywarden_can_sim::trace::Discard;
use waywarden_testkit::{Random, each_seed};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{CheckRow, Report};
use waywarden_vehicle_resources::Resources;

/// A security module and four members: `a` sends `S` to `b` and `c`, `d` sends `T` to `b`.
fn car(keys: &str, table: &str, more: &str) -> String {
    let ecu = |name: &str, sends: &str| {
        format!("[[ecu]]\nname = '{name}'\nboard = 'tc297'\nports = ['one']\n{sends}")
    };
    let stream = |name: &str, id: u16, receivers: &str| {
        format!(
            "sends = [{{ name = '{name}', id = {id:#05x}, length = 4, period = '10ms', format = \
             'classic', receivers = {receivers} }}]\n"
        )
    };
    let ecus = [
        ecu("module", ""),
        ecu("a", &stream("S", 0x060, "['b', 'c']")),
        ecu("b", ""),
        ecu("c", ""),
        ecu("d", &stream("T", 0x070, "['b']")),
    ];
    let ecus = ecus.concat();
    format!(
        "[vehicle]\nname = 'car'\nseed = 5\nduration = '4s'\n[[bus]]\nname = 'one'\n\
         bitrate = '500k'\ndata_bitrate = '2M'\n{ecus}\
         [[keys]]\nname = 'access'\nscheme = 'lasan'\nsecurity_module = 'module'\n{keys}\n\
         [[authentication]]\nprotect = ['S', 'T']\ngranted_by = 'access'\n{table}\n{more}\n"
    )
}

fn report(text: &str) -> Report {
    let file = VehicleFile::parse("car.toml", text);
    let file = file.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    Report::new(&file, file.seed, &outcome)
}

fn check<'a>(report: &'a Report, stream: &str, ecu: &str) -> &'a CheckRow {
    let mut checks = report.authentication[0].checks.iter();
    let own = |one: &&CheckRow| one.stream == stream && one.ecu == ecu;
    checks
        .find(own)
        .unwrap_or_else(|| panic!("{ecu} checks {stream}"))
}

/// Counts refused messages, except those before a receiver knows where the stream stands.
fn wrong(check: &CheckRow) -> u64 {
    check.refused() - check.out_of_step
}

const PROTOCOLS: [&str; 4] = [
    "scheme = 'vatican'",
    "scheme = 'leia'",
    "scheme = 'secoc'\nmaster = 'a'",
    "scheme = 'secoc'\nprofile = 'autosar-1'",
];

const PROFILES: [&str; 2] = ["hardened", "compact"];

#[test]
fn keys_change_while_driving_without_a_lost_message() {
    let changes = each_seed(16, |seed| {
        let mut random = Random::new(seed);
        let protocol = PROTOCOLS[random.index(PROTOCOLS.len())];
        let profile = PROFILES[random.index(PROFILES.len())];
        let good_for = 2_600 + 100 * random.index(10);
        // An epoch that begins authenticates all ECUs again while keys are in use.
        let renewal = 8_000 + 100 * random.index(80);
        let keys =
            format!("profile = '{profile}'\nstream_key = '{good_for}ms'\nrenewal = '{renewal}ms'");
        let text = car(&keys, protocol, "")
            .replace("seed = 5", &format!("seed = {seed}"))
            .replace("'4s'", "'40s'");
        let report = report(&text);
        for (stream, ecu) in [("S", "b"), ("S", "c"), ("T", "b")] {
            let own = check(&report, stream, ecu);
            assert_eq!((wrong(own), own.forged), (0, 0), "{text}\n{own:#?}");
            // From the first one on, every message was taken.
            assert!(own.longest_gap_ms < 15.0, "{text}\n{own:#?}");
            assert!(own.authentic > 3_850, "{text}\n{own:#?}");
        }
        let keys = report.security_modules[0].streams.iter();
        keys.map(|key| key.keys - 1).min().unwrap()
    });
    assert!(changes.iter().all(|count| *count >= 9), "{changes:?}");
}

#[test]
fn before_the_first_key_and_after_a_reset_nothing_is_sent_or_taken() {
    for protocol in PROTOCOLS {
        let reset = "[[fault]]\nkind = 'reset'\necu = 'b'\nfrom = '2s'\nuntil = '2100ms'\n";
        let report = report(&car(
            "profile = 'compact'\nstart = '500ms'",
            protocol,
            reset,
        ));
        let first = report.first_authentic.iter().find(|one| one.stream == "S");
        let first = first.expect("a row for S");
        assert!(first.power_on_ms.unwrap() > 500.0, "{protocol}: {first:#?}");
        let after = first.after_boot_ms.expect("b boots again");
        // It hears of the security module by a beacon, once a second.
        assert!((1.0..2_000.0).contains(&after), "{protocol}: {first:#?}");
        let [b, c] = ["b", "c"].map(|ecu| check(&report, "S", ecu));
        assert_eq!((wrong(b), b.forged), (0, 0), "{protocol}: {b:#?}");
        assert!(b.longest_gap_ms > 100.0, "{protocol}: {b:#?}");
        // An ECU that was not reset goes on.
        assert!(c.longest_gap_ms < 15.0, "{protocol}: {c:#?}");
        let stream = report.streams.iter().find(|one| one.stream == "S").unwrap();
        assert!(stream.withheld >= 45, "{protocol}: {stream:#?}");
    }
}

#[test]
fn who_is_granted_one_stream_forges_no_other() {
    for protocol in PROTOCOLS {
        for (ecu, deceived) in [("d", false), ("module", false), ("c", true)] {
            let attack = format!(
                "[[attacker]]\nkind = 'compromise'\necus = ['{ecu}']\nperiod = '20ms'\n\
                 from = '2005ms'\n[require]\nundeceived = ['b']\n"
            );
            let report = report(&car("profile = 'compact'", protocol, &attack));
            let own = check(&report, "S", "b");
            // A receiver has the key of what it receives, as with every symmetric key.
            assert_eq!(own.forged > 0, deceived, "{protocol} at {ecu}: {own:#?}");
            assert!(own.authentic > 100, "{protocol} at {ecu}: {own:#?}");
        }
    }
}
