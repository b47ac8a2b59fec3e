//! Bus load before security: what the report computes of a protected car is what the same car
//! without authentication has on its buses, to the picosecond.

use waywarden_can_sim::trace::Discard;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::lower;
use waywarden_vehicle_lab::run::{RunOutcome, run};
use waywarden_vehicle_report::measure::BusyByPurpose;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_resources::Resources;

/// Two buses, one of them CAN FD, and a stream that a gateway forwards.
const CAR: &str = "[vehicle]\nname = 'car'\nduration = '1995ms'\nseed = 3\n\
    [[bus]]\nname = 'a'\nbitrate = '500k'\n\
    [[bus]]\nname = 'b'\nbitrate = '500k'\ndata_bitrate = '2M'\n\
    [[ecu]]\nname = 'tx'\nports = ['a']\n[[ecu]]\nname = 'rx'\nports = ['a']\n\
    [[ecu]]\nname = 'gateway'\nports = ['a', 'b']\n[[ecu]]\nname = 'far'\nports = ['b']\n\
    [[stream]]\nname = 'Speed'\nid = 0x100\nsender = 'tx'\nreceivers = ['rx', 'far']\n\
    format = 'classic'\nlength = 4\nperiod = '10ms'\noffset = '50ms'\n\
    [[stream]]\nname = 'Plain'\nid = 0x200\nsender = 'tx'\nreceivers = ['rx']\nlength = 4\n\
    period = '20ms'\n\
    [[stream]]\nname = 'Long'\nid = 0x300\nsender = 'gateway'\nbus = 'b'\nreceivers = ['far']\n\
    length = 20\nperiod = '10ms'\noffset = '50ms'\n\
    [[route]]\ngateway = 'gateway'\nfrom = 'a'\nto = 'b'\nstreams = ['Speed']\n";

const NOISE: &str = "[[attacker]]\nname = 'noise'\nkind = 'flood'\nbus = 'a'\nid = 0x7FF\n\
    rate = '100/s'\nfrom = '500ms'\nuntil = '600ms'\n";

fn outcome(text: &str) -> (Report, RunOutcome) {
    let file = VehicleFile::parse("car.toml", text).unwrap_or_else(|errors| panic!("{errors}"));
    let lowered = lower(&file, &Resources::default(), None).unwrap();
    let outcome = run(lowered, &mut Discard, &mut |_| {}).unwrap();
    (Report::new(&file, file.seed, &outcome), outcome)
}

fn busy(outcome: &RunOutcome) -> Vec<u64> {
    outcome.measure.buses.iter().map(|bus| bus.busy).collect()
}

fn total(one: &BusyByPurpose) -> u64 {
    one.streams + one.security() + one.other
}

#[test]
fn the_load_before_security_is_that_of_the_car_without_it() {
    let (bare, plain) = outcome(CAR);
    let plain = busy(&plain);
    assert!(bare.security_load.is_empty());
    for (scheme, protects, has_announcements) in [
        ("scheme = 'vatican'", "'Speed'", false),
        ("scheme = 'leia'", "'Speed'", false),
        (
            "scheme = 'vatican'\nprofile = 'as-published'",
            "'Speed'",
            false,
        ),
        (
            "scheme = 'secoc'\nmaster = 'gateway'",
            "'Speed', 'Long'",
            true,
        ),
        (
            "scheme = 'secoc'\nprofile = 'autosar-1'",
            "'Speed', 'Long'",
            false,
        ),
    ] {
        let table =
            format!("[[authentication]]\nname = 'tags'\nprotect = [{protects}]\n{scheme}\n");
        let (report, outcome) = outcome(&format!("{CAR}{table}"));
        let purposes = outcome.measure.busy_by_purpose();
        let before: Vec<u64> = purposes.iter().map(|one| one.streams).collect();
        assert_eq!(before, plain, "{scheme}");
        let all: Vec<u64> = purposes.iter().map(total).collect();
        assert_eq!(all, busy(&outcome), "{scheme}");
        assert!(purposes[0].authenticators > plain[0] / 20, "{scheme}");
        let announced: u64 = purposes.iter().map(|one| one.freshness).sum();
        assert_eq!(announced > 0, has_announcements, "{scheme}");
        assert!(purposes.iter().all(|one| one.keys + one.other == 0));
        for (row, bus) in report.security_load.iter().zip(&report.buses) {
            assert!((row.after() - bus.load).abs() < 1e-9, "{scheme}");
        }
    }
}

#[test]
fn attackers_and_exchanges_of_keys_are_counted_apart() {
    let keys = "[[keys]]\nname = 'ring'\nscheme = 'tree-with-orchestrator'\nsuite = 'fourq'\n\
        orchestrator = 'gateway'\nmembers = ['tx', 'rx']\n";
    let addresses = [("tx", 1), ("rx", 2), ("gateway", 3), ("far", 4)];
    let text = addresses
        .iter()
        .fold(CAR.to_owned(), |text, (ecu, address)| {
            let name = format!("[[ecu]]\nname = '{ecu}'\n");
            text.replace(&name, &format!("{name}address = {address}\n"))
        });
    let (report, outcome) = outcome(&format!("{text}{keys}{NOISE}"));
    for (row, bus) in report.security_load.iter().zip(&report.buses) {
        assert!((row.whole() - bus.load).abs() < 1e-9, "{}", row.words());
    }
    assert!(report.security_load[0].words().contains(", whole "));
    assert!(!report.security_load[1].words().contains("whole"));
    let purposes = outcome.measure.busy_by_purpose();
    let keys: u64 = purposes.iter().map(|one| one.keys).sum();
    assert_eq!(keys, outcome.measure.groups()[0].busy);
    assert!(purposes[0].keys > 0 && purposes[0].other > 0);
    assert_eq!(purposes[1].other, 0);
    let all: Vec<u64> = purposes.iter().map(total).collect();
    assert_eq!(all, busy(&outcome));
}
