//! SecOC whose freshness and code have PDUs of their own, in vehicles.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::run;
use waywarden_vehicle_report::report::{CheckRow, Report};
use waywarden_vehicle_resources::Resources;

const PDUS: &str = "cryptographic_pdus = [{ stream = 'S', id = 0x201 }, \
                    { stream = 'T', id = 0x10000201, extended = true }]";

const PROFILES: [&str; 3] = [
    "profile = 'autosar-1'",
    "profile = 'production'\nmaster = 'gateway'",
    "profile = 'jaspar'\nmaster = 'gateway'",
];

/// `a` sends the full classic frames `S` to `b` on its bus and to `c` behind the gateway, `c` sends
/// `T` under a 29-bit identifier to `b`.
fn car(table: &str, more: &str) -> String {
    let ecu = |name: &str, ports: &str, sends: &str| {
        format!("[[ecu]]\nname = '{name}'\nboard = 'tc297'\nports = {ports}\n{sends}")
    };
    let s = "sends = [{ name = 'S', id = 0x200, length = 8, period = '10ms', \
             receivers = ['b', 'c'] }]\n";
    let t = "sends = [{ name = 'T', id = 0x10000200, extended = true, length = 8, period = '20ms', \
             receivers = ['b'] }]\n";
    let ecus = [
        ecu("gateway", "['one', 'two']", ""),
        ecu("a", "['one']", s),
        ecu("b", "['one']", ""),
        ecu("c", "['two']", t),
    ];
    format!(
        "[vehicle]\nname = 'car'\nseed = 5\nduration = '4s'\n[[bus]]\nname = 'one'\n\
         bitrate = '500k'\n[[bus]]\nname = 'two'\nbitrate = '500k'\n{}\
         [[route]]\ngateway = 'gateway'\nfrom = 'one'\nto = 'two'\nstreams = ['S']\n\
         [[route]]\ngateway = 'gateway'\nfrom = 'two'\nto = 'one'\nstreams = ['T']\n\
         [[authentication]]\nname = 'safety'\nscheme = 'secoc'\nprotect = ['S', 'T']\n{table}\n\
         {more}\n",
        ecus.concat()
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

#[test]
fn full_frames_are_authenticated_on_both_sides_of_a_gateway() {
    for profile in PROFILES {
        let report = report(&car(&format!("{profile}\n{PDUS}"), ""));
        for (stream, ecu, period, sent) in [
            ("S", "b", 10.0, 400),
            ("S", "c", 10.0, 400),
            ("T", "b", 20.0, 200),
        ] {
            let own = check(&report, stream, ecu);
            // Before the first announcement a receiver refuses what it cannot place.
            assert!(
                own.authentic + own.out_of_step >= sent - 30,
                "{profile}: {own:#?}"
            );
            assert_eq!(own.refused() - own.out_of_step, 0, "{profile}: {own:#?}");
            assert_eq!(own.forged, 0, "{profile}: {own:#?}");
            assert!(own.longest_gap_ms < period + 3.0, "{profile}: {own:#?}");
        }
        // Each message is two frames on each of its buses.
        let stream = report.streams.iter().find(|one| one.stream == "S").unwrap();
        assert_eq!(stream.late, 0, "{profile}: {stream:#?}");
    }
}

#[test]
fn what_is_made_up_changed_or_sent_again_deceives_no_ecu() {
    let attacks = [
        "kind = 'spoof'\nstream = 'S'\nperiod = '7ms'",
        "kind = 'replay'\nstream = 'S'\nbus = 'one'\ndelay = '53ms'",
        "kind = 'modify'\ngateway = 'gateway'\nstreams = ['S']\nat = 0\nxor = 'FF'",
        "kind = 'forge'\nstream = 'S'\nbus = 'one'\ntrick = 'messages'",
    ];
    for profile in PROFILES {
        for attack in attacks {
            let more = format!(
                "[[attacker]]\n{attack}\nfrom = '1s'\nuntil = '3s'\n[require]\n\
                 undeceived = 'all'\n"
            );
            let report = report(&car(&format!("{profile}\n{PDUS}"), &more));
            let missed: Vec<_> = report.requirements.iter().filter(|one| !one.met).collect();
            assert!(missed.is_empty(), "{profile} {attack}: {missed:#?}");
            let own = check(&report, "S", "c");
            assert!(own.authentic > 150, "{profile} {attack}: {own:#?}");
        }
    }
    // The same without authentication: every attack is believed.
    for attack in &attacks[..3] {
        let more = format!(
            "[[attacker]]\n{attack}\nfrom = '1s'\nuntil = '3s'\n[require]\nundeceived = 'all'\n"
        );
        let text = car("profile = 'autosar-1'", &more);
        let (before, after) = text.split_once("[[authentication]]").unwrap();
        let (_, after) = after.split_once("[[attacker]]").unwrap();
        let report = report(&format!("{before}[[attacker]]{after}"));
        assert!(report.requirements.iter().any(|one| !one.met), "{attack}");
    }
}

#[test]
fn a_pdu_for_each_stream_under_an_identifier_of_its_own() {
    let complaint = |table: &str| {
        let text = car(&format!("profile = 'autosar-1'\n{table}"), "");
        match VehicleFile::parse("car.toml", &text) {
            Ok(_) => panic!("nothing is wrong with\n{text}"),
            Err(errors) => errors.to_string(),
        }
    };
    let pdus = |list: &str| format!("cryptographic_pdus = [{list}]");
    for (table, expected) in [
        // Without them a payload of 8 bytes has no room for a code.
        (String::new(), "has 8 bytes"),
        (
            pdus("{ stream = 'S', id = 0x201 }"),
            "\"T\" has no cryptographic PDU",
        ),
        (
            pdus("{ stream = 'S', id = 0x201 }, { stream = 'T', id = 0x201 }"),
            "0x201 of another cryptographic PDU",
        ),
        (
            pdus("{ stream = 'S', id = 0x200 }, { stream = 'T', id = 0x202 }"),
            "0x200 of stream \"S\"",
        ),
        (
            pdus("{ stream = 'S', id = 0x900 }, { stream = 'T', id = 0x202 }"),
            "does not fit 11 bits",
        ),
        (
            pdus("{ stream = 'S', id = 1 }, { stream = 'S', id = 2 }, { stream = 'T', id = 3 }"),
            "has a cryptographic PDU already",
        ),
        (
            format!("{PDUS}\nmac_bits = 64"),
            "freshness and code take 9 bytes",
        ),
    ] {
        let errors = complaint(&table);
        assert!(errors.contains(expected), "{expected}:\n{errors}");
    }
}
