//! A part that the workshop replaced does not come back: its ECU from a car in which nothing was
//! replaced is put on the bus of the car in which it was, while the new part is away.

use waywarden_can_sim::Simulation;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::{EcuConfig, EcuFault, EcuFaultKind};
use waywarden_can_sim::trace::TraceEvent;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_lab::lower::{Lowered, lower};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::{Fact, JudgedFact};

/// A security module and two ECUs with a stream between them, on boards that compute in no time;
/// one is away for two seconds.
const CAR: &str = r#"
[vehicle]
name = "car"
duration = "5s"
[[bus]]
name = "one"
bitrate = "500k"
data_bitrate = "2M"
[[ecu]]
name = "safe"
ports = ["one"]
[[ecu]]
name = "a"
ports = ["one"]
sends = [{ name = "A", id = 0x100, length = 8, period = "10ms", receivers = ["b"] }]
[[ecu]]
name = "b"
ports = ["one"]
start = "40ms"
[[fault]]
kind = "reset"
ecu = "b"
from = "1500ms"
until = "3500ms"
[[keys]]
name = "core"
scheme = "lasan"
security_module = "safe"
protect = ["A"]
"#;

/// The times between which the old part is on the bus, in milliseconds.
const OLD_PART: (u64, u64) = (1_600, 3_400);

const REPLACED: &str = "replace = [{ ecu = \"b\", at = \"1s\" }]\n";

fn millis(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn lowered(lines: &str) -> Lowered {
    let text = format!("{CAR}{lines}");
    let file = VehicleFile::parse("car.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    lower(&file, &Resources::default(), None).unwrap_or_else(|e| panic!("{e}"))
}

/// The part that `b` has from the factory, to be put on the bus later.
fn old_part(lines: &str) -> EcuConfig<Fact> {
    let mut ecus = lowered(lines).config.ecus;
    let mut old = ecus.swap_remove(2);
    assert_eq!(old.name, "b");
    old.name = "old b".to_owned();
    old.start = millis(OLD_PART.0);
    old.faults = vec![EcuFault {
        from: millis(OLD_PART.1),
        until: millis(10_000),
        kind: EcuFaultKind::Open { port: 0 },
    }];
    old
}

/// Remarks of the security module, with the time in milliseconds.
type Remarks = Vec<(u64, String)>;

fn remarks(lowered: Lowered, besides: Option<EcuConfig<Fact>>) -> Remarks {
    let mut config = lowered.config;
    config.ecus.extend(besides);
    let mut remarks = Remarks::new();
    let prose = lowered.prose;
    let mut sink = |at: Time, event: &TraceEvent<'_, Fact>| {
        if let &TraceEvent::Noted { ecu, remark } = event
            && ecu.0 == 0
        {
            let (fact, truth) = (remark, None);
            let text = prose.text(&JudgedFact { fact, truth });
            remarks.extend(text.map(|text| (at.as_picos() / 1_000_000_000, text)));
        }
    };
    let mut simulation = Simulation::new(config).unwrap();
    simulation.run_until(millis(5_000), &mut sink).unwrap();
    remarks
}

fn count(remarks: &Remarks, (from, until): (u64, u64), text: &str) -> usize {
    let within = remarks.iter().filter(|(at, _)| (from..until).contains(at));
    within.filter(|(_, said)| said.contains(text)).count()
}

const SESSION: &str = "authenticated: b has a session";

#[test]
fn an_old_part_is_refused_and_the_new_one_is_not() {
    for (profile, credentials) in [
        ("hardened", "certificates"),
        ("compact", "certificates"),
        ("hardened", "digests"),
        ("compact", "digests"),
    ] {
        let keys = format!("profile = \"{profile}\"\ncredentials = \"{credentials}\"\n");
        // Where nothing was replaced, it is authenticated.
        let remarked = remarks(lowered(&keys), Some(old_part(&keys)));
        let sessions = [(0, 1_000), OLD_PART, (3_500, 5_000)];
        let found = sessions.map(|span| count(&remarked, span, SESSION));
        assert_eq!(found, [1, 1, 1], "{keys}{remarked:#?}");

        let replaced = lowered(&format!("{keys}{REPLACED}"));
        let remarked = remarks(replaced, Some(old_part(&keys)));
        let sessions = [(0, 1_000), (1_000, 1_500), OLD_PART, (3_500, 5_000)];
        let found = sessions.map(|span| count(&remarked, span, SESSION));
        assert_eq!(found, [1, 1, 0, 1], "{keys}{remarked:#?}");
        let refused = count(&remarked, OLD_PART, "failed: no session with b, Key");
        assert!(refused > 0, "{keys}{remarked:#?}");
        assert_eq!(count(&remarked, (0, 5_000), "not-replaced"), 0, "{keys}");
    }
}

/// A security module cannot shut out a part that it does not know, and it says so.
#[test]
fn a_part_that_cannot_be_shut_out_is_remarked() {
    let never_seen = format!("start = \"1100ms\"\n{REPLACED}");
    let remarked = remarks(lowered(&never_seen), None);
    assert_eq!(count(&remarked, (1_000, 1_010), "not-replaced: "), 1);
    assert_eq!(count(&remarked, (1_000, 1_010), "never seen"), 1);
    assert_eq!(count(&remarked, (1_100, 1_500), SESSION), 1);

    let work = [400, 700, 1_000, 1_300].map(|at| format!("{{ ecu = \"b\", at = \"{at}ms\" }}"));
    let remarked = remarks(lowered(&format!("replace = [{}]\n", work.join(", "))), None);
    assert_eq!(count(&remarked, (0, 1_300), "not-replaced"), 0);
    assert_eq!(count(&remarked, (1_300, 1_310), "not-replaced"), 1);
    assert_eq!(count(&remarked, (1_300, 1_310), "too many"), 1);
    assert_eq!(count(&remarked, (0, 1_500), SESSION), 5, "{remarked:#?}");
}
